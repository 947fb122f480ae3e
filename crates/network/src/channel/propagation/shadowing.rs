//! T. S. Rappaport, "Wireless Communications: Principles and Practice", 1996, section 3.9.2: log-normal
//! shadowing.
//!
//! The path loss of `log_distance` and X decibels, normal with mean 0. ns-2 (mobile/shadowing.cc) draws X for every frame
//! and listener; `link` draws it once for both directions of a link; with `time` it changes slowly: X(t) = X_k cos(a) + X_{k+1} sin(a) between the times k and k+1
//! coherence times after the start, with a from 0 to 90 degrees, has constant variance. Left out: spatial
//! correlation.

use farlink_kernel::config::above;
use farlink_kernel::{Duration, choice, config, math};

use super::log_distance::{self, LogDistance};
use super::{Carrier, FadingKey, Least, Parameters, Path, Propagation};
use crate::phy::frequency::Frequency;
use crate::phy::power::Ratio;
use crate::space::Metres;

pub(super) const SOURCE: &str = "Rappaport, Wireless Communications, 1996";

choice! {
    /// When X is drawn.
    pub enum Redraw {
        /// For every frame and listener.
        Frame = "frame",
        /// Once for both directions of a link.
        Link = "link",
        /// Once per coherence time for both directions of a link.
        Time = "time",
    }
}

config! {
    /// Parameters of shadowing. Defaults: ns-2's.
    pub struct Config {
        /// Carrier frequency.
        pub frequency: Frequency = Frequency::from_hertz(914e6),
        /// Path loss exponent.
        pub exponent: f64 = 2.0; in 1.0..=10.0,
        /// Standard deviation of X.
        pub deviation: Ratio = Ratio::from_db(4.0); in Ratio::from_db(0.0)..=Ratio::from_db(30.0),
        /// Reference distance: free space up to it; the gain does not grow within it.
        pub reference_distance: Metres = Metres(1.0); in above(Metres(0.0)),
        /// Gain of both antennas less system losses.
        pub antenna_gain: Ratio = Ratio::from_db(0.0),
        /// When X is drawn.
        pub redraw: Redraw = Redraw::Frame,
        /// With `time`: coherence time, after which X is independent.
        pub coherence_time: Duration = Duration::from_secs(1); in above(Duration::ZERO),
        /// X is cut at this many standard deviations above the mean, so that the range is finite; at 4 one draw in
        /// 31 574. ns-2 does not cut.
        pub truncation: f64 = 4.0; in 0.0..=40.0,
    }
}

