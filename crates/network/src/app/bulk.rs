//! Always has more to send (an FTP transfer without end).

use farlink_kernel::{Instant, config};

use super::{Action, Application, ENDLESS, Length, Parameters, Traffic};

pub(super) const SOURCE: &str = "customary";

config! {
    /// Parameters: none.
    pub struct Config {}
}

impl Parameters for Config {
    fn traffic(&self) -> Traffic<'_> {
        Traffic::stream(Length::Endless)
    }
}

impl Application for Config {
    fn on_wake(&mut self, _now: Instant) -> Action {
        Action { send: ENDLESS, close: false, wake: Instant::NEVER }
    }
}
