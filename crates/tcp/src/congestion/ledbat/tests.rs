use super::super::testing::{Bench, loss};
use super::*;
use crate::congestion::arithmetic::WindowArithmetic;
use crate::congestion::{self, LossKind};

const MS: fn(u64) -> Duration = Duration::from_millis;

/// LEDBAT in congestion avoidance on a path of `base` ms each way.
fn on_path(config: Config, cwnd: f64, base: u64) -> Bench {
    let config = congestion::Config::Ledbat(config);
    let mut bench = Bench::with(&config, cwnd, WindowArithmetic::RFC);
    bench.window.ssthresh = 2.0;
    let ack =
        Ack { may_grow: false, acked: 0.0, one_way: Some(MS(base)), rtt: Some(MS(base)), ..bench.ack() };
    bench.member.on_ack(&mut bench.window, &ack);
    bench
}

/// The change of the window by an ACK of one segment when the newest four delays were `delay` ms.
fn change(bench: &mut Bench, delay: u64) -> f64 {
    let sample = Ack { one_way: Some(MS(delay)), rtt: Some(MS(delay)), ..bench.ack() };
    for _ in 0..3 {
        bench.member.on_ack(&mut bench.window, &Ack { acked: 0.0, may_grow: false, ..sample });
    }
    let before = bench.window.cwnd;
    bench.member.on_ack(&mut bench.window, &sample);
    bench.window.cwnd - before
}

#[test]
fn the_window_moves_by_gain_times_the_distance_from_the_target() {
    // off_target = (100 - queueing)/100; 1 segment per 20 acknowledged.
    for (delay, off_target) in [(50, 1.0), (75, 0.75), (100, 0.5), (150, 0.0), (200, -0.5), (350, -2.0)] {
        let mut bench = on_path(Config::default(), 20.0, 50);
        assert!((change(&mut bench, delay) - off_target / 20.0).abs() < 1e-12, "{delay}");
    }
    let config = Config { gain: Fraction(0.5), target: Some(MS(25)), ..Config::default() };
    assert!((change(&mut on_path(config, 20.0, 50), 55) - 0.5 * 0.8 / 20.0).abs() < 1e-12);
}

#[test]
fn one_low_sample_among_four_hides_a_queue() {
    let mut bench = on_path(Config::default(), 20.0, 50);
    change(&mut bench, 250);
    let sample = Ack { one_way: Some(MS(60)), ..bench.ack() };
    let before = bench.window.cwnd;
    bench.member.on_ack(&mut bench.window, &sample);
    assert!((bench.window.cwnd - before - 0.9 / before).abs() < 1e-12);
}

#[test]
fn the_window_is_bounded_by_the_flight_and_by_two_segments() {
    let mut bench = on_path(Config::default(), 20.0, 50);
    let ack = Ack { prior_flight: 10.0, one_way: Some(MS(50)), ..bench.ack() };
    bench.member.on_ack(&mut bench.window, &ack);
    assert_eq!(bench.window.cwnd, 11.0);
    let mut bench = on_path(Config::default(), 2.1, 50);
    change(&mut bench, 1000);
    assert_eq!(bench.window.cwnd, 2.0);
}

#[test]
fn the_start_has_two_segments_and_a_loss_halves() {
    let mut bench = Bench::new("ledbat", 10.0);
    bench.member.on_start(&mut bench.window, Instant::ZERO, MS(100));
    assert_eq!((bench.window.cwnd, bench.window.ssthresh), (2.0, 2.0));
    bench.window.cwnd = 30.0;
    bench.lose(&loss(LossKind::DuplicateAcks, 30.0));
    assert_eq!(bench.window.cwnd, 15.0);
    bench.lose(&loss(LossKind::Timeout, 15.0));
    assert_eq!(bench.window.cwnd, 1.0);
}

fn plus_plus() -> Config {
    Config { variant: Variant::PlusPlus, current_filter: 1, ..Config::default() }
}

