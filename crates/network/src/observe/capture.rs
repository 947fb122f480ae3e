//! [`Capture`]: sees what passes the sender of every flow, before the sender's queue.

use farlink_kernel::Instant;
use farlink_tcp::{Ecn, Segment};

use crate::ids::{FlowId, NodeId};

/// What a captured packet carries.
#[derive(Clone, Copy, Debug)]
pub enum Content<'a> {
    /// A TCP segment.
    Segment(&'a Segment),
    /// A UDP datagram with so many bytes.
    Datagram(u32),
}

/// A packet at a capture point.
#[derive(Clone, Copy, Debug)]
pub struct Captured<'a> {
    /// When it passed.
    pub now: Instant,
    /// Place of its flow in the blueprint.
    pub flow: FlowId,
    /// Where it comes from.
    pub from: NodeId,
    /// Where it goes.
    pub to: NodeId,
    /// True for packets of the end that opened the connection, or sends the datagrams.
    pub from_opener: bool,
    /// What it carries.
    pub content: Content<'a>,
    /// The ECN field of its IP header.
    pub ecn: Ecn,
    /// Position of the payload's first byte in the stream.
    pub offset: u64,
}

/// An observer of packets at the sender of a flow: outgoing before the queue, and incoming.
pub trait Capture: std::fmt::Debug + Send {
    /// A packet passed.
    fn on_packet(&mut self, captured: &Captured<'_>);
}
