//! Scheduling of route discoveries (RFC 4728, sections 3.3.3, 8.2.1 and 8.2.5): a non-propagating request first, then
//! floods with exponential backoff.

use farlink_kernel::ordered::Map;
use farlink_kernel::{Duration, Instant};

use super::{Config, Dsr};
use crate::context::Context;
use crate::ids::NodeId;
use crate::packet::Cause;
use crate::wire::dsr::{Broken, Message, Request};
use crate::wire::notice::AffectedSegment;

/// Destinations that packets wait for a way to.
#[derive(Clone, Debug, Default)]
pub struct Searches {
    under_way: Map<NodeId, Search>,
    id: u16,
    error: Option<RerrSeen>,
}

/// A broken link and the segment that met it, to be spread with requests.
#[derive(Clone, Copy, Debug)]
struct RerrSeen {
    broken: Broken,
    met: Option<AffectedSegment>,
    at: Instant,
}

#[derive(Clone, Copy, Debug)]
struct Search {
    /// When the next request goes, or the next round begins.
    next: Instant,
    /// How many went everywhere, or how many rounds began ([`Config::ring_zero_always`]).
    floods: u32,
    /// When only neighbours were asked; none: everyone was since.
    near: Option<Instant>,
    /// Until then the discovery goes on without a waiting packet: a transport is frozen.
    wanted: Instant,
    /// Suspended; its backoff applies to the next discovery ([`Config::backoff_persists`]).
    rests: bool,
}

impl Search {
    fn new(now: Instant) -> Self {
        Self { next: now, floods: 0, near: None, wanted: Instant::ZERO, rests: true }
    }

    fn due(&self, config: &Config) -> Instant {
        self.near.map_or(self.next, |since| since.saturating_add(config.ring_zero_timeout).min(self.next))
    }

    /// A request goes everywhere, or a round begins.
    fn begin(&mut self, config: &Config, now: Instant) {
        self.floods += 1;
        self.next = now.saturating_add(config.pause(self.floods));
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    AskNeighbours,
    AskEveryone,
    /// The single request for a forwarded packet had no reply.
    GiveUp,
    Wait,
}

impl Searches {
    #[inline]
    pub fn deadline(&self, config: &Config) -> Instant {
        // Called after every packet overheard, when usually no discovery is pending.
        if self.under_way.is_empty() {
            return Instant::NEVER;
        }
        let due = self.under_way.values().filter(|search| !search.rests).map(|search| search.due(config));
        due.min().unwrap_or(Instant::NEVER)
    }

    /// The next requests name this link.
    pub fn on_broken(&mut self, broken: Broken, met: Option<AffectedSegment>, at: Instant) {
        self.error = Some(RerrSeen { broken, met, at });
    }

    /// A route is known or no longer needed: the discovery ends unless a frozen transport waits for it.
    pub fn on_known(&mut self, destination: NodeId, config: &Config, now: Instant) {
        match self.under_way.get_mut(&destination) {
            Some(search) if search.wanted > now => {}
            Some(search) if config.backoff_persists => search.rests = true,
            _ => self.end(destination, config),
        }
    }

    pub fn end(&mut self, destination: NodeId, config: &Config) {
        if self.under_way.remove(&destination).is_some() && config.error_memory.is_none() {
            self.error = None;
        }
    }

    /// True when a transport is frozen until there is a route.
    pub fn is_wanted(&self, destination: NodeId, now: Instant) -> bool {
        self.under_way.get(&destination).is_some_and(|search| search.wanted > now)
    }

    fn error(&mut self, is_near: bool, config: &Config, now: Instant) -> Option<RerrSeen> {
        let is_fresh =
            |error: &RerrSeen| config.error_memory.is_none_or(|memory| now < error.at.saturating_add(memory));
        let error = self.error.filter(|error| config.propagate_errors && is_fresh(error))?;
        if config.error_memory.is_some() && !is_near && error.met.is_none() {
            self.error = None;
        }
        Some(error)
    }
}

impl Config {
    /// The pause after so many requests that went everywhere.
    fn pause(&self, floods: u32) -> Duration {
        let times = u64::from(self.request_backoff).saturating_pow(floods.saturating_sub(1));
        self.request_period.saturating_mul(times).min(self.max_request_period)
    }

