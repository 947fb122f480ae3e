//! The calls of routing, by routers made for the purpose.

use crate::ids::{InterfaceId, NodeId};
use std::sync::{Arc, Mutex};

use super::shared_channel::{line, one_datagram, slow_radio, unacknowledged};
use super::*;
use crate::context::Effect;
use crate::frame::{Frame, LinkFailure};
use crate::hop::{Decision, Hop, NextHop, Part};
use crate::ids::PacketId;
use crate::packet::Class;
use crate::routing::Routing;
use crate::routing::router::Router;

/// Sends along its hops, one after the other with every attempt, and writes down what it was asked and what it
/// could read.
#[derive(Clone, Debug, Default)]
struct Scribe {
    node: NodeId,
    hops: Vec<Hop>,
    asked: Arc<Mutex<Vec<u8>>>,
    read: Arc<Mutex<Vec<(NodeId, NextHop, u32)>>>,
}

impl Routing for Scribe {
    fn next_hop(&mut self, packet: PacketId, cx: &mut Context) -> Decision {
        let attempt = cx.packets[packet].attempt;
        self.asked.lock().unwrap().push(attempt);
        self.hops.get(usize::from(attempt)).map_or(Decision::NoRoute, |&hop| Decision::Forward(hop))
    }

    fn known_hop(&mut self, _destination: NodeId, _cx: &mut Context) -> Option<Hop> {
        None
    }

    fn on_sent(&mut self, part: Part, result: Result<(), LinkFailure>, cx: &mut Context) {
        assert_eq!(result, Err(LinkFailure::Down));
        cx.push(Effect::Down { node: self.node, packet: part.packet });
    }

    fn on_heard(&mut self, frame: &Frame, cx: &mut Context) -> bool {
        let parts = frame.parts.iter().flatten();
        let read = parts.map(|part| (frame.sender, part.next_hop, cx.packets[part.packet].size));
        self.read.lock().unwrap().extend(read);
        false
    }

    fn on_neighbour(&mut self, _neighbour: NodeId, _cx: &mut Context) {}
}

fn scribe(node: NodeId, hops: &[(u32, NodeId)]) -> Scribe {
    let hops = hops
        .iter()
        .map(|&(interface, node)| Hop { interface: InterfaceId(interface), next_hop: NextHop::Node(node) })
        .collect();
    Scribe { node, hops, ..Scribe::default() }
}

#[test]
fn a_packet_that_is_given_back_is_routed_by_its_next_attempt() {
    // 0 - 1 (down) and 0 - 2 - 3 (down) and 2 - 4: each of 0 and 2 has to try twice.
    let good = direction(10, 5, 100);
    let broken = link::Config { down: vec![Outage::once(at(0), at(9000))], ..good.clone() };
    let links = vec![
        link(NodeId(0), NodeId(1), &broken),
        link(NodeId(0), NodeId(2), &good),
        link(NodeId(2), NodeId(3), &broken),
        link(NodeId(2), NodeId(4), &good),
    ];
    let mut world =
        World::new(&blueprint(5, links, vec![one_datagram(NodeId(0), NodeId(4), at(0))], 5), 1).unwrap();
    let (first, second) = (
        scribe(NodeId(0), &[(0, NodeId(1)), (2, NodeId(2))]),
        scribe(NodeId(2), &[(4, NodeId(3)), (6, NodeId(4))]),
    );
    world.routers[0] = Router::new(Box::new(first.clone()));
    world.routers[2] = Router::new(Box::new(second.clone()));
    world.run_until(Instant::NEVER);
    assert_eq!(*first.asked.lock().unwrap(), [0, 1]);
    assert_eq!(*second.asked.lock().unwrap(), [0, 1], "attempts are counted anew at every node");
    let results = world.finish();
    assert_eq!((results.flows[0].packets_delivered, results.drops), (1, vec![]));
}

#[test]
fn a_packet_nobody_can_route_any_more_is_dropped() {
    let broken = link::Config { down: vec![Outage::once(at(0), at(9000))], ..direction(10, 5, 100) };
    let links = vec![link(NodeId(0), NodeId(1), &broken)];
    let mut world =
        World::new(&blueprint(2, links, vec![one_datagram(NodeId(0), NodeId(1), at(0))], 5), 1).unwrap();
    world.routers[0] =
        Router::new(Box::new(scribe(NodeId(0), &[(0, NodeId(1)), (0, NodeId(1)), (0, NodeId(1))])));
    world.run_until(Instant::NEVER);
    assert_eq!(world.finish().drops, [("no_route", 1)]);
}

#[test]
fn who_overhears_a_frame_can_read_its_packets_even_when_they_are_delivered() {
    // Node 0's frame ends at node 1 at 1.2 s, where its packet is delivered, and at node 2 at 2.0 s.
    let scene = line(
        &[0.0, 300.0, 1500.0],
        slow_radio(unacknowledged()),
        vec![one_datagram(NodeId(0), NodeId(1), at(0))],
        10,
    );
    let mut world = World::new(&scene, 1).unwrap();
    let tap = scribe(NodeId(2), &[]);
    world.routers[2] = Router::new(Box::new(tap.clone()));
    world.interfaces[2].station().is_tapped = true;
    world.run_until(at(1500));
    assert_eq!(world.context.packets.account(Class::Data).delivered, 1);
    assert_eq!(*tap.read.lock().unwrap(), []);
    world.run_until(Instant::NEVER);
    assert_eq!(*tap.read.lock().unwrap(), [(NodeId(0), NextHop::Node(NodeId(1)), 111)]);
    assert_eq!(world.finish().flows[0].packets_delivered, 1);
}
