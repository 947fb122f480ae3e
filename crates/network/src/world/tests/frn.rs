//! FRN on a time line of slots: relay echoes, combined frames, duplicates, and the capacity of a chain.

use super::shared_channel::{audited, line, one_datagram, put};
use super::*;
use crate::blueprint::Radio;
use crate::channel::medium::Delay;
use crate::channel::propagation::{self, disc};
use crate::frame::FrameKind;
use crate::ids::{FlowId, InterfaceId, NodeId};
use crate::mac::frn::config::{CarrierSense, Combine, Duplicates, Forwarding};
use crate::mac::{self, frn};
use crate::packet::{Class, Payload as Carried, Place};
use crate::space::Metres;
use farlink_tcp::Ecn;

pub(super) fn ideal() -> frn::Config {
    frn::Config { carrier_sense: CarrierSense::Ideal, ..frn::Config::default() }
}

pub(super) fn network(positions: &[f64], mac: frn::Config, flows: Vec<Flow>, seconds: u64) -> Blueprint {
    let disc = disc::Config { range: Metres(250.0), ..Default::default() };
    let mac = mac::Config::Frn(mac);
    let (propagation, delay) = (propagation::Config::Disc(disc), Delay::None);
    let radio = Radio { propagation, delay, mac, ..Radio::default() };
    let one_way = routing::frn::Config { attempts: u8::MAX, ..routing::frn::Config::default() };
    let routing = routing::Config::Frn(one_way);
    Blueprint { routing, ..line(positions, radio, flows, seconds) }
}

/// Positions 200 m apart.
pub(super) fn chain(nodes: u32) -> Vec<f64> {
    (0..nodes).map(|node| f64::from(node) * 200.0).collect()
}

/// Sends a packet of flow 0 from a node.
pub(super) fn inject(world: &mut World, from: NodeId, to: NodeId, class: Class) {
    let packet = Packet {
        number: 0,
        flow: FlowId(0),
        source: from,
        destination: to,
        to: End::Receiver,
        class,
        ecn: Ecn::NotCapable,
        hop_limit: Packet::HOP_LIMIT,
        attempt: 0,
        is_attempt: false,
        is_retransmission: false,
        is_copied: false,
        place: Place::node(from),
        size: 100,
        first_sent: world.context.now,
        offset: u64::from(to),
        header: None,
        payload: Carried::Datagram(72),
    };
    world.inject(from, InterfaceId(from.0), packet);
}

/// Frames sent: slot, sender, and the next hops of the parts, or the receiver of an FRN ACK.
pub(super) fn log(world: &World) -> Vec<(u64, NodeId, String)> {
    let sent = world.channels[0].frame_log.iter();
    let line = |(at, frame): &(Instant, crate::frame::Frame)| {
        let what = match frame.kind {
            FrameKind::Acknowledgement { to, .. } => format!("ack {to}"),
            _ => frame.addressees().map(|to| to.to_string()).collect::<Vec<_>>().join("+"),
        };
        (at.as_nanos() / 10_000_000, frame.sender, what)
    };
    sent.map(line).collect()
}

pub(super) fn expected(lines: &[(u64, NodeId, &str)]) -> Vec<(u64, NodeId, String)> {
    lines.iter().map(|&(slot, sender, what)| (slot, sender, what.to_owned())).collect()
}

/// A network without traffic at 5 ms; an injected packet is sent in slot 1.
pub(super) fn bench(positions: &[f64], mac: frn::Config) -> World {
    let idle = one_datagram(NodeId(0), NodeId(1), Instant::NEVER);
    let mut world = World::new(&network(positions, mac, vec![idle], 2), 1).unwrap();
    world.run_until(at(5));
    world
}

pub(super) fn delivered(world: &World) -> [u64; 2] {
    [Class::Data, Class::Ack].map(|class| world.context.packets.account(class).delivered)
}

#[test]
fn a_packet_advances_one_hop_per_slot_and_its_relay_acknowledges_it() {
    // The thesis' figure 2: only the destination sends an FRN ACK.
    let mut world = bench(&chain(4), ideal());
    inject(&mut world, NodeId(0), NodeId(3), Class::Data);
    world.run_until(Instant::NEVER);
    assert_eq!(
        log(&world),
        expected(&[(1, NodeId(0), "1"), (2, NodeId(1), "2"), (3, NodeId(2), "3"), (4, NodeId(3), "ack 2")])
    );
    assert_eq!(delivered(&world), [1, 0]);
    let results = world.finish();
    assert_eq!((results.drops, results.failed_attempts), (vec![], vec![]));
}

