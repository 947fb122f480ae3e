//! Always has more to send (an FTP transfer without end).

use farlink_kernel::{Instant, config};

use super::{Action, Application, ENDLESS, Length, Parameters, Protocol, Setup, Traffic};

pub(super) const SOURCE: &str = "customary";

config! {
    /// Parameters: none.
    pub struct Config {}
}

impl Parameters for Config {
    fn traffic(&self) -> Traffic<'_> {
        Traffic {
            protocol: Protocol::Tcp,
            write: ENDLESS,
            writes_per_second: f64::INFINITY,
            length: Length::Endless,
            lower: None,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Bulk;

impl Bulk {
    pub(crate) fn new(_config: &Config, _setup: &Setup) -> Self {
        Self
    }
}

impl Application for Bulk {
    fn on_wake(&mut self, _now: Instant) -> Action {
        Action { send: ENDLESS, close: false, wake: Instant::NEVER }
    }
}
