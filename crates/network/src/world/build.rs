//! From a blueprint to interfaces and routers, and what no world can be built from.

use farlink_kernel::{Instant, Refusal};

use crate::app;
use crate::blueprint::{Blueprint, Direction, Flow, NodeId, Payload, Radio};
use crate::channel::air::{Air, Listener};
use crate::channel::error;
use crate::channel::pipe::Pipe;
use crate::channel::propagation::Reach;
use crate::channel::station::Station;
use crate::channel::wire::Wire;
use crate::context::{InterfaceId, Timer};
use crate::course::Course;
use crate::mac;
use crate::node::Interface;
use crate::phy::Phy;
use crate::probe::usage::Usage;
use crate::queue;
use crate::routing::graph::{Edge, Graph};
use crate::routing::{self, Hop};
use crate::transport::stored::Stored;

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
    for (channel, number) in blueprint.channels.iter().zip(0..) {
        if !channel.members.iter().copied().all(is_known) || !channel.members.is_sorted_by(|a, b| a < b) {
            let refusal = Refusal::new(0..0, "a channel needs different nodes in ascending order", "");
            return Err(refusal.within("members").within(format!("{number}")).within("channels"));
        }
    }
    for (flow, number) in blueprint.flows.iter().zip(0..) {
        if !is_known(flow.from) || !is_known(flow.to) || flow.from == flow.to {
            let refusal = Refusal::new(0..0, "a flow needs two different nodes", "");
            return Err(refusal.within("to").within(format!("{number}")).within("flows"));
        }
        check_payload(flow).map_err(|refusal| refusal.within(format!("{number}")).within("flows"))?;
    }
    Ok(())
}

/// Stored are files only, and not too large ones.
fn check_payload(flow: &Flow) -> Result<(), Refusal> {
    let message = match (&flow.application, flow.payload) {
        (_, Payload::Pattern) => return Ok(()),
        (app::Config::File(file), Payload::Stored) if file.size.0 <= Stored::LARGEST => return Ok(()),
        (app::Config::File(_), Payload::Stored) => "a file of more than 1 GiB is not stored",
        _ => "only the payload of a file can be stored",
    };
    Err(Refusal::new(0..0, message, "write payload = \"pattern\"").within("payload"))
}

/// The interfaces: two per link, forward and reverse, then one per channel and member.
pub(super) fn interfaces(blueprint: &Blueprint, seed: u64, end: Instant) -> Vec<Interface> {
    let mut interfaces = Vec::new();
    for link in &blueprint.links {
        let [from, to] = link.between;
        for (ends, direction) in [([from, to], &link.forward), ([to, from], &link.reverse)] {
            interfaces.push(wire(ends, direction, interfaces.len() as u64, seed, end));
        }
    }
    for (channel, number) in blueprint.channels.iter().zip(0..) {
        for (member, &node) in channel.members.iter().enumerate() {
            let place = Place { node, channel: number, member };
            interfaces.push(station(&channel.radio, place, interfaces.len() as u32, seed, end));
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

/// Where a station is.
#[derive(Clone, Copy)]
struct Place {
    node: NodeId,
    channel: u32,
    member: usize,
}

fn station(radio: &Radio, place: Place, interface: InterfaceId, seed: u64, end: Instant) -> Interface {
    let Place { node, channel, member } = place;
    let key = u64::from(interface);
    Interface::Station(Box::new(Station {
        interface,
        node,
        channel,
        member,
        phy: Phy::new(&radio.phy),
        usage: Usage::new(end),
        frames: 0,
        timer: Timer::default(),
        mac: radio.mac.build(&mac::Setup { seed, interface: key }),
        queue: radio.queue.build(&queue::Setup { seed, interface: key, rate: radio.phy.rate }),
    }))
}

/// The shared channels: for every member, whom its transmissions reach.
pub(super) fn airs(blueprint: &Blueprint, interfaces: &[Interface]) -> Vec<Air> {
    let mut first = blueprint.links.len() * 2;
    let mut airs = Vec::new();
    for channel in &blueprint.channels {
        let propagation = channel.radio.propagation.build(&());
        let position = |node: NodeId| blueprint.nodes[node as usize].position;
        let stations = first..first + channel.members.len();
        let reached = |from: usize| {
            let others = stations.clone().filter(|&other| other != from);
            let listener = |other: usize| {
                let (from, node) = (interfaces[from].node(), interfaces[other].node());
                let reach = propagation.reach(position(from), position(node));
                let Reach { delay, power_dbm } = reach;
                let is_kept = reach.is_audible() || !channel.radio.skip_far;
                is_kept.then_some(Listener { node, interface: other as InterfaceId, delay, power_dbm })
            };
            others.filter_map(listener).collect()
        };
        airs.push(Air::new(stations.clone().map(reached).collect()));
        first = stations.end;
    }
    airs
}

/// The routing of every node. Refuses flows that no path carries, there and back.
pub(super) fn routers(
    blueprint: &Blueprint,
    interfaces: &[Interface],
    airs: &[Air],
) -> Result<Vec<routing::Any>, Refusal> {
    let graph = Graph::new(blueprint.nodes.len(), edges(blueprint, interfaces, airs).into_iter());
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

fn edges(blueprint: &Blueprint, interfaces: &[Interface], airs: &[Air]) -> Vec<Edge> {
    let mut edges = Vec::new();
    for (interface, number) in interfaces.iter().zip(0_u32..) {
        match interface {
            Interface::Wire(wire) => {
                let link = &blueprint.links[number as usize / 2];
                let direction = if number % 2 == 0 { &link.forward } else { &link.reverse };
                let hop = Hop { interface: number, next_hop: wire.peer };
                edges.push(Edge { from: wire.node, hop, delay: direction.delay.at(Instant::ZERO).0 });
            }
            Interface::Station(station) => {
                let heard = airs[station.channel as usize].listeners(station.member).iter();
                edges.extend(heard.filter(|listener| listener.is_in_reach()).map(|listener| {
                    let next_hop = interfaces[listener.interface as usize].node();
                    Edge {
                        from: station.node,
                        hop: Hop { interface: number, next_hop },
                        delay: listener.delay,
                    }
                }));
            }
        }
    }
    edges
}
