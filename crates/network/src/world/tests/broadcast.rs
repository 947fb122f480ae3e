//! What routing sends to everyone, keeps and wants back, by a protocol made for the purpose.

use crate::ids::InterfaceId;
use crate::ids::NodeId;
use std::sync::{Arc, Mutex};

use super::shared_channel::{line, one_datagram, put, slow_radio, unacknowledged};
use super::*;
use crate::channel::propagation::{self, disc};
use crate::context::Context;
use crate::frame::LinkFailure;
use crate::hop::{Decision, Hop, NextHop, Part};
use crate::ids::PacketId;
use crate::mac::{self, aloha};
use crate::packet::{Class, Losses};
use crate::routing::outbox::Outbox;
use crate::routing::router::Router;
use crate::routing::{Received, Routing};
use crate::space::Metres;
use crate::wire::Message;

/// Floods one greeting from node 0; every node passes it on once, a second after it came. Packets wait until a
/// greeting was heard and then go to who sent it.
#[derive(Debug, Default)]
struct Greeter {
    node: NodeId,
    begins: bool,
    greeted_by: Option<NodeId>,
    outbox: Outbox,
    kept: Vec<PacketId>,
    heard: Arc<Mutex<Vec<(NodeId, NodeId, u8)>>>,
    failed: Arc<Mutex<Vec<LinkFailure>>>,
}

impl Greeter {
    fn everyone(&self) -> Hop {
        Hop { interface: InterfaceId(self.node.0), next_hop: NextHop::Everyone }
    }

    fn greet(&mut self, hop_limit: u8, cx: &mut Context) {
        let greeting = cx.packets.originate_message(self.node, hop_limit, 111, Message::Greeting, cx.now);
        self.outbox.push(cx.now + ms(1000), greeting, self.everyone());
    }
}

impl Routing for Greeter {
    fn next_hop(&mut self, packet: PacketId, cx: &mut Context) -> Decision {
        match self.greeted_by {
            Some(node) => Decision::Forward(Hop { next_hop: NextHop::Node(node), ..self.everyone() }),
            None if self.kept.len() < 2 => {
                self.kept.push(packet);
                Decision::Queued
            }
            None => {
                cx.drop(packet, Cause::SendBufferFull);
                Decision::Queued
            }
        }
    }

    fn known_hop(&mut self, _destination: NodeId, _cx: &mut Context) -> Option<Hop> {
        None
    }

    fn on_sent(&mut self, part: Part, result: Result<(), LinkFailure>, cx: &mut Context) {
        let Err(failure) = result else { return cx.packets.discard_sent(part) };
        self.failed.lock().unwrap().push(failure);
        cx.drop(part.packet, Cause::LinkFailure);
        cx.push(Effect::Recall { hop: Hop { next_hop: part.next_hop, ..self.everyone() } });
    }

    fn on_neighbour(&mut self, _neighbour: NodeId, _cx: &mut Context) {}

    fn on_message(&mut self, message: Message, Received { from, hop_limit, .. }: Received, cx: &mut Context) {
        assert_eq!(message, Message::Greeting);
        self.heard.lock().unwrap().push((self.node, from, hop_limit));
        if self.greeted_by.is_none() {
            if hop_limit > 1 {
                self.greet(hop_limit - 1, cx);
            }
            let node = self.node;
            self.kept.drain(..).for_each(|packet| cx.push(Effect::Down { node, packet }));
        }
        self.greeted_by = self.greeted_by.or(Some(from));
    }

    fn on_deadline(&mut self, cx: &mut Context) {
        if std::mem::take(&mut self.begins) {
            self.greeted_by = Some(self.node);
            self.greet(3, cx);
        }
        self.outbox.send_due(self.node, cx);
    }

    fn deadline(&self) -> Instant {
        if self.begins { at(2000) } else { self.outbox.deadline() }
    }

    fn held(&self) -> Vec<PacketId> {
        self.outbox.held().chain(self.kept.iter().copied()).collect()
    }
}

