//! FRN: copies that a lost echo makes, how a station treats them, and which transmission it takes for an echo.

use super::frn::{bench, chain, delivered, expected, ideal, inject, log};
use super::shared_channel::put;
use super::*;
use crate::ids::NodeId;
use crate::mac::frn;
use crate::mac::frn::config::{Combine, Duplicates, Forwarding};
use crate::packet::{Class, Discard};

/// 0 sends to 2 over 1, whose echo in slot 2 collides with a frame of 3 at 0: the thesis' figure 11.
fn lost_echo(duplicates: Duplicates) -> World {
    let mut world = bench(&[0.0, 200.0, 400.0, -200.0], frn::Config { duplicates, ..ideal() });
    inject(&mut world, NodeId(0), NodeId(2), Class::Data);
    world.run_until(at(15));
    inject(&mut world, NodeId(3), NodeId(0), Class::Ack);
    world.run_until(Instant::NEVER);
    world
}

/// Data packets that the transport of their destination had before.
fn duplicates(world: &World) -> u64 {
    world.context.packets.account(Class::Data).discarded[Discard::DuplicateData as usize]
}

#[test]
fn a_lost_echo_makes_a_duplicate() {
    let world = lost_echo(Duplicates::Forward);
    let mut log = log(&world);
    log.sort();
    assert_eq!(log[..3], expected(&[(1, NodeId(0), "1"), (2, NodeId(1), "2"), (2, NodeId(3), "0")]));
    let by = |node| log.iter().filter(|(_, sender, to)| *sender == node && !to.starts_with("ack")).count();
    assert_eq!((by(NodeId(0)), by(NodeId(1))), (2, 2), "{log:?}");
    assert_eq!((delivered(&world), duplicates(&world)), ([1, 1], 1), "two copies travel and arrive");
    assert_eq!(world.finish().drops, []);
}

#[test]
fn a_detected_duplicate_is_acknowledged_and_not_relayed() {
    let world = lost_echo(Duplicates::Ack);
    let log = log(&world);
    let by = |node| log.iter().filter(|(_, sender, to)| *sender == node && !to.starts_with("ack")).count();
    assert_eq!((by(NodeId(0)), by(NodeId(1))), (2, 1), "{log:?}");
    assert!(log.iter().any(|(_, sender, what)| *sender == NodeId(1) && what == "ack 0"), "{log:?}");
    assert_eq!(delivered(&world), [1, 1]);
    assert_eq!(world.finish().drops, []);
}

#[test]
fn with_held_a_duplicate_is_discarded_until_the_packet_is_echoed() {
    // 2 relays the packet of 1, and 1 receives the echo; the retransmission of 0 is relayed again.
    let relayed = lost_echo(Duplicates::AckWhileHeld);
    assert_eq!((delivered(&relayed), duplicates(&relayed)), ([1, 1], 1));
    // Without 2 the packet is still pending at 1 when the duplicate is received.
    let mut world =
        bench(&[0.0, 200.0, 400.0, -200.0], frn::Config { duplicates: Duplicates::AckWhileHeld, ..ideal() });
    put(&mut world, 2, 9000.0);
    inject(&mut world, NodeId(0), NodeId(2), Class::Data);
    world.run_until(at(15));
    inject(&mut world, NodeId(3), NodeId(0), Class::Ack);
    world.run_until(Instant::NEVER);
    assert!(log(&world).iter().any(|(_, sender, what)| *sender == 1 && what == "ack 0"));
    assert_eq!(world.finish().stations[1].duplicates_received, 1);
}

#[test]
fn duplicates_and_combined_frames_are_counted() {
    let again = |world: World| world.finish().stations.iter().map(|each| each.duplicates_received).collect();
    let counts: Vec<u64> = again(lost_echo(Duplicates::Forward));
    assert_eq!(counts, [0, 1, 1, 0], "1 relays it twice, and 2 receives it twice");
    let counts: Vec<u64> = again(lost_echo(Duplicates::Ack));
    assert_eq!(counts, [0, 1, 0, 0], "1 discards it");
    let mut world = bench(&chain(7), frn::Config { combine: Combine::BothDue, ..ideal() });
    inject(&mut world, NodeId(3), NodeId(6), Class::Data);
    inject(&mut world, NodeId(3), NodeId(0), Class::Ack);
    world.run_until(Instant::NEVER);
    let combined: Vec<_> = world.finish().stations.iter().map(|each| each.frames_combined).collect();
    assert_eq!(combined, [0, 0, 0, 1, 0, 0, 0]);
}

#[test]
fn a_duplicate_from_any_neighbour_is_acknowledged_or_discarded_without_answer() {
    let sent_by_1 = |duplicates| {
        let world = lost_echo(duplicates);
        assert_eq!(delivered(&world), [1, 1], "{duplicates:?}");
        let sent = |(_, sender, what): (u64, NodeId, String)| (sender == 1).then_some(what);
        log(&world).into_iter().filter_map(sent).collect::<Vec<_>>()
    };
    assert_eq!(sent_by_1(Duplicates::AckFromAny), ["2", "ack 0"]);
    assert_eq!(sent_by_1(Duplicates::DiscardFromAny), ["2"]);
}

#[test]
fn answers_that_are_late_are_counted_apart_from_those_that_are_lost() {
    let answers = |world: World| {
        let of = |station: StationResult| (station.answers_missed, station.answers_late);
        world.finish().stations.into_iter().map(of).collect::<Vec<_>>()
    };
    // The echo of 1 is lost at 0, that of 0 for the packet of 3 is not awaited: 0 is its destination.
    assert_eq!(answers(lost_echo(Duplicates::Ack))[0], (1, 0));
    // 1 has a packet of its own and relays that of 0 after it.
    let mut world = bench(&chain(4), frn::Config { forwarding: Forwarding::Fifo, ..ideal() });
    inject(&mut world, NodeId(1), NodeId(3), Class::Data);
    inject(&mut world, NodeId(1), NodeId(3), Class::Data);
    inject(&mut world, NodeId(0), NodeId(3), Class::Data);
    world.run_until(Instant::NEVER);
    let found = answers(world);
    assert!(found[0].1 > 0 && found[0].0 >= found[0].1, "{found:?}");
}

#[test]
fn of_untried_packets_combined_none_is_retransmitted_before_its_wait_is_over() {
    // 4 is gone: the packet for 6 waits for its retransmission from slot 2 to slot 4 or later.
    let by_3 = |combine| {
        let mut world = bench(&chain(7), frn::Config { combine, ..ideal() });
        put(&mut world, 4, 9000.0);
        inject(&mut world, NodeId(3), NodeId(6), Class::Data);
        world.run_until(at(25));
        inject(&mut world, NodeId(3), NodeId(0), Class::Ack);
        world.run_until(at(39));
        let sent = |(slot, sender, what): (u64, NodeId, String)| (sender == 3).then_some((slot, what));
        log(&world).into_iter().filter_map(sent).collect::<Vec<_>>()
    };
    let expected = |what: &str| [(1, "4".to_owned()), (3, what.to_owned())];
    assert_eq!(by_3(Combine::EitherDue), expected("4+2"));
    assert_eq!(by_3(Combine::Untried), expected("2"));
}
