//! Every packet arrives.

use farlink_kernel::config;

use super::{ErrorModel, Errors, Fate, Offer, Parameters};

pub(super) const SOURCE: &str = "trivial";

config! {
    /// Parameters: none.
    pub struct Config {}
}

impl Parameters for Config {
    fn errors(&self) -> Errors {
        Errors::None
    }
}

impl ErrorModel for Config {
    fn fate(&mut self, _offer: &Offer) -> Fate {
        Fate::Arrives
    }
}