type Heard = Arc<Mutex<Vec<(NodeId, NodeId, u8)>>>;
type Failed = Arc<Mutex<Vec<LinkFailure>>>;

/// Nodes on a line, each a greeter.
fn greeters(scene: &Blueprint) -> (World, Heard, Failed) {
    let (heard, failed) = (Heard::default(), Failed::default());
    let mut world = World::new(scene, 1).unwrap();
    for node in (0..scene.nodes.len() as u32).map(NodeId) {
        let (heard, failed) = (Arc::clone(&heard), Arc::clone(&failed));
        let greeter = Greeter { node, begins: node == 0, heard, failed, ..Greeter::default() };
        world.routers[node] = Router::new(Box::new(greeter));
        world.listen_to_router(node);
    }
    (world, heard, failed)
}

fn scene(mac: aloha::Config, flows: Vec<Flow>) -> Blueprint {
    let mut radio = slow_radio(mac);
    radio.propagation =
        propagation::Config::Disc(disc::Config { range: Metres(400.0), ..Default::default() });
    line(&[0.0, 300.0, 600.0, 900.0, 1200.0, 1500.0], radio, flows, 60)
}

#[test]
fn a_flood_reaches_as_far_as_its_hop_limit_and_no_copy_is_lost_track_of() {
    let named = |name| mac::Config::named(name).expect("registered");
    let aloha = mac::Config::Aloha(unacknowledged());
    for mac in [aloha, named("aloha"), named("csma"), named("dcf")] {
        let mut scene = scene(unacknowledged(), vec![]);
        scene.channels[0].radio.mac = mac;
        let (mut world, heard, _) = greeters(&scene);
        for slice in 1..=60 {
            world.run_until(at(slice * 1000));
            world.audit();
        }
        let expected = [(1, 0, 3), (0, 1, 2), (2, 1, 2), (1, 2, 1), (3, 2, 1)];
        let expected = expected.map(|(node, from, hop_limit)| (NodeId(node), NodeId(from), hop_limit));
        assert_eq!(*heard.lock().unwrap(), expected);
        let account = world.context.packets.account(Class::Routing);
        // Three nodes sent it; five listeners each got a copy; the senders' own are done with.
        assert_eq!((account.originated, account.duplicated), (3, [0, 5, 0]));
        assert_eq!((account.delivered, &account.discarded[..4]), (5, &[0, 3, 0, 0][..]));
        assert_eq!(account.losses, Losses::default());
    }
}

#[test]
fn packets_wait_at_routing_until_it_knows_a_way() {
    // Four datagrams of node 1 come before the greeting: two are kept and go to node 0 after it.
    let flows = (0..4).map(|i| one_datagram(NodeId(1), NodeId(0), at(i * 100))).collect();
    let (mut world, _, _) = greeters(&scene(unacknowledged(), flows));
    world.run_until(at(1500));
    world.audit();
    let results = {
        world.run_until(Instant::NEVER);
        world.finish()
    };
    let delivered: Vec<_> = results.flows.iter().map(|flow| flow.packets_delivered).collect();
    assert_eq!((delivered, results.drops), (vec![1, 1, 0, 0], vec![("send_buffer_full", 2)]));
}

#[test]
fn what_waits_for_a_neighbour_that_is_gone_comes_back() {
    let mac = aloha::Config { retries: 1, timeout: Duration::from_secs(3), ..aloha::Config::default() };
    let flows = (0..3).map(|i| one_datagram(NodeId(1), NodeId(0), at(10_000 + i * 100))).collect();
    let (mut world, _, failed) = greeters(&scene(mac, flows));
    world.run_until(at(9000));
    put(&mut world, 0, -9000.0);
    world.run_until(Instant::NEVER);
    let expected = [LinkFailure::NoResponse, LinkFailure::Recalled, LinkFailure::Recalled];
    assert_eq!(*failed.lock().unwrap(), expected);
    let results = world.finish();
    assert_eq!(
        (results.drops, results.failed_attempts),
        (vec![("link_failure", 3)], vec![("out_of_range", 2)])
    );
}
