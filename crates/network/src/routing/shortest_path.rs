//! E. W. Dijkstra, "A Note on Two Problems in Connexion with Graphs", Numerische Mathematik 1, 1959.
//!
//! Every node knows the whole graph from the start and sends along the shortest path. Tables do not change:
//! while a link of the path is down its packets are lost, and with `notices` both ends of a flow are told
//! when that begins and when it is over (the explicit link failure notification of G. Holland, N. Vaidya,
//! "Analysis of TCP Performance over Mobile Ad Hoc Networks", MobiCom 1999).

use farlink_kernel::{choice, config};
use farlink_tcp::{Ecn, Notice};

use super::{Hop, Routing, Setup, Way};
use crate::blueprint::NodeId;
use crate::context::{Context, Effect};
use crate::frame::{LinkFailure, NextHop, Part};
use crate::packet::{Cause, Class, End, Packet, PacketId, Payload};

/// Where the algorithm stands.
pub const SOURCE: &str = "Dijkstra, Numerische Mathematik 1959";

choice! {
    /// What makes a path short.
    pub enum Metric {
        /// Few hops, then little delay.
        Hops = "hops",
        /// Little propagation delay, then few hops.
        Delay = "delay",
    }
}

config! {
    /// Parameters of shortest-path routing.
    pub struct Config {
        /// What makes a path short.
        pub metric: Metric = Metric::Delay,
        /// A node whose link failed tells both ends of the flow, and again when the link is back.
        pub notices: bool = false,
    }
}

/// A notice is as long as an ICMP message: IP header, ICMP header, and the IP header and first 8 bytes of
/// the packet it is about (RFC 792).
const NOTICE_SIZE: u32 = 56;

/// A flow whose packet met a failed link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Broken {
    neighbour: NextHop,
    flow: u32,
    ends: [(End, NodeId); 2],
}

/// The table of one node.
#[derive(Clone, Debug)]
pub struct ShortestPath {
    node: NodeId,
    notices: bool,
    hops: Vec<Option<Hop>>,
    broken: Vec<Broken>,
}

impl ShortestPath {
    /// The table of the setup's node.
    pub fn new(config: &Config, setup: &Setup<'_>) -> Self {
        let hops = match config.metric {
            Metric::Hops => setup.graph.first_hops(setup.node, |edge| (1, edge.delay.as_nanos())),
            Metric::Delay => setup.graph.first_hops(setup.node, |edge| (edge.delay.as_nanos(), 1)),
        };
        Self { node: setup.node, notices: config.notices, hops, broken: Vec::new() }
    }

    fn tell(&self, flow: u32, (to, destination): (End, NodeId), notice: Notice, cx: &mut Context) {
        let packet = cx.packets.originate(Packet {
            number: 0,
            flow,
            source: self.node,
            destination,
            to,
            class: Class::Routing,
            ecn: Ecn::NotCapable,
            hop_limit: Packet::HOP_LIMIT,
            attempt: 0,
            is_try: false,
            size: NOTICE_SIZE,
            first_sent: cx.now,
            offset: 0,
            payload: Payload::Notice(notice),
        });
        cx.push(Effect::Down { node: self.node, packet });
    }

    /// Remembers a flow that met a failed link; tells both its ends, once per failure.
    fn on_failure(&mut self, part: Part, cx: &mut Context) {
        let Packet { flow, to, source, destination, payload, .. } = cx.packets[part.packet];
        let Payload::Segment(segment) = payload else { return };
        let ends = [(to.other(), source), (to, destination)];
        let broken = Broken { neighbour: part.next_hop, flow, ends };
        let is_known = |known: &&Broken| (known.neighbour, known.flow) == (part.next_hop, flow);
        if self.notices && !self.broken.iter().any(|known| is_known(&known)) {
            self.broken.push(broken);
            for end in ends {
                self.tell(flow, end, Notice::RouteFailed { seq: segment.seq }, cx);
            }
        }
    }
}

impl Routing for ShortestPath {
    fn next_hop(&mut self, packet: PacketId, cx: &mut Context) -> Way {
        self.hops[cx.packets[packet].destination as usize].map_or(Way::Nowhere, Way::Over)
    }

    fn known_hop(&self, destination: NodeId) -> Option<Hop> {
        self.hops[destination as usize]
    }

    fn table(&self) -> Option<Vec<Option<Hop>>> {
        Some(self.hops.clone())
    }

    fn knows_all_routes(&self) -> bool {
        true
    }

    fn on_sent(&mut self, part: Part, result: Result<(), LinkFailure>, cx: &mut Context) {
        match result {
            Ok(()) => {
                if let NextHop::Node(neighbour) = part.next_hop {
                    self.on_neighbour(neighbour, cx);
                }
                cx.packets.discard(part.packet);
            }
            Err(failure) => {
                self.on_failure(part, cx);
                let cause = match failure {
                    LinkFailure::Down => Cause::LinkDown,
                    LinkFailure::NoAnswer | LinkFailure::Recalled => Cause::LinkFailure,
                };
                cx.drop(part.packet, cause);
            }
        }
    }

    fn on_neighbour(&mut self, neighbour: NodeId, cx: &mut Context) {
        let neighbour = NextHop::Node(neighbour);
        while let Some(place) = self.broken.iter().position(|broken| broken.neighbour == neighbour) {
            let Broken { flow, ends, .. } = self.broken.remove(place);
            for end in ends {
                self.tell(flow, end, Notice::RouteRestored, cx);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::graph::{Edge, Graph};
    use super::*;
    use farlink_kernel::Duration;

    /// 0 - 1 - 3 (5 ms each), 0 - 2 - 3 (5 ms each), 0 - 3 (20 ms), interfaces numbered as listed.
    fn graph() -> Graph {
        let edges = [(0, 1, 5), (1, 3, 5), (0, 2, 5), (2, 3, 5), (0, 3, 20)];
        let edge =
            |((from, to, ms), interface)| Edge { from, interface, to, delay: Duration::from_millis(ms) };
        Graph::new(4, edges.into_iter().zip(0..).map(edge))
    }

    fn hop(metric: Metric, destination: NodeId) -> Option<Hop> {
        let config = Config { metric, ..Config::default() };
        let setup = Setup { seed: 1, node: 0, interfaces: &[0, 2, 4], nodes: 4, graph: &graph() };
        ShortestPath::new(&config, &setup).known_hop(destination)
    }

    #[test]
    fn the_metric_decides_and_ties_go_to_the_lower_number() {
        assert_eq!(hop(Metric::Delay, 3), Some(Hop { interface: 0, next_hop: NextHop::Node(1) }));
        assert_eq!(hop(Metric::Hops, 3), Some(Hop { interface: 4, next_hop: NextHop::Node(3) }));
        assert_eq!(hop(Metric::Delay, 0), None);
    }
}
