//! DSR over radio: packets carry their way, breaks are reported and survived, ways get shorter, and transports hear.

use crate::ids::{FlowId, InterfaceId, NodeId};
use farlink_tcp::{Amount, Notice};

use super::shared_channel::{audited, put};
use super::*;
use crate::blueprint::Radio;
use crate::channel::propagation;
use crate::packet::{self, Class};
use crate::routing::dsr::Config;
use crate::routing::dsr::config::{CacheKind, Preset};
use crate::routing::notice::Notices;
use crate::space::Metres;
use crate::wire::dsr::Message;
use crate::{mac, wire};

fn configs() -> [Config; 4] {
    let quiet =
        Config { replies_from_cache: false, ring_zero: false, promiscuous: false, ..Config::default() };
    let paths = Config { cache: CacheKind::Paths, ..Config::default() };
    [Config::default(), Config::of(Preset::Ns2), quiet, paths]
}

fn chain(nodes: usize, config: Config, flows: Vec<Flow>, seconds: u64) -> Blueprint {
    // Heard over 250 m and noticed over 550 m, so that no neighbour is missed for long.
    let propagation = propagation::Config::named("two_ray").expect("registered");
    let mac = mac::Config::named("dcf").expect("registered");
    let radio = Radio { propagation, mac, ..Radio::default() };
    shared_channel::chain(nodes, radio, routing::Config::Dsr(config), flows, seconds)
}

#[test]
fn files_cross_chains_of_up_to_eight_hops() {
    for config in configs() {
        for hops in [1, 2, 4, 8] {
            let flows = vec![flow(NodeId(0), NodeId(hops), file(10_000))];
            let scene = chain(hops as usize + 1, config.clone(), flows, 60);
            let results = audited(World::new(&scene, 1).unwrap(), 60);
            assert!(results.flows[0].completion.is_some(), "{hops} hops with {config:?}");
        }
    }
}

#[test]
fn the_first_request_goes_to_neighbours_only() {
    let requests = |config: Config| {
        let scene = chain(5, config, vec![flow(NodeId(0), NodeId(1), file(1000))], 1);
        let mut world = World::new(&scene, 1).unwrap();
        world.run_until(at(100));
        world.context.packets.account(Class::Routing).originated
    };
    // A request and its answer; without ring zero it goes on from nodes 1 to 3 as well, if they do not hold it.
    assert_eq!(requests(Config::default()), 2);
    assert!(requests(Config { ring_zero: false, ..Config::default() }) >= 2);
}

#[test]
fn nodes_that_know_a_way_answer_for_the_destination() {
    let flows = |start| {
        vec![flow(NodeId(1), NodeId(3), file(5000)), Flow { start, ..flow(NodeId(0), NodeId(3), file(5000)) }]
    };
    let requests_heard_at_the_end = |replies_from_cache| {
        let config = Config { replies_from_cache, promiscuous: false, ..Config::default() };
        let scene = chain(4, config, flows(Start::At(at(5000))), 10);
        let mut world = World::new(&scene, 1).unwrap();
        world.run_until(at(4900));
        let before = world.context.packets.account(Class::Routing).originated;
        world.run_until(at(10_000));
        world.context.packets.account(Class::Routing).originated - before
    };
    // One request to the neighbour, and its answer, against a flood.
    assert_eq!(requests_heard_at_the_end(true), 2);
    assert!(requests_heard_at_the_end(false) > 5);
}

#[test]
fn a_flow_survives_that_a_node_on_its_way_is_lost_and_another_comes() {
    for config in configs() {
        let flows = vec![flow(NodeId(0), NodeId(2), app::Config::named("bulk").unwrap())];
        let mut scene = chain(4, config, flows, 60);
        scene.nodes[3].position.x = Metres(9000.0);
        let mut world = World::new(&scene, 1).unwrap();
        world.run_until(at(10_000));
        let before = world.transport.flows[0].measured.received();
        put(&mut world, 1, -9000.0);
        world.run_until(at(20_000));
        world.audit();
        put(&mut world, 3, 200.0);
        world.run_until(at(60_000));
        world.audit();
        assert_eq!(world.way(FlowId(0)), [0, 3]);
        let results = world.finish();
        assert!(results.flows[0].bytes_received > Bytes(2 * before), "{before} {results:?}");
    }
}

