//! The exponential distribution: short delays are the likeliest, and none is the longest.

use farlink_kernel::config::above;
use farlink_kernel::random::Draws;
use farlink_kernel::{Duration, config};

use super::{Jitter, Parameters};

pub(super) const SOURCE: &str = "exponential distribution";

config! {
    /// Parameters of exponential jitter.
    pub struct Config {
        /// Mean.
        pub mean: Duration = Duration::from_millis(5); in above(Duration::ZERO),
        /// Packets keep their order. `false`: a packet with a shorter delay overtakes.
        pub in_order: bool = true,
    }
}

impl Parameters for Config {
    fn mean(&self) -> Duration {
        self.mean
    }
}

impl Jitter for Config {
    fn delay(&self, draws: &mut Draws) -> Duration {
        // 1 - u is in (0, 1], so the logarithm is finite.
        self.mean.mul_f64(-libm::log(1.0 - draws.uniform()))
    }
}
