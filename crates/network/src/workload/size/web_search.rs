//! M. Alizadeh et al., "Data Center TCP (DCTCP)", SIGCOMM 2010, figure 4: flows of a cluster that answers web searches.
//!
//! The points are those that simulations after pFabric (Alizadeh et al., SIGCOMM 2013) read off the figure, in bytes. Their
//! mean is 1 711 250 B.

use farlink_kernel::random::Draws;
use farlink_kernel::{Bytes, config};

use super::cdf::{self, Point};
use super::{Parameters, Size};

pub(super) const SOURCE: &str = "Alizadeh et al., DCTCP, SIGCOMM 2010, figure 4";

const POINTS: [Point; 12] = [
    (0.0, 0.0),
    (10e3, 0.15),
    (20e3, 0.2),
    (30e3, 0.3),
    (50e3, 0.4),
    (80e3, 0.53),
    (200e3, 0.6),
    (1e6, 0.7),
    (2e6, 0.8),
    (5e6, 0.9),
    (10e6, 0.97),
    (30e6, 1.0),
];

config! {
    /// The distribution has no parameters.
    pub struct Config {}
}

impl Parameters for Config {
    fn mean(&self) -> f64 {
        cdf::mean(&POINTS)
    }
}

impl Size for Config {
    fn draw(&self, draws: &mut Draws) -> Bytes {
        cdf::at(&POINTS, draws.uniform())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_is_the_published_one() {
        assert!((Config::default().mean() - 1_711_250.0).abs() < 1e-3, "{}", Config::default().mean());
    }
}
