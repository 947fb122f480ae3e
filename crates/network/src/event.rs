//! [`Event`]: what the event queue holds.

use farlink_kernel::Phase;

use crate::host::Direction;
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
    LinkUp(InterfaceId),
    /// A signal on a shared channel begins or ends at its next listeners.
    Signal {
        channel: ChannelId,
        transmission: u32,
        phase: Phase,
    },
    AntennaFree(InterfaceId),
    MacDeadline {
        interface: InterfaceId,
        generation: u32,
    },
    RoutingDeadline {
        node: NodeId,
        generation: u32,
    },
    Deadline {
        flow: FlowId,
        end: End,
        generation: u32,
    },
    /// A host is done with a packet.
    Host {
        node: NodeId,
        direction: Direction,
    },
    Start(FlowId),
    /// A flow of a workload arrives.
    FlowArrival {
        workload: u32,
        number: u32,
    },
    Wake(FlowId),
    Stop(FlowId),
    #[default]
    Sample,
}
