//! Replies and errors that meet a broken link ([`Config::salvage_messages`](super::Config)), as in ns-2.35
//! (`dsr/dsragent.cc`: `undeliverablePkt`, `xmitFailed`, `processBrokenRouteError`): they take another route, or wait for
//! one as data do. The node at which their route began gets a route error, which encloses an error that failed.

use super::Dsr;
use crate::context::Context;
use crate::frame::LinkFailure;
use crate::hop::Hop;
use crate::ids::{NodeId, PacketId};
use crate::packet::Packet;
use crate::wire;
use crate::wire::dsr::{Broken, Enclosed, Error, Message, Path, Reply, SourceRoute};

/// Most errors in one packet (`MAX_ROUTE_ERRORS`).
const MOST_ERRORS: usize = 3;

impl Dsr {
    /// A reply or an error met a broken link. A reply that names the link takes no other route, except from its origin.
    pub(super) fn on_message_failure(
        &mut self,
        message: Message,
        broken: Broken,
        failure: LinkFailure,
        cx: &mut Context,
    ) {
        let Some((route, origin)) = way(&message) else { return };
        let is_reported = failure != LinkFailure::Recalled && route.path[0] != self.node;
        let error = if is_reported { self.error_about(&message, route, broken) } else { None };
        if origin == self.node {
            self.send_own(message, cx);
        } else if route.salvaged < self.config.max_salvage {
            self.salvage_message(message, broken, cx);
        }
        if let Some(error) = error {
            self.send_after(Message::Error(error), self.config.error_delay, cx);
        }
    }

    fn salvage_message(&mut self, mut message: Message, broken: Broken, cx: &mut Context) {
        let Some((route, origin)) = way_mut(&mut message) else { return };
        let destination = end(route);
        if let Some(path) = self.cache.find(destination, cx.now) {
            *route = SourceRoute { salvaged: route.salvaged + 1, ..SourceRoute::along(path) };
            if !names(&message, broken) {
                self.send(message, cx);
            }
        } else if self.config.salvage_with_request {
            self.keep(message, destination, origin, cx);
            self.ask_neighbours(destination, cx);
        }
    }

    /// Sends a message of this node over the best known route; without one it waits for a route discovery.
    fn send_own(&mut self, mut message: Message, cx: &mut Context) {
        let Some((route, origin)) = way_mut(&mut message) else { return };
        let destination = end(route);
        if let Some(path) = self.cache.find_wanted(destination, cx.now) {
            *route = SourceRoute { salvaged: route.salvaged, ..SourceRoute::along(path) };
            self.send(message, cx);
        } else {
            self.keep(message, destination, origin, cx);
            self.discover(destination, cx);
        }
    }

    fn keep(&mut self, message: Message, destination: NodeId, origin: NodeId, cx: &mut Context) {
        let (size, message) = (message.size(), wire::Message::Dsr(message));
        let packet = cx.packets.originate_message(origin, Packet::HOP_LIMIT, size, message, cx.now);
        self.buffer.push(destination, packet, cx);
    }

    /// There is a route for a message that waited.
    pub(super) fn set_message_out(
        &mut self,
        packet: PacketId,
        mut message: Message,
        path: Path,
        cx: &mut Context,
    ) -> Hop {
        let hop = self.hop(path[1]);
        if let Some((route, _)) = way_mut(&mut message) {
            *route = SourceRoute { salvaged: route.salvaged, ..SourceRoute::along(path) };
        }
        let (size, message) = (message.size(), wire::Message::Dsr(message));
        cx.packets.set_message(packet, message, size);
        hop
    }

    fn error_about(&self, message: &Message, route: &SourceRoute, broken: Broken) -> Option<Error> {
        let mut enclosed = Vec::new();
        if let Message::Error(error) = message {
            enclosed.clone_from(&error.enclosed);
            enclosed.push(Enclosed { broken: error.broken, to: end(route) });
        }
        let (source, origin) = (route.path[0], self.node);
        let route = SourceRoute { salvaged: route.salvaged, ..SourceRoute::along(route.back()) };
        let error = Error { route, broken, source, met: None, origin, enclosed };
        (error.enclosed.len() < MOST_ERRORS).then_some(error)
    }

