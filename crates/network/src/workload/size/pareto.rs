//! M. E. Crovella, A. Bestavros, "Self-Similarity in World Wide Web Traffic", IEEE/ACM Transactions on Networking 5(6),
//! 1997: the tail of file sizes has a shape between 1 and 1.3.

use farlink_kernel::config::above;
use farlink_kernel::random::Draws;
use farlink_kernel::{Bytes, config};

use super::{Parameters, Size};

pub(super) const SOURCE: &str = "Crovella and Bestavros, IEEE/ACM Transactions on Networking 5(6), 1997";

config! {
    /// Parameters of the distribution.
    pub struct Config {
        /// Mean payload.
        pub mean: Bytes = Bytes(100_000); in Bytes(1)..,
        /// Shape; the variance is finite above 2.
        pub shape: f64 = 1.2; in above(1.0),
    }
}

impl Parameters for Config {
    fn mean(&self) -> f64 {
        self.mean.0 as f64
    }
}

impl Size for Config {
    fn draw(&self, draws: &mut Draws) -> Bytes {
        let least = self.mean.0 as f64 * (self.shape - 1.0) / self.shape;
        Bytes((least / libm::pow(1.0 - draws.uniform(), 1.0 / self.shape)).round() as u64)
    }
}
