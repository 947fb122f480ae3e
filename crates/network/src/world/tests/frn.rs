//! FRN slot by slot: echoes, combined frames, duplicates, and what a chain can carry.

use super::air::{audited, line, one_datagram, put};
use super::dsdv::next;
use super::*;
use crate::blueprint::Radio;
use crate::channel::medium::Delay;
use crate::channel::propagation::{self, disc};
use crate::frame::FrameKind;
use crate::hop::Decision;
use crate::mac::frn::config::{CarrierSense, Combine, Duplicates, Forwarding};
use crate::mac::{self, frn};
use crate::packet::{Class, Payload as Carried};
use crate::routing::frn::config::{Spread, Tables};
use crate::space::Metres;
use farlink_tcp::Ecn;

fn ideal() -> frn::Config {
    frn::Config { carrier_sense: CarrierSense::Ideal, ..frn::Config::default() }
}

fn scene(places: &[f64], mac: frn::Config, flows: Vec<Flow>, seconds: u64) -> Blueprint {
    let disc = disc::Config { range: Metres(250.0), ..Default::default() };
    let mac = mac::Config::Frn(mac);
    let (propagation, delay) = (propagation::Config::Disc(disc), Delay::None);
    let radio = Radio { propagation, delay, mac, ..Radio::default() };
    let one_way = routing::frn::Config { attempts: u8::MAX, ..routing::frn::Config::default() };
    let routing = routing::Config::Frn(one_way);
    Blueprint { routing, ..line(places, radio, flows, seconds) }
}

/// So many nodes 200 m apart.
fn chain(nodes: u32) -> Vec<f64> {
    (0..nodes).map(|node| f64::from(node) * 200.0).collect()
}

/// A packet of flow 0 begins at a node.
fn inject(world: &mut World, from: NodeId, to: NodeId, class: Class) {
    let packet = Packet {
        number: 0,
        flow: 0,
        source: from,
        destination: to,
        to: End::Receiver,
        class,
        ecn: Ecn::NotCapable,
        hop_limit: Packet::HOP_LIMIT,
        attempt: 0,
        is_try: false,
        interface: Packet::NOWHERE,
        size: 100,
        first_sent: world.context.now,
        offset: u64::from(to),
        header: None,
        payload: Carried::Datagram(72),
    };
    world.inject(from, from, packet);
}

/// What was sent: the slot, the sender, and the next hops of the parts, or who is answered.
fn log(world: &World) -> Vec<(u64, NodeId, String)> {
    let sent = world.airs[0].sent.iter();
    let line = |(at, frame): &(Instant, crate::frame::Frame)| {
        let what = match frame.kind {
            FrameKind::Acknowledgement { to, .. } => format!("ack {to}"),
            _ => frame.addressees().map(|to| to.to_string()).collect::<Vec<_>>().join("+"),
        };
        (at.as_nanos() / 10_000_000, frame.sender, what)
    };
    sent.map(line).collect()
}

fn expected(lines: &[(u64, NodeId, &str)]) -> Vec<(u64, NodeId, String)> {
    lines.iter().map(|&(slot, sender, what)| (slot, sender, what.to_owned())).collect()
}

/// No flow sends anything; a test injects packets at 5 ms, so that the first goes in slot 1.
fn bench(places: &[f64], mac: frn::Config) -> World {
    let quiet = one_datagram(0, 1, Instant::NEVER);
    let mut world = World::new(&scene(places, mac, vec![quiet], 2), 1).unwrap();
    world.run_until(at(5));
    world
}

fn delivered(world: &World) -> [u64; 2] {
    [Class::Data, Class::Ack].map(|class| world.context.packets.account(class).delivered)
}

#[test]
fn a_packet_goes_a_hop_per_slot_and_who_passes_it_on_is_its_acknowledgement() {
    // The thesis' figure 2: only the last node answers by itself.
    let mut world = bench(&chain(4), ideal());
    inject(&mut world, 0, 3, Class::Data);
    world.run_until(Instant::NEVER);
    assert_eq!(log(&world), expected(&[(1, 0, "1"), (2, 1, "2"), (3, 2, "3"), (4, 3, "ack 2")]));
    assert_eq!(delivered(&world), [1, 0]);
    let results = world.finish();
    assert_eq!((results.drops, results.failed_attempts), (vec![], vec![]));
}

