//! Propagation: how much of the power sent reaches a listener.
//!
//! Gains are factors, or their natural logarithms.

use farlink_kernel::random::{DrawKey, Draws, draw};
use farlink_kernel::{Duration, Instant, math, registry};

use crate::phy::frequency::Frequency;
use crate::space::{Metres, Position};

pub(crate) mod acoustic;
pub(crate) mod disc;
pub(crate) mod free_space;
pub(crate) mod log_distance;
pub(crate) mod nakagami;
pub(crate) mod rayleigh;
pub(crate) mod shadowing;
pub(crate) mod two_ray;

/// The straight path of a signal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Path {
    /// Position of the sender.
    pub from: Position,
    /// Position of the listener.
    pub to: Position,
    pub(crate) distance: Metres,
}

impl Path {
    /// Between two points.
    #[inline]
    pub fn new(from: Position, to: Position) -> Self {
        Self { from, to, distance: from.distance(to) }
    }

    #[cfg(test)]
    pub(crate) fn over(distance: Metres) -> Self {
        Self::new(Position::default(), Position { x: distance, ..Position::default() })
    }
}

/// A candidate listener of a frame.
#[derive(Clone, Copy, Debug)]
pub struct Near {
    /// Propagation delay.
    pub delay: Duration,
    /// The listener's number on the channel.
    pub listener: u32,
    /// Its position.
    pub position: Position,
    /// Its distance from the sender.
    pub distance: Metres,
    /// The [`Propagation::path_term`] of its path.
    pub term: f64,
}

/// The least gain that has an effect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Least {
    /// As a factor.
    pub gain: f64,
    /// Its natural logarithm.
    pub log: f64,
}

impl Least {
    /// This gain.
    pub fn new(gain: f64) -> Self {
        Self { gain, log: libm::log(gain) }
    }
}

/// Identifies a frame and a listener for random draws, which are hashes: a draw does not depend on other listeners.
#[derive(Clone, Copy, Debug)]
pub struct FadingKey {
    seed: u64,
    channel: u64,
    frame: DrawKey,
    sender: u64,
    /// The listener's number on the channel.
    pub listener: u64,
    /// When the frame is sent.
    pub at: Instant,
}

impl FadingKey {
    /// The key of a frame at listener 0. `frame` is unique on the channel; `sender` is the sender's number on the
    /// channel.
    pub fn new((seed, channel): (u64, u64), frame: u64, sender: u64, at: Instant) -> Self {
        Self { seed, channel, frame: DrawKey::new(seed, channel, frame), sender, listener: 0, at }
    }

    /// Draws for the strength of this frame.
    #[inline]
    pub fn draws(&self) -> Draws {
        Draws::new(self.frame.draw(self.listener))
    }

    /// Draws for the `epoch`th interval of the link, the same in both directions.
    pub fn draws_of_link(&self, epoch: u64) -> Draws {
        let (low, high) = (self.sender.min(self.listener), self.sender.max(self.listener));
        Draws::new(draw(self.seed, !self.channel, low << 32 | high, epoch))
    }
}

/// A propagation model.
pub trait Propagation: std::fmt::Debug + Send {
    /// Received over transmitted power without fading: the mean, or the median.
    fn mean_gain(&self, path: &Path) -> f64;

    /// The gain of one frame. A model may return 0 for a gain below `least`.
    #[inline(always)]
    fn gain(&self, path: &Path, least: Least, key: &FadingKey) -> f64 {
        let _ = (least, key);
        self.mean_gain(path)
    }

    /// What all frames of a path have in common. A cached candidate keeps it.
    #[inline(always)]
    fn path_term(&self, path: &Path) -> f64 {
        self.mean_gain(path)
    }

    /// The natural logarithm of [`Propagation::gain`] on a path with this [term](Propagation::path_term).
    #[inline(always)]
    fn log_gain(&self, term: f64, distance: Metres, least: Least, key: &FadingKey) -> f64 {
        let _ = (distance, least, key);
        math::ln(term)
    }

    /// The path terms of all candidates, in one dynamic call. Members do not override it.
    fn set_path_terms(&self, from: Position, near: &mut [Near]) {
        for Near { position, distance, term, .. } in near {
            *term = self.path_term(&Path { from, to: *position, distance: *distance });
        }
    }

