//! Two connections and a link between them, in virtual time.

use farlink_kernel::{Bytes, Duration, Instant};

use super::*;
use crate::amount::Amount;
use crate::config::{
    Config, DelayedAck, EcnMode, Handshake, InitialSsthresh, InitialWindow, MaxWindowOf, Preset, SlowStart,
};
use crate::segment::{Ecn, Flags};
use crate::seq::SeqNumber;
use crate::window::Window;
use crate::{congestion, recovery, route_failure};

mod discards;
mod fast_open;
mod freeze;
mod linux;
mod one_way;
mod pair;
mod reduction;
mod round_trips;

use pair::Pair;

fn config(recovery: &str) -> Config {
    Config {
        segment_size: Bytes(1000),
        initial_window: InitialWindow::Fixed(Amount::Packets(10)),
        delayed_ack: DelayedAck::Off,
        recovery: recovery::Config::named(recovery).expect("a registered recovery"),
        min_rto: Duration::from_millis(200),
        ..Config::default()
    }
}

const RECOVERIES: &[&str] = recovery::Config::NAMES;

#[test]
fn a_file_arrives_and_both_ends_close() {
    let mut pair = Pair::new(&config("sack"));
    pair.client.write(Instant::ZERO, 123_456);
    pair.client.close(Instant::ZERO);
    pair.run_for(Duration::from_secs(3));
    assert_eq!(pair.received, 123_456);
    assert_eq!((pair.client.state(), pair.server.state()), (State::FinWait2, State::CloseWait));
    pair.server.close(pair.now);
    pair.run_for(Duration::from_secs(1));
    assert_eq!((pair.client.state(), pair.server.state()), (State::TimeWait, State::Closed));
    pair.run_for(Duration::from_secs(61));
    assert_eq!(pair.client.state(), State::Closed);
    assert_eq!(pair.client.counters().retransmissions, 0);
}

#[test]
fn every_recovery_repairs_every_pattern_of_losses() {
    for name in RECOVERIES {
        for pattern in 0..64u64 {
            let mut pair = Pair::new(&config(name));
            pair.lost =
                (0..6).filter(|bit| pattern >> bit & 1 == 1).map(|bit| 8 + bit * (1 + pattern % 5)).collect();
            pair.client.write(Instant::ZERO, 60_000);
            pair.run_for(Duration::from_secs(120));
            assert_eq!(pair.received, 60_000, "{name}, losses {:?}", pair.lost);
            assert!(pair.client.counters().retransmissions >= pair.lost.len() as u64, "{name}");
        }
    }
}

#[test]
fn one_loss_is_repaired_without_a_timeout_in_one_round_trip() {
    for name in RECOVERIES {
        let mut pair = Pair::new(&config(name));
        pair.lost = vec![11];
        pair.client.write(Instant::ZERO, 60_000);
        pair.run_for(Duration::from_secs(10));
        let counters = pair.client.counters();
        assert_eq!(pair.received, 60_000, "{name}");
        assert_eq!(
            (counters.timeouts, counters.fast_retransmits, counters.retransmissions),
            (0, 1, 1),
            "{name}"
        );
    }
}

#[test]
fn after_recovery_the_window_grows_from_half() {
    for name in RECOVERIES {
        let mut pair = Pair::new(&config(name));
        pair.lost = vec![40];
        pair.client.write(Instant::ZERO, 10_000_000);
        while pair.client.counters().fast_retransmits == 0 {
            pair.run_for(Duration::from_millis(1));
        }
        let half = pair.client.sample().window.ssthresh;
        pair.run_for(Duration::from_millis(250));
        let cwnd = pair.client.sample().window.cwnd;
        assert!((half..half + 3.0).contains(&cwnd), "{name}: {cwnd}, half was {half}");
    }
}

#[test]
fn bbr_finds_new_bandwidth_however_recovery_would_bound_it() {
    for name in ["sack", "prr", "rack"] {
        let bbr = congestion::Config::named("bbr").expect("registered");
        let mut pair = Pair::new(&Config { congestion_control: bbr, ..config(name) });
        pair.service = Duration::from_millis(1);
        pair.client.write(Instant::ZERO, 100_000_000);
        let arrived = |pair: &mut Pair| {
            pair.run_for(Duration::from_secs(3));
            let before = pair.client.sample().snd_una;
            pair.run_for(Duration::from_secs(1));
            pair.client.sample().snd_una - before
        };
        let narrow = arrived(&mut pair);
        pair.service = Duration::from_micros(250);
        // So many losses that one recovery follows the other.
        pair.lost = (pair.data_sent + 1..).step_by(50).take(1_000).collect();
        let wide = arrived(&mut pair);
        assert!(5 * wide > 6 * narrow, "{name}: {narrow} bytes/s, then {wide}");
    }
}

