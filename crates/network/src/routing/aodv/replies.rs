//! Replies: where routes come from (RFC 3561, section 6.7).

use farlink_kernel::Duration;

use super::Aodv;
use super::table::RouteUpdate;
use crate::context::Context;
use crate::hop::{Hop, NextHop};
use crate::wire::aodv::{Message, Reply};

impl Aodv {
    pub(super) fn on_reply(&mut self, reply: Reply, from: Hop, hop_limit: u8, cx: &mut Context) {
        let Reply { destination, originator, .. } = reply;
        if reply.wants_acknowledgement {
            self.send(Message::ReplyAcknowledgement, from, 1, cx);
        }
        self.learn_of_neighbour(from, cx);
        if destination == self.node {
            return;
        }
        if originator == destination {
            self.neighbours.on_hello(destination, cx.now);
        }
        let hops = reply.hop_count.saturating_add(1);
        let sequence = Some(reply.destination_sequence);
        let expires = cx.now.saturating_add(Duration::from_millis(reply.lifetime_ms.into()));
        let asked = self.searches.asked(destination).filter(|_| originator == self.node);
        let is_update = self.learn(destination, &RouteUpdate { sequence, hops, hop: from, expires }, cx);
        if is_update && let Some(asked) = asked {
            self.searches.on_measured(destination, cx.now - asked, hops);
        }
        if is_update && originator == self.node && asked.is_none() {
            // An intermediate node replied for this node (gratuitous RREP, section 6.6.3).
            self.on_found_by(destination, cx);
        }
        if is_update && originator != self.node && originator != destination && hop_limit > 1 {
            self.pass_on(Reply { hop_count: hops, ..reply }, from, hop_limit - 1, cx);
        }
    }

    /// Forwards a reply to the originator and records its next hop as a precursor.
    fn pass_on(&mut self, reply: Reply, from: Hop, hop_limit: u8, cx: &mut Context) {
        let until = cx.now.saturating_add(self.config.active_route_timeout);
        let Some(back) = self.table.extend(reply.originator, until, cx.now) else { return };
        self.table.add_precursor(reply.destination, back, cx.now);
        // The RFC names the way there only; the destination will answer over the way back (TCP does), and has to
        // hear when that breaks.
        self.table.add_precursor(reply.originator, from, cx.now);
        if let NextHop::Node(neighbour) = from.next_hop {
            self.table.add_precursor(neighbour, back, cx.now);
        }
        self.send_reply(reply, reply.originator, hop_limit, cx);
    }
}