#[test]
fn data_and_an_acknowledgement_share_a_frame_and_the_second_part_is_relayed_a_slot_later() {
    // The thesis' figure 4, at node 3 of seven.
    for combine in [Combine::BothDue, Combine::EitherDue] {
        let mut world = bench(&chain(7), frn::Config { combine, ..ideal() });
        inject(&mut world, NodeId(3), NodeId(6), Class::Data);
        inject(&mut world, NodeId(3), NodeId(0), Class::Ack);
        world.run_until(Instant::NEVER);
        let frames = [
            (1, NodeId(3), "4+2"),
            (2, NodeId(4), "5"),
            (3, NodeId(2), "1"),
            (3, NodeId(5), "6"),
            (4, NodeId(1), "0"),
            (4, NodeId(6), "ack 5"),
            (5, NodeId(0), "ack 1"),
        ];
        let mut log = log(&world);
        log.sort();
        assert_eq!(log, expected(&frames));
        assert_eq!((delivered(&world), world.finish().failed_attempts), ([1, 1], vec![]));
    }
}

#[test]
fn a_part_without_an_echo_is_retransmitted_alone() {
    let mut world = bench(&chain(7), frn::Config { combine: Combine::BothDue, ..ideal() });
    put(&mut world, 4, 9000.0);
    inject(&mut world, NodeId(3), NodeId(6), Class::Data);
    inject(&mut world, NodeId(3), NodeId(0), Class::Ack);
    world.run_until(at(100));
    let by_three: Vec<_> = log(&world).into_iter().filter(|(_, sender, _)| *sender == NodeId(3)).collect();
    assert_eq!(by_three[0], (1, NodeId(3), "4+2".to_owned()));
    assert!(by_three.len() > 1 && by_three[1..].iter().all(|(_, _, to)| to == "4"), "{by_three:?}");
    // 3 to 5 slots lie between attempts, and the lifetime is 32 slots.
    assert!(by_three.windows(2).all(|pair| (3..=5).contains(&(pair[1].0 - pair[0].0))), "{by_three:?}");
    world.run_until(Instant::NEVER);
    assert_eq!(delivered(&world), [0, 1]);
    let last = log(&world).into_iter().map(|(slot, ..)| slot).max();
    assert!(last < Some(33), "{last:?}");
    assert_eq!(world.finish().drops, [("lifetime", 1)]);
}

#[test]
fn a_node_whose_queue_is_full_does_not_acknowledge() {
    for duplicates in [Duplicates::Forward, Duplicates::Ack, Duplicates::AckFromAny] {
        refuse_when_full(duplicates);
    }
}

fn refuse_when_full(duplicates: Duplicates) {
    // Node 2 is gone: of the two packets of 1 one is retransmitted, the other fills the queue.
    let mut network = network(
        &chain(4),
        frn::Config { duplicates, ..ideal() },
        vec![one_datagram(NodeId(0), NodeId(1), Instant::NEVER)],
        2,
    );
    let drop_tail = queue::drop_tail::Config { limit: Amount::Packets(1) };
    network.channels[0].radio.queue = queue::Config::DropTail(drop_tail);
    let mut world = World::new(&network, 1).unwrap();
    put(&mut world, 2, 9000.0);
    world.run_until(at(5));
    inject(&mut world, NodeId(1), NodeId(3), Class::Data);
    inject(&mut world, NodeId(1), NodeId(3), Class::Data);
    inject(&mut world, NodeId(0), NodeId(3), Class::Data);
    world.run_until(at(300));
    let log = log(&world);
    let attempts = log.iter().filter(|(_, sender, _)| *sender == 0).count();
    assert!(attempts >= 3, "0 receives no answer and retransmits: {log:?}");
    assert!(!log.iter().any(|(_, sender, what)| *sender == 1 && what == "ack 0"), "{log:?}");
    let full = world.finish().drops.into_iter().find(|(cause, _)| *cause == "queue_full");
    assert!(full.is_some_and(|(_, packets)| packets >= 2), "{full:?}");
}

/// Datagrams from end to end of a chain of five at this interval for a minute.
fn stream(milliseconds: u64, mac: frn::Config) -> Results {
    let rate = BitRate::from_bps(6_000_000 / milliseconds);
    let application = app::constant_bit_rate::Config { rate, packet_size: Bytes(750) };
    let flows = vec![Flow {
        start: Start::At(at(5)),
        ..flow(NodeId(0), NodeId(4), app::Config::ConstantBitRate(application))
    }];
    audited(World::new(&network(&chain(5), mac, flows, 60), 1).unwrap(), 60)
}

