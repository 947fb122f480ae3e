//! One TCP connection split into two at a gateway.

use super::*;
use crate::ids::{FlowId, NodeId};
use farlink_tcp::congestion;

const BUFFER: u64 = 20_000;
const RECEIVE_BUFFER: u64 = 16_000;

/// A flow from 1 to 2 that passes on what `0 to 1` delivers.
fn relay(payload: Payload) -> Flow {
    let config = app::relay::Config { flow: "0 to 1".into(), buffer: Bytes(BUFFER) };
    let mut second = flow(NodeId(1), NodeId(2), app::Config::Relay(config));
    second.payload = payload;
    second
}

/// A fast wire, a gateway, and a slow wire that loses packets.
fn split(application: app::Config, payload: Payload, seconds: u64) -> Blueprint {
    let slow = link::Config { error: loss(0.02), ..direction(1, 20, 50) };
    let mut first = flow(NodeId(0), NodeId(1), application);
    first.payload = payload;
    first.tcp.receive_buffer = Bytes(RECEIVE_BUFFER);
    let links = vec![link(NodeId(0), NodeId(1), &direction(100, 5, 100)), link(NodeId(1), NodeId(2), &slow)];
    blueprint(3, links, vec![first, relay(payload)], seconds)
}

#[test]
fn the_bytes_of_a_file_cross_both_connections_and_both_end() {
    let mut scene = split(file(300_000), Payload::Stored, 60);
    scene.flows[1].tcp.congestion_control = congestion::Config::named("westwood").expect("registered");
    let results = run(&scene, 1);
    let [first, second] = &results.flows[..] else { panic!("two flows") };
    assert_eq!((first.bytes_received, second.bytes_received), (Bytes(300_000), Bytes(300_000)));
    assert_eq!(first.sent, second.received);
    assert_eq!(second.sent, second.received);
    assert_eq!(first.sent.as_ref().map(Vec::len), Some(300_000));
    assert!(first.completion.unwrap() < second.completion.unwrap());
    assert!(
        second.packets_retransmitted > 0 && first.packets_retransmitted == 0,
        "losses stay behind the gateway"
    );
}

#[test]
fn a_gateway_never_holds_more_than_its_two_buffers_and_the_first_sender_waits() {
    let mut world = World::new(&split(app::Config::named("bulk").unwrap(), Payload::Pattern, 30), 1).unwrap();
    let mut most = 0;
    for slice in 1..=3000 {
        world.run_until(at(slice * 10));
        let received = |flow: FlowId, end| world.connection(flow, end).unwrap().received();
        let (came, left) = (received(FlowId(0), End::Receiver), received(FlowId(1), End::Receiver));
        assert!(came >= left && came - left <= BUFFER + RECEIVE_BUFFER, "{came} {left}");
        most = most.max(came - left);
    }
    assert!(most > BUFFER, "{most}");
    world.audit();
    let results = world.finish();
    let waits = results.flows[0].limited_by.iter().find(|(name, _)| *name == "receive_window").unwrap().1;
    assert!(waits > 0.8, "{:?}", results.flows[0].limited_by);
    assert!(results.flows[1].bytes_received > Bytes(1_000_000), "{results:?}");
}

#[test]
fn a_second_connection_that_starts_later_gets_all_that_waited() {
    let mut scene = split(file(50_000), Payload::Stored, 30);
    scene.flows[1].start = Start::At(at(5000));
    let results = run(&scene, 1);
    assert_eq!(results.flows[1].received, results.flows[0].sent);
    assert!(results.flows[1].completion.is_some());
}

#[test]
fn flows_that_pass_on_one_another_in_a_cycle_are_refused() {
    let relay_of = |of: &str, label: &str, from, to| {
        let config = app::relay::Config { flow: of.into(), buffer: Bytes(BUFFER) };
        Flow { label: label.into(), ..flow(from, to, app::Config::Relay(config)) }
    };
    let refused = |flows: Vec<Flow>| {
        let wire = direction(100, 5, 100);
        let scene = blueprint(
            3,
            vec![link(NodeId(0), NodeId(1), &wire), link(NodeId(1), NodeId(2), &wire)],
            flows,
            1,
        );
        let BuildError { part, why } = World::new(&scene, 1).unwrap_err();
        assert_eq!(&*why.key, "application.flow");
        (part, why.message)
    };
    let diagnostic = |flow, message: &str| (Part::Flow(flow), message.to_owned());
    assert_eq!(
        refused(vec![relay_of("x", "x", NodeId(0), NodeId(1))]),
        diagnostic(0, "`x` passes on itself")
    );
    assert_eq!(
        refused(vec![relay_of("y", "x", NodeId(0), NodeId(1)), relay_of("x", "y", NodeId(1), NodeId(0))]),
        diagnostic(0, "`x` and `y` pass on each other")
    );
    let bulk = flow(NodeId(0), NodeId(1), app::Config::named("bulk").expect("registered"));
    let three = vec![
        bulk,
        relay_of("c", "a", NodeId(0), NodeId(1)),
        relay_of("a", "b", NodeId(1), NodeId(2)),
        relay_of("b", "c", NodeId(2), NodeId(0)),
    ];
    assert_eq!(refused(three), diagnostic(1, "`a`, `c`, `b` pass on one another in a cycle"));
}

