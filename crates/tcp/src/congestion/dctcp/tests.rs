//! The worked numbers of RFC 8257's equations and of Linux's integers.

use super::super::arithmetic::WindowArithmetic;
use super::super::testing::{Bench, loss};
use super::*;

fn alpha(bench: &Bench) -> f64 {
    bench.member.observe()[0].1
}

/// A round trip that delivers so many packets, and reports so many marks, in one ACK.
fn round(bench: &mut Bench, marked: f64, delivered: f64) {
    let ack = Ack { acked: delivered, delivered, marked, flight: 0.0, may_grow: false, ..bench.ack() };
    bench.member.on_ack(&mut bench.window, &ack);
}

#[test]
fn alpha_is_the_average_of_the_marked_share() {
    let mut bench = Bench::new("dctcp", 100.0);
    assert_eq!(alpha(&bench), 1.0);
    for expected in [0.943_750, 0.891_016, 0.841_577, 0.795_229] {
        round(&mut bench, 1.0, 10.0);
        assert!((alpha(&bench) - expected).abs() < 1e-6, "{} {expected}", alpha(&bench));
    }
    // More marks than packets, as control packets count: all.
    let before = alpha(&bench);
    round(&mut bench, 7.0, 1.0);
    assert!((alpha(&bench) - (before + (1.0 - before) / 16.0)).abs() < 1e-12);
}

#[test]
fn alpha_of_linux_is_an_integer() {
    let mut bench = Bench::counting("dctcp", 100.0, WindowArithmetic::LINUX);
    let mut seen = vec![alpha(&bench) * 1024.0];
    for (marked, delivered) in [(1.0, 10.0), (1.0, 10.0), (0.0, 10.0), (10.0, 10.0)] {
        round(&mut bench, marked, delivered);
        seen.push(alpha(&bench) * 1024.0);
    }
    assert_eq!(seen, [1024.0, 966.0, 912.0, 855.0, 866.0]);
    // Below 16 there is nothing to take a sixteenth of: zero.
    (0..80).for_each(|_| round(&mut bench, 0.0, 10.0));
    assert_eq!(alpha(&bench), 0.0);
}

#[test]
fn marks_reduce_by_half_of_their_share_and_losses_by_half() {
    for arithmetic in [WindowArithmetic::RFC, WindowArithmetic::LINUX] {
        let after = |alpha: f64, kind, cwnd: f64| {
            let initial_alpha = Fraction(alpha);
            let config = super::super::Config::Dctcp(Config { initial_alpha, ..Config::default() });
            let mut bench = Bench::with(&config, cwnd, arithmetic);
            bench.lose(&loss(kind, cwnd));
            (bench.window.cwnd, bench.window.ssthresh)
        };
        // Alpha 512 and 1024 of 1024.
        assert_eq!(after(0.5, LossKind::Ecn, 100.0), (75.0, 75.0));
        assert_eq!(after(1.0, LossKind::Ecn, 100.0), (50.0, 50.0));
        assert_eq!(after(1.0, LossKind::Ecn, 3.0), (2.0, 2.0), "at least two segments");
        assert_eq!(after(0.0, LossKind::DuplicateAcks, 100.0), (50.0, 50.0));
        assert_eq!(after(0.0, LossKind::Timeout, 100.0), (1.0, 50.0));
    }
}
