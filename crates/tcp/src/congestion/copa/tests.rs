use super::super::arithmetic::WindowArithmetic;
use super::super::testing::{Bench, loss, setup};
use super::*;

const MS: fn(u64) -> Duration = Duration::from_millis;

/// Copa after slow start on a path of 100 ms, with a fresh velocity.
fn copa(cwnd: f64) -> (Copa, Bench) {
    let mut copa = Copa::new(&Config::default(), &setup(WindowArithmetic::RFC));
    let mut bench = Bench::new("copa", cwnd);
    let ack = Ack { acked: 0.0, delivered: 0.0, may_grow: false, ..bench.ack() };
    copa.on_ack(&mut bench.window, &ack);
    copa.in_slow_start = false;
    copa.velocity.from = cwnd;
    (copa, bench)
}

/// The window after an ACK that shows a round trip of `rtt` ms.
fn after(cwnd: f64, rtt: u64) -> f64 {
    let (mut copa, mut bench) = copa(cwnd);
    // The earlier sample has left the half of a round trip of RTTstanding.
    bench.now = Instant::ZERO + MS(60);
    let ack = Ack { rtt: Some(MS(rtt)), ..bench.ack() };
    copa.on_ack(&mut bench.window, &ack);
    bench.window.cwnd
}

#[test]
fn the_window_moves_towards_the_target_rate() {
    // lambda_t = 1/(0.5 d_q): with d_q = 10 ms 200 segments/s, which are 22 segments per 110 ms.
    assert!((after(22.0, 110) - (22.0 + 2.0 / 22.0)).abs() < 1e-12);
    assert!((after(22.1, 110) - (22.1 - 2.0 / 22.1)).abs() < 1e-12);
    // d_q = 1 ms: 2000 segments/s, 202 segments per 101 ms.
    assert!(after(201.9, 101) > 201.9 && after(202.1, 101) < 202.1);
    // No queue: the target is infinite.
    assert!(after(1e4, 100) > 1e4);
}

#[test]
fn the_pacing_rate_is_twice_the_window_per_standing_round_trip() {
    let (mut copa, mut bench) = copa(20.0);
    let ack = Ack { acked: 1e-9, delivered: 1e-9, ..bench.ack() };
    copa.on_ack(&mut bench.window, &ack);
    let rate = bench.window.pacing_rate.unwrap().as_bps() as f64;
    assert!((rate / (2.0 * 20.0 * 12_000.0 / 0.1) - 1.0).abs() < 1e-6, "{rate}");
}

#[test]
fn velocity_doubles_after_three_round_trips_in_one_direction_and_is_one_in_another() {
    let (mut copa, _) = copa(10.0);
    let mut velocities = Vec::new();
    for cwnd in [11.0, 12.0, 13.0, 14.0, 15.0, 14.0, 13.0, 12.0, 11.0, 10.0, 11.0] {
        copa.update_velocity(cwnd);
        velocities.push(copa.velocity.v);
    }
    assert_eq!(velocities, [1.0, 1.0, 2.0, 4.0, 8.0, 1.0, 1.0, 1.0, 2.0, 4.0, 1.0]);
}

#[test]
fn slow_start_doubles_until_the_rate_exceeds_the_target() {
    let mut bench = Bench::new("copa", 10.0);
    bench.acks(1);
    assert_eq!(bench.window.cwnd, 11.0);
    bench.window.cwnd = 30.0;
    bench.now = Instant::ZERO + MS(60);
    bench.rtt = MS(110);
    // 30 segments per 110 ms are more than 200 per second.
    bench.acks(1);
    assert!((bench.window.cwnd - (30.0 - 2.0 / 30.0)).abs() < 1e-12);
}

#[test]
fn without_an_empty_queue_for_five_round_trips_the_inverse_of_delta_follows_losses() {
    let mut competition = Competition::default();
    let ack = Bench::new("copa", 10.0).ack();
    let mut round = |rtt: u64, lost: bool| {
        competition.observe(&ack, MS(200), MS(100), 0.1);
        competition.observe(&ack, MS(rtt), MS(100), MS(rtt - 100).as_secs_f64());
        if lost {
            competition.on_loss();
        }
        competition.end_round(0.5);
        1.0 / competition.delta(0.5)
    };
    // d_q of 11 ms is more than a tenth of the range of 100 ms, 9 ms is less.
    let without: Vec<f64> = (0..8).map(|_| round(111, false)).collect();
    assert_eq!(without, [2.0, 2.0, 2.0, 2.0, 2.0, 3.0, 4.0, 5.0]);
    assert_eq!((round(111, true), round(111, true)), (2.5, 2.0));
    assert_eq!((round(111, false), round(109, false)), (3.0, 2.0));
}

#[test]
fn losses_leave_the_window_and_a_timeout_begins_slow_start() {
    let mut bench = Bench::new("copa", 40.0);
    bench.acks(1);
    bench.lose(&loss(LossKind::DuplicateAcks, 41.0));
    assert_eq!(bench.window.cwnd, 41.0);
    bench.lose(&loss(LossKind::Timeout, 41.0));
    assert_eq!(bench.window.cwnd, 1.0);
    bench.acks(1);
    assert_eq!(bench.window.cwnd, 2.0);
}
