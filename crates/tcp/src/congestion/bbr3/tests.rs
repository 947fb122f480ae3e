use super::*;
use crate::congestion::arithmetic::WindowArithmetic;
use crate::congestion::testing::{Bench, loss, setup};
use crate::congestion::{PacketState, RateSample};
use farlink_kernel::BitRate;

mod behaviour;
mod cases;
mod path;

/// 10 Mbit/s in segments of 1500 B and 40 ms: 33.33 segments, 50 000 B.
const BANDWIDTH: f64 = 10e6 / 12_000.0;

/// A flow that knows the path above, with the pipe found full.
fn settled(config: &Config) -> (Bbr3, Window) {
    let mut bbr = Bbr3::new(config, &Setup { initial_window: 10.0, ..setup(WindowArithmetic::RFC) });
    let mut window = Window::new(100.0);
    bbr.on_start(&mut window, Instant::ZERO, Duration::from_millis(40));
    bbr.max_bw = [BANDWIDTH; 2];
    bbr.bw = BANDWIDTH;
    bbr.full_pipe.reached = true;
    window.cwnd = 100.0;
    (bbr, window)
}

fn draft() -> (Bbr3, Window) {
    settled(&Config::default())
}

fn linux() -> (Bbr3, Window) {
    settled(&Config::linux())
}

#[track_caller]
fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-3 * expected.abs().max(1e-3), "{found} is not {expected}");
}

fn in_state(state: State) -> Bbr3 {
    let (mut bbr, _) = draft();
    bbr.state = state;
    bbr
}

/// An ACK after `ms` of one segment that was sent when `prior` segments were delivered, at that rate.
fn ack(ms: u64, prior: f64, delivered: f64, rate: f64) -> Ack {
    let now = Instant::ZERO + Duration::from_millis(ms);
    let sample = delivered - prior;
    Ack {
        now,
        rate: Some(RateSample {
            delivered: sample,
            interval: Duration::from_secs_f64(sample / rate),
            prior_delivered: prior,
            app_limited: false,
        }),
        packet: Some(PacketState {
            prior_delivered: prior,
            delivered,
            tx_in_flight: 30.0,
            lost: 0.0,
            app_limited: false,
        }),
        rtt: Some(Duration::from_millis(40)),
        srtt: Duration::from_millis(40),
        flight: 30.0,
        prior_flight: 31.0,
        ..Bench::new("bbr3", 10.0).ack()
    }
}

#[test]
fn pacing_rates_are_gain_times_bandwidth_with_a_margin() {
    let states = [State::Startup, State::Drain, State::Down, State::Cruise, State::Refill, State::Up];
    for (state, mbps) in states.into_iter().zip([27.423, 4.950, 8.910, 9.900, 9.900, 12.375]) {
        let (mut bbr, mut window) = draft();
        bbr.state = state;
        bbr.pace(&mut window, Duration::from_millis(40));
        close(window.pacing_rate.unwrap().as_bps() as f64 / 1e6, mbps);
    }
}

#[test]
fn the_gains_are_those_of_the_table() {
    let table = [
        (State::Startup, 2.77, 2.0),
        (State::Drain, 0.5, 2.0),
        (State::Down, 0.9, 2.0),
        (State::Cruise, 1.0, 2.0),
        (State::Refill, 1.0, 2.0),
        (State::Up, 1.25, 2.25),
        (State::ProbeRtt, 1.0, 0.5),
    ];
    for (state, pacing, cwnd) in table {
        assert_eq!(in_state(state).gains(), (pacing, cwnd), "{state:?}");
    }
}

#[test]
fn a_quantum_is_a_millisecond_of_two_segments_to_64_kilobytes() {
    let (bbr, _) = draft();
    for (mbps, bytes) in [(1, 3000.0), (10, 3000.0), (24, 3000.0), (100, 12_500.0), (1000, 65_536.0)] {
        close(1500.0 * bbr.quantum_at(BitRate::from_bps(mbps * 1_000_000)), bytes);
    }
}

#[test]
fn what_may_be_in_flight_is_the_gain_times_the_pipe() {
    close(1500.0 * in_state(State::Cruise).max_inflight(), 100_000.0);
    close(1500.0 * in_state(State::Up).max_inflight(), 115_500.0);
}

#[test]
fn probe_rtt_holds_half_of_the_pipe_or_four_segments() {
    let mut bbr = in_state(State::ProbeRtt);
    close(1500.0 * bbr.probe_rtt_cwnd(), 25_000.0);
    bbr.bw = 3.0 / 0.04;
    close(1500.0 * bbr.probe_rtt_cwnd(), 6000.0);
}

