//! What nodes learn from packets that are meant for others (RFC 4728, sections 3.3.1 and 3.4.3).

use std::collections::VecDeque;
use std::sync::Arc;

use super::{Dsr, header};
use crate::context::Context;
use crate::ids::{NodeId, PacketId};
use crate::wire;
use crate::wire::dsr::{Error, Message, Path, Reply};

/// Source routes overheard last. They teach nothing new while no known link is lost, and most overheard packets
/// repeat one: every packet is heard at each hop and followed by others of its flow.
#[derive(Clone, Debug, Default)]
pub struct Known(Vec<Option<(Path, usize, u64)>>);

impl Known {
    const PLACES: usize = 64;

    /// True when this way was heard from the node at `place` when the losses were as many; from now on it was.
    fn is(&mut self, path: &Path, place: usize, losses: u64) -> bool {
        self.0.resize(Self::PLACES, None);
        let key = (7 * path[0].as_index() + 3 * path[path.len() - 1].as_index() + place) % Self::PLACES;
        let known = &mut self.0[key];
        let is = matches!(known, Some((other, at, then))
            if Arc::ptr_eq(other, path) && *at == place && *then == losses);
        if !is {
            *known = Some((Arc::clone(path), place, losses));
        }
        is
    }
}

/// What was overheard lately, at whichever hop ([`Config::overhears_once`](super::Config)).
#[derive(Clone, Debug, Default)]
pub struct Heard {
    /// Numbers of packets, each in its place.
    packets: Vec<u64>,
    /// Routes of messages; those of all hops share one.
    messages: VecDeque<Path>,
}

impl Heard {
    /// ns-2's `TAP_CACHE_SIZE`.
    const PACKETS: usize = 1024;
    const MESSAGES: usize = 64;

    fn is_new_packet(&mut self, number: u64) -> bool {
        self.packets.resize(Self::PACKETS, u64::MAX);
        let known = &mut self.packets[number as usize % Self::PACKETS];
        std::mem::replace(known, number) != number
    }

    fn is_new_message(&mut self, route: &Path) -> bool {
        let is_new = !self.messages.iter().any(|known| Arc::ptr_eq(known, route));
        if is_new {
            self.messages.truncate(Self::MESSAGES - 1);
            self.messages.push_front(Arc::clone(route));
        }
        is_new
    }
}

impl Dsr {
    /// A packet from `sender` to another node was received. False when it had nothing new.
    #[inline(always)]
    pub(super) fn overhear(&mut self, packet: PacketId, sender: NodeId, cx: &mut Context) -> bool {
        // With flow state nearly all are.
        let is_silent = cx.packets.header(packet).is_some_and(wire::Message::is_silent);
        !is_silent && self.read(packet, sender, cx)
    }

    #[inline(never)]
    fn read(&mut self, packet: PacketId, sender: NodeId, cx: &mut Context) -> bool {
        if self.config.overhears_once && !self.is_new(packet, cx) {
            return false;
        }
        let way = match header(packet, cx).or_else(|| said(packet, cx)) {
            Some(Message::Route(route)) => {
                let Some(place) = place(&route.path, sender) else { return false };
                let is_known = self.is_known(&route.path, place);
                if is_known && !self.is_shorter(&route.path, place) {
                    return false;
                }
                let path = Arc::clone(&route.path);
                if !is_known {
                    self.take_in(&path, place, cx);
                }
                self.shorten(&path, place, cx);
                return true;
            }
            Some(Message::Reply(reply)) => {
                let (way, path) = (Arc::clone(&reply.route.path), Arc::clone(&reply.path));
                self.learn_from(&path, cx);
                way
            }
            Some(Message::Error(error)) => {
                let error = error.clone();
                self.forget_all(&error);
                if error.route.path.last() == Some(&self.node) {
                    self.pass_on(error.enclosed, error.route.salvaged, cx);
                }
                error.route.path
            }
            Some(Message::Request(_)) | None => return false,
        };
        if let Some(place) = place(&way, sender) {
            self.learn_way(&way, place, cx);
        }
        true
    }

    /// False for what this node sent itself or has overheard before.
    fn is_new(&mut self, packet: PacketId, cx: &Context) -> bool {
        match said(packet, cx) {
            Some(Message::Reply(Reply { route, .. }) | Message::Error(Error { route, .. })) => {
                route.path[0] != self.node && self.heard.is_new_message(&route.path)
            }
            Some(_) => false,
            None => {
                let packet = &cx.packets[packet];
                packet.source != self.node && self.heard.is_new_packet(packet.number)
            }
        }
    }

    /// Learns the links of a route in use, in both directions; the node at `place` is this one or a neighbour that was heard.
    pub(super) fn learn_way(&mut self, path: &Path, place: usize, cx: &mut Context) {
        if !self.is_known(path, place) {
            self.take_in(path, place, cx);
        }
    }

    /// True when there is nothing to learn in a way; from now on there is not.
    fn is_known(&mut self, path: &Path, place: usize) -> bool {
        self.cache.keeps() && self.known.is(path, place, self.cache.losses())
    }

    fn take_in(&mut self, path: &Path, place: usize, cx: &mut Context) {
        if !self.config.learn_reverse_routes
            && let Some(own) = self::place(path, self.node)
        {
            return self.learn(&path[own..], cx);
        }
        let from = usize::from(path[place] == self.node) + place;
        let mut way = std::mem::take(&mut self.way);
        way.push(self.node);
        way.extend_from_slice(&path[from..]);
        self.learn(&way, cx);
        if self.config.learn_reverse_routes {
            way.truncate(1);
            way.extend(path[..place + 1 - (from - place)].iter().rev());
            self.learn(&way, cx);
        }
        way.clear();
        self.way = way;
    }

    /// A reply has a path that this node is on.
    fn learn_from(&mut self, path: &Path, cx: &mut Context) {
        if let Some(own) = path.iter().position(|&node| node == self.node) {
            self.learn(&path[own..], cx);
        }
    }
}

pub fn place(path: &[NodeId], node: NodeId) -> Option<usize> {
    path.iter().position(|&other| other == node)
}

pub fn said(packet: PacketId, cx: &Context) -> Option<&Message> {
    match cx.packets.message(packet) {
        Some(wire::Message::Dsr(message)) => Some(message),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_is_known_from_the_second_time_on_until_something_is_lost() {
        let mut known = Known::default();
        let path: Path = [1, 2, 3].map(NodeId).into();
        let heard =
            [(0, 7), (0, 7), (1, 7), (0, 8), (0, 8)].map(|(place, losses)| known.is(&path, place, losses));
        assert_eq!(heard, [false, true, false, false, true]);
        assert!(!known.is(&[1, 2, 3].map(NodeId).into(), 0, 8), "another packet's way");
    }
}