#[test]
fn who_cannot_send_on_tells_the_source_and_sends_another_way() {
    // 0 - 1 - 2 - 3, and 4 beside 2: packets that 1 cannot give to 2 go over 4.
    let flows = vec![flow(NodeId(0), NodeId(3), app::Config::named("bulk").unwrap())];
    let mut scene = chain(5, Config::default(), flows, 40);
    scene.nodes[4].position.x = Metres(9000.0);
    let mut world = World::new(&scene, 1).unwrap();
    world.run_until(at(10_000));
    put(&mut world, 4, 390.0);
    // Long enough for 1 to hear of 4, which answers nobody yet.
    teach(&mut world, NodeId(1), &[1, 4, 3].map(NodeId));
    put(&mut world, 2, -9000.0);
    world.run_until(at(12_000));
    world.audit();
    let received = world.transport.flows[0].measured.received();
    world.run_until(at(20_000));
    assert!(world.transport.flows[0].measured.received() > received);
    assert_eq!(world.way(FlowId(0)), [0, 1, 4]);
}

/// A node hears of a way, in an answer.
fn teach(world: &mut World, node: NodeId, path: &[NodeId]) {
    use crate::wire::dsr::{Reply, SourceRoute};
    let route = SourceRoute::along([NodeId(9), node]);
    let reply = wire::Message::Dsr(Message::Reply(Reply { route, origin: NodeId(9), path: path.into() }));
    let now = world.context.now;
    let packet = world.context.packets.originate_message(node, 64, 60, reply, now);
    let arrival = Arrival { packet, interface: InterfaceId(node.0), from: path[1] };
    world.routers[node].protocol.receive(arrival, &mut world.context);
    world.settle();
}

#[test]
fn a_way_gets_shorter_when_its_nodes_come_nearer() {
    for (shortens, expected) in [(true, vec![0, 2]), (false, vec![0, 1, 2])] {
        let config = Config { route_shortening: shortens, promiscuous: shortens, ..Config::default() };
        let mut world = World::new(
            &chain(4, config, vec![flow(NodeId(0), NodeId(3), app::Config::named("bulk").unwrap())], 20),
            1,
        )
        .unwrap();
        world.run_until(at(5000));
        assert_eq!(world.way(FlowId(0)), [0, 1, 2]);
        put(&mut world, 1, 150.0);
        put(&mut world, 2, 240.0);
        put(&mut world, 3, 420.0);
        world.run_until(at(10_000));
        let way = world.way(FlowId(0));
        assert_eq!(way, expected, "shortens: {shortens}");
    }
}

#[test]
fn a_packet_is_longer_by_the_way_it_carries() {
    let flows = vec![flow(NodeId(0), NodeId(3), app::Config::named("bulk").unwrap())];
    let mut world = World::new(&chain(4, Config::default(), flows, 20), 1).unwrap();
    let mut seen = 0;
    for step in 0..100 {
        world.run_until(at(5000 + step));
        let packets = &world.context.packets;
        for id in world.channels[0].references() {
            if let (Some(wire::Message::Dsr(Message::Route(route))), packet::Payload::Segment(segment)) =
                (packets.header(id), packets[id].payload)
            {
                // Two nodes between: a fixed part, the option and two addresses.
                assert_eq!((route.path.len(), packets[id].size), (4, segment.ip_size().0 as u32 + 4 + 4 + 8));
                seen += 1;
            }
        }
    }
    assert!(seen > 0);
}

