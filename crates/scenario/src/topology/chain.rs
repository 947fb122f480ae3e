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

#[derive(Clone, Debug)]
pub(crate) struct Chain {
    config: Config,
}

impl Chain {
    pub(crate) fn new(config: &Config, _setup: &Setup) -> Self {
        Self { config: config.clone() }
    }

    fn nodes(&self) -> Vec<(String, Position)> {
        let x = |i| Metres(f64::from(i) * self.config.spacing.0);
        (0..self.config.nodes)
            .map(|i| (format!("n{i}"), Position { x: x(i), ..Position::default() }))
            .collect()
    }

    fn links(&self) -> Vec<[usize; 2]> {
        (1..usize::from(self.config.nodes)).map(|i| [i - 1, i]).collect()
    }
}

impl Shape for Chain {
    fn lay_out(&self) -> Result<Layout, Fault> {
        Ok(Layout { nodes: self.nodes(), links: self.links(), ..Layout::default() })
    }
}
