//! [`Detours`]: the shorter paths that ideal routing does not take, since it sees links only as they are at the start.

use farlink_kernel::Instant;

use super::build;
use crate::blueprint::Blueprint;
use crate::hop::{Hop, NextHop};
use crate::ids::{InterfaceId, NodeId};
use crate::oracle::{Metric, Oracle};
use crate::routing::Computed;
use crate::topology::shortest_paths::ShortestPaths;

/// The paths of ideal routing, beside those that it would compute if it saw delays and outages of links.
#[derive(Debug)]
pub struct Detours<'a> {
    routes: &'a dyn Computed,
    kept: ShortestPaths,
    /// With the links as they are now.
    current: ShortestPaths,
    now: Instant,
}

/// A path that ideal routing keeps to, and a shorter one, each as the interfaces that send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Detour {
    /// The path that packets take.
    pub kept: Vec<InterfaceId>,
    /// The path that is shorter, or the only one while a link of the other is down.
    pub shorter: Vec<InterfaceId>,
}

impl<'a> Detours<'a> {
    /// The paths in a run with `seed`, at its start.
    pub fn new(blueprint: &Blueprint, seed: u64, routes: &'a dyn Computed) -> Self {
        let [kept, current] = [(); 2].map(|()| build::shortest_paths(blueprint, seed));
        let mut detours = Self { routes, kept, current, now: Instant::ZERO };
        detours.set_now(Instant::ZERO);
        detours
    }

    /// From here on paths are as of `now`, which never goes back.
    pub fn set_now(&mut self, now: Instant) {
        self.now = now;
        self.current.see_links(now);
    }

    /// The detour between two nodes, if a path is shorter than the one that packets take.
    pub fn find(&mut self, from: NodeId, to: NodeId) -> Option<Detour> {
        let (metric, (as_of, _)) = (self.routes.metric(), self.routes.epoch(self.now));
        let least = self.current.least((from, to), metric, as_of)?;
        let kept = path(&mut self.kept, (from, to), metric, as_of);
        if self.current.cost(from, &kept, metric).is_some_and(|cost| cost <= least) {
            return None;
        }
        let shorter = path(&mut self.current, (from, to), metric, as_of);
        let [kept, shorter] = [kept, shorter].map(|path| path.iter().map(|hop| hop.interface).collect());
        Some(Detour { kept, shorter })
    }
}

fn path(
    paths: &mut ShortestPaths,
    (mut node, to): (NodeId, NodeId),
    metric: Metric,
    as_of: Instant,
) -> Vec<Hop> {
    let mut hops = Vec::new();
    while node != to {
        let Some(hop) = paths.next_hop(node, to, metric, as_of) else { break };
        let NextHop::Node(next) = hop.next_hop else { break };
        hops.push(hop);
        node = next;
    }
    hops
}