    /// This node received an error: what is enclosed goes to the node that it is for, salvaged as often as the error was.
    pub(super) fn pass_on(&mut self, mut enclosed: Vec<Enclosed>, salvaged: u8, cx: &mut Context) {
        let Some(Enclosed { broken, to }) = enclosed.pop() else { return };
        if to == self.node {
            self.on_route_error(broken, to, None, cx);
            return self.pass_on(enclosed, salvaged, cx);
        }
        let route = SourceRoute { salvaged, ..SourceRoute::along([self.node, to]) };
        let error = Error { route, broken, source: to, met: None, origin: self.node, enclosed };
        self.send_own(Message::Error(error), cx);
    }

    /// All links that an error names are broken.
    pub(super) fn forget_all(&mut self, error: &Error) {
        self.forget(error.broken);
        for enclosed in &error.enclosed {
            self.forget(enclosed.broken);
        }
    }
}

/// The route of a reply or an error, and the node that sent it.
fn way(message: &Message) -> Option<(&SourceRoute, NodeId)> {
    match message {
        Message::Reply(Reply { route, origin, .. }) | Message::Error(Error { route, origin, .. }) => {
            Some((route, *origin))
        }
        Message::Request(_) | Message::Route(_) => None,
    }
}

fn way_mut(message: &mut Message) -> Option<(&mut SourceRoute, NodeId)> {
    match message {
        Message::Reply(Reply { route, origin, .. }) | Message::Error(Error { route, origin, .. }) => {
            Some((route, *origin))
        }
        Message::Request(_) | Message::Route(_) => None,
    }
}

fn end(route: &SourceRoute) -> NodeId {
    route.path[route.path.len() - 1]
}

