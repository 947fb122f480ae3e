//! [`Sender`]: what may send in a run, a flow or the flows of a workload. Those have all but their ends in common.

use std::collections::BTreeSet;

use farlink_kernel::config::Diagnostic;
use farlink_kernel::{Bytes, Instant};
use farlink_network::Blueprint;
use farlink_network::app::Length;
use farlink_network::blueprint::{Flow, Workload};
use farlink_network::ids::NodeId;
use farlink_network::schedule::Interval;

use crate::document::Document;
use crate::located::Located;
use crate::paths::{Leg, Network};

/// The limit on pairs of nodes, where a search looks at each alone.
const MOST_PAIRS: usize = 100;

/// The headers of IP and TCP without options, in bytes.
pub(super) const TCP_HEADERS: u64 = 40;

pub(super) struct Sender<'a> {
    written: Located<()>,
    pub(super) label: &'a str,
    from: &'a [NodeId],
    to: &'a [NodeId],
    /// From the first possible start to the last.
    pub(super) starts: Interval,
    /// Nothing starts from then on.
    pub(super) until: Instant,
    /// The key of the first start.
    pub(super) start_key: &'static str,
    /// When its application stops; flows of a workload go on.
    pub(super) stop: Option<Instant>,
    /// The size of a file; of a workload that of its mean flow.
    pub(super) size: Option<Bytes>,
    /// What is written at once.
    write: Bytes,
    /// `None` for datagrams.
    pub(super) tcp: Option<&'a farlink_tcp::Config>,
    /// Bytes of its longest packets, with headers.
    pub(super) packet_size: u32,
}

/// Everything that may send: all flows, then all workloads.
pub(super) fn senders<'a>(
    document: &'a Document,
    blueprint: &'a Blueprint,
) -> impl Iterator<Item = Sender<'a>> {
    let end = Instant::ZERO + blueprint.duration;
    let flows = document.flows.iter().zip(&blueprint.flows);
    let flows = flows.map(move |(written, flow)| Sender::of_flow(written.with(()), flow, end));
    let workloads = document.workloads.iter().zip(&blueprint.workloads);
    flows
        .chain(workloads.map(move |(written, workload)| Sender::of_workload(written.with(()), workload, end)))
}

impl<'a> Sender<'a> {
    fn of_flow(written: Located<()>, flow: &'a Flow, end: Instant) -> Self {
        let traffic = flow.application.parameters().traffic();
        let size = match traffic.length {
            Length::Bytes(size) => Some(size),
            _ => None,
        };
        Self {
            written,
            label: &flow.label,
            from: std::slice::from_ref(&flow.from),
            to: std::slice::from_ref(&flow.to),
            starts: flow.start.bounds(),
            until: end,
            start_key: "start",
            stop: flow.stop,
            size,
            write: traffic.write,
            tcp: flow.is_tcp().then_some(&flow.tcp),
            packet_size: flow.packet_size(),
        }
    }

    fn of_workload(written: Located<()>, workload: &'a Workload, end: Instant) -> Self {
        let until = workload.stop.map_or(end, |stop| stop.min(end));
        let span = workload.arrivals.parameters().span();
        let starts = span.map_or(Interval { start: workload.start, end: until }, |[first, last]| Interval {
            start: workload.start.saturating_add(first),
            end: until.min(workload.start.saturating_add(last)),
        });
        let size = Bytes(workload.mean_size().max(1.0) as u64);
        Self {
            written,
            label: &workload.label,
            from: &workload.from,
            to: &workload.to,
            starts,
            until,
            start_key: if span.is_some_and(|[first, _]| !first.is_zero()) { "arrivals" } else { "start" },
            stop: None,
            size: Some(size),
            write: size,
            tcp: Some(&workload.tcp),
            packet_size: workload.packet_size(),
        }
    }

    /// A diagnostic of what stands under the dotted `path`.
    pub(super) fn refuse_at(
        &self,
        path: &str,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Diagnostic {
        self.written.refuse_at(path, message, remedy)
    }

    /// The size of the first packet with data, without options.
    pub(super) fn first_packet(&self) -> Bytes {
        match self.tcp {
            Some(tcp) => Bytes(self.write.min(tcp.segment_size).0 + TCP_HEADERS),
            None => Bytes(self.write.0 + u64::from(Flow::UDP_HEADERS)),
        }
    }

    /// The pairs of nodes that may be sender and receiver. Of too many a part, in which no node is left out before all
    /// others were paired.
    pub(super) fn pairs(&self) -> Vec<(NodeId, NodeId)> {
        let (senders, receivers) = (self.from.len(), self.to.len());
        let (many, few) = (senders.max(receivers), senders.min(receivers));
        let places = (0..many).step_by(many.div_ceil(MOST_PAIRS));
        let turns = (0..few).flat_map(|turn| places.clone().map(move |place| (turn, place)));
        let pair = |(turn, place): (usize, usize)| {
            let other = (place + turn) % few;
            if senders < many {
                (self.from[other], self.to[place])
            } else {
                (self.from[place], self.to[other])
            }
        };
        turns.map(pair).filter(|(from, to)| from != to).take(MOST_PAIRS).collect()
    }

    /// The legs on the paths of its data, between all pairs of nodes.
    pub(super) fn legs(&self, network: &Network<'_>) -> Vec<Leg> {
        let mut known = BTreeSet::new();
        let mut legs: Vec<Leg> = self.from.iter().flat_map(|&from| network.paths(from, self.to)).collect();
        legs.retain(|leg| known.insert(*leg));
        legs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pairs between nodes with these numbers.
    fn pairs(from: std::ops::Range<u32>, to: std::ops::Range<u32>) -> Vec<(NodeId, NodeId)> {
        let [from, to] = [from, to].map(|nodes| nodes.map(NodeId).collect::<Vec<_>>());
        let starts = Interval { start: Instant::ZERO, end: Instant::ZERO };
        let sender = Sender {
            written: Located::absent(()),
            label: "",
            from: &from,
            to: &to,
            starts,
            until: Instant::NEVER,
            start_key: "start",
            stop: None,
            size: None,
            write: Bytes(0),
            tcp: None,
            packet_size: 0,
        };
        sender.pairs()
    }

    #[test]
    fn few_nodes_are_paired_with_all_others() {
        for (from, to) in [(0..1, 1..2), (0..3, 3..7), (0..4, 2..5), (0..5, 0..5), (0..100, 100..101)] {
            let found: BTreeSet<_> = pairs(from.clone(), to.clone()).into_iter().collect();
            let all = from.flat_map(|a| to.clone().map(move |b| (NodeId(a), NodeId(b))));
            assert_eq!(found, all.filter(|(a, b)| a != b).collect());
        }
    }

    #[test]
    fn of_many_pairs_a_part_has_every_node() {
        for (from, to) in [(0..60, 60..130), (0..90, 90..95), (0..50, 0..80)] {
            let found = pairs(from.clone(), to.clone());
            assert_eq!(found.len(), MOST_PAIRS);
            let [senders, receivers]: [BTreeSet<u32>; 2] =
                [found.iter().map(|pair| pair.0.0).collect(), found.iter().map(|pair| pair.1.0).collect()];
            assert_eq!((senders.len(), receivers.len()), (from.len(), to.len()));
        }
        assert!(pairs(0..1000, 0..1000).len() <= MOST_PAIRS);
    }
}
