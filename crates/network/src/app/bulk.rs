//! Always has more to send (an FTP transfer without end).

use farlink_kernel::{Instant, config};

use super::{Action, Application, ENDLESS, Setup};

/// Where the model stands.
pub const SOURCE: &str = "customary";

config! {
    /// Parameters: none.
    pub struct Config {}
}

/// The application at work.
#[derive(Clone, Debug)]
pub struct Bulk;

impl Bulk {
    /// The application before its start.
    pub fn new(_config: &Config, _setup: &Setup) -> Self {
        Self
    }
}

impl Application for Bulk {
    fn on_wake(&mut self, _now: Instant) -> Action {
        Action { send: ENDLESS, close: false, wake: Instant::NEVER }
    }
}
