//! Protocols under water, frame by frame on a time line: frames cross in mid-water, and meet at listeners.
//!
//! Sound makes 1500 m/s, a frame takes a second, and what is between neighbours is 1500 or 1800 m.

use super::air::{line, one_datagram};
use super::*;
use crate::blueprint::Radio;
use crate::channel::propagation::{self, disc};
use crate::channel::propagation_speed::PropagationSpeed;
use crate::channel::propagation_speed::medwin::Medwin;
use crate::frame::FrameKind;
use crate::mac::{self, aloha, cs_aloha, slotted_fama, t_lohi, tdma, uw_csma};
use crate::packet::{Class, Payload as Carried};
use crate::phy::frequency::Frequency;
use crate::phy::noise::{Noise, Wenz};
use crate::phy::power::Power;
use crate::phy::{self, acoustic, antenna};
use crate::space::{Metres, Position, Speed};
use farlink_kernel::random::Stream;
use farlink_tcp::Ecn;

/// Control frames take 112 ms, a datagram of 111 bytes with its header of 14 a second.
const HEADER: Bytes = Bytes(14);
/// The longest propagation, and a guard that fills it up.
const LONGEST: Duration = Duration::from_millis(1200);

fn water(mac: mac::Config) -> Radio {
    let modem = acoustic::Config { rate: BitRate::from_bps(1000), ..Default::default() };
    Radio {
        propagation: propagation::Config::Disc(disc::Config { range: Metres(2000.0), ..Default::default() }),
        propagation_speed: PropagationSpeed::Constant(Speed(1500.0)),
        phy: phy::Config::Acoustic(modem),
        mac,
        ..Radio::default()
    }
}

