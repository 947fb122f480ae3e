//! TCP without notices: a missing acknowledgement means congestion (RFC 5681 section 3.1).

use farlink_kernel::config;

use super::{Failed, RouteFailure, Step};

pub(super) const SOURCE: &str = "RFC 5681, 2009";

config! {
    /// Parameters: none.
    pub struct Config {}
}

#[derive(Clone, Debug)]
pub(crate) struct Ignore;

impl Ignore {
    pub(crate) fn new(_config: &Config, _setup: &()) -> Self {
        Self
    }
}

impl RouteFailure for Ignore {
    fn on_failed(&mut self, _failed: &Failed) -> Step {
        Step::Stay
    }
}
