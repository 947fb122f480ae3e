//! Every delay from zero to a largest one is equally likely.

use farlink_kernel::config::above;
use farlink_kernel::random::Draws;
use farlink_kernel::{Duration, config};

use super::{Jitter, Parameters};

pub(super) const SOURCE: &str = "uniform distribution";

config! {
    /// Parameters of uniform jitter.
    pub struct Config {
        /// The largest delay, twice the mean.
        pub max: Duration = Duration::from_millis(10); in above(Duration::ZERO),
        /// Packets keep their order. `false`: a packet with a shorter delay overtakes.
        pub in_order: bool = true,
    }
}

impl Parameters for Config {
    fn mean(&self) -> Duration {
        self.max / 2
    }
}

impl Jitter for Config {
    fn delay(&self, draws: &mut Draws) -> Duration {
        self.max.mul_f64(draws.uniform())
    }
}