#[test]
fn data_and_an_acknowledgement_share_a_frame_and_the_second_part_goes_on_a_slot_later() {
    // The thesis' figure 4, at node 3 of seven.
    for combine in [Combine::BothDue, Combine::EitherDue] {
        let mut world = bench(&chain(7), frn::Config { combine, ..ideal() });
        inject(&mut world, 3, 6, Class::Data);
        inject(&mut world, 3, 0, Class::Ack);
        world.run_until(Instant::NEVER);
        let frames = [
            (1, 3, "4+2"),
            (2, 4, "5"),
            (3, 2, "1"),
            (3, 5, "6"),
            (4, 1, "0"),
            (4, 6, "ack 5"),
            (5, 0, "ack 1"),
        ];
        let mut log = log(&world);
        log.sort();
        assert_eq!(log, expected(&frames));
        assert_eq!((delivered(&world), world.finish().failed_attempts), ([1, 1], vec![]));
    }
}

#[test]
fn a_part_that_is_not_echoed_is_sent_again_alone() {
    let mut world = bench(&chain(7), frn::Config { combine: Combine::BothDue, ..ideal() });
    put(&mut world, 4, 9000.0);
    inject(&mut world, 3, 6, Class::Data);
    inject(&mut world, 3, 0, Class::Ack);
    world.run_until(at(100));
    let by_three: Vec<_> = log(&world).into_iter().filter(|(_, sender, _)| *sender == 3).collect();
    assert_eq!(by_three[0], (1, 3, "4+2".to_owned()));
    assert!(by_three.len() > 1 && by_three[1..].iter().all(|(_, _, to)| to == "4"), "{by_three:?}");
    // From 3 to 5 slots pass between tries, and none after 32 slots.
    assert!(by_three.windows(2).all(|pair| (3..=5).contains(&(pair[1].0 - pair[0].0))), "{by_three:?}");
    world.run_until(Instant::NEVER);
    assert_eq!(delivered(&world), [0, 1]);
    let last = log(&world).into_iter().map(|(slot, ..)| slot).max();
    assert!(last < Some(33), "{last:?}");
    assert_eq!(world.finish().drops, [("lifetime", 1)]);
}

/// 0 sends to 2 over 1, whose echo in slot 2 meets a frame of 3 at 0: the thesis' figure 11.
fn lost_echo(duplicates: Duplicates) -> World {
    let mut world = bench(&[0.0, 200.0, 400.0, -200.0], frn::Config { duplicates, ..ideal() });
    inject(&mut world, 0, 2, Class::Data);
    world.run_until(at(15));
    inject(&mut world, 3, 0, Class::Ack);
    world.run_until(Instant::NEVER);
    world
}

#[test]
fn a_lost_echo_makes_a_duplicate() {
    let world = lost_echo(Duplicates::Forward);
    let mut log = log(&world);
    log.sort();
    assert_eq!(log[..3], expected(&[(1, 0, "1"), (2, 1, "2"), (2, 3, "0")]));
    let by = |node| log.iter().filter(|(_, sender, to)| *sender == node && !to.starts_with("ack")).count();
    assert_eq!((by(0), by(1)), (2, 2), "{log:?}");
    assert_eq!(delivered(&world), [2, 1], "two copies travel and arrive");
    assert_eq!(world.finish().drops, []);
}

#[test]
fn who_remembers_a_packet_acknowledges_it_and_does_not_pass_it_on_again() {
    let world = lost_echo(Duplicates::Ack);
    let log = log(&world);
    let by = |node| log.iter().filter(|(_, sender, to)| *sender == node && !to.starts_with("ack")).count();
    assert_eq!((by(0), by(1)), (2, 1), "{log:?}");
    assert!(log.iter().any(|(_, sender, what)| *sender == 1 && what == "ack 0"), "{log:?}");
    assert_eq!(delivered(&world), [1, 1]);
    assert_eq!(world.finish().drops, []);
}