impl Parameters for Config {
    fn carrier(&self) -> Carrier {
        Carrier::Radio(self.frequency)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Shadowing {
    loss: LogDistance,
    /// Natural logarithm of the gain of one standard deviation.
    deviation: f64,
    redraw: Redraw,
    coherence: u64,
    cut: f64,
}

impl Shadowing {
    pub(crate) fn new(config: &Config, _setup: &()) -> Self {
        let Config { frequency, exponent, reference_distance, antenna_gain, .. } = *config;
        let loss = log_distance::Config { frequency, exponent, reference_distance, antenna_gain };
        Self {
            loss: LogDistance::new(&loss, &()),
            deviation: config.deviation.db / 10.0 * std::f64::consts::LN_10,
            redraw: config.redraw,
            coherence: config.coherence_time.as_nanos(),
            cut: config.truncation,
        }
    }

    /// X in standard deviations.
    #[inline(always)]
    fn draw(&self, key: &FadingKey) -> f64 {
        match self.redraw {
            Redraw::Frame => key.draws().normal(),
            Redraw::Link => key.draws_of_link(0).normal(),
            Redraw::Time => {
                let (epoch, rest) = (key.at.as_nanos() / self.coherence, key.at.as_nanos() % self.coherence);
                let angle = std::f64::consts::FRAC_PI_2 * rest as f64 / self.coherence as f64;
                let (now, next) = (key.draws_of_link(epoch).normal(), key.draws_of_link(epoch + 1).normal());
                now * libm::cos(angle) + next * libm::sin(angle)
            }
        }
    }
}

impl Propagation for Shadowing {
    fn mean_gain(&self, path: &Path) -> f64 {
        self.loss.mean_gain(path)
    }

    fn gain(&self, path: &Path, least: Least, key: &FadingKey) -> f64 {
        math::exp(self.log_gain(self.path_term(path), path.distance, least, key))
    }

    #[inline(always)]
    fn path_term(&self, path: &Path) -> f64 {
        self.loss.log_gain(path)
    }

    #[inline(always)]
    fn log_gain(&self, mean: f64, _distance: Metres, least: Least, key: &FadingKey) -> f64 {
        if mean + self.cut * self.deviation < least.log {
            return f64::NEG_INFINITY;
        }
        let drawn = self.draw(key);
        (mean + if drawn < self.cut { drawn } else { self.cut } * self.deviation).min(0.0)
    }

    fn is_random(&self) -> bool {
        true
    }

    fn reach(&self, least: f64) -> Metres {
        self.loss.reach(least / libm::exp(self.cut * self.deviation))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::share;
    use super::*;
    use farlink_kernel::Instant;

    fn model(exponent: f64, deviation: f64, redraw: Redraw) -> Shadowing {
        let frequency = Frequency::from_hertz(2.4e9 * 299_792_458.0 / 3e8);
        let deviation = Ratio::from_db(deviation);
        Shadowing::new(&Config { frequency, exponent, deviation, redraw, ..Config::default() }, &())
    }

    #[test]
    fn the_share_of_received_frames_matches_the_integral() {
        let cases = [
            (2.0, 4.0, [(100.0, 0.9863), (200.0, 0.7587), (250.0, 0.5861), (300.0, 0.4292), (400.0, 0.2110)]),
            (2.7, 4.0, [(100.0, 0.0980), (200.0, 0.0004), (250.0, 0.0), (300.0, 0.0), (400.0, 0.0)]),
            (3.0, 6.0, [(100.0, 0.0313), (200.0, 0.0004), (250.0, 0.0001), (300.0, 0.0), (400.0, 0.0)]),
        ];
        for (exponent, deviation, shares) in cases {
            let model = model(exponent, deviation, Redraw::Frame);
            for (metres, expected) in shares {
                // Four standard errors of 100 000 frames, and the rounding of the table.
                let tolerance = 4.0 * libm::sqrt(expected * (1.0 - expected) / 1e5) + 1.5e-4;
                let found = share(&model, metres, 3.652e-10);
                assert!((found - expected).abs() < tolerance, "{exponent}, {metres} m: {found}");
            }
        }
    }

    #[test]
    fn draws_of_a_link_are_symmetric_and_change_slowly_with_time() {
        let gain = |model: &Shadowing, frame, sender, millis| {
            let at = Instant::ZERO + Duration::from_millis(millis);
            let key = FadingKey { listener: 1 - sender, ..FadingKey::new((1, 2), frame, sender, at) };
            10.0 * libm::log10(model.gain(&Path::over(Metres(100.0)), Least::new(1e-12), &key))
        };
        let link = model(2.0, 4.0, Redraw::Link);
        assert_eq!(gain(&link, 1, 0, 0), gain(&link, 2, 1, 5000));
        let time = model(2.0, 4.0, Redraw::Time);
        assert_eq!(gain(&time, 1, 0, 700), gain(&time, 2, 1, 700));
        let steps: Vec<f64> = (0..20_000).map(|i| gain(&time, 0, 0, i * 10)).collect();
        assert!(steps.windows(2).all(|two| (two[0] - two[1]).abs() < 0.5), "at most 0.5 dB in 10 ms");
        let mean = steps.iter().sum::<f64>() / steps.len() as f64;
        let variance = steps.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / steps.len() as f64;
        assert!((libm::sqrt(variance) - 4.0).abs() < 1.0, "{variance}");
    }
}
