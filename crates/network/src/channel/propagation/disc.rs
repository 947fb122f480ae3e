//! Everyone within a range hears, nobody beyond it.

use farlink_kernel::{choice, config};

use super::Propagation;
use crate::space::{Metres, Speed};

/// Where the model stands.
pub const SOURCE: &str = "unit disc graph";

choice! {
    /// Whether signals take time.
    pub enum Delay {
        /// Distance over speed, exactly.
        Distance = "distance",
        /// Everyone hears at once.
        None = "none",
    }
}

config! {
    /// Parameters of the disc.
    pub struct Config {
        /// How far a signal is heard.
        pub range: Metres = Metres(250.0),
        /// How fast it travels: light by default.
        pub speed: Speed = Speed::LIGHT,
        /// Whether it takes time.
        pub delay: Delay = Delay::Distance,
    }
}

/// The model at work.
#[derive(Clone, Debug)]
pub struct Disc {
    config: Config,
}

impl Disc {
    /// A disc.
    #[allow(clippy::trivially_copy_pass_by_ref)]
    pub fn new(config: &Config, _setup: &()) -> Self {
        Self { config: config.clone() }
    }
}

impl Propagation for Disc {}
