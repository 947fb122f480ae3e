//! Hosts take no time.

use farlink_kernel::{Instant, config};

use super::{HostDelay, Setup, Turn};

pub(super) const SOURCE: &str = "trivial";

config! {
    /// Parameters: none.
    pub struct Config {}
}

#[derive(Clone, Debug)]
pub(crate) struct Ideal;

impl Ideal {
    pub(crate) fn new(_config: &Config, _setup: &Setup) -> Self {
        Self
    }
}

impl HostDelay for Ideal {
    fn done(&mut self, turn: &Turn) -> Instant {
        turn.now
    }
}
