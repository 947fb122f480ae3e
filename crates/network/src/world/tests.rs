mod aodv;
mod arp;
mod broadcast;
mod dcf;
mod discards;
mod dsdv;
mod dsr;
mod errors;
mod frn;
mod frn_duplicates;
mod frn_routes;
mod hosts;
mod jitter;
mod ledger;
mod marks;
mod notices;
mod olsr;
mod policer;
mod queue_delay;
mod random;
mod reconverge;
mod relay;
mod shaper;
mod shared_channel;
mod shortest_path;
mod stations;
mod together;
mod underwater;
mod underwater_theory;
mod verbs;
mod voice;
mod watch;
mod workloads;

use super::*;
use crate::blueprint::{Channel, Flow, Link, Node, Part, Record};
use crate::channel::error;
use crate::ids::{FlowId, NodeId};
use crate::interface::link;
use crate::packet::Cause;
use crate::payload::Payload;
use crate::results::{FlowResult, Results, StationResult};
use crate::schedule::{Interval, Outage, Schedule, Start};
use crate::space::Position;
use crate::{app, host, queue, routing};
use farlink_kernel::config::Fraction;
use farlink_kernel::{BitRate, Bytes, Duration};
use farlink_tcp::Amount;
use farlink_tcp::config::EcnMode;

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn at(n: u64) -> Instant {
    Instant::ZERO + ms(n)
}

fn file(size: u64) -> app::Config {
    app::Config::File(app::file::Config { size: Bytes(size) })
}

fn flow(from: NodeId, to: NodeId, application: app::Config) -> Flow {
    Flow {
        label: format!("{from} to {to}"),
        from,
        to,
        start: Start::At(Instant::ZERO),
        stop: None,
        application,
        tcp: farlink_tcp::Config::default(),
        payload: Payload::Pattern,
    }
}

fn direction(mbps: u64, delay: u64, limit: u64) -> link::Config {
    link::Config {
        rate: Schedule::Constant(BitRate::from_bps(mbps * 1_000_000)),
        delay: Schedule::Constant(ms(delay)),
        queue: queue::Config::DropTail(queue::drop_tail::Config { limit: Amount::Packets(limit) }),
        ..link::Config::default()
    }
}

fn link(from: NodeId, to: NodeId, direction: &link::Config) -> Link {
    Link { between: [from, to], forward: direction.clone(), reverse: direction.clone() }
}

fn blueprint(nodes: usize, links: Vec<Link>, flows: Vec<Flow>, seconds: u64) -> Blueprint {
    Blueprint {
        nodes: (0..nodes).map(|i| Node::at(format!("n{i}"), Position::default())).collect(),
        links,
        channels: Vec::<Channel>::new(),
        routing: routing::Config::ShortestPath(routing::shortest_path::Config::default()),
        host_delay: host::Config::named("none").unwrap(),
        flows,
        workloads: Vec::new(),
        record: Record::default(),
        duration: Duration::from_secs(seconds),
    }
}

fn run(blueprint: &Blueprint, seed: u64) -> Results {
    let mut world = World::new(blueprint, seed).unwrap();
    world.run_until(Instant::NEVER);
    world.finish()
}

fn loss(rate: f64) -> error::Config {
    let config = error::packet_error_rate::Config { rate: Fraction(rate), ..Default::default() };
    error::Config::PacketErrorRate(config)
}

#[test]
fn a_bulk_flow_fills_a_link() {
    let results = run(
        &blueprint(
            2,
            vec![link(NodeId(0), NodeId(1), &direction(10, 20, 100))],
            vec![flow(NodeId(0), NodeId(1), app::Config::named("bulk").unwrap())],
            20,
        ),
        1,
    );
    let FlowResult { goodput_bps, packets_sent, packets_delivered, .. } = results.flows[0];
    // 1448 of 1500 bytes are payload.
    assert!(goodput_bps > 0.9 * 10e6 && goodput_bps <= 10e6 * 1448.0 / 1500.0, "{goodput_bps}");
    assert!(packets_delivered <= packets_sent);
    assert!(results.links[0].utilisation > 0.93 && results.links[0].utilisation <= 1.0);
    let shares: f64 = results.flows[0].limited_by.iter().map(|(_, share)| share).sum();
    assert!((shares - 1.0).abs() < 1e-9, "{shares}");
}

