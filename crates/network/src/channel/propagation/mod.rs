//! Propagation: who hears a transmission on a shared channel, how loud, and after how long.

use farlink_kernel::{Duration, registry};

use crate::space::Position;

pub mod disc;

/// A transmission as it reaches a listener.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reach {
    /// How long it takes.
    pub delay: Duration,
    /// Received power in dBm; minus infinity when nothing is heard.
    pub power_dbm: f64,
}

impl Reach {
    /// True when there is anything to hear.
    pub fn is_audible(&self) -> bool {
        self.power_dbm > f64::NEG_INFINITY
    }
}

/// The role.
pub trait Propagation: std::fmt::Debug + Send {
    /// How a transmission at `from` reaches a listener at `to`.
    fn reach(&self, from: Position, to: Position) -> Reach;
}

registry! {
    /// Propagation models of shared channels.
    Propagation(()) {
        /// Everyone within a range hears, nobody beyond it.
        disc::Disc,
    }
}
