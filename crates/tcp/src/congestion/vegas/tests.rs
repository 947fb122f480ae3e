use super::*;
use crate::congestion::arithmetic::WindowArithmetic;
use crate::congestion::testing::{Bench, loss, setup};
use crate::congestion::{self, LossKind};
use farlink_kernel::Duration;

const MS: fn(u64) -> Duration = Duration::from_millis;

#[test]
fn the_textbook_difference_is_what_queues_hold() {
    let mut vegas = Vegas::new(&Config::default(), &setup(WindowArithmetic::RFC));
    vegas.rounds.base = MS(100);
    let cases = [
        (10.0, 100, 0.0),
        (10.0, 105, 0.476),
        (10.0, 115, 1.304),
        (20.0, 110, 1.818),
        (20.0, 105, 0.952),
        (20.0, 118, 3.051),
        (20.0, 130, 4.615),
        (2.0, 400, 1.5),
    ];
    for (cwnd, rtt, diff) in cases {
        let (found, target) = vegas.diff_and_target(cwnd, &Round { rtt: MS(rtt), samples: 3, acked: cwnd });
        assert!((found - diff).abs() < 1e-3);
        assert!((found + target - cwnd).abs() < 1e-9);
    }
}

#[test]
fn a_queue_that_follows_the_window_ends_between_alpha_and_beta() {
    // A bottleneck of 100 segments/s and 100 ms: what exceeds 10 segments waits.
    for arithmetic in [WindowArithmetic::RFC, WindowArithmetic::LINUX, WindowArithmetic::NS2_LINUX] {
        let mut bench = Bench::counting("vegas", 2.0, arithmetic);
        for _ in 0..200 {
            bench.rtt = MS(100).max(Duration::from_secs_f64(bench.window.cwnd / 100.0));
            bench.round();
        }
        let queued = bench.window.cwnd - 10.0;
        assert!((1.0..=5.0).contains(&queued), "{queued} on {arithmetic:?}");
    }
}

#[test]
fn slow_start_in_every_other_round_trip_is_slower() {
    let after = |every| {
        let config = Config { slow_start_every: every, ..Config::default() };
        let mut bench = Bench::with(&congestion::Config::Vegas(config), 4.0, WindowArithmetic::RFC);
        (0..6).for_each(|_| bench.round());
        bench.window.cwnd
    };
    assert!(after(2) < after(1) / 2.0, "{} {}", after(2), after(1));
}

#[test]
fn a_loss_halves_and_reno_repairs() {
    let mut bench = Bench::new("vegas", 20.0);
    bench.lose(&loss(LossKind::DuplicateAcks, 20.0));
    assert_eq!((bench.window.cwnd, bench.window.ssthresh), (10.0, 10.0));
}
