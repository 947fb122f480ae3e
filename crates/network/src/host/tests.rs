use farlink_kernel::{Duration, Instant};

use super::line::Line;
use super::*;
use crate::ids::PacketId;

fn us(micros: u64) -> Instant {
    Instant::from_nanos(1_000 * micros)
}

/// When a host is done with packets that come at these microseconds, in nanoseconds.
fn done(config: &Config, seed: u64, arrivals: impl IntoIterator<Item = u64>) -> Vec<u64> {
    let mut line = Line::new(config.build(&Setup { seed, node: 0, direction: Direction::Up }));
    let mut done = Vec::new();
    let mut expected = 0;
    for (at, id) in arrivals.into_iter().zip(0..) {
        line.take(us(at), PacketId(id));
        done.push(line.free().as_nanos());
    }
    while let Some((packet, _)) = line.hand_on() {
        assert_eq!(packet, PacketId(expected));
        expected += 1;
    }
    done
}

fn samples(packet: &[u64], burst: &[u64]) -> Config {
    let times = |micros: &[u64]| micros.iter().copied().map(Duration::from_micros).collect();
    Config::Samples(samples::Config { packet: times(packet), burst: times(burst) })
}

#[test]
fn a_burst_waits_once_and_its_packets_follow_one_another() {
    let config = samples(&[10], &[100]);
    // Three at once, one while the host is busy, one after it was idle.
    assert_eq!(done(&config, 1, [0, 0, 0, 115, 500]), [110_000, 120_000, 130_000, 140_000, 610_000]);
}

#[test]
fn lists_are_drawn_from_evenly_and_by_the_seed() {
    let config = samples(&[1, 2, 3, 4], &[]);
    let arrivals = || (0..4_000).map(|number| 100 * number);
    let first = done(&config, 1, arrivals());
    let took = first.iter().zip(arrivals()).map(|(done, at)| done / 1_000 - at);
    let mut counts = [0; 5];
    took.for_each(|micros| counts[micros as usize] += 1);
    assert!(counts[0] == 0 && counts[1..].iter().all(|count| (900..1_100).contains(count)), "{counts:?}");
    assert_eq!(first, done(&config, 1, arrivals()));
    assert_ne!(first, done(&config, 2, arrivals()));
}

#[test]
fn no_host_reorders() {
    for name in Config::NAMES {
        let config = Config::named(name).expect("registered");
        for config in [config, samples(&[1, 500], &[0, 3_000])] {
            let done = done(&config, 7, (0..20_000).map(|number| 120 * number));
            assert!(done.is_sorted(), "{name}");
        }
    }
}

/// Shares of packets later than these, of a packet every 120 us as `satellite` delivers them.
#[test]
fn linux_vm_is_as_late_as_the_recorded_machine() {
    let arrivals = || (0..500_000).map(|number| 120 * number);
    let done = done(&Config::named("linux_vm").expect("registered"), 1, arrivals());
    let late: Vec<_> = done.iter().zip(arrivals()).map(|(done, at)| done / 1_000 - at).collect();
    let beyond = |limit| late.iter().filter(|&&late| late > limit).count() as f64 / late.len() as f64;
    for (limit, low, high) in [(50, 0.08, 0.16), (100, 0.010, 0.05), (1_000, 0.0003, 0.004)] {
        assert!((low..high).contains(&beyond(limit)), "{} beyond {limit} us", beyond(limit));
    }
    assert!(late.iter().max() < Some(&12_000));
}
