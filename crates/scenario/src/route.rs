//! The way a flow's packets are expected to take.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use farlink_kernel::{BitRate, Duration};
use farlink_network::Blueprint;
use farlink_network::blueprint::{Channel, NodeId};
use farlink_network::channel::propagation;
use farlink_network::course::{Course, Steps};
use farlink_network::routing;
use farlink_network::routing::shortest_path::Metric;

/// One step of a way.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    /// Its name, as in the results' links.
    pub(crate) link: String,
    /// Its rate, the mean over time if it changes.
    pub(crate) rate_bps: f64,
}

/// One direction between neighbours.
struct Edge {
    to: NodeId,
    step: Step,
    delay: Duration,
}

/// The graph of all links and of who hears whom on the channels.
pub(crate) struct Graph {
    edges: Vec<Vec<Edge>>,
    metric: Metric,
}

/// Larger means further: nanoseconds then hops, or hops then nanoseconds.
type Distance = (u64, u64);

impl Graph {
    pub(crate) fn new(blueprint: &Blueprint) -> Self {
        let routing::Config::ShortestPath(routing) = &blueprint.routing;
        let edges = blueprint.nodes.iter().map(|_| Vec::new()).collect();
        let mut graph = Self { edges, metric: routing.metric };
        let name = |node: NodeId| blueprint.nodes[node as usize].name.as_str();
        for link in &blueprint.links {
            let [a, b] = link.between;
            for (from, to, direction) in [(a, b, &link.forward), (b, a, &link.reverse)] {
                graph.edges[from as usize].push(Edge {
                    to,
                    step: Step {
                        link: format!("{}->{}", name(from), name(to)),
                        rate_bps: mean_rate(&direction.rate, blueprint.duration),
                    },
                    delay: first(&direction.delay),
                });
            }
        }
        for channel in &blueprint.channels {
            for &from in &channel.members {
                let heard = channel.members.iter().filter(|to| **to != from);
                for &to in heard.filter(|to| hears(blueprint, channel, from, **to)) {
                    graph.edges[from as usize].push(Edge {
                        to,
                        step: Step {
                            link: format!("{}:{}", channel.name, name(from)),
                            rate_bps: channel.radio.phy.rate.as_bps() as f64,
                        },
                        delay: Duration::ZERO,
                    });
                }
            }
        }
        graph
    }

    /// The shortest way from one node to another; `None` when none leads there.
    pub(crate) fn way(&self, from: NodeId, to: NodeId) -> Option<Vec<Step>> {
        let came_by = self.shortest_ways(from);
        let mut steps = Vec::new();
        let mut node = to;
        while node != from {
            let (previous, edge) = came_by[node as usize]?;
            steps.push(edge.step.clone());
            node = previous;
        }
        steps.reverse();
        Some(steps)
    }

    /// For each node the last step of the shortest way to it (Dijkstra).
    fn shortest_ways(&self, from: NodeId) -> Vec<Option<(NodeId, &Edge)>> {
        let mut came_by = vec![None; self.edges.len()];
        let mut distances = vec![(u64::MAX, u64::MAX); self.edges.len()];
        let mut next = BinaryHeap::from([Reverse(((0, 0), from))]);
        distances[from as usize] = (0, 0);
        while let Some(Reverse((distance, node))) = next.pop() {
            if distance > distances[node as usize] {
                continue;
            }
            for edge in &self.edges[node as usize] {
                let further = self.further(distance, edge);
                if further < distances[edge.to as usize] {
                    distances[edge.to as usize] = further;
                    came_by[edge.to as usize] = Some((node, edge));
                    next.push(Reverse((further, edge.to)));
                }
            }
        }
        came_by
    }

    fn further(&self, (major, minor): Distance, edge: &Edge) -> Distance {
        let delay = edge.delay.as_nanos();
        match self.metric {
            Metric::Hops => (major + 1, minor.saturating_add(delay)),
            Metric::Delay => (major.saturating_add(delay), minor + 1),
        }
    }
}

fn hears(blueprint: &Blueprint, channel: &Channel, a: NodeId, b: NodeId) -> bool {
    let position = |node: NodeId| blueprint.nodes[node as usize].position;
    match &channel.radio.propagation {
        propagation::Config::Disc(disc) => position(a).distance(position(b)) <= disc.range,
    }
}

fn first(delay: &Course<Duration>) -> Duration {
    match delay {
        Course::Constant(delay) => *delay,
        Course::Steps(steps) => steps.points[0].1,
        Course::File(_) => Duration::ZERO,
    }
}

fn mean_rate(rate: &Course<BitRate>, duration: Duration) -> f64 {
    match rate {
        Course::Constant(rate) => rate.as_bps() as f64,
        Course::Steps(steps) => mean(steps, steps.period.unwrap_or(duration)),
        Course::File(_) => f64::NAN,
    }
}

fn mean(steps: &Steps<BitRate>, length: Duration) -> f64 {
    let end = length.as_secs_f64();
    let mut bits = 0.0;
    for (i, (_, rate)) in steps.points.iter().enumerate() {
        // The first value also holds before its instant.
        let from = if i == 0 { 0.0 } else { steps.points[i].0.as_secs_f64() };
        let until = steps.points.get(i + 1).map_or(end, |(next, _)| next.as_secs_f64());
        bits += rate.as_bps() as f64 * (until.min(end) - from).max(0.0);
    }
    bits / end
}

#[cfg(test)]
mod tests {
    use farlink_kernel::Instant;

    use super::*;

    #[test]
    fn the_mean_rate_counts_each_step_by_its_length() {
        let at = |seconds| Instant::ZERO + Duration::from_secs(seconds);
        let rate = BitRate::from_bps;
        let steps = Steps { points: vec![(at(1), rate(100)), (at(3), rate(500))], period: None };
        // 3 s of 100 and 1 s of 500.
        assert_eq!(mean(&steps, Duration::from_secs(4)), 200.0);
        assert_eq!(mean(&steps, Duration::from_secs(2)), 100.0);
    }
}