    /// True when forwarded packets wait as own packets do, with one request until a reply arrives.
    fn counts_for_others(&self) -> bool {
        self.salvage_with_request && self.backoff_persists
    }
}

impl Dsr {
    pub(super) fn discover(&mut self, destination: NodeId, cx: &mut Context) {
        self.look_soon(cx.now);
        let search = self.searches.under_way.entry(destination).or_insert(Search::new(cx.now));
        search.rests = false;
        self.retry_discoveries(cx);
    }

    /// A transport is frozen until there is a route: it is discovered, network-wide, as long as packets would wait.
    pub(super) fn discover_for_transport(&mut self, destination: NodeId, cx: &mut Context) {
        self.look_soon(cx.now);
        let wanted = cx.now.saturating_add(self.config.send_buffer_timeout);
        let search = Search { near: Some(Instant::ZERO), ..Search::new(cx.now) };
        let search = self.searches.under_way.entry(destination).or_insert(search);
        (search.wanted, search.rests) = (wanted, false);
        self.retry_discoveries(cx);
    }

    /// Sends one non-propagating request for a forwarded packet that waits.
    pub(super) fn ask_neighbours(&mut self, destination: NodeId, cx: &mut Context) {
        self.look_soon(cx.now);
        if self.config.counts_for_others() {
            self.searches.under_way.entry(destination).or_insert(Search::new(cx.now)).rests = false;
        } else if !self.searches.under_way.contains_key(&destination) {
            self.request(destination, true, cx);
        }
    }

    /// A packet waits for a route: schedules the next check of the cache.
    fn look_soon(&mut self, now: Instant) {
        if self.next_check <= now {
            let since = self.rng.uniform() * (1.0 + self.rng.uniform());
            self.next_check = now.saturating_add(self.config.buffer_check.mul_f64(since));
        }
    }

    /// Releases packets whose routes became known otherwise, and continues discovery for the others.
    pub(super) fn check(&mut self, cx: &mut Context) {
        let pause = self.config.buffer_check.mul_f64(1.0 + self.rng.uniform());
        self.next_check = cx.now.saturating_add(pause);
        self.release(cx);
        self.retry_discoveries(cx);
    }

    pub(super) fn next_look(&self) -> Instant {
        let next = self.searches.deadline(&self.config);
        if self.config.buffer_check.is_zero() {
            next
        } else if next == Instant::NEVER && self.buffer.is_empty() {
            Instant::NEVER
        } else {
            self.next_check
        }
    }

    pub(super) fn retry_discoveries(&mut self, cx: &mut Context) {
        let is_due = |search: &Search| !search.rests && search.due(&self.config) <= cx.now;
        let due = self.searches.under_way.iter().filter(|(_, search)| is_due(search));
        for destination in due.map(|(&destination, _)| destination).collect::<Vec<_>>() {
            match self.step(destination, cx) {
                Step::AskNeighbours => self.request(destination, true, cx),
                Step::AskEveryone => self.request(destination, false, cx),
                Step::GiveUp => {
                    let first = self.buffer.first(destination);
                    for packet in self.buffer.take(destination, |packet| Some(packet) == first) {
                        cx.drop(packet, Cause::NoRoute);
                    }
                }
                Step::Wait => {}
            }
        }
    }

    fn step(&mut self, destination: NodeId, cx: &Context) -> Step {
        let (config, now) = (&self.config, cx.now);
        let Some(search) = self.searches.under_way.get_mut(&destination) else { return Step::Wait };
        let may_go_on = config.max_requests.is_none_or(|most| search.floods < most);
        let is_wanted = search.wanted > now;
        if !may_go_on || !is_wanted && !self.buffer.has(destination) {
            self.searches.on_known(destination, config, now);
            return Step::Wait;
        }
        let is_own = |packet| !config.counts_for_others() || cx.packets[packet].source == self.node;
        let is_round_over = search.next <= now && config.ring_zero_always;
        if search.near.is_some() && !is_round_over {
            if !is_wanted && !self.buffer.has_one(destination, is_own) {
                return Step::Wait;
            }
            search.near = None;
            if search.next <= now {
                search.begin(config, now);
            }
            return Step::AskEveryone;
        }
        if !config.ring_zero || search.floods > 0 && !config.ring_zero_always {
            search.begin(config, now);
            return Step::AskEveryone;
        }
        if config.ring_zero_always {
            search.begin(config, now);
            let is_first_own = self.buffer.first(destination).is_none_or(is_own);
            if search.floods > 1 && !is_first_own {
                return Step::GiveUp;
            }
        } else {
            search.next = now.saturating_add(config.ring_zero_timeout);
        }
        search.near = Some(now);
        Step::AskNeighbours
    }

