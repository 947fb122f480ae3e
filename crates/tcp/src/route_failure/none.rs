//! TCP as it is: silence means congestion, whatever routing knows (RFC 5681, section 3.1).

use farlink_kernel::config;

use super::{Failed, RouteFailure, Step};

/// Where the behaviour stands.
pub const SOURCE: &str = "RFC 5681, 2009";

config! {
    /// Parameters: none.
    pub struct Config {}
}

/// Listens to no notice.
#[derive(Clone, Debug)]
pub struct Deaf;

impl Deaf {
    /// For a new connection.
    pub fn new(_config: &Config, _setup: &()) -> Self {
        Self
    }
}

impl RouteFailure for Deaf {
    fn on_failed(&mut self, _failed: &Failed) -> Step {
        Step::Stay
    }
}
