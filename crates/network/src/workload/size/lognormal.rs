//! A. B. Downey, "Lognormal and Pareto distributions in the Internet", Computer Communications 28(7), 2005.

use farlink_kernel::random::Draws;
use farlink_kernel::{Bytes, config};

use super::{Parameters, Size};

pub(super) const SOURCE: &str = "Downey, Computer Communications 28(7), 2005";

config! {
    /// Parameters of the distribution.
    pub struct Config {
        /// Mean payload.
        pub mean: Bytes = Bytes(100_000); in Bytes(1)..,
        /// Standard deviation of the natural logarithm of the payload.
        pub sigma: f64 = 1.5; in 0.0..=5.0,
    }
}

impl Parameters for Config {
    fn mean(&self) -> f64 {
        self.mean.0 as f64
    }
}

impl Size for Config {
    fn draw(&self, draws: &mut Draws) -> Bytes {
        // The mean is exp(mu + sigma^2 / 2).
        let exponent = self.sigma * draws.normal() - self.sigma * self.sigma / 2.0;
        Bytes((self.mean.0 as f64 * libm::exp(exponent)).round() as u64)
    }
}
