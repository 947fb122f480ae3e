//! [`Event`]: what the event queue holds.

use farlink_kernel::Phase;

use crate::ids::{ChannelId, End, FlowId, InterfaceId, NodeId};

/// Something that happens at its time. Small and `Copy`: ids only.
///
/// The generation of a deadline tells the pending event of a [`Timer`](crate::timer::Timer) from stale ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Event {
    /// The packet at the head of a link arrives.
    Arrival(InterfaceId),
    /// A link has sent a packet and can send the next.
    Sent(InterfaceId),
    /// A link comes back after an outage.
    LinkUp(InterfaceId),
    /// A signal on a shared channel begins or ends at its next listeners.
    Signal {
        /// The channel.
        channel: ChannelId,
        /// The transmission.
        transmission: u32,
        /// Whether it begins or ends.
        phase: Phase,
    },
    /// An antenna has sent its frame.
    AntennaFree(InterfaceId),
    /// A MAC's deadline.
    MacDeadline {
        /// The station.
        interface: InterfaceId,
        /// Of its timer.
        generation: u32,
    },
    /// A routing protocol's deadline.
    RoutingDeadline {
        /// The node.
        node: NodeId,
        /// Of its timer.
        generation: u32,
    },
    /// A connection's deadline.
    Deadline {
        /// The flow.
        flow: FlowId,
        /// Which end of it.
        end: End,
        /// Of its timer.
        generation: u32,
    },
    /// A flow starts.
    Start(FlowId),
    /// An application acts.
    Wake(FlowId),
    /// An application stops.
    Stop(FlowId),
    /// The state is sampled.
    #[default]
    Sample,
}
