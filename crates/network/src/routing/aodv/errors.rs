//! Broken links and RERR messages (RFC 3561, section 6.11).

use farlink_kernel::Duration;

use super::config::RerrRecipients;
use super::table::BrokenRoute;
use super::{Aodv, is_message};
use crate::context::{Context, Effect};
use crate::frame::LinkFailure;
use crate::hop::{Hop, NextHop, Part};
use crate::ids::{NodeId, PacketId};
use crate::packet::{Cause, Packet};
use crate::wire;
use crate::wire::aodv::{MOST_UNREACHABLE, Message, Named, RouteError};

impl Aodv {
    /// A link did not carry a packet.
    pub(super) fn on_failure(&mut self, part: Part, failure: LinkFailure, cx: &mut Context) {
        let Part { packet, next_hop } = part;
        let cause = if failure == LinkFailure::Down { Cause::LinkDown } else { Cause::LinkFailure };
        let NextHop::Node(neighbour) = next_hop else { return cx.drop(packet, cause) };
        let is_break = failure != LinkFailure::Recalled && self.config.link_layer_detection;
        if is_message(packet, cx) {
            if is_break {
                self.on_message_failure(packet, neighbour, cx);
            }
            return cx.drop(packet, cause);
        }
        if is_break && self.begin_repair(packet, neighbour, cx) {
            return;
        }
        if is_break {
            let named = self.name(packet, cx);
            self.on_link_broken(neighbour, named, cx);
        }
        let destination = cx.packets[packet].destination;
        // A link that is down gives a packet back at once: without detection the route would lead there again.
        let leads_elsewhere = is_break || failure != LinkFailure::Down;
        let may_wait = self.is_own(packet, cx) && self.config.reroute && leads_elsewhere;
        if may_wait || self.is_repairing(destination, cx.now) {
            cx.push(Effect::Down { node: self.node, packet });
        } else {
            self.notify_at_once(packet, cx);
            cx.drop(packet, cause);
        }
    }

    /// A neighbour did not get a message: it is not listened to if that was a reply (section 6.8).
    fn on_message_failure(&mut self, packet: PacketId, neighbour: NodeId, cx: &mut Context) {
        let is_reply = matches!(cx.packets.message(packet), Some(wire::Message::Aodv(Message::Reply(_))));
        if is_reply {
            let until = cx.now.saturating_add(self.config.blacklist_timeout());
            self.one_way.on_unheard(NextHop::Node(neighbour), until);
        }
        if self.config.control_packets_break_links {
            self.on_link_broken(neighbour, None, cx);
        }
    }

    /// The link to a neighbour broke: its routes end, and what waits for it comes back.
    pub(super) fn on_link_broken(&mut self, neighbour: NodeId, named: Option<Named>, cx: &mut Context) {
        self.neighbours.remove(neighbour);
        self.table.remove_precursor(neighbour);
        let over = self.table.over(neighbour, cx.now);
        let end = |destination| self.table.end(destination, cx.now);
        let lost = over.into_iter().filter_map(end).collect::<Vec<_>>();
        self.notify_flows(&lost, named, cx);
        self.tell(lost, named, Duration::ZERO, cx);
        for &interface in &self.interfaces {
            cx.push(Effect::Recall { hop: Hop { interface, next_hop: NextHop::Node(neighbour) } });
        }
    }

    pub(super) fn on_no_route(&mut self, packet: PacketId, cx: &mut Context) {
        let Packet { source, destination, .. } = cx.packets[packet];
        let named = self.name(packet, cx);
        self.notify_at_once(packet, cx);
        let mut lost = self.table.no_route(destination, cx.now);
        if let Some(back) = self.table.active(source, cx.now).map(|route| route.hop)
            && !lost.precursors.contains(&back)
        {
            lost.precursors.push(back);
        }
        if lost.precursors.is_empty() {
            self.broadcast_error(&[lost], named, Duration::ZERO, cx);
        } else {
            self.tell(vec![lost], named, Duration::ZERO, cx);
        }
    }

    /// A neighbour reports broken routes, or that it has repaired them.
    pub(super) fn on_error(&mut self, error: &RouteError, from: Hop, cx: &mut Context) {
        let mut lost = Vec::new();
        for &(destination, sequence) in &error.unreachable {
            if error.is_repaired {
                // The route stays; its precursors are notified that it is longer now (section 6.12).
                let route = self.table.active(destination, cx.now).filter(|route| route.hop == from);
                lost.extend(route.map(|route| BrokenRoute {
                    destination,
                    sequence,
                    precursors: route.precursors.clone(),
                }));
            } else {
                lost.extend(self.table.on_error(destination, from, sequence, cx.now));
            }
        }
        if self.config.rerr_flushes_queue && !error.is_repaired && !lost.is_empty() {
            cx.push(Effect::Recall { hop: from });
        }
        if !error.is_repaired {
            self.notify_flows(&lost, error.named, cx);
        }
        lost.retain(|lost| !lost.precursors.is_empty());
        if error.is_repaired {
            self.notify_repaired(&lost, cx);
        } else if !lost.is_empty() {
            let after = self.jitter();
            self.tell(lost, error.named, after, cx);
        }
    }

    /// Sends a RERR for broken routes to their precursors.
    pub(super) fn tell(
        &mut self,
        mut lost: Vec<BrokenRoute>,
        named: Option<Named>,
        after: Duration,
        cx: &mut Context,
    ) {
        if self.config.rerr_recipients == RerrRecipients::AllNeighbours {
            return self.broadcast_error(&lost, named, after, cx);
        }
        lost.retain(|lost| !lost.precursors.is_empty());
        match only_precursor(&lost) {
            Some(hop) => self.send_errors(&lost, named, Some(hop), after, cx),
            None => self.broadcast_error(&lost, named, after, cx),
        }
    }

    fn broadcast_error(
        &mut self,
        lost: &[BrokenRoute],
        named: Option<Named>,
        after: Duration,
        cx: &mut Context,
    ) {
        self.send_errors(lost, named, None, after, cx);
    }

    pub(super) fn notify_repaired(&mut self, lost: &[BrokenRoute], cx: &mut Context) {
        for some in lost.chunks(MOST_UNREACHABLE) {
            self.send_error(RouteError::about(some, true, None), only_precursor(lost), Duration::ZERO, cx);
        }
    }

    fn send_errors(
        &mut self,
        lost: &[BrokenRoute],
        named: Option<Named>,
        to: Option<Hop>,
        after: Duration,
        cx: &mut Context,
    ) {
        for some in lost.chunks(MOST_UNREACHABLE) {
            self.send_error(RouteError::about(some, false, named), to, after, cx);
        }
    }

    /// Sends an error, to one neighbour or all, unless there were too many lately.
    fn send_error(&mut self, error: RouteError, to: Option<Hop>, after: Duration, cx: &mut Context) {
        if self.errors.take(cx.now) {
            match to {
                Some(hop) => self.send(Message::Error(error), hop, 1, cx),
                None => self.broadcast(&Message::Error(error), 1, after, cx),
            }
        }
    }
}

impl RouteError {
    fn about(lost: &[BrokenRoute], is_repaired: bool, named: Option<Named>) -> Self {
        let unreachable = lost.iter().map(|lost| (lost.destination, lost.sequence)).collect();
        Self { is_repaired, unreachable, named }
    }
}

/// The one neighbour that has to be notified, if there is only one.
fn only_precursor(lost: &[BrokenRoute]) -> Option<Hop> {
    let mut hops = lost.iter().flat_map(|lost| &lost.precursors);
    let first = *hops.next()?;
    hops.all(|&hop| hop == first).then_some(first)
}
