//! The results of a run, and their JSON form.

use std::collections::BTreeMap;

use farlink_kernel::{Bytes, Duration, Instant};
use farlink_network::ids::NodeId;
use farlink_network::queue;
use farlink_network::results::{
    Call, DropsAt, EndToEnd, FlowResult, HopResult, LedgerEntry, LinkResult, StationResult,
};
use farlink_tcp::Amount;
use serde_json::{Map, Value, json};

use crate::bottleneck::Bottleneck;
use crate::hash::sha256;

/// The measurements of a run and their provenance.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RunResults {
    /// The measurements of the network.
    pub measured: farlink_network::Results,
    /// The provenance of the results.
    pub provenance: Provenance,
    pub(crate) nodes: Vec<String>,
    pub(crate) routes: Vec<Route>,
    /// The mean rate of each measured link in bit/s.
    pub(crate) rates_bps: Vec<f64>,
    /// The queue of each direction of a link with two ends, in the order of the measured links.
    pub(crate) queues: Vec<queue::Config>,
    /// Why the capture is incomplete, if a write failed.
    pub capture_error: Option<String>,
    /// The recording for the animation, if requested: positions, frames in flight, drops and routes.
    pub animation: Option<Value>,
}

/// What is known of a flow's path before the run.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    /// The links it passes, as indices of the measured links.
    pub(crate) path: Vec<usize>,
    /// The options of the TCP that carries the flow, if one does.
    pub(crate) tcp: Option<Windows>,
    /// What the flow transfers in all; `None` where its application has no end.
    pub(crate) size: Option<Bytes>,
    /// Whether a relay passes on what it delivers.
    pub(crate) is_relayed: bool,
}

/// The options of a flow's TCP that bound its window.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Windows {
    pub(crate) max_window: Option<Amount>,
    pub(crate) receive_buffer: Bytes,
}

/// Everything needed to reproduce the results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provenance {
    /// The program's version.
    pub version: &'static str,
    /// The scenario's name.
    pub scenario: String,
    /// Its canonical text.
    pub resolved: String,
    /// SHA-256 of every file it read.
    pub file_hashes: BTreeMap<String, String>,
    /// The seed.
    pub seed: u64,
}

impl Provenance {
    /// The provenance as a JSON object.
    pub fn to_json(&self) -> Value {
        json!({
            "farlink": self.version, "scenario": self.scenario, "seed": self.seed,
            "resolved": self.resolved, "files": self.file_hashes,
        })
    }
}

impl RunResults {
    /// One seed's part of the `--json` document: `flows`, `workloads`, `drops`, `drops_by_node`, `failed_attempts`, `ledger`, `links`, `stations`,
    /// `airtime`, `hops`, `jain`, `engine`. A value that could not be measured is null. Wall-clock times are absent: they differ from run to run.
    pub fn to_json(&self) -> Value {
        let engine = &self.measured.engine;
        json!({
            "flows": self.flows_json(),
            "workloads": self.workloads_json(),
            "drops": object(&self.measured.drops),
            "drops_by_node": self.drops_by_node(),
            "failed_attempts": object(&self.measured.failed_attempts),
            "ledger": self.measured.ledger.iter().map(|entry| self.ledger_json(entry)).collect::<Vec<_>>(),
            "links": self.measured.links.iter().map(link_json).collect::<Vec<_>>(),
            "stations": self.measured.stations.iter().map(station_json).collect::<Vec<_>>(),
            "airtime": self.measured.stations.iter().map(|station| airtime_json(station, engine.simulated)).collect::<Vec<_>>(),
            "hops": self.measured.hops.iter().map(hop_json).collect::<Vec<_>>(),
            "jain": self.jain(),
            "engine": { "events": engine.events, "sim_s": engine.simulated.as_secs_f64() },
        })
    }

    fn flows_json(&self) -> Vec<Value> {
        self.measured
            .flows
            .iter()
            .zip(&self.routes)
            .map(|(flow, route)| self.flow_json(flow, route))
            .collect()
    }

