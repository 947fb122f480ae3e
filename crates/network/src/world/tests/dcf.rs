//! IEEE 802.11 DCF: frame exchanges on a time line.

use super::shared_channel::{line, one_datagram, put};
use super::*;
use crate::blueprint::Radio;
use crate::channel::medium::Delay;
use crate::channel::propagation::{self, disc};
use crate::frame::FrameKind;
use crate::ids::NodeId;
use crate::mac::{self, dcf};
use crate::oracle::Metric;
use crate::packet::Cause;
use crate::phy::power::Power;
use crate::phy::{self, antenna, dsss};
use crate::space::Metres;

/// A datagram of 111 bytes at 2 Mbit/s with its header of 36, and control frames at 1 Mbit/s, in microseconds.
const DATA: u64 = 192 + 147 * 4;
const RTS: u64 = 352;
const CTS: u64 = 304;
const ACK: u64 = 304;
const SIFS: u64 = 10;
const SLOT: u64 = 20;
const DIFS: u64 = 50;
const EIFS: u64 = SIFS + ACK + DIFS;
/// ACK timeout and CTS timeout.
const TIMEOUT: u64 = SIFS + SLOT + 192;

pub(super) fn with_rts() -> dcf::Config {
    dcf::Config { rts_threshold: Bytes(0), ..dcf::Config::default() }
}

pub(super) fn wlan(mac: dcf::Config, range: f64) -> Radio {
    let phy = dsss::Config { rate: dsss::Rate::Two, ..dsss::Config::default() };
    Radio {
        propagation: propagation::Config::Disc(disc::Config { range: Metres(range), ..Default::default() }),
        delay: Delay::None,
        phy: phy::Config::Dsss(phy),
        mac: mac::Config::Dcf(mac),
        ..Radio::default()
    }
}

fn two_ray(mac: dcf::Config) -> Radio {
    let propagation = propagation::Config::named("two_ray").expect("registered");
    Radio { propagation, ..wlan(mac, 0.0) }
}

fn micros(n: u64) -> Instant {
    Instant::ZERO + Duration::from_micros(n)
}

/// A datagram sent at `start` microseconds.
pub(super) fn datagram(from: NodeId, to: NodeId, start: u64) -> Flow {
    one_datagram(from, to, micros(start))
}

fn hops() -> routing::Config {
    let metric = Metric::Hops;
    routing::Config::ShortestPath(routing::shortest_path::Config { metric, ..Default::default() })
}

