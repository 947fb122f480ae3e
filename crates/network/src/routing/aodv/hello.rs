//! Hello: nodes on routes say that they are there (RFC 3561, sections 6.9 and 6.10).

use farlink_kernel::ordered::Map;
use farlink_kernel::random::Stream;
use farlink_kernel::{Duration, Instant};

use super::{Aodv, Config};
use crate::context::Context;
use crate::ids::NodeId;
use crate::wire::aodv::Message;

/// Neighbours that send hello messages, and when this node does.
#[derive(Clone, Debug)]
pub struct Neighbours {
    heard: Map<NodeId, Instant>,
    /// ALLOWED_HELLO_LOSS x HELLO_INTERVAL.
    patience: Duration,
    /// No neighbour times out before this.
    next_check: Instant,
    next_hello: Instant,
    last_broadcast: Option<Instant>,
}

impl Neighbours {
    /// No neighbours; the first HELLO is at a random time.
    pub fn new(config: &Config, rng: &mut Stream) -> Self {
        let first = Instant::ZERO.saturating_add(config.hello_interval.mul_f64(rng.uniform()));
        Self {
            heard: Map::new(),
            patience: config.hello_lifetime(),
            next_check: Instant::NEVER,
            next_hello: if config.hello { first } else { Instant::NEVER },
            last_broadcast: None,
        }
    }

    /// A neighbour said hello: from now on it is expected to.
    pub fn on_hello(&mut self, neighbour: NodeId, now: Instant) {
        self.heard.insert(neighbour, now);
        self.next_check = self.next_check.min(now.saturating_add(self.patience));
    }

    pub fn on_heard(&mut self, neighbour: NodeId, now: Instant) {
        if let Some(last) = self.heard.get_mut(&neighbour) {
            *last = now;
        }
    }

    pub fn on_broadcast(&mut self, now: Instant) {
        self.last_broadcast = Some(now);
    }

    pub fn remove(&mut self, neighbour: NodeId) {
        self.heard.remove(&neighbour);
    }

    pub fn deadline(&self) -> Instant {
        self.next_hello.min(self.next_check)
    }

    fn missed(&mut self, now: Instant) -> Vec<NodeId> {
        let patience = self.patience;
        let gone = |last: Instant| last.saturating_add(patience);
        let missed =
            self.heard.iter().filter(|&(_, &last)| gone(last) <= now).map(|(&node, _)| node).collect();
        self.heard.retain(|_, &mut last| gone(last) > now);
        self.next_check = self.heard.values().map(|&last| gone(last)).min().unwrap_or(Instant::NEVER);
        missed
    }
}

impl Aodv {
    /// Sends a hello message if one is due, this node is on an active route and it sent no broadcast within the interval.
    pub(super) fn send_hello(&mut self, cx: &mut Context) {
        if self.neighbours.next_hello > cx.now {
            return;
        }
        let Config { hello_interval, hello_jitter, .. } = self.config;
        let is_silent = |last: Instant| last.saturating_add(hello_interval) <= cx.now;
        if self.table.has_active(cx.now) && self.neighbours.last_broadcast.is_none_or(is_silent) {
            let hello = self.own_reply(self.node, self.config.hello_lifetime());
            self.broadcast(&Message::Reply(hello), 1, Duration::ZERO, cx);
        }
        let factor = 1.0 + hello_jitter.0 * (2.0 * self.rng.uniform() - 1.0);
        let wait = hello_interval.mul_f64(factor).max(Duration::from_nanos(1));
        self.neighbours.next_hello = cx.now.saturating_add(wait);
    }

    /// Neighbours that said hello and are silent now are gone.
    pub(super) fn expire_neighbours(&mut self, cx: &mut Context) {
        if self.neighbours.next_check > cx.now {
            return;
        }
        for neighbour in self.neighbours.missed(cx.now) {
            self.on_link_broken(neighbour, None, cx);
        }
    }
}
