//! Sends one file and closes.

use farlink_kernel::{Bytes, Instant, config};

use super::{Action, Application, Setup};

pub(super) const SOURCE: &str = "customary";

config! {
    /// Parameters of the file.
    pub struct Config {
        /// Length of the file.
        pub size: Bytes = Bytes(1_000_000); in Bytes(1)..,
    }
}

#[derive(Clone, Debug)]
pub(crate) struct File {
    size: Bytes,
}

impl File {
    pub(crate) fn new(config: &Config, _setup: &Setup) -> Self {
        Self { size: config.size }
    }
}

impl Application for File {
    fn on_wake(&mut self, _now: Instant) -> Action {
        Action { send: self.size, close: true, wake: Instant::NEVER }
    }
}
