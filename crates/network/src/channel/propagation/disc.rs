//! Everyone within a range hears everything that is sent, nobody beyond it anything.

use farlink_kernel::config;
use farlink_kernel::config::above;

use super::{Path, Propagation};
use crate::space::Metres;

/// Where the model stands.
pub const SOURCE: &str = "unit disc graph";

config! {
    /// Parameters of the disc.
    pub struct Config {
        /// How far a signal is heard.
        pub range: Metres = Metres(250.0); in above(Metres(0.0)),
    }
}

/// The model at work.
#[derive(Clone, Debug)]
pub struct Disc {
    range: Metres,
}

impl Disc {
    /// A disc.
    pub fn new(config: &Config, _setup: &()) -> Self {
        Self { range: config.range }
    }
}

impl Propagation for Disc {
    fn mean_gain(&self, path: &Path) -> f64 {
        f64::from(u8::from(path.distance <= self.range))
    }

    fn reach(&self, _least: f64) -> Metres {
        self.range
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_is_heard_to_its_edge_and_not_beyond() {
        let disc = Disc::new(&Config { range: Metres(300.0) }, &());
        let gain = |x| disc.mean_gain(&Path::over(Metres(x)));
        assert_eq!((gain(300.0), gain(300.1), disc.reach(1e-9)), (1.0, 0.0, Metres(300.0)));
    }
}
