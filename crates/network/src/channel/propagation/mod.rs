//! Propagation: how much of the power sent reaches a listener.
//!
//! Gains are factors; where frames are heard, their natural logarithms.

use farlink_kernel::random::{Draws, Lots, draw};
use farlink_kernel::{Duration, Instant, math, registry};

use crate::space::{Metres, Position};

pub mod acoustic;
pub mod disc;
pub mod free_space;
pub mod log_distance;
pub mod nakagami;
pub mod rayleigh;
pub mod shadowing;
pub mod two_ray;

/// From where to where a signal goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Path {
    /// Where it is sent.
    pub from: Position,
    /// Where it is heard.
    pub to: Position,
    /// How far that is.
    pub distance: Metres,
}

impl Path {
    /// Between two points.
    #[inline]
    pub fn new(from: Position, to: Position) -> Self {
        Self { from, to, distance: from.distance(to) }
    }

    /// Straight to the east.
    #[cfg(test)]
    pub(crate) fn over(distance: Metres) -> Self {
        Self::new(Position::default(), Position { x: distance, ..Position::default() })
    }
}

/// Someone who could hear a frame.
#[derive(Clone, Copy, Debug)]
pub struct Near {
    /// After how long.
    pub delay: Duration,
    /// The listener's number on the channel.
    pub listener: u32,
    /// Where.
    pub place: Position,
    /// How far that is from the sender.
    pub distance: Metres,
}

/// The least gain that is of interest.
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

/// The luck of one frame at one listener: hashes, so that nobody's luck depends on who else is asked.
#[derive(Clone, Copy, Debug)]
pub struct Luck {
    seed: u64,
    channel: u64,
    /// Of the frame.
    lots: Lots,
    sender: u64,
    /// The listener's number on the channel.
    pub listener: u64,
    /// When the frame is sent.
    pub at: Instant,
}

impl Luck {
    /// The luck of a frame at listener 0. `frame` is a number that no other on the channel has; the keys are the
    /// run's seed and the channel's; `sender` is the sender's number on the channel.
    pub fn new((seed, channel): (u64, u64), frame: u64, sender: u64, at: Instant) -> Self {
        Self { seed, channel, lots: Lots::new(seed, channel, frame), sender, listener: 0, at }
    }

    /// As many numbers as are needed, for the strength of this frame.
    #[inline]
    pub fn draws(&self) -> Draws {
        Draws::new(self.lots.draw(self.listener))
    }

    /// The same for the `epoch`th stretch of time of the link, in both directions.
    pub fn draws_of_link(&self, epoch: u64) -> Draws {
        let (low, high) = (self.sender.min(self.listener), self.sender.max(self.listener));
        Draws::new(draw(self.seed, !self.channel, low << 32 | high, epoch))
    }
}

/// The role.
pub trait Propagation: std::fmt::Debug + Send {
    /// Received power over sent power without luck: the mean, or what half of the frames exceed.
    fn mean_gain(&self, path: &Path) -> f64;

    /// The same for one frame. A model that finds out early that it is below `least` may give 0.
    #[inline(always)]
    fn gain(&self, path: &Path, least: Least, luck: &Luck) -> f64 {
        let _ = (least, luck);
        self.mean_gain(path)
    }

    /// The natural logarithm of [`Propagation::gain`].
    #[inline(always)]
    fn log_gain(&self, path: &Path, least: Least, luck: &Luck) -> f64 {
        math::ln(self.gain(path, least, luck))
    }

    /// The same for all who are `near` a sender, in their order: one question per frame. Members leave it as it is.
    fn log_gains(&self, from: Position, near: &[Near], least: Least, mut luck: Luck, gains: &mut Vec<f64>) {
        gains.clear();
        gains.extend(near.iter().map(|&Near { listener, place, distance, .. }| {
            luck.listener = u64::from(listener);
            self.log_gain(&Path { from, to: place, distance }, least, &luck)
        }));
    }

    /// True when [`Propagation::gain`] depends on luck.
    fn is_random(&self) -> bool {
        false
    }

    /// Beyond this distance the gain is below `least`, whatever the luck.
    fn reach(&self, least: f64) -> Metres;
}

registry! {
    /// Propagation models of shared channels.
    Propagation(()) {
        /// Everyone within a range hears, nobody beyond it.
        disc::Disc,
        /// Sound in water: spreading and absorption.
        acoustic::Acoustic,
        /// Nothing between the antennas.
        free_space::FreeSpace,
        /// Flat ground that reflects.
        two_ray::TwoRay,
        /// Power falls with a power of the distance.
        log_distance::LogDistance,
        /// The same, in places more, in places less by a normally distributed number of decibels.
        shadowing::Shadowing,
        /// Many echoes, of which none prevails.
        rayleigh::Rayleigh,
        /// Echoes that add up to more or less fading, with distance.
        nakagami::Nakagami,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn luck(frame: u64) -> Luck {
        Luck { listener: 1, ..Luck::new((1, 2), frame, 0, Instant::ZERO) }
    }

    /// What is left over so many metres of ns-2's power, without luck.
    pub(super) fn watts(model: &dyn Propagation, metres: f64) -> f64 {
        0.281_838_15 * model.mean_gain(&Path::over(Metres(metres)))
    }

    /// The share of frames that arrive with at least `threshold` watts of ns-2's power.
    pub(super) fn share(model: &dyn Propagation, metres: f64, threshold: f64) -> f64 {
        let (path, least, frames) =
            (Path::over(Metres(metres)), Least::new(threshold / 0.281_838_15), 100_000);
        (0..frames).filter(|&frame| model.gain(&path, least, &luck(frame)) >= least.gain).count() as f64
            / frames as f64
    }

    #[test]
    fn nobody_beyond_the_reach_hears_anything_and_gains_are_never_above_one() {
        for config in Config::models().iter().map(|model| Config::named(model.name).expect("registered")) {
            let model = config.build(&());
            for least in [1e-6, 1e-9, 1e-11] {
                let reach = model.reach(least).0;
                for beyond in [1.000_001, 1.1, 3.0] {
                    let path = Path::over(Metres(reach * beyond));
                    assert!(model.mean_gain(&path) < least, "{}", config.name());
                    for frame in 0..20_000 {
                        let gain = model.gain(&path, Least::new(least), &luck(frame));
                        assert!(gain < least, "{}: {gain:e} at {reach} m", config.name());
                    }
                }
            }
            for metres in [0.0, 0.01, 1.0] {
                assert!((0..1000).all(|frame| model.gain(
                    &Path::over(Metres(metres)),
                    Least::new(1e-9),
                    &luck(frame)
                ) <= 1.0));
                assert!(model.mean_gain(&Path::over(Metres(metres))) <= 1.0);
            }
        }
    }

    #[test]
    fn an_early_answer_is_the_same_answer() {
        for config in Config::models().iter().map(|model| Config::named(model.name).expect("registered")) {
            let (model, path) = (config.build(&()), Path::over(Metres(240.0)));
            for frame in 0..1000 {
                let whole = model.gain(&path, Least::new(0.0), &luck(frame));
                let early = model.gain(&path, Least::new(1e-9), &luck(frame));
                assert!(early == whole || (early == 0.0 && whole < 1e-9), "{}", config.name());
            }
        }
    }
}
