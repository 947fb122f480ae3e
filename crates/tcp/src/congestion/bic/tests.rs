use super::*;
use crate::congestion::arithmetic::WindowArithmetic;
use crate::congestion::testing::{Bench, loss, setup};

fn in_linux(max_window: f64) -> Bic {
    Bic { max_window, ..Bic::new(&Config::default(), &setup(WindowArithmetic::LINUX)) }
}

#[test]
fn growth_is_reno_linear_bisecting_smooth_or_probing() {
    let cases = [
        (10.0, 200.0, 10.0),
        (100.0, 200.0, 6.0),
        (150.0, 200.0, 12.0),
        (190.0, 200.0, 95.0),
        (196.0, 200.0, 980.0),
        (200.0, 200.0, 1000.0),
        (203.0, 200.0, 1015.0),
        (212.0, 200.0, 53.0),
        (260.0, 200.0, 16.0),
        (400.0, 0.0, 20.0),
    ];
    for (cwnd, max_window, acks) in cases {
        assert_eq!(in_linux(max_window).segments_per_segment(cwnd), acks, "{cwnd} {max_window}");
    }
}

#[test]
fn a_loss_keeps_four_fifths_and_gives_way_below_the_last_maximum() {
    let cases = [
        (200.0, 0.0, 200.0, 159.0),
        (180.0, 200.0, 161.0, 143.0),
        (220.0, 200.0, 220.0, 175.0),
        (14.0, 0.0, 14.0, 7.0),
        (15.0, 0.0, 15.0, 11.0),
        (3.0, 10.0, 2.0, 2.0),
    ];
    for (cwnd, before, after, ssthresh) in cases {
        let mut bic = in_linux(before);
        let mut window = Window::new(cwnd);
        bic.on_congestion(&mut window, &loss(LossKind::DuplicateAcks, cwnd));
        assert_eq!((bic.max_window, window.ssthresh), (after, ssthresh), "{cwnd} {before}");
    }
}

#[test]
fn a_window_far_below_the_maximum_grows_by_s_max_per_round_trip() {
    let mut bench = Bench::new("bic", 1000.0);
    bench.lose(&loss(LossKind::DuplicateAcks, 1000.0));
    let before = bench.window.cwnd;
    bench.round();
    assert!((bench.window.cwnd - before - 16.0).abs() < 0.2, "{}", bench.window.cwnd - before);
}

#[test]
fn a_timeout_forgets_the_maximum() {
    let mut bench = Bench::new("bic", 100.0);
    bench.lose(&loss(LossKind::DuplicateAcks, 100.0));
    bench.lose(&loss(LossKind::Timeout, 80.0));
    assert_eq!(bench.member.observe(), vec![("w_max", 0.0)]);
    assert_eq!(bench.window.cwnd, 1.0);
}