#[test]
fn the_inflight_at_which_losses_crossed_the_threshold() {
    let (bbr, linux) = (draft().0, linux().0);
    let cases = [
        ((100.0, 3.0, 1.0), 98.980, 99.0),
        ((100.0, 5.0, 5.0), 96.939, 97.0),
        ((200.0, 8.0, 8.0), 195.918, 196.0),
    ];
    for ((tx, lost, size), of_draft, of_linux) in cases {
        assert!((bbr.inflight_at_loss(tx, lost, size) - of_draft).abs() < 1e-3);
        assert_eq!(linux.inflight_at_loss(tx, lost, size), of_linux);
    }
}

#[test]
fn two_percent_of_a_hundred_segments_are_two_in_the_draft_and_one_in_linux() {
    let (bbr, linux) = (draft().0, linux().0);
    assert!(!bbr.is_too_high(2.0, 100.0) && bbr.is_too_high(2.01, 100.0));
    assert!(!linux.is_too_high(1.0, 100.0) && linux.is_too_high(2.0, 100.0));
    // Without SACK any loss.
    let bbr = Bbr3 { has_sack: false, ..bbr };
    assert!(bbr.is_too_high(1.0, 100.0) && !bbr.is_too_high(0.0, 100.0));
}

#[test]
fn cruising_leaves_headroom() {
    let (mut bbr, mut linux) = (draft().0, linux().0);
    assert_eq!(bbr.inflight_with_headroom(), f64::INFINITY);
    for (longterm, of_draft, of_linux) in [(100.0, 85.0, 86.0), (4.0, 4.0, 4.0)] {
        bbr.long_term.inflight = longterm;
        linux.long_term.inflight = longterm;
        assert_eq!((bbr.inflight_with_headroom(), linux.inflight_with_headroom()), (of_draft, of_linux));
    }
}

#[test]
fn a_round_with_losses_keeps_seven_tenths_of_the_lower_bounds_or_what_was_delivered() {
    let (mut bbr, _) = draft();
    bbr.max_bw = [1.0; 2];
    let rounds = [((0.9, 55.0), (0.9, 55.0)), ((0.5, 30.0), (0.63, 38.5)), ((0.3, 20.0), (0.441, 26.95))];
    for ((bw_latest, inflight_latest), (bw, inflight)) in rounds {
        bbr.short_term.bw_latest = bw_latest;
        bbr.short_term.inflight_latest = inflight_latest;
        bbr.lower_bounds(67.0);
        close(bbr.short_term.bw, bw);
        close(bbr.short_term.inflight, inflight);
    }
}

/// What UP adds to the long-term bound per round with 100 segments acknowledged of a window of 100.
fn growth((mut bbr, window): (Bbr3, Window), rounds: u32) -> Vec<f64> {
    bbr.round.was_full = [true; 2];
    bbr.start_refill();
    bbr.state = State::Up;
    bbr.raise_slope(&window);
    bbr.round.started = true;
    let sample = bbr.sample(&Ack { delivered: 100.0, ..ack(0, 0.0, 1.0, BANDWIDTH) });
    let mut round = || {
        bbr.long_term.inflight = 100.0;
        bbr.long_term.acked = 0.0;
        bbr.adapt_long_term(&window, &sample);
        bbr.long_term.inflight - 100.0
    };
    (0..rounds).map(|_| round()).collect()
}

/// "In each successive round trip, inflight_longterm grows by 1, 2, 4, 8, 16, etc": in bytes the segments per increment are no
/// whole number. Linux divides whole segments, 100, 50, 25, 12, 6, 3, 1.
#[test]
fn up_raises_the_long_term_bound_by_twice_as_much_each_round() {
    assert_eq!(growth(draft(), 7), [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]);
    assert_eq!(growth(linux(), 7), [1.0, 2.0, 4.0, 8.0, 16.0, 33.0, 100.0]);
}

#[test]
fn the_pipe_is_full_after_three_rounds_without_growth_by_a_quarter() {
    let (mut bbr, _) = draft();
    bbr.full_pipe = FullPipe::default();
    bbr.round.started = true;
    let mut found = Vec::new();
    for rate in [10.0, 13.0, 14.0, 15.0, 16.0] {
        let sample = Sample { rate, ..bbr.sample(&ack(0, 0.0, 1.0, BANDWIDTH)) };
        bbr.check_full_pipe(&sample);
        found.push((bbr.full_pipe.bw, bbr.full_pipe.rounds, bbr.full_pipe.now));
    }
    let expected = [(10.0, 0, false), (13.0, 0, false), (13.0, 1, false), (13.0, 2, false), (13.0, 3, true)];
    assert_eq!(found, expected);
    assert!(bbr.full_pipe.reached);
}

