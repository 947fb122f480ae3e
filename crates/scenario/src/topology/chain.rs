//! Nodes in a row.

use farlink_kernel::config;
use farlink_network::space::{Metres, Position};

use super::{Fault, Layout, Setup, Shape};

pub(super) const SOURCE: &str = "customary";

config! {
    /// Parameters of a chain.
    pub struct Config {
        /// Number of nodes; they are called `n0`, `n1`, ...
        pub nodes: u16 = 5; in 1..,
        /// Distance of neighbours; it has an effect on shared channels only.
        pub spacing: Metres = Metres(200.0),
    }
}

impl Shape for Config {
    fn lay_out(&self, _setup: &Setup) -> Result<Layout, Fault> {
        let x = |i| Metres(f64::from(i) * self.spacing.0);
        let node = |i| (format!("n{i}"), Position { x: x(i), ..Position::default() });
        let links = (1..usize::from(self.nodes)).map(|i| [i - 1, i]).collect();
        Ok(Layout { nodes: (0..self.nodes).map(node).collect(), links, ..Layout::default() })
    }
}
