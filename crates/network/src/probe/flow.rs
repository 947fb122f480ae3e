//! [`Measured`]: what is counted about a flow while it runs, and the result made of it.

use farlink_kernel::{Bytes, Duration, Instant};
use farlink_tcp::connection::LimitedBy;

use super::delay::Delays;
use crate::ids::End;
use crate::packet::{CAUSES, Cause, Losses};
use crate::probe::series::Counts;
use crate::results::{Datagrams, FlowResult};
use crate::transport::stored::Stored;
use crate::transport::tcp::Tcp;
use crate::transport::{Carrier, Flow};

/// Counts of one flow.
#[derive(Clone, Debug)]
pub struct Measured {
    start: Instant,
    /// Datagrams sent and their payload (TCP counts its segments itself).
    datagrams: (u64, Bytes),
    /// The delay of the datagram that arrived last, and the differences between consecutive ones.
    newest_delay: Option<Duration>,
    variations: Delays,
    delays: Delays,
    bytes_arrived: u64,
    delivered: u64,
    new_data: u64,
    received: u64,
    complete: Option<(Instant, LimitedBy)>,
}

impl Measured {
    /// Nothing yet, of a flow that will start at `start`.
    pub fn new(start: Instant) -> Self {
        Self {
            start,
            datagrams: (0, Bytes(0)),
            newest_delay: None,
            variations: Delays::default(),
            delays: Delays::default(),
            bytes_arrived: 0,
            delivered: 0,
            new_data: 0,
            received: 0,
            complete: None,
        }
    }

    /// A data packet of `size` bytes arrived.
    pub fn on_data(&mut self, size: u32) {
        self.bytes_arrived += u64::from(size);
    }

    /// Did the receiver take data from the packet that just arrived? `new_data` is its count of those packets.
    pub fn is_new(&mut self, new_data: u64) -> bool {
        std::mem::replace(&mut self.new_data, new_data) != new_data
    }

    /// A data packet arrived for the first time, so long after it was first sent.
    pub fn on_first_arrival(&mut self, delay: Duration) {
        self.delivered += 1;
        self.delays.add(delay);
    }

    /// A datagram with so much payload was sent.
    pub fn on_datagram_sent(&mut self, payload: Bytes) {
        self.datagrams.0 += 1;
        self.datagrams.1.0 += payload.0;
    }

    /// A datagram arrived for the first time, so long after it was sent.
    pub fn on_datagram_arrival(&mut self, delay: Duration) {
        if let Some(before) = self.newest_delay.replace(delay) {
            self.variations.add(delay.abs_diff(before));
        }
    }

    /// So many more bytes were handed to the application.
    pub fn on_received(&mut self, bytes: u64) {
        self.received += bytes;
    }

    /// Everything was sent and acknowledged, for the first time.
    pub fn on_complete(&mut self, now: Instant, limited_by: LimitedBy) {
        self.complete.get_or_insert((now, limited_by));
    }

    /// Bytes handed to the application so far.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// What was counted so far of a flow that sent so many data packets.
    pub(crate) fn counts(&self, sent: u64) -> Counts {
        Counts { sent, delivered: self.delivered, received_bytes: self.received }
    }

    /// The result of `flow`, called `label`, at the end of the run.
    pub fn result(&self, label: &str, flow: &Flow, losses: &Losses, now: Instant) -> FlowResult {
        let end = self.complete.map_or(now, |(at, _)| at);
        let per_second = |bytes: u64| match end.saturating_since(self.start).as_secs_f64() {
            0.0 => 0.0,
            seconds => bytes as f64 * 8.0 / seconds,
        };
        let mut result = FlowResult {
            label: label.to_owned(),
            start: self.start.min(now),
            end,
            throughput_bps: per_second(self.bytes_arrived),
            goodput_bps: per_second(self.received),
            delay_mean: self.delays.mean(),
            delay_p95: self.delays.percentile(95),
            rtt_min: None,
            rtt_mean: None,
            rtt_max: None,
            packets_sent: self.datagrams.0,
            packets_delivered: self.delivered,
            packets_retransmitted: 0,
            packets_received_again: 0,
            arrival_rate: 0.0,
            timeouts: 0,
            fast_retransmits: 0,
            spurious: 0,
            freezes: 0,
            route_probes: 0,
            completion: self.complete.map(|(at, _)| at - self.start),
            bytes_received: Bytes(self.received),
            drops: named(&losses.drops),
            drops_by_place: Vec::new(),
            failed_tries: named(&losses.failed_tries),
            limited_by: Vec::new(),
            datagrams: None,
            path: Vec::new(),
            sent: None,
            received: None,
        };
        match flow.carrier() {
            Carrier::Tcp(tcp) => self.add_tcp(&mut result, tcp, now),
            Carrier::Udp(_) => {
                result.datagrams = Some(Datagrams {
                    sent_bps: per_second(self.datagrams.1.0),
                    lost: 0,
                    delay_variation: self.variations.mean(),
                });
            }
        }
        if result.packets_sent > 0 {
            result.arrival_rate = result.packets_delivered as f64 / result.packets_sent as f64;
        }
        result
    }

    fn add_tcp(&self, result: &mut FlowResult, tcp: &Tcp, now: Instant) {
        let sender = tcp.connection(End::Sender);
        let counters = sender.counters();
        result.packets_sent = counters.data_segments_sent;
        result.packets_retransmitted = counters.retransmissions;
        result.packets_received_again =
            counters.duplicate_syns + counters.late_fins + counters.duplicates_received;
        result.timeouts = counters.timeouts;
        result.fast_retransmits = counters.fast_retransmits;
        result.spurious = counters.spurious;
        result.freezes = counters.freezes;
        result.route_probes = counters.route_probes;
        if let Some((least, mean, most)) = sender.rtt_range() {
            (result.rtt_min, result.rtt_mean, result.rtt_max) = (Some(least), Some(mean), Some(most));
        }
        let until_now = || if self.start < now { sender.limited_by(now) } else { LimitedBy::default() };
        result.limited_by = shares(&self.complete.map_or_else(until_now, |(_, until)| until));
        result.sent = tcp.stored().map(Stored::sent);
        result.received = tcp.stored().map(|stored| stored.received().to_vec());
    }
}

/// The causes that occurred, with their numbers.
pub fn named(drops: &[u64; CAUSES]) -> Vec<(&'static str, u64)> {
    Cause::WORDS.iter().copied().zip(drops.iter().copied()).filter(|&(_, count)| count > 0).collect()
}

/// Lengths as fractions of their sum.
fn shares(limited_by: &LimitedBy) -> Vec<(&'static str, f64)> {
    let LimitedBy {
        handshake,
        application,
        congestion_window,
        receive_window,
        max_window,
        recovery,
        timeout,
        pacing,
        frozen,
    } = *limited_by;
    let parts = [
        ("handshake", handshake),
        ("application", application),
        ("congestion_window", congestion_window),
        ("receive_window", receive_window),
        ("max_window", max_window),
        ("recovery", recovery),
        ("timeout", timeout),
        ("pacing", pacing),
        ("frozen", frozen),
    ];
    let sum: u64 = parts.iter().map(|(_, length)| length.as_nanos()).sum();
    let share = |length: Duration| length.as_nanos() as f64 / sum.max(1) as f64;
    parts.map(|(name, length)| (name, share(length))).to_vec()
}
