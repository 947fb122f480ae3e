//! [`Capture`]: sees every TCP segment of some flow at its sender, before the sender's queue.

use farlink_kernel::Instant;
use farlink_tcp::{Ecn, Segment};

use crate::blueprint::NodeId;

/// A segment at a capture point.
#[derive(Clone, Copy, Debug)]
pub struct Captured<'a> {
    /// When it passed.
    pub now: Instant,
    /// Place of its flow in the blueprint.
    pub flow: u32,
    /// Where it comes from.
    pub from: NodeId,
    /// Where it goes.
    pub to: NodeId,
    /// True for segments of the end that opened the connection.
    pub from_opener: bool,
    /// The segment.
    pub segment: &'a Segment,
    /// The ECN field of its IP header.
    pub ecn: Ecn,
    /// Position of the payload's first byte in the stream.
    pub offset: u64,
}

/// Someone who looks at segments as they pass the sender of a flow: on their way out before the queue, and
/// on their way in.
pub trait Capture: std::fmt::Debug + Send {
    /// A segment passed.
    fn on_segment(&mut self, captured: &Captured<'_>);
}
