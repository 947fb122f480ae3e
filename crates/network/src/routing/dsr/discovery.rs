//! Route discovery (RFC 4728, sections 3.1, 3.3 and 8.2): what becomes of requests and answers, and of what waited for them.

use std::collections::VecDeque;

use farlink_kernel::ordered::Set;
use farlink_tcp::Notice;

use super::Dsr;
use super::cache::has_loop;
use super::overhear::said;
use crate::context::{Context, Effect};
use crate::ids::NodeId;
use crate::routing::notice;
use crate::wire::dsr::{Message, Path, Reply, Request, SourceRoute};
use crate::wire::notice::AffectedSegment;

#[derive(Clone, Debug, Default)]
pub struct Seen {
    known: Set<(NodeId, u16)>,
    order: VecDeque<(NodeId, u16)>,
}

impl Seen {
    /// True for one that did not come before.
    fn is_new(&mut self, originator: NodeId, id: u16, room: u32) -> bool {
        let is_new = self.known.insert((originator, id));
        if is_new {
            self.order.push_back((originator, id));
            if self.order.len() > room as usize
                && let Some(oldest) = self.order.pop_front()
            {
                self.known.remove(&oldest);
            }
        }
        is_new
    }
}

impl Dsr {
    /// A request came (section 8.2.2).
    pub(super) fn on_request(&mut self, request: Request, hop_limit: u8, cx: &mut Context) {
        if request.path.contains(&self.node) {
            return;
        }
        if let Some(broken) = request.broken {
            self.forget(broken);
        }
        let mut path = request.path;
        path.push(self.node);
        // Links carry both ways, or there is no acknowledgement.
        let back: Vec<_> = path.iter().rev().copied().collect();
        if self.config.learn_reverse_routes {
            self.learn(&back, cx);
        }
        let originator = path[0];
        let is_new = self.seen.is_new(originator, request.id, self.config.request_table);
        if request.target == self.node {
            if is_new && request.broken.is_some() {
                self.tell_restored(originator, cx);
            }
            self.cache.learn_wanted(&back, cx.now);
            let after = self.own_jitter();
            return self.send_after(reply(path, back), after, cx);
        }
        if !is_new {
            return;
        }
        if self.reply_from_cache(request.target, &path, &back, cx) {
            if let Some(AffectedSegment { flow, end, destination, .. }) = request.met {
                notice::send(Notice::RouteRestored, (flow, end.other()), self.node, destination, cx);
            }
            return;
        }
        if hop_limit <= 1 {
            return;
        }
        let after = self.jitter();
        let request = Request { path, ..request };
        self.broadcast(&Message::Request(request), hop_limit - 1, after, cx);
    }

    /// An answer came, to this node or to be passed on.
    pub(super) fn on_reply(&mut self, reply: &Reply, cx: &mut Context) {
        let own = reply.path.iter().position(|&node| node == self.node);
        let onward = own.map_or(&[][..], |own| &reply.path[own..]);
        if self.config.learn_reverse_routes {
            self.learn(&reply.route.back(), cx);
            self.learn(onward, cx);
        } else {
            self.learn_way(&reply.route.path, reply.route.at, cx);
        }
        if reply.route.next().is_none() {
            self.cache.learn_wanted(onward, cx.now);
            self.on_found(reply, cx);
            if !self.config.release_gap.is_zero() {
                self.release_slowly(cx);
            }
        }
    }

    /// A request was answered: a frozen transport is notified here, whether or not the other end
    /// sends word too, for that may take a way that is no longer there.
    pub(super) fn on_found(&mut self, reply: &Reply, cx: &mut Context) {
        let Some(&target) = reply.path.last() else { return };
        if self.searches.is_wanted(target, cx.now) {
            self.tell_restored(target, cx);
        }
        self.searches.end(target, &self.config);
    }

    fn tell_restored(&self, peer: NodeId, cx: &mut Context) {
        cx.push(Effect::RouteNotice { node: self.node, peer, notice: Notice::RouteRestored });
    }

    /// Answers with what this node knows, unless the way would pass a node twice (section 3.3.2).
    fn reply_from_cache(
        &mut self,
        target: NodeId,
        so_far: &[NodeId],
        back: &[NodeId],
        cx: &mut Context,
    ) -> bool {
        if !self.config.replies_from_cache {
            return false;
        }
        let Some(rest) = self.cache.find(target, cx.now) else { return false };
        let mut path = [so_far, &rest[1..]].concat();
        if self.config.prune_reply_loops {
            cut_loops(&mut path);
        }
        if has_loop(&path) || !path.contains(&self.node) {
            return false;
        }
        self.cache.learn_wanted(back, cx.now);
        self.send(reply(path, back.to_vec()), cx);
        true
    }

    /// What waited for ways that are known now goes.
    pub(super) fn release(&mut self, cx: &mut Context) {
        for destination in self.buffer.destinations() {
            if self.cache.find_wanted(destination, cx.now).is_some() {
                self.searches.on_known(destination, &self.config, cx.now);
                for packet in self.buffer.take(destination, |_| true) {
                    if said(packet, cx).is_none() {
                        cx.push(Effect::Down { node: self.node, packet });
                    } else if let Some(path) = self.cache.find_wanted(destination, cx.now) {
                        let hop = self.set_out(packet, path, cx);
                        cx.push(Effect::Send { node: self.node, packet, hop });
                    }
                }
            }
        }
    }

    /// The same one by one, after an answer.
    pub(super) fn release_slowly(&mut self, cx: &mut Context) {
        let mut at = cx.now;
        for destination in self.buffer.destinations() {
            let Some(path) = self.cache.find_wanted(destination, cx.now) else { continue };
            for packet in self.buffer.take(destination, |_| true) {
                let hop = self.set_out(packet, Path::clone(&path), cx);
                self.outbox.push(at, packet, hop);
                at = at.saturating_add(self.config.release_gap);
            }
        }
        self.outbox.send_due(self.node, cx);
    }
}

/// A reply with one path, along another.
pub fn reply(path: Vec<NodeId>, back: Vec<NodeId>) -> Message {
    let origin = back[0];
    Message::Reply(Reply { route: SourceRoute::along(back), origin, path: path.into() })
}

/// Leaves out what lies between a node and where the path passes it again.
fn cut_loops(path: &mut Vec<NodeId>) {
    let mut place = 0;
    while place < path.len() {
        let last = path.iter().rposition(|&node| node == path[place]).expect("it is there");
        path.drain(place + 1..=last);
        place += 1;
    }
}
