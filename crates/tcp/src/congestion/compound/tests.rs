use super::*;
use crate::congestion::arithmetic::WindowArithmetic;
use crate::congestion::testing::{Bench, loss, setup};

fn compound(loss_window: f64, delay_window: f64) -> Compound {
    Compound { loss_window, delay_window, ..Compound::new(&Config::default(), &setup(WindowArithmetic::RFC)) }
}

fn near(value: f64, expected: f64) {
    assert!((value - expected).abs() < 1e-4, "{value}, expected {expected}");
}

#[test]
fn the_delay_window_grows_on_an_empty_path_and_gives_way_on_a_full_one() {
    let cases = [
        (16.0, 0.0, 100, 0.0, 0.0),
        (50.0, 0.0, 105, 2.3810, 1.3504),
        (80.0, 20.0, 120, 16.6667, 22.9528),
        (120.0, 80.0, 110, 18.1818, 85.6479),
        (120.0, 80.0, 125, 40.0, 40.0),
        (200.0, 200.0, 120, 66.6667, 133.3333),
        (40.0, 20.0, 250, 36.0, 0.0),
    ];
    for (loss_window, delay_window, rtt, diff, expected) in cases {
        let mut member = compound(loss_window, delay_window);
        member.rounds.base = Duration::from_millis(100);
        let mut window = Window { ssthresh: 2.0, ..Window::new(loss_window + delay_window) };
        let round = Round { rtt: Duration::from_millis(rtt), samples: 3, acked: window.cwnd };
        member.on_round(&mut window, &round, true);
        near(member.diff.unwrap(), diff);
        near(member.delay_window, expected);
        near(window.cwnd, loss_window + expected);
    }
}

#[test]
fn a_round_that_ends_with_an_ack_that_may_not_grow_still_takes_from_the_delay_window() {
    let mut bench = Bench::new("compound", 100.0);
    bench.window.ssthresh = 50.0;
    (0..5).for_each(|_| bench.round());
    let full = bench.window.cwnd;
    // Twice the round-trip time: half of the window waits in queues, far more than gamma.
    bench.rtt = Duration::from_millis(200);
    bench.round();
    bench.now += bench.rtt;
    let ack = Ack { round_start: true, may_grow: false, ..bench.ack() };
    let before = bench.window.cwnd;
    bench.member.on_ack(&mut bench.window, &ack);
    assert!(before > full && bench.window.cwnd < 0.9 * before, "{before} became {}", bench.window.cwnd);
    // And the other way round: an empty path, but nothing to grow for.
    let mut bench = Bench::new("compound", 100.0);
    bench.window.ssthresh = 50.0;
    bench.acks(100);
    let before = bench.window.cwnd;
    let ack = Ack { round_start: true, may_grow: false, ..bench.ack() };
    bench.member.on_ack(&mut bench.window, &ack);
    assert_eq!(bench.window.cwnd, before);
}

#[test]
fn a_loss_halves_the_sum() {
    let cases = [(120.0, 80.0, 60.0, 40.0), (200.0, 0.0, 100.0, 0.0), (20.0, 80.0, 10.0, 40.0)];
    for (loss_window, delay_window, halved, rest) in cases {
        let mut member = compound(loss_window, delay_window);
        let mut window = Window::new(loss_window + delay_window);
        let loss = loss(LossKind::DuplicateAcks, window.cwnd);
        member.on_congestion(&mut window, &loss);
        near(member.loss_window, halved);
        near(member.delay_window, rest);
        near(window.cwnd, halved + rest);
        near(window.ssthresh, halved + rest);
    }
}

#[test]
fn gamma_follows_what_queues_held_at_losses() {
    let mut member = compound(10.0, 0.0);
    let cases = [(40.0, 30.0), (20.0, 27.0), (8.0, 22.8), (4.0, 18.84), (4.0, 15.672)];
    for (diff, gamma) in cases {
        member.diff = Some(diff);
        member.tune_gamma();
        near(member.gamma, gamma);
    }
    member.tune_gamma();
    near(member.gamma, 15.672);
}

#[test]
fn congestion_avoidance_on_an_empty_path_is_faster_than_reno() {
    let mut bench = Bench::new("compound", 100.0);
    bench.window.ssthresh = 50.0;
    (0..20).for_each(|_| bench.round());
    assert!(bench.window.cwnd > 150.0, "{}", bench.window.cwnd);
}

#[test]
fn a_timeout_drops_the_delay_window() {
    let mut member = compound(50.0, 50.0);
    let mut window = Window::new(100.0);
    member.on_congestion(&mut window, &loss(LossKind::Timeout, 100.0));
    assert_eq!((window.cwnd, window.ssthresh, member.delay_window), (1.0, 50.0, 0.0));
}
