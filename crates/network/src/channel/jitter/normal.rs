//! The normal distribution, of which a negative delay is cut to zero: a packet never arrives before its propagation delay.
//!
//! With a deviation of half the mean, 2.3 % of the packets have no jitter.

use farlink_kernel::config::above;
use farlink_kernel::random::Draws;
use farlink_kernel::{Duration, config};

use super::{Jitter, Parameters};

pub(super) const SOURCE: &str = "normal distribution, negative values cut to 0";

config! {
    /// Parameters of normal jitter.
    pub struct Config {
        /// Mean before negative delays are cut to zero.
        pub mean: Duration = Duration::from_millis(10),
        /// Standard deviation before negative delays are cut to zero.
        pub deviation: Duration = Duration::from_millis(3); in above(Duration::ZERO),
        /// Packets keep their order. `false`: a packet with a shorter delay overtakes.
        pub in_order: bool = true,
    }
}

impl Parameters for Config {
    /// E[max(0, X)] = m P(m/s) + s p(m/s), P and p the standard normal distribution and its density.
    fn mean(&self) -> Duration {
        let (mean, deviation) = (self.mean.as_secs_f64(), self.deviation.as_secs_f64());
        let z = mean / deviation;
        let density = libm::exp(-0.5 * z * z) / core::f64::consts::TAU.sqrt();
        let below = 0.5 * libm::erfc(-z / core::f64::consts::SQRT_2);
        Duration::from_secs_f64(mean * below + deviation * density)
    }
}

impl Jitter for Config {
    fn delay(&self, draws: &mut Draws) -> Duration {
        let seconds = self.mean.as_secs_f64() + self.deviation.as_secs_f64() * draws.normal();
        Duration::from_secs_f64(seconds.max(0.0))
    }
}
