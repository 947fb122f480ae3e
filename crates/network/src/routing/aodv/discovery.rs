//! Looking for routes: requests in growing rings (RFC 3561, sections 6.3 and 6.4).

use farlink_kernel::ordered::Map;
use farlink_kernel::{Duration, Instant};

use super::config::{RrepWait, SequenceNumbers};
use super::limit::RateLimit;
use super::table::RouteUpdate;
use super::{Aodv, Request};
use crate::context::{Context, Effect};
use crate::ids::NodeId;
use crate::packet::Cause;
use crate::wire::aodv::Message;
use crate::wire::aodv::sequence::Sequence;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Ask,
    Answer,
    /// Nothing for now: it is new, or it was in vain and pauses.
    Hold,
}

#[derive(Clone, Copy, Debug)]
pub struct Search {
    step: Step,
    until: Instant,
    /// Hop limit of the last request, or hops of the route there was; 0 without any.
    hop_limit: u8,
    floods: u32,
    asked: Instant,
    /// The one hop limit of a local repair, and how far the destination was.
    repair: Option<(u8, u8)>,
}

impl Search {
    /// When its step is over for a node that looks only so often. A request does not wait for that.
    fn due(&self, check_interval: Option<Duration>) -> Instant {
        if self.step == Step::Ask { self.until } else { check(self.until, check_interval) }
    }
}

#[derive(Clone, Debug)]
pub struct Searches {
    under_way: Map<NodeId, Search>,
    request: u32,
    limit: RateLimit,
    /// What a hop took in the last searches for a destination, and how many there were.
    per_hop: Map<NodeId, ([Duration; MEMORY], usize)>,
}

/// How many measured times are remembered (ns-2).
const MEMORY: usize = 3;

impl Searches {
    pub fn new(per_second: Option<u32>) -> Self {
        let (under_way, per_hop) = (Map::new(), Map::new());
        Self { under_way, request: 0, limit: RateLimit::new(per_second), per_hop }
    }

    pub fn deadline(&self, check_interval: Option<Duration>) -> Instant {
        let due = self.under_way.values().map(|search| search.due(check_interval));
        due.min().unwrap_or(Instant::NEVER)
    }

    /// Until when the step of a search lasts.
    pub fn due(&self, destination: NodeId) -> Option<Instant> {
        self.under_way.get(&destination).map(|search| search.until)
    }

    /// What a hop took before, in the mean.
    fn time_per_hop(&self, destination: NodeId, guess: Duration) -> Duration {
        match self.per_hop.get(&destination) {
            Some((times, count)) => {
                let known = MEMORY.min(*count);
                times[..known].iter().fold(Duration::ZERO, |sum, &time| sum + time) / known as u64
            }
            None => guess,
        }
    }

    /// When a destination was last asked for, if an answer is waited for.
    pub fn asked(&self, destination: NodeId) -> Option<Instant> {
        self.under_way
            .get(&destination)
            .filter(|search| search.step == Step::Answer)
            .map(|search| search.asked)
    }

    /// An answer took so long over so many hops.
    pub fn on_measured(&mut self, destination: NodeId, time: Duration, hops: u8) {
        let (times, count) = self.per_hop.entry(destination).or_default();
        times[*count % MEMORY] = (time / u64::from(hops)).max(Duration::from_nanos(1));
        *count += 1;
    }
}

/// The first time at or after `until` at which a node looks.
fn check(until: Instant, interval: Option<Duration>) -> Instant {
    match interval {
        Some(interval) => {
            let times = (until - Instant::ZERO).as_nanos().div_ceil(interval.as_nanos());
            Instant::from_nanos(times.saturating_mul(interval.as_nanos()))
        }
        None => until,
    }
}

