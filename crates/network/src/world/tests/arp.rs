//! ARP with one slot, on a time line and as ns-2 does it.

use super::shared_channel::{line, one_datagram};
use super::*;
use crate::blueprint::Radio;
use crate::channel::propagation::{self, disc};
use crate::frame::FrameKind;
use crate::hop::{Hop, NextHop};
use crate::ids::{InterfaceId, NodeId};
use crate::interface::arp::Arp;
use crate::interface::station::arp_message;
use crate::mac;
use crate::mobility;
use crate::mobility::scripted::{self, Move, Moves};
use crate::observe::monitor::{FrameObserved, Monitor, Place};
use crate::packet::tests::datagram;
use crate::space::{Metres, Pace, Waypoint};
use crate::wire::arp::{Message, Operation};
use std::sync::{Arc, Mutex};

fn scene(places: &[f64], flows: Vec<Flow>, seconds: u64) -> Blueprint {
    let disc = disc::Config { range: Metres(250.0), ..Default::default() };
    let mac = mac::Config::named("dcf").expect("registered");
    let propagation = propagation::Config::Disc(disc);
    let radio = Radio { propagation, mac, arp: Arp::OneSlot, ..Radio::default() };
    line(places, radio, flows, seconds)
}

/// The senders in order, and what they sent: the message of ARP, or the size of data.
type Lines = Vec<(NodeId, Result<Message, u32>)>;

/// Writes them down.
#[derive(Debug, Default)]
struct Diary(Arc<Mutex<Lines>>);

impl Monitor for Diary {
    fn on_frame(&mut self, sighting: &FrameObserved<'_>) {
        if let (FrameKind::Data, Some(part)) = (sighting.frame.kind, sighting.frame.parts[0]) {
            let said = arp_message(part.packet, sighting.packets).ok_or(sighting.frame.size);
            self.0.lock().unwrap().push((sighting.frame.sender, said));
        }
    }
}

fn diary(scene: &Blueprint) -> (Lines, Results) {
    let (mut world, diary) = (World::new(scene, 1).unwrap(), Diary::default());
    let lines = Arc::clone(&diary.0);
    world.add_monitor(Box::new(diary), Place::Channel);
    world.run_until(Instant::NEVER);
    world.audit();
    let lines = lines.lock().unwrap().clone();
    (lines, world.finish())
}

fn delivered(results: &Results) -> Vec<u64> {
    results.flows.iter().map(|flow| flow.packets_delivered).collect()
}

#[test]
fn the_first_packet_waits_for_a_request_and_its_answer_and_later_ones_do_not() {
    let flows = vec![
        one_datagram(NodeId(0), NodeId(1), at(0)),
        one_datagram(NodeId(0), NodeId(1), at(100)),
        one_datagram(NodeId(1), NodeId(0), at(200)),
    ];
    let (lines, results) = diary(&scene(&[0.0, 200.0, 400.0], flows, 1));
    let request = Message { operation: Operation::Request, sender: NodeId(0), target: NodeId(1) };
    let reply = Message { operation: Operation::Reply, sender: NodeId(1), target: NodeId(0) };
    // A datagram of 111 bytes; node 1 knows who asked it.
    let data = Err(36 + 111);
    assert_eq!(
        lines,
        [(0, Ok(request)), (1, Ok(reply)), (0, data), (0, data), (1, data)]
            .map(|(node, what)| (NodeId(node), what))
    );
    assert_eq!((delivered(&results), results.drops), (vec![1, 1, 1], vec![]));
}

#[test]
fn a_request_is_28_bytes_to_everyone_and_its_answer_is_acknowledged() {
    let mut world =
        World::new(&scene(&[0.0, 200.0], vec![one_datagram(NodeId(0), NodeId(1), at(0))], 1), 1).unwrap();
    world.run_until(Instant::NEVER);
    let kinds: Vec<_> =
        world.channels[0].frame_log.iter().map(|(_, frame)| (frame.sender, frame.kind, frame.size)).collect();
    let [request, reply, answer, data, _] = kinds[..] else { panic!("{kinds:?}") };
    assert_eq!(
        (request, reply),
        ((NodeId(0), FrameKind::Data, 36 + 28), (NodeId(1), FrameKind::Data, 36 + 28))
    );
    assert_eq!((answer.0, data), (NodeId(0), (NodeId(0), FrameKind::Data, 36 + 111)));
    assert!(matches!(answer.1, FrameKind::Acknowledgement { to: NodeId(1), .. }));
    let hops: Vec<_> =
        world.channels[0].frame_log.iter().map(|(_, frame)| frame.addressees().collect::<Vec<_>>()).collect();
    assert_eq!((&hops[0], &hops[1]), (&vec![], &vec![NodeId(0)]));
}

