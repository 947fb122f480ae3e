//! Every packet arrives.

use farlink_kernel::config;

use super::{ErrorModel, Fate, Offer, Setup};

pub(super) const SOURCE: &str = "trivial";

config! {
    /// Parameters: none.
    pub struct Config {}
}

#[derive(Clone, Debug)]
pub(crate) struct Perfect;

impl Perfect {
    pub(crate) fn new(_config: &Config, _setup: &Setup) -> Self {
        Self
    }
}

impl ErrorModel for Perfect {
    fn fate(&mut self, _offer: &Offer) -> Fate {
        Fate::Arrives
    }

    fn is_harmless(&self) -> bool {
        true
    }
}
