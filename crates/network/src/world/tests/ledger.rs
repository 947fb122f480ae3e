//! The ledger: every copy has a row, every packet one fate, and what is in flight is where the layers hold it.

use crate::ids::{InterfaceId, NodeId};
use std::collections::BTreeMap;

use super::dcf::{datagram, wlan};
use super::random::scene;
use super::shared_channel::line;
use super::*;
use crate::blueprint::Blueprint;
use crate::mac::dcf;
use crate::packet::log::{Fate, LinkAck, PacketFate, Row};
use crate::packet::tests::datagram as one_packet;
use crate::packet::{Cause, Class, Discard, Duplication, Location, Packet, Place};
use crate::results::{DropsAt, LedgerEntry};

fn logged(blueprint: &Blueprint, seed: u64) -> Results {
    let mut world = World::new(blueprint, seed).unwrap();
    world.keep_ledger();
    world.run_until(Instant::NEVER);
    world.finish()
}

/// The counts of an account, by what they count.
type Counts = BTreeMap<(Option<u32>, &'static str, String), u64>;

fn counts_of(ledger: &[LedgerEntry]) -> Counts {
    let mut counts = Counts::new();
    for entry in ledger {
        let mut put = |what: String, count| counts.insert((entry.flow, entry.class, what), count);
        put("originated".into(), entry.originated);
        if entry.delivered > 0 {
            put("delivered".into(), entry.delivered);
        }
        for (group, parts) in [
            ("duplicated", &entry.duplicated),
            ("discarded", &entry.discarded),
            ("dropped", &entry.dropped),
            ("attempt_failed", &entry.failed_attempts),
            ("in_flight", &entry.in_flight),
        ] {
            for (word, count) in parts {
                put(format!("{group} {word}"), *count);
            }
        }
    }
    counts
}

fn counts_of_rows(rows: &[Row]) -> Counts {
    let mut counts = Counts::new();
    for row in rows {
        let begun = row.made_by.map_or("originated".into(), |by| format!("duplicated {}", by.word()));
        let ended = match row.fate {
            Fate::Delivered => "delivered".into(),
            Fate::Discarded(why) => format!("discarded {}", why.word()),
            Fate::Dropped(cause) => format!("dropped {}", cause.word()),
            Fate::AttemptFailed(cause) => format!("attempt_failed {}", cause.word()),
            Fate::InFlight(location) => format!("in_flight {}", location.word()),
        };
        for what in [begun, ended] {
            *counts.entry((row.flow, row.class.word(), what)).or_default() += 1;
        }
    }
    counts
}

#[test]
fn rows_and_accounts_agree_and_recording_changes_no_result() {
    for number in 0..40 {
        let scene = scene(number);
        let results = logged(&scene, 1);
        assert_eq!(counts_of_rows(&results.ledger_rows), counts_of(&results.ledger), "scene {number}");
        let without = Results { ledger_rows: Vec::new(), ..results };
        assert_eq!(without, run(&scene, 1), "scene {number}");
    }
}

#[test]
fn a_lost_acknowledgement_of_the_link_layer_is_visible_and_the_packet_has_one_fate() {
    let mut radio = wlan(dcf::Config::default(), 300.0);
    radio.antenna.frame_error_rate = Fraction(0.4);
    let flows = (0..50).map(|number| datagram(NodeId(0), NodeId(1), 20_000 * number)).collect();
    let results = logged(&line(&[0.0, 200.0], radio, flows, 5), 1);
    let lost: Vec<&Row> = results.ledger_rows.iter().filter(|row| row.link_ack == LinkAck::Lost).collect();
    assert!(lost.len() >= 5, "{lost:?}");
    let mut discarded = 0;
    for row in lost {
        assert_eq!((row.made_by, row.packet_fate), (Some(Duplication::Attempt), PacketFate::Delivered));
        let copies = results.ledger_rows.iter().filter(|other| other.packet == row.packet);
        let ends: Vec<Fate> = copies.map(|copy| copy.fate).collect();
        assert_eq!(ends.iter().filter(|fate| **fate == Fate::Delivered).count(), 1, "{ends:?}");
        discarded += u64::from(ends.contains(&Fate::Discarded(Discard::Duplicate)));
    }
    assert!(discarded > 0, "no retransmission of a received packet was received");
}

#[test]
fn a_packet_that_its_sender_gives_up_after_the_neighbour_received_it_is_delivered() {
    let mut radio = wlan(dcf::Config { short_retry_limit: 1, ..dcf::Config::default() }, 300.0);
    radio.antenna.frame_error_rate = Fraction(0.4);
    let flows = (0..50).map(|number| datagram(NodeId(0), NodeId(1), 20_000 * number)).collect();
    let results = logged(&line(&[0.0, 200.0], radio, flows, 5), 1);
    let given_up = Fate::Dropped(Cause::LinkFailure);
    let rows = results.ledger_rows.iter().filter(|row| row.fate == given_up && row.copy == 0);
    let fates: Vec<PacketFate> = rows.map(|row| row.packet_fate).collect();
    assert!(fates.contains(&PacketFate::Delivered) && fates.contains(&PacketFate::Dropped), "{fates:?}");
}

#[test]
fn packets_of_a_link_are_in_its_queue_until_their_transmission_begins() {
    // 1500 bytes take 12 ms at 1 Mbit/s, and 30 ms to propagate.
    let datagrams =
        app::constant_bit_rate::Config { rate: BitRate::from_bps(11_776_000), packet_size: Bytes(1472) };
    let flows = vec![flow(NodeId(0), NodeId(1), app::Config::ConstantBitRate(datagrams))];
    for queue in [
        direction(1, 30, 1000).queue,
        queue::Config::named("fq_codel").unwrap(),
        queue::Config::Priority(queue::priority::Config { limit: Amount::Packets(1000) }),
    ] {
        let line = link::Config { queue, ..direction(1, 30, 1000) };
        let mut scene = blueprint(2, vec![link(NodeId(0), NodeId(1), &line)], flows.clone(), 1);
        scene.duration = ms(100);
        let results = logged(&scene, 1);
        let entry = results.ledger.iter().find(|entry| entry.class == Class::Data.word()).unwrap();
        // One per millisecond, the last at 100 ms; sent are 5 whole ones by 42 + 4 x 12 = 90 ms.
        assert_eq!((entry.originated, entry.delivered), (101, 5));
        let expected = [(Location::Queue.word(), 92), (Location::Link.word(), 4)];
        assert_eq!(entry.in_flight, expected, "{:?}", scene.links[0].forward.queue);
    }
}

#[test]
fn a_packet_without_hops_left_is_dropped_at_the_node_that_discards_it() {
    let links = [[0, 1], [1, 2]].map(|[from, to]| link(NodeId(from), NodeId(to), &direction(10, 1, 10)));
    let flows = vec![flow(NodeId(0), NodeId(2), app::Config::named("bulk").unwrap())];
    let mut world = World::new(&blueprint(3, links.to_vec(), flows, 1), 1).unwrap();
    // It comes over the first link.
    let place = Place::interface(InterfaceId(0));
    let packet = Packet { destination: NodeId(2), hop_limit: 1, place, ..one_packet(100) };
    world.inject(NodeId(1), InterfaceId(1), packet);
    let dropped =
        DropsAt { node: NodeId(1), link: None, class: "data", cause: Cause::HopLimit.word(), packets: 1 };
    assert_eq!(world.finish().flows[0].drops_by_place, [dropped]);
}