#[test]
fn a_chain_carries_at_most_a_packet_every_third_slot() {
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
fn a_packet_is_given_up_after_its_retransmissions_along_the_path() {
    // Node 2 is gone: of three retransmissions none is left when node 1 has used them; 0 needed none.
    let mac = frn::Config { lifetime: None, retry_limit: Some(3), ..ideal() };
    let mut world = bench(&chain(4), mac);
    put(&mut world, 2, 9000.0);
    inject(&mut world, NodeId(0), NodeId(3), Class::Data);
    world.run_until(Instant::NEVER);
    let attempts = log(&world).into_iter().filter(|(_, sender, _)| *sender == 1).count();
    assert_eq!(attempts, 4);
    let results = world.finish();
    assert_eq!(
        (results.drops, results.failed_attempts),
        (vec![("link_failure", 1)], vec![("out_of_range", 4)])
    );
    assert_eq!(results.hops[1].packets_given_up, 1);
    assert_eq!(results.hops[1].failed_attempts, [("out_of_range", 4)]);
}

#[test]
fn of_neighbours_one_transmits_unless_they_draw_the_same_minislot() {
    // 1 and 2 both have a packet for 0 in slot 1, in range of each other.
    let mut frames = 0;
    for (sense, least, most) in
        [(CarrierSense::Ideal, 0, 0), (CarrierSense::None, 200, 200), (CarrierSense::Minislot, 1, 20)]
    {
        let collided = (0..200)
            .filter(|&seed| {
                let mac = frn::Config { carrier_sense: sense, ..frn::Config::default() };
                let idle = one_datagram(NodeId(0), NodeId(1), Instant::NEVER);
                let mut world = World::new(&network(&[0.0, 100.0, 200.0], mac, vec![idle], 2), seed).unwrap();
                world.run_until(at(5));
                inject(&mut world, NodeId(1), NodeId(0), Class::Data);
                inject(&mut world, NodeId(2), NodeId(0), Class::Data);
                world.run_until(at(20));
                let sent = world.channels[0].frame_log.len();
                frames += sent;
                sent == 2
            })
            .count();
        assert!((least..=most).contains(&collided), "{collided} with {sense:?}");
    }
    assert!(frames >= 600);
}

#[test]
fn neighbours_that_relay_in_turn_block_each_other() {
    // Both transmit in slot 1 and receive nothing, then retransmit one after the other.
    let arrived = |forwarding| {
        let mut world = bench(&chain(4), frn::Config { forwarding, max_wait: 9, ..ideal() });
        inject(&mut world, NodeId(1), NodeId(3), Class::Data);
        inject(&mut world, NodeId(2), NodeId(0), Class::Data);
        world.run_until(Instant::NEVER);
        let arrived: u64 = delivered(&world).iter().sum();
        (arrived, world.finish().drops)
    };
    assert_eq!(arrived(Forwarding::Fifo).1.first().map(|drop| drop.0), Some("lifetime"));
    assert!(arrived(Forwarding::NextSlot).0 >= 2);
}

#[test]
fn the_ledger_balances_with_tcp_in_both_directions() {
    for (combine, duplicates, max_wait_under_load, retry_limit) in [
        (Combine::Off, Duplicates::Forward, None, None),
        (Combine::TwoQueues, Duplicates::Ack, None, Some(4)),
        (Combine::BothDue, Duplicates::Forward, Some(17), Some(4)),
        (Combine::EitherDue, Duplicates::Ack, Some(17), None),
        (Combine::Untried, Duplicates::DiscardFromAny, None, Some(4)),
    ] {
        let mac =
            frn::Config { max_wait_under_load, retry_limit, combine, duplicates, ..frn::Config::default() };
        let mut flows = vec![
            flow(NodeId(0), NodeId(4), app::Config::named("bulk").unwrap()),
            flow(NodeId(4), NodeId(0), file(30_000)),
        ];
        for flow in &mut flows {
            flow.tcp.segment_size = Bytes(1000);
        }
        let results = audited(World::new(&network(&chain(5), mac, flows, 120), 1).unwrap(), 120);
        assert!(results.flows[0].bytes_received > Bytes(50_000), "{combine:?}: {:?}", results.flows[0]);
        assert!(results.flows[1].completion.is_some(), "{combine:?}");
    }
}
