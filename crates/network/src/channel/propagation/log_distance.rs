//! T. S. Rappaport, "Wireless Communications: Principles and Practice", 1996, section 3.9: power falls with a
//! power of the distance.
//!
//! Gain: that of free space up to the reference distance d0, and of that (d0 / d)^exponent beyond. Typical
//! exponents: 2 in free space, 2.7 to 5 in towns, 1.6 to 1.8 in sight within buildings, 4 to 6 out of sight.

use farlink_kernel::config::above;
use farlink_kernel::{config, math};

use super::{Path, Propagation, free_space};
use crate::phy::frequency::Frequency;
use crate::phy::power::Ratio;
use crate::space::Metres;

/// Where the model stands.
pub const SOURCE: &str = "Rappaport, Wireless Communications, 1996";

config! {
    /// Parameters of the path loss. Defaults: those of ns-2's shadowing model.
    pub struct Config {
        /// Carrier frequency.
        pub frequency: Frequency = Frequency::from_hertz(914e6),
        /// With which power of the distance power falls.
        pub exponent: f64 = 2.0; in 1.0..=10.0,
        /// Up to where there is free space, and nearer than which there is no further loss.
        pub reference_distance: Metres = Metres(1.0); in above(Metres(0.0)),
        /// Gain of both antennas together, less other losses.
        pub antenna_gain: Ratio = Ratio::from_db(0.0),
    }
}

/// The model at work.
#[derive(Clone, Debug)]
pub struct LogDistance {
    /// Logarithms (natural) of the gain at the reference distance and of that distance's square.
    reference: f64,
    square: f64,
    half_exponent: f64,
}

impl LogDistance {
    /// A path loss.
    pub fn new(config: &Config, _setup: &()) -> Self {
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
    fn half_of_the_frames_are_heard_over_276_m_in_free_space_and_over_64_m_in_a_town() {
        assert!((watts(&model(2.0), 1.0) / 2.7887e-5 - 1.0).abs() < 1e-4);
        let threshold = 3.652e-10 / 0.281_838_15;
        for (exponent, range) in [(2.0, 276.3), (2.7, 64.3), (3.0, 42.4)] {
            let reach = model(exponent).reach(threshold).0;
            assert!((reach - range).abs() < 0.05, "{exponent}: {reach}");
        }
    }

    #[test]
    fn nearer_than_the_reference_distance_nothing_more_is_lost() {
        assert_eq!(watts(&model(2.7), 0.2), watts(&model(2.7), 1.0));
    }
}
