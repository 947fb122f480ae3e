use super::*;
use crate::congestion;
use crate::congestion::arithmetic::WindowArithmetic;
use crate::congestion::testing::{Bench, loss};

/// A path of 100 ms on which an ACK comes every 2 ms: 500 segments/s, a pipe of 50 segments.
fn steady(config: Config, arithmetic: WindowArithmetic) -> Bench {
    let mut bench = Bench::with(&congestion::Config::Westwood(config), 80.0, arithmetic);
    bench.window.ssthresh = 80.0;
    for _ in 0..5_000 {
        bench.now += Duration::from_millis(2);
        let ack = Ack { may_grow: false, ..bench.ack() };
        bench.member.on_ack(&mut bench.window, &ack);
    }
    bench
}

#[test]
fn a_loss_leaves_what_fits_into_the_pipe() {
    for estimator in [Estimator::Tustin, Estimator::WestwoodPlus, Estimator::None] {
        let mut bench = steady(Config { estimator, ..Config::default() }, WindowArithmetic::RFC);
        bench.lose(&loss(LossKind::DuplicateAcks, 80.0));
        let Window { cwnd, ssthresh, .. } = bench.window;
        assert!((ssthresh - 50.0).abs() < 1.0, "{} {ssthresh}", estimator.word());
        assert_eq!(cwnd, ssthresh);
    }
}

#[test]
fn a_small_window_is_not_raised_by_a_loss() {
    let mut bench = steady(Config::default(), WindowArithmetic::RFC);
    bench.window.cwnd = 20.0;
    bench.lose(&loss(LossKind::DuplicateAcks, 20.0));
    assert_eq!(bench.window.cwnd, 20.0);
    assert!((bench.window.ssthresh - 50.0).abs() < 1.0);
}

#[test]
fn a_timeout_keeps_the_pipe_as_threshold() {
    let mut bench = steady(Config::default(), WindowArithmetic::RFC);
    bench.lose(&loss(LossKind::Timeout, 80.0));
    assert_eq!(bench.window.cwnd, 1.0);
    assert!((bench.window.ssthresh - 50.0).abs() < 1.0);
}

#[test]
fn linux_applies_the_estimate_when_all_is_repaired() {
    let config = Config { estimator: Estimator::WestwoodPlus, ..Config::default() };
    let mut bench = steady(config, WindowArithmetic::LINUX);
    bench.lose(&loss(LossKind::DuplicateAcks, 80.0));
    assert_eq!(bench.window.cwnd, 40.0);
    bench.recover();
    assert!((bench.window.cwnd - 50.0).abs() <= 1.0, "{}", bench.window.cwnd);
}

#[test]
fn tcp_linux_of_ns2_keeps_renos_threshold_and_sets_only_the_window() {
    let config = Config { estimator: Estimator::WestwoodPlus, ..Config::default() };
    let mut bench = steady(config, WindowArithmetic::NS2_LINUX);
    bench.lose(&loss(LossKind::DuplicateAcks, 80.0));
    assert_eq!(bench.window.ssthresh, 40.0);
    assert!((bench.window.cwnd - 50.0).abs() <= 1.0, "{}", bench.window.cwnd);
    bench.lose(&loss(LossKind::Timeout, 60.0));
    assert_eq!((bench.window.cwnd, bench.window.ssthresh), (1.0, 30.0));
}

#[test]
fn without_an_estimate_a_loss_halves() {
    let mut bench = Bench::new("westwood", 80.0);
    bench.lose(&loss(LossKind::DuplicateAcks, 80.0));
    assert_eq!(bench.window.ssthresh, 40.0);
}
