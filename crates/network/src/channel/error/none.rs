//! Every packet arrives.

use farlink_kernel::config;

use super::{ErrorModel, Fate, Offer, Setup};

/// Where the model stands.
pub const SOURCE: &str = "trivial";

config! {
    /// Parameters: none.
    pub struct Config {}
}

/// The model.
#[derive(Clone, Debug)]
pub struct Perfect;

impl Perfect {
    /// The model before its first packet.
    pub fn new(_config: &Config, _setup: &Setup) -> Self {
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