    fn flow_json(&self, flow: &FlowResult, route: &Route) -> Value {
        let seconds = |duration: Option<Duration>| duration.map(Duration::as_secs_f64);
        let datagrams = flow.datagrams.as_ref();
        let of_tcp = |count: u64| datagrams.is_none().then_some(count);
        let share_of_sent =
            |count: u64| (flow.packets_sent > 0).then(|| count as f64 / flow.packets_sent as f64);
        let bottleneck = Bottleneck::of(flow, &self.measured);
        let mut entry = json!({
            "flow": flow.label,
            "seed": self.provenance.seed,
            "start_s": flow.start.map(|start| (start - Instant::ZERO).as_secs_f64()),
            "throughput_bps": flow.throughput_bps,
            "goodput_bps": flow.goodput_bps,
            "delay_mean_s": seconds(flow.delay_mean),
            "delay_p50_s": seconds(flow.delay_p50),
            "delay_p95_s": seconds(flow.delay_p95),
            "delay_p99_s": seconds(flow.delay_p99),
            "rtt_min_s": seconds(flow.rtt_min),
            "rtt_mean_s": seconds(flow.rtt_mean),
            "rtt_max_s": seconds(flow.rtt_max),
            "timer_rtt_max_s": seconds(flow.timer_rtt_max),
            "packets_sent": flow.packets_sent,
            "packets_delivered": flow.packets_delivered,
            "packets_retransmitted": of_tcp(flow.packets_retransmitted),
            "needless_retransmissions": of_tcp(flow.needless_retransmissions),
            "packets_reordered": flow.packets_reordered,
            "packets_discarded": flow.discarded.iter().map(|(_, packets)| packets).sum::<u64>(),
            "reverse_packets_repeated": of_tcp(flow.reverse_packets_repeated),
            "delivery_ratio": flow.delivery_ratio,
            "timeouts": of_tcp(flow.timeouts),
            "fast_retransmits": of_tcp(flow.fast_retransmits),
            "freezes": of_tcp(flow.freezes),
            "route_probes": of_tcp(flow.route_probes),
            "size_bytes": route.size.map(|size| size.0),
            "received_bytes": flow.bytes_received.0,
            "completion_s": seconds(flow.completion),
            "drops": object(&flow.drops),
            "discarded": object(&flow.discarded),
            "failed_attempts": object(&flow.failed_attempts),
            "limited_by": datagrams.is_none().then(|| object(&flow.limited_by)),
            "bottleneck": bottleneck.map(|bottleneck| bottleneck.link),
            "bottleneck_utilisation": bottleneck.map(|bottleneck| bottleneck.utilisation()),
            "sent_bps": datagrams.map(|datagrams| datagrams.sent_bps),
            "packets_lost": datagrams.map(|datagrams| datagrams.lost),
            "loss_rate": datagrams.and_then(|datagrams| share_of_sent(datagrams.lost)),
            "delay_variation_mean_s": datagrams.and_then(|datagrams| seconds(datagrams.delay_variation)),
            "jitter_mean_s": datagrams.and_then(|datagrams| datagrams.jitter_mean_s),
            "jitter_max_s": datagrams.and_then(|datagrams| datagrams.jitter_max_s),
        });
        if self.measured.flows.iter().any(|flow| flow.end_to_end.is_some()) {
            self.add_end_to_end(flow.end_to_end.as_ref(), &mut entry);
        }
        if self.measured.flows.iter().any(|flow| flow.call.is_some()) {
            add_call(flow.call.as_ref(), share_of_sent, &mut entry);
        }
        if let (Some(sent), Some(received)) = (&flow.sent, &flow.received) {
            entry["sent_sha256"] = sha256(sent).into();
            entry["received_sha256"] = sha256(received).into();
        }
        entry
    }

    /// The same keys in every flow of a scenario with a relay.
    fn add_end_to_end(&self, bytes: Option<&EndToEnd>, entry: &mut Value) {
        let seconds = |of: fn(&EndToEnd) -> Option<Duration>| bytes.and_then(of).map(Duration::as_secs_f64);
        entry["end_to_end_origin"] =
            bytes.map(|bytes| &*self.measured.flows[bytes.origin as usize].label).into();
        entry["end_to_end_bytes"] = bytes.map(|bytes| bytes.bytes.0).into();
        entry["end_to_end_goodput_bps"] = bytes.map(|bytes| bytes.goodput_bps).into();
        entry["end_to_end_delay_mean_s"] = seconds(|bytes| bytes.delay_mean).into();
        entry["end_to_end_delay_p50_s"] = seconds(|bytes| bytes.delay_p50).into();
        entry["end_to_end_delay_p95_s"] = seconds(|bytes| bytes.delay_p95).into();
        entry["end_to_end_delay_p99_s"] = seconds(|bytes| bytes.delay_p99).into();
        entry["end_to_end_completion_s"] = seconds(|bytes| bytes.completion).into();
    }

    /// By flow, node and cause, of all classes and interfaces.
    fn drops_by_node(&self) -> Vec<Value> {
        let of_flows = self.measured.flows.iter().map(|flow| (Some(&flow.label), &flow.drops_by_place));
        let mut rows = Vec::new();
        let workloads = self.measured.workloads.iter();
        let of_workloads = workloads.map(|workload| (Some(&workload.label), &workload.drops_by_place));
        for (flow, places) in of_flows.chain(of_workloads).chain([(None, &self.measured.message_drops)]) {
            let mut nodes: BTreeMap<_, u64> = BTreeMap::new();
            for drops in places {
                *nodes.entry((drops.node, drops.cause)).or_default() += drops.packets;
            }
            let row = |((node, cause), packets): ((NodeId, &str), u64)| {
                let node = &self.nodes[node.as_index()];
                json!({ "flow": flow, "seed": self.provenance.seed, "node": node, "cause": cause, "packets": packets })
            };
            rows.extend(nodes.into_iter().map(row));
        }
        rows
    }

    /// The name of the link or the interface; of what was dropped at none of the node's, the node's.
    pub(crate) fn place(&self, drops: &DropsAt) -> &str {
        match drops.link {
            Some(link) => &self.measured.links[link as usize].link,
            None => &self.nodes[drops.node.as_index()],
        }
    }

