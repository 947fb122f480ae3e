//! When a flow sends.

use farlink_kernel::{Duration, Instant};
use farlink_network::Blueprint;
use farlink_network::app::Length;
use farlink_network::blueprint::Flow;
use farlink_network::channel::error::Errors;
use farlink_network::ids::NodeId;
use farlink_network::schedule::Interval;

use crate::paths::{Leg, Network};
use crate::rates::mean_rates;

/// A file takes no longer than so many times what it takes alone, with as many other flows at least.
const MARGIN: usize = 10;

/// From its first packet to its last, as far as that is known before a run; `None` for a flow that does not start
/// before the end of the run.
pub(super) fn active(flow: &Flow, blueprint: &Blueprint) -> Option<Interval> {
    let Interval { start, end: latest } = flow.start.bounds();
    let run = Instant::ZERO + blueprint.duration;
    let stop = flow.stop.unwrap_or(run);
    let complete = alone(flow, blueprint).map_or(run, |alone| {
        latest.saturating_add(alone.saturating_mul(MARGIN.max(blueprint.flows.len()) as u64))
    });
    let end = run.min(stop).min(complete);
    (start < end).then_some(Interval { start, end })
}

/// How long a file takes over a path of links without losses and jitter; `None` where that is unknown.
fn alone(flow: &Flow, blueprint: &Blueprint) -> Option<Duration> {
    let Length::Bytes(size) = flow.application.parameters().traffic().length else { return None };
    let rates = mean_rates(blueprint);
    let network = Network::new(blueprint);
    let mut slowest = f64::INFINITY;
    let mut round_trip = 0.0;
    for [from, to] in [[flow.from, flow.to], [flow.to, flow.from]] {
        for number in links(&network, from, to)? {
            let direction = blueprint.direction(number);
            if direction.error.parameters().errors() != Errors::None || direction.jitter.is_some() {
                return None;
            }
            slowest = slowest.min(rates[number]);
            round_trip += direction.delay.bounds().1.as_secs_f64();
        }
    }
    let segments = size.0.div_ceil(flow.tcp.segment_size.0.max(1));
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
