//! What becomes of a frame's copies when its signal ends at a node.

use crate::context::Context;
use crate::frame::Frame;
use crate::hop::{NextHop, Part};
use crate::ids::NodeId;
use crate::packet::Cause;

/// The signal ended at `node`, which made the frame out and takes the copies it is a next hop of, or lost them
/// and why. The frame as that node has it.
pub(super) fn hand_over(
    frame: &Frame,
    node: NodeId,
    lost: Option<Cause>,
    under_way: &mut [Option<Part>; 2],
    cx: &mut Context,
) -> Option<Frame> {
    if lost.is_some() && *under_way == [None; 2] {
        return None;
    }
    let mut own = *frame;
    for (part, under_way) in own.parts.iter_mut().zip(under_way) {
        if let Some(taken) = under_way.take_if(|part| part.next_hop == NextHop::Node(node)) {
            *part = Some(taken);
            match lost {
                Some(cause) => cx.drop(taken.packet, cause),
                None => cx.packets.receive(taken.packet, node),
            }
        }
        if let Some(Part { packet, next_hop: NextHop::Everyone }) = part
            && lost.is_none()
        {
            *packet = cx.packets.receive_broadcast(*packet, node);
        }
    }
    lost.is_none().then_some(own)
}
