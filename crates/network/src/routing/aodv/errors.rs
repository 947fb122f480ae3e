//! Broken links and who hears of them (RFC 3561, section 6.11).

use farlink_kernel::Duration;

use super::config::Tell;
use super::messages::{MOST_UNREACHABLE, Message, RouteError};
use super::table::Lost;
use super::{Aodv, is_message};
use crate::blueprint::NodeId;
use crate::context::{Context, Effect};
use crate::frame::{LinkFailure, NextHop, Part};
use crate::packet::{Cause, PacketId};
use crate::routing::{Hop, message};

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
            self.on_link_broken(neighbour, cx);
        }
        let destination = cx.packets[packet].destination;
        let may_wait = self.is_own(packet, cx) && self.config.reroute;
        if may_wait || self.is_repairing(destination, cx.now) {
            cx.push(Effect::Down { node: self.node, packet });
        } else {
            cx.drop(packet, cause);
        }
    }

    /// A neighbour did not get a message: it is not listened to if that was a reply (section 6.8).
    fn on_message_failure(&mut self, packet: PacketId, neighbour: NodeId, cx: &mut Context) {
        let is_reply = matches!(cx.packets.message(packet), Some(message::Message::Aodv(Message::Reply(_))));
        if is_reply {
            let until = cx.now.saturating_add(self.config.blacklist_timeout());
            self.one_way.on_unheard(NextHop::Node(neighbour), until);
        }
        if self.config.messages_break_links {
            self.on_link_broken(neighbour, cx);
        }
    }

    /// The link to a neighbour broke: its routes end, and what waits for it comes back.
    pub(super) fn on_link_broken(&mut self, neighbour: NodeId, cx: &mut Context) {
        self.neighbours.remove(neighbour);
        self.table.remove_precursor(neighbour);
        let over = self.table.over(neighbour, cx.now);
        let lost = over.into_iter().filter_map(|destination| self.table.end(destination, cx.now)).collect();
        self.tell(lost, Duration::ZERO, cx);
        for &interface in &self.interfaces {
            cx.push(Effect::Recall { hop: Hop { interface, next_hop: NextHop::Node(neighbour) } });
        }
    }

    /// A packet of somebody else came that this node has no route for.
    pub(super) fn on_stray(&mut self, destination: NodeId, source: NodeId, cx: &mut Context) {
        let mut lost = self.table.stray(destination, cx.now);
        if let Some(back) = self.table.active(source, cx.now).map(|route| route.hop)
            && !lost.precursors.contains(&back)
        {
            lost.precursors.push(back);
        }
        if lost.precursors.is_empty() {
            self.tell_everyone(&[lost], Duration::ZERO, cx);
        } else {
            self.tell(vec![lost], Duration::ZERO, cx);
        }
    }

    /// A neighbour reports broken routes, or that it has repaired them.
    pub(super) fn on_error(&mut self, error: &RouteError, from: Hop, cx: &mut Context) {
        let mut lost = Vec::new();
        for &(destination, sequence) in &error.unreachable {
            if error.is_repaired {
                // The route stays; who uses it hears that it is longer now (section 6.12).
                let route = self.table.active(destination, cx.now).filter(|route| route.hop == from);
                lost.extend(route.map(|route| Lost {
                    destination,
                    sequence,
                    precursors: route.precursors.clone(),
                }));
            } else {
                lost.extend(self.table.on_error(destination, from, sequence, cx.now));
            }
        }
        if self.config.errors_empty_queues && !error.is_repaired && !lost.is_empty() {
            cx.push(Effect::Recall { hop: from });
        }
        lost.retain(|lost| !lost.precursors.is_empty());
        if error.is_repaired {
            self.tell_repaired(&lost, cx);
        } else if !lost.is_empty() {
            let after = self.jitter();
            self.tell(lost, after, cx);
        }
    }

    /// Tells who may use them that routes are broken.
    pub(super) fn tell(&mut self, mut lost: Vec<Lost>, after: Duration, cx: &mut Context) {
        if self.config.errors == Tell::Everyone {
            return self.tell_everyone(&lost, after, cx);
        }
        lost.retain(|lost| !lost.precursors.is_empty());
        match only_precursor(&lost) {
            Some(hop) => self.send_errors(&lost, false, Some(hop), after, cx),
            None => self.tell_everyone(&lost, after, cx),
        }
    }

    fn tell_everyone(&mut self, lost: &[Lost], after: Duration, cx: &mut Context) {
        self.send_errors(lost, false, None, after, cx);
    }

    /// Tells who may use them that routes were repaired.
    pub(super) fn tell_repaired(&mut self, lost: &[Lost], cx: &mut Context) {
        self.send_errors(lost, true, only_precursor(lost), Duration::ZERO, cx);
    }

    /// Sends the errors, to one neighbour or all, unless there were too many lately.
    fn send_errors(
        &mut self,
        lost: &[Lost],
        is_repaired: bool,
        to: Option<Hop>,
        after: Duration,
        cx: &mut Context,
    ) {
        for some in lost.chunks(MOST_UNREACHABLE) {
            if !self.errors.take(cx.now) {
                return;
            }
            let unreachable = some.iter().map(|lost| (lost.destination, lost.sequence)).collect();
            let message = Message::Error(RouteError { is_repaired, unreachable });
            match to {
                Some(hop) => self.send(message, hop, 1, cx),
                None => self.broadcast(&message, 1, after, cx),
            }
        }
    }
}

/// The one neighbour that has to be told, if there is only one.
fn only_precursor(lost: &[Lost]) -> Option<Hop> {
    let mut hops = lost.iter().flat_map(|lost| &lost.precursors);
    let first = *hops.next()?;
    hops.all(|&hop| hop == first).then_some(first)
}
