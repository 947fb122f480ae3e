//! Bits at one rate behind a preamble, as of a packet radio or an acoustic modem.

use farlink_kernel::config::above;
use farlink_kernel::{BitRate, Bytes, Duration, config};

use super::power::Ratio;
use super::{Phy, Timing};
use crate::frame::Mode;

/// Where the format stands.
pub const SOURCE: &str = "customary";

config! {
    /// Parameters of the modem.
    pub struct Config {
        /// Rate of the frame's bits.
        pub rate: BitRate = BitRate::from_bps(1_000_000); in above(BitRate::from_bps(0)),
        /// Sent before every frame, at no bits.
        pub preamble: Duration = Duration::ZERO,
        /// A stronger signal, compared with noise and interference, is made out for certain, a weaker one
        /// never.
        pub sinr_threshold: Ratio = Ratio::from_db(10.0),
        /// In which everybody hears whether somebody sends; for protocols that sense the carrier.
        pub slot: Duration = Duration::from_micros(20); in above(Duration::ZERO),
        /// From the end of a frame to its answer.
        pub turnaround: Duration = Duration::from_micros(10),
    }
}

/// The format at work.
#[derive(Clone, Debug)]
pub struct Modem {
    config: Config,
    sinr_threshold: f64,
}

impl Modem {
    /// A modem.
    pub fn new(config: &Config, _setup: &()) -> Self {
        Self { config: config.clone(), sinr_threshold: config.sinr_threshold.factor() }
    }
}

impl Phy for Modem {
    fn air_time(&self, size: u32, _mode: Mode) -> Duration {
        self.config.preamble + self.config.rate.time_to_send(Bytes(u64::from(size)))
    }

    fn header_time(&self, _mode: Mode) -> Duration {
        self.config.preamble
    }

    fn rate(&self, _mode: Mode) -> BitRate {
        self.config.rate
    }

    fn timing(&self) -> Timing {
        Timing { sifs: self.config.turnaround, slot: self.config.slot, cw_min: 31, cw_max: 1023 }
    }

    fn success(&self, _mode: Mode, _bits: f64, sinr: f64) -> f64 {
        f64::from(u8::from(sinr >= self.sinr_threshold))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preamble_comes_before_every_frame() {
        let config = Config { preamble: Duration::from_micros(192), ..Config::default() };
        assert_eq!(Modem::new(&config, &()).air_time(125, Mode(0)), Duration::from_micros(1192));
    }
}
