use super::super::LossKind;
use super::super::testing::{Bench, loss};
use super::*;

const MS: fn(u64) -> Duration = Duration::from_millis;

/// One ACK at a time in ms whose one-way delay was `delay` ms; the window after it.
fn at(bench: &mut Bench, now: u64, delay: u64) -> f64 {
    bench.now = Instant::ZERO + MS(now);
    let ack = Ack { one_way: Some(MS(delay)), ..bench.ack() };
    bench.member.on_ack(&mut bench.window, &ack);
    bench.window.cwnd
}

/// TCP-LP in congestion avoidance after it has seen delays from 50 to 150 ms and a smoothed one of 50 ms again.
fn settled(cwnd: f64) -> Bench {
    let mut bench = Bench::new("lp", 2.0);
    bench.window.ssthresh = 2.0;
    at(&mut bench, 0, 50);
    at(&mut bench, 1, 150);
    for now in 2..1_000 {
        at(&mut bench, now, 50);
    }
    bench.window.cwnd = cwnd;
    bench
}

#[test]
fn an_eighth_of_a_delay_enters_the_smoothed_one() {
    let mut bench = settled(20.0);
    at(&mut bench, 1_000, 90);
    let expected = [("sd_ms", 55.0), ("d_min_ms", 50.0), ("d_max_ms", 150.0)];
    for ((name, found), (expected_name, value)) in bench.member.observe().into_iter().zip(expected) {
        assert!(name == expected_name && (found - value).abs() < 1e-9, "{name} {found}");
    }
}

#[test]
fn delays_beyond_15_percent_of_their_range_halve_once_and_then_leave_one_segment() {
    let mut bench = settled(20.0);
    // 50 + (160 - 50)/8 is 63.75; the threshold 50 + 0.15 (160 - 50) is 66.5.
    assert!(at(&mut bench, 1_000, 160) > 20.0);
    let before = bench.window.cwnd;
    assert_eq!(at(&mut bench, 1_001, 160), before / 2.0);
    // For a round trip of 100 ms nothing more, and for three no growth.
    assert_eq!(at(&mut bench, 1_100, 160), before / 2.0);
    assert_eq!(at(&mut bench, 1_101, 160), 1.0);
}

#[test]
fn growth_waits_for_three_round_trips_after_an_indication() {
    let mut bench = settled(20.0);
    at(&mut bench, 1_000, 160);
    let halved = at(&mut bench, 1_001, 160);
    // 100 ACKs later the smoothed delay is below the threshold.
    (0..100).for_each(|_| assert_eq!(at(&mut bench, 1_050, 50), halved));
    assert_eq!(at(&mut bench, 1_300, 50), halved);
    assert!((at(&mut bench, 1_301, 50) - halved - 1.0 / halved).abs() < 1e-12);
}

#[test]
fn a_loss_halves_as_renos() {
    let mut bench = settled(20.0);
    bench.lose(&loss(LossKind::DuplicateAcks, 20.0));
    assert_eq!((bench.window.cwnd, bench.window.ssthresh), (10.0, 10.0));
}
