//! E. W. Dijkstra, "A Note on Two Problems in Connexion with Graphs", Numerische Mathematik 1, 1959.

use farlink_kernel::{choice, config};

use super::Routing;

/// Where the algorithm stands.
pub const SOURCE: &str = "Dijkstra, Numerische Mathematik 1959";

choice! {
    /// What makes a path short.
    pub enum Metric {
        /// Few hops, then little delay.
        Hops = "hops",
        /// Little propagation delay, then few hops.
        Delay = "delay",
    }
}

config! {
    /// Parameters of shortest-path routing.
    pub struct Config {
        /// What makes a path short.
        pub metric: Metric = Metric::Delay,
        /// A node whose link failed tells both ends of the flow, and again when the link is back.
        pub notices: bool = false,
    }
}

/// The table of one node.
#[derive(Clone, Debug)]
pub struct ShortestPath {
    config: Config,
}

impl ShortestPath {
    /// An empty table.
    #[allow(clippy::trivially_copy_pass_by_ref)]
    pub fn new(config: &Config, _setup: &()) -> Self {
        Self { config: config.clone() }
    }
}

impl Routing for ShortestPath {}
