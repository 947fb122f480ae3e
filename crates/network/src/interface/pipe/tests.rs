use super::*;
use crate::channel::error::Setup;
use crate::channel::jitter;
use crate::channel::jitter::tests::{critical, distance};
use crate::packet::tests::datagram;
use crate::schedule::Steps;
use farlink_kernel::config::Fraction;

fn ms(n: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(n)
}

fn pipe(delay: Schedule<Duration>, error: &error::Config) -> (Pipe, Context) {
    (Pipe::new(delay, Some(error.build(&Setup { seed: 1, link: 0 })), None), Context::new(1))
}

/// Everything that arrives with its time, driven by the events the pipe wants.
fn arrivals(pipe: &mut Pipe) -> Vec<(Instant, PacketId)> {
    let mut found = Vec::new();
    while let Some(at) = pipe.wants_event() {
        found.extend(pipe.arrive(at).map(|packet| (at, packet)));
    }
    found
}

#[test]
fn packets_keep_their_order_when_the_delay_shrinks() {
    let steps = Steps {
        points: vec![(ms(0), Duration::from_millis(50)), (ms(10), Duration::from_millis(20))],
        period: None,
    };
    let (mut pipe, mut cx) = pipe(Schedule::Steps(steps), &error::Config::Perfect(error::none::Config {}));
    for sent in [0, 10, 40] {
        let packet = cx.packets.originate(datagram(100));
        pipe.send((packet, 0), 100, Class::Data, ms(sent), &mut cx);
    }
    assert_eq!(arrivals(&mut pipe), [(ms(50), PacketId(0)), (ms(50), PacketId(1)), (ms(60), PacketId(2))]);
}

#[test]
fn a_held_packet_is_overtaken() {
    let config = error::impair::Config { reorder: Fraction(0.5), ..error::impair::Config::default() };
    let (mut pipe, mut cx) =
        pipe(Schedule::Constant(Duration::from_millis(5)), &error::Config::Impair(config));
    for sent in 0..100 {
        let packet = cx.packets.originate(datagram(100));
        pipe.send((packet, 0), 100, Class::Data, ms(sent), &mut cx);
    }
    let found = arrivals(&mut pipe);
    assert!(found.is_sorted_by_key(|&(at, _)| at));
    assert!(!found.is_sorted_by_key(|&(_, packet)| packet));
    assert_eq!(found.len(), 100);
}

fn jittered(name: &str, in_order: bool) -> Pipe {
    let mut config = jitter::Config::named(name).unwrap();
    *config.in_order_mut() = in_order;
    Pipe::new(Schedule::Constant(PROPAGATION), None, Some(Delays::new(&config, 1, 0)))
}

const PROPAGATION: Duration = Duration::from_millis(20);

/// Sends packets at an interval, and takes out what arrives before each; the instants in the order of arrival.
fn sent_every(interval: Duration, packets: u64, pipe: &mut Pipe) -> Vec<(Instant, PacketId)> {
    let mut cx = Context::new(1);
    let (mut found, mut due) = (Vec::new(), Instant::NEVER);
    for number in 0..packets {
        let sent = Instant::ZERO + interval * number;
        while due <= sent {
            found.extend(pipe.arrive(due).map(|packet| (due, packet)));
            due = pipe.wants_event().unwrap_or(Instant::NEVER);
        }
        let packet = cx.packets.originate(datagram(100));
        pipe.send((packet, 0), 100, Class::Data, sent, &mut cx);
        due = pipe.wants_event().unwrap_or(due);
    }
    found.extend(pipe.arrive(due).map(|packet| (due, packet)));
    found.extend(arrivals(pipe));
    found
}

fn delays(found: &[(Instant, PacketId)], interval: Duration) -> Vec<Duration> {
    let sent = |packet: PacketId| Instant::ZERO + interval * u64::from(packet.0);
    found.iter().map(|&(at, packet)| at - sent(packet)).collect()
}

#[test]
fn jitter_in_order_hands_the_same_instants_to_packets_in_the_order_of_sending() {
    let interval = Duration::from_millis(1);
    for name in jitter::Config::NAMES {
        let [ordered, free] =
            [true, false].map(|in_order| sent_every(interval, 2000, &mut jittered(name, in_order)));
        assert!(ordered.is_sorted_by_key(|&(_, packet)| packet), "{name}");
        assert!(!free.is_sorted_by_key(|&(_, packet)| packet), "{name}");
        assert!(ordered.iter().map(|(at, _)| at).eq(free.iter().map(|(at, _)| at)), "{name}");
        let total =
            |found| delays(found, interval).into_iter().fold(Duration::ZERO, Duration::saturating_add);
        assert_eq!(total(&ordered), total(&free), "{name}");
        let least = delays(&ordered, interval).into_iter().min().unwrap();
        assert!(least >= PROPAGATION, "{name}: a packet arrives {least} after it was sent");
    }
}

#[test]
fn jitter_of_ten_thousand_packets_has_its_distribution_in_both_orders() {
    // So far apart that a later packet comes first in fewer than 5 of 10 000 cases: the tail of `pareto` beyond it is 3e-4.
    for (interval, in_order) in [(Duration::from_millis(80), true), (Duration::from_millis(1), false)] {
        for name in jitter::Config::NAMES {
            let found = sent_every(interval, 10_000, &mut jittered(name, in_order));
            let drawn: Vec<Duration> =
                delays(&found, interval).into_iter().map(|delay| delay - PROPAGATION).collect();
            let distance = distance(name, &drawn);
            assert!(distance < critical(10_000), "{name}, in order {in_order}: {distance}");
        }
    }
}

#[test]
fn a_duplicate_and_a_held_packet_have_jitter_too() {
    let half = Fraction(0.5);
    let impair = error::impair::Config { duplicate: half, reorder: half, ..error::impair::Config::default() };
    let error = error::Config::Impair(impair).build(&Setup { seed: 1, link: 0 });
    let uniform = jitter::Config::named("uniform").unwrap();
    let mut pipe = Pipe::new(Schedule::Constant(PROPAGATION), Some(error), Some(Delays::new(&uniform, 1, 0)));
    let found = sent_every(Duration::from_secs(1), 100, &mut pipe);
    let copies = found.len() - 100;
    assert!((30..70).contains(&copies), "{copies}");
    let on_time = found.iter().filter(|(at, _)| at.as_nanos() % 1_000_000_000 == PROPAGATION.as_nanos());
    assert_eq!(on_time.count(), 0);
}