#[test]
fn samples_that_the_application_limits_say_nothing_of_the_pipe() {
    let (mut bbr, _) = draft();
    bbr.full_pipe = FullPipe::default();
    bbr.round.started = true;
    for _ in 0..10 {
        let sample = Sample { app_limited: true, ..bbr.sample(&ack(0, 0.0, 1.0, BANDWIDTH)) };
        bbr.check_full_pipe(&sample);
    }
    assert_eq!((bbr.full_pipe.bw, bbr.full_pipe.rounds, bbr.full_pipe.reached), (0.0, 0, false));
}

#[test]
fn a_burst_exceeds_what_the_time_since_the_interval_began_delivers() {
    let (mut bbr, _) = draft();
    bbr.aggregation.restart(Instant::ZERO);
    let expected = 12_500.0;
    let mut bytes = 0.0;
    // 1500 B per millisecond, 250 B more than expected, then the rest at 10 ms: 20 000 B against 12 500 B.
    for ms in 0..10 {
        bytes += 1500.0;
        bbr.aggregate(&Ack { delivered: 1.0, ..ack(ms, 0.0, 1.0, BANDWIDTH) }, 100.0);
    }
    bbr.aggregate(&Ack { delivered: (20_000.0 - bytes) / 1500.0, ..ack(10, 0.0, 1.0, BANDWIDTH) }, 100.0);
    close(1500.0 * bbr.aggregation.most(), 20_000.0 - expected);
}

/// The least of the rounds of a small pipe and 63, drawn with 0 or 1 already gone; and 2 to 3 s.
#[test]
fn a_probe_waits_for_reno_s_rounds_or_for_two_to_three_seconds() {
    let (mut bbr, window) = draft();
    let mut begins = [false; 2];
    for _ in 0..100 {
        bbr.start_down(Instant::ZERO);
        begins[bbr.cycle.rounds as usize] = true;
        assert!(bbr.cycle.wait >= Duration::from_secs(2) && bbr.cycle.wait <= Duration::from_secs(3));
    }
    assert_eq!(begins, [true; 2]);
    for (pipe, rounds) in [(33.0, 33), (100.0, 63)] {
        bbr.bw = pipe / 0.04 + 1e-9;
        bbr.cycle.rounds = rounds - 1;
        assert!(!bbr.is_time_to_probe(&window, Instant::ZERO));
        bbr.cycle.rounds = rounds;
        assert!(bbr.is_time_to_probe(&window, Instant::ZERO));
    }
    bbr.cycle.rounds = 0;
    assert!(bbr.is_time_to_probe(&window, Instant::ZERO + bbr.cycle.wait + Duration::from_nanos(1)));
}

/// Vector of the section "Delivery Rate Samples": 30 segments, 40 ms of sending, 48 ms of ACKs.
#[test]
fn the_slower_of_sending_and_acknowledging_is_the_rate() {
    let sample = RateSample {
        delivered: 30.0,
        interval: Duration::from_millis(48),
        prior_delivered: 0.0,
        app_limited: false,
    };
    let bbr = draft().0;
    let ack = Ack { rate: Some(sample), ..ack(48, 0.0, 30.0, BANDWIDTH) };
    close(bbr.sample(&ack).rate * 12_000.0, 7.5e6);
}

#[test]
fn the_maximum_is_that_of_this_cycle_and_the_last() {
    let (mut bbr, _) = draft();
    bbr.max_bw = [0.0; 2];
    for (rate, limited, expected) in
        [(100.0, false, 100.0), (50.0, true, 100.0), (120.0, true, 120.0), (90.0, false, 120.0)]
    {
        let sample = Sample { rate, app_limited: limited, ..bbr.sample(&ack(0, 0.0, 1.0, BANDWIDTH)) };
        bbr.update_max_bw(&sample);
        assert_eq!(bbr.max_bw(), expected);
    }
    bbr.advance_max_bw();
    bbr.max_bw[1] = 80.0;
    assert_eq!(bbr.max_bw(), 120.0);
    bbr.advance_max_bw();
    assert_eq!(bbr.max_bw(), 80.0);
    // No sample in a cycle: the last ones stay.
    bbr.advance_max_bw();
    assert_eq!(bbr.max_bw(), 80.0);
}