    /// The gains of one frame for all candidates in their order, in one dynamic call. Members do not override it.
    fn log_gains(&self, near: &[Near], least: Least, mut key: FadingKey, gains: &mut Vec<f64>) {
        gains.clear();
        gains.extend(near.iter().map(|&Near { listener, distance, term, .. }| {
            key.listener = u64::from(listener);
            self.log_gain(term, distance, least, &key)
        }));
    }

    /// True when [`Propagation::gain`] is random.
    fn is_random(&self) -> bool {
        false
    }

    /// Beyond this distance the gain is below `least` with certainty.
    fn reach(&self, least: f64) -> Metres;
}

/// What is asked about a model before a run.
pub trait Parameters {
    /// The signals that it is a model of.
    fn carrier(&self) -> Carrier;
}

/// Kinds of signals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Carrier {
    /// Any.
    Any,
    /// Radio waves of this frequency.
    Radio(Frequency),
    /// Sound.
    Sound,
}

registry! {
    /// Propagation models of shared channels.
    Propagation(()) where Config: Parameters {
        /// Unit disc: reception within a range, none beyond it.
        disc::Disc,
        /// Underwater acoustic: spreading and absorption.
        acoustic::Acoustic,
        /// Free space (Friis).
        free_space::FreeSpace,
        /// Two-ray ground reflection.
        two_ray::TwoRay,
        /// Log-distance path loss.
        log_distance::LogDistance,
        /// Log-distance path loss with log-normal shadowing.
        shadowing::Shadowing,
        /// Log-distance path loss with Rayleigh fading.
        rayleigh::Rayleigh,
        /// Nakagami fading, with a shape that depends on distance.
        nakagami::Nakagami,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(frame: u64) -> FadingKey {
        FadingKey { listener: 1, ..FadingKey::new((1, 2), frame, 0, Instant::ZERO) }
    }

    /// Received power in watts at a distance with the transmit power of ns-2, without fading.
    pub(super) fn watts(model: &dyn Propagation, metres: f64) -> f64 {
        0.281_838_15 * model.mean_gain(&Path::over(Metres(metres)))
    }

    /// The share of frames received with at least `threshold` watts at the transmit power of ns-2.
    pub(super) fn share(model: &dyn Propagation, metres: f64, threshold: f64) -> f64 {
        let (path, least, frames) =
            (Path::over(Metres(metres)), Least::new(threshold / 0.281_838_15), 100_000);
        (0..frames).filter(|&frame| model.gain(&path, least, &key(frame)) >= least.gain).count() as f64
            / frames as f64
    }

    #[test]
    fn gains_are_below_least_beyond_the_reach_and_never_above_one() {
        for config in Config::models().iter().map(|model| Config::named(model.name).expect("registered")) {
            let model = config.build(&());
            for least in [1e-6, 1e-9, 1e-11] {
                let reach = model.reach(least).0;
                for beyond in [1.000_001, 1.1, 3.0] {
                    let path = Path::over(Metres(reach * beyond));
                    assert!(model.mean_gain(&path) < least, "{}", config.name());
                    for frame in 0..20_000 {
                        let gain = model.gain(&path, Least::new(least), &key(frame));
                        assert!(gain < least, "{}: {gain:e} at {reach} m", config.name());
                    }
                }
            }
            for metres in [0.0, 0.01, 1.0] {
                assert!((0..1000).all(|frame| model.gain(
                    &Path::over(Metres(metres)),
                    Least::new(1e-9),
                    &key(frame)
                ) <= 1.0));
                assert!(model.mean_gain(&Path::over(Metres(metres))) <= 1.0);
            }
        }
    }

    #[test]
    fn an_early_zero_agrees_with_the_gain() {
        for config in Config::models().iter().map(|model| Config::named(model.name).expect("registered")) {
            let (model, path) = (config.build(&()), Path::over(Metres(240.0)));
            for frame in 0..1000 {
                let whole = model.gain(&path, Least::new(0.0), &key(frame));
                let early = model.gain(&path, Least::new(1e-9), &key(frame));
                assert!(early == whole || (early == 0.0 && whole < 1e-9), "{}", config.name());
            }
        }
    }
}