#[test]
fn a_source_is_frozen_while_there_is_no_way_and_goes_on_when_there_is() {
    for notices in [Notices::InBand, Notices::Ideal] {
        for policy in ["tcp_f", "tcp_fsr", "sim_elfn", "tcp_elfn"] {
            let config = Config {
                route_notifications: notices,
                replies_from_cache: false,
                ring_zero: false,
                // The random draws decide whether sim_elfn, which nothing wakes, goes on within 20 s: in 12 of 20 seeds, and in this one.
                jitter_own_requests: false,
                ..Config::default()
            };
            let mut scene =
                chain(4, config, vec![flow(NodeId(0), NodeId(3), app::Config::named("bulk").unwrap())], 60);
            let tcp = &mut scene.flows[0].tcp;
            tcp.route_failure = farlink_tcp::route_failure::Config::named(policy).unwrap();
            tcp.max_window = Some(Amount::Packets(8));
            let mut world = World::new(&scene, 1).unwrap();
            world.run_until(at(10_000));
            put(&mut world, 2, -9000.0);
            world.run_until(at(20_000));
            world.audit();
            let counters = world.connection(FlowId(0), End::Sender).unwrap().counters();
            assert!(counters.freezes > 0 && counters.timeouts == 0, "{policy} {notices:?} {counters:?}");
            let received = world.transport.flows[0].measured.received();
            put(&mut world, 2, 400.0);
            world.run_until(at(40_000));
            let counters = world.connection(FlowId(0), End::Sender).unwrap().counters();
            assert!(world.transport.flows[0].measured.received() > received, "{policy} {notices:?}");
            assert!(counters.timeouts == 0, "{policy} {notices:?} {counters:?}");
        }
    }
}

#[test]
fn a_frozen_source_asks_for_a_way_though_no_packet_waits_for_one() {
    for (replies_from_cache, policy) in
        [(false, "tcp_f"), (false, "tcp_fsr"), (true, "tcp_f"), (true, "tcp_fsr")]
    {
        let config =
            Config { route_notifications: Notices::InBand, replies_from_cache, ..Config::of(Preset::Ns2) };
        let mut scene =
            chain(5, config, vec![flow(NodeId(0), NodeId(4), app::Config::named("bulk").unwrap())], 40);
        let tcp = &mut scene.flows[0].tcp;
        tcp.route_failure = farlink_tcp::route_failure::Config::named(policy).unwrap();
        tcp.max_window = Some(Amount::Packets(8));
        let mut world = World::new(&scene, 1).unwrap();
        world.run_until(at(10_000));
        // Two links break at once, neither of them at the source.
        put(&mut world, 2, -9000.0);
        world.run_until(at(14_000));
        world.audit();
        let received = world.transport.flows[0].measured.received();
        put(&mut world, 2, 400.0);
        // Well before anybody's timer of 30 s.
        world.run_until(at(30_000));
        world.audit();
        let counters = world.connection(FlowId(0), End::Sender).unwrap().counters();
        assert!(counters.freezes > 0, "{policy} {replies_from_cache} {counters:?}");
        let more = world.transport.flows[0].measured.received() - received;
        assert!(more > 100_000, "{policy} {replies_from_cache}: {more}");
    }
}

