use super::super::LossKind;
use super::super::arithmetic::WindowArithmetic;
use super::super::testing::{Bench, loss, setup};
use super::*;

/// w, a(w), b(w) of RFC 3649 appendix B: the first rows, some between, and the last.
const TABLE: [(f64, f64, f64); 18] = [
    (38.0, 1.0, 0.50),
    (118.0, 2.0, 0.44),
    (221.0, 3.0, 0.41),
    (347.0, 4.0, 0.38),
    (495.0, 5.0, 0.37),
    (663.0, 6.0, 0.35),
    (851.0, 7.0, 0.34),
    (1058.0, 8.0, 0.33),
    (1284.0, 9.0, 0.32),
    (1529.0, 10.0, 0.31),
    (1793.0, 11.0, 0.30),
    (5036.0, 20.0, 0.25),
    (10_661.0, 30.0, 0.21),
    (18_955.0, 40.0, 0.18),
    (30_975.0, 50.0, 0.15),
    (48_961.0, 60.0, 0.13),
    (84_035.0, 71.0, 0.10),
    (89_053.0, 72.0, 0.10),
];

#[test]
fn a_and_b_are_those_of_the_table() {
    let highspeed = HighSpeed::new(&Config::default(), &setup(WindowArithmetic::RFC));
    for (w, a, b) in TABLE {
        let decrease = highspeed.decrease(w);
        // The table is of a p(w) with more digits than 0.078/w^1.2.
        assert!((highspeed.increase(w, decrease) - a).abs() < 0.06, "a({w})");
        assert!((decrease - b).abs() < 0.006, "b({w})");
    }
}

/// The mean window where every `1/p`th packet is lost.
fn mean_window(p: f64) -> f64 {
    let between = (1.0 / p) as u32;
    let mut bench = Bench::new("highspeed", 0.12 / libm::pow(p, 0.835));
    bench.window.ssthresh = 2.0;
    let mut mean = 0.0;
    // The first cycles lead to the periodic one.
    for _ in 0..20 {
        let mut round_trips = 0.0;
        for _ in 0..between {
            round_trips += 1.0 / bench.window.cwnd;
            bench.acks(1);
        }
        bench.lose(&loss(LossKind::DuplicateAcks, bench.window.cwnd));
        mean = f64::from(between) / round_trips;
    }
    mean
}

#[test]
fn the_mean_window_follows_the_response_function() {
    // RFC 3649 section 5, table 3.
    for (p, window) in [(1e-3, 38.0), (1e-4, 263.0), (1e-5, 1795.0)] {
        let mean = mean_window(p);
        assert!((mean / window - 1.0).abs() < 0.1, "{p} {mean}");
    }
}

#[test]
fn the_window_grows_as_in_the_table_of_convergence() {
    // RFC 3649 section 6, table 6: the window in a round trip, from one segment in the first. It adds a(w) once per round trip,
    // of the rows of appendix B.
    let table =
        [(100, 131.0), (200, 475.0), (300, 1131.0), (600, 5477.0), (1000, 17_409.0), (2000, 72_754.0)];
    let highspeed = HighSpeed::new(&Config::default(), &setup(WindowArithmetic::RFC));
    let (mut w, mut round) = (1.0, 1);
    for (end, window) in table {
        while round < end {
            w += highspeed.increase(w, highspeed.decrease(w));
            round += 1;
        }
        assert!((w / window - 1.0_f64).abs() < 0.01, "{end}: {w} {window}");
    }
}

#[test]
fn a_window_up_to_low_window_is_renos() {
    let mut bench = Bench::new("highspeed", 38.0);
    bench.window.ssthresh = 2.0;
    bench.acks(1);
    assert!((bench.window.cwnd - (38.0 + 1.0 / 38.0)).abs() < 1e-12);
    bench.window.cwnd = 30.0;
    bench.lose(&loss(LossKind::DuplicateAcks, 30.0));
    assert_eq!((bench.window.cwnd, bench.window.ssthresh), (15.0, 15.0));
}
