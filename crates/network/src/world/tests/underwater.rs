//! MACs for underwater acoustic channels on a time line: frames that cross in the water, and collide at receivers.
//!
//! The sound speed is 1500 m/s, a frame lasts a second, neighbours are 1500 or 1800 m apart.

use super::shared_channel::{line, one_datagram};
use super::*;
use crate::blueprint::Radio;
use crate::channel::propagation::{self, disc};
use crate::channel::propagation_speed::PropagationSpeed;
use crate::frame::FrameKind;
use crate::ids::NodeId;
use crate::mac::{self, aloha, cs_aloha, slotted_fama, t_lohi, tdma, uw_csma};
use crate::phy::{self, acoustic};
use crate::space::{Metres, Speed};

/// Control frames last 112 ms, a datagram of 111 bytes with its header of 14 bytes a second.
const HEADER: Bytes = Bytes(14);
/// The longest propagation delay.
const MAX_PROPAGATION: Duration = Duration::from_millis(1200);

pub(super) fn underwater(mac: mac::Config) -> Radio {
    let modem = acoustic::Config { rate: BitRate::from_bps(1000), ..Default::default() };
    Radio {
        propagation: propagation::Config::Disc(disc::Config { range: Metres(2000.0), ..Default::default() }),
        propagation_speed: PropagationSpeed::Constant(Speed(1500.0)),
        phy: phy::Config::Acoustic(modem),
        mac,
        ..Radio::default()
    }
}

