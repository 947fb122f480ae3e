//! TCP without notices: a missing acknowledgement means congestion (RFC 5681 section 3.1).

use farlink_kernel::config;

use super::{Failed, RouteFailure, Step};

pub(super) const SOURCE: &str = "RFC 5681, 2009";

config! {
    /// Parameters: none.
    pub struct Config {}
}

impl RouteFailure for Config {
    fn on_failed(&mut self, _failed: &Failed) -> Step {
        Step::Stay
    }
}
