//! E. N. Gilbert, Capacity of a Burst-Noise Channel, BSTJ 39, 1960; E. O. Elliott, BSTJ 42, 1963.

use farlink_kernel::config;
use farlink_kernel::config::Fraction;

use super::{ErrorModel, Setup};

/// Where the model stands.
pub const SOURCE: &str = "Gilbert, BSTJ 1960; Elliott, BSTJ 1963";

config! {
    /// Parameters of the two states; one step per packet offered.
    pub struct Config {
        /// Probability per packet of going from good to bad (p).
        pub good_to_bad: Fraction = Fraction(0.001),
        /// Probability per packet of going from bad to good (r).
        pub bad_to_good: Fraction = Fraction(0.1),
        /// Loss probability in the good state (1 - k).
        pub good_loss: Fraction = Fraction(0.0),
        /// Loss probability in the bad state (1 - h).
        pub bad_loss: Fraction = Fraction(1.0),
    }
}

/// The model at work.
#[derive(Clone, Debug)]
pub struct GilbertElliott {
    config: Config,
}

impl GilbertElliott {
    /// The model before its first packet.
    pub fn new(config: &Config, _setup: &Setup) -> Self {
        Self { config: config.clone() }
    }
}

impl ErrorModel for GilbertElliott {}
