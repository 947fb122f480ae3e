//! Always has more to send (an FTP transfer without end).

use farlink_kernel::config;

use super::{Application, Setup};

/// Where the model stands.
pub const SOURCE: &str = "customary";

config! {
    /// Parameters: none.
    pub struct Config {}
}

/// The application at work.
#[derive(Clone, Debug)]
pub struct Bulk {
    config: Config,
}

impl Bulk {
    /// The application before its start.
    pub fn new(config: &Config, _setup: &Setup) -> Self {
        Self { config: config.clone() }
    }
}

impl Application for Bulk {}
