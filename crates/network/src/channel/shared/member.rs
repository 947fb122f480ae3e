//! [`Member`]: an interface on a shared channel.

use super::upper_layers::Interest;
use crate::ids::{InterfaceId, NodeId};
use crate::metrics::station::ReceiveCounters;
use crate::phy::antenna::Antenna;

/// An interface on the channel. The first cache line has what the start of a signal needs, the second and the last what
/// its end needs.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Member {
    pub(super) interest: Interest,
    pub(super) antenna: Antenna,
    pub(super) node: NodeId,
    pub(super) interface: InterfaceId,
    pub(super) frames: u32,
    pub(super) heard: ReceiveCounters,
}

impl Member {
    pub(super) fn new(node: NodeId, interface: InterfaceId) -> Self {
        Self {
            // Until the upper layers state their interest.
            interest: Interest::ALL,
            antenna: Antenna::default(),
            node,
            interface,
            frames: 0,
            heard: ReceiveCounters::default(),
        }
    }
}
