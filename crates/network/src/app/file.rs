//! Sends one file and closes.

use farlink_kernel::{Bytes, Instant, config};

use super::{Action, Application, Length, Parameters, Traffic};

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
        let stream = Traffic::stream(Length::Bytes(self.size));
        Traffic { write: self.size, lower: Some("size"), ..stream }
    }
}

impl Application for Config {
    fn on_wake(&mut self, _now: Instant) -> Action {
        Action { send: self.size, close: true, wake: Instant::NEVER }
    }
}
