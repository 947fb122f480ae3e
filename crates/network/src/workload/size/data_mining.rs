//! A. Greenberg et al., "VL2: A Scalable and Flexible Data Center Network", SIGCOMM 2009, figure 2: flows of a cluster that
//! mines data.
//!
//! The points, in packets of 1460 B, are recalled from the simulations of pFabric (M. Alizadeh et al., SIGCOMM 2013) and
//! were not read from their file. The mean is 5117 packets, as public simulations state.

use farlink_kernel::random::Draws;
use farlink_kernel::{Bytes, config};

use super::cdf::{self, Point};
use super::{Parameters, Size};

pub(super) const SOURCE: &str = "Greenberg et al., VL2, SIGCOMM 2009, figure 2";

const PACKET: f64 = 1460.0;
const POINTS: [Point; 8] = [
    (PACKET, 0.5),
    (2.0 * PACKET, 0.6),
    (3.0 * PACKET, 0.7),
    (7.0 * PACKET, 0.8),
    (267.0 * PACKET, 0.9),
    (2107.0 * PACKET, 0.95),
    (66_667.0 * PACKET, 0.99),
    (666_667.0 * PACKET, 1.0),
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
        assert_eq!((Config::default().mean() / PACKET).round(), 5117.0);
    }
}
