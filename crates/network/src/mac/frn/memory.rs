//! [`Memory`]: packets that came, and from whom, for stations that recognise those that come again.

use std::collections::VecDeque;

use crate::blueprint::NodeId;

/// So many packets are remembered: more than a neighbour sends while it tries one again.
const PLACES: usize = 64;

/// The packets that came last.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    came: VecDeque<(u64, NodeId)>,
}

impl Memory {
    /// A packet came; true when it came from there before.
    pub(super) fn on_packet(&mut self, number: u64, from: NodeId) -> bool {
        if self.came.contains(&(number, from)) {
            return true;
        }
        if self.came.len() == PLACES {
            self.came.pop_front();
        }
        self.came.push_back((number, from));
        false
    }
}
