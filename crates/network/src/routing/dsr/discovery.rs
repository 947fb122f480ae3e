//! Route discovery (RFC 4728, sections 3.1, 3.3 and 8.2).

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use farlink_kernel::{Duration, Instant};
use farlink_tcp::Notice;

use super::cache::{Path, has_loop};
use super::messages::{Broken, Message, Reply, Request, SourceRoute};
use super::{Config, Dsr};
use crate::blueprint::NodeId;
use crate::context::{Context, Effect};
use crate::routing::notice::{self, Met};

/// Destinations that packets wait for a way to.
#[derive(Clone, Debug, Default)]
pub struct Searches {
    under_way: BTreeMap<NodeId, Search>,
    /// The number of the last request.
    id: u16,
    /// A broken link, and who met it, to be told of with every request until a way is found.
    broken: Option<(Broken, Option<Met>)>,
}

#[derive(Clone, Copy, Debug)]
struct Search {
    /// When the next request goes.
    next: Instant,
    /// How many went everywhere.
    floods: u32,
    /// The last one went to neighbours only.
    is_near: bool,
    /// Until then it goes on without a packet that waits, and whatever is overheard: a transport stands still.
    wanted: Instant,
    /// Nobody looks for a way now; when somebody does again, the pause counts ([`Config::pauses_last`]).
    rests: bool,
}

impl Searches {
    /// When the next request goes.
    pub fn deadline(&self) -> Instant {
        let next = self.under_way.values().filter(|search| !search.rests).map(|search| search.next);
        next.min().unwrap_or(Instant::NEVER)
    }

    /// The next request tells of this link.
    pub fn on_broken(&mut self, broken: Broken, met: Option<Met>) {
        self.broken = Some((broken, met));
    }

    /// A way is known, or nobody wants one: unless a transport wants to hear of one, nothing more is asked for now.
    fn on_known(&mut self, destination: NodeId, now: Instant, pauses_last: bool) {
        match self.under_way.get_mut(&destination) {
            Some(search) if search.wanted > now => {}
            Some(search) if pauses_last => search.rests = true,
            _ => self.end(destination),
        }
    }

    /// A way was found.
    pub fn end(&mut self, destination: NodeId) {
        if self.under_way.remove(&destination).is_some() {
            self.broken = None;
        }
    }
}

/// Requests that came before.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    known: BTreeSet<(NodeId, u16)>,
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

impl Config {
    /// The pause after so many requests that went everywhere.
    fn pause(&self, floods: u32) -> Duration {
        let times = u64::from(self.request_backoff).saturating_pow(floods.saturating_sub(1));
        self.request_period.saturating_mul(times).min(self.max_request_period)
    }
}

impl Dsr {
    /// A packet waits for a way to `destination`.
    pub(super) fn seek(&mut self, destination: NodeId, cx: &mut Context) {
        self.look_soon(cx.now);
        let search = Search { next: cx.now, floods: 0, is_near: false, wanted: Instant::ZERO, rests: true };
        let search = self.searches.under_way.entry(destination).or_insert(search);
        if search.rests {
            search.rests = false;
            self.go_on_searching(cx);
        }
    }

    /// A transport stands still until there is a way: it is asked for as long as packets would wait.
    pub(super) fn seek_for_transport(&mut self, destination: NodeId, cx: &mut Context) {
        self.look_soon(cx.now);
        let wanted = cx.now.saturating_add(self.config.send_buffer_timeout);
        let search = Search { next: cx.now, floods: 0, is_near: true, wanted, rests: false };
        let search = self.searches.under_way.entry(destination).or_insert(search);
        (search.wanted, search.rests) = (wanted, false);
        self.go_on_searching(cx);
    }

    /// Asks the neighbours only, once, for a packet of somebody else.
    pub(super) fn ask_neighbours(&mut self, destination: NodeId, cx: &mut Context) {
        self.look_soon(cx.now);
        if self.config.pauses_last {
            let search =
                Search { next: cx.now, floods: 0, is_near: false, wanted: Instant::ZERO, rests: true };
            let search = self.searches.under_way.entry(destination).or_insert(search);
            if search.next > cx.now {
                return;
            }
            search.floods += 1;
            search.next = cx.now.saturating_add(self.config.pause(search.floods));
        } else if self.searches.under_way.contains_key(&destination) {
            return;
        }
        self.request(destination, 1, cx);
    }

