//! Sends one file and closes.

use farlink_kernel::{Bytes, Instant, config};

use super::{Action, Application, Length, Parameters, Protocol, Setup, Traffic};

pub(super) const SOURCE: &str = "customary";

config! {
    /// Parameters of the file.
    pub struct Config {
        /// Length of the file.
        pub size: Bytes = Bytes(1_000_000); in Bytes(1)..,
    }
}

impl Parameters for Config {
    fn traffic(&self) -> Traffic<'_> {
        Traffic {
            protocol: Protocol::Tcp,
            write: self.size,
            writes_per_second: f64::INFINITY,
            length: Length::Bytes(self.size),
            lower: Some("size"),
        }
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
