//! [`Miss`]: a frame that did not come where it should.

use crate::frame::Frame;
use crate::ids::NodeId;
use crate::metrics::station::SendCounters;
use crate::packet::Cause;

/// A frame that a neighbour it was for did not make out.
#[derive(Clone, Copy, Debug)]
pub struct Miss {
    /// The frame, with shadows in the place of its packets.
    pub frame: Frame,
    /// The neighbour.
    pub node: NodeId,
    /// Why.
    pub cause: Cause,
}

impl Miss {
    /// Counts it with its sender, and keeps it for a monitor, if there is one.
    pub(super) fn count(self, sender: &mut SendCounters, misses: &mut Option<Vec<Self>>) {
        sender.on_undelivered(&self.frame, self.node, self.cause);
        if let Some(misses) = misses {
            misses.push(self);
        }
    }
}