    fn ledger_json(&self, entry: &LedgerEntry) -> Value {
        json!({
            "flow": entry.flow.map(|owner| self.owner(owner)),
            "seed": self.provenance.seed,
            "class": entry.class,
            "originated": entry.originated,
            "duplicated": object(&entry.duplicated),
            "delivered": entry.delivered,
            "discarded": object(&entry.discarded),
            "dropped": object(&entry.dropped),
            "failed_attempts": object(&entry.failed_attempts),
            "in_flight": object(&entry.in_flight),
        })
    }

    /// The label of a flow or, with a number after those of flows, of a workload.
    fn owner(&self, number: u32) -> &str {
        let flows = &self.measured.flows;
        let arrived = (number as usize).checked_sub(flows.len());
        arrived.map_or_else(
            || &flows[number as usize].label,
            |workload| &self.measured.workloads[workload].label,
        )
    }

    /// Jain's fairness index (Jain, Chiu, Hawe, DEC-TR-301, 1984) of the TCP flows' goodputs, where a relayed transfer
    /// counts once, end to end: 1 when all are equal, 1/n when one has all; `None` when nothing arrived.
    pub fn jain(&self) -> Option<f64> {
        let flows = self.measured.flows.iter().zip(&self.routes);
        let goodput =
            |flow: &FlowResult| flow.end_to_end.as_ref().map_or(flow.goodput_bps, |of| of.goodput_bps);
        let counted = flows.filter(|(_, route)| route.tcp.is_some() && !route.is_relayed);
        jain(&counted.map(|(flow, _)| goodput(flow)).collect::<Vec<_>>())
    }
}

/// The same keys in every flow of a scenario with a call.
fn add_call(call: Option<&Call>, share_of_sent: impl Fn(u64) -> Option<f64>, entry: &mut Value) {
    entry["packets_late"] = call.map(|call| call.late).into();
    entry["late_rate"] = call.and_then(|call| share_of_sent(call.late)).into();
    entry["mouth_to_ear_s"] = call.and_then(|call| call.mouth_to_ear).map(Duration::as_secs_f64).into();
    entry["r_factor"] = call.and_then(|call| call.rating).into();
    entry["mos"] = call.and_then(|call| call.mos).into();
}

fn link_json(link: &LinkResult) -> Value {
    json!({
        "link": link.link,
        "utilisation": link.utilisation,
        "queue_mean_packets": link.queue_mean_packets,
        "queue_max_packets": link.queue_max_packets,
    })
}

fn station_json(station: &StationResult) -> Value {
    json!({
        "channel": station.channel,
        "node": station.node,
        "frames_sent": station.frames_sent,
        "retries": station.retries,
        "frames_combined": station.frames_combined,
        "frames_received": station.frames_received,
        "frames_overheard": station.frames_overheard,
        "duplicates_received": station.duplicates_received,
        "answers_missed": station.answers_missed,
        "answers_late": station.answers_late,
        "packets_given_up": station.packets_given_up,
        "given_up_attempts": object(&station.given_up_attempts),
        "energy_j": station.energy_joules,
        "undelivered": object(&station.undelivered),
        "missed": object(&station.missed),
    })
}

/// Over a run of this length.
fn airtime_json(station: &StationResult, run: Duration) -> Value {
    let share = |part: Duration| part.as_nanos() as f64 / run.as_nanos().max(1) as f64;
    json!({
        "channel": station.channel,
        "node": station.node,
        "transmitting_s": station.transmitting.as_secs_f64(),
        "transmitting_share": share(station.transmitting),
        "busy_s": station.busy.as_secs_f64(),
        "busy_share": share(station.busy),
    })
}

fn hop_json(hop: &HopResult) -> Value {
    json!({
        "channel": hop.channel,
        "from": hop.from,
        "to": hop.to,
        "attempts": hop.attempts,
        "failed_attempts": object(&hop.failed_attempts),
        "packets_given_up": hop.packets_given_up,
    })
}

fn object<T: Copy + Into<Value>>(pairs: &[(&'static str, T)]) -> Value {
    Value::Object(pairs.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect::<Map<_, _>>())
}

fn jain(shares: &[f64]) -> Option<f64> {
    let sum: f64 = shares.iter().sum();
    let squares: f64 = shares.iter().map(|share| share * share).sum();
    let index = sum * sum / (shares.len() as f64 * squares);
    index.is_finite().then_some(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jain_is_one_for_equal_shares_and_one_over_n_for_a_single_winner() {
        assert_eq!(jain(&[5.0, 5.0, 5.0]), Some(1.0));
        assert_eq!(jain(&[9.0, 0.0, 0.0]), Some(1.0 / 3.0));
        assert_eq!(jain(&[0.0, 0.0]), None);
        assert_eq!(jain(&[]), None);
    }

    #[test]
    fn what_is_not_a_number_is_null() {
        assert_eq!(object(&[("x", f64::NAN)]).to_string(), r#"{"x":null}"#);
    }
}
