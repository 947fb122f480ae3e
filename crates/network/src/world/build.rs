//! From a blueprint to interfaces and routers, and what no world can be built from.

use std::sync::Arc;

use farlink_kernel::{Bytes, Diagnostic, Instant};

use crate::app::Length;
use crate::blueprint::{Blueprint, BuildError, Channel, Flow, Part, Radio, Workload};
use crate::channel::error;
use crate::channel::jitter::Delays;
use crate::channel::propagation_speed::PropagationSpeed;
use crate::channel::shared::SharedChannel;
use crate::context::Context;
use crate::ids::ChannelId;
use crate::ids::{InterfaceId, NodeId};
use crate::interface::Interface;
use crate::interface::arp::{Arp, Memory};
use crate::interface::link::{self, Link};
use crate::interface::pipe::Pipe;
use crate::interface::station::Station;
use crate::mac;
use crate::metrics::usage::Usage;
use crate::mobility;
use crate::mobility::trajectory::Trajectory;
use crate::payload::Payload;
use crate::phy::Phy;
use crate::queue;
use crate::queue::line::Line;
use crate::routing;
use crate::routing::router::Router;
use crate::schedule::Schedule;
use crate::timer::Timer;
use crate::topology::graph::{Edge, Shared};
use crate::topology::links::{Direction, Links};
use crate::topology::shortest_paths::ShortestPaths;
use crate::transport::relay;
use crate::transport::stored::Stored;

/// Refuses what names nothing or was not read.
pub(super) fn check(blueprint: &Blueprint) -> Result<(), BuildError> {
    let nodes = blueprint.nodes.len() as u32;
    let is_known = |node: NodeId| node.0 < nodes;
    for (link, number) in blueprint.links.iter().zip(0..) {
        let refuse = |message, key| Err(Part::Link(number).refuse(key, message, ""));
        if !link.between.into_iter().all(is_known) || link.between[0] == link.between[1] {
            return refuse("a link needs two different nodes", "between");
        }
        for direction in [&link.forward, &link.reverse] {
            if matches!(direction.rate, Schedule::File(_)) {
                return refuse("the file of the rate was not read", "rate");
            }
            if matches!(direction.delay, Schedule::File(_)) {
                return refuse("the file of the delay was not read", "delay");
            }
        }
    }
    for (channel, number) in blueprint.channels.iter().zip(0..) {
        if !channel.members.iter().copied().all(is_known) || !channel.members.is_sorted_by(|a, b| a < b) {
            let message = "a channel needs different nodes in ascending order";
            return Err(Part::Channel(number).refuse("members", message, ""));
        }
        if let PropagationSpeed::File(_) = channel.radio.propagation_speed {
            return Err(Part::Channel(number).refuse(
                "propagation_speed",
                "the file of the speed was not read",
                "",
            ));
        }
        if channel.radio.queue.is_of_links() {
            let message = "a shaper is a queue of links: on a channel the MAC decides when a packet leaves";
            return Err(Part::Channel(number).refuse("queue", message, "write queue = \"drop_tail\""));
        }
        check_mac(channel, blueprint).map_err(|why| Part::Channel(number).error(why))?;
    }
    relay::check_cycles(&blueprint.flows)?;
    for (flow, number) in blueprint.flows.iter().zip(0..) {
        if !is_known(flow.from) || !is_known(flow.to) || flow.from == flow.to {
            return Err(Part::Flow(number).refuse("to", "a flow needs two different nodes", ""));
        }
        check_application(flow)
            .and_then(|()| check_payload(flow))
            .and_then(|()| relay::check(flow, &blueprint.flows))
            .map_err(|why| Part::Flow(number).error(why))?;
    }
    for (workload, number) in blueprint.workloads.iter().zip(0..) {
        if !workload.from.iter().chain(&workload.to).copied().all(is_known) || workload.has_same_ends() {
            return Err(Part::Workload(number).refuse("to", "a workload needs two different nodes", ""));
        }
        if workload.is_unread() {
            return Err(Part::Workload(number).refuse("size", "the file of the sizes was not read", ""));
        }
    }
    Ok(())
}

