//! Requests of others: passed on or answered (RFC 3561, sections 6.5 and 6.6).

use std::collections::VecDeque;

use farlink_kernel::ordered::Set;
use farlink_kernel::{Duration, Instant};

use super::Aodv;
use super::config::SequenceNumbers;
use super::discovery::even;
use super::table::{Route, RouteUpdate};
use crate::context::Context;
use crate::hop::Hop;
use crate::ids::NodeId;
use crate::wire::aodv::{Message, Reply, Request};

/// Requests that came before, by originator and number.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    known: Set<(NodeId, u32)>,
    forgotten: VecDeque<(Instant, NodeId, u32)>,
}

impl Seen {
    /// True for one that did not come before; it is remembered for `length`.
    fn is_new(&mut self, originator: NodeId, id: u32, length: Duration, now: Instant) -> bool {
        while let Some(&(_, originator, id)) = self.forgotten.front().filter(|(until, ..)| *until <= now) {
            self.forgotten.pop_front();
            self.known.remove(&(originator, id));
        }
        let is_new = self.known.insert((originator, id));
        if is_new {
            self.forgotten.push_back((now.saturating_add(length), originator, id));
        }
        is_new
    }
}

/// How long a route is good for yet, as a message says it.
fn lifetime_ms(route: &Route, now: Instant) -> u32 {
    milliseconds(route.expires.saturating_since(now))
}

/// Whole milliseconds, as many as fit.
fn milliseconds(length: Duration) -> u32 {
    u32::try_from(length.as_millis()).unwrap_or(u32::MAX)
}

impl Aodv {
    pub(super) fn on_request(&mut self, mut request: Request, from: Hop, hop_limit: u8, cx: &mut Context) {
        if request.originator == self.node || self.one_way.is_blacklisted(from.next_hop, cx.now) {
            return;
        }
        self.learn_of_neighbour(from, cx);
        let Request { originator, destination, id, .. } = request;
        if !self.seen.is_new(originator, id, self.config.path_discovery_time(), cx.now) {
            return;
        }
        request.hop_count = request.hop_count.saturating_add(1);
        let expires = cx.now.saturating_add(self.config.reverse_route_timeout(request.hop_count));
        let (sequence, hops) = (Some(request.originator_sequence), request.hop_count);
        let was_missed = self.misses(originator, cx.now);
        self.learn(originator, &RouteUpdate { sequence, hops, hop: from, expires }, cx);
        self.table.extend(originator, expires, cx.now);
        if destination == self.node {
            self.answer_for_myself(request, cx);
            if request.destination_sequence.is_some() && !was_missed {
                self.on_found_by(originator, cx);
            }
        } else if let Some(route) = self.fresh_route(&request, cx.now) {
            self.answer_for(request, &route, cx);
        } else if hop_limit > 1 {
            let known = self.table.get(destination, cx.now).and_then(|route| route.sequence);
            let asked = request.destination_sequence;
            request.destination_sequence =
                known.map_or(asked, |known| Some(known.newest(asked.unwrap_or(known))));
            let after = self.jitter();
            self.broadcast(&Message::Request(request), hop_limit - 1, after, cx);
        }
    }

    /// The route to the destination, if it is in force and at least as new as asked for.
    fn fresh_route(&mut self, request: &Request, now: Instant) -> Option<Route> {
        if request.is_for_destination_only {
            return None;
        }
        let route = self.table.in_force(request.destination, now)?;
        let known = route.sequence.filter(|_| route.is_sequence_valid)?;
        let is_fresh = request.destination_sequence.is_none_or(|asked| !asked.is_newer_than(known));
        is_fresh.then(|| route.clone())
    }

    /// Section 6.6.1.
    fn answer_for_myself(&mut self, request: Request, cx: &mut Context) {
        let newest = self.sequence.newest(request.destination_sequence.unwrap_or(self.sequence));
        self.sequence = match self.config.sequence_numbers {
            SequenceNumbers::Consecutive => newest,
            SequenceNumbers::Even => even(newest.next()),
        };
        let reply = self.own_reply(request.originator, self.config.my_route_timeout());
        self.send_reply(reply, request.originator, self.config.net_diameter, cx);
    }

    pub(super) fn own_reply(&self, originator: NodeId, lifetime: Duration) -> Reply {
        Reply {
            wants_acknowledgement: false,
            hop_count: 0,
            destination: self.node,
            destination_sequence: self.sequence,
            originator,
            lifetime_ms: milliseconds(lifetime),
        }
    }

    /// Section 6.6.2, and 6.6.3 where the destination shall hear of the originator.
    fn answer_for(&mut self, request: Request, route: &Route, cx: &mut Context) {
        let Request { originator, destination, .. } = request;
        let Some(back) = self.table.active(originator, cx.now).cloned() else { return };
        self.table.add_precursor(destination, back.hop, cx.now);
        self.table.add_precursor(originator, route.hop, cx.now);
        let reply = Reply {
            wants_acknowledgement: false,
            hop_count: route.hops,
            destination,
            destination_sequence: route.sequence.unwrap_or_default(),
            originator,
            lifetime_ms: lifetime_ms(route, cx.now),
        };
        self.send_reply(reply, originator, self.config.net_diameter, cx);
        if request.is_gratuitous {
            let gratuitous = Reply {
                hop_count: back.hops,
                destination: originator,
                destination_sequence: request.originator_sequence,
                originator: destination,
                lifetime_ms: lifetime_ms(&back, cx.now),
                ..reply
            };
            self.send_reply(gratuitous, destination, self.config.net_diameter, cx);
        }
    }

    /// Sends a reply to the next node on the way `to` a node.
    pub(super) fn send_reply(&mut self, mut reply: Reply, to: NodeId, hop_limit: u8, cx: &mut Context) {
        let Some(hop) = self.table.active(to, cx.now).map(|route| route.hop) else { return };
        reply.wants_acknowledgement = self.config.rrep_ack;
        if reply.wants_acknowledgement {
            self.one_way.on_replied(hop.next_hop, cx.now.saturating_add(self.config.next_hop_wait()));
        }
        self.send(Message::Reply(reply), hop, hop_limit, cx);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::aodv::sequence::Sequence;

    #[test]
    fn a_request_is_new_once_until_it_is_forgotten() {
        let at = |n| Instant::ZERO + Duration::from_secs(n);
        let mut seen = Seen::default();
        let mut is_new = |originator, id, now| seen.is_new(originator, id, Duration::from_secs(5), at(now));
        assert!(is_new(NodeId(1), 1, 0) && is_new(NodeId(1), 2, 1) && is_new(NodeId(2), 1, 1));
        assert!(!is_new(NodeId(1), 1, 4));
        assert!(is_new(NodeId(1), 1, 5) && !is_new(NodeId(1), 2, 5));
        assert!(is_new(NodeId(1), 2, 6));
    }

    #[test]
    fn even_numbers_follow_any() {
        assert_eq!([0, 1, 2, u32::MAX].map(|n| even(Sequence(n)).0), [0, 2, 2, 0]);
    }
}