/// One ACK of `segments` with a round trip of `rtt` ms.
fn ack(bench: &mut Bench, rtt: u64, segments: f64) {
    let ack = Ack { rtt: Some(MS(rtt)), acked: segments, ..bench.ack() };
    bench.member.on_ack(&mut bench.window, &ack);
}

/// LEDBAT++ that has left the initial slow start for congestion avoidance, long before its first slowdown.
fn avoiding(cwnd: f64, base: u64) -> Bench {
    let mut bench = on_path(plus_plus(), cwnd, base);
    ack(&mut bench, base, 1e-9);
    bench.window.cwnd = cwnd;
    bench
}

#[test]
fn plus_plus_starts_slowly_with_its_gain_until_three_quarters_of_the_target() {
    // GAIN = 1/min(16, ceil(120 ms/10 ms)); the numbers of ns-3's test of LEDBAT++: 3 segments of 12 parts each.
    let mut bench = on_path(plus_plus(), 10.0, 10);
    bench.window.ssthresh = 100.0;
    ack(&mut bench, 20, 3.0);
    assert!((bench.window.cwnd - 10.25).abs() < 1e-12);
    bench.window.cwnd = 10.0;
    // 50 ms of queueing are more than 45 ms: congestion avoidance from this ACK on.
    ack(&mut bench, 60, 3.0);
    assert!((bench.window.cwnd - (10.0 + 3.0 / 12.0 / 10.0)).abs() < 1e-12);
    assert_eq!(bench.window.ssthresh, 10.0);
}

#[test]
fn the_gain_of_plus_plus_is_between_a_sixteenth_and_one() {
    for (base, divisor) in
        [(1, 16.0), (7, 16.0), (8, 15.0), (10, 12.0), (20, 6.0), (60, 2.0), (120, 1.0), (500, 1.0)]
    {
        let mut bench = avoiding(10.0, base);
        ack(&mut bench, base, 1.0);
        assert!((bench.window.cwnd - (10.0 + 0.1 / divisor)).abs() < 1e-9, "{base}");
    }
}

#[test]
fn plus_plus_decreases_in_proportion_to_the_window_and_by_half_at_most() {
    // 20 ms of base: GAIN is 1/6; 20 % above the target: 10 (1/6 - 10 0.2) per 10 acknowledged.
    let mut bench = avoiding(10.0, 20);
    ack(&mut bench, 92, 1.0);
    assert!((bench.window.cwnd - (10.0 + (1.0 / 6.0 - 2.0) / 10.0)).abs() < 1e-9);
    // Three times the target: half a segment per segment.
    let mut bench = avoiding(10.0, 20);
    ack(&mut bench, 200, 1.0);
    assert!((bench.window.cwnd - 9.5).abs() < 1e-9);
    let mut bench = avoiding(3.0, 20);
    ack(&mut bench, 200, 3.0);
    assert_eq!(bench.window.cwnd, 2.0);
}

#[test]
fn plus_plus_slows_down_for_two_round_trips_and_again_after_nine_times_as_long() {
    let mut bench = on_path(plus_plus(), 10.0, 100);
    bench.window.ssthresh = 10.0;
    let at = |bench: &mut Bench, millis: u64| {
        bench.now = Instant::ZERO + MS(millis);
        ack(bench, 100, 1.0);
        bench.window.cwnd
    };
    // The initial slow start ends at 0; two round trips of 100 ms later the first slowdown.
    at(&mut bench, 0);
    assert!(at(&mut bench, 199) > 10.0);
    let before = bench.window.cwnd;
    assert_eq!(at(&mut bench, 200), 2.0);
    assert_eq!((at(&mut bench, 399), at(&mut bench, 400)), (2.0, 2.0));
    // Slow start: GAIN = 1/ceil(120/100) = 1/2 per segment, to the window before; that takes until 1200 ms.
    assert_eq!(at(&mut bench, 500), 2.5);
    for _ in 0..15 {
        at(&mut bench, 600);
    }
    assert_eq!(at(&mut bench, 1200), before);
    // It took 1 s, so that 9 s pass.
    assert!(at(&mut bench, 10_199) > before);
    assert_eq!(at(&mut bench, 10_200), 2.0);
}