impl Aodv {
    /// A packet waits for a route: looks for one, or looks whether it is time for the next request.
    pub(super) fn discover(&mut self, destination: NodeId, cx: &mut Context) {
        match self.searches.under_way.get(&destination) {
            Some(search) if search.until <= cx.now || search.until == Instant::NEVER => {
                self.go_on(destination, cx);
            }
            Some(_) => {}
            None => self.begin(destination, None, cx),
        }
    }

    /// Begins a search, or a repair with one hop limit of a route that was so long.
    pub(super) fn begin(&mut self, destination: NodeId, repair: Option<(u8, u8)>, cx: &mut Context) {
        let search = Search { repair, ..self.anew(destination, cx.now) };
        self.searches.under_way.insert(destination, search);
        self.go_on(destination, cx);
    }

    fn anew(&mut self, destination: NodeId, now: Instant) -> Search {
        let hop_limit = self.table.get(destination, now).map_or(0, |route| route.hops_at_break);
        Search { step: Step::Hold, until: now, hop_limit, floods: 0, asked: now, repair: None }
    }

    /// A packet waits for a repair. A stale one that nothing waited for goes on at the next check.
    pub(super) fn resume_repair(&mut self, destination: NodeId, now: Instant) {
        if self.is_stale(destination, now) {
            let anew = self.anew(destination, now);
            let search = self.searches.under_way.entry(destination).or_insert(anew);
            search.until = if search.until == Instant::NEVER { now } else { search.until };
        }
    }

    pub(super) fn retry_discoveries(&mut self, cx: &mut Context) {
        let interval = self.config.check_interval;
        if self.searches.deadline(interval) > cx.now {
            return;
        }
        let is_due = |search: &Search| search.due(interval) <= cx.now;
        let due: Vec<_> =
            self.searches.under_way.iter().filter(|(_, search)| is_due(search)).map(|(&to, _)| to).collect();
        for destination in due {
            self.go_on(destination, cx);
        }
    }

    fn go_on(&mut self, destination: NodeId, cx: &mut Context) {
        let Some(&search) = self.searches.under_way.get(&destination) else { return };
        let is_in_vain = match search.repair {
            Some(_) => search.step == Step::Answer,
            None => search.step == Step::Answer && search.floods > self.config.rreq_retries,
        };
        if is_in_vain {
            self.on_not_found(destination, search, cx);
        } else if self.is_wanted(destination, cx.now) {
            self.ask(destination, search, cx);
        } else if self.is_stale(destination, cx.now) {
            let search = Search { until: Instant::NEVER, ..search };
            self.searches.under_way.insert(destination, search);
        } else {
            self.searches.under_way.remove(&destination);
            self.on_not_repaired(destination, cx);
        }
    }

    /// True when a packet waits for a route, or a source of this node is frozen for want of one.
    fn is_wanted(&self, destination: NodeId, now: Instant) -> bool {
        self.buffer.has(destination) || self.misses(destination, now)
    }

    /// Sends a request when its random wait is over and it may.
    fn ask(&mut self, destination: NodeId, mut search: Search, cx: &mut Context) {
        let after = if search.step == Step::Ask { Duration::ZERO } else { self.own_jitter() };
        let at = self.searches.limit.free_at(cx.now).saturating_add(after);
        if at > cx.now {
            (search.step, search.until) = (Step::Ask, at);
        } else {
            self.searches.limit.take(cx.now);
            search.asked = cx.now;
            search.step = Step::Answer;
            (search.hop_limit, search.floods) = self.next_ring(search);
            search.until = cx.now.saturating_add(self.wait(destination, search));
            self.send_request(destination, search.hop_limit, cx);
        }
        self.searches.under_way.insert(destination, search);
    }

    /// The next hop limit, and how many requests went everywhere then (section 6.4).
    fn next_ring(&self, search: Search) -> (u8, u32) {
        let Search { hop_limit, floods, repair, .. } = search;
        let diameter = self.config.net_diameter;
        match repair {
            Some((hop_limit, _)) => (hop_limit, floods),
            None if hop_limit == 0 && self.config.ttl_start() < diameter => (self.config.ttl_start(), floods),
            None if (1..self.config.ttl_threshold).contains(&hop_limit) => {
                (hop_limit.saturating_add(self.config.ttl_increment).min(diameter), floods)
            }
            None => (diameter, floods + 1),
        }
    }

