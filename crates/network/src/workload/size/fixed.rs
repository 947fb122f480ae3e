//! All flows have one size.

use farlink_kernel::random::Draws;
use farlink_kernel::{Bytes, config};

use super::{Parameters, Size};

pub(super) const SOURCE: &str = "customary";

config! {
    /// Parameters of the size.
    pub struct Config {
        /// Payload of every flow.
        pub size: Bytes = Bytes(100_000); in Bytes(1)..,
    }
}

impl Parameters for Config {
    fn mean(&self) -> f64 {
        self.size.0 as f64
    }
}

impl Size for Config {
    fn draw(&self, _draws: &mut Draws) -> Bytes {
        self.size
    }
}