fn lost(state: PacketState) -> LostPacket {
    LostPacket { now: Instant::ZERO, size: 1.0, state, continues: false, has_sack: true }
}

#[test]
fn a_probe_that_loses_too_much_sets_the_long_term_bound_once() {
    let (mut bbr, mut window) = draft();
    bbr.state = State::Up;
    bbr.cycle.is_sampled = true;
    let state = PacketState {
        prior_delivered: 900.0,
        delivered: 1000.0,
        tx_in_flight: 50.0,
        lost: 1.0,
        app_limited: false,
    };
    // 1 of 50 is 2 %: not more than the threshold.
    bbr.on_lost(&mut window, &lost(state));
    assert_eq!((bbr.state, bbr.long_term.inflight), (State::Up, f64::INFINITY));
    bbr.on_lost(&mut window, &lost(PacketState { lost: 2.0, ..state }));
    // 49 + (0.98 - 1)/0.98.
    close(bbr.long_term.inflight, 48.980);
    assert_eq!(bbr.state, State::Down);
    assert!(bbr.cycle.was_too_high && !bbr.cycle.is_sampled);
    bbr.on_lost(&mut window, &lost(PacketState { lost: 9.0, tx_in_flight: 30.0, ..state }));
    close(bbr.long_term.inflight, 48.980);
}

#[test]
fn the_long_term_bound_is_at_least_seven_tenths_of_the_pipe() {
    let (mut bbr, mut window) = draft();
    bbr.cycle.is_sampled = true;
    bbr.state = State::Refill;
    let state = PacketState {
        prior_delivered: 0.0,
        delivered: 10.0,
        tx_in_flight: 10.0,
        lost: 1.0,
        app_limited: false,
    };
    bbr.on_lost(&mut window, &lost(state));
    close(bbr.long_term.inflight, 0.7 * 33.333);
    assert_eq!(bbr.state, State::Refill);
}

#[test]
fn an_undo_restores_bounds_and_the_state_that_losses_ended() {
    let (mut bbr, mut window) = draft();
    bbr.state = State::Up;
    bbr.cycle.is_sampled = true;
    bbr.long_term.inflight = 80.0;
    let state = PacketState {
        prior_delivered: 0.0,
        delivered: 10.0,
        tx_in_flight: 60.0,
        lost: 5.0,
        app_limited: false,
    };
    bbr.on_lost(&mut window, &lost(state));
    bbr.on_congestion(&mut window, &loss(LossKind::Rack, 60.0));
    assert!(bbr.state == State::Down && bbr.long_term.inflight < 80.0);
    window.cwnd = 20.0;
    bbr.on_spurious(&mut window, &Saved { cwnd: 100.0, ssthresh: f64::INFINITY });
    assert_eq!((bbr.state, bbr.long_term.inflight, window.cwnd), (State::Refill, 80.0, 100.0));
    // Linux restores the bounds alone.
    let (mut linux, mut window) = linux();
    linux.state = State::Up;
    linux.cycle.is_sampled = true;
    linux.on_lost(&mut window, &lost(state));
    linux.on_spurious(&mut window, &Saved { cwnd: 100.0, ssthresh: f64::INFINITY });
    assert_eq!((linux.state, linux.long_term.inflight), (State::Down, f64::INFINITY));
}

/// Between fast recovery's begin and its end the model alone bounds the window; a timeout leaves one segment.
#[test]
fn a_recovery_ends_with_the_window_it_began_with() {
    let (mut bbr, mut window) = draft();
    bbr.on_congestion(&mut window, &loss(LossKind::DuplicateAcks, 50.0));
    assert_eq!(window.cwnd, 100.0);
    bbr.on_congestion(&mut window, &loss(LossKind::Timeout, 50.0));
    assert_eq!(window.cwnd, 1.0);
    bbr.on_recovery_end(&mut window, Instant::ZERO);
    assert_eq!(window.cwnd, 100.0);
}

#[test]
fn the_preset_of_linux_has_its_numbers() {
    let config = crate::preset::congestion_control(crate::config::Preset::Linux, "bbr3");
    assert_eq!(config, Some(crate::congestion::Config::Bbr3(Config::linux())));
    let linux = Config::linux();
    assert_eq!((linux.drain_pacing_gain, linux.probe_down_gain), (0.34375, 0.90625));
    close(linux.startup_pacing_gain, 2.7734);
    close(linux.loss_threshold.0, 0.019_531);
    close(linux.beta.0, 0.703_125);
    close(linux.headroom.0, 0.148_44);
}
