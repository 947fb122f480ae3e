//! TCP without notices: a missing acknowledgement means congestion (RFC 5681 section 3.1).

use farlink_kernel::config;

use super::{Failed, RouteFailure, Step};

/// Where the behaviour stands.
pub const SOURCE: &str = "RFC 5681, 2009";

config! {
    /// Parameters: none.
    pub struct Config {}
}

/// Ignores notices.
#[derive(Clone, Debug)]
pub struct Ignore;

impl Ignore {
    /// For a new connection.
    pub fn new(_config: &Config, _setup: &()) -> Self {
        Self
    }
}

impl RouteFailure for Ignore {
    fn on_failed(&mut self, _failed: &Failed) -> Step {
        Step::Stay
    }
}
