//! Lord Rayleigh, "On the resultant of a large number of vibrations of the same pitch and of arbitrary phase",
//! Philosophical Magazine 10, 1880.
//!
//! Many paths without a dominant one: the power of each frame is exponential, with the path loss of `log_distance` as its
//! mean, and independent of other frames. Left out: the Doppler spectrum, that is, the correlation of successive frames.

use farlink_kernel::config::above;
use farlink_kernel::{config, math};

use super::log_distance::{self, LogDistance};
use super::{Carrier, FadingKey, Least, Parameters, Path, Propagation};
use crate::phy::frequency::Frequency;
use crate::phy::power::Ratio;
use crate::space::Metres;

pub(super) const SOURCE: &str = "Rayleigh, Philosophical Magazine 10, 1880";

config! {
    /// Parameters of Rayleigh fading.
    pub struct Config {
        /// Carrier frequency.
        pub frequency: Frequency = Frequency::from_hertz(914e6),
        /// Path loss exponent of the mean power.
        pub exponent: f64 = 2.0; in 1.0..=10.0,
        /// Reference distance: free space up to it; the gain does not grow within it.
        pub reference_distance: Metres = Metres(1.0); in above(Metres(0.0)),
        /// Gain of both antennas less system losses.
        pub antenna_gain: Ratio = Ratio::from_db(0.0),
        /// Power is cut at this ratio to the mean, so that the range is finite; at 12 dB one frame in 7.6 million.
        pub truncation: Ratio = Ratio::from_db(12.0); in Ratio::from_db(0.0)..=Ratio::from_db(100.0),
    }
}

impl Parameters for Config {
    fn carrier(&self) -> Carrier {
        Carrier::Radio(self.frequency)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Rayleigh {
    loss: LogDistance,
    cut: f64,
}

impl Rayleigh {
    pub(crate) fn new(config: &Config, _setup: &()) -> Self {
        let Config { frequency, exponent, reference_distance, antenna_gain, truncation } = *config;
        let loss = log_distance::Config { frequency, exponent, reference_distance, antenna_gain };
        Self { loss: LogDistance::new(&loss, &()), cut: truncation.factor() }
    }

    #[inline(always)]
    fn fade(&self, mean: f64, least: Least, key: &FadingKey) -> f64 {
        if mean * self.cut < least.gain {
            return 0.0;
        }
        let fade = -libm::log(1.0 - key.draws().uniform());
        (mean * fade.min(self.cut)).min(1.0)
    }
}

impl Propagation for Rayleigh {
    fn mean_gain(&self, path: &Path) -> f64 {
        self.loss.mean_gain(path)
    }

    fn gain(&self, path: &Path, least: Least, key: &FadingKey) -> f64 {
        self.fade(self.mean_gain(path), least, key)
    }

    #[inline(always)]
    fn log_gain(&self, mean: f64, _distance: Metres, least: Least, key: &FadingKey) -> f64 {
        math::ln(self.fade(mean, least, key))
    }

    fn is_random(&self) -> bool {
        true
    }

    fn reach(&self, least: f64) -> Metres {
        self.loss.reach(least / self.cut)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{share, watts};
    use super::*;

    #[test]
    fn one_frame_in_e_exceeds_the_mean() {
        let model = Rayleigh::new(&Config::default(), &());
        let mean = watts(&model, 200.0);
        for (times, expected) in [(0.5, 0.6065), (1.0, 0.3679), (3.0, 0.0498)] {
            let found = share(&model, 200.0, times * mean);
            assert!((found - expected).abs() < 0.006, "{times}: {found}");
        }
    }
}
