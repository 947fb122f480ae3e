//! What nodes learn from packets that are meant for others (RFC 4728, sections 3.3.1 and 3.4.3).

use std::collections::BTreeMap;

use farlink_kernel::Instant;

use super::messages::{Message, SourceRoute};
use super::{Dsr, header};
use crate::blueprint::NodeId;
use crate::context::Context;
use crate::packet::PacketId;

/// Until when a source is not told again of a shorter way past a node.
pub type Holdoffs = BTreeMap<(NodeId, NodeId), Instant>;

impl Dsr {
    /// A packet from `sender` to another node was made out.
    pub(super) fn overhear(&mut self, packet: PacketId, sender: NodeId, cx: &mut Context) {
        if matches!(header(packet, cx), Some(Message::Route(route)) if route.is_silent) {
            return;
        }
        match header(packet, cx).or_else(|| said(packet, cx)).cloned() {
            Some(Message::Route(route)) => {
                self.learn_of_sender(&route, sender, cx);
                self.shorten(&route, sender, cx);
            }
            Some(Message::Error(error)) => self.forget(error.broken),
            Some(Message::Reply(reply)) => self.learn_of_sender(&reply.route, sender, cx),
            Some(Message::Request(_)) | None => {}
        }
    }

    /// Who is heard can be reached, and over it what is on its way, there and back.
    fn learn_of_sender(&mut self, route: &SourceRoute, sender: NodeId, cx: &mut Context) {
        let Some(place) = route.path.iter().position(|&node| node == sender) else { return };
        let here = [self.node];
        let onward = [&here[..], &route.path[place..]].concat();
        let back: Vec<_> = route.path[..=place].iter().rev().copied().collect();
        self.learn(&onward, cx);
        self.learn(&[&here[..], &back].concat(), cx);
    }

    /// Tells the source when this node is to have the packet later anyway.
    fn shorten(&mut self, route: &SourceRoute, sender: NodeId, cx: &mut Context) {
        let place = |wanted: NodeId| route.path.iter().position(|&node| node == wanted);
        let (Some(own), Some(from)) = (place(self.node), place(sender)) else { return };
        if !self.config.shortens || own <= from + 1 {
            return;
        }
        let source = route.path[0];
        let held_off = self.holdoffs.entry((source, sender)).or_insert(Instant::ZERO);
        if *held_off > cx.now {
            return;
        }
        *held_off = cx.now.saturating_add(self.config.shortening_holdoff);
        let path = [&route.path[..=from], &route.path[own..]].concat();
        let back = path[..=from + 1].iter().rev().copied().collect();
        self.reply(path, back, cx);
    }
}

/// What a packet of routing's own says.
fn said(packet: PacketId, cx: &Context) -> Option<&Message> {
    match cx.packets.message(packet) {
        Some(crate::routing::message::Message::Dsr(message)) => Some(message),
        _ => None,
    }
}
