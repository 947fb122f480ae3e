//! Always has more to send (an FTP transfer without end).

use farlink_kernel::{Instant, config};

use super::{Action, Application, ENDLESS, Setup};

pub(super) const SOURCE: &str = "customary";

config! {
    /// Parameters: none.
    pub struct Config {}
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