#[test]
fn who_forgets_a_packet_with_its_echo_discards_only_what_comes_before() {
    // 2 passes on what 1 sent it, and 1 hears that; the copy that 0 sends again is passed on again.
    assert_eq!(delivered(&lost_echo(Duplicates::AckWhileHeld)), [2, 1]);
    // Without 2 it is still at 1, which sends it again and again, when it comes again.
    let mut world =
        bench(&[0.0, 200.0, 400.0, -200.0], frn::Config { duplicates: Duplicates::AckWhileHeld, ..ideal() });
    put(&mut world, 2, 9000.0);
    inject(&mut world, 0, 2, Class::Data);
    world.run_until(at(15));
    inject(&mut world, 3, 0, Class::Ack);
    world.run_until(Instant::NEVER);
    assert!(log(&world).iter().any(|(_, sender, what)| *sender == 1 && what == "ack 0"));
    assert_eq!(world.finish().stations[1].duplicates_received, 1);
}

#[test]
fn packets_that_come_again_and_frames_that_carry_two_are_counted() {
    let again = |world: World| world.finish().stations.iter().map(|each| each.duplicates_received).collect();
    let counts: Vec<u64> = again(lost_echo(Duplicates::Forward));
    assert_eq!(counts, [0, 1, 1, 0], "1 passes it on again, and it comes to 2 again");
    let counts: Vec<u64> = again(lost_echo(Duplicates::Ack));
    assert_eq!(counts, [0, 1, 0, 0], "1 discards it");
    let mut world = bench(&chain(7), frn::Config { combine: Combine::BothDue, ..ideal() });
    inject(&mut world, 3, 6, Class::Data);
    inject(&mut world, 3, 0, Class::Ack);
    world.run_until(Instant::NEVER);
    let combined: Vec<_> = world.finish().stations.iter().map(|each| each.frames_combined).collect();
    assert_eq!(combined, [0, 0, 0, 1, 0, 0, 0]);
}

#[test]
fn a_node_without_room_for_a_packet_does_not_answer_for_it() {
    // Node 2 is gone: of 1's two packets one is tried again and again, the other fills the queue.
    let mut scene = scene(&chain(4), ideal(), vec![one_datagram(0, 1, Instant::NEVER)], 2);
    let drop_tail = queue::drop_tail::Config { limit: Amount::Packets(1) };
    scene.channels[0].radio.queue = queue::Config::DropTail(drop_tail);
    let mut world = World::new(&scene, 1).unwrap();
    put(&mut world, 2, 9000.0);
    world.run_until(at(5));
    inject(&mut world, 1, 3, Class::Data);
    inject(&mut world, 1, 3, Class::Data);
    inject(&mut world, 0, 3, Class::Data);
    world.run_until(at(300));
    let log = log(&world);
    let tries = log.iter().filter(|(_, sender, _)| *sender == 0).count();
    assert!(tries >= 3, "nobody answers 0, which tries again: {log:?}");
    assert!(!log.iter().any(|(_, sender, what)| *sender == 1 && what == "ack 0"), "{log:?}");
    let full = world.finish().drops.into_iter().find(|(cause, _)| *cause == "queue_full");
    assert!(full.is_some_and(|(_, packets)| packets >= 2), "{full:?}");
}

/// Datagrams from one end of a chain of five to the other, one every so many milliseconds, for a minute.
fn stream(milliseconds: u64, mac: frn::Config) -> Results {
    let rate = BitRate::from_bps(6_000_000 / milliseconds);
    let application = app::constant_bit_rate::Config { rate, packet_size: Bytes(750) };
    let flows =
        vec![Flow { start: Start::At(at(5)), ..flow(0, 4, app::Config::ConstantBitRate(application)) }];
    audited(World::new(&scene(&chain(5), mac, flows, 60), 1).unwrap(), 60)
}

#[test]
fn a_chain_carries_a_packet_every_third_slot_and_never_more() {
    let results = stream(30, ideal());
    let FlowResult { packets_sent, packets_delivered, .. } = results.flows[0];
    assert!(packets_sent == 2000 && packets_delivered >= packets_sent - 2, "{packets_delivered}");
    assert_eq!((results.drops, results.failed_attempts), (vec![], vec![]));
    for (milliseconds, carrier_sense) in
        [(25, CarrierSense::Ideal), (20, CarrierSense::Minislot), (10, CarrierSense::None)]
    {
        let mac = frn::Config { carrier_sense, ..frn::Config::default() };
        let delivered = stream(milliseconds, mac).flows[0].packets_delivered;
        assert!((1..=2000).contains(&delivered), "{delivered} of 6000 slots");
    }
}

