//! [`Member`]: an interface on a shared channel as the channel sees it.

use farlink_kernel::Instant;

use super::above::Attention;
use crate::blueprint::NodeId;
use crate::context::InterfaceId;
use crate::phy::antenna::Antenna;
use crate::probe::station::Ears;

/// An interface on the channel. It begins where a line of the processor's memory does, and takes three.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(super) struct Member {
    pub(super) antenna: Antenna,
    /// What it heard; here because every signal touches both.
    pub(super) ears: Ears,
    pub(super) node: NodeId,
    pub(super) interface: InterfaceId,
    pub(super) frames: u32,
    pub(super) attention: Attention,
}

impl Member {
    /// Has heard nothing yet.
    pub(super) fn new(node: NodeId, interface: InterfaceId) -> Self {
        Self {
            antenna: Antenna::default(),
            ears: Ears::default(),
            node,
            interface,
            frames: 0,
            // Who was not asked yet is told of all frames.
            attention: Attention { watched_from: Instant::NEVER, overhears: true, taps: true },
        }
    }

    /// Something from each of its lines.
    #[inline]
    pub(super) fn touch(&self) -> u64 {
        self.ears.received ^ self.antenna.touch() ^ u64::from(self.node)
    }
}