    fn request(&mut self, target: NodeId, is_near: bool, cx: &mut Context) {
        self.searches.id = self.searches.id.wrapping_add(1);
        let error = self.searches.error(is_near, &self.config, cx.now);
        let request = Request {
            id: self.searches.id,
            target,
            path: vec![self.node],
            broken: error.map(|error| error.broken),
            met: error.and_then(|error| error.met).filter(|met| met.destination == target),
        };
        // What follows counts from now, as in ns-2.
        let after = self.own_jitter();
        let hop_limit = if is_near { 1 } else { self.config.hop_limit };
        self.broadcast(&Message::Request(request), hop_limit, after, cx);
    }
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::context::Effect;
    use crate::ids::InterfaceId;
    use crate::packet::Packet;
    use crate::packet::tests::datagram;
    use crate::routing::dsr::config::Preset;
    use crate::routing::{Routing, Setup};
    use crate::wire;
    use farlink_kernel::ordered::Set;

    /// A node in which packets of these sources wait for a way to node 9.
    fn waiting(config: &Config, node: NodeId, sources: &[NodeId]) -> (Dsr, Context) {
        let setup = Setup { seed: 1, node, interfaces: &[InterfaceId(node.0)], nodes: 10 };
        let (mut dsr, mut cx) = (Dsr::new(config, &setup), Context::new(1));
        for &source in sources {
            let packet = cx.packets.originate(Packet { source, destination: NodeId(9), ..datagram(100) });
            dsr.buffer.push(NodeId(9), packet, &mut cx);
        }
        (dsr, cx)
    }

    /// When requests go, in ms, how far, and whether they name a broken link; and how many packets are dropped.
    fn watch(dsr: &mut Dsr, cx: &mut Context, until_ms: u64) -> (Vec<(u64, u8, bool)>, usize) {
        let (mut requests, mut dropped) = (Vec::new(), 0);
        let end = Instant::ZERO + Duration::from_millis(until_ms);
        loop {
            for effect in std::mem::take(&mut cx.effects) {
                match effect {
                    Effect::Send { packet, .. } => {
                        if let Some(wire::Message::Dsr(Message::Request(request))) =
                            cx.packets.message(packet)
                        {
                            let at = cx.now.as_nanos() / 1_000_000;
                            requests.push((at, cx.packets[packet].hop_limit, request.broken.is_some()));
                        }
                    }
                    Effect::Drop { cause: Cause::NoRoute, .. } => dropped += 1,
                    _ => {}
                }
            }
            if dsr.deadline() > end {
                return (requests, dropped);
            }
            cx.now = dsr.deadline();
            dsr.on_deadline(cx);
        }
    }

    #[test]
    fn own_requests_leave_at_a_time_of_each_node_within_the_jitter() {
        let asked = |jitter_own_requests, node| {
            let config = Config { jitter_own_requests, ..Config::default() };
            let (mut dsr, mut cx) = waiting(&config, node, &[node]);
            dsr.discover(NodeId(9), &mut cx);
            let (requests, _) = watch(&mut dsr, &mut cx, 600);
            requests.into_iter().map(|(at, hops, _)| (at, hops)).collect::<Vec<_>>()
        };
        let due = [(0, 1), (30, 255), (530, 255)];
        assert_eq!(asked(false, NodeId(1)), due);
        let all: Vec<_> = (0..9).map(|node| asked(true, NodeId(node))).collect();
        for asked in &all {
            assert_eq!(asked.len(), due.len());
            for (&(at, hops), (due, far)) in asked.iter().zip(due) {
                assert!(hops == far && (due..due + 10).contains(&at), "{asked:?}");
            }
        }
        for place in 0..due.len() {
            let times: Set<_> = all.iter().map(|asked| asked[place].0).collect();
            assert!(times.len() > 4, "{all:?}");
        }
    }

