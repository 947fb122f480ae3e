//! Flows and workloads of which nothing arrives before the end of the run: a delay or a rate in the wrong unit, a late
//! start, or a short run.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use farlink_kernel::config::Diagnostic;
use farlink_kernel::{Bytes, Duration, Instant};
use farlink_network::Blueprint;
use farlink_network::ids::NodeId;
use farlink_tcp::config::Handshake;
use farlink_tcp::fast_open::FastOpen;

use super::beyond;
use super::directions::key;
use super::senders::{Sender, TCP_HEADERS, senders};
use crate::document::Document;
use crate::paths::{Leg, Network};

pub(super) fn find(document: &Document, blueprint: &Blueprint) -> Vec<Diagnostic> {
    let network = Network::new(blueprint);
    // A path that is soon enough is found faster than the soonest.
    let is_soon = |sender: &Sender<'_>, (a, b)| {
        let size = sender.first_packet();
        let ways = [(a, b), (b, a), (a, b)];
        let legs = ways.iter().flat_map(|&(from, to)| network.path(from, to));
        let times = legs.map(|leg| match leg {
            Leg::Link(number) => time(number, size, blueprint),
            Leg::Channel { .. } => Duration::ZERO,
        });
        times.fold(Duration::ZERO, Duration::saturating_add) < left(sender, blueprint)
    };
    let judge = |sender: Sender<'_>| {
        if sender.starts.start >= sender.until {
            return Some(never(&sender, blueprint));
        }
        let mut late = sender.pairs().into_iter().filter(|&ends| !is_soon(&sender, ends));
        late.find_map(|ends| judge(&sender, ends, document, blueprint))
    };
    senders(document, blueprint).filter_map(judge).collect()
}

/// The time from the first possible start to the end of the run.
fn left(sender: &Sender<'_>, blueprint: &Blueprint) -> Duration {
    (Instant::ZERO + blueprint.duration).saturating_since(sender.starts.start)
}

/// A schedule of flows of which none starts before the end of the run, or before `stop`.
fn never(sender: &Sender<'_>, blueprint: &Blueprint) -> Diagnostic {
    let Sender { label, starts, until, start_key, .. } = sender;
    let first = starts.start;
    let end = Instant::ZERO + blueprint.duration;
    let message = format!("the first flow of `{label}` is at {first}, and ");
    let (message, remedy) = if first < end {
        (format!("{message}`stop` is {until}"), "stop later".into())
    } else {
        (format!("{message}the run ends at {end}"), beyond::remedy(first))
    };
    sender.refuse_at(start_key, message, remedy)
}

/// A warning if the first data between two nodes arrive after the end of the run: at the link that takes longest, or at
/// the start if the run is long enough for another one.
fn judge(
    sender: &Sender<'_>,
    (a, b): (NodeId, NodeId),
    document: &Document,
    blueprint: &Blueprint,
) -> Option<Diagnostic> {
    let size = sender.first_packet();
    let (data, path) = soonest(a, b, size, blueprint)?;
    let has_handshake =
        sender.tcp.is_some_and(|tcp| tcp.handshake == Handshake::ThreeWay && tcp.fast_open == FastOpen::Off);
    let mut first = data;
    if has_handshake {
        for (from, to) in [(a, b), (b, a)] {
            first = first.saturating_add(soonest(from, to, Bytes(TCP_HEADERS), blueprint)?.0);
        }
    }
    let left = left(sender, blueprint);
    if first < left {
        return None;
    }
    let before = if has_handshake { ", after SYN and SYN/ACK" } else { "" };
    let arrive = format!(
        "the first data of `{}` arrive {:.1} s after its start at the earliest{before}",
        sender.label,
        first.as_secs_f64()
    );
    if first < blueprint.duration {
        let message = format!("{arrive}, and the run ends {left} after its start");
        return Some(sender.refuse_at(sender.start_key, message, "start earlier or run longer"));
    }
    let &worst = path.iter().max_by_key(|&&number| time(number, size, blueprint))?;
    let config = blueprint.direction(worst);
    let (delay, sending) = (config.delay.bounds().0, config.rate.bounds().1.time_to_send(size));
    let message = format!("{arrive}, and the run lasts {}", blueprint.duration);
    let (key, remedy) = if delay >= sending {
        let seconds = delay.as_secs_f64();
        let remedy = format!("write \"{seconds} ms\" if milliseconds are meant, or a longer duration");
        (key(worst, "delay", |config| &config.delay, blueprint), remedy)
    } else {
        let seconds = sending.as_secs_f64();
        let remedy =
            format!("a packet of {size} takes {seconds:.1} s: write a higher rate, or a longer duration");
        (key(worst, "rate", |config| &config.rate, blueprint), remedy)
    };
    Some(document.links[worst / 2].refuse_at(&key, message, remedy))
}

/// The shortest time that a packet takes over a direction of a link.
fn time(number: usize, size: Bytes, blueprint: &Blueprint) -> Duration {
    let config = blueprint.direction(number);
    config.delay.bounds().0.saturating_add(config.rate.bounds().1.time_to_send(size))
}

/// The shortest time that a packet takes from one node to another, and the directions of links on the way; shared
/// channels count as none. `None` without a path.
fn soonest(from: NodeId, to: NodeId, size: Bytes, blueprint: &Blueprint) -> Option<(Duration, Vec<usize>)> {
    let mut edges = vec![Vec::new(); blueprint.nodes.len()];
    for (number, link) in blueprint.links.iter().enumerate() {
        let [a, b] = link.between;
        for (here, there, number) in [(a, b, 2 * number), (b, a, 2 * number + 1)] {
            edges[here].push((there, time(number, size, blueprint), Some(number)));
        }
    }
    for pair in blueprint.channels.iter().flat_map(|channel| channel.members.windows(2)) {
        for (here, there) in [(pair[0], pair[1]), (pair[1], pair[0])] {
            edges[here].push((there, Duration::ZERO, None));
        }
    }
    // By node: the time, and the node and direction before it (Dijkstra, Numerische Mathematik 1959).
    let mut best = vec![None; edges.len()];
    let mut open = BinaryHeap::from([Reverse((Duration::ZERO, from, None))]);
    while let Some(Reverse((sum, node, before))) = open.pop() {
        if best[node].is_some() {
            continue;
        }
        best[node] = Some((sum, before));
        let onward = edges[node].iter();
        open.extend(
            onward.map(|&(there, time, number)| {
                Reverse((sum.saturating_add(time), there, Some((node, number))))
            }),
        );
    }
    let (sum, last) = best[to]?;
    let steps = std::iter::successors(last, |&(node, _)| best[node].and_then(|(_, before)| before));
    Some((sum, steps.filter_map(|(_, number): (NodeId, Option<usize>)| number).collect()))
}