#[test]
fn slow_start_doubles_per_round_trip() {
    let mut pair = Pair::new(&config("sack"));
    pair.client.write(Instant::ZERO, 10_000_000);
    pair.run_for(Duration::from_millis(449));
    // The handshake takes 100 ms; then 10, 20, 40 and 80 segments leave.
    assert_eq!(pair.data_sent, 150);
    assert_eq!(pair.client.sample().window.cwnd, 80.0);
}

#[test]
fn a_lost_syn_is_retransmitted_after_one_second_and_data_start_with_one_segment() {
    let mut pair = Pair::new(&config("sack"));
    pair.client.write(Instant::ZERO, 5_000);
    let lost = pair.client.poll_transmit(Instant::ZERO).expect("a SYN");
    assert!(lost.segment.flags.has(Flags::SYN));
    pair.run_for(Duration::from_millis(1_140));
    let syn = pair.trace.first().expect("a retransmitted SYN");
    assert_eq!((syn.0, syn.1.is_retransmission), (Instant::ZERO + Duration::from_secs(1), true));
    let counters = pair.client.counters();
    assert_eq!((pair.data_sent, counters.data_segments_sent, counters.retransmissions), (1, 1, 1));
    assert!(pair.client.sample().rto >= Duration::from_secs(3));
}

#[test]
fn linux_retransmits_a_syn_four_times_before_it_doubles_the_time() {
    let mut client = Connection::new(&Config::preset(Preset::Linux), Role::Active, SeqNumber(0), 1);
    client.open(Instant::ZERO);
    let mut sent_at = Vec::new();
    let mut now = Instant::ZERO;
    for _ in 0..9 {
        client.on_deadline(now);
        if client.poll_transmit(now).is_some() {
            sent_at.push(now.saturating_since(Instant::ZERO).as_secs_f64());
        }
        now = client.deadline();
    }
    assert_eq!(sent_at, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 11.0, 19.0]);
}

#[test]
fn the_window_is_clamped_by_the_user() {
    let config = Config { max_window: Some(Amount::Packets(4)), ..config("sack") };
    let mut pair = Pair::new(&config);
    pair.client.write(Instant::ZERO, 1_000_000);
    pair.run_for(Duration::from_millis(1_140));
    assert_eq!(pair.data_sent, 4 * 10 + 4);
    let account = pair.client.limited_by(pair.now);
    assert_eq!(account.total(), pair.now - Instant::ZERO);
    assert!(account.of(Cause::MaxWindow) > Duration::from_millis(900), "{account:?}");
}

#[test]
fn a_clamp_on_the_flight_leaves_room_for_new_data_behind_a_hole() {
    for (bound, beyond) in [(MaxWindowOf::Unacknowledged, false), (MaxWindowOf::InFlight, true)] {
        let clamped = Config {
            max_window: Some(Amount::Packets(8)),
            max_window_of: bound,
            initial_window: InitialWindow::Fixed(Amount::Packets(8)),
            ..config("rate_halving")
        };
        let mut pair = Pair::new(&clamped);
        pair.client.write(Instant::ZERO, 1_000_000);
        pair.lost = vec![1];
        let mut most = 0;
        for _ in 0..100 {
            pair.run_for(Duration::from_millis(10));
            let sample = pair.client.sample();
            most = most.max(sample.snd_nxt - sample.snd_una);
        }
        assert_eq!(most > 8 * 1_000, beyond, "{bound:?}: {most}");
    }
}

#[test]
fn a_shut_window_is_probed_until_it_opens() {
    let config = Config { receive_buffer: Bytes(5_000), ..config("sack") };
    let mut pair = Pair::new(&config);
    pair.server.pause_reading(Instant::ZERO, true);
    pair.client.write(Instant::ZERO, 50_000);
    pair.run_for(Duration::from_secs(20));
    assert_eq!((pair.received, pair.client.counters().timeouts), (5_000, 0));
    let probes = pair.trace.iter().filter(|(_, transmit)| transmit.segment.len == 0).count();
    assert!((3..20).contains(&probes), "{probes} probes");
    pair.server.pause_reading(pair.now, false);
    pair.run_for(Duration::from_secs(5));
    assert_eq!(pair.received, 50_000);
}