#[test]
fn who_overhears_a_request_knows_who_asked_but_not_who_answers() {
    // Node 2 hears node 1 ask for node 0. It need not ask for node 1, but has to for nobody else.
    let flows = vec![one_datagram(NodeId(1), NodeId(0), at(0)), one_datagram(NodeId(2), NodeId(1), at(100))];
    let (lines, results) = diary(&scene(&[0.0, 200.0, 400.0], flows, 1));
    let spoken: Vec<_> = lines.iter().map(|(node, said)| (*node, said.is_ok())).collect();
    assert_eq!(
        spoken,
        [(1, true), (0, true), (1, false), (2, false)].map(|(node, is_request)| (NodeId(node), is_request))
    );
    assert_eq!(delivered(&results), [1, 1]);
}

#[test]
fn of_packets_at_once_only_the_last_is_left() {
    let flows = (0..3).map(|_| one_datagram(NodeId(0), NodeId(1), at(0))).collect();
    let (lines, results) = diary(&scene(&[0.0, 200.0], flows, 1));
    assert_eq!((delivered(&results), results.drops), (vec![0, 0, 1], vec![("arp", 2)]));
    // Each asked; the answers after the first find nothing that waits.
    let asked = lines.iter().filter(|(node, said)| *node == NodeId(0) && said.is_ok()).count();
    assert_eq!((asked, lines.len()), (3, 3 + 3 + 1));
}

#[test]
fn a_neighbour_that_is_silent_costs_what_it_costs_in_ns2() {
    // ns-2 (arpresolve): the first three packets ask, the second and the third take their predecessor's place; the
    // fourth goes to the routing agent's callback with the third, unless there is none; then it begins anew.
    let flows = (0..8).map(|number| one_datagram(NodeId(0), NodeId(1), at(100 + 100 * number))).collect();
    let mut scene = scene(&[0.0, 200.0], flows, 2);
    // The way is that of the start, and node 1 is gone in 1 ms.
    let to = Waypoint { x: Metres(1e6), ..Waypoint::default() };
    let moves = Moves::List(vec![Move { at: at(0), to, speed: Pace::FASTEST }]);
    scene.nodes[1].mobility = mobility::Config::Scripted(scripted::Config { moves });
    let config = routing::shortest_path::Config { recompute: None, ..Default::default() };
    scene.routing = routing::Config::ShortestPath(config);
    let (lines, results) = diary(&scene);
    assert_eq!(lines.len(), 6, "{lines:?}");
    assert_eq!((delivered(&results), results.drops), (vec![0; 8], vec![("link_failure", 4), ("arp", 4)]));
}

#[test]
fn packets_called_back_from_the_queue_leave_messages_of_arp_there() {
    let mut world =
        World::new(&scene(&[0.0, 200.0], vec![one_datagram(NodeId(0), NodeId(1), at(0))], 1), 1).unwrap();
    let hop = Hop { interface: InterfaceId(0), next_hop: NextHop::Node(NodeId(1)) };
    // The MAC takes the first; the others wait.
    let replies: Vec<_> = (0..2)
        .map(|_| {
            let station = world.interfaces[hop.interface].station();
            station.arp_message(Operation::Reply, NodeId(1), &mut world.context)
        })
        .collect();
    let data = world.context.packets.originate(datagram(100));
    for packet in [replies[0], data, replies[1]] {
        world.queue(hop, packet);
    }
    world.recall(hop);
    world.settle();
    assert_eq!(world.interfaces[hop.interface].station().queue.waiting(), [replies[1]]);
    world.audit();
}
