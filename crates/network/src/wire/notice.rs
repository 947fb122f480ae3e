//! [`AffectedSegment`]: the segment that a message about a broken link names.

use farlink_tcp::SeqNumber;

use crate::ids::{End, FlowId, NodeId};

/// A segment that could not be forwarded over a broken link, as a message about the break names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AffectedSegment {
    pub flow: FlowId,
    pub end: End,
    pub seq: SeqNumber,
    pub destination: NodeId,
}
