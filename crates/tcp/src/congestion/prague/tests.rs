//! Worked numbers of the module's equations, and Prague on a step.

use super::super::testing::{Bench, loss};
use super::*;

/// Prague at work on a path of `rtt`, out of slow start for long.
fn prague(rtt: Duration, cwnd: f64) -> (Bench, Prague) {
    let mut bench = Bench::new("reno", cwnd);
    (bench.rtt, bench.min_rtt, bench.window.ssthresh) = (rtt, rtt, cwnd);
    let setup = super::super::testing::setup(super::super::arithmetic::WindowArithmetic::RFC);
    let mut member = Prague::new(&Config::default(), &setup);
    member.on_ecn_negotiated(EcnFeedback::Accurate);
    member.on_start(&mut bench.window, bench.now, rtt);
    member.age = 100;
    (bench, member)
}

const MS: fn(u64) -> Duration = Duration::from_millis;

#[test]
fn alpha_is_the_average_of_the_marked_share() {
    let (mut bench, mut member) = prague(MS(25), 50.0);
    member.has_seen_mark = true;
    for (marked, delivered, expected) in
        [(5.0, 50.0, 0.00625), (0.0, 52.0, 0.005_859), (10.0, 50.0, 0.017_993)]
    {
        bench.now += MS(25);
        let ack = Ack { delivered, acked: delivered, marked, flight: 0.0, may_grow: false, ..bench.ack() };
        member.on_ack(&mut bench.window, &ack);
        assert!((member.alpha - expected).abs() < 1e-6, "{} {expected}", member.alpha);
    }
}

#[test]
fn marks_reduce_by_half_of_alpha_once_per_round_trip() {
    let (mut bench, mut member) = prague(MS(25), 50.0);
    (member.has_seen_mark, member.alpha) = (true, 0.08);
    bench.now += MS(25);
    let ack = Ack { marked: 1.0, ..bench.ack() };
    for _ in 0..49 {
        member.on_ack(&mut bench.window, &ack);
        assert_eq!((member.fractional * 1e9).round() / 1e9, 48.0);
    }
    assert_eq!((bench.window.cwnd, bench.window.ssthresh), (48.0, 48.0), "by a segment per ACK");
}

/// In a round, growth by the unmarked packets and half of alpha of the window cancel at W = 2 (1/p - 1).
#[test]
fn growth_and_reduction_cancel_at_the_window_of_the_equation() {
    // Rates with packets of 1500 B. At p = 0.5 and above W is no more than the least window.
    for (p, mbps) in [(0.1_f64, 8.64_f64), (0.01, 95.04)] {
        let expected: f64 = 2.0 * (1.0 / p - 1.0);
        assert!((expected * 12_000.0 / 0.025 / 1e6 - mbps).abs() < 1e-9);
        let (mut bench, mut member) = prague(MS(25), expected);
        (member.has_seen_mark, member.alpha) = (true, p);
        bench.now += MS(25);
        let ack = Ack { delivered: expected, acked: expected, marked: p * expected, ..bench.ack() };
        member.on_ack(&mut bench.window, &ack);
        assert!((member.fractional / expected - 1.0).abs() < 0.01, "{} {expected}", member.fractional);
    }
}

#[test]
fn growth_is_scaled_below_25_ms() {
    for (rtt, expected) in [(1, 0.0016), (10, 0.16), (25, 1.0), (60, 1.0)] {
        let (mut bench, mut member) = prague(MS(rtt), 1000.0);
        for _ in 0..1000 {
            let ack = bench.ack();
            member.on_ack(&mut bench.window, &ack);
        }
        let growth = member.fractional - 1000.0;
        assert!((growth - expected).abs() < 1e-3 * expected, "{rtt} ms: {growth} {expected}");
    }
}

