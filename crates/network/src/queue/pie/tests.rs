//! The controller's table, the burst allowance, sums of probabilities, and marks.

use super::*;
use crate::ids::PacketId;
use crate::packet::Class;
use farlink_kernel::BitRate;

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn at(n: u64) -> Instant {
    Instant::ZERO + ms(n)
}

fn setup(seed: u64) -> Setup {
    Setup { seed, interface: 0, rate: BitRate::from_bps(8_000_000) }
}

/// A controller past its burst allowance, with this probability and delay above the target.
fn congested(config: &Config, drop_prob: f64) -> Controller {
    Controller {
        drop_prob,
        current_qdelay: ms(20),
        qdelay_old: ms(20),
        burst_allowance: Duration::ZERO,
        next_update: Instant::NEVER,
        ..Controller::new(config)
    }
}

/// What happens to `arrivals` packets in a queue of 10 kB.
fn verdicts(config: &Config, drop_prob: f64, seed: u64, arrivals: u64) -> Vec<Verdict> {
    let (mut controller, law) = (congested(config, drop_prob), Law::new(config, "pie", &setup(seed)));
    (0..arrivals).map(|n| controller.on_arrival(&law, at(0), n, 10_000, true)).collect()
}

fn after(config: &Config, delays: &[u64]) -> Vec<f64> {
    let mut controller = Controller::new(config);
    let update = |delay: &u64| {
        controller.current_qdelay = ms(*delay);
        controller.update(config);
        controller.drop_prob
    };
    delays.iter().map(update).collect()
}

#[test]
fn the_controller_takes_smaller_steps_from_smaller_probabilities() {
    // (0.125 (q - 0.015) + 1.25 (q - q_old)) / scale, from the second 300 ms on capped at 0.02; Linux adds 0.02
    // above 250 ms.
    let delays = [20, 30, 40, 60, 100, 200, 300, 300, 100];
    let first = [1.251_221e-5, 1.248_169e-4, 6.130_981e-4, 1.570_129e-3, 9.148_254e-3, 2.766_388e-2];
    let rfc = [0.107_976_4, 0.127_976_4, 0.0];
    let linux = [0.127_976_4, 0.167_976_4, 0.0];
    for (preset, last) in [(Preset::Rfc, rfc), (Preset::Linux, linux)] {
        let expected = first.iter().chain(&last);
        for ((got, expected), delay) in after(&Config::of(preset), &delays).iter().zip(expected).zip(delays) {
            assert!((got - expected).abs() <= 1e-6 * expected, "{preset:?} {delay} ms: {got} for {expected}");
        }
    }
}

#[test]
fn every_scale_holds_below_its_probability() {
    let table =
        [(9e-7, 2048.0), (9e-6, 512.0), (9e-5, 128.0), (9e-4, 32.0), (9e-3, 8.0), (0.09, 2.0), (0.1, 1.0)];
    for (p, expected) in table {
        assert_eq!(scale(p), expected, "{p}");
    }
}

#[test]
fn without_a_delay_the_probability_decays() {
    // 0.125 x 0.015 are taken off, then 2 %; Linux: 1/64.
    for (preset, factor) in [(Preset::Rfc, 0.98), (Preset::Linux, 63.0 / 64.0)] {
        let config = Config::of(preset);
        let mut controller = Controller { drop_prob: 0.5, ..Controller::new(&config) };
        controller.update(&config);
        assert!(
            (controller.drop_prob - (0.5 - 0.001_875) * factor).abs() < 1e-12,
            "{}",
            controller.drop_prob
        );
    }
}

#[test]
fn a_burst_passes_and_is_allowed_again_after_a_quiet_time() {
    let config = Config::default();
    let law = Law::new(&config, "pie", &setup(1));
    let mut controller = Controller { drop_prob: 1.0, current_qdelay: ms(300), ..Controller::new(&config) };
    let arrives = |now, controller: &mut Controller| controller.on_arrival(&law, at(now), 0, 10_000, false);
    // Ten updates of 15 ms use up 150 ms.
    assert_eq!(arrives(149, &mut controller), Verdict::Accept);
    assert_eq!(arrives(150, &mut controller), Verdict::Drop(Cause::EarlyDrop));
    controller = Controller { burst_allowance: ms(15), ..congested(&config, 0.0) };
    arrives(150, &mut controller);
    assert_eq!(controller.burst_allowance, ms(15), "delays of 20 ms are no quiet time");
    (controller.current_qdelay, controller.qdelay_old) = (ms(7), ms(7));
    arrives(150, &mut controller);
    assert_eq!(controller.burst_allowance, ms(150));
}