#[test]
fn who_salvaged_a_packet_passes_on_to_its_source_that_it_met_another_break() {
    use crate::wire::dsr::{Broken, Error, SourceRoute};
    use crate::wire::notice::AffectedSegment;
    let config = Config { route_notifications: Notices::InBand, ..Config::default() };
    let mut world =
        World::new(&chain(4, config, vec![flow(NodeId(0), NodeId(3), file(2000))], 10), 1).unwrap();
    world.run_until(at(5000));
    let met = AffectedSegment {
        flow: FlowId(0),
        end: End::Sender,
        seq: farlink_tcp::SeqNumber(1),
        destination: NodeId(3),
    };
    let route = SourceRoute::along([2, 1].map(NodeId));
    let error = Message::Error(Error {
        route,
        broken: Broken { from: NodeId(2), to: NodeId(3) },
        source: NodeId(0),
        met: Some(met),
        origin: NodeId(2),
        enclosed: Vec::new(),
    });
    let now = world.context.now;
    let packet = world.context.packets.originate_message(NodeId(2), 64, 60, wire::Message::Dsr(error), now);
    world.routers[1]
        .protocol
        .receive(Arrival { packet, interface: InterfaceId(1), from: NodeId(2) }, &mut world.context);
    world.settle();
    let notices = |world: &World| world.connection(FlowId(0), End::Sender).unwrap().notices().to_vec();
    assert_eq!(notices(&world), [], "it is a packet, no thought");
    world.run_until(at(6000));
    world.audit();
    let heard = notices(&world);
    assert!(matches!(heard[..], [Notice::RouteFailed { .. }, Notice::RouteRestored]), "{heard:?}");
}

#[test]
fn an_error_of_ns2_lets_what_waits_go_first() {
    use crate::frame::LinkFailure;
    use crate::hop::{NextHop, Part};
    use crate::wire::dsr::SourceRoute;
    for (config, expected) in [(Config::default(), 0), (Config::of(Preset::Ns2), 25_000)] {
        let mut world =
            World::new(&chain(4, config, vec![flow(NodeId(0), NodeId(3), file(2000))], 10), 1).unwrap();
        world.run_until(at(5000));
        let header = wire::Message::Dsr(Message::Route(SourceRoute {
            at: 1,
            ..SourceRoute::along([0, 1, 2, 3].map(NodeId))
        }));
        let now = world.context.now;
        let packet = world
            .context
            .packets
            .originate(Packet { destination: NodeId(3), ..packet::tests::datagram(100) });
        world.context.packets.put_header(packet, header, 16);
        let part = Part { packet, next_hop: NextHop::Node(NodeId(2)) };
        let protocol = &mut world.routers[1].protocol;
        protocol.on_sent(part, Err(LinkFailure::NoResponse), &mut world.context);
        let error = world.context.effects.iter().find_map(|effect| match *effect {
            Effect::Send { packet, .. } => world.context.packets.message(packet),
            _ => None,
        });
        let is_sent = matches!(error, Some(wire::Message::Dsr(Message::Error(_))));
        let protocol = &world.routers[1].protocol;
        let waits = protocol.deadline().saturating_since(now).as_nanos();
        assert_eq!((is_sent, !is_sent && waits == expected), (expected == 0, expected > 0), "{waits}");
    }
}

#[test]
fn who_overhears_of_a_way_that_it_is_on_learns_the_rest_of_it() {
    use crate::frame::{Frame, FrameKind};
    use crate::hop::{NextHop, Part};
    use crate::wire::dsr::{Reply, SourceRoute};
    let mut world =
        World::new(&chain(4, Config::of(Preset::Ns2), vec![flow(NodeId(0), NodeId(1), file(100))], 10), 1)
            .unwrap();
    world.run_until(at(5000));
    let reply = Reply {
        route: SourceRoute::along([1, 0].map(NodeId)),
        origin: NodeId(1),
        path: [0, 1, 2, 3].map(NodeId).into(),
    };
    let now = world.context.now;
    let message = wire::Message::Dsr(Message::Reply(reply));
    let packet = world.context.packets.originate_message(NodeId(1), 64, 60, message, now);
    let protocol = &mut world.routers[2].protocol;
    assert_eq!(protocol.known_hop(NodeId(3), &mut world.context), None);
    let mut frame = Frame::new(NodeId(1), 0, FrameKind::Data, 100, crate::frame::Mode(0));
    frame.parts[0] = Some(Part { packet, next_hop: NextHop::Node(NodeId(0)) });
    assert!(protocol.on_heard(&frame, &mut world.context));
    assert!(protocol.known_hop(NodeId(3), &mut world.context).is_some());
}
