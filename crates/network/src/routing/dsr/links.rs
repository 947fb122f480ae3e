//! Links, from which paths are made (RFC 4728, section 4.1).

use std::collections::VecDeque;

use farlink_kernel::Instant;
use farlink_kernel::ordered::Map;

use super::paths::Change;
use crate::ids::NodeId;
use crate::wire::dsr::Broken;

/// Links by both ends, and until when each counts.
#[derive(Clone, Debug)]
pub struct Links {
    known: Map<(NodeId, NodeId), Instant>,
    room: usize,
}

impl Links {
    pub fn new(room: usize) -> Self {
        Self { known: Map::new(), room }
    }

    /// A path was heard of; of too many links the one goes that was not heard of for longest.
    pub fn learn(&mut self, path: &[NodeId], until: Instant) -> Change {
        let mut change = Change::Nothing;
        for link in path.windows(2) {
            if self.known.insert((link[0], link[1]), until).is_none() {
                change = Change::More;
            }
        }
        while self.known.len() > self.room {
            let oldest = self.known.iter().min_by_key(|(_, until)| **until).map(|(&link, _)| link);
            oldest.and_then(|link| self.known.remove(&link));
            change = Change::Other;
        }
        change
    }

    /// A shortest path: breadth first, neighbours in ascending order.
    pub fn find(&self, from: NodeId, to: NodeId, now: Instant) -> Option<Vec<NodeId>> {
        let mut came_from = Map::from_iter([(from, from)]);
        let mut reached = VecDeque::from([from]);
        while let Some(node) = reached.pop_front() {
            if node == to {
                let back = |&node: &NodeId| (node != from).then(|| came_from[&node]);
                let mut path: Vec<_> = std::iter::successors(Some(to), back).collect();
                path.reverse();
                return Some(path);
            }
            let links = self.known.range((node, NodeId(0))..=(node, NodeId::MAX));
            for (&(_, next), _) in links.filter(|(_, until)| **until > now) {
                came_from.entry(next).or_insert_with(|| {
                    reached.push_back(next);
                    node
                });
            }
        }
        None
    }

    /// A link is broken. True when it was known.
    pub fn forget(&mut self, Broken { from, to }: Broken) -> bool {
        self.known.remove(&(from, to)).is_some()
    }
}
