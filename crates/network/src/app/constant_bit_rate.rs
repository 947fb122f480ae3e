//! Sends packets of one size at one rate over UDP.

use farlink_kernel::{BitRate, Bytes, config};

use super::{Application, Setup};

/// Where the model stands.
pub const SOURCE: &str = "customary";

config! {
    /// Parameters of the constant bit rate.
    pub struct Config {
        /// Rate of the payload.
        pub rate: BitRate = BitRate::from_bps(1_000_000),
        /// Payload of a packet.
        pub packet_size: Bytes = Bytes(1000),
    }
}

/// The application at work.
#[derive(Clone, Debug)]
pub struct ConstantBitRate {
    config: Config,
}

impl ConstantBitRate {
    /// The application before its start.
    pub fn new(config: &Config, _setup: &Setup) -> Self {
        Self { config: config.clone() }
    }
}

impl Application for ConstantBitRate {}
