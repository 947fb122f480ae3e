//! What a user says of an antenna.

use farlink_kernel::config::Fraction;
use farlink_kernel::{Duration, choice, config};

use crate::phy::noise::Noise;
use crate::phy::power::{Power, Ratio};

choice! {
    /// What becomes of signals that overlap.
    pub enum Reception {
        /// The first one passes if it is stronger than each other by the capture ratio; otherwise both are lost
        /// (ns-2, mac-802_11).
        Pairwise = "pairwise",
        /// All others are added to the noise, and the PHY says which bits are lost.
        Interference = "interference",
    }
}

config! {
    /// Parameters of an antenna and its receiver. Defaults: ns-2's (a 914 MHz Lucent WaveLAN card that receives
    /// over 250 m and senses over 550 m of flat ground).
    pub struct Config {
        /// Sent power.
        pub power: Power = Power::from_watts(0.281_838_15),
        /// A weaker signal cannot be made out.
        pub receive_threshold: Power = Power::from_watts(3.652e-10),
        /// Less power is not noticed.
        pub carrier_sense_threshold: Power = Power::from_watts(1.559e-11),
        /// What becomes of signals that overlap.
        pub reception: Reception = Reception::Pairwise,
        /// With `pairwise`: by how much the first must be stronger.
        pub capture_ratio: Ratio = Ratio::from_db(10.0),
        /// With `interference`: thermal noise of 22 MHz and a noise figure of 7 dB, or the noise of the sea.
        pub noise: Noise = Noise::Power(Power::from_watts(4.4e-13)),
        /// With `interference`: signals weaker than this share of the noise add nothing.
        pub interference_floor: Ratio = Ratio::from_db(-10.0),
        /// Probability that a frame is lost for no other reason, per frame and listener.
        pub frame_error_rate: Fraction = Fraction(0.0),
        /// What the radio consumes while it sends. This and the next two: L. M. Feeney, M. Nilsson, INFOCOM 2001,
        /// for a WaveLAN card at 2 Mbit/s.
        pub transmit_consumption: Power = Power::from_watts(1.327),
        /// While somebody else is heard.
        pub receive_consumption: Power = Power::from_watts(0.967),
        /// Otherwise.
        pub idle_consumption: Power = Power::from_watts(0.843),
    }
}

impl Config {
    /// What a radio consumes, in joules, that sends and hears others so long in a run of this length.
    pub fn energy(&self, sending: Duration, hearing: Duration, run: Duration) -> f64 {
        let idle = run.saturating_sub(sending + hearing);
        let parts = [
            (self.transmit_consumption, sending),
            (self.receive_consumption, hearing),
            (self.idle_consumption, idle),
        ];
        parts.iter().map(|(power, length)| power.watts * length.as_secs_f64()).sum()
    }

    /// Signals weaker than this change nothing at any antenna.
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
