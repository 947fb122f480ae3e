use super::*;
use crate::channel::error;
use crate::ids::NodeId;
use crate::packet::Class;
use crate::packet::tests::datagram;
use crate::schedule::Steps;
use farlink_tcp::Amount;

fn ms(n: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(n)
}

/// 1000 bytes take 1 ms; they arrive at once.
fn direction() -> Config {
    Config {
        rate: Schedule::Constant(BitRate::from_bps(8_000_000)),
        delay: Schedule::Constant(Duration::ZERO),
        ..Config::default()
    }
}

fn link(config: &Config) -> (Link, Context) {
    let setup = queue::Setup { seed: 1, interface: 0, rate: BitRate::from_bps(8_000_000) };
    let error = config.error.build(&error::Setup { seed: 1, link: 0 });
    let pipe = Pipe::new(config.delay.clone(), Some(error), None);
    let usage = Usage::new(ms(1_000_000));
    (Link::new([0, 1].map(NodeId), config, config.queue.build(&setup), pipe, usage), Context::new(1))
}

/// Offers packets of 1000 bytes at these times; when each that arrives does.
fn arrivals(config: &Config, offered: &[u64]) -> Vec<Instant> {
    let (mut link, mut cx) = link(config);
    let (mut offered, mut found, mut sent) = (offered.iter().peekable(), Vec::new(), None);
    let mut arrival = None;
    loop {
        arrival = link.pipe.wants_event().or(arrival);
        sent = link.wants_event().or(sent);
        let offer = offered.peek().map(|&&at| ms(at));
        let Some(next) = [sent, arrival, offer].into_iter().flatten().min() else { return found };
        cx.now = next;
        if sent == Some(next) {
            sent = None;
            link.on_sent(&mut cx);
        } else if arrival == Some(next) {
            arrival = None;
            found.extend(link.pipe.arrive(next).map(|_| next));
        } else {
            offered.next();
            let packet = cx.packets.originate(datagram(1000));
            link.on_packet(packet, 1000, Class::Data, &mut cx);
        }
    }
}

fn queue_of(limit: u64) -> queue::Config {
    queue::Config::DropTail(queue::drop_tail::Config { limit: Amount::Packets(limit) })
}

#[test]
fn a_shaper_lets_a_burst_pass_at_the_rate_of_the_link_and_the_rest_at_its_own() {
    let shaper = queue::shaper::Config {
        rate: BitRate::from_bps(4_000_000),
        burst: Bytes(3000),
        ..Default::default()
    };
    let config = Config { queue: queue::Config::Shaper(shaper), ..direction() };
    // The k-th starts when the link is free, k - 1 ms, and burst and rate times time are 8000 k bits: 2 (k - 3) ms.
    let expected = (1..=10_u64).map(|k| ms((k - 1).max(2 * k.saturating_sub(3)) + 1));
    assert_eq!(arrivals(&config, &[0; 10]), expected.collect::<Vec<_>>());
}

#[test]
fn a_packet_in_a_shaper_waits_and_counts_for_its_limit() {
    let shaper = queue::shaper::Config {
        rate: BitRate::from_bps(4_000_000),
        burst: Bytes(1000),
        limit: Amount::Packets(2),
    };
    let config = Config { queue: queue::Config::Shaper(shaper), ..direction() };
    // Starts at 0, 2 and 4 ms; at 1 ms the two that wait fill it, at 2 ms there is room again.
    assert_eq!(arrivals(&config, &[0, 0, 0, 1, 2]), [ms(1), ms(3), ms(5), ms(7)]);
}

#[test]
fn packets_leave_one_after_the_other() {
    assert_eq!(arrivals(&direction(), &[0, 0, 5]), [ms(1), ms(2), ms(6)]);
}

#[test]
fn the_packet_being_sent_does_not_wait() {
    let config = Config { queue: queue_of(2), ..direction() };
    assert_eq!(arrivals(&config, &[0, 0, 0, 0, 0]), [ms(1), ms(2), ms(3)]);
    assert_eq!(arrivals(&config, &[0, 0, 0, 1, 1]), [ms(1), ms(2), ms(3), ms(4)]);
}

#[test]
fn a_stored_queue_serves_at_the_same_times_as_a_foreseen_one() {
    let codel = queue::Config::Codel(queue::codel::Config::default());
    let offered: Vec<u64> = (0..200).map(|i| i * i % 7 + i / 2).collect::<Vec<_>>();
    let mut sorted = offered;
    sorted.sort_unstable();
    let long = Config { queue: queue_of(1000), ..direction() };
    let lenient = queue::codel::Config { target: Duration::from_secs(10), ..queue::codel::Config::default() };
    let stored = Config { queue: queue::Config::Codel(lenient), ..direction() };
    assert_eq!(arrivals(&stored, &sorted), arrivals(&long, &sorted));
    assert!(arrivals(&Config { queue: codel, ..direction() }, &sorted).len() <= 200);
}

#[test]
fn what_would_start_in_an_outage_is_lost_and_what_is_under_way_arrives() {
    let down = vec![Outage::once(ms(2), ms(4))];
    let config = Config { down, ..direction() };
    assert_eq!(arrivals(&config, &[0, 0, 0, 3, 5]), [ms(1), ms(2), ms(6)]);
}

#[test]
fn a_rate_that_changes_splits_a_packet() {
    // 8 Mbit/s for 0.5 ms of the packet, nothing until 3 ms, then half the rate for the rest.
    let rates = [(0, 8_000_000), (1, 0), (3, 4_000_000)];
    let points = rates.iter().map(|&(at, bps)| (ms(at), BitRate::from_bps(bps))).collect();
    let config = Config { rate: Schedule::Steps(Steps { points, period: None }), ..direction() };
    let (mut link, _) = link(&config);
    assert_eq!(link.sent_at(ms(0) + Duration::from_micros(500), 1000), ms(4));
}

#[test]
fn marks_reach_the_packet() {
    let weight = config::Fraction(0.5);
    let red = queue::red::Config { ecn: true, weight, ..queue::red::Config::default() };
    let config = Config { queue: queue::Config::Red(red), ..direction() };
    let (mut link, mut cx) = link(&config);
    let mut marked = 0;
    for _ in 0..40 {
        let packet = cx.packets.originate(Packet { ecn: Ecn::Ect0, ..datagram(1000) });
        link.on_packet(packet, 1000, Class::Data, &mut cx);
        marked += usize::from(cx.packets[packet].ecn == Ecn::Experienced);
    }
    assert!(marked > 0);
    assert_eq!(cx.packets.account(Class::Data).originated, 40);
}
