//! Radios and modems: how frames become signals ([`Phy`]), and what an [`antenna`] makes of signals that
//! overlap.

use crate::frame::Mode;
use farlink_kernel::{BitRate, Duration, registry};

pub mod acoustic;
pub mod antenna;
pub mod dsss;
pub mod frequency;
pub mod modem;
pub mod noise;
pub mod ofdm;
pub mod power;

/// The lengths a contention protocol takes from its PHY.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// From the end of a frame to the answer.
    pub sifs: Duration,
    /// In which everybody hears whether somebody sends.
    pub slot: Duration,
    /// Smallest contention window.
    pub cw_min: u32,
    /// Largest contention window.
    pub cw_max: u32,
}

/// The role: one format of frames on the air.
pub trait Phy: std::fmt::Debug + Send + Sync {
    /// How long a frame of so many bytes (with the MAC's header) takes.
    fn air_time(&self, size: u32, mode: Mode) -> Duration;

    /// How much of that is preamble and header, which are sent in the slowest mode.
    fn header_time(&self, mode: Mode) -> Duration;

    /// The rate of a mode's bits.
    fn rate(&self, mode: Mode) -> BitRate;

    /// For frames to one neighbour.
    fn data_mode(&self) -> Mode {
        Mode(0)
    }

    /// For frames to everyone, and those that reserve the channel: everybody can make it out.
    fn basic_mode(&self) -> Mode {
        Mode(0)
    }

    /// The mode of an answer to a frame of this mode: not faster.
    fn answer_mode(&self, of: Mode) -> Mode {
        Mode(self.basic_mode().0.min(of.0))
    }

    /// What contention protocols need.
    fn timing(&self) -> Timing;

    /// How long an antenna needs to change from hearing to sending, and back: meanwhile it is deaf.
    fn turnaround(&self) -> Duration {
        Duration::ZERO
    }

    /// Probability that so many bits pass when the signal is so many times stronger than noise and
    /// interference.
    fn success(&self, mode: Mode, bits: f64, sinr: f64) -> f64;
}

registry! {
    /// Formats of frames on the air.
    Phy(()) {
        /// Bits at one rate behind a preamble.
        modem::Modem,
        /// Sound in water, with the bit errors of its modulation.
        acoustic::Acoustic,
        /// Wireless LAN at up to 11 Mbit/s.
        dsss::Dsss,
        /// Wireless LAN at up to 54 Mbit/s.
        ofdm::Ofdm,
    }
}
