//! Every bit is wrong with the same probability, independently; a packet with a wrong bit is lost.

use farlink_kernel::config;
use farlink_kernel::config::Fraction;

use super::{ErrorModel, Setup};

/// Where the model stands.
pub const SOURCE: &str = "independent bit errors: PER = 1 - (1 - BER)^bits";

config! {
    /// Parameters of the bit error rate.
    pub struct Config {
        /// Probability that a bit is wrong.
        pub rate: Fraction = Fraction(0.0),
        /// Only packets with data are exposed, acknowledgements are not.
        pub data_only: bool = false,
    }
}

/// The model at work.
#[derive(Clone, Debug)]
pub struct BitErrorRate {
    config: Config,
}

impl BitErrorRate {
    /// The model before its first packet.
    pub fn new(config: &Config, _setup: &Setup) -> Self {
        Self { config: config.clone() }
    }
}

impl ErrorModel for BitErrorRate {}