/// Refuses parameters of a channel's MAC, alone or with the packets of its members' flows.
fn check_mac(channel: &Channel, blueprint: &Blueprint) -> Result<(), Diagnostic> {
    let is_member = |node: &NodeId| channel.members.binary_search(node).is_ok();
    let is_here = |flow: &&Flow| [flow.from, flow.to].iter().any(is_member);
    let arrives_here = |workload: &&Workload| workload.from.iter().chain(&workload.to).any(is_member);
    let flows = blueprint.flows.iter().filter(is_here).map(Flow::packet_size);
    let arrivals = blueprint.workloads.iter().filter(arrives_here).map(Workload::packet_size);
    let largest = flows.chain(arrivals).max().unwrap_or(0);
    let Radio { mac, phy, .. } = &channel.radio;
    let checked = mac.parameters().check(&*phy.build(&()), Bytes(largest.into()));
    checked.map_err(|why| {
        let key = format!("mac.{}", why.key);
        why.at(key)
    })
}

/// Refuses parameters of a flow's application.
fn check_application(flow: &Flow) -> Result<(), Diagnostic> {
    flow.application.parameters().check().map_err(|why| {
        let key = format!("application.{}", why.key);
        why.at(key)
    })
}

/// Stored are files only, and not too large ones, and what is passed on of them.
fn check_payload(flow: &Flow) -> Result<(), Diagnostic> {
    let message = match (flow.application.parameters().traffic().length, flow.payload) {
        (_, Payload::Pattern) | (Length::Relayed { .. }, Payload::Stored) => return Ok(()),
        (Length::Bytes(size), Payload::Stored) if size.0 <= Stored::LARGEST => return Ok(()),
        (Length::Bytes(_), Payload::Stored) => "a file of more than 1 GiB is not stored",
        (Length::Endless, Payload::Stored) => "only the payload of a file can be stored",
    };
    Err(Diagnostic::new(0..0, message, "write payload = \"pattern\"").at("payload"))
}

/// The interfaces: two per link, forward and reverse, then one per channel and member.
pub(super) fn interfaces(
    blueprint: &Blueprint,
    channels: &[SharedChannel],
    routers: &[Router],
    seed: u64,
    end: Instant,
) -> Vec<Interface> {
    let mut interfaces = Vec::new();
    for link in &blueprint.links {
        let [from, to] = link.between;
        for (ends, direction) in [([from, to], &link.forward), ([to, from], &link.reverse)] {
            interfaces.push(link_end(ends, direction, interfaces.len() as u64, seed, end));
        }
    }
    for ((channel, shared), number) in blueprint.channels.iter().zip(channels).zip(0..) {
        for (member, &node) in channel.members.iter().enumerate() {
            let stations = channel.members.len() as u32;
            let interface = InterfaceId(interfaces.len() as u32);
            let is_tapped = routers[node].protocol.overhears();
            let place = Place { node, channel: ChannelId(number), member, stations, interface, is_tapped };
            interfaces.push(station(&channel.radio, shared.phy(), place, seed, end));
        }
    }
    interfaces
}

fn link_end(ends: [NodeId; 2], direction: &link::Config, number: u64, seed: u64, end: Instant) -> Interface {
    let rate = direction.rate.at(Instant::ZERO).0;
    let queue = direction.queue.build(&queue::Setup { seed, interface: number, rate });
    let is_harmless = direction.error.parameters().errors() == error::Errors::None;
    let error = (!is_harmless).then(|| direction.error.build(&error::Setup { seed, link: number }));
    let jitter = direction.jitter.as_ref().map(|jitter| Delays::new(jitter, seed, number));
    let pipe = Pipe::new(direction.delay.clone(), error, jitter);
    Interface::Link(Box::new(Link::new(ends, direction, queue, pipe, Usage::new(end))))
}

#[derive(Clone, Copy)]
struct Place {
    node: NodeId,
    channel: ChannelId,
    member: usize,
    stations: u32,
    interface: InterfaceId,
    is_tapped: bool,
}

fn station(radio: &Radio, phy: &Arc<dyn Phy>, place: Place, seed: u64, end: Instant) -> Interface {
    let Place { node, channel, member, stations, interface, is_tapped } = place;
    let key = u64::from(interface);
    let station = member as u32;
    Interface::Station(Box::new(Station {
        interface,
        node,
        channel,
        member,
        usage: Usage::new(end),
        frames: 0,
        given_up: 0,
        discarded: 0,
        is_tapped,
        arp: (radio.arp == Arp::OneSlot).then(Memory::default),
        timer: Timer::default(),
        mac: radio.mac.build(&mac::Setup { seed, interface: key, station, stations, phy: Arc::clone(phy) }),
        queue: Line::new(radio.queue.build(&queue::Setup {
            seed,
            interface: key,
            rate: phy.rate(phy.data_mode()),
        })),
    }))
}

