//! Every packet is lost with the same probability, independently.

use farlink_kernel::config;
use farlink_kernel::config::Fraction;

use super::{ErrorModel, Setup};

/// Where the model stands.
pub const SOURCE: &str = "independent packet losses";

config! {
    /// Parameters of the packet error rate.
    pub struct Config {
        /// Probability that a packet is lost.
        pub rate: Fraction = Fraction(0.0),
        /// Only packets with data are exposed, acknowledgements are not.
        pub data_only: bool = false,
    }
}

/// The model at work.
#[derive(Clone, Debug)]
pub struct PacketErrorRate {
    config: Config,
}

impl PacketErrorRate {
    /// The model before its first packet.
    pub fn new(config: &Config, _setup: &Setup) -> Self {
        Self { config: config.clone() }
    }
}

impl ErrorModel for PacketErrorRate {}
