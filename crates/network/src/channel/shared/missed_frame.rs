//! [`MissedFrame`]: a frame that its receiver did not receive.

use crate::frame::Frame;
use crate::ids::NodeId;
use crate::metrics::station::SendCounters;
use crate::packet::Cause;

/// A frame that a node it was addressed to did not receive.
#[derive(Clone, Copy, Debug)]
pub struct MissedFrame {
    /// The frame, with references in place of its packets.
    pub frame: Frame,
    pub node: NodeId,
    pub cause: Cause,
}

impl MissedFrame {
    /// Counts it at its sender, and keeps it for the monitors, if there are any.
    pub(super) fn count(self, sender: &mut SendCounters, missed: &mut Option<Vec<Self>>) {
        sender.on_undelivered(&self.frame, self.node, self.cause);
        if let Some(missed) = missed {
            missed.push(self);
        }
    }
}
