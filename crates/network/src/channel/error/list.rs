//! Exactly the listed packets are lost.

use farlink_kernel::config;

use super::{ErrorModel, Setup};

/// Where the model stands.
pub const SOURCE: &str = "scripted losses";

config! {
    /// Parameters of the list.
    pub struct Config {
        /// Which packets offered to the link are lost, counted from 1.
        pub packets: Vec<u64> = Vec::new(),
        /// Only packets with data are counted.
        pub data_only: bool = false,
    }
}

/// The model at work.
#[derive(Clone, Debug)]
pub struct List {
    config: Config,
}

impl List {
    /// The model before its first packet.
    pub fn new(config: &Config, _setup: &Setup) -> Self {
        Self { config: config.clone() }
    }
}

impl ErrorModel for List {}