    #[test]
    fn ns2_asks_the_neighbours_then_everyone_and_counts_its_pause_from_the_former() {
        let (mut dsr, mut cx) = waiting(&Config::of(Preset::Ns2), NodeId(1), &[NodeId(1)]);
        dsr.discover(NodeId(9), &mut cx);
        let (requests, _) = watch(&mut dsr, &mut cx, 21_000);
        let hops: Vec<_> = requests.iter().map(|&(_, hops, _)| hops).collect();
        assert_eq!(hops, [1, 16, 1, 16, 1, 16, 1, 16], "{requests:?}");
        // A request waits up to 10 ms, its time is seen up to 60 ms late.
        let rounds: Vec<_> = requests.iter().step_by(2).map(|&(at, ..)| at).collect();
        for (at, due) in rounds.iter().zip([0, 2000, 10_000, 20_000]) {
            assert!((due..due + 200).contains(at), "{rounds:?}");
        }
        assert!(requests.chunks(2).all(|pair| (20..110).contains(&(pair[1].0 - pair[0].0))), "{requests:?}");
    }

    #[test]
    fn ns2_asks_everyone_as_soon_as_a_packet_comes_after_the_neighbours_had_their_time() {
        let config = Config { buffer_check: Duration::from_secs(1), ..Config::of(Preset::Ns2) };
        let (mut dsr, mut cx) = waiting(&config, NodeId(1), &[NodeId(1)]);
        dsr.discover(NodeId(9), &mut cx);
        cx.now = Instant::ZERO + Duration::from_millis(31);
        dsr.next_check = cx.now + Duration::from_secs(1);
        dsr.discover(NodeId(9), &mut cx);
        let (requests, _) = watch(&mut dsr, &mut cx, 50);
        assert_eq!(requests.iter().map(|&(_, hops, _)| hops).collect::<Vec<_>>(), [1, 16]);
    }

    #[test]
    fn ns2_asks_once_for_packets_of_others_and_drops_one_after_each_pause_until_somebody_answers() {
        let (mut dsr, mut cx) = waiting(&Config::of(Preset::Ns2), NodeId(1), &[5, 5, 5].map(NodeId));
        dsr.ask_neighbours(NodeId(9), &mut cx);
        let (requests, dropped) = watch(&mut dsr, &mut cx, 11_000);
        // Asked at once, dropped after 2 s and after 8 s more.
        assert_eq!((requests.len(), requests[0].1, dropped), (1, 1, 2), "{requests:?}");
        dsr.searches.end(NodeId(9), &dsr.config);
        dsr.ask_neighbours(NodeId(9), &mut cx);
        let (requests, dropped) = watch(&mut dsr, &mut cx, 12_000);
        assert_eq!((requests.len(), dropped), (1, 0));
    }

    #[test]
    fn ns2_advertises_a_broken_link_until_a_request_goes_everywhere_and_for_a_second() {
        let names_error = |config: Config, after_ms| {
            let (mut dsr, mut cx) = waiting(&config, NodeId(1), &[NodeId(1)]);
            dsr.searches.on_broken(Broken { from: NodeId(2), to: NodeId(3) }, None, Instant::ZERO);
            cx.now = Instant::ZERO + Duration::from_millis(after_ms);
            dsr.discover(NodeId(9), &mut cx);
            let (requests, _) = watch(&mut dsr, &mut cx, after_ms + 3000);
            requests.iter().map(|&(.., names_error)| names_error).take(4).collect::<Vec<_>>()
        };
        assert_eq!(names_error(Config::of(Preset::Ns2), 100), [true, true, false, false]);
        assert_eq!(names_error(Config::of(Preset::Ns2), 1100), [false; 4]);
        assert_eq!(names_error(Config { error_memory: None, ..Config::of(Preset::Ns2) }, 1100), [true; 4]);
    }
}