#[test]
fn a_silent_network_is_met_with_doubling_timeouts() {
    let mut pair = Pair::new(&config("sack"));
    pair.client.write(Instant::ZERO, 20_000);
    pair.run_for(Duration::from_millis(140));
    pair.lost = (1..100).collect();
    pair.wire.clear();
    pair.run_for(Duration::from_secs(30));
    let sent: Vec<_> = pair.trace.iter().filter(|(_, t)| t.is_retransmission).map(|(at, _)| *at).collect();
    let gaps: Vec<_> = sent.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(gaps.len() >= 4, "{gaps:?}");
    assert!(gaps.windows(2).all(|pair| pair[1] == pair[0] * 2), "{gaps:?}");
    assert_eq!(pair.client.sample().window.cwnd, 1.0);
}

#[test]
fn an_ecn_mark_halves_the_window_once_and_is_echoed_until_answered() {
    let config = Config { ecn: EcnMode::Classic, ..config("sack") };
    let mut pair = Pair::new(&config);
    pair.client.write(Instant::ZERO, 1_000_000);
    pair.run_for(Duration::from_millis(140));
    assert_eq!(pair.wire.values().filter(|(to_server, t)| *to_server && t.ecn == Ecn::Ect0).count(), 10);
    for (to_server, transmit) in pair.wire.values_mut() {
        if *to_server {
            transmit.ecn = Ecn::Experienced;
        }
    }
    let before = pair.client.sample().window.cwnd;
    pair.run_for(Duration::from_millis(95));
    let after = pair.client.sample().window;
    assert!(after.cwnd < 0.8 * before, "{before} to {after:?}");
    assert_eq!(pair.client.counters().retransmissions, 0);
    assert!(pair.trace.iter().any(|(_, t)| t.segment.flags.has(Flags::CWR) && t.segment.len > 0));
}

#[test]
fn sequence_numbers_wrap() {
    let mut pair = Pair::new(&config("sack"));
    pair.lost = vec![3, 9, 14];
    pair.client.write(Instant::ZERO, 100_000);
    pair.run_for(Duration::from_secs(10));
    assert!(pair.trace.iter().any(|(_, t)| t.segment.seq.0 > u32::MAX - 5_000));
    assert!(pair.trace.iter().any(|(_, t)| t.segment.seq.0 < 90_000));
    assert_eq!(pair.received, 100_000);
}

/// A window is in flight when the link stalls for two seconds, then delivers everything.
fn stall(config: &Config) -> Pair {
    let mut pair = Pair::new(config);
    pair.client.write(Instant::ZERO, 400_000);
    pair.run_for(Duration::from_millis(240));
    pair.stalled_until = pair.now + Duration::from_secs(2);
    let stalled = std::mem::take(&mut pair.wire);
    pair.wire = stalled.into_iter().map(|((_, n), sent)| ((pair.stalled_until, n), sent)).collect();
    pair.run_for(Duration::from_secs(60));
    assert_eq!(pair.received, 400_000);
    pair
}

#[test]
fn a_spurious_timeout_is_found_and_taken_back() {
    let base = config("sack");
    let ways = [
        ("none", base.clone(), 0),
        ("f_rto", Config { f_rto: true, ..base.clone() }, 1),
        ("eifel", Config { eifel: true, ..base.clone() }, 1),
    ];
    let mut retransmissions = Vec::new();
    for (name, config, spurious) in ways {
        let pair = stall(&config);
        assert_eq!(pair.client.counters().spurious, spurious, "{name}");
        retransmissions.push(pair.client.counters().retransmissions);
    }
    assert!(
        retransmissions[1] < retransmissions[0] && retransmissions[2] < retransmissions[0],
        "{retransmissions:?}"
    );
}

#[test]
fn a_timeout_after_a_real_loss_is_not_taken_back() {
    for config in [Config { f_rto: true, ..config("sack") }, Config { eifel: true, ..config("sack") }] {
        let mut pair = Pair::new(&config);
        pair.client.write(Instant::ZERO, 400_000);
        pair.run_for(Duration::from_millis(240));
        pair.wire.clear();
        pair.run_for(Duration::from_secs(60));
        assert_eq!((pair.received, pair.client.counters().spurious), (400_000, 0));
    }
}

#[test]
fn f_rto_without_acks_of_new_segments_ends_at_the_timeout() {
    let config = Config { f_rto: true, ..config("sack") };
    let mut pair = Pair::new(&config);
    pair.client.write(Instant::ZERO, 400_000);
    pair.run_for(Duration::from_millis(240));
    pair.wire.clear();
    // After the timeout the first retransmission arrives; the new segments that are to follow do not.
    pair.lost = (pair.data_sent + 2..pair.data_sent + 6).collect();
    pair.run_for(Duration::from_secs(60));
    assert_eq!((pair.received, pair.client.counters().spurious), (400_000, 0));
}

