//! First in, first out; what does not fit is dropped.

use farlink_kernel::config;
use farlink_tcp::Amount;

use super::{Queue, Setup};

/// Where the discipline stands.
pub const SOURCE: &str = "customary";

config! {
    /// Parameters of the drop-tail queue.
    pub struct Config {
        /// How much may wait, the packet being sent not included. Default: ns-2's 50 packets.
        pub limit: Amount = Amount::Packets(50),
    }
}

/// A drop-tail queue.
#[derive(Clone, Debug)]
pub struct DropTail {
    config: Config,
}

impl DropTail {
    /// An empty queue.
    pub fn new(config: &Config, _setup: &Setup) -> Self {
        Self { config: config.clone() }
    }
}

impl Queue for DropTail {}
