//! M. Nakagami, "The m-Distribution: A General Formula of Intensity Distribution of Rapid Fading", Statistical
//! Methods in Radio Wave Propagation, 1960.
//!
//! The power of each frame is Gamma distributed with shape m: 1 is Rayleigh fading; a larger m means less fading.
//! Mean power has a path loss exponent in each of three distance intervals, and m depends on distance. Defaults: those of ns-2
//! (mobile/nakagami.cc), from measurements between cars.

use farlink_kernel::config::above;
use farlink_kernel::{config, math};

use super::{Carrier, FadingKey, Least, Parameters, Path, Propagation, free_space};
use crate::phy::frequency::Frequency;
use crate::phy::power::Ratio;
use crate::space::Metres;

pub(super) const SOURCE: &str = "Nakagami, Statistical Methods in Radio Wave Propagation, 1960";

config! {
    /// Parameters of Nakagami fading.
    pub struct Config {
        /// Carrier frequency; its loss over one metre is that of free space.
        pub frequency: Frequency = Frequency::from_hertz(914e6),
        /// Gain of both antennas less system losses.
        pub antenna_gain: Ratio = Ratio::from_db(0.0),
        /// Path loss exponent of the first interval.
        pub near_exponent: f64 = 1.9; in 1.0..=10.0,
        /// Start of the second interval.
        pub second_distance: Metres = Metres(200.0); in above(Metres(0.0)),
        /// Path loss exponent of the second interval.
        pub second_exponent: f64 = 3.8; in 1.0..=10.0,
        /// Start of the third interval.
        pub third_distance: Metres = Metres(500.0); in above(Metres(0.0)),
        /// Path loss exponent of the third interval.
        pub third_exponent: f64 = 3.8; in 1.0..=10.0,
        /// m within `shape_distance`.
        pub near_shape: f64 = 1.5; in 0.5..=100.0,
        /// The distance at which m changes.
        pub shape_distance: Metres = Metres(80.0),
        /// m beyond `shape_distance`.
        pub far_shape: f64 = 0.75; in 0.5..=100.0,
        /// Power is cut at this ratio to the mean, so that the range is finite; at 12 dB with m = 0.75 one frame in
        /// 200 000.
        pub truncation: Ratio = Ratio::from_db(12.0); in Ratio::from_db(0.0)..=Ratio::from_db(100.0),
    }
    where second_distance <= third_distance
}

impl Parameters for Config {
    fn carrier(&self) -> Carrier {
        Carrier::Radio(self.frequency)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Nakagami {
    /// Natural logarithms of each interval's start and of the gain there, and its exponent.
    stretches: [(f64, f64, f64); 3],
    shape_distance: f64,
    shapes: [f64; 2],
    cut: f64,
}

impl Nakagami {
    pub(crate) fn new(config: &Config, _setup: &()) -> Self {
        let at_one_metre = free_space::gain_at(1.0, config.frequency) * config.antenna_gain.factor();
        let first = (0.0, libm::log(at_one_metre).min(0.0), config.near_exponent);
        let follow = |(start, gain, exponent): (f64, f64, f64), next: Metres, next_exponent: f64| {
            let next = libm::log(next.0).max(start);
            (next, gain - exponent * (next - start), next_exponent)
        };
        let second = follow(first, config.second_distance, config.second_exponent);
        let third = follow(second, config.third_distance, config.third_exponent);
        Self {
            stretches: [first, second, third],
            shape_distance: config.shape_distance.0,
            shapes: [config.near_shape, config.far_shape],
            cut: config.truncation.factor(),
        }
    }

    #[inline(always)]
    fn fade(&self, mean: f64, distance: Metres, least: Least, key: &FadingKey) -> f64 {
        if mean * self.cut < least.gain {
            return 0.0;
        }
        let shape = self.shapes[usize::from(distance.0 >= self.shape_distance)];
        (mean * key.draws().gamma(shape).min(self.cut)).min(1.0)
    }
}

impl Propagation for Nakagami {
    fn mean_gain(&self, path: &Path) -> f64 {
        let log_distance = libm::log(path.distance.0).max(0.0);
        let stretch = self.stretches.iter().rev().find(|&&(start, ..)| start <= log_distance);
        let (start, gain, exponent) = *stretch.expect("the first one starts at one metre");
        libm::exp(gain - exponent * (log_distance - start))
    }

    fn gain(&self, path: &Path, least: Least, key: &FadingKey) -> f64 {
        self.fade(self.mean_gain(path), path.distance, least, key)
    }

    #[inline(always)]
    fn log_gain(&self, mean: f64, distance: Metres, least: Least, key: &FadingKey) -> f64 {
        math::ln(self.fade(mean, distance, least, key))
    }

    fn is_random(&self) -> bool {
        true
    }

    fn reach(&self, least: f64) -> Metres {
        let least = libm::log(least / self.cut);
        let stretch = self.stretches.iter().rev().find(|&&(_, gain, _)| gain >= least);
        let (start, gain, exponent) = *stretch.unwrap_or(&self.stretches[0]);
        Metres(libm::exp(start + ((gain - least) / exponent).max(0.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{share, watts};
    use super::*;

    #[test]
    fn power_falls_faster_from_the_second_interval_on() {
        let model = Nakagami::new(&Config::default(), &());
        let at_one = watts(&model, 1.0);
        assert!((watts(&model, 100.0) / (at_one * libm::pow(100.0, -1.9)) - 1.0).abs() < 1e-9);
        let at_200 = watts(&model, 200.0);
        assert!((watts(&model, 400.0) / (at_200 * libm::pow(2.0, -3.8)) - 1.0).abs() < 1e-9);
        assert!((watts(&model, 1000.0) / (at_200 * libm::pow(5.0, -3.8)) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn shape_one_is_rayleigh() {
        let model = Nakagami::new(&Config { near_shape: 1.0, far_shape: 1.0, ..Config::default() }, &());
        let found = share(&model, 300.0, watts(&model, 300.0));
        assert!((found - 0.3679).abs() < 0.006, "{found}");
    }
}
