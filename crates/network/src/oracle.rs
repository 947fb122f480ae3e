//! [`Oracle`]: what no node could know, the whole network at an instant. Only ideal routing asks it.

use farlink_kernel::{Instant, choice};

use crate::hop::Hop;
use crate::ids::NodeId;

choice! {
    /// What makes a path short.
    pub enum Metric {
        /// Few hops, then little delay.
        Hops = "hops",
        /// Little propagation delay, then few hops. The time of transmissions and in queues does not count.
        Delay = "delay",
    }
}

/// The role: shortest paths over links and over shared channels.
pub trait Oracle: std::fmt::Debug + Send {
    /// The first hop of the shortest path as of an instant, which is not before the last one asked about; of equally
    /// short paths it is always the same.
    fn next_hop(&mut self, from: NodeId, to: NodeId, metric: Metric, as_of: Instant) -> Option<Hop>;

    /// The length of the path with the fewest hops, as of such an instant.
    fn hops(&mut self, from: NodeId, to: NodeId, as_of: Instant) -> Option<u32>;

    /// The neighbours of a node and the hops to them, as of the instant that was asked about last.
    fn neighbours(&mut self, node: NodeId) -> Vec<(NodeId, Hop)>;

    /// From here on links are as of an instant, which is not before the last one. Before the first call they are as at
    /// the start, and none is down.
    fn see_links(&mut self, as_of: Instant);

    /// The instant of the next change of a link after the one that links were seen at; zero before the first call.
    fn links_hold_until(&self) -> Instant;

    /// True when no node moves.
    fn is_still(&self) -> bool;
}

impl Oracle for () {
    fn next_hop(&mut self, _: NodeId, _: NodeId, _: Metric, _: Instant) -> Option<Hop> {
        None
    }

    fn hops(&mut self, _: NodeId, _: NodeId, _: Instant) -> Option<u32> {
        None
    }

    fn neighbours(&mut self, _: NodeId) -> Vec<(NodeId, Hop)> {
        Vec::new()
    }

    fn see_links(&mut self, _: Instant) {}

    fn links_hold_until(&self) -> Instant {
        Instant::NEVER
    }

    fn is_still(&self) -> bool {
        true
    }
}