/// Start of each frame in milliseconds, sender and kind.
type TimeLine = Vec<(u64, u32, &'static str)>;

fn play(metres: &[f64], radio: Radio, flows: Vec<Flow>, seconds: u64) -> (TimeLine, Results) {
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
    let frames = world.channels[0].frame_log.iter();
    let line = frames.map(|(at, frame)| (at.as_nanos() / 1_000_000, frame.sender.0, word(frame.kind)));
    (line.collect(), world.finish())
}

fn delivered(results: &Results) -> Vec<u64> {
    results.flows.iter().map(|flow| flow.packets_delivered).collect()
}

/// Two neighbours have a datagram for each other at the same time.
fn to_each_other() -> Vec<Flow> {
    vec![one_datagram(NodeId(0), NodeId(1), at(0)), one_datagram(NodeId(1), NodeId(0), at(0))]
}

/// Two nodes out of range of each other have a datagram for the node between them.
fn to_the_middle() -> Vec<Flow> {
    vec![one_datagram(NodeId(0), NodeId(1), at(0)), one_datagram(NodeId(2), NodeId(1), at(0))]
}

const NEIGHBOURS: [f64; 2] = [0.0, 1800.0];
const THREE: [f64; 3] = [0.0, 1500.0, 3000.0];

fn uw_csma(cw_min: u32, retries: u32) -> mac::Config {
    let config = uw_csma::Config {
        ifs: Duration::from_secs(3),
        slot: Duration::from_secs(3),
        cw_min,
        retries,
        max_propagation_delay: MAX_PROPAGATION,
        header: HEADER,
        ..Default::default()
    };
    mac::Config::UwCsma(config)
}

#[test]
fn uw_csma_frames_and_acknowledgements_cross_in_the_water() {
    // Each has transmitted for a second when the other's frame arrives.
    let (line, results) = play(&NEIGHBOURS, underwater(uw_csma(0, 7)), to_each_other(), 20);
    let acknowledged = 3000 + 1000 + 1200;
    assert_eq!(
        line,
        [(3000, 0, "data"), (3000, 1, "data"), (acknowledged, 1, "ack"), (acknowledged, 0, "ack")]
    );
    assert_eq!((delivered(&results), results.failed_attempts), (vec![1, 1], vec![]));
}

#[test]
fn uw_csma_retransmits_frames_that_collide_at_a_receiver() {
    let (_, results) = play(&THREE, underwater(uw_csma(0, 0)), to_the_middle(), 20);
    assert_eq!((delivered(&results), results.failed_attempts), (vec![0, 0], vec![("collision", 2)]));
    assert_eq!(results.drops, [("link_failure", 2)]);
    let (line, results) = play(&THREE, underwater(uw_csma(4, 7)), to_the_middle(), 200);
    assert_eq!(delivered(&results), [1, 1], "{line:?}");
}

#[test]
fn uw_csma_freezes_its_backoff_while_the_medium_is_busy() {
    // Node 1 draws a longer backoff than node 0; it is frozen during the frame and its acknowledgement.
    let flows = || vec![one_datagram(NodeId(0), NodeId(2), at(0)), one_datagram(NodeId(1), NodeId(2), at(0))];
    let (line, results) = play(&[0.0, 150.0, 300.0], underwater(uw_csma(4, 7)), flows(), 100);
    let data: Vec<_> = line.iter().filter(|(_, _, word)| *word == "data").collect();
    assert_eq!((data.len(), delivered(&results)), (2, vec![1, 1]), "{line:?}");
    let [(first, ..), (second, ..)] = data[..] else { panic!() };
    // Idle were: the space and the backoff of the first, then the space again and the remaining backoff of the second.
    let busy_for = 1000 + 200 + 112 + 100;
    let (drawn_first, waited) = (first - 3000, second - first - busy_for - 3000);
    assert_eq!(drawn_first % 3000, 0);
    assert!(waited % 3000 < 300, "{line:?}");
}

fn cs_aloha(listen_ms: u64, retries: u32) -> mac::Config {
    let config = cs_aloha::Config { listen: ms(listen_ms), retries, header: HEADER, ..Default::default() };
    mac::Config::CsAloha(config)
}

#[test]
fn cs_aloha_frames_cross_in_the_water_and_collide_at_a_receiver() {
    let (line, results) = play(&NEIGHBOURS, underwater(cs_aloha(1, 5)), to_each_other(), 20);
    assert_eq!(line.iter().map(|frame| frame.2).collect::<Vec<_>>(), ["data", "data", "ack", "ack"]);
    assert_eq!((delivered(&results), results.failed_attempts), (vec![1, 1], vec![]));
    let (_, results) = play(&THREE, underwater(cs_aloha(1, 0)), to_the_middle(), 20);
    assert_eq!((delivered(&results), results.failed_attempts), (vec![0, 0], vec![("collision", 2)]));
    let (_, results) = play(&THREE, underwater(cs_aloha(500, 5)), to_the_middle(), 300);
    assert_eq!(delivered(&results), [1, 1]);
}

#[test]
fn cs_aloha_defers_to_a_carrier_it_senses() {
    // 150 m away the carrier is sensed from 0.1 s on; a packet queued at 0.5 s waits until it is over.
    let flows = vec![one_datagram(NodeId(0), NodeId(2), at(0)), one_datagram(NodeId(1), NodeId(2), at(500))];
    let config = cs_aloha::Config { acknowledge: false, listen: ms(1), header: HEADER, ..Default::default() };
    let (line, results) = play(&[0.0, 150.0, 300.0], underwater(mac::Config::CsAloha(config)), flows, 20);
    assert_eq!((delivered(&results), results.drops), (vec![1, 1], vec![]));
    assert!(line[0] == (0, 0, "data") && (1100..1102).contains(&line[1].0), "{line:?}");
}

fn slotted_fama() -> mac::Config {
    let guard = ms(88);
    let config = slotted_fama::Config {
        max_propagation_delay: MAX_PROPAGATION,
        guard,
        header: HEADER,
        ..Default::default()
    };
    mac::Config::SlottedFama(config)
}

/// Slot of slotted FAMA: 1.2 s of propagation, 112 ms of a control frame, 88 ms of guard.
const SLOT: u64 = 1400;

#[test]
fn slotted_fama_sends_rts_cts_data_and_acknowledgement_in_slots() {
    let flows = vec![one_datagram(NodeId(0), NodeId(1), at(100))];
    let (line, results) = play(&NEIGHBOURS, underwater(slotted_fama()), flows, 20);
    // The data lasts a second and propagates for 1.2 s: two slots.
    let expected = [(SLOT, 0, "rts"), (2 * SLOT, 1, "cts"), (3 * SLOT, 0, "data"), (5 * SLOT, 1, "ack")];
    assert_eq!((&line[..], delivered(&results)), (&expected[..], vec![1]));
}

#[test]
fn slotted_fama_rts_that_cross_are_received_and_repeated() {
    let (line, results) = play(&NEIGHBOURS, underwater(slotted_fama()), to_each_other(), 100);
    assert_eq!(line[..2], [(0, 0, "rts"), (0, 1, "rts")]);
    assert!(line.iter().all(|(at, ..)| at % SLOT == 0), "{line:?}");
    assert_eq!(
        (delivered(&results), results.failed_attempts.iter().any(|(cause, _)| *cause == "collision")),
        (vec![1, 1], false)
    );
}

#[test]
fn slotted_fama_rts_collide_and_data_do_not() {
    let (line, results) = play(&THREE, underwater(slotted_fama()), to_the_middle(), 100);
    assert_eq!(line[..2], [(0, 0, "rts"), (0, 2, "rts")]);
    assert_eq!(delivered(&results), [1, 1]);
    assert_eq!(line.iter().filter(|(.., word)| *word == "data").count(), 2, "no data is lost: {line:?}");
}

#[test]
fn slotted_fama_defers_while_its_nav_is_set() {
    // Node 2 overhears the CTS of node 1 to node 0, and sends its RTS when the exchange is over.
    let flows =
        vec![one_datagram(NodeId(0), NodeId(1), at(0)), one_datagram(NodeId(2), NodeId(1), at(2 * SLOT))];
    let (line, results) = play(&THREE, underwater(slotted_fama()), flows, 40);
    let expected =
        [(0, 0, "rts"), (SLOT, 1, "cts"), (2 * SLOT, 0, "data"), (4 * SLOT, 1, "ack"), (5 * SLOT, 2, "rts")];
    assert_eq!((&line[..5], delivered(&results)), (&expected[..], vec![1, 1]));
}

#[test]
fn slotted_fama_with_slots_of_centuries_waits() {
    let centuries = Duration::from_secs(3_000_000_000);
    let config =
        slotted_fama::Config { max_propagation_delay: centuries, guard: centuries, ..Default::default() };
    let (line, _) = play(&NEIGHBOURS, underwater(mac::Config::SlottedFama(config)), to_each_other(), 20);
    assert_eq!(line, [(0, 0, "rts"), (0, 1, "rts")]);
}

fn t_lohi(rounds: t_lohi::Rounds) -> mac::Config {
    mac::Config::TLohi(t_lohi::Config {
        rounds,
        max_propagation_delay: MAX_PROPAGATION,
        tone: HEADER,
        header: HEADER,
    })
}

/// Contention round of T-Lohi: 1.2 s of propagation and 112 ms of a tone.
const ROUND: u64 = 1312;

#[test]
fn t_lohi_sends_after_a_round_without_another_tone() {
    for (rounds, begins, lasts) in [
        (t_lohi::Rounds::Synchronised, ROUND, ROUND),
        (t_lohi::Rounds::Conservative, 100, 2 * ROUND),
        (t_lohi::Rounds::Aggressive, 100, ROUND),
    ] {
        let (line, results) = play(
            &NEIGHBOURS,
            underwater(t_lohi(rounds)),
            vec![one_datagram(NodeId(0), NodeId(1), at(100))],
            20,
        );
        assert_eq!(line, [(begins, 0, "tone"), (begins + lasts, 0, "data")]);
        assert_eq!(delivered(&results), [1]);
    }
}

#[test]
fn t_lohi_stations_back_off_when_their_tones_cross() {
    for rounds in [t_lohi::Rounds::Synchronised, t_lohi::Rounds::Conservative, t_lohi::Rounds::Aggressive] {
        let (line, results) = play(&NEIGHBOURS, underwater(t_lohi(rounds)), to_each_other(), 100);
        assert_eq!(line[..2], [(0, 0, "tone"), (0, 1, "tone")]);
        assert_eq!((delivered(&results), results.drops), (vec![1, 1], vec![]), "{line:?}");
    }
}

#[test]
fn t_lohi_frames_of_hidden_terminals_collide() {
    let (line, results) = play(&THREE, underwater(t_lohi(t_lohi::Rounds::Synchronised)), to_the_middle(), 20);
    assert_eq!(line, [(0, 0, "tone"), (0, 2, "tone"), (ROUND, 0, "data"), (ROUND, 2, "data")]);
    assert_eq!((delivered(&results), results.drops), (vec![0, 0], vec![("collision", 2)]));
}

fn tdma(slots: Option<u32>) -> mac::Config {
    let (longest, guard) = (Bytes(111), ms(300));
    mac::Config::Tdma(tdma::Config {
        max_packet_size: longest,
        max_propagation_delay: MAX_PROPAGATION,
        guard,
        slots,
        header: HEADER,
    })
}

#[test]
fn tdma_stations_transmit_in_their_slots_without_collisions() {
    // A slot: a second of frame, 1.2 s of propagation, 0.3 s of guard.
    let (line, results) = play(&THREE, underwater(tdma(None)), to_the_middle(), 20);
    assert_eq!(line, [(0, 0, "data"), (5000, 2, "data")]);
    assert_eq!((delivered(&results), results.drops), (vec![1, 1], vec![]));
    // A packet that is queued after the start of the slot waits for the next.
    let (line, _) =
        play(&NEIGHBOURS, underwater(tdma(None)), vec![one_datagram(NodeId(0), NodeId(1), at(1))], 20);
    assert_eq!(line, [(5000, 0, "data")]);
}

#[test]
fn tdma_frames_in_a_shared_slot_cross_in_the_water_and_collide_at_a_receiver() {
    let (line, results) = play(&NEIGHBOURS, underwater(tdma(Some(1))), to_each_other(), 20);
    assert_eq!((&line[..], delivered(&results)), (&[(0, 0, "data"), (0, 1, "data")][..], vec![1, 1]));
    let (_, results) = play(&THREE, underwater(tdma(Some(1))), to_the_middle(), 20);
    assert_eq!((delivered(&results), results.drops), (vec![0, 0], vec![("collision", 2)]));
}

#[test]
fn aloha_frames_and_acknowledgements_cross_in_the_water_and_collide_at_a_receiver() {
    let aloha = |retries| aloha::Config { timeout: ms(2600), retries, ..Default::default() };
    let (line, results) = play(&NEIGHBOURS, underwater(mac::Config::Aloha(aloha(7))), to_each_other(), 20);
    assert_eq!(line, [(0, 0, "data"), (0, 1, "data"), (2200, 1, "ack"), (2200, 0, "ack")]);
    assert_eq!((delivered(&results), results.failed_attempts), (vec![1, 1], vec![]));
    let (_, results) = play(&THREE, underwater(mac::Config::Aloha(aloha(0))), to_the_middle(), 20);
    assert_eq!((delivered(&results), results.failed_attempts), (vec![0, 0], vec![("collision", 2)]));
}

#[test]
fn a_modem_receives_nothing_during_its_turnaround() {
    let mut radio = underwater(mac::Config::Aloha(shared_channel::unacknowledged()));
    let turnaround = ms(250);
    let modem = acoustic::Config { rate: BitRate::from_bps(1000), turnaround, ..Default::default() };
    radio.phy = phy::Config::Acoustic(modem);
    // A frame queued at 0 is transmitted from 0.25 s to 1.25 s and arrives 1.2 s later; its sender receives nothing until 1.5 s.
    for (start, expected) in [(0, [0, 0]), (51, [0, 1]), (3000, [1, 1])] {
        let flows =
            vec![one_datagram(NodeId(0), NodeId(1), at(0)), one_datagram(NodeId(1), NodeId(0), at(start))];
        let (_, results) = play(&NEIGHBOURS, radio.clone(), flows, 20);
        assert_eq!(delivered(&results), expected, "{start}");
    }
}