#[test]
fn drops_are_neither_close_together_nor_far_apart() {
    let config = Config::default();
    let drops: Vec<usize> = verdicts(&config, 0.01, 1, 1_000_000)
        .iter()
        .enumerate()
        .filter(|(_, verdict)| **verdict != Verdict::Accept)
        .map(|(place, _)| place)
        .collect();
    let distances: Vec<usize> = drops.windows(2).map(|pair| pair[1] - pair[0]).collect();
    // Sums of 0.01 pass 0.85 after 85 packets and reach 8.5 after 850; sums of floats may take one more.
    assert!(distances.iter().all(|distance| (85..=851).contains(distance)), "{distances:?}");
    // The draws between have 1 in 100: 85 + 99 packets on average, with a deviation of 100 over 5000 distances.
    let mean = distances.iter().sum::<usize>() as f64 / distances.len() as f64;
    assert!((mean - 184.0).abs() < 8.0, "{mean}");
}

#[test]
fn independent_draws_have_the_probability() {
    let config = Config { derandomize: false, ..Config::default() };
    let verdicts = verdicts(&config, 0.3, 1, 10_000);
    let drops = verdicts.iter().filter(|verdict| **verdict != Verdict::Accept).count() as f64;
    // Four standard deviations of a binomial number: 4 sqrt(10,000 x 0.3 x 0.7).
    assert!((drops - 3000.0).abs() < 184.0, "{drops}");
}

#[test]
fn draws_depend_on_the_seed() {
    let config = Config::default();
    assert_eq!(verdicts(&config, 0.1, 1, 1000), verdicts(&config, 0.1, 1, 1000));
    assert_ne!(verdicts(&config, 0.1, 1, 1000), verdicts(&config, 0.1, 2, 1000));
}

#[test]
fn marks_take_the_place_of_drops_up_to_a_probability() {
    let config = Config { ecn: true, ..Config::default() };
    for (drop_prob, expected) in [(0.099, Verdict::Mark), (0.101, Verdict::Drop(Cause::EarlyDrop))] {
        let mut kinds = verdicts(&config, drop_prob, 1, 10_000);
        kinds.retain(|verdict| *verdict != Verdict::Accept);
        assert!(kinds.len() > 100 && kinds.iter().all(|verdict| *verdict == expected), "{drop_prob}");
    }
}

#[test]
fn a_short_queue_or_a_small_delay_is_no_congestion() {
    let config = Config::default();
    let law = Law::new(&config, "pie", &setup(1));
    let drops = |qdelay_old, drop_prob, bytes| {
        let mut controller = Controller { qdelay_old, ..congested(&config, drop_prob) };
        (0..1000).any(|n| controller.on_arrival(&law, at(0), n, bytes, false) != Verdict::Accept)
    };
    assert!(drops(ms(8), 0.1, 3001));
    assert!(!drops(ms(8), 0.1, 3000), "two packets");
    assert!(!drops(ms(7), 0.1, 3001), "less than half of the target");
    assert!(drops(ms(7), 0.2, 3001), "a probability of 0.2");
}

#[test]
fn updates_read_the_delay_of_the_last_departure() {
    let mut queue = Pie::new(&Config::default(), &setup(1));
    let mut cx = Context::new(1);
    let offer = |now| Offer { now, size: 100, can_be_marked: false };
    for n in 0..3 {
        queue.on_arrival(&offer(at(0)), &queue.backlog());
        queue.push(super::super::fifo::tests::entry(PacketId(n), Class::Data, at(0)), &mut cx);
    }
    cx.now = at(20);
    queue.pop(&mut cx);
    assert_eq!(queue.controller.drop_prob, 0.0);
    cx.now = at(40);
    queue.pop(&mut cx);
    // The update at 30 ms saw 20 ms.
    let expected = (0.125 * 0.005 + 1.25 * 0.02) / 2048.0;
    assert!((queue.controller.drop_prob - expected).abs() < 1e-15, "{}", queue.controller.drop_prob);
    cx.now = at(50);
    queue.pop(&mut cx);
    assert_eq!(queue.controller.current_qdelay, Duration::ZERO, "nothing waits any more");
    // A long time later nothing is left, and updates are at the same instants.
    queue.on_arrival(&offer(at(1_000_000_007)), &queue.backlog());
    assert_eq!((queue.controller.drop_prob, queue.controller.next_update), (0.0, at(1_000_000_020)));
}

#[test]
fn a_full_queue_drops_and_ends_the_sum() {
    let config = Config { limit: Amount::Packets(5), ..Config::default() };
    let mut queue = Pie::new(&config, &setup(1));
    queue.controller.accu_prob = 0.8;
    let backlog = Backlog { packets: 5, bytes: 500, ..Backlog::default() };
    let offer = Offer { now: at(0), size: 100, can_be_marked: true };
    assert_eq!(queue.on_arrival(&offer, &backlog), Verdict::Drop(Cause::QueueFull));
    assert_eq!(queue.controller.accu_prob, 0.0);
}
