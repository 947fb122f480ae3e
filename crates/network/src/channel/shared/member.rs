//! [`Member`]: an interface on a shared channel as the channel sees it.

use farlink_kernel::Instant;

use super::above::Attention;
use crate::ids::{InterfaceId, NodeId};
use crate::metrics::station::ReceiveCounters;
use crate::phy::antenna::Antenna;

/// An interface on the channel. A line of the processor's memory has what a signal needs that begins, the next one what
/// it needs when it ends.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub(super) struct Member {
    pub(super) attention: Attention,
    pub(super) antenna: Antenna,
    pub(super) node: NodeId,
    pub(super) interface: InterfaceId,
    pub(super) frames: u32,
}

impl Member {
    /// Something of what a signal needs that begins.
    #[inline]
    pub(super) fn touch_for_start(&self, _ears: &ReceiveCounters) -> u64 {
        self.antenna.touch()
    }

    /// Something of everything that one needs that ends.
    #[inline]
    pub(super) fn touch_for_end(&self, ears: &ReceiveCounters) -> u64 {
        self.antenna.touch() ^ self.antenna.touch_for_end() ^ ears.received
    }

    /// Has heard nothing yet.
    pub(super) fn new(node: NodeId, interface: InterfaceId) -> Self {
        Self {
            // Who was not asked yet is told of all frames.
            attention: Attention { watched_from: Instant::NEVER, overhears: true, taps: true },
            antenna: Antenna::default(),
            node,
            interface,
            frames: 0,
        }
    }
}
