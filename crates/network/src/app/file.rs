//! Sends one file and closes.

use farlink_kernel::{Bytes, config};

use super::{Application, Setup};

/// Where the model stands.
pub const SOURCE: &str = "customary";

config! {
    /// Parameters of the file.
    pub struct Config {
        /// Length of the file.
        pub size: Bytes = Bytes(1_000_000),
    }
}

/// The application at work.
#[derive(Clone, Debug)]
pub struct File {
    config: Config,
}

impl File {
    /// The application before its start.
    pub fn new(config: &Config, _setup: &Setup) -> Self {
        Self { config: config.clone() }
    }
}

impl Application for File {}
