//! A link for tests: loses, reorders, duplicates and corrupts at random.

use farlink_kernel::Duration;
use farlink_kernel::config;
use farlink_kernel::config::Fraction;

use super::{ErrorModel, Setup};

/// Where the model stands.
pub const SOURCE: &str = "for tests";

config! {
    /// Parameters of the impairments; the four exclude one another.
    pub struct Config {
        /// Probability that a packet is lost.
        pub lose: Fraction = Fraction(0.0),
        /// Probability that a bit is flipped on the way, so that the checksum fails.
        pub corrupt: Fraction = Fraction(0.0),
        /// Probability that a packet arrives twice.
        pub duplicate: Fraction = Fraction(0.0),
        /// Probability that a packet is held back and overtaken.
        pub reorder: Fraction = Fraction(0.0),
        /// For how long at most (uniform).
        pub hold: Duration = Duration::from_millis(20),
    }
}

/// The model at work.
#[derive(Clone, Debug)]
pub struct Impair {
    config: Config,
}

impl Impair {
    /// The model before its first packet.
    pub fn new(config: &Config, _setup: &Setup) -> Self {
        Self { config: config.clone() }
    }
}

impl ErrorModel for Impair {}