    /// Something waits for a way: this node looks now and then whether there is one.
    fn look_soon(&mut self, now: Instant) {
        if self.next_check <= now {
            let since = self.luck.uniform() * (1.0 + self.luck.uniform());
            self.next_check = now.saturating_add(self.config.buffer_check.mul_f64(since));
        }
    }

    /// Looks whether there are ways now that nobody asked for, and goes on asking for others.
    pub(super) fn check(&mut self, cx: &mut Context) {
        let pause = self.config.buffer_check.mul_f64(1.0 + self.luck.uniform());
        self.next_check = cx.now.saturating_add(pause);
        self.release(cx);
        self.go_on_searching(cx);
    }

    /// When to look for ways again.
    pub(super) fn next_look(&self) -> Instant {
        let next = self.searches.deadline();
        if self.config.buffer_check.is_zero() {
            next
        } else if next == Instant::NEVER && self.buffer.is_empty() {
            Instant::NEVER
        } else {
            self.next_check
        }
    }

    /// Sends the requests that are due.
    pub(super) fn go_on_searching(&mut self, cx: &mut Context) {
        let is_due = |search: &Search| !search.rests && search.next <= cx.now;
        let due = self.searches.under_way.iter().filter(|(_, search)| is_due(search));
        for destination in due.map(|(&destination, _)| destination).collect::<Vec<_>>() {
            let Some(search) = self.searches.under_way.get_mut(&destination) else { continue };
            let may_go_on = self.config.max_requests.is_none_or(|most| search.floods < most);
            if !may_go_on || search.wanted <= cx.now && !self.buffer.has(destination) {
                self.searches.on_known(destination, cx.now, self.config.pauses_last);
                continue;
            }
            let asks_near = self.config.ring_zero && (search.floods == 0 || self.config.ring_zero_again);
            search.is_near = asks_near && !search.is_near;
            let hop_limit = if search.is_near {
                search.next = cx.now.saturating_add(self.config.ring_zero_timeout);
                1
            } else {
                search.floods += 1;
                search.next = cx.now.saturating_add(self.config.pause(search.floods));
                self.config.hop_limit
            };
            self.request(destination, hop_limit, cx);
        }
    }

    fn request(&mut self, target: NodeId, hop_limit: u8, cx: &mut Context) {
        self.searches.id = self.searches.id.wrapping_add(1);
        let (broken, met) = match self.searches.broken.filter(|_| self.config.spreads_errors) {
            Some((broken, met)) => (Some(broken), met.filter(|met| met.destination == target)),
            None => (None, None),
        };
        let request = Request { id: self.searches.id, target, path: vec![self.node], broken, met };
        let after = if self.config.jitters_own { self.jitter() } else { Duration::ZERO };
        self.broadcast(&Message::Request(request), hop_limit, after, cx);
    }

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
        if self.config.learns_back {
            self.learn(&back, cx);
        }
        let originator = path[0];
        let is_new = self.seen.is_new(originator, request.id, self.config.request_table);
        if request.target == self.node {
            if is_new && request.broken.is_some() {
                self.tell_restored(originator, cx);
            }
            self.cache.learn_wanted(&back, cx.now);
            let after = if self.config.jitters_own { self.jitter() } else { Duration::ZERO };
            return self.send_after(reply(path, back), after, cx);
        }
        if !is_new {
            return;
        }
        if self.reply_from_cache(request.target, &path, &back, cx) {
            if let Some(Met { flow, end, destination, .. }) = request.met {
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
        if self.config.learns_back {
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

    /// Somebody answered a request: a transport that stands still hears of it here, whether or not the other end
    /// sends word too, for that may take a way that is no longer there.
    pub(super) fn on_found(&mut self, reply: &Reply, cx: &mut Context) {
        let Some(&target) = reply.path.last() else { return };
        if self.searches.under_way.get(&target).is_some_and(|search| search.wanted > cx.now) {
            self.tell_restored(target, cx);
        }
        self.searches.end(target);
    }

    fn tell_restored(&self, peer: NodeId, cx: &mut Context) {
        cx.push(Effect::Tell { node: self.node, peer, notice: Notice::RouteRestored });
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
        if self.config.cuts_loops {
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
                self.searches.on_known(destination, cx.now, self.config.pauses_last);
                for packet in self.buffer.take(destination, |_| true) {
                    cx.push(Effect::Down { node: self.node, packet });
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

/// Tells of a path, along another.
pub fn reply(path: Vec<NodeId>, back: Vec<NodeId>) -> Message {
    Message::Reply(Reply { route: SourceRoute::along(back), path: path.into() })
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