/// When which node began to send what, in milliseconds, and what became of it.
type Line = Vec<(u64, NodeId, &'static str)>;

fn play(metres: &[f64], radio: Radio, flows: Vec<Flow>, seconds: u64) -> (Line, Results) {
    let mut world = World::new(&line(metres, radio, flows, seconds), 1).unwrap();
    for slice in 1..=seconds * 10 {
        world.run_until(at(slice * 100));
        world.audit();
    }
    let word = |kind| match kind {
        FrameKind::Data => "data",
        FrameKind::Acknowledgement { .. } => "ack",
        FrameKind::RequestToSend { .. } => "rts",
        FrameKind::ClearToSend { .. } => "cts",
        FrameKind::Tone => "tone",
    };
    let frames = world.airs[0].sent.iter();
    let line = frames.map(|(at, frame)| (at.as_nanos() / 1_000_000, frame.sender, word(frame.kind)));
    (line.collect(), world.finish())
}

fn delivered(results: &Results) -> Vec<u64> {
    results.flows.iter().map(|flow| flow.packets_delivered).collect()
}

/// Of two neighbours each has something for the other, at the same time.
fn to_each_other() -> Vec<Flow> {
    vec![one_datagram(0, 1, at(0)), one_datagram(1, 0, at(0))]
}

/// Of two nodes that do not hear each other each has something for the one between.
fn to_the_middle() -> Vec<Flow> {
    vec![one_datagram(0, 1, at(0)), one_datagram(2, 1, at(0))]
}

const NEIGHBOURS: [f64; 2] = [0.0, 1800.0];
const THREE: [f64; 3] = [0.0, 1500.0, 3000.0];

fn uw_csma(cw_min: u32, retries: u32) -> mac::Config {
    let config = uw_csma::Config {
        ifs: Duration::from_secs(3),
        slot: Duration::from_secs(3),
        cw_min,
        retries,
        max_propagation_delay: LONGEST,
        header: HEADER,
        ..Default::default()
    };
    mac::Config::UwCsma(config)
}

#[test]
fn uw_csma_frames_and_acknowledgements_cross_in_mid_water() {
    // Each has sent for a second when the other's first bit arrives.
    let (line, results) = play(&NEIGHBOURS, water(uw_csma(0, 7)), to_each_other(), 20);
    let acknowledged = 3000 + 1000 + 1200;
    assert_eq!(
        line,
        [(3000, 0, "data"), (3000, 1, "data"), (acknowledged, 1, "ack"), (acknowledged, 0, "ack")]
    );
    assert_eq!((delivered(&results), results.failed_attempts), (vec![1, 1], vec![]));
}

#[test]
fn uw_csma_frames_that_meet_at_a_listener_are_lost_and_sent_again() {
    let (_, results) = play(&THREE, water(uw_csma(0, 0)), to_the_middle(), 20);
    assert_eq!((delivered(&results), results.failed_attempts), (vec![0, 0], vec![("collision", 2)]));
    assert_eq!(results.drops, [("link_failure", 2)]);
    let (line, results) = play(&THREE, water(uw_csma(4, 7)), to_the_middle(), 200);
    assert_eq!(delivered(&results), [1, 1], "{line:?}");
}

#[test]
fn uw_csma_counts_its_slots_only_while_nobody_is_heard() {
    // Node 1 draws more slots than node 0; while the frame and its answer pass they stand still.
    let flows = || vec![one_datagram(0, 2, at(0)), one_datagram(1, 2, at(0))];
    let (line, results) = play(&[0.0, 150.0, 300.0], water(uw_csma(4, 7)), flows(), 100);
    let data: Vec<_> = line.iter().filter(|(_, _, word)| *word == "data").collect();
    assert_eq!((data.len(), delivered(&results)), (2, vec![1, 1]), "{line:?}");
    let [(first, ..), (second, ..)] = data[..] else { panic!() };
    // Idle were: the space and the slots of the first, then the space again and the slots that were left.
    let heard_for = 1000 + 200 + 112 + 100;
    let (drawn_first, waited) = (first - 3000, second - first - heard_for - 3000);
    assert_eq!(drawn_first % 3000, 0);
    assert!(waited % 3000 < 300, "{line:?}");
}

fn cs_aloha(listen_ms: u64, retries: u32) -> mac::Config {
    let config = cs_aloha::Config { listen: ms(listen_ms), retries, header: HEADER, ..Default::default() };
    mac::Config::CsAloha(config)
}

#[test]
fn cs_aloha_frames_cross_in_mid_water_and_collide_where_they_meet() {
    let (line, results) = play(&NEIGHBOURS, water(cs_aloha(1, 5)), to_each_other(), 20);
    assert_eq!(line.iter().map(|frame| frame.2).collect::<Vec<_>>(), ["data", "data", "ack", "ack"]);
    assert_eq!((delivered(&results), results.failed_attempts), (vec![1, 1], vec![]));
    let (_, results) = play(&THREE, water(cs_aloha(1, 0)), to_the_middle(), 20);
    assert_eq!((delivered(&results), results.failed_attempts), (vec![0, 0], vec![("collision", 2)]));
    let (_, results) = play(&THREE, water(cs_aloha(500, 5)), to_the_middle(), 300);
    assert_eq!(delivered(&results), [1, 1]);
}

#[test]
fn cs_aloha_does_not_talk_into_a_frame_it_hears() {
    // 150 m away a frame is heard from 0.1 s on; who has a packet at 0.5 s waits until it is over.
    let flows = vec![one_datagram(0, 2, at(0)), one_datagram(1, 2, at(500))];
    let config = cs_aloha::Config { acknowledge: false, listen: ms(1), header: HEADER, ..Default::default() };
    let (line, results) = play(&[0.0, 150.0, 300.0], water(mac::Config::CsAloha(config)), flows, 20);
    assert_eq!((delivered(&results), results.drops), (vec![1, 1], vec![]));
    assert!(line[0] == (0, 0, "data") && (1100..1102).contains(&line[1].0), "{line:?}");
}

fn slotted_fama() -> mac::Config {
    let guard = ms(88);
    let config =
        slotted_fama::Config { max_propagation_delay: LONGEST, guard, header: HEADER, ..Default::default() };
    mac::Config::SlottedFama(config)
}

/// Of slotted FAMA: 1.2 s of propagation, 112 ms of a control frame, 88 ms of guard.
const SLOT: u64 = 1400;

#[test]
fn slotted_fama_asks_is_answered_sends_and_is_acknowledged_slot_by_slot() {
    let flows = vec![one_datagram(0, 1, at(100))];
    let (line, results) = play(&NEIGHBOURS, water(slotted_fama()), flows, 20);
    // The frame takes a second and 1.2 s on its way: two slots.
    let expected = [(SLOT, 0, "rts"), (2 * SLOT, 1, "cts"), (3 * SLOT, 0, "data"), (5 * SLOT, 1, "ack")];
    assert_eq!((&line[..], delivered(&results)), (&expected[..], vec![1]));
}

#[test]
fn slotted_fama_requests_that_cross_are_heard_and_asked_again() {
    let (line, results) = play(&NEIGHBOURS, water(slotted_fama()), to_each_other(), 100);
    assert_eq!(line[..2], [(0, 0, "rts"), (0, 1, "rts")]);
    assert!(line.iter().all(|(at, ..)| at % SLOT == 0), "{line:?}");
    assert_eq!(
        (delivered(&results), results.failed_attempts.iter().any(|(cause, _)| *cause == "collision")),
        (vec![1, 1], false)
    );
}

#[test]
fn slotted_fama_requests_that_meet_collide_and_data_do_not() {
    let (line, results) = play(&THREE, water(slotted_fama()), to_the_middle(), 100);
    assert_eq!(line[..2], [(0, 0, "rts"), (0, 2, "rts")]);
    assert_eq!(delivered(&results), [1, 1]);
    assert_eq!(
        line.iter().filter(|(.., word)| *word == "data").count(),
        2,
        "no data are sent in vain: {line:?}"
    );
}

#[test]
fn slotted_fama_keeps_still_while_others_talk() {
    // Node 2 hears the answer that node 1 gives to node 0, and asks only when all is over.
    let flows = vec![one_datagram(0, 1, at(0)), one_datagram(2, 1, at(2 * SLOT))];
    let (line, results) = play(&THREE, water(slotted_fama()), flows, 40);
    let expected =
        [(0, 0, "rts"), (SLOT, 1, "cts"), (2 * SLOT, 0, "data"), (4 * SLOT, 1, "ack"), (5 * SLOT, 2, "rts")];
    assert_eq!((&line[..5], delivered(&results)), (&expected[..], vec![1, 1]));
}

#[test]
fn slotted_fama_with_slots_of_centuries_waits() {
    let centuries = Duration::from_secs(3_000_000_000);
    let config =
        slotted_fama::Config { max_propagation_delay: centuries, guard: centuries, ..Default::default() };
    let (line, _) = play(&NEIGHBOURS, water(mac::Config::SlottedFama(config)), to_each_other(), 20);
    assert_eq!(line, [(0, 0, "rts"), (0, 1, "rts")]);
}

fn t_lohi(rounds: t_lohi::Rounds) -> mac::Config {
    mac::Config::TLohi(t_lohi::Config {
        rounds,
        max_propagation_delay: LONGEST,
        tone: HEADER,
        header: HEADER,
    })
}

/// Of T-Lohi: 1.2 s of propagation and 112 ms of a tone.
const ROUND: u64 = 1312;

#[test]
fn t_lohi_sends_after_a_round_in_which_nobody_else_is_heard() {
    for (rounds, begins, lasts) in [
        (t_lohi::Rounds::Synchronised, ROUND, ROUND),
        (t_lohi::Rounds::Conservative, 100, 2 * ROUND),
        (t_lohi::Rounds::Aggressive, 100, ROUND),
    ] {
        let (line, results) = play(&NEIGHBOURS, water(t_lohi(rounds)), vec![one_datagram(0, 1, at(100))], 20);
        assert_eq!(line, [(begins, 0, "tone"), (begins + lasts, 0, "data")]);
        assert_eq!(delivered(&results), [1]);
    }
}

#[test]
fn t_lohi_tones_that_cross_are_heard_and_both_try_again() {
    for rounds in [t_lohi::Rounds::Synchronised, t_lohi::Rounds::Conservative, t_lohi::Rounds::Aggressive] {
        let (line, results) = play(&NEIGHBOURS, water(t_lohi(rounds)), to_each_other(), 100);
        assert_eq!(line[..2], [(0, 0, "tone"), (0, 1, "tone")]);
        assert_eq!((delivered(&results), results.drops), (vec![1, 1], vec![]), "{line:?}");
    }
}

#[test]
fn t_lohi_frames_of_who_does_not_hear_the_others_tone_collide() {
    let (line, results) = play(&THREE, water(t_lohi(t_lohi::Rounds::Synchronised)), to_the_middle(), 20);
    assert_eq!(line, [(0, 0, "tone"), (0, 2, "tone"), (ROUND, 0, "data"), (ROUND, 2, "data")]);
    assert_eq!((delivered(&results), results.drops), (vec![0, 0], vec![("collision", 2)]));
}

fn tdma(slots: Option<u32>) -> mac::Config {
    let (longest, guard) = (Bytes(111), ms(300));
    mac::Config::Tdma(tdma::Config {
        max_packet_size: longest,
        max_propagation_delay: LONGEST,
        guard,
        slots,
        header: HEADER,
    })
}

#[test]
fn tdma_stations_send_in_their_slots_and_nothing_collides() {
    // A slot: a second of frame, 1.2 s of propagation, 0.3 s of guard.
    let (line, results) = play(&THREE, water(tdma(None)), to_the_middle(), 20);
    assert_eq!(line, [(0, 0, "data"), (5000, 2, "data")]);
    assert_eq!((delivered(&results), results.drops), (vec![1, 1], vec![]));
    // Whose slot has begun waits for the next.
    let (line, _) = play(&NEIGHBOURS, water(tdma(None)), vec![one_datagram(0, 1, at(1))], 20);
    assert_eq!(line, [(5000, 0, "data")]);
}

#[test]
fn tdma_stations_that_share_a_slot_cross_in_mid_water_and_collide_where_they_meet() {
    let (line, results) = play(&NEIGHBOURS, water(tdma(Some(1))), to_each_other(), 20);
    assert_eq!((&line[..], delivered(&results)), (&[(0, 0, "data"), (0, 1, "data")][..], vec![1, 1]));
    let (_, results) = play(&THREE, water(tdma(Some(1))), to_the_middle(), 20);
    assert_eq!((delivered(&results), results.drops), (vec![0, 0], vec![("collision", 2)]));
}

#[test]
fn aloha_frames_and_acknowledgements_cross_in_mid_water_and_collide_where_they_meet() {
    let aloha = |retries| aloha::Config { timeout: ms(2600), retries, ..Default::default() };
    let (line, results) = play(&NEIGHBOURS, water(mac::Config::Aloha(aloha(7))), to_each_other(), 20);
    assert_eq!(line, [(0, 0, "data"), (0, 1, "data"), (2200, 1, "ack"), (2200, 0, "ack")]);
    assert_eq!((delivered(&results), results.failed_attempts), (vec![1, 1], vec![]));
    let (_, results) = play(&THREE, water(mac::Config::Aloha(aloha(0))), to_the_middle(), 20);
    assert_eq!((delivered(&results), results.failed_attempts), (vec![0, 0], vec![("collision", 2)]));
}

#[test]
fn a_modem_that_turns_around_is_deaf_before_and_after_its_frames() {
    let mut radio = water(mac::Config::Aloha(air::unacknowledged()));
    let turnaround = ms(250);
    let modem = acoustic::Config { rate: BitRate::from_bps(1000), turnaround, ..Default::default() };
    radio.phy = phy::Config::Acoustic(modem);
    // A frame that is taken at 0 leaves from 0.25 s to 1.25 s, arrives 1.2 s later, and its sender is deaf to 1.5 s.
    for (start, expected) in [(0, [0, 0]), (51, [0, 1]), (3000, [1, 1])] {
        let flows = vec![one_datagram(0, 1, at(0)), one_datagram(1, 0, at(start))];
        let (_, results) = play(&NEIGHBOURS, radio.clone(), flows, 20);
        assert_eq!(delivered(&results), expected, "{start}");
    }
}

/// A datagram of so many bytes at a station for node 0, out of nothing.
fn inject(world: &mut World, station: NodeId, number: u32, size: u32) {
    let packet = Packet {
        number: 0,
        flow: 0,
        source: station,
        destination: 0,
        to: End::Receiver,
        class: Class::Data,
        ecn: Ecn::NotCapable,
        hop_limit: Packet::HOP_LIMIT,
        attempt: 0,
        is_try: false,
        interface: Packet::NOWHERE,
        size,
        first_sent: world.context.now,
        offset: u64::from(number),
        header: None,
        payload: Carried::Datagram(size - 28),
    };
    world.inject(station, station, packet);
}

#[test]
fn one_hop_loses_the_share_of_frames_that_the_closed_form_says() {
    // 25 kHz, a band of 50 kHz, ships and no wind; FSK at 150 kbit/s over 70 m.
    let frequency = Frequency::from_hertz(25_000.0);
    let wenz = Wenz { frequency, ..Wenz::default() };
    let path_loss = propagation::acoustic::Config { frequency, ..Default::default() };
    for source_level in [114.0, 114.5, 115.0] {
        let snr_db = source_level
            - path_loss.attenuation_db(Metres(70.0))
            - wenz.density_db()
            - 10.0 * libm::log10(wenz.bandwidth.hertz);
        let eb_n0 = libm::pow(10.0, snr_db / 10.0) * wenz.bandwidth.hertz / 150_000.0;
        let bit_error_rate = 0.5 * libm::exp(-eb_n0 / 2.0);
        let (bytes, frames) = (552, 20_000);
        let expected = libm::pow(1.0 - bit_error_rate, 8.0 * f64::from(bytes));
        let mut radio =
            water(mac::Config::Csma(mac::csma::Config { header: Bytes(0), ..Default::default() }));
        radio.phy = phy::Config::Acoustic(acoustic::Config {
            modulation: acoustic::Modulation::Fsk,
            ..Default::default()
        });
        radio.propagation = propagation::Config::Acoustic(path_loss.clone());
        radio.antenna = antenna::Config {
            power: Power::from_source_level(source_level),
            receive_threshold: Power::from_source_level(60.0),
            carrier_sense_threshold: Power::from_source_level(60.0),
            reception: antenna::Reception::Interference,
            noise: Noise::Wenz(wenz.clone()),
            ..Default::default()
        };
        let scene = line(&[0.0, 70.0], radio, vec![one_datagram(1, 0, Instant::NEVER)], 3000);
        let mut world = World::new(&scene, 1).unwrap();
        for frame in 0..frames {
            world.run_until(at(u64::from(frame) * 100));
            inject(&mut world, 1, frame, bytes);
        }
        world.run_until(Instant::NEVER);
        let arrived = world.context.packets.account(Class::Data).delivered as f64 / f64::from(frames);
        // Four standard deviations.
        let off = 4.0 * (expected * (1.0 - expected) / f64::from(frames)).sqrt();
        assert!((0.05..0.99).contains(&expected) && (arrived - expected).abs() < off, "{arrived} {expected}");
    }
}

#[test]
fn frames_take_the_integral_of_the_slowness_between_two_depths() {
    let mut radio = water(mac::Config::Aloha(aloha::Config { timeout: ms(5000), ..Default::default() }));
    let medwin = Medwin { temperature_c: 4.0, ..Medwin::default() };
    radio.propagation_speed = PropagationSpeed::Medwin(medwin.clone());
    let mut scene = line(&[0.0, 900.0], radio, vec![one_datagram(0, 1, at(0))], 20);
    (scene.nodes[0].position.z, scene.nodes[1].position.z) = (Metres(-100.0), Metres(-1300.0));
    let mut world = World::new(&scene, 1).unwrap();
    world.run_until(at(20_000));
    // Over 1500 m, from 100 to 1300 m of depth, c grows evenly.
    let (top, bottom) = (medwin.speed_at(-100.0), medwin.speed_at(-1300.0));
    let way = 1500.0 * libm::log(bottom / top) / (bottom - top);
    let answered = world.airs[0].sent[1].0.as_secs_f64();
    assert!((answered - 1.0 - way).abs() < 2e-9, "{answered} {way}");
}

/// A sink, and stations around it at equal distances, which get packets in turn as a Poisson process has it: which
/// share of the time carries frames that arrive, when `offered` frames begin in the time of one.
fn throughput(offered: f64, slot: Option<Duration>) -> f64 {
    const STATIONS: u32 = 40;
    let config = aloha::Config { slot, ..air::unacknowledged() };
    let flows = vec![one_datagram(1, 0, Instant::NEVER)];
    let frames = 60_000;
    let mut scene = line(
        &[0.0; STATIONS as usize + 1],
        water(mac::Config::Aloha(config)),
        flows,
        u64::MAX / 2_000_000_000,
    );
    for (node, number) in scene.nodes[1..].iter_mut().zip(0..) {
        let angle = f64::from(number) / f64::from(STATIONS) * std::f64::consts::TAU;
        let (x, y) = (Metres(1500.0 * libm::cos(angle)), Metres(1500.0 * libm::sin(angle)));
        node.position = Position { x, y, z: Metres(0.0) };
    }
    let mut world = World::new(&scene, 1).unwrap();
    let mut stream = Stream::new(7, "offered load", 0);
    let mut now = Instant::ZERO;
    for frame in 0..frames {
        now += Duration::from_secs_f64(-libm::log(1.0 - stream.uniform()) / offered);
        world.run_until(now);
        let station = 1 + frame % STATIONS;
        inject(&mut world, station, frame, 111);
    }
    world.run_until(now + Duration::from_secs(10));
    let arrived = world.context.packets.account(Class::Data).delivered;
    arrived as f64 / now.as_secs_f64()
}

#[test]
fn aloha_carries_g_exp_minus_2g_and_with_slots_g_exp_minus_g() {
    for offered in [0.1, 0.5, 1.0] {
        let pure = throughput(offered, None) / (offered * libm::exp(-2.0 * offered));
        let slotted = throughput(offered, Some(Duration::from_secs(1))) / (offered * libm::exp(-offered));
        assert!(
            (0.97..1.03).contains(&pure) && (0.97..1.03).contains(&slotted),
            "{offered}: {pure} {slotted}"
        );
    }
}
