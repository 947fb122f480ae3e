use super::super::LossKind;
use super::super::testing::{Bench, loss};
use super::*;

#[test]
fn alpha_follows_the_time_since_the_last_loss() {
    // 1 + 10 (D - 1) + ((D - 1)/2)^2.
    for (elapsed, expected) in [(1.0, 1.0), (1.5, 6.0625), (2.0, 11.25), (3.0, 22.0), (11.0, 126.0)] {
        assert_eq!(alpha(elapsed - 1.0), expected, "{elapsed}");
    }
}

/// A bench that lost at 0 s and ran in round trips of `rtt` ms until `seconds`.
fn after(seconds: u64, rtt: u64) -> Bench {
    let mut bench = Bench::new("htcp", 100.0);
    bench.lose(&loss(LossKind::DuplicateAcks, 100.0));
    bench.rtt = Duration::from_millis(rtt);
    bench.now = Instant::ZERO + Duration::from_secs(seconds);
    // The second ACK of a window beyond the first begins a round trip.
    bench.window.cwnd = 100.0;
    bench.acks(1);
    bench
}

#[test]
fn growth_is_renos_for_a_second_and_then_increases() {
    for (seconds, expected) in [(1, 1.0), (2, 11.25), (3, 22.0)] {
        let mut bench = after(seconds, 100);
        // The first loss keeps one half, so that 2 (1 - beta) is 1.
        assert_eq!(bench.member.observe()[0], ("alpha", expected), "{seconds}");
        let before = bench.window.cwnd;
        bench.acks(1);
        assert!((bench.window.cwnd - before - expected / before).abs() < 1e-9, "{seconds}");
    }
}

/// What a loss keeps of 100 segments on a path whose round trips took from `min` to `max` ms, at the same throughput as
/// before the last loss, or another.
fn kept(min: u64, max: u64, throughput: f64) -> f64 {
    let mut htcp = Htcp::new(
        &Config::default(),
        &super::super::testing::setup(super::super::arithmetic::WindowArithmetic::RFC),
    );
    htcp.min_rtt = Duration::from_millis(min);
    htcp.state.max_rtt = Duration::from_millis(max);
    htcp.state.last_throughput = 1000.0;
    htcp.throughput = throughput;
    let mut window = Window::new(100.0);
    htcp.on_congestion(&mut window, &loss(LossKind::DuplicateAcks, 100.0));
    assert_eq!(htcp.state.alpha, 2.0 * (1.0 - htcp.state.beta));
    window.cwnd
}

#[test]
fn a_loss_keeps_the_ratio_of_the_round_trip_times_within_bounds() {
    assert_eq!(kept(75, 100, 1000.0), 75.0);
    assert_eq!(kept(60, 100, 900.0), 60.0);
    assert_eq!(kept(95, 100, 1000.0), 80.0);
    assert_eq!(kept(20, 100, 1000.0), 50.0);
}

#[test]
fn a_throughput_that_changed_by_more_than_a_fifth_halves() {
    assert_eq!(kept(75, 100, 1200.0), 75.0);
    assert_eq!(kept(75, 100, 1201.0), 50.0);
    assert_eq!(kept(75, 100, 799.0), 50.0);
}

#[test]
fn a_spurious_loss_restores_the_time_of_the_last() {
    let mut bench = after(3, 100);
    let saved = Saved { cwnd: 100.0, ssthresh: 50.0 };
    bench.lose(&loss(LossKind::DuplicateAcks, 100.0));
    assert_eq!(bench.member.observe()[0], ("alpha", 1.0));
    bench.member.on_spurious(&mut bench.window, &saved);
    assert_eq!(bench.member.observe()[0], ("alpha", 22.0));
    assert_eq!(bench.window.cwnd, 100.0);
}
