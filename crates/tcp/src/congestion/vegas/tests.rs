use super::*;
use crate::congestion::machine::Machine;
use crate::congestion::testing::{Bench, loss, setup};
use crate::congestion::{self, LossKind};
use farlink_kernel::Duration;

const MS: fn(u64) -> Duration = Duration::from_millis;

/// The window after a round with the given smallest sample on a path of 100 ms.
fn decided(cwnd: f64, ssthresh: f64, rtt: u64) -> (f64, f64) {
    let mut vegas = Vegas::new(&Config::default(), &setup(Machine::LINUX));
    vegas.rounds.base = MS(100);
    let mut window = Window { ssthresh, ..Window::new(cwnd) };
    let round = Round { rtt: MS(rtt), samples: 10, acked: cwnd };
    vegas.decide(&mut window, &round, 1.0);
    (vegas.last_diff, window.cwnd)
}

#[test]
fn the_difference_decides_between_growing_staying_and_shrinking() {
    let cases = [
        (20.0, 5.0, 110, 2.0, 20.0),
        (20.0, 5.0, 105, 1.0, 21.0),
        (20.0, 5.0, 118, 3.0, 20.0),
        (20.0, 5.0, 130, 6.0, 19.0),
        (2.0, 2.0, 400, 6.0, 2.0),
    ];
    for (cwnd, ssthresh, rtt, diff, next) in cases {
        assert_eq!(decided(cwnd, ssthresh, rtt), (diff, next), "{cwnd} {rtt}");
    }
}

#[test]
fn slow_start_goes_on_until_gamma_segments_queue() {
    for (rtt, window) in [(100, 11.0), (105, 11.0), (115, 11.0), (125, 9.0)] {
        assert_eq!(decided(10.0, 64.0, rtt).1, window, "{rtt}");
    }
}

#[test]
fn the_textbook_difference_is_what_queues_hold() {
    let mut vegas = Vegas::new(&Config::default(), &setup(Machine::RFC));
    vegas.rounds.base = MS(100);
    for (cwnd, rtt, diff) in [(10.0, 115, 1.304), (20.0, 130, 4.615), (2.0, 400, 1.5)] {
        let (found, target) = vegas.diff_and_target(cwnd, &Round { rtt: MS(rtt), samples: 3, acked: cwnd });
        assert!((found - diff).abs() < 1e-3);
        assert!((found + target - cwnd).abs() < 1e-9);
    }
}

#[test]
fn a_queue_that_follows_the_window_ends_between_alpha_and_beta() {
    // A bottleneck of 100 segments/s and 100 ms: what exceeds 10 segments waits.
    for machine in [Machine::RFC, Machine::LINUX, Machine::NS2_LINUX] {
        let mut bench = Bench::on("vegas", 2.0, machine);
        for _ in 0..200 {
            bench.rtt = MS(100).max(Duration::from_secs_f64(bench.window.cwnd / 100.0));
            bench.round();
        }
        let queued = bench.window.cwnd - 10.0;
        assert!((1.0..=5.0).contains(&queued), "{queued} on {machine:?}");
    }
}

#[test]
fn slow_start_in_every_other_round_trip_is_slower() {
    let after = |every| {
        let config = Config { slow_start_every: every, ..Config::default() };
        let mut bench = Bench::with(&congestion::Config::Vegas(config), 4.0, Machine::RFC);
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
