//! From a blueprint to interfaces and routers, and what no world can be built from.

use farlink_kernel::{Instant, Refusal};

use crate::blueprint::{Blueprint, Direction, NodeId};
use crate::channel::error;
use crate::channel::pipe::Pipe;
use crate::channel::wire::Wire;
use crate::course::Course;
use crate::node::Interface;
use crate::probe::usage::Usage;
use crate::queue;
use crate::routing::graph::{Edge, Graph};
use crate::routing::{self, Hop};

/// Refuses what names nothing or was not read.
pub(super) fn check(blueprint: &Blueprint) -> Result<(), Refusal> {
    let nodes = blueprint.nodes.len() as u32;
    let is_known = |node: NodeId| node < nodes;
    for (link, number) in blueprint.links.iter().zip(0..) {
        let refuse = |message: &str, key: &str| {
            Err(Refusal::new(0..0, message, "").within(key).within(format!("{number}")).within("links"))
        };
        if !link.between.into_iter().all(is_known) || link.between[0] == link.between[1] {
            return refuse("a link needs two different nodes", "between");
        }
        for direction in [&link.forward, &link.reverse] {
            if matches!(direction.rate, Course::File(_)) {
                return refuse("the file of the rate was not read", "rate");
            }
            if matches!(direction.delay, Course::File(_)) {
                return refuse("the file of the delay was not read", "delay");
            }
        }
    }
    for (flow, number) in blueprint.flows.iter().zip(0..) {
        if !is_known(flow.from) || !is_known(flow.to) || flow.from == flow.to {
            let refusal = Refusal::new(0..0, "a flow needs two different nodes", "");
            return Err(refusal.within("to").within(format!("{number}")).within("flows"));
        }
    }
    Ok(())
}

/// The interfaces: two per link, forward and reverse.
pub(super) fn interfaces(blueprint: &Blueprint, seed: u64, end: Instant) -> Vec<Interface> {
    let mut interfaces = Vec::new();
    for link in &blueprint.links {
        let [from, to] = link.between;
        for (ends, direction) in [([from, to], &link.forward), ([to, from], &link.reverse)] {
            interfaces.push(wire(ends, direction, interfaces.len() as u64, seed, end));
        }
    }
    interfaces
}

fn wire(ends: [NodeId; 2], direction: &Direction, number: u64, seed: u64, end: Instant) -> Interface {
    let rate = direction.rate.at(Instant::ZERO).0;
    let queue = direction.queue.build(&queue::Setup { seed, interface: number, rate });
    let error = direction.error.build(&error::Setup { seed, link: number });
    let pipe = Pipe::new(direction.delay.clone(), error);
    Interface::Wire(Box::new(Wire::new(ends, direction, queue, pipe, Usage::new(end))))
}

/// The routing of every node. Refuses flows that no path carries, there and back.
pub(super) fn routers(blueprint: &Blueprint, interfaces: &[Interface]) -> Result<Vec<routing::Any>, Refusal> {
    let graph = Graph::new(blueprint.nodes.len(), edges(blueprint, interfaces).into_iter());
    for (flow, number) in blueprint.flows.iter().zip(0..) {
        for (from, to) in [(flow.from, flow.to), (flow.to, flow.from)] {
            if graph.first_hops(from, |_| (1, 0))[to as usize].is_none() {
                let name = |node: NodeId| &blueprint.nodes[node as usize].name;
                let message = format!("no path leads from {} to {}", name(from), name(to));
                let refusal = Refusal::new(0..0, message, "add a link between them or on the way");
                return Err(refusal.within("to").within(format!("{number}")).within("flows"));
            }
        }
    }
    let nodes = 0..blueprint.nodes.len() as u32;
    Ok(nodes.map(|node| blueprint.routing.build(&routing::Setup { node, graph: &graph })).collect())
}

fn edges(blueprint: &Blueprint, interfaces: &[Interface]) -> Vec<Edge> {
    let mut edges = Vec::new();
    for (interface, number) in interfaces.iter().zip(0_u32..) {
        match interface {
            Interface::Wire(wire) => {
                let link = &blueprint.links[number as usize / 2];
                let direction = if number % 2 == 0 { &link.forward } else { &link.reverse };
                let hop = Hop { interface: number, next_hop: wire.peer };
                edges.push(Edge { from: wire.node, hop, delay: direction.delay.at(Instant::ZERO).0 });
            }
        }
    }
    edges
}
