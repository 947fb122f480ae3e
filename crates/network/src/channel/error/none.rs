//! Every packet arrives.

use farlink_kernel::config;

use super::{ErrorModel, Setup};

/// Where the model stands.
pub const SOURCE: &str = "trivial";

config! {
    /// Parameters: none.
    pub struct Config {}
}

/// The model at work.
#[derive(Clone, Debug)]
pub struct Perfect {
    config: Config,
}

impl Perfect {
    /// The model before its first packet.
    pub fn new(config: &Config, _setup: &Setup) -> Self {
        Self { config: config.clone() }
    }
}

impl ErrorModel for Perfect {}