#[test]
fn what_cannot_be_passed_on_is_refused() {
    let refused = |change: fn(&mut Blueprint), expected: &str| {
        let mut scene = split(file(1000), Payload::Stored, 1);
        change(&mut scene);
        let BuildError { part, why } = World::new(&scene, 1).unwrap_err();
        assert_eq!((part, &*why.key), (Part::Flow(1), "application.flow"));
        assert!(why.message.contains(expected), "{}", why.message);
    };
    refused(|scene| scene.flows[0].label = "other".into(), "no flow is called `0 to 1`");
    refused(|scene| scene.flows[0].to = NodeId(2), "`0 to 1` does not end where this flow begins");
    let again = |scene: &mut Blueprint| {
        scene.flows.push(Flow { label: "third".into(), ..relay(Payload::Pattern) });
    };
    refused(again, "`third` passes that flow on, too");
    refused(|scene| scene.flows[0].payload = Payload::Pattern, "the bytes of `0 to 1` are not stored");
    refused(
        |scene| {
            scene.flows[0].application = app::Config::named("constant_bit_rate").expect("registered");
            (scene.flows[0].payload, scene.flows[1].payload) = (Payload::Pattern, Payload::Pattern);
        },
        "`0 to 1` is datagrams",
    );
}

/// A shift of the first connection's start alone: the second is open and idle meanwhile.
#[test]
fn a_relay_is_timed_from_the_first_byte_that_it_has_to_pass_on() {
    let starting = |start| {
        let mut scene = split(file(100_000), Payload::Pattern, 60);
        scene.flows[0].start = Start::At(at(start));
        run(&scene, 1)
    };
    let [now, then] = [starting(1000), starting(21_000)];
    let start = now.flows[1].start.unwrap();
    assert!(start > Instant::ZERO && Some(start + ms(20_000)) == then.flows[1].start, "{start}");
    let unshifted = |flow: &FlowResult| {
        let shifted = FlowResult { start: None, end: Instant::ZERO, ..flow.clone() };
        (shifted, flow.end_to_end.clone(), flow.end - flow.start.unwrap())
    };
    assert_eq!(unshifted(&now.flows[0]), unshifted(&then.flows[0]));
    assert_eq!(unshifted(&now.flows[1]), unshifted(&then.flows[1]));
}

/// While more waits than the buffer takes, the buffer limits the second connection; while nothing waits, what the first delivers.
#[test]
fn a_relay_with_a_full_buffer_is_not_limited_by_its_application() {
    let shares = |first_mbps, second_mbps| {
        let ways = [direction(first_mbps, 5, 100), direction(second_mbps, 5, 100)];
        let links = vec![link(NodeId(0), NodeId(1), &ways[0]), link(NodeId(1), NodeId(2), &ways[1])];
        let first = flow(NodeId(0), NodeId(1), app::Config::named("bulk").unwrap());
        let results = run(&blueprint(3, links, vec![first, relay(Payload::Pattern)], 30), 1);
        let share = |what| results.flows[1].limited_by.iter().find(|(name, _)| *name == what).unwrap().1;
        [share("application"), share("max_window")]
    };
    let [application, buffer] = shares(10, 1);
    assert!(application < 0.01 && buffer > 0.9, "{application} {buffer}");
    let [application, buffer] = shares(1, 10);
    assert!(application > 0.9 && buffer < 0.01, "{application} {buffer}");
}

#[test]
fn the_pair_has_one_time_one_goodput_and_one_delay() {
    let results = run(&split(file(100_000), Payload::Pattern, 60), 1);
    let [first, second] = &results.flows[..] else { panic!("two flows") };
    let bytes = second.end_to_end.as_ref().unwrap();
    assert_eq!((first.end_to_end.as_ref(), bytes.origin, bytes.bytes), (None, 0, Bytes(100_000)));
    assert_eq!(
        bytes.completion,
        Some(second.start.unwrap() - first.start.unwrap() + second.completion.unwrap())
    );
    let goodput = 800_000.0 / bytes.completion.unwrap().as_secs_f64();
    assert!((bytes.goodput_bps - goodput).abs() < 1e-6, "{bytes:?}");
    // Each packet passes both links, and waits before the second.
    let (one, two) = (first.delay_mean.unwrap(), second.delay_mean.unwrap());
    assert!(bytes.delay_mean.unwrap() > one + two, "{bytes:?} {one} {two}");
}

#[test]
fn a_relay_whose_source_delivers_nothing_has_no_time() {
    let mut scene = split(file(100_000), Payload::Pattern, 30);
    scene.flows[0].start = Start::At(at(29_999));
    let results = run(&scene, 1);
    let relay = &results.flows[1];
    assert_eq!((relay.start, relay.completion, relay.goodput_bps), (None, None, 0.0));
    let bytes = relay.end_to_end.as_ref().unwrap();
    assert_eq!((bytes.bytes, bytes.completion, bytes.delay_mean), (Bytes(0), None, None));
}

#[test]
fn of_three_connections_the_last_is_from_the_first() {
    let mut scene = split(file(50_000), Payload::Pattern, 60);
    let last = app::relay::Config { flow: "1 to 2".into(), buffer: Bytes(BUFFER) };
    scene.nodes.push(scene.nodes[2].clone());
    scene.links.push(link(NodeId(2), NodeId(3), &direction(10, 20, 50)));
    scene.flows.push(flow(NodeId(2), NodeId(3), app::Config::Relay(last)));
    let results = run(&scene, 1);
    let [_, middle, last] = &results.flows[..] else { panic!("three flows") };
    let [middle, last] = [middle, last].map(|flow| flow.end_to_end.clone().unwrap());
    assert_eq!((middle.origin, last.origin, last.bytes), (0, 0, Bytes(50_000)));
    assert!(last.delay_mean.unwrap() > middle.delay_mean.unwrap() + ms(20), "{middle:?} {last:?}");
}
