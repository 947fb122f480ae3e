//! Jitter: a random delay of each packet on one direction of a link, besides the propagation delay.
//!
//! The draw for the k-th packet offered to the link is a hash of (seed, link, k), so that it does not depend on the
//! packets before. No delay is negative: the propagation delay is the least.

use farlink_kernel::random::{Draws, draw, name_key};
use farlink_kernel::{Duration, registry};

pub(crate) mod exponential;
pub(crate) mod normal;
pub(crate) mod pareto;
pub(crate) mod uniform;

/// A distribution of delays.
pub trait Jitter: std::fmt::Debug + Send {
    /// The delay of one packet.
    fn delay(&self, draws: &mut Draws) -> Duration;
}

/// What is asked about a distribution before a run.
pub trait Parameters {
    /// Its mean.
    fn mean(&self) -> Duration;
}

registry! {
    /// Distributions of the jitter of links.
    Jitter(()) where Config: Parameters where field in_order, in_order_mut: bool {
        /// Every delay up to a largest one is equally likely.
        uniform::Uniform = Config,
        /// Delays around a mean; negative ones are cut to zero.
        normal::Normal = Config,
        /// Short delays are the likeliest.
        exponential::Exponential = Config,
        /// Heavy tail: few delays are very long.
        pareto::Pareto = Config,
    }
}

/// The delays of one direction of a link.
#[derive(Debug)]
pub struct Delays {
    model: Any,
    seed: u64,
    link: u64,
    stream: u64,
    pub(crate) in_order: bool,
}

impl Delays {
    /// Those of a run's seed and a link direction's number.
    pub fn new(config: &Config, seed: u64, link: u64) -> Self {
        let (model, in_order) = (config.build(&()), config.in_order());
        Self { model, seed, link, stream: name_key("jitter"), in_order }
    }

    /// The delay of the packet with this number.
    pub fn of(&self, number: u64) -> Duration {
        self.model.delay(&mut Draws::new(draw(self.seed, self.link, number, self.stream)))
    }
}

#[cfg(test)]
pub(crate) mod tests;
