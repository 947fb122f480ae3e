//! The physical layer of shared channels: frame formats and bit errors ([`Phy`]), and reception at an [`antenna`].

use crate::frame::Mode;
use farlink_kernel::{BitRate, Bytes, Duration, registry};

pub(crate) mod acoustic;
pub mod antenna;
pub(crate) mod dsss;
pub mod frequency;
pub(crate) mod modem;
pub(crate) mod noise;
pub(crate) mod ofdm;
pub mod power;

/// The parameters that a contention protocol takes from its PHY.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Short interframe space, from the end of a frame to its response.
    pub sifs: Duration,
    /// Slot time, in which a carrier is sensed everywhere.
    pub slot: Duration,
    /// Smallest contention window.
    pub cw_min: u32,
    /// Largest contention window.
    pub cw_max: u32,
}

/// A physical layer.
pub trait Phy: std::fmt::Debug + Send + Sync {
    /// Length of a frame of `size` bytes, MAC header included.
    fn air_time(&self, size: u32, mode: Mode) -> Duration {
        self.header_time(mode) + self.rate(mode).time_to_send(Bytes(u64::from(size)))
    }

    /// The part of it that preamble and PHY header take, in the slowest mode.
    fn header_time(&self, mode: Mode) -> Duration;

    /// Bit rate of a mode.
    fn rate(&self, mode: Mode) -> BitRate;

    /// For unicast data.
    fn data_mode(&self) -> Mode {
        Mode(0)
    }

    /// For broadcasts and control frames, which all stations must receive.
    fn basic_mode(&self) -> Mode {
        Mode(0)
    }

    /// For the response to a frame of this mode: not faster.
    fn answer_mode(&self, of: Mode) -> Mode {
        Mode(self.basic_mode().0.min(of.0))
    }

    /// Parameters for contention protocols.
    fn timing(&self) -> Timing;

    /// Time to turn around between reception and transmission, in which nothing is received.
    fn turnaround(&self) -> Duration {
        Duration::ZERO
    }

    /// Probability that `bits` bits are all correct at this ratio of signal to interference and noise (a factor).
    fn success(&self, mode: Mode, bits: f64, sinr: f64) -> f64;
}

/// Kinds of signals, for headers of captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modulation {
    /// Radio or sound.
    Any,
    /// Sound.
    Acoustic,
    /// Complementary code keying (IEEE 802.11b).
    Cck,
    /// Orthogonal frequency division multiplexing (IEEE 802.11a and g).
    Ofdm,
}

registry! {
    /// Physical layers of shared channels.
    Phy(()) where const modulation: Modulation = MODULATION {
        /// One bit rate, with a preamble.
        modem::Modem,
        /// Underwater acoustic modem, with the bit errors of its modulation.
        acoustic::Acoustic = Config,
        /// IEEE 802.11b, up to 11 Mbit/s.
        dsss::Dsss = Config,
        /// IEEE 802.11a and g, up to 54 Mbit/s.
        ofdm::Ofdm = Config,
    }
}
