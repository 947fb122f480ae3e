//! Route maintenance (RFC 4728, sections 3.2, 3.4.1 and 8.3): a node that cannot forward a packet sends its source a
//! route error, and may salvage the packet. The MAC's acknowledgements show that packets arrive.

use farlink_kernel::Instant;

use super::overhear::said;
use super::{Dsr, header, salvaged};
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
            if self.config.salvage_messages
                && let Some(message) = said(part.packet, cx).cloned()
            {
                self.on_message_failure(message, broken, failure, cx);
            }
            return cx.drop(part.packet, cause);
        }
        if self.causes_error(part.packet, broken, failure, cx) {
            self.send_error(part.packet, broken, cx);
        }
        self.salvage(part.packet, cause, cx);
    }

    fn causes_error(&mut self, packet: PacketId, broken: Broken, failure: LinkFailure, cx: &Context) -> bool {
        if self.config.errors_per_packet && self.met(packet, cx).is_none() {
            return failure != LinkFailure::Recalled;
        }
        let (source, flow) = (cx.packets[packet].source, cx.packets[packet].flow);
        self.errors_sent.is_new(source, flow, broken, cx.now)
    }

    /// Sends the first node of a packet's route a route error: its source, or the node that salvaged it last (section
    /// 8.3.4), also if it sent the packet back to its source.
    fn send_error(&mut self, packet: PacketId, broken: Broken, cx: &mut Context) {
        let met = self.met(packet, cx);
        let source = cx.packets[packet].source;
        let is_own = source == self.node;
        if is_own {
            self.on_route_error(broken, self.node, met, cx);
        } else if let (Notices::Ideal, Some(met)) = (self.config.route_notifications, met) {
            notice::notify(met, cx);
        }
        let Some(Message::Route(route)) = header(packet, cx) else { return };
        let route = SourceRoute { salvaged: route.salvaged, ..SourceRoute::along(route.back()) };
        let met = met.filter(|_| !is_own);
        let error = Error { route, broken, source, met, origin: self.node, enclosed: Vec::new() };
        self.send_after(Message::Error(error), self.config.error_delay, cx);
    }

    /// Handles a route error at the source of the packet; a node that salvaged it forwards the error to the source.
    /// A frozen transport sends no packet that would start a discovery, so the source starts one itself, which also
    /// notifies the other end.
    pub(super) fn on_route_error(
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
            let met = Some(met);
            let error = Error { route, broken, source, met, origin: self.node, enclosed: Vec::new() };
            self.send(Message::Error(error), cx);
        }
    }

    fn met(&self, packet: PacketId, cx: &Context) -> Option<AffectedSegment> {
        notice::affected_segment(packet, cx).filter(|_| self.config.route_notifications != Notices::None)
    }

    /// The source looks for another way; others use one that they know (section 3.4.1). How often others did so counts
    /// over the packet's life (section 8.3): a packet that they send back to its source is no new one.
    fn salvage(&mut self, packet: PacketId, cause: Cause, cx: &mut Context) {
        let salvaged = salvaged(packet, cx);
        let destination = cx.packets[packet].destination;
        if cx.packets[packet].source == self.node {
            self.take_off_route(packet, salvaged, cx);
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
            self.take_off_route(packet, salvaged, cx);
            self.buffer.push(destination, packet, cx);
            self.ask_neighbours(destination, cx);
        } else {
            cx.drop(packet, cause);
        }
    }

    /// The packet has no route until another is found, but remembers how often it was salvaged.
    fn take_off_route(&self, packet: PacketId, salvaged: u8, cx: &mut Context) {
        if salvaged == 0 {
            cx.packets.take_header(packet);
        } else {
            self.put_header(packet, SourceRoute { salvaged, ..SourceRoute::along([]) }, cx);
        }
    }

    /// A route error came: it is passed on, or meant for this node.
    pub(super) fn on_error(&mut self, error: &Error, cx: &mut Context) {
        self.forget_all(error);
        if error.route.next().is_none() {
            self.on_route_error(error.broken, error.source, error.met, cx);
            self.pass_on(error.enclosed.clone(), error.route.salvaged, cx);
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::context::Context;
    use crate::hop::Decision;
    use crate::ids::InterfaceId;
    use crate::packet::Packet;
    use crate::packet::tests::datagram;
    use crate::routing::dsr::Config;
    use crate::routing::dsr::config::Preset;
    use crate::routing::{Routing, Setup};
    use crate::wire;

    pub(in crate::routing::dsr) const NODE: NodeId = NodeId(1);

    pub(in crate::routing::dsr) fn node(config: &Config) -> (Dsr, Context) {
        let setup = Setup { seed: 1, node: NODE, interfaces: &[InterfaceId(1)], nodes: 10 };
        (Dsr::new(config, &setup), Context::new(1))
    }

    pub(in crate::routing::dsr) fn route(path: &[u32], at: usize, salvaged: u8) -> SourceRoute {
        let path: Vec<_> = path.iter().copied().map(NodeId).collect();
        SourceRoute { at, salvaged, ..SourceRoute::along(path) }
    }

    pub(in crate::routing::dsr) fn part(packet: PacketId, to: u32) -> Part {
        Part { packet, next_hop: NextHop::Node(NodeId(to)) }
    }

    /// The messages that the node sends, at once or later.
    pub(in crate::routing::dsr) fn sent(dsr: &mut Dsr, cx: &mut Context) -> Vec<Message> {
        cx.now = cx.now.saturating_add(farlink_kernel::Duration::from_millis(1));
        dsr.outbox.send_due(NODE, cx);
        let messages = cx.effects.drain(..).filter_map(|effect| match effect {
            Effect::Send { packet, .. } => cx.packets.message(packet).cloned(),
            _ => None,
        });
        let dsr = |message| if let wire::Message::Dsr(message) = message { Some(message) } else { None };
        messages.filter_map(dsr).collect()
    }

    #[test]
    fn a_packet_that_comes_back_to_its_source_keeps_its_count_of_salvages() {
        for config in [Config::default(), Config::of(Preset::Ns2)] {
            let (mut dsr, mut cx) = node(&config);
            let own = Packet { source: NODE, destination: NodeId(9), ..datagram(100) };
            let packet = cx.packets.originate(own);
            dsr.put_header(packet, route(&[5, 1, 2, 9], 1, 7), &mut cx);
            dsr.on_sent(part(packet, 2), Err(LinkFailure::NoResponse), &mut cx);
            assert_eq!(dsr.next_hop(packet, &mut cx), Decision::Queued);
            assert_eq!(salvaged(packet, &cx), 7);
            dsr.cache.learn(&[1, 3, 9].map(NodeId), cx.now);
            assert!(matches!(dsr.next_hop(packet, &mut cx), Decision::Forward(_)));
            assert_eq!(salvaged(packet, &cx), 7, "{config:?}");
        }
    }

    #[test]
    fn a_node_that_sent_a_packet_back_to_its_source_gets_a_route_error_from_there() {
        for config in [Config::default(), Config::of(Preset::Ns2)] {
            let (mut dsr, mut cx) = node(&config);
            for (path, at, salvager) in [(&[5, 1, 2, 9][..], 1, Some(5)), (&[1, 2, 9], 0, None)] {
                let own = Packet { source: NODE, destination: NodeId(9), ..datagram(100) };
                let packet = cx.packets.originate(own);
                dsr.put_header(packet, route(path, at, 7), &mut cx);
                dsr.on_sent(part(packet, 2), Err(LinkFailure::NoResponse), &mut cx);
                let to = |message: &Message| {
                    if let Message::Error(error) = message { error.route.next() } else { None }
                };
                assert_eq!(sent(&mut dsr, &mut cx).iter().find_map(to), salvager.map(NodeId), "{config:?}");
            }
        }
    }

    #[test]
    fn a_packet_is_salvaged_as_often_as_permitted() {
        let (mut dsr, mut cx) = node(&Config::default());
        dsr.cache.learn(&[1, 3, 9].map(NodeId), cx.now);
        for (before, is_dropped) in [(14, false), (15, true)] {
            let packet = cx.packets.originate(Packet { destination: NodeId(9), ..datagram(100) });
            dsr.put_header(packet, route(&[0, 1, 2, 9], 1, before), &mut cx);
            dsr.on_sent(part(packet, 2), Err(LinkFailure::NoResponse), &mut cx);
            let drops = cx.effects.drain(..).filter(|effect| matches!(effect, Effect::Drop { .. })).count();
            assert_eq!(drops > 0, is_dropped);
        }
    }

    #[test]
    fn each_packet_of_ns2_that_a_link_fails_causes_an_error_and_none_that_waited() {
        let errors = |preset, failures: &[LinkFailure]| {
            let (mut dsr, mut cx) = node(&Config::of(preset));
            for &failure in failures {
                let packet = cx.packets.originate(Packet { destination: NodeId(9), ..datagram(100) });
                dsr.put_header(packet, route(&[0, 1, 2, 9], 1, 0), &mut cx);
                dsr.on_sent(part(packet, 2), Err(failure), &mut cx);
            }
            sent(&mut dsr, &mut cx).iter().filter(|message| matches!(message, Message::Error(_))).count()
        };
        let (failed, waited) = (LinkFailure::NoResponse, LinkFailure::Recalled);
        assert_eq!(errors(Preset::Rfc, &[failed, failed, waited]), 1);
        assert_eq!(errors(Preset::Ns2, &[failed, failed, waited]), 2);
        assert_eq!((errors(Preset::Rfc, &[waited]), errors(Preset::Ns2, &[waited])), (1, 0));
    }
}
