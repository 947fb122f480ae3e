//! E. W. Dijkstra, "A Note on Two Problems in Connexion with Graphs", Numerische Mathematik 1, 1959.
//!
//! Every node knows the whole network and sends along the shortest path ([`Oracle`]): what others are measured against.
//! Nodes on shared channels reach those that receive them without fading. Where nodes move, everyone knows the paths as of a
//! moment ago, or as of the start only, which is static routing. Changes of links count after the time `reconverge`, or
//! never: then only the delays at the start count.
//!
//! While a link of the path is down its packets are lost. With `route_notifications` both ends of a flow are notified when
//! that begins and when it is over: the explicit link failure notification of G. Holland, N. Vaidya, "Analysis of TCP
//! Performance over Mobile Ad Hoc Networks", MobiCom 1999.
//!
//! [`Oracle`]: crate::oracle::Oracle

use farlink_kernel::config::above;
use farlink_kernel::{Duration, Instant, config};
use farlink_tcp::Notice;

use super::reconverge::Reconverge;
use super::{Computed, Messages, Parameters, Routes, Routing, Setup, notice};
use crate::context::Context;
use crate::frame::LinkFailure;
use crate::hop::{Decision, Hop, NextHop, Part};
use crate::ids::{End, FlowId, NodeId, PacketId};
use crate::oracle::Metric;
use crate::packet::{Cause, Packet, Payload};

pub(super) const SOURCE: &str = "Dijkstra, Numerische Mathematik 1959";

config! {
    /// Parameters of shortest-path routing.
    pub struct Config {
        /// Metric of a path. `delay` is the propagation delay alone: over radio it prefers short hops in a straight line
        /// to few hops, although each costs a transmission. Write `hops` there.
        pub metric: Metric = Metric::Delay,
        /// With mobility, paths are computed at multiples of this; none: at the start only.
        pub recompute: Option<Duration> = Some(Duration::from_secs(1)); in above(Duration::ZERO),
        /// The time from a change of a link (its delay, or an outage that begins or ends) to new paths at all nodes.
        pub reconverge: Reconverge = Reconverge::Never,
        /// A node with a failed link notifies both ends of the flow, and again when the link is restored.
        pub route_notifications: bool = false,
    }
}

impl Parameters for Config {
    fn messages(&self, _nodes: f64, _neighbours: f64) -> Vec<Messages> {
        Vec::new()
    }

    fn routes(&self) -> Routes<'_> {
        Routes::Computed(self)
    }
}

impl Computed for Config {
    fn metric(&self) -> Metric {
        self.metric
    }

    fn reconverge(&self) -> Reconverge {
        self.reconverge
    }

    fn epoch(&self, now: Instant) -> (Instant, Instant) {
        let Some(interval) = self.recompute else { return (Instant::ZERO, Instant::NEVER) };
        let since = Duration::from_nanos(now.as_nanos() % interval.as_nanos());
        (now - since, (now - since).saturating_add(interval))
    }
}

/// A flow whose packet met a failed link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Broken {
    neighbour: NextHop,
    flow: FlowId,
    /// A flow that begins under the same id later is another one.
    generation: u32,
    ends: [(End, NodeId); 2],
}

impl Broken {
    fn is_about(&self, other: &Self) -> bool {
        (self.neighbour, self.flow, self.generation) == (other.neighbour, other.flow, other.generation)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct ShortestPath {
    node: NodeId,
    config: Config,
    broken: Vec<Broken>,
}

impl ShortestPath {
    pub(crate) fn new(config: &Config, setup: &Setup<'_>) -> Self {
        Self { node: setup.node, config: config.clone(), broken: Vec::new() }
    }

    fn tell(&self, flow: FlowId, (to, destination): (End, NodeId), notice: Notice, cx: &mut Context) {
        notice::send(notice, (flow, to), self.node, destination, cx);
    }

    /// Remembers a flow that met a failed link; tells both its ends, once per failure.
    fn on_failure(&mut self, part: Part, cx: &mut Context) {
        let Packet { flow, to, source, destination, payload, .. } = cx.packets[part.packet];
        let Payload::Segment(segment) = payload else { return };
        let ends = [(to.other(), source), (to, destination)];
        let broken = Broken { neighbour: part.next_hop, flow, generation: cx.packets.generation(flow), ends };
        if self.config.route_notifications && !self.broken.iter().any(|known| known.is_about(&broken)) {
            self.broken.push(broken);
            for end in ends {
                self.tell(flow, end, Notice::RouteFailed { seq: Some(segment.seq) }, cx);
            }
        }
    }
}

impl Routing for ShortestPath {
    fn next_hop(&mut self, packet: PacketId, cx: &mut Context) -> Decision {
        self.known_hop(cx.packets[packet].destination, cx).map_or(Decision::NoRoute, Decision::Forward)
    }

    fn known_hop(&mut self, destination: NodeId, cx: &mut Context) -> Option<Hop> {
        let (as_of, _) = self.config.epoch(cx.now);
        if let Reconverge::After(time) = self.config.reconverge
            && cx.now >= cx.oracle.links_hold_until().saturating_add(time)
        {
            cx.oracle.see_links(cx.now - time);
        }
        cx.oracle.next_hop(self.node, destination, self.config.metric, as_of)
    }

    fn holds_until(&self, cx: &Context) -> Instant {
        let moves = if cx.oracle.is_still() { Instant::NEVER } else { self.config.epoch(cx.now).1 };
        match self.config.reconverge {
            Reconverge::Never => moves,
            Reconverge::After(time) => moves.min(cx.oracle.links_hold_until().saturating_add(time)),
        }
    }

    fn knows_all_routes(&self, cx: &Context) -> bool {
        cx.oracle.is_still() || self.config.recompute.is_none()
    }

    fn on_sent(&mut self, part: Part, result: Result<(), LinkFailure>, cx: &mut Context) {
        match result {
            Ok(()) => {
                if let NextHop::Node(neighbour) = part.next_hop {
                    self.on_neighbour(neighbour, cx);
                }
                cx.packets.discard_sent(part);
            }
            Err(failure) => {
                self.on_failure(part, cx);
                let cause = match failure {
                    LinkFailure::Down => Cause::LinkDown,
                    LinkFailure::NoResponse | LinkFailure::Unresolved | LinkFailure::Recalled => {
                        Cause::LinkFailure
                    }
                };
                cx.drop(part.packet, cause);
            }
        }
    }

    /// A lost neighbour is restored when it is heard.
    fn overhears(&self) -> bool {
        self.config.route_notifications
    }

    fn on_neighbour(&mut self, neighbour: NodeId, cx: &mut Context) {
        let neighbour = NextHop::Node(neighbour);
        while let Some(place) = self.broken.iter().position(|broken| broken.neighbour == neighbour) {
            let Broken { flow, generation, ends, .. } = self.broken.remove(place);
            let has_left = cx.packets.generation(flow) != generation;
            for end in ends.into_iter().filter(|_| !has_left) {
                self.tell(flow, end, Notice::RouteRestored, cx);
            }
        }
    }
}
