//! Route maintenance (RFC 4728, sections 3.2, 3.4.1 and 8.3): a node that cannot forward a packet sends its source a
//! route error, and may salvage the packet. The MAC's acknowledgements show that packets arrive.

use farlink_kernel::Instant;

use super::{Dsr, header};
use crate::context::{Context, Effect};
use crate::frame::LinkFailure;
use crate::hop::{Hop, NextHop, Part};
use crate::ids::{FlowId, NodeId, PacketId};
use crate::packet::{Cause, Payload};
use crate::routing::notice::{self, Notices};
use crate::wire::dsr::{Broken, Error, Message, SourceRoute};
use crate::wire::notice::AffectedSegment;

/// The errors sent about the last break: what waited for the same neighbour comes back at the same time.
#[derive(Clone, Debug, Default)]
pub struct ErrorsSent {
    at: Instant,
    of: Vec<(NodeId, FlowId, Broken)>,
}

impl ErrorsSent {
    /// True for a source and a flow that got none at this time.
    fn is_new(&mut self, source: NodeId, flow: FlowId, broken: Broken, now: Instant) -> bool {
        if self.at != now {
            self.of.clear();
            self.at = now;
        }
        let error = (source, flow, broken);
        let is_new = !self.of.contains(&error);
        if is_new {
            self.of.push(error);
        }
        is_new
    }
}

impl Dsr {
    /// A packet could not be sent to the next node.
    pub(super) fn on_failure(&mut self, part: Part, failure: LinkFailure, cx: &mut Context) {
        let cause = if failure == LinkFailure::Down { Cause::LinkDown } else { Cause::LinkFailure };
        let NextHop::Node(to) = part.next_hop else { return cx.drop(part.packet, cause) };
        let broken = Broken { from: self.node, to };
        if failure != LinkFailure::Recalled {
            self.forget(broken);
            for &interface in &self.interfaces {
                cx.push(Effect::Recall { hop: Hop { interface, next_hop: part.next_hop } });
            }
        }
        if matches!(cx.packets[part.packet].payload, Payload::Message(_)) {
            return cx.drop(part.packet, cause);
        }
        if self.errors_sent.is_new(
            cx.packets[part.packet].source,
            cx.packets[part.packet].flow,
            broken,
            cx.now,
        ) {
            self.send_error(part.packet, broken, cx);
        }
        self.salvage(part.packet, cause, cx);
    }

    /// Sends the source of a packet a route error; the node that salvaged it last stands for its source.
    fn send_error(&mut self, packet: PacketId, broken: Broken, cx: &mut Context) {
        let met = self.met(packet, cx);
        if cx.packets[packet].source == self.node {
            return self.on_route_error(broken, self.node, met, cx);
        }
        if let (Notices::Ideal, Some(met)) = (self.config.route_notifications, met) {
            notice::notify(met, cx);
        }
        let Some(Message::Route(route)) = header(packet, cx) else { return };
        let route = SourceRoute::along(route.back());
        let source = cx.packets[packet].source;
        let error = Message::Error(Error { route, broken, source, met });
        self.send_after(error, self.config.error_delay, cx);
    }

    /// Handles a route error at the source of the packet; a node that salvaged it forwards the error to the source.
    /// A frozen transport sends no packet that would start a discovery, so the source starts one itself, which also
    /// notifies the other end.
    fn on_route_error(
        &mut self,
        broken: Broken,
        source: NodeId,
        met: Option<AffectedSegment>,
        cx: &mut Context,
    ) {
        self.forget(broken);
        if self.config.error_memory.is_none() || broken.from != self.node || met.is_some() {
            self.searches.on_broken(broken, met, cx.now);
        }
        let Some(met) = met else { return };
        if source == self.node {
            let is_notified = self.config.route_notifications == Notices::Ideal && broken.from != self.node;
            if !is_notified {
                notice::notify(met, cx);
            }
            self.discover_for_transport(met.destination, cx);
        } else if let Some(path) = self.cache.find(source, cx.now) {
            let route = SourceRoute::along(path);
            self.send(Message::Error(Error { route, broken, source, met: Some(met) }), cx);
        }
    }

    fn met(&self, packet: PacketId, cx: &Context) -> Option<AffectedSegment> {
        notice::affected_segment(packet, cx).filter(|_| self.config.route_notifications != Notices::None)
    }

    /// The source looks for another way; others use one that they know (section 3.4.1).
    fn salvage(&mut self, packet: PacketId, cause: Cause, cx: &mut Context) {
        let header = header(packet, cx).cloned();
        let salvaged = match header {
            Some(Message::Route(route)) => route.salvaged,
            _ => 0,
        };
        let destination = cx.packets[packet].destination;
        if cx.packets[packet].source == self.node {
            cx.packets.take_header(packet);
            return cx.push(Effect::Down { node: self.node, packet });
        }
        if salvaged >= self.config.max_salvage {
            return cx.drop(packet, cause);
        }
        if let Some(path) = self.cache.find(destination, cx.now) {
            let route = SourceRoute { salvaged: salvaged + 1, ..SourceRoute::along(path) };
            self.put_header(packet, route, cx);
            cx.push(Effect::Down { node: self.node, packet });
        } else if self.config.salvage_with_request {
            cx.packets.take_header(packet);
            self.buffer.push(destination, packet, cx);
            self.ask_neighbours(destination, cx);
        } else {
            cx.drop(packet, cause);
        }
    }

    /// A route error came: it is passed on, or meant for this node.
    pub(super) fn on_error(&mut self, error: &Error, cx: &mut Context) {
        self.forget(error.broken);
        if error.route.next().is_none() {
            self.on_route_error(error.broken, error.source, error.met, cx);
        }
    }
}
