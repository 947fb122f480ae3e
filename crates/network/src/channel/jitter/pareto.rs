//! The Pareto distribution with a finite mean: most delays are near the least one, few are very long.

use farlink_kernel::config::above;
use farlink_kernel::random::Draws;
use farlink_kernel::{Duration, config};

use super::{Jitter, Parameters};

pub(super) const SOURCE: &str = "Pareto distribution";

config! {
    /// Parameters of Pareto jitter. The least delay is mean (shape - 1) / shape.
    pub struct Config {
        /// Mean.
        pub mean: Duration = Duration::from_millis(5); in above(Duration::ZERO),
        /// Shape, above 1: the smaller, the heavier the tail. Up to 2 the variance is infinite.
        pub shape: f64 = 2.5; in above(1.0),
        /// Packets keep their order. `false`: a packet with a shorter delay overtakes.
        pub in_order: bool = true,
    }
}

impl Config {
    fn least(&self) -> Duration {
        self.mean.mul_f64((self.shape - 1.0) / self.shape)
    }
}

impl Parameters for Config {
    fn mean(&self) -> Duration {
        self.mean
    }
}

impl Jitter for Config {
    fn delay(&self, draws: &mut Draws) -> Duration {
        // 1 - u is in (0, 1], so the quotient is finite.
        self.least().mul_f64(libm::pow(1.0 - draws.uniform(), -1.0 / self.shape))
    }
}