#[test]
fn a_file_completes_and_nothing_is_left_under_way() {
    let results = run(
        &blueprint(
            2,
            vec![link(NodeId(0), NodeId(1), &direction(10, 20, 100))],
            vec![flow(NodeId(0), NodeId(1), file(1_000_000))],
            60,
        ),
        1,
    );
    let flow = &results.flows[0];
    assert_eq!(flow.bytes_received, Bytes(1_000_000));
    let completion = flow.completion.expect("it completes");
    // 691 packets at 10 Mbit/s take 0.83 s, slow start a few round trips of 40 ms more.
    assert!(completion > ms(830) && completion < ms(1300), "{completion}");
    assert!(flow.rtt_min.unwrap() >= ms(40));
    assert!(flow.delay_mean.unwrap() >= ms(20));
}

#[test]
fn the_same_seed_gives_the_same_results_and_another_one_others() {
    let lossy = link::Config { error: loss(0.01), ..direction(10, 20, 100) };
    let scene = blueprint(
        2,
        vec![link(NodeId(0), NodeId(1), &lossy)],
        vec![flow(NodeId(0), NodeId(1), app::Config::named("bulk").unwrap())],
        10,
    );
    assert_eq!(run(&scene, 1), run(&scene, 1));
    assert_ne!(run(&scene, 1), run(&scene, 2));
}

#[test]
fn slices_change_nothing() {
    let scene = blueprint(
        2,
        vec![link(NodeId(0), NodeId(1), &direction(10, 20, 10))],
        vec![flow(NodeId(0), NodeId(1), app::Config::named("bulk").unwrap())],
        5,
    );
    let mut world = World::new(&scene, 1).unwrap();
    for step in 0..500 {
        world.run_until(at(step * 10));
    }
    assert!(world.next_event().is_some());
    world.run_until(Instant::NEVER);
    assert_eq!(world.next_event(), None);
    assert_eq!(world.finish(), run(&scene, 1));
}

#[test]
fn stored_bytes_survive_loss_reordering_duplication_and_corruption() {
    let part = Fraction(0.02);
    let impair = error::impair::Config {
        lose: part,
        corrupt: part,
        duplicate: part,
        reorder: part,
        ..Default::default()
    };
    let bad = link::Config { error: error::Config::Impair(impair), ..direction(10, 10, 100) };
    let mut transfer = flow(NodeId(0), NodeId(1), file(500_000));
    transfer.payload = Payload::Stored;
    let results = run(&blueprint(2, vec![link(NodeId(0), NodeId(1), &bad)], vec![transfer], 600), 3);
    let expected: Vec<u8> = crate::payload::pattern(FlowId(0), 0, 500_000).collect();
    assert!(results.flows[0].received.as_deref() == Some(&expected[..]));
    let causes: Vec<_> = results.drops.iter().map(|(name, _)| *name).collect();
    assert!(causes.contains(&"corrupted") && causes.contains(&"link_error"), "{causes:?}");
}

#[test]
fn packets_are_forwarded_over_the_shortest_path() {
    let fast = direction(10, 5, 100);
    let links = vec![
        link(NodeId(0), NodeId(1), &fast),
        link(NodeId(1), NodeId(2), &fast),
        link(NodeId(0), NodeId(2), &direction(10, 50, 100)),
    ];
    let results = run(&blueprint(3, links, vec![flow(NodeId(0), NodeId(2), file(100_000))], 60), 1);
    assert!(results.flows[0].completion.is_some());
    assert!(results.links[0].packets > 60 && results.links[4].packets == 0);
}

#[test]
fn an_outage_drops_and_is_notified_to_both_ends_when_asked() {
    let mut cut = link(NodeId(1), NodeId(2), &direction(10, 5, 100));
    cut.forward.down = vec![Outage::once(at(500), at(2000))];
    let mut scene = blueprint(
        3,
        vec![link(NodeId(0), NodeId(1), &direction(10, 5, 100)), cut],
        vec![flow(NodeId(0), NodeId(2), app::Config::named("bulk").unwrap())],
        10,
    );
    let config = routing::shortest_path::Config { route_notifications: true, ..Default::default() };
    scene.routing = routing::Config::ShortestPath(config);
    let mut world = World::new(&scene, 1).unwrap();
    world.run_until(Instant::NEVER);
    let heard = |end| world.connection(FlowId(0), end).unwrap().notices().to_vec();
    let (sender, receiver) = (heard(End::Sender), heard(End::Receiver));
    assert!(
        matches!(sender[..], [farlink_tcp::Notice::RouteFailed { .. }, farlink_tcp::Notice::RouteRestored]),
        "{sender:?}"
    );
    assert_eq!(receiver, [farlink_tcp::Notice::RouteRestored]);
    let drops = world.finish().drops;
    assert!(drops.iter().any(|&(cause, _)| cause == Cause::LinkDown.word()), "{drops:?}");
}