/// True for a reply with a path over the link, in either direction.
fn names(message: &Message, Broken { from, to }: Broken) -> bool {
    matches!(message, Message::Reply(reply)
        if reply.path.windows(2).any(|link| link == [from, to] || link == [to, from]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::Routing;
    use crate::routing::dsr::Config;
    use crate::routing::dsr::config::Preset;
    use crate::routing::dsr::maintenance::tests::{NODE, node, part, route, sent};
    use farlink_kernel::Duration;

    fn nodes(path: &[u32]) -> Path {
        path.iter().copied().map(NodeId).collect()
    }

    fn reply(way: &[u32], at: usize, path: &[u32]) -> Message {
        Message::Reply(Reply { route: route(way, at, 0), origin: NodeId(way[0]), path: nodes(path) })
    }

    fn error(way: &[u32], at: usize, broken: (u32, u32), enclosed: Vec<Enclosed>) -> Message {
        let (broken, source) = (Broken { from: NodeId(broken.0), to: NodeId(broken.1) }, NodeId(9));
        Message::Error(Error {
            route: route(way, at, 0),
            broken,
            source,
            met: None,
            origin: NodeId(way[0]),
            enclosed,
        })
    }

    fn fail(dsr: &mut Dsr, message: Message, cx: &mut Context) {
        let packet = dsr.packet(message, 64, cx);
        dsr.on_sent(part(packet, 2), Err(LinkFailure::NoResponse), cx);
    }

    fn count(messages: &[Message], is_such: fn(&&Message) -> bool) -> usize {
        messages.iter().filter(is_such).count()
    }

    #[test]
    fn a_reply_of_ns2_takes_another_route_unless_it_names_the_link_and_its_source_gets_an_error() {
        let reply_over = |preset, path: &[u32]| {
            let (mut dsr, mut cx) = node(&Config::of(preset));
            dsr.cache.learn(&[1, 3, 9].map(NodeId), cx.now);
            fail(&mut dsr, reply(&[0, 1, 2, 9], 1, path), &mut cx);
            let sent = sent(&mut dsr, &mut cx);
            let replies = count(&sent, |message| matches!(message, Message::Reply(_)));
            (replies, count(&sent, |message| matches!(message, Message::Error(_))))
        };
        assert_eq!(reply_over(Preset::Rfc, &[9, 4, 0]), (0, 0));
        assert_eq!(reply_over(Preset::Ns2, &[9, 4, 0]), (1, 1));
        assert_eq!(reply_over(Preset::Ns2, &[9, 2, 1, 0]), (0, 1));
    }

    #[test]
    fn a_message_of_ns2_without_another_route_waits_for_one() {
        for (way, at, floods) in [(&[0, 1, 2, 9][..], 1, false), (&[1, 2, 9], 0, true)] {
            let (mut dsr, mut cx) = node(&Config::of(Preset::Ns2));
            fail(&mut dsr, reply(way, at, &[9, 4, 0]), &mut cx);
            let mut requests = 0;
            for _ in 0..50 {
                cx.now = cx.now.saturating_add(Duration::from_millis(5));
                dsr.on_deadline(&mut cx);
                requests += count(&sent(&mut dsr, &mut cx), |message| matches!(message, Message::Request(_)));
            }
            // Only the node that sent it asks the whole network.
            assert_eq!(requests, if floods { 2 } else { 1 });
            dsr.cache.learn(&[1, 3, 9].map(NodeId), cx.now);
            dsr.release(&mut cx);
            let sent = sent(&mut dsr, &mut cx);
            let [Message::Reply(reply)] = &sent[..] else { panic!("{sent:?}") };
            assert_eq!(
                (reply.route.path.clone(), reply.origin),
                (nodes(&[1, 3, 9]), NodeId(way[0])),
                "the route is the new one"
            );
            assert_eq!(dsr.held(), [] as [PacketId; 0]);
        }
    }

    #[test]
    fn an_error_of_ns2_encloses_one_that_failed_and_at_most_two() {
        let enclosed = |depth: usize| {
            let (mut dsr, mut cx) = node(&Config::of(Preset::Ns2));
            let inner = Enclosed { broken: Broken { from: NodeId(7), to: NodeId(8) }, to: NodeId(9) };
            fail(&mut dsr, error(&[0, 1, 2, 9], 1, (5, 6), vec![inner; depth]), &mut cx);
            let sent = sent(&mut dsr, &mut cx);
            sent.into_iter().find_map(|message| match message {
                Message::Error(error) if error.origin == NODE => Some((error.route.path, error.enclosed)),
                _ => None,
            })
        };
        let failed = Enclosed { broken: Broken { from: NodeId(5), to: NodeId(6) }, to: NodeId(9) };
        assert_eq!(enclosed(0), Some((nodes(&[1, 0]), vec![failed])));
        assert_eq!(enclosed(1).map(|(_, enclosed)| enclosed.len()), Some(2));
        assert_eq!(enclosed(2), None);
    }

    #[test]
    fn the_receiver_of_an_error_passes_on_what_is_enclosed() {
        let (mut dsr, mut cx) = node(&Config::of(Preset::Ns2));
        dsr.cache.learn(&[1, 3, 9].map(NodeId), cx.now);
        dsr.cache.learn(&[1, 7, 8].map(NodeId), cx.now);
        let broken = Broken { from: NodeId(7), to: NodeId(8) };
        let enclosed = vec![Enclosed { broken, to: NodeId(9) }, Enclosed { broken, to: NODE }];
        let Message::Error(error) = error(&[4, 1], 1, (4, 6), enclosed) else { unreachable!() };
        dsr.on_error(&Error { route: route(&[4, 1], 1, 4), ..error }, &mut cx);
        let sent = sent(&mut dsr, &mut cx);
        let [Message::Error(passed)] = &sent[..] else { panic!("{sent:?}") };
        assert_eq!((passed.broken, &passed.route.path), (broken, &nodes(&[1, 3, 9])));
        assert_eq!(passed.route.salvaged, 4);
        assert!(passed.enclosed.is_empty());
        assert_eq!(dsr.cache.find(NodeId(8), cx.now), None, "the link that it names is broken");
    }
}
