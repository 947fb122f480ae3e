use super::*;
use crate::congestion::arithmetic::WindowArithmetic;
use crate::congestion::testing::{Bench, loss};
use crate::congestion::{self, LossKind};

fn after_a_loss_at(cwnd: f64, config: &Config) -> Bench {
    let mut bench = Bench::with(&congestion::Config::Cubic(config.clone()), cwnd, WindowArithmetic::RFC);
    bench.lose(&loss(LossKind::DuplicateAcks, cwnd));
    bench
}

fn observed(bench: &Bench, name: &str) -> f64 {
    bench.member.observe().into_iter().find(|(n, _)| *n == name).unwrap().1
}

fn near(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{value}, expected {expected}");
}

#[test]
fn a_loss_keeps_seven_tenths_and_k_is_the_cube_root() {
    let mut bench = after_a_loss_at(100.0, &Config::default());
    assert_eq!((bench.window.cwnd, bench.window.ssthresh), (70.0, 70.0));
    bench.acks(1);
    near(observed(&bench, "k"), 4.217_163, 1e-6);
}

#[test]
fn the_curve_has_the_values_of_equation_1() {
    let epoch = Epoch { start: Instant::ZERO, k: 4.217_163, origin: 100.0, reno_window: 70.0 };
    let expected = [70.0, 86.6808, 95.6403, 99.2787, 99.9959, 100.1919, 102.2667, 108.6203, 121.6527];
    for (t, value) in [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0].into_iter().zip(expected) {
        near(epoch.at(t, 0.4), value, 1e-4);
    }
}

#[test]
fn the_2008_constants_give_the_2008_window() {
    let config = Config { beta: Fraction(0.8), friendliness: Friendliness::Rfc8312, ..Config::default() };
    let mut bench = after_a_loss_at(100.0, &config);
    assert_eq!(bench.window.cwnd, 80.0);
    bench.acks(1);
    near(observed(&bench, "k"), 3.684_031, 1e-6);
}

#[test]
fn the_window_tracks_the_curve_and_turns_reno_friendly_when_the_rfc_says() {
    // RFC 9438 and RFC 8312 part after W_est reaches the window before the loss at 5.67 s.
    for (friendliness, at_7_s) in [(Friendliness::Rfc9438, 113.3), (Friendliness::Rfc8312, 108.6)] {
        let config = Config { friendliness, ..Config::default() };
        let mut bench = after_a_loss_at(100.0, &config);
        bench.acks(1);
        for _ in 0..20 {
            bench.round();
        }
        near(bench.window.cwnd, 95.6, 1.0);
        for _ in 0..50 {
            bench.round();
        }
        near(bench.window.cwnd, at_7_s, 1.5);
    }
}

#[test]
fn a_loss_below_the_last_maximum_gives_way() {
    let mut bench = after_a_loss_at(100.0, &Config::default());
    bench.window.cwnd = 90.0;
    bench.lose(&loss(LossKind::DuplicateAcks, 90.0));
    near(observed(&bench, "w_max"), 76.5, 1e-9);
}

#[test]
fn the_stage_after_a_timeout_begins_at_its_own_window() {
    let mut bench = after_a_loss_at(100.0, &Config::default());
    bench.lose(&loss(LossKind::Timeout, 70.0));
    assert_eq!((bench.window.cwnd, bench.window.ssthresh), (1.0, 49.0));
    bench.acks(48);
    assert_eq!(bench.window.cwnd, 49.0);
    bench.acks(1);
    assert_eq!(observed(&bench, "k"), 0.0);
}

#[test]
fn idle_time_is_not_time_of_the_stage() {
    let mut bench = after_a_loss_at(100.0, &Config::default());
    bench.acks(1);
    bench.now += Duration::from_secs(3600);
    bench.member.on_idle(&mut bench.window, 1e9, bench.now);
    let before = bench.window.cwnd;
    bench.acks(1);
    assert!(bench.window.cwnd - before < 0.1, "{} {before}", bench.window.cwnd);
}

#[test]
fn a_spurious_reduction_is_undone_with_its_curve() {
    let mut bench = after_a_loss_at(100.0, &Config::default());
    let saved = Saved { cwnd: 70.0, ssthresh: 70.0 };
    bench.acks(1);
    let k = observed(&bench, "k");
    bench.lose(&loss(LossKind::DuplicateAcks, 70.0));
    bench.member.on_spurious(&mut bench.window, &saved);
    assert_eq!((bench.window.cwnd, observed(&bench, "k"), observed(&bench, "w_max")), (70.0, k, 100.0));
}

#[test]
fn without_a_loss_before_it_the_reno_window_grows_as_reno_does() {
    let config = congestion::Config::Cubic(Config::default());
    let mut bench = Bench::with(&config, 100.0, WindowArithmetic::RFC);
    bench.window.ssthresh = 100.0;
    bench.acks(1);
    near(observed(&bench, "w_est"), 100.01, 1e-9);
}