#[test]
fn an_outage_that_recurs_is_notified_each_time() {
    let mut cut = link(NodeId(0), NodeId(1), &direction(10, 5, 100));
    let first = Interval { start: at(500), end: at(700) };
    cut.forward.down = vec![Outage { first, period: Some(ms(1000)) }];
    let mut scene =
        blueprint(2, vec![cut], vec![flow(NodeId(0), NodeId(1), app::Config::named("bulk").unwrap())], 5);
    let config = routing::shortest_path::Config { route_notifications: true, ..Default::default() };
    scene.routing = routing::Config::ShortestPath(config);
    let mut world = World::new(&scene, 1).unwrap();
    world.run_until(Instant::NEVER);
    let heard = world.connection(FlowId(0), End::Receiver).unwrap().notices();
    // Of five outages one falls into the sender's wait for a timeout: no packet notices it.
    assert_eq!(heard, [farlink_tcp::Notice::RouteRestored; 4]);
}

#[test]
fn datagrams_flow_at_their_rate_beside_tcp() {
    let flows = vec![
        flow(NodeId(0), NodeId(1), app::Config::named("bulk").unwrap()),
        flow(NodeId(0), NodeId(1), app::Config::named("constant_bit_rate").unwrap()),
    ];
    let results = run(&blueprint(2, vec![link(NodeId(0), NodeId(1), &direction(10, 20, 50))], flows, 20), 1);
    let datagrams = &results.flows[1];
    // 1 Mbit/s of 1000-byte payloads for 20 s.
    assert_eq!(datagrams.packets_sent, 2501);
    assert!(datagrams.delivery_ratio > 0.9, "{}", datagrams.delivery_ratio);
    assert!(datagrams.limited_by.is_empty());
}

#[test]
fn a_flow_that_stops_sends_nothing_after() {
    let mut short = flow(NodeId(0), NodeId(1), app::Config::named("bulk").unwrap());
    short.stop = Some(at(2000));
    let results =
        run(&blueprint(2, vec![link(NodeId(0), NodeId(1), &direction(10, 20, 50))], vec![short], 20), 1);
    let completion = results.flows[0].completion.expect("it ends");
    assert!(completion >= ms(2000) && completion < ms(2400), "{completion}");
}

#[test]
fn every_queue_carries_a_flow() {
    for name in queue::Config::NAMES {
        let mut line = direction(10, 20, 50);
        line.queue = queue::Config::named(name).unwrap();
        let results = run(
            &blueprint(
                2,
                vec![link(NodeId(0), NodeId(1), &line)],
                vec![flow(NodeId(0), NodeId(1), app::Config::named("bulk").unwrap())],
                20,
            ),
            1,
        );
        // The link has 10 Mbit/s, policer and shaper pass 5.
        let least = if ["policer", "shaper"].contains(name) { 4e6 } else { 6e6 };
        assert!(results.flows[0].goodput_bps > least, "{name}: {}", results.flows[0].goodput_bps);
    }
}

#[test]
fn marks_are_echoed_and_obeyed_without_drops() {
    let mut line = direction(10, 20, 50);
    let codel = queue::codel::Config { ecn: true, ..Default::default() };
    line.queue = queue::Config::Codel(codel);
    let mut capable = flow(NodeId(0), NodeId(1), app::Config::named("bulk").unwrap());
    capable.tcp.ecn = EcnMode::Classic;
    let results = run(&blueprint(2, vec![link(NodeId(0), NodeId(1), &line)], vec![capable], 30), 1);
    assert_eq!(results.drops, []);
    assert!(results.flows[0].goodput_bps > 8e6 && results.links[0].queue_mean_packets < 20.0, "{results:?}");
}

#[test]
fn series_have_a_row_per_flow_and_sample() {
    let mut scene = blueprint(
        2,
        vec![link(NodeId(0), NodeId(1), &direction(10, 20, 50))],
        vec![flow(NodeId(0), NodeId(1), app::Config::named("bulk").unwrap())],
        1,
    );
    scene.record.interval = Some(ms(100));
    let results = run(&scene, 1);
    assert_eq!(results.flow_series.time_ns.len(), 11);
    assert_eq!(results.link_series.time_ns.len(), 22);
    assert!(results.flow_series.snd_una_bytes.is_sorted());
}

#[test]
fn a_flow_without_a_path_is_refused() {
    let BuildError { part, why } = World::new(
        &blueprint(
            3,
            vec![link(NodeId(0), NodeId(1), &direction(10, 20, 50))],
            vec![flow(NodeId(0), NodeId(2), file(1))],
            1,
        ),
        1,
    )
    .unwrap_err();
    assert_eq!((part, &*why.key), (Part::Flow(0), "to"));
    assert!(why.message.contains("n0 to n2"), "{}", why.message);
}
