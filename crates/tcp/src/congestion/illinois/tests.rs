use super::super::arithmetic::WindowArithmetic;
use super::super::testing::{Bench, loss, setup};
use super::*;

fn illinois() -> Illinois {
    Illinois::new(&Config::default(), &setup(WindowArithmetic::RFC))
}

#[test]
fn alpha_falls_from_10_at_d1_to_0_3_at_dm() {
    // k_1 = (d_m - d_1) 0.3 10/9.7 and k_2 = (d_m - d_1) 0.3/9.7 - d_1 for d_m = 100.
    let (k1, k2) = (99.0 * 3.0 / 9.7, 99.0 * 0.3 / 9.7 - 1.0);
    let mut illinois = illinois();
    assert_eq!(illinois.alpha_at(1.0, 100.0), 10.0);
    for mean in [1.5, 10.0, 50.0, 80.0, 100.0] {
        let alpha = illinois.alpha_at(mean, 100.0);
        assert!((alpha - k1 / (k2 + mean)).abs() < 1e-12, "{mean}");
    }
    assert!((illinois.alpha_at(100.0, 100.0) - 0.3).abs() < 1e-12);
    assert!((illinois.alpha_at(50.0, 100.0) - 0.588_119).abs() < 1e-6);
}

#[test]
fn beta_rises_from_an_eighth_at_d2_to_a_half_at_d3() {
    let illinois = illinois();
    let cases = [(0.0, 0.125), (10.0, 0.125), (45.0, 0.3125), (80.0, 0.5), (100.0, 0.5)];
    for (mean, beta) in cases {
        assert!((illinois.beta_at(mean, 100.0) - beta).abs() < 1e-12, "{mean}");
    }
}

#[test]
fn alpha_returns_to_its_maximum_after_theta_round_trips_below_d1() {
    let mut illinois = illinois();
    illinois.alpha = illinois.alpha_at(100.0, 100.0);
    for _ in 1..5 {
        illinois.alpha = illinois.alpha_at(0.5, 100.0);
        assert!((illinois.alpha - 0.3).abs() < 1e-12);
    }
    assert_eq!(illinois.alpha_at(0.5, 100.0), 10.0);
}

#[test]
fn an_empty_path_grows_by_ten_segments_per_round_trip_and_loses_an_eighth() {
    let mut bench = Bench::new("illinois", 100.0);
    bench.window.ssthresh = 2.0;
    bench.acks(1);
    assert!((bench.window.cwnd - 100.1).abs() < 1e-9);
    bench.window.cwnd = 100.0;
    bench.lose(&loss(LossKind::DuplicateAcks, 100.0));
    assert_eq!(bench.window.cwnd, 87.5);
}

#[test]
fn small_windows_and_timeouts_are_renos() {
    let mut bench = Bench::new("illinois", 9.0);
    bench.window.ssthresh = 2.0;
    bench.acks(1);
    assert_eq!(bench.member.observe(), [("alpha", 1.0), ("beta", 0.5)]);
    let mut bench = Bench::new("illinois", 100.0);
    bench.acks(1);
    bench.lose(&loss(LossKind::Timeout, 100.0));
    assert_eq!(bench.member.observe(), [("alpha", 1.0), ("beta", 0.5)]);
    assert_eq!((bench.window.cwnd, bench.window.ssthresh), (1.0, 87.5));
}
