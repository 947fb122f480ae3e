use super::super::arithmetic::WindowArithmetic;
use super::super::testing::{Bench, loss, setup};
use super::*;

/// YeAH after a round trip of `rtt` ms with a window on a path of 100 ms.
fn decided(cwnd: f64, rtt: u64, arithmetic: WindowArithmetic, competing: f64) -> (Yeah, Window) {
    let mut yeah = Yeah::new(&Config::default(), &setup(arithmetic));
    yeah.competing = competing;
    (yeah.base_rtt, yeah.min_rtt) = (Duration::from_millis(100), Duration::from_millis(rtt));
    yeah.samples = 3;
    let mut window = Window { ssthresh: 1e6, ..Window::new(cwnd) };
    yeah.decide(&mut window);
    (yeah, window)
}

#[test]
fn the_queue_and_the_delay_choose_the_mode() {
    // cwnd, RTT in ms, Q, slow mode.
    let cases = [
        (100.0, 100, 0.0, false),
        (800.0, 110, 72.0, false),
        (100.0, 112, 10.0, false),
        (100.0, 113, 11.0, true),
        (900.0, 110, 81.0, true),
    ];
    for (cwnd, rtt, queue, is_slow) in cases {
        let (yeah, _) = decided(cwnd, rtt, WindowArithmetic::LINUX, 2.0);
        assert_eq!((yeah.queue, yeah.slow == 1), (queue, is_slow), "{cwnd} {rtt}");
    }
}

#[test]
fn a_queue_of_more_than_80_segments_is_drained_down_to_the_window_of_a_reno_flow() {
    // Q = 1100 10/110 = 100.
    let (_, window) = decided(1_100.0, 110, WindowArithmetic::RFC, 2.0);
    assert_eq!((window.cwnd, window.ssthresh), (1_000.0, 1_000.0));
    let (yeah, window) = decided(1_100.0, 110, WindowArithmetic::RFC, 1_050.0);
    assert_eq!((window.cwnd, yeah.competing), (1_050.0, 1_051.0));
    // At most half at once: Q = 300 200/300.
    let (yeah, window) = decided(300.0, 300, WindowArithmetic::RFC, 2.0);
    assert_eq!((window.cwnd, yeah.competing), (150.0, 75.0));
    let (_, window) = decided(100.0, 113, WindowArithmetic::RFC, 2.0);
    assert_eq!(window.cwnd, 100.0, "a delay alone drains nothing");
}

#[test]
fn a_loss_takes_the_queue_an_eighth_or_half() {
    let kept = |cwnd: f64, rtt, slow| {
        let (mut yeah, mut window) = decided(cwnd, rtt, WindowArithmetic::RFC, 2.0);
        yeah.slow = slow;
        yeah.on_congestion(&mut window, &loss(LossKind::DuplicateAcks, cwnd));
        window.cwnd
    };
    assert_eq!(kept(110.0, 100, 0), 96.25);
    assert_eq!(kept(150.0, 125, 1), 120.0);
    assert_eq!(kept(100.0, 400, 1), 50.0);
    assert_eq!(kept(110.0, 100, 16), 55.0);
}

#[test]
fn fast_mode_grows_as_scalable_and_slow_mode_as_reno() {
    let mut bench = Bench::new("yeah", 200.0);
    bench.window.ssthresh = 2.0;
    bench.acks(1);
    assert!((bench.window.cwnd - 200.01).abs() < 1e-12);
    let slow = decided(200.0, 150, WindowArithmetic::RFC, 2.0);
    let (mut yeah, mut window) = slow;
    window.cwnd = 200.0;
    window.ssthresh = 2.0;
    yeah.on_ack(&mut window, &Ack { delivered: 0.0, ..bench.ack() });
    assert!((window.cwnd - 200.005).abs() < 1e-12);
}

#[test]
fn fifty_round_trips_in_fast_mode_end_the_competition() {
    let (mut yeah, mut window) = decided(200.0, 150, WindowArithmetic::RFC, 40.0);
    assert_eq!(yeah.competing, 41.0);
    (yeah.min_rtt, yeah.samples) = (yeah.base_rtt, 3);
    (0..50).for_each(|_| yeah.decide(&mut window));
    assert_eq!((yeah.competing, yeah.slow), (41.0, 0));
    yeah.decide(&mut window);
    assert_eq!(yeah.competing, 2.0);
}
