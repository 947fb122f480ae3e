//! Results of the flows at the end of a run.

use std::collections::BTreeSet;

use farlink_kernel::{Bytes, Duration, Instant};
use farlink_tcp::connection::LimitedBy;

use crate::blueprint;
use crate::ids::{End, FlowId};
use crate::metrics::flow::FlowCounters;
use crate::packet::{Losses, named};
use crate::results::{Datagrams, EndToEnd, FlowResult};
use crate::transport;
use crate::transport::stored::Stored;
use crate::transport::tcp::Tcp;
use crate::transport::{Endpoints, Flow};
use crate::world::World;
use crate::world::lost_datagrams::{Open, is_lost, lost};

impl World {
    /// One per flow, in the blueprint's order.
    pub(super) fn flow_results(&mut self, open: &Open) -> Vec<FlowResult> {
        let loads = self.path_loads();
        let flows = self.transport.flows.iter().zip(&self.blueprint.flows).enumerate();
        let results = flows.zip(open).zip(loads);
        results
            .map(|(((number, flow), open), path)| FlowResult { path, ..self.flow_result(number, flow, open) })
            .collect()
    }

    /// The `open` datagrams of the flow are under way.
    fn flow_result(
        &self,
        number: usize,
        (flow, config): (&Flow, &blueprint::Flow),
        open: &BTreeSet<u64>,
    ) -> FlowResult {
        let packets = &self.context.packets;
        let losses = packets.losses(number);
        let mut result = result(flow, &config.label, &losses, self.context.now);
        result.end_to_end = self.transport.relayed(FlowId(number as u32)).map(|bytes| self.end_to_end(bytes));
        result.drops_by_place = self.drops_by_place(number);
        result.discarded = packets.discarded(number);
        if let (Some(datagrams), Endpoints::Udp(udp)) = (&mut result.datagrams, flow.endpoints()) {
            datagrams.lost = lost(udp, open).count() as u64;
            let is_lost = |number| is_lost(udp, open, number);
            result.call = udp.playout().map(|playout| playout.results(udp.sent(), is_lost));
        }
        result
    }
}

impl World {
    fn end_to_end(&self, bytes: &transport::end_to_end::EndToEnd) -> EndToEnd {
        let flows = &self.transport.flows;
        let (origin, relay) = (&flows[bytes.origin].measured, &flows[bytes.relay].measured);
        let complete = relay.complete.map(|complete| complete.at);
        let time = complete.unwrap_or(self.context.now).saturating_since(origin.start);
        EndToEnd {
            origin: bytes.origin.0,
            bytes: Bytes(relay.received),
            goodput_bps: rate(relay.received, time),
            delay_mean: bytes.delays.mean(),
            delay_p50: bytes.delays.percentile(50),
            delay_p95: bytes.delays.percentile(95),
            delay_p99: bytes.delays.percentile(99),
            completion: complete.map(|at| at.saturating_since(origin.start)),
        }
    }
}

/// In bit/s; 0 over no time.
fn rate(bytes: u64, time: Duration) -> f64 {
    match time.as_secs_f64() {
        0.0 => 0.0,
        seconds => bytes as f64 * 8.0 / seconds,
    }
}

/// The result of `flow`, called `label`, at the end of the run.
fn result(flow: &Flow, label: &str, losses: &Losses, now: Instant) -> FlowResult {
    let counters = &flow.measured;
    let end = counters.complete.map_or(now, |complete| complete.at);
    let start = Some(counters.start).filter(|&start| start <= now);
    let per_second = |bytes: u64| rate(bytes, end.saturating_since(counters.start));
    let mut result = FlowResult {
        label: label.to_owned(),
        start,
        end,
        throughput_bps: per_second(
            counters.complete.map_or(counters.bytes_arrived, |complete| complete.bytes_arrived),
        ),
        goodput_bps: per_second(counters.received),
        delay_mean: counters.delays.mean(),
        delay_p50: counters.delays.percentile(50),
        delay_p95: counters.delays.percentile(95),
        delay_p99: counters.delays.percentile(99),
        packets_sent: counters.datagrams.0,
        packets_delivered: counters.delivered,
        completion: start.zip(counters.complete).map(|(start, complete)| complete.at - start),
        bytes_received: Bytes(counters.received),
        packets_reordered: counters.reordered,
        needless_retransmissions: counters.repeats.needless(),
        drops: named(&losses.drops),
        failed_attempts: named(&losses.failed_attempts),
        ..FlowResult::default()
    };
    match flow.endpoints() {
        Endpoints::Tcp(tcp) => add_tcp(&mut result, counters, tcp, now),
        Endpoints::Udp(udp) => {
            let jitter = udp.jitter();
            result.datagrams = Some(Datagrams {
                sent_bps: per_second(counters.datagrams.1.0),
                lost: 0,
                delay_variation: jitter.mean_difference(),
                jitter_mean_s: jitter.mean_s(),
                jitter_max_s: jitter.largest_s(),
            });
        }
    }
    if result.packets_sent > 0 {
        result.delivery_ratio = result.packets_delivered as f64 / result.packets_sent as f64;
    }
    result
}

/// Adds what only TCP counts.
fn add_tcp(result: &mut FlowResult, flow: &FlowCounters, tcp: &Tcp, now: Instant) {
    let sender = tcp.connection(End::Sender);
    let counters = sender.counters();
    result.packets_sent = counters.data_segments_sent;
    result.packets_retransmitted = counters.retransmissions;
    result.reverse_packets_repeated =
        counters.duplicate_syns + counters.late_fins + counters.duplicates_received;
    result.timeouts = counters.timeouts;
    result.fast_retransmits = counters.fast_retransmits;
    result.spurious = counters.spurious;
    result.freezes = counters.freezes;
    result.route_probes = counters.route_probes;
    if let Some((least, mean, most)) = sender.rtt_range() {
        (result.rtt_min, result.rtt_mean, result.rtt_max) = (Some(least), Some(mean), Some(most));
    }
    let until_now = || if flow.start < now { sender.limited_by(now) } else { LimitedBy::default() };
    result.timer_rtt_max = sender.timer_rtt_max();
    result.limited_by = shares(&flow.complete.map_or_else(until_now, |complete| complete.limited_by));
    result.sent = tcp.stored().map(Stored::sent);
    result.received = tcp.stored().map(|stored| stored.received().to_vec());
}

/// Lengths as fractions of their sum.
fn shares(limited_by: &LimitedBy) -> Vec<(&'static str, f64)> {
    let sum = limited_by.total().as_nanos().max(1) as f64;
    limited_by.iter().map(|(name, length)| (name, length.as_nanos() as f64 / sum)).collect()
}
