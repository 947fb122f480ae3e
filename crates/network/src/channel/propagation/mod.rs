//! Propagation: how much of the power sent reaches a listener.
//!
//! Gains are factors, not decibels: the antenna adds powers, and most models need no logarithm.

use farlink_kernel::random::{draw, to_uniform};
use farlink_kernel::registry;

use crate::space::{Metres, Position};

pub mod disc;

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
    pub fn new(from: Position, to: Position) -> Self {
        Self { from, to, distance: from.distance(to) }
    }
}

/// The luck of one frame at one listener: hashes, so that nobody's luck depends on who else is asked.
#[derive(Clone, Copy, Debug)]
pub struct Luck {
    /// The run's seed.
    pub seed: u64,
    /// The channel's key.
    pub channel: u64,
    /// The frame: its sender's number on the channel, and how many it sent before.
    pub frame: u64,
    /// The listener's number on the channel.
    pub listener: u64,
}

impl Luck {
    /// 64 bits for the purpose `key`.
    pub fn bits(&self, key: u64) -> u64 {
        draw(self.seed, self.channel ^ key, self.frame, self.listener)
    }

    /// Uniform on [0, 1), for the purpose `key`.
    pub fn uniform(&self, key: u64) -> f64 {
        to_uniform(self.bits(key))
    }
}

/// The role.
pub trait Propagation: std::fmt::Debug + Send {
    /// Received power over sent power without luck: the mean, or what half of the frames exceed.
    fn mean_gain(&self, path: &Path) -> f64;

    /// The same for one frame. A model that finds out early that it is below `least` may give 0.
    fn gain(&self, path: &Path, least: f64, luck: &Luck) -> f64 {
        let _ = (least, luck);
        self.mean_gain(path)
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
    }
}