#[test]
fn a_packet_is_given_up_after_its_tries_on_the_whole_way() {
    // Node 2 is gone: of three retransmissions none is left when node 1 has used them; 0 needed none.
    let mac = frn::Config { lifetime: None, retry_limit: Some(3), ..ideal() };
    let mut world = bench(&chain(4), mac);
    put(&mut world, 2, 9000.0);
    inject(&mut world, 0, 3, Class::Data);
    world.run_until(Instant::NEVER);
    let tries = log(&world).into_iter().filter(|(_, sender, _)| *sender == 1).count();
    assert_eq!(tries, 4);
    let results = world.finish();
    assert_eq!(
        (results.drops, results.failed_attempts),
        (vec![("link_failure", 1)], vec![("out_of_range", 4)])
    );
    assert_eq!(results.hops[1].packets_given_up, 1);
    assert_eq!(results.hops[1].failed_attempts, [("out_of_range", 4)]);
}

#[test]
fn of_hearing_stations_one_sends_unless_they_choose_the_same_minislot() {
    // 1 and 2 both have a packet for 0 in slot 1; they hear each other.
    let mut meetings = 0;
    for (sense, least, most) in
        [(CarrierSense::Ideal, 0, 0), (CarrierSense::None, 200, 200), (CarrierSense::Minislot, 1, 20)]
    {
        let collided = (0..200)
            .filter(|&seed| {
                let mac = frn::Config { carrier_sense: sense, ..frn::Config::default() };
                let quiet = one_datagram(0, 1, Instant::NEVER);
                let mut world = World::new(&scene(&[0.0, 100.0, 200.0], mac, vec![quiet], 2), seed).unwrap();
                world.run_until(at(5));
                inject(&mut world, 1, 0, Class::Data);
                inject(&mut world, 2, 0, Class::Data);
                world.run_until(at(20));
                let sent = world.airs[0].sent.len();
                meetings += sent;
                sent == 2
            })
            .count();
        assert!((least..=most).contains(&collided), "{collided} with {sense:?}");
    }
    assert!(meetings >= 600);
}

#[test]
fn neighbours_that_pass_on_in_turn_and_wait_for_each_other_block_each_other() {
    // Both send in slot 1 and hear nothing, then again, one before the other.
    let arrived = |forwards| {
        let mut world = bench(&chain(4), frn::Config { forwarding: forwards, max_wait: 9, ..ideal() });
        inject(&mut world, 1, 3, Class::Data);
        inject(&mut world, 2, 0, Class::Data);
        world.run_until(Instant::NEVER);
        let arrived: u64 = delivered(&world).iter().sum();
        (arrived, world.finish().drops)
    };
    assert_eq!(arrived(Forwarding::Fifo).1.first().map(|drop| drop.0), Some("lifetime"));
    assert!(arrived(Forwarding::NextSlot).0 >= 2);
}

#[test]
fn every_setting_balances_its_books_with_tcp_in_both_directions() {
    for (combine, duplicates, max_wait_under_load, retry_limit) in [
        (Combine::Off, Duplicates::Forward, None, None),
        (Combine::TwoQueues, Duplicates::Ack, None, Some(4)),
        (Combine::BothDue, Duplicates::Forward, Some(17), Some(4)),
        (Combine::EitherDue, Duplicates::Ack, Some(17), None),
    ] {
        let mac =
            frn::Config { max_wait_under_load, retry_limit, combine, duplicates, ..frn::Config::default() };
        let mut flows = vec![flow(0, 4, app::Config::named("bulk").unwrap()), flow(4, 0, file(30_000))];
        for flow in &mut flows {
            flow.tcp.segment_size = Bytes(1000);
        }
        let results = audited(World::new(&scene(&chain(5), mac, flows, 120), 1).unwrap(), 120);
        assert!(results.flows[0].bytes_received > Bytes(50_000), "{combine:?}: {:?}", results.flows[0]);
        assert!(results.flows[1].completion.is_some(), "{combine:?}");
    }
}