    /// How long an answer to the last request may take.
    fn wait(&self, destination: NodeId, search: Search) -> Duration {
        let Search { hop_limit, floods, .. } = search;
        let hops = u64::from(hop_limit) + u64::from(self.config.timeout_buffer);
        let guess = self.config.node_traversal_time;
        let wait = match self.config.rrep_wait {
            RrepWait::Traversal if floods == 0 => guess.saturating_mul(2 * hops),
            RrepWait::Traversal => self.config.net_traversal_time().saturating_mul(1 << (floods - 1).min(32)),
            RrepWait::Measured => {
                let ring = self.searches.time_per_hop(destination, guess).saturating_mul(2 * hops);
                ring.saturating_mul(floods.max(1).into())
            }
        };
        wait.min(self.config.max_rrep_wait.unwrap_or(Duration::MAX))
    }

    /// Section 6.3.
    fn send_request(&mut self, destination: NodeId, hop_limit: u8, cx: &mut Context) {
        self.sequence = match self.config.sequence_numbers {
            SequenceNumbers::Consecutive => self.sequence.next(),
            SequenceNumbers::Even => even(self.sequence.next()),
        };
        self.searches.request = self.searches.request.wrapping_add(1);
        let request = Request {
            is_gratuitous: self.config.gratuitous_rrep,
            is_for_destination_only: self.config.destination_only,
            hop_count: 0,
            id: self.searches.request,
            destination,
            destination_sequence: self.table.get(destination, cx.now).and_then(|route| route.sequence),
            originator: self.node,
            originator_sequence: self.sequence,
        };
        self.broadcast(&Message::Request(request), hop_limit, Duration::ZERO, cx);
    }

    /// A route was found: what waited for it goes.
    pub(super) fn on_found(&mut self, destination: NodeId, update: &RouteUpdate, cx: &mut Context) {
        self.on_peer_found(destination, cx);
        let search = self.searches.under_way.remove(&destination);
        if let Some((_, hops)) = search.and_then(|search| search.repair) {
            self.on_repaired(destination, hops, update.hops, cx);
        }
        let mut leaves = cx.now;
        for packet in self.buffer.take(destination, |_| true) {
            if leaves <= cx.now {
                cx.push(Effect::Down { node: self.node, packet });
            } else {
                self.outbox.push(leaves, packet, update.hop);
            }
            leaves = leaves.saturating_add(self.config.release_gap);
        }
    }

    /// No reply arrived: buffered packets are dropped.
    fn on_not_found(&mut self, destination: NodeId, search: Search, cx: &mut Context) {
        self.searches.under_way.remove(&destination);
        self.on_not_repaired(destination, cx);
        let is_own = |packet| cx.packets[packet].source == self.node;
        let is_repair = search.repair.is_some();
        for packet in self.buffer.take(destination, |packet| !is_repair || !is_own(packet)) {
            self.notify_at_once(packet, cx);
            cx.drop(packet, Cause::NoRoute);
        }
        let goes_on = is_repair || self.config.discovery_holdoff.is_zero();
        if goes_on && self.is_wanted(destination, cx.now) {
            // What this node itself sends there is worth a search of its own.
            self.begin(destination, None, cx);
        } else if !is_repair && !self.config.discovery_holdoff.is_zero() {
            let until = cx.now.saturating_add(self.config.discovery_holdoff);
            let search = Search { step: Step::Hold, until, floods: 0, ..search };
            self.searches.under_way.insert(destination, search);
        }
    }
}

/// The number itself if it is even, or else the next one.
pub(super) fn even(sequence: Sequence) -> Sequence {
    if sequence.0.is_multiple_of(2) { sequence } else { sequence.next() }
}
