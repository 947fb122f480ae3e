//! A packet radio or acoustic modem with one bit rate and a preamble.

use farlink_kernel::config::above;
use farlink_kernel::{BitRate, Duration, config};

use super::power::Ratio;
use super::{Modulation, Phy, Timing};
use crate::frame::Mode;

pub(super) const SOURCE: &str = "customary";
pub(super) const MODULATION: Modulation = Modulation::Any;

config! {
    /// Parameters of the modem.
    pub struct Config {
        /// Bit rate of the frame.
        pub rate: BitRate = BitRate::from_bps(1_000_000); in above(BitRate::from_bps(0)),
        /// Preamble before every frame.
        pub preamble: Duration = Duration::ZERO,
        /// Least ratio of signal to interference and noise at which a frame is received.
        pub sinr_threshold: Ratio = Ratio::from_db(10.0),
        /// Slot time of protocols with carrier sense.
        pub slot: Duration = Duration::from_micros(20); in above(Duration::ZERO),
        /// From the end of a frame to its response (SIFS).
        pub turnaround: Duration = Duration::from_micros(10),
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Modem {
    config: Config,
    sinr_threshold: f64,
}

impl Modem {
    pub(crate) fn new(config: &Config, _setup: &()) -> Self {
        Self { config: config.clone(), sinr_threshold: config.sinr_threshold.factor() }
    }
}

impl Phy for Modem {
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