/// From node 0 to node 4: 1 is ahead, 2 beside, 5 behind.
fn triangles(routing: routing::frn::Config) -> Blueprint {
    let mut scene = scene(
        &[0.0, 200.0, 100.0, 300.0, 400.0, -100.0],
        ideal(),
        vec![one_datagram(0, 4, Instant::NEVER)],
        100,
    );
    for node in [2, 3, 5] {
        scene.nodes[node].position.y = Metres(173.2);
    }
    Blueprint { routing: routing::Config::Frn(routing), ..scene }
}

/// The neighbours that node 0 tries a packet to node 4 over.
fn tried(world: &mut World, from: Option<NodeId>) -> Vec<NodeId> {
    let packet =
        world.context.packets.originate(Packet { destination: 4, ..crate::packet::tests::datagram(100) });
    let stamp = world.context.packets.stamp(packet);
    world.context.packets.put_stamp(packet, crate::packet::Stamp { from, ..stamp });
    let mut hop = |attempt| {
        world.context.packets[packet].attempt = attempt;
        match world.routers[0].protocol.next_hop(packet, &mut world.context) {
            Decision::Forward(hop) => hop.next_hop,
            other => panic!("{other:?}"),
        }
    };
    let tried = (0..4).map(|attempt| match hop(attempt) {
        NextHop::Node(node) => node,
        NextHop::Everyone => panic!("a packet goes to one neighbour"),
    });
    let tried = tried.collect();
    world.context.packets.discard(packet, crate::packet::Discard::Withdrawn);
    tried
}

#[test]
fn neighbours_ahead_are_tried_first_then_those_beside_then_those_behind() {
    let mut world = World::new(&triangles(routing::frn::Config::default()), 1).unwrap();
    assert_eq!(tried(&mut world, None), [1, 2, 5, 1]);
    assert_eq!(tried(&mut world, Some(2)), [1, 5, 1, 5], "never back to whom it came from");
    let twice = routing::frn::Config { attempts: 2, ..routing::frn::Config::default() };
    let mut world = World::new(&triangles(twice), 1).unwrap();
    assert_eq!(tried(&mut world, None), [1, 1, 2, 2]);
}

#[test]
fn load_is_spread_among_neighbours_that_are_equally_near() {
    for (spread, kinds) in [(Spread::None, 1), (Spread::Packets, 2)] {
        let config = routing::frn::Config { load_balancing: spread, ..routing::frn::Config::default() };
        let mut scene = triangles(config);
        // Node 2 moves to where it is as near to node 4 as node 1.
        scene.nodes[2].position = Position { x: Metres(200.0), ..Default::default() };
        let mut world = World::new(&scene, 1).unwrap();
        let mut first: Vec<_> = (0..40).map(|_| tried(&mut world, None)[0]).collect();
        first.sort_unstable();
        first.dedup();
        assert_eq!(first.len(), kinds, "{spread:?}: {first:?}");
    }
}

#[test]
fn tables_that_are_exchanged_converge_and_heal_around_a_dead_node() {
    let config =
        routing::frn::Config { tables: Tables::Dynamic, cycle: ms(1000), ..routing::frn::Config::default() };
    let scene = triangles(config);
    let mut still = World::new(&triangles(routing::frn::Config::default()), 1).unwrap();
    let mut world = World::new(&scene, 1).unwrap();
    world.run_until(at(8000));
    for node in [0, 1, 2, 3, 5] {
        assert_eq!(next(&mut world, node, 4), next(&mut still, node, 4), "from {node}");
    }
    assert_eq!(tried(&mut world, None), [1, 2, 5, 1]);
    put(&mut world, 1, 9000.0);
    // Of the last ten cycles at least four without a packet of node 1 make it no neighbour.
    world.run_until(at(16_000));
    assert_eq!(next(&mut world, 0, 4), Some(2));
    inject(&mut world, 0, 4, Class::Data);
    world.run_until(at(20_000));
    assert_eq!(delivered(&world)[0], 1);
    world.run_until(Instant::NEVER);
    world.audit();
    // Nobody counts on the dead node's old distances for ever.
    assert_eq!(next(&mut world, 0, 1), None);
}
