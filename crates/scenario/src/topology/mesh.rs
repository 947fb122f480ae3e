//! A full mesh: a link between every two nodes.

use core::f64::consts::{PI, TAU};

use farlink_kernel::config;
use farlink_network::space::{Metres, Position};

use super::{Fault, Layout, Setup, Shape};

pub(super) const SOURCE: &str = "customary";

config! {
    /// Parameters of a full mesh.
    pub struct Config {
        /// Number of nodes; they are called `n0`, `n1`, ... and lie on a circle.
        pub nodes: u8 = 5; in 1..,
        /// Distance of neighbours on the circle; it has an effect on shared channels only.
        pub spacing: Metres = Metres(200.0),
    }
}

impl Shape for Config {
    fn lay_out(&self, _setup: &Setup) -> Result<Layout, Fault> {
        let count = usize::from(self.nodes);
        let n = count as f64;
        // Neighbours of a regular polygon are a chord apart; one node is its own centre.
        let radius = if count > 1 { self.spacing.0 / (2.0 * libm::sin(PI / n)) } else { 0.0 };
        let node = |i: usize| {
            let angle = TAU * i as f64 / n;
            let (x, y) = (Metres(radius * libm::cos(angle)), Metres(radius * libm::sin(angle)));
            (format!("n{i}"), Position { x, y, z: Metres(0.0) })
        };
        let links = (0..count).flat_map(|a| (a + 1..count).map(move |b| [a, b])).collect();
        Ok(Layout { nodes: (0..count).map(node).collect(), links, ..Layout::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_on_the_circle_are_spaced_and_every_two_nodes_are_linked() {
        for nodes in [1, 2, 7] {
            let config = Config { nodes, spacing: Metres(30.0) };
            let Layout { nodes: placed, links, .. } = config.lay_out(&Setup::default()).unwrap();
            assert_eq!(links.len(), usize::from(nodes) * (usize::from(nodes) - 1) / 2);
            for pair in placed.windows(2) {
                assert!((pair[0].1.distance(pair[1].1).0 - 30.0).abs() < 1e-9);
            }
        }
    }
}
