//! Parameters of an antenna.

use farlink_kernel::config::Fraction;
use farlink_kernel::{Duration, choice, config};

use crate::phy::noise::Noise;
use crate::phy::power::{Power, Ratio};

choice! {
    /// Model of overlapping signals.
    pub enum Reception {
        /// Capture: the first signal is received if it exceeds each other by the capture ratio; otherwise both are lost
        /// (ns-2, mac-802_11).
        Pairwise = "pairwise",
        /// All others add to the noise, and the PHY gives the bit error rate.
        Interference = "interference",
    }
}

choice! {
    /// What the rate of further errors is a probability of (ns-2: `unit_` of `ErrorModel`).
    pub enum ErrorUnit {
        /// An error of a frame, or of a packet above the MAC.
        Frame = "frame",
        /// An error of a bit: the longer, the more often.
        Bit = "bit",
    }
}

choice! {
    /// Where further errors occur.
    pub enum ErrorPlace {
        /// At each receiver (ns-2's `IncomingErrProc`).
        Receiver = "receiver",
        /// At the sender: no receiver receives the frame (ns-2's `OutgoingErrProc`).
        Sender = "sender",
        /// Above the MAC of each receiver, which has acknowledged the frame and does not retransmit it.
        AboveMac = "above_mac",
    }
}

config! {
    /// Parameters of an antenna and its receiver. Defaults: ns-2's (a 914 MHz Lucent WaveLAN card that receives
    /// over 250 m and senses over 550 m of flat ground).
    pub struct Config {
        /// Transmit power.
        pub power: Power = Power::from_watts(0.281_838_15),
        /// Weakest signal that can be received.
        pub receive_threshold: Power = Power::from_watts(3.652e-10),
        /// Least power that makes the medium busy.
        pub carrier_sense_threshold: Power = Power::from_watts(1.559e-11),
        /// Model of overlapping signals. `pairwise` is ns-2's, for comparison with it and with studies that used it; `interference`
        /// is the one to predict throughput with: on chains of 802.11 it delivers 0.92 to 1.04 of ns-3's, `pairwise` 0.81 to 0.98.
        pub reception: Reception = Reception::Pairwise,
        /// With `pairwise`: the capture ratio.
        pub capture_ratio: Ratio = Ratio::from_db(10.0),
        /// With `interference`: noise power, by default thermal noise in 22 MHz with a noise figure of 7 dB; or ocean ambient noise.
        pub noise: Noise = Noise::Power(Power::from_watts(4.4e-13)),
        /// With `interference`: signals below this share of the noise are neglected.
        pub interference_floor: Ratio = Ratio::from_db(-10.0),
        /// Probability of a further frame error, per frame and receiver.
        pub frame_error_rate: Fraction = Fraction(0.0),
        /// What `frame_error_rate` is a probability of: an error of a frame, or of a bit, so that longer frames are lost more often.
        pub error_unit: ErrorUnit = ErrorUnit::Frame,
        /// Where these errors occur: at each receiver, at the sender for all receivers, or above the MAC of a receiver, which does
        /// not have the packet retransmitted.
        pub error_place: ErrorPlace = ErrorPlace::Receiver,
        /// Power consumption while the radio transmits. This and the next two: L. M. Feeney, M. Nilsson, INFOCOM 2001, for a
        /// WaveLAN card at 2 Mbit/s.
        pub transmit_consumption: Power = Power::from_watts(1.327),
        /// Power consumption while signals of other stations are sensed.
        pub receive_consumption: Power = Power::from_watts(0.967),
        /// Power consumption otherwise.
        pub idle_consumption: Power = Power::from_watts(0.843),
    }
}

impl Config {
    /// Energy consumption in joules of a radio that transmits and senses others for these times in a run of this length.
    pub fn energy(&self, transmitting: Duration, receiving: Duration, run: Duration) -> f64 {
        let idle = run.saturating_sub(transmitting + receiving);
        let parts = [
            (self.transmit_consumption, transmitting),
            (self.receive_consumption, receiving),
            (self.idle_consumption, idle),
        ];
        parts.iter().map(|(power, length)| power.watts * length.as_secs_f64()).sum()
    }

    /// Signals below this power have no effect at any antenna.
    pub fn floor(&self) -> Power {
        let least = self.carrier_sense_threshold.watts.min(self.receive_threshold.watts);
        match self.reception {
            Reception::Pairwise => Power::from_watts(least),
            Reception::Interference => {
                Power::from_watts(least.min(self.noise.power().watts * self.interference_floor.factor()))
            }
        }
    }
}
