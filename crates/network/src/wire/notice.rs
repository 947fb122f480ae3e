//! [`AffectedSegment`]: the segment that a message about a broken link names.

use farlink_tcp::SeqNumber;

use crate::ids::{End, FlowId, NodeId};

/// A segment that could not be forwarded over a broken link, as a message about the break names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AffectedSegment {
    /// Its flow.
    pub flow: FlowId,
    /// The end that sent it.
    pub end: End,
    /// Its sequence number.
    pub seq: SeqNumber,
    /// Its destination.
    pub destination: NodeId,
}
