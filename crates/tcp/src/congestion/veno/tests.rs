use super::*;
use crate::congestion::arithmetic::WindowArithmetic;
use crate::congestion::testing::{Bench, loss};
use farlink_kernel::Duration;

const MS: fn(u64) -> Duration = Duration::from_millis;

/// Veno in congestion avoidance on a path of 100 ms that now takes `rtt` ms.
fn avoiding(cwnd: f64, rtt: u64, arithmetic: WindowArithmetic) -> Bench {
    let mut bench = Bench::counting("veno", cwnd, arithmetic);
    let ack = Ack { may_grow: false, ..bench.ack() };
    (0..3).for_each(|_| bench.member.on_ack(&mut bench.window, &ack));
    bench.window.ssthresh = 2.0;
    bench.rtt = MS(rtt);
    bench
}

#[test]
fn what_queues_hold_sets_the_growth_per_ack() {
    let cases = [
        (20.0, 100, 0.0, 0.05),
        (20.0, 110, 1.8182, 0.05),
        (20.0, 117, 2.9060, 0.05),
        (20.0, 118, 3.0508, 0.025),
        (20.0, 140, 5.7143, 0.025),
        (7.0, 150, 2.3333, 0.142_86),
        (2.0, 110, 0.1818, 0.5),
    ];
    for (cwnd, rtt, queued, growth) in cases {
        let mut bench = avoiding(cwnd, rtt, WindowArithmetic::RFC);
        bench.acks(1);
        assert!((bench.member.observe()[0].1 - queued).abs() < 1e-4, "{cwnd} {rtt}");
        assert!((bench.window.cwnd - cwnd - growth).abs() < 1e-5, "{cwnd} {rtt}");
    }
}

#[test]
fn the_linux_module_counts_halves_of_a_segment() {
    let cases = [
        (20.0, 100, 0.0, 16.0),
        (20.0, 110, 4.0, 16.0),
        (20.0, 117, 6.0, 10.0),
        (20.0, 118, 7.0, 10.0),
        (20.0, 140, 12.0, 10.0),
        (7.0, 150, 5.0, 5.0),
        (2.0, 110, 1.0, 2.0),
    ];
    for (cwnd, rtt, halves, ssthresh) in cases {
        let mut bench = avoiding(cwnd, rtt, WindowArithmetic::LINUX);
        // The first uses the smallest sample since the window last grew, which was that of the empty path.
        let ack = Ack { may_grow: true, acked: 0.0, ..bench.ack() };
        (0..2).for_each(|_| bench.member.on_ack(&mut bench.window, &ack));
        assert_eq!(bench.member.observe()[0].1 * 2.0, halves, "{cwnd} {rtt}");
        bench.lose(&loss(LossKind::DuplicateAcks, cwnd));
        assert_eq!(bench.window.ssthresh, ssthresh, "{cwnd} {rtt}");
    }
}

#[test]
fn the_linux_module_grows_in_every_second_window_on_a_congested_path() {
    let mut bench = avoiding(4.0, 1000, WindowArithmetic::NS2_LINUX);
    let mut grew_with = Vec::new();
    for ack in 1..40 {
        let before = bench.window.cwnd;
        bench.acks(1);
        if bench.window.cwnd > before {
            grew_with.push(ack);
        }
    }
    // A window and one ACK for the fifth segment, then two of five and two ACKs, then two of six and two.
    assert_eq!(grew_with, [5, 5 + 12, 5 + 12 + 14]);
}

#[test]
fn a_timeout_halves_whatever_the_queues_hold() {
    let mut bench = avoiding(20.0, 100, WindowArithmetic::RFC);
    bench.acks(1);
    bench.lose(&loss(LossKind::Timeout, 20.0));
    assert_eq!((bench.window.cwnd, bench.window.ssthresh), (1.0, 10.0));
}
