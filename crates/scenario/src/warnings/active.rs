//! When a flow sends.

use farlink_kernel::{Duration, Instant};
use farlink_network::blueprint::Flow;
use farlink_network::channel::error;
use farlink_network::ids::NodeId;
use farlink_network::schedule::{Interval, Schedule, Start};
use farlink_network::{Blueprint, app};

use crate::estimate::{Leg, Network};
use crate::rates::mean_rates;

/// A file takes no longer than so many times what it takes alone, with as many other flows at least.
const MARGIN: usize = 10;

/// From its first packet to its last, as far as that is known before a run; `None` for a flow that does not start
/// before the end of the run.
pub(super) fn active(flow: &Flow, blueprint: &Blueprint) -> Option<Interval> {
    let (start, latest) = match flow.start {
        Start::At(at) => (at, at),
        Start::Within(interval) => (interval.start, interval.end),
    };
    let run = Instant::ZERO + blueprint.duration;
    let stop = flow.stop.unwrap_or(run);
    let complete = alone(flow, blueprint).map_or(run, |alone| {
        latest.saturating_add(alone.saturating_mul(MARGIN.max(blueprint.flows.len()) as u64))
    });
    let end = run.min(stop).min(complete);
    (start < end).then_some(Interval { start, end })
}

/// How long a file takes over a path of links without losses; `None` where that is unknown.
fn alone(flow: &Flow, blueprint: &Blueprint) -> Option<Duration> {
    let app::Config::File(file) = &flow.application else { return None };
    let rates = mean_rates(blueprint);
    let network = Network::new(blueprint);
    let mut slowest = f64::INFINITY;
    let mut round_trip = 0.0;
    for [from, to] in [[flow.from, flow.to], [flow.to, flow.from]] {
        for number in links(&network, from, to)? {
            let link = &blueprint.links[number / 2];
            let direction = [&link.forward, &link.reverse][number % 2];
            if !matches!(direction.error, error::Config::Perfect(_)) {
                return None;
            }
            slowest = slowest.min(rates[number]);
            round_trip += longest(&direction.delay).as_secs_f64();
        }
    }
    let segments = file.size.0.div_ceil(flow.tcp.segment_size.0.max(1));
    // The handshake, and a window that doubles with each round trip.
    let rounds = 2.0 + f64::from(u64::BITS - segments.leading_zeros());
    let seconds = rounds * round_trip + 8.0 * file.size.0 as f64 / slowest;
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

fn longest(delay: &Schedule<Duration>) -> Duration {
    match delay {
        Schedule::Constant(delay) => *delay,
        Schedule::Steps(steps) => {
            steps.points.iter().map(|(_, delay)| *delay).max().unwrap_or(Duration::ZERO)
        }
        Schedule::File(_) => Duration::ZERO,
    }
}