/// Start of each frame in microseconds, sender and kind.
type TimeLine = Vec<(u64, u32, &'static str)>;

fn time_line(world: &World) -> TimeLine {
    let word = |kind| match kind {
        FrameKind::Data => "data",
        FrameKind::Acknowledgement { .. } => "ack",
        FrameKind::RequestToSend { .. } => "rts",
        FrameKind::ClearToSend { .. } => "cts",
        FrameKind::Tone => "tone",
    };
    let frames = world.channels[0].frame_log.iter();
    frames.map(|(at, frame)| (at.as_nanos() / 1000, frame.sender.0, word(frame.kind))).collect()
}

/// The world after a second, with its ledger audited.
fn played(metres: &[f64], radio: Radio, flows: Vec<Flow>, seed: u64) -> World {
    let mut network = line(metres, radio, flows, 1);
    network.routing = hops();
    let mut world = World::new(&network, seed).unwrap();
    for slice in 1..=100 {
        world.run_until(at(slice * 10));
        world.audit();
    }
    world
}

fn play(metres: &[f64], radio: Radio, flows: Vec<Flow>, seed: u64) -> (TimeLine, Results) {
    let world = played(metres, radio, flows, seed);
    (time_line(&world), world.finish())
}

/// Start of the first frame of this kind from `node`.
fn first(line: &TimeLine, node: NodeId, kind: &str) -> u64 {
    line.iter().find(|(_, sender, word)| *sender == node.0 && *word == kind).expect("it was sent").0
}

#[test]
fn an_ack_follows_data_after_sifs() {
    let (line, results) = play(
        &[0.0, 200.0],
        wlan(dcf::Config::default(), 250.0),
        vec![datagram(NodeId(0), NodeId(1), 1000)],
        1,
    );
    assert_eq!(line, [(1000, 0, "data"), (1000 + DATA + SIFS, 1, "ack")]);
    assert_eq!((results.flows[0].packets_delivered, results.drops), (1, vec![]));
}

#[test]
fn an_ack_precedes_a_pending_frame_on_an_idle_medium() {
    // At 200 m two-ray ground leaves -60.5 dBm: above the reception threshold, below the carrier sense threshold.
    let mut radio = two_ray(dcf::Config::default());
    radio.antenna.carrier_sense_threshold = Power::from_dbm(-60.0);
    let end = 1000 + DATA;
    let flows = vec![datagram(NodeId(0), NodeId(1), 1000), datagram(NodeId(1), NodeId(0), end + 2)];
    let (line, results) = play(&[0.0, 200.0], radio, flows, 1);
    assert_eq!(line[..2], [(1000, 0, "data"), (end + SIFS, 1, "ack")]);
    // No station senses the start of an ACK, so each retransmits in vain; each datagram is delivered once.
    assert_eq!(results.flows.iter().map(|flow| flow.packets_delivered).collect::<Vec<_>>(), [1, 1]);
}

#[test]
fn rts_and_cts_precede_data_above_the_threshold() {
    let (line, _) =
        play(&[0.0, 200.0], wlan(with_rts(), 250.0), vec![datagram(NodeId(0), NodeId(1), 1000)], 1);
    let cts = 1000 + RTS + SIFS;
    let data = cts + CTS + SIFS;
    assert_eq!(line, [(1000, 0, "rts"), (cts, 1, "cts"), (data, 0, "data"), (data + DATA + SIFS, 1, "ack")]);
}

#[test]
fn hidden_terminals_collide_and_retransmit() {
    // 0 and 2 are out of range of each other; both send to 1 between them.
    let flows = vec![datagram(NodeId(0), NodeId(1), 1000), datagram(NodeId(2), NodeId(1), 1100)];
    let (line, results) = play(&[0.0, 200.0, 400.0], wlan(dcf::Config::default(), 250.0), flows, 1);
    assert_eq!(line[..2], [(1000, 0, "data"), (1100, 2, "data")]);
    // No ACK is sent; a backoff follows the ACK timeout.
    let (again, node, _) = line[2];
    let timeout = if node == 0 { 1000 } else { 1100 } + DATA + TIMEOUT;
    assert!(
        again >= timeout && (again - timeout).is_multiple_of(SLOT) && (again - timeout) / SLOT <= 63,
        "{line:?}"
    );
    let delivered: Vec<_> = results.flows.iter().map(|flow| flow.packets_delivered).collect();
    assert_eq!(delivered, [1, 1]);
    assert!(results.failed_attempts.iter().any(|&(cause, count)| cause == "collision" && count >= 2));
    assert_eq!(results.drops, []);
}

#[test]
fn a_cts_sets_the_nav_of_a_hidden_terminal_until_the_exchange_is_over() {
    // 2 is out of range of 0, but overhears the CTS of 1.
    let flows = vec![
        datagram(NodeId(0), NodeId(1), 1000),
        datagram(NodeId(2), NodeId(1), 1000 + RTS + SIFS + CTS + 100),
    ];
    let (line, results) = play(&[0.0, 200.0, 400.0], wlan(with_rts(), 250.0), flows, 1);
    let end = 1000 + RTS + SIFS + CTS + SIFS + DATA + SIFS + ACK;
    let begin = first(&line, NodeId(2), "rts");
    assert!(begin >= end + DIFS && (begin - end - DIFS).is_multiple_of(SLOT), "{line:?}");
    assert!((begin - end - DIFS) / SLOT <= 31);
    assert_eq!(results.drops, []);
}

#[test]
fn a_station_whose_nav_is_set_sends_no_cts() {
    // 3 sends an RTS to 2, which overheard the CTS of 1 to 0; 3 did not.
    let flows = vec![
        datagram(NodeId(0), NodeId(1), 1000),
        datagram(NodeId(3), NodeId(2), 1000 + RTS + SIFS + CTS + SIFS + 100),
    ];
    let (line, _) = play(&[0.0, 200.0, 400.0, 600.0], wlan(with_rts(), 250.0), flows, 1);
    let end = 1000 + RTS + SIFS + CTS + SIFS + DATA + SIFS + ACK;
    assert!(first(&line, NodeId(3), "rts") < end && first(&line, NodeId(2), "cts") > end, "{line:?}");
}

#[test]
fn an_exposed_terminal_defers_although_it_would_not_interfere() {
    // 1 sends to 0; 2 overhears it and has a frame for 3, far away from 0.
    let flows = || vec![datagram(NodeId(1), NodeId(0), 1000), datagram(NodeId(2), NodeId(3), 1100)];
    let (line, results) = play(&[0.0, 200.0, 400.0, 600.0], wlan(dcf::Config::default(), 250.0), flows(), 1);
    let end = 1000 + DATA + SIFS + ACK;
    let begin = first(&line, NodeId(2), "data");
    // 2 does not receive the ACK of 0; the data of 1 has set its NAV.
    assert!(begin >= end + DIFS && (begin - end - DIFS).is_multiple_of(SLOT), "{line:?}");
    assert_eq!(results.drops, []);
    // Out of range of 1 it transmits at once, and both frames are received.
    let (line, results) = play(&[0.0, 200.0, 460.0, 660.0], wlan(dcf::Config::default(), 250.0), flows(), 1);
    assert_eq!((first(&line, NodeId(2), "data"), results.drops), (1100, vec![]));
}

#[test]
fn eifs_follows_a_frame_that_is_sensed_and_not_received() {
    // 2 senses 0 over 400 m but cannot receive it, and does not sense the ACK of 1 over 600 m.
    let begin = |eifs| {
        let mac = dcf::Config { eifs, ..dcf::Config::default() };
        let flows = vec![datagram(NodeId(0), NodeId(1), 1000), datagram(NodeId(2), NodeId(3), 1100)];
        let (line, results) = play(&[600.0, 800.0, 200.0, 0.0], two_ray(mac), flows, 1);
        assert_eq!(results.flows[1].packets_delivered, 1);
        first(&line, NodeId(2), "data")
    };
    let (extended, plain) = (begin(true), begin(false));
    assert_eq!(extended - plain, EIFS - DIFS);
    assert!((plain - (1000 + DATA + DIFS)).is_multiple_of(SLOT) && plain >= 1000 + DATA + DIFS);
}

/// The rules of ns-2, and an RTS before every frame.
fn ns2() -> dcf::Config {
    dcf::Config { rules: dcf::Rules::Ns2, ..with_rts() }
}

#[test]
fn in_ns2_a_cts_sets_the_nav_of_its_sender_although_no_data_follows() {
    // 0 is gone before it receives the CTS of 1. 1 has a datagram of its own before the data of 0 would be over.
    for seed in 1..10 {
        let flows = vec![datagram(NodeId(0), NodeId(1), 1000), datagram(NodeId(1), NodeId(2), 2400)];
        let mut network = line(&[0.0, 200.0, 400.0], wlan(ns2(), 250.0), flows, 1);
        network.routing = hops();
        let mut world = World::new(&network, seed).unwrap();
        world.run_until(micros(2000));
        let rts = first(&time_line(&world), NodeId(0), "rts");
        let mut world = World::new(&network, seed).unwrap();
        world.run_until(micros(rts + RTS + SIFS - 1));
        put(&mut world, 0, 5000.0);
        world.run_until(at(5));
        let line = time_line(&world);
        let over = first(&line, NodeId(1), "cts") + CTS + SIFS + DATA + 4;
        let begin = first(&line, NodeId(1), "rts");
        assert!(begin >= over + DIFS && (begin - over - DIFS).is_multiple_of(SLOT), "{line:?}");
        assert!((begin - over - DIFS) / SLOT < 31, "{line:?}");
    }
}

#[test]
fn in_ns2_data_after_a_cts_is_not_sent_on_a_busy_medium() {
    // 2 appears 400 m from 0 just after the RTS of 0, too late to sense it, and transmits during the CTS of 1, which is strong
    // enough to be received nevertheless.
    let mut met = 0;
    for seed in 1..40 {
        let flows = vec![datagram(NodeId(0), NodeId(1), 1000), datagram(NodeId(2), NodeId(3), 1300)];
        let mut network = line(&[0.0, 200.0, 5000.0, 5200.0], two_ray(ns2()), flows, 1);
        network.routing = hops();
        let mut world = World::new(&network, seed).unwrap();
        world.run_until(at(5));
        let apart = time_line(&world);
        let (cts, other) = (first(&apart, NodeId(1), "cts"), first(&apart, NodeId(2), "rts"));
        if !(cts + 1..cts + CTS).contains(&other) {
            continue;
        }
        let mut world = World::new(&network, seed).unwrap();
        world.run_until(micros(cts - 1));
        put(&mut world, 2, -400.0);
        world.run_until(at(100));
        world.audit();
        let line = time_line(&world);
        let own: Vec<_> =
            line.iter().filter(|(_, node, _)| *node == 0).take(2).map(|&(.., kind)| kind).collect();
        assert_eq!((own, first(&line, NodeId(2), "rts")), (vec!["rts", "rts"], other), "{line:?}");
        met += 1;
    }
    assert!(met > 3, "{met}");
}

#[test]
fn a_frame_is_discarded_after_seven_attempts() {
    for (mac, kind, attempts) in [(with_rts(), "rts", 7), (dcf::Config::default(), "data", 7)] {
        let mut network =
            line(&[0.0, 200.0], wlan(mac, 250.0), vec![datagram(NodeId(0), NodeId(1), 1000)], 1);
        network.routing = hops();
        let mut world = World::new(&network, 1).unwrap();
        put(&mut world, 1, 5000.0);
        world.run_until(Instant::NEVER);
        let line = time_line(&world);
        assert_eq!((line.len(), line[0]), (attempts, (1000, 0, kind)));
        // CW is 63, 127, 255, 511, 1023 and 1023 slots between the attempts.
        let length = if kind == "rts" { RTS } else { DATA };
        for (two, cw) in line.windows(2).zip([63, 127, 255, 511, 1023, 1023]) {
            let wait = two[1].0 - two[0].0 - length - TIMEOUT;
            assert!(wait.is_multiple_of(SLOT) && wait / SLOT <= cw, "{two:?}");
        }
        let results = world.finish();
        assert!(results.drops.contains(&(Cause::LinkFailure.word(), 1)), "{:?}", results.drops);
    }
}

#[test]
fn a_frame_above_the_rts_threshold_is_discarded_after_four_attempts() {
    // At 200 m the signal is weaker than the noise: RTS and CTS at 1 Mbit/s are received, data at 11 Mbit/s is not.
    let mut radio = two_ray(with_rts());
    radio.phy = phy::Config::Dsss(dsss::Config::default());
    radio.antenna.reception = antenna::Reception::Interference;
    radio.antenna.noise = phy::noise::Noise::Power(Power::from_watts(1.5e-9));
    let (line, results) = play(&[0.0, 200.0], radio, vec![datagram(NodeId(0), NodeId(1), 1000)], 1);
    let count = |kind| line.iter().filter(|&&(_, _, word)| word == kind).count();
    assert_eq!((count("rts"), count("cts"), count("data"), count("ack")), (4, 4, 4, 0));
    assert_eq!((results.drops, results.failed_attempts), (vec![("link_failure", 1)], vec![("bit_error", 4)]));
}

#[test]
fn backoff_is_frozen_while_others_send() {
    // 2 gets its datagram while 0 transmits, so it draws a backoff, as does 1. When 1 transmits first, the remaining backoff of 2
    // counts on after the exchange of 1.
    let begin = |with_one: bool, seed| {
        let mut flows = vec![datagram(NodeId(0), NodeId(3), 1000), datagram(NodeId(2), NodeId(3), 1100)];
        if with_one {
            flows.push(datagram(NodeId(1), NodeId(3), 1200));
        }
        let (line, _) = play(&[0.0, 50.0, 100.0, 150.0], wlan(dcf::Config::default(), 250.0), flows, seed);
        (line.iter().position(|&(_, node, _)| node == 1), first(&line, NodeId(2), "data"), line)
    };
    let end = 1000 + DATA + SIFS + ACK;
    let mut frozen = 0;
    for seed in 1..20 {
        let (_, alone, _) = begin(false, seed);
        let (place, among, line) = begin(true, seed);
        let one = line[place.expect("it sent")].0;
        if one < alone {
            let passed = (one - end - DIFS) / SLOT;
            let left = (alone - end - DIFS) / SLOT - passed;
            assert_eq!(among, one + DATA + SIFS + ACK + DIFS + left * SLOT, "{line:?}");
            frozen += 1;
        }
    }
    assert!(frozen > 3, "{frozen}");
}

#[test]
fn two_stations_that_transmit_in_the_same_slot_collide() {
    // Both draw a backoff while 2 transmits: of 32 pairs one is equal.
    let mut met = 0;
    for seed in 1..100 {
        let flows = vec![
            datagram(NodeId(2), NodeId(3), 1000),
            datagram(NodeId(0), NodeId(3), 1100),
            datagram(NodeId(1), NodeId(3), 1200),
        ];
        let places = [0.0, 50.0, 100.0, 150.0];
        let (line, results) = play(&places, wlan(dcf::Config::default(), 250.0), flows, seed);
        let (one, other) = (first(&line, NodeId(0), "data"), first(&line, NodeId(1), "data"));
        let has_met = one == other;
        assert!(has_met || one.abs_diff(other) > DATA + SIFS + ACK, "{line:?}");
        assert_eq!(results.failed_attempts.contains(&("collision", 2)), has_met, "{line:?}");
        assert!(results.flows.iter().all(|flow| flow.packets_delivered == 1));
        met += u32::from(has_met);
    }
    assert!((1..12).contains(&met), "{met}");
}

/// Microseconds per exchange of a saturated station with packets of 552 bytes.
fn exchange_micros(rate: dsss::Rate, has_rts: bool) -> f64 {
    let mac = dcf::Config {
        rts_threshold: Bytes(if has_rts { 0 } else { 3000 }),
        header: Bytes(34),
        ..dcf::Config::default()
    };
    let mut radio = wlan(mac, 250.0);
    radio.phy = phy::Config::Dsss(dsss::Config { rate, whole_microseconds: false, ..Default::default() });
    let source =
        app::constant_bit_rate::Config { rate: BitRate::from_bps(8_000_000), packet_size: Bytes(524) };
    let flows = vec![flow(NodeId(0), NodeId(1), app::Config::ConstantBitRate(source))];
    let mut network = line(&[0.0, 100.0], radio, flows, 10);
    network.routing = hops();
    10e6 / run(&network, 1).flows[0].packets_delivered as f64
}

#[test]
fn the_throughput_of_one_station_matches_the_closed_form() {
    for (rate, has_rts, expected) in [
        (dsss::Rate::One, false, 5554.0),
        (dsss::Rate::One, true, 6230.0),
        (dsss::Rate::Two, false, 3210.0),
        (dsss::Rate::Two, true, 3886.0),
        (dsss::Rate::Eleven, false, 1292.2),
        (dsss::Rate::Eleven, true, 1968.2),
    ] {
        let found = exchange_micros(rate, has_rts);
        assert!((found / expected - 1.0).abs() < 0.01, "{rate:?} {has_rts}: {found}");
    }
}