#[test]
fn the_first_mark_ends_slow_start_and_halves() {
    let (mut bench, mut member) = prague(MS(25), 10.0);
    bench.window.ssthresh = f64::INFINITY;
    let ack = bench.ack();
    (0..30).for_each(|_| member.on_ack(&mut bench.window, &ack));
    assert_eq!((bench.window.cwnd, member.fractional), (40.0, 40.0));
    // Twice a window of 1500 bytes per round trip.
    assert_eq!(bench.window.pacing_rate, Some(BitRate::from_bps(2 * 40 * 1500 * 8 * 40)));
    member.on_ack(&mut bench.window, &Ack { marked: 1.0, ..ack });
    assert_eq!((member.fractional, member.alpha), (20.0, 0.0));
    let ack = Ack { marked: 1.0, flight: 20.0, ..bench.ack() };
    (0..19).for_each(|_| member.on_ack(&mut bench.window, &ack));
    assert_eq!(bench.window.cwnd, 20.0);
    assert!(!bench.window.in_slow_start());
}

#[test]
fn a_loss_halves_and_nothing_grows_until_it_is_repaired() {
    let (mut bench, mut member) = prague(MS(30), 50.0);
    member.on_congestion(&mut bench.window, &loss(LossKind::DuplicateAcks, 50.0));
    assert_eq!((bench.window.cwnd, bench.window.ssthresh, member.fractional), (25.0, 25.0, 25.0));
    let ack = Ack { may_grow: false, in_recovery: true, ..bench.ack() };
    member.on_ack(&mut bench.window, &ack);
    assert_eq!(member.fractional, 25.0);
    member.on_recovery_end(&mut bench.window, bench.now);
    let ack = bench.ack();
    member.on_ack(&mut bench.window, &ack);
    assert_eq!((member.fractional, bench.window.cwnd), (25.04, 26.0));
    member.on_spurious(&mut bench.window, &Saved { cwnd: 50.0, ssthresh: 50.0 });
    assert_eq!((member.fractional, bench.window.cwnd), (50.0, 50.0));
}

/// Below 25 ms the rate depends on marks and not on the round trip. The module's rate equation, 2 (1 - p)/p segments per 25 ms,
/// holds for a reduction every 25 ms. Of marks that come every 1/p segments each second or each third reduces, as two of them
/// take more than 25 ms or less. With r segments per 25 ms and every n-th mark, r p/2 = (1 - p) n/(r p).
#[test]
fn the_rate_depends_on_marks_and_not_on_the_round_trip() {
    for rtt in [5, 10, 25] {
        // One of so many packets is marked, at equal distances.
        for every in [10u32, 40] {
            let (mut bench, mut member) = prague(MS(rtt), 20.0);
            member.has_seen_mark = true;
            let (mut count, mut packets) = (0, 0.0);
            let mut warm = 0.0;
            while bench.now < Instant::ZERO + Duration::from_secs(400) {
                bench.now += bench.rtt.mul_f64(1.0 / member.fractional.max(0.5));
                count += 1;
                let marked = if count % every == 0 { 1.0 } else { 0.0 };
                let ack = Ack { marked, flight: member.fractional, ..bench.ack() };
                member.on_ack(&mut bench.window, &ack);
                packets += 1.0;
                if bench.now < Instant::ZERO + Duration::from_secs(200) {
                    warm = packets;
                }
            }
            let per_target = (packets - warm) / 200.0 * 0.025;
            let p = 1.0 / f64::from(every);
            let [second, third] = [2.0, 3.0].map(|nth: f64| (2.0 * nth * (1.0 - p)).sqrt() / p);
            assert!(
                (0.97 * second..1.03 * third).contains(&per_target),
                "{rtt} ms, 1/{every}: {per_target}, {second} to {third}"
            );
        }
    }
}

/// Without accurate feedback every window is Reno's.
#[test]
fn without_accurate_feedback_it_is_reno() {
    for feedback in [EcnFeedback::None, EcnFeedback::Classic] {
        let (mut prague, mut reno) = (Bench::new("prague", 10.0), Bench::new("reno", 10.0));
        prague.member.on_ecn_negotiated(feedback);
        for round in 0..12 {
            for bench in [&mut prague, &mut reno] {
                bench.round();
                if round % 5 == 4 {
                    bench.lose(&loss(if round == 4 { LossKind::Ecn } else { LossKind::DuplicateAcks }, 20.0));
                    bench.recover();
                }
            }
            assert_eq!(prague.window, reno.window);
        }
    }
}
