//! When a flow, or a workload, sends.

use farlink_kernel::{Duration, Instant};
use farlink_network::Blueprint;
use farlink_network::channel::error::Errors;
use farlink_network::ids::NodeId;
use farlink_network::schedule::Interval;

use super::senders::Sender;
use crate::paths::{Leg, Network};
use crate::rates::mean_rates;

/// A file takes no longer than so many times what it takes alone, with as many other flows at least.
const MARGIN: u64 = 10;

/// From the first packet between two nodes to the last, as far as that is known before a run; `None` if none is sent
/// before the end of the run.
pub(super) fn active(sender: &Sender<'_>, ends: (NodeId, NodeId), blueprint: &Blueprint) -> Option<Interval> {
    let Interval { start, end: latest } = sender.starts;
    if start >= sender.until {
        return None;
    }
    let run = Instant::ZERO + blueprint.duration;
    let stop = sender.stop.unwrap_or(run);
    let complete = alone(sender, ends, blueprint)
        .map_or(run, |alone| latest.saturating_add(alone.saturating_mul(MARGIN.max(flows(blueprint)))));
    let end = run.min(stop).min(complete);
    (start < end).then_some(Interval { start, end })
}

/// The number of flows, those included that workloads are expected to start.
fn flows(blueprint: &Blueprint) -> u64 {
    let end = Instant::ZERO + blueprint.duration;
    let arrivals = blueprint.workloads.iter().map(|workload| {
        let until = workload.stop.map_or(end, |stop| stop.min(end));
        let seconds = until.saturating_since(workload.start).as_secs_f64();
        workload.arrivals.parameters().count(workload.mean_size(), seconds)
    });
    blueprint.flows.len() as u64 + arrivals.sum::<f64>().ceil() as u64
}

/// How long a file takes over a path of links without losses and jitter; `None` where that is unknown.
fn alone(sender: &Sender<'_>, (from, to): (NodeId, NodeId), blueprint: &Blueprint) -> Option<Duration> {
    let (size, tcp) = (sender.size?, sender.tcp?);
    let rates = mean_rates(blueprint);
    let network = Network::new(blueprint);
    let mut slowest = f64::INFINITY;
    let mut round_trip = 0.0;
    for [from, to] in [[from, to], [to, from]] {
        for number in links(&network, from, to)? {
            let direction = blueprint.direction(number);
            if direction.error.parameters().errors() != Errors::None || direction.jitter.is_some() {
                return None;
            }
            slowest = slowest.min(rates[number]);
            round_trip += direction.delay.bounds().1.as_secs_f64();
        }
    }
    let segments = size.0.div_ceil(tcp.segment_size.0.max(1));
    // The handshake, and a window that doubles with each round trip.
    let rounds = 2.0 + f64::from(u64::BITS - segments.leading_zeros());
    let seconds = rounds * round_trip + 8.0 * size.0 as f64 / slowest;
    (slowest > 0.0).then(|| Duration::from_secs_f64(seconds))
}

/// The directions of links of a path; `None` if there is none, or if it leads over a shared channel.
fn links(network: &Network<'_>, from: NodeId, to: NodeId) -> Option<Vec<usize>> {
    let path = network.path(from, to);
    let link = |leg: &Leg| match *leg {
        Leg::Link(number) => Some(number),
        Leg::Channel { .. } => None,
    };
    if path.is_empty() { None } else { path.iter().map(link).collect() }
}
