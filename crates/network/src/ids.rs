//! Numbers of what a run is made of. Each is a place in one of the world's lists.

/// A node: its place in [`Blueprint::nodes`](crate::Blueprint::nodes).
pub type NodeId = u32;

/// An interface of a node: two per link, forward and reverse, then one per channel and member.
pub type InterfaceId = u32;

/// A flow: its place in [`Blueprint::flows`](crate::Blueprint::flows).
pub type FlowId = u32;

/// A shared channel: its place in [`Blueprint::channels`](crate::Blueprint::channels).
pub type ChannelId = u32;

/// A copy of a packet: its key in [`Packets`](crate::packet::Packets).
pub type PacketId = u32;

/// A message or header of a protocol: its key in [`Packets`](crate::packet::Packets).
pub type MessageId = u32;

/// Which end of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The end that opens and sends the application's data.
    Sender,
    /// The other.
    Receiver,
}

impl End {
    /// The other end.
    pub fn other(self) -> Self {
        match self {
            Self::Sender => Self::Receiver,
            Self::Receiver => Self::Sender,
        }
    }
}