pub(super) fn channels(blueprint: &Blueprint, seed: u64) -> Vec<SharedChannel> {
    let shared = |(channel, first, number): (&Channel, InterfaceId, u64)| {
        let members = channel.members.iter().copied().zip((first.0..).map(InterfaceId));
        let phy = Arc::from(channel.radio.phy.build(&()));
        SharedChannel::new(
            channel.medium(),
            phy,
            members,
            trajectories(blueprint, channel, seed),
            (seed, number),
        )
    };
    numbered(blueprint).map(shared).collect()
}

/// The shared channels, with the interface of their first member and their numbers.
fn numbered(blueprint: &Blueprint) -> impl Iterator<Item = (&Channel, InterfaceId, u64)> {
    let links = blueprint.links.len() as u32 * 2;
    blueprint.channels.iter().zip(0..).scan(links, |next, (channel, number)| {
        let first = InterfaceId(*next);
        *next += channel.members.len() as u32;
        Some((channel, first, number))
    })
}

fn trajectories(blueprint: &Blueprint, channel: &Channel, seed: u64) -> Vec<Trajectory> {
    let trajectory = |&number: &NodeId| {
        let node = &blueprint.nodes[number];
        let setup = mobility::Setup { seed, node: number, position: node.position };
        Trajectory::new(&node.mobility, &setup)
    };
    channel.members.iter().map(trajectory).collect()
}

/// Both directions of every link in the order of their interfaces.
fn links(blueprint: &Blueprint) -> Links {
    let directions = blueprint.links.iter().flat_map(|link| {
        let [from, to] = link.between;
        [(from, to, &link.forward), (to, from, &link.reverse)]
    });
    let direction = |((from, to, direction), interface): ((_, _, &link::Config), _)| {
        let link::Config { delay, down, .. } = direction;
        let edge = Edge { from, interface, to, delay: delay.at(Instant::ZERO).0 };
        Direction { edge, delay: delay.clone(), down: down.clone() }
    };
    Links(directions.zip((0..).map(InterfaceId)).map(direction).collect())
}

/// What ideal routing knows: positions are functions of time, so that it computes the channels' own.
pub(super) fn shortest_paths(blueprint: &Blueprint, seed: u64) -> ShortestPaths {
    let shared = |(channel, first, _): (&Channel, InterfaceId, u64)| {
        Shared::new(channel.medium(), &channel.members, first, trajectories(blueprint, channel, seed))
    };
    ShortestPaths::new(links(blueprint), numbered(blueprint).map(shared).collect())
}

/// The routing of every node, and the oracle in the context.
pub(super) fn routers(blueprint: &Blueprint, seed: u64, cx: &mut Context) -> Result<Vec<Router>, BuildError> {
    cx.oracle = Box::new(shortest_paths(blueprint, seed));
    let nodes = blueprint.nodes.len();
    let mut owned = vec![Vec::new(); nodes];
    let ends = blueprint.links.iter().flat_map(|link| link.between);
    let members = blueprint.channels.iter().flat_map(|channel| channel.members.iter().copied());
    for (node, interface) in ends.chain(members).zip((0..).map(InterfaceId)) {
        owned[node].push(interface);
    }
    let router = |(interfaces, node): (&Vec<InterfaceId>, NodeId)| {
        let setup = routing::Setup { seed, node, interfaces, nodes };
        Router::new(blueprint.routing.build(&setup))
    };
    let mut routers: Vec<_> = owned.iter().zip((0..).map(NodeId)).map(router).collect();
    check_paths(blueprint, &mut routers, cx)?;
    Ok(routers)
}

/// Refuses flows without a path in either direction.
fn check_paths(blueprint: &Blueprint, routers: &mut [Router], cx: &mut Context) -> Result<(), BuildError> {
    let flows =
        blueprint.flows.iter().zip(0..).map(|(flow, number)| (Part::Flow(number), (flow.from, flow.to)));
    let workloads = blueprint.workloads.iter().zip(0..);
    let arrivals = workloads
        .flat_map(|(workload, number)| workload.pairs().map(move |pair| (Part::Workload(number), pair)));
    for (part, (from, to)) in flows.chain(arrivals) {
        for (from, to) in [(from, to), (to, from)] {
            let protocol = &mut routers[from].protocol;
            if protocol.knows_all_routes(cx) && protocol.known_hop(to, cx).is_none() {
                let name = |node: NodeId| &blueprint.nodes[node].name;
                let message = format!("no path leads from {} to {}", name(from), name(to));
                return Err(part.refuse("to", message, "add a link between them or on the way"));
            }
        }
    }
    Ok(())
}
