//! T. S. Rappaport, "Wireless Communications: Principles and Practice", 1996, section 3.9: log-distance
//! path loss.
//!
//! Gain: that of free space up to the reference distance d0, and of that (d0 / d)^exponent beyond. Typical
//! exponents: 2 in free space, 2.7 to 5 in urban areas, 1.6 to 1.8 in buildings with line of sight, 4 to 6 without.

use farlink_kernel::config::above;
use farlink_kernel::{config, math};

use super::{Carrier, Parameters, Path, Propagation, free_space};
use crate::phy::frequency::Frequency;
use crate::phy::power::Ratio;
use crate::space::Metres;

pub(super) const SOURCE: &str = "Rappaport, Wireless Communications, 1996";

config! {
    /// Parameters of the path loss. Defaults: those of ns-2's shadowing model.
    pub struct Config {
        /// Carrier frequency.
        pub frequency: Frequency = Frequency::from_hertz(914e6),
        /// Path loss exponent.
        pub exponent: f64 = 2.0; in 1.0..=10.0,
        /// Reference distance: free space up to it; the gain does not grow within it.
        pub reference_distance: Metres = Metres(1.0); in above(Metres(0.0)),
        /// Gain of both antennas less system losses.
        pub antenna_gain: Ratio = Ratio::from_db(0.0),
    }
}

impl Parameters for Config {
    fn carrier(&self) -> Carrier {
        Carrier::Radio(self.frequency)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct LogDistance {
    /// Natural logarithms of the gain at the reference distance and of the square of that distance.
    reference: f64,
    square: f64,
    half_exponent: f64,
}

impl LogDistance {
    pub(crate) fn new(config: &Config, _setup: &()) -> Self {
        let Config { frequency, exponent, reference_distance, antenna_gain } = *config;
        let gain = free_space::gain_at(reference_distance.0, frequency) * antenna_gain.factor();
        Self {
            reference: libm::log(gain).min(0.0),
            square: 2.0 * libm::log(reference_distance.0),
            half_exponent: exponent / 2.0,
        }
    }

    /// The natural logarithm of the gain.
    #[inline(always)]
    pub fn log_gain(&self, path: &Path) -> f64 {
        let square = math::ln(path.distance.0 * path.distance.0);
        self.reference - self.half_exponent * (square - self.square).max(0.0)
    }
}

impl Propagation for LogDistance {
    #[inline]
    fn mean_gain(&self, path: &Path) -> f64 {
        math::exp(self.log_gain(path))
    }

    fn reach(&self, least: f64) -> Metres {
        let beyond = ((self.reference - libm::log(least)) / self.half_exponent).max(0.0);
        Metres(libm::exp(self.square.midpoint(beyond)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::watts;
    use super::*;

    fn model(exponent: f64) -> LogDistance {
        let frequency = Frequency::from_hertz(2.4e9 * 299_792_458.0 / 3e8);
        LogDistance::new(&Config { frequency, exponent, ..Config::default() }, &())
    }

    #[test]
    fn the_median_range_is_276_m_in_free_space_and_64_m_in_an_urban_area() {
        assert!((watts(&model(2.0), 1.0) / 2.7887e-5 - 1.0).abs() < 1e-4);
        let threshold = 3.652e-10 / 0.281_838_15;
        for (exponent, range) in [(2.0, 276.3), (2.7, 64.3), (3.0, 42.4)] {
            let reach = model(exponent).reach(threshold).0;
            assert!((reach - range).abs() < 0.05, "{exponent}: {reach}");
        }
    }

    #[test]
    fn the_gain_is_constant_within_the_reference_distance() {
        assert_eq!(watts(&model(2.7), 0.2), watts(&model(2.7), 1.0));
    }
}
