//! [`Place`]: where a packet is.

use crate::ids::{InterfaceId, NodeId};

/// A node that has not routed the packet yet, or the interface it was routed to last: in its queue, or on the link or medium
/// behind it.
// In one word, for a packet takes two lines of the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place(u32);

const IS_INTERFACE: u32 = 1 << 31;

impl Place {
    /// At a node.
    #[inline(always)]
    pub const fn node(node: NodeId) -> Self {
        Self(node.0)
    }

    /// At an interface.
    #[inline(always)]
    pub const fn interface(interface: InterfaceId) -> Self {
        Self(interface.0 | IS_INTERFACE)
    }

    /// The interface, or the node of a packet at none.
    pub const fn get(self) -> Result<InterfaceId, NodeId> {
        if self.0 & IS_INTERFACE == 0 { Err(NodeId(self.0)) } else { Ok(InterfaceId(self.0 & !IS_INTERFACE)) }
    }
}