#[test]
fn duplicates_reported_for_every_retransmission_undo_a_fast_retransmit() {
    let config = Config { dsack_undo: true, ..config("sack") };
    let mut pair = Pair::new(&config);
    pair.client.write(Instant::ZERO, 400_000);
    pair.run_for(Duration::from_millis(240));
    // One segment is overtaken by four others.
    let first = pair.wire.iter().find(|(_, (to_server, _))| *to_server).map(|(key, _)| *key).expect("data");
    let late = pair.wire.remove(&first).expect("data");
    pair.wire.insert((first.0 + Duration::from_millis(20), first.1), late);
    let before = pair.client.sample().window.cwnd;
    pair.run_for(Duration::from_secs(1));
    assert_eq!((pair.client.counters().fast_retransmits, pair.client.counters().spurious), (1, 1));
    assert!(pair.client.sample().window.cwnd >= before);
}

/// Runs over a bottleneck of one segment per millisecond for a while; gives cwnd and ssthresh.
fn over_bottleneck(config: &Config, millis: u64) -> Window {
    let mut pair = Pair::new(config);
    pair.service = Duration::from_millis(1);
    pair.client.write(Instant::ZERO, 100_000_000);
    pair.run_for(Duration::from_millis(millis));
    pair.client.sample().window
}

#[test]
fn hystart_leaves_slow_start_when_the_round_trip_grows() {
    let standard = over_bottleneck(&config("sack"), 4_000);
    let hystart = Config { slow_start: SlowStart::HystartPlusPlus, ..config("sack") };
    let hystart = over_bottleneck(&hystart, 4_000);
    assert!(standard.ssthresh.is_infinite() && hystart.ssthresh.is_finite());
    // 100 ms hold 100 segments; slow start left within a few rounds after that, each growing by a quarter.
    assert!(
        (100.0..1_200.0).contains(&hystart.ssthresh) && 2.0 * hystart.cwnd < standard.cwnd,
        "{hystart:?}"
    );
}

#[test]
fn a_packet_pair_gives_the_first_threshold() {
    let hoe = Config { initial_ssthresh: InitialSsthresh::Hoe, ..config("sack") };
    let window = over_bottleneck(&hoe, 300);
    assert!((90.0..110.0).contains(&window.ssthresh), "{window:?}");
}

#[test]
fn the_first_segments_leave_without_pacing_if_configured() {
    for (unpaced_segments, expected) in [(0, 1), (4, 4), (100, 10)] {
        let config = Config { pacing: true, unpaced_segments, ..Config::default() };
        let mut pair = Pair::new(&config);
        pair.client.write(Instant::ZERO, 100_000);
        pair.run_for(Duration::from_millis(150));
        let sent: Vec<_> =
            pair.trace.iter().filter(|(_, sent)| sent.segment.len > 0).map(|(at, _)| *at).collect();
        let at_once = sent.iter().filter(|&&at| at == sent[0]).count();
        assert_eq!(at_once, expected, "{unpaced_segments}");
    }
}

#[test]
fn the_first_pause_has_no_credit_for_segments_that_left_unpaced() {
    let config = Config { pacing: true, pacing_credit: true, unpaced_segments: 4, ..Config::default() };
    let mut pair = Pair::new(&config);
    pair.client.write(Instant::ZERO, 100_000);
    pair.run_for(Duration::from_millis(150));
    let sent: Vec<_> =
        pair.trace.iter().filter(|(_, sent)| sent.segment.len > 0).map(|(at, _)| *at).collect();
    // Four at once; the fifth waits as long after the fourth as the sixth after the fifth.
    assert_eq!(sent[0], sent[3]);
    assert!(sent[4] > sent[3]);
    assert_eq!(sent[4] - sent[3], sent[5] - sent[4]);
}

#[test]
fn a_send_buffer_of_any_size_lets_all_data_through() {
    for preset in [Preset::Rfc, Preset::Linux] {
        for bytes in [1, 700, 1248, 1500, 2000, 2495, 3000, 4608, 9000, 70_000] {
            for segment in [536, 1448, 8960] {
                let config = Config {
                    send_buffer: Some(Bytes(bytes)),
                    send_autotuning: false,
                    segment_size: Bytes(segment),
                    // The window ends within a segment.
                    receive_buffer: Bytes(30_001),
                    ..Config::preset(preset)
                };
                let mut pair = Pair::new(&config);
                pair.lost = vec![3, 10, 11];
                pair.client.write(Instant::ZERO, 100_001);
                pair.run_for(Duration::from_secs(300));
                assert_eq!(pair.received, 100_001, "{preset:?}, {bytes} B, segments of {segment} B");
            }
        }
    }
}
