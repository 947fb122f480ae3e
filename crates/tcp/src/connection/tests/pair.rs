//! [`Pair`]: two connections and a link between them, in virtual time.

use std::collections::BTreeMap;

use super::*;

/// A client that sends to a server over a link with a delay and without a rate.
pub(super) struct Pair {
    pub(super) client: Connection,
    pub(super) server: Connection,
    pub(super) now: Instant,
    pub(super) delay: Duration,
    /// Transmission time of a data segment on the link, and when the link is idle.
    pub(super) service: Duration,
    pub(super) free: Instant,
    /// Nothing arrives before.
    pub(super) stalled_until: Instant,
    /// Longest wait for the link, beyond which data segments are lost; none is without bound.
    pub(super) queue: Option<Duration>,
    /// The next data segment is marked (CE).
    pub(super) marks_next: bool,
    /// In flight: arrival time and order to (goes to the server, segment).
    pub(super) wire: BTreeMap<(Instant, u64), (bool, Transmit)>,
    pub(super) offered: u64,
    /// Data segments of the client, counted from 1, that are lost.
    pub(super) lost: Vec<u64>,
    /// What either end sends is lost.
    pub(super) is_broken: bool,
    pub(super) data_sent: u64,
    pub(super) received: u64,
    pub(super) trace: Vec<(Instant, Transmit)>,
}

impl Pair {
    pub(super) fn new(config: &Config) -> Self {
        let from = SeqNumber(u32::MAX - 5_000);
        let back = if config.handshake == Handshake::OneWay { from } else { SeqNumber(7) };
        let mut client = Connection::new(config, Role::Active, from, 1);
        let mut server = Connection::new(config, Role::Passive, back, 2);
        server.open(Instant::ZERO);
        client.open(Instant::ZERO);
        Self {
            client,
            server,
            now: Instant::ZERO,
            delay: Duration::from_millis(50),
            service: Duration::ZERO,
            free: Instant::ZERO,
            stalled_until: Instant::ZERO,
            queue: None,
            marks_next: false,
            wire: BTreeMap::new(),
            offered: 0,
            lost: Vec::new(),
            is_broken: false,
            data_sent: 0,
            received: 0,
            trace: Vec::new(),
        }
    }

    pub(super) fn flush(&mut self) {
        while let Some(transmit) = self.client.poll_transmit(self.now) {
            self.trace.push((self.now, transmit));
            self.data_sent += u64::from(transmit.segment.len > 0);
            let is_full = self.queue.is_some_and(|most| self.free.saturating_since(self.now) > most);
            let lost = transmit.segment.len > 0 && (is_full || self.lost.contains(&self.data_sent));
            if !lost {
                let marked = transmit.segment.len > 0 && std::mem::take(&mut self.marks_next);
                let ecn = if marked { Ecn::Experienced } else { transmit.ecn };
                self.carry(true, Transmit { ecn, ..transmit });
            }
        }
        while let Some(transmit) = self.server.poll_transmit(self.now) {
            self.carry(false, transmit);
        }
        while self.server.poll_event().is_some() {}
        assert!(self.server.received() >= self.received, "what arrived in order stays");
        self.received = self.server.received();
        while self.client.poll_event().is_some() {}
    }

    pub(super) fn carry(&mut self, to_server: bool, transmit: Transmit) {
        if self.is_broken {
            return;
        }
        self.offered += 1;
        let mut departure = self.now;
        if to_server {
            self.free = self.free.max(self.now) + self.service;
            departure = self.free;
        }
        let arrival = (departure + self.delay).max(self.stalled_until);
        self.wire.insert((arrival, self.offered), (to_server, transmit));
    }

    /// Runs until `end` or until nothing more happens.
    pub(super) fn run_until(&mut self, end: Instant) {
        loop {
            self.flush();
            let arrival = self.wire.keys().next().map_or(Instant::NEVER, |&(at, _)| at);
            let next = arrival.min(self.client.deadline()).min(self.server.deadline());
            if next > end || next == Instant::NEVER {
                self.now = end;
                return;
            }
            assert!(next >= self.now);
            self.now = next;
            if arrival == next {
                let (_, (to_server, transmit)) = self.wire.pop_first().expect("an arrival");
                let end = if to_server { &mut self.server } else { &mut self.client };
                end.on_segment(next, &transmit.segment, transmit.ecn);
            }
            self.client.on_deadline(next);
            self.server.on_deadline(next);
        }
    }

    pub(super) fn run_for(&mut self, length: Duration) {
        let end = self.now + length;
        self.run_until(end);
    }
}
