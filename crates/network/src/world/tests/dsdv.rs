//! DSDV over radio: everyone knows the way to everyone, breaks are advertised, and there are no loops.

use super::shared_channel::{line, put};
use super::*;
use crate::blueprint::Radio;
use crate::channel::propagation::{self, disc};
use crate::ids::NodeId;
use crate::mac;
use crate::mobility::{self, random_waypoint};
use crate::packet::Class;
use crate::routing::dsdv::Config;
use crate::routing::dsdv::config::{Preset, Trigger};
use crate::space::{Area, Metres, Pace};

fn scene(places: &[f64], config: Config, flows: Vec<Flow>, seconds: u64) -> Blueprint {
    let disc = disc::Config { range: Metres(250.0), ..Default::default() };
    let mac = mac::Config::named("dcf").expect("registered");
    let radio = Radio { propagation: propagation::Config::Disc(disc), mac, ..Radio::default() };
    let mut scene = line(places, radio, flows, seconds);
    scene.routing = routing::Config::Dsdv(config);
    scene
}

/// Nodes on a square grid of so many columns, 200 m apart.
fn grid(columns: usize, rows: usize, config: Config, flows: Vec<Flow>, seconds: u64) -> Blueprint {
    let places: Vec<_> = (0..columns * rows).map(|node| (node % columns) as f64 * 200.0).collect();
    let mut scene = scene(&places, config, flows, seconds);
    for (node, number) in scene.nodes.iter_mut().zip(0..) {
        node.position.y = Metres((number / columns) as f64 * 200.0);
    }
    scene
}

pub(super) fn next(world: &mut World, node: NodeId, destination: NodeId) -> Option<NodeId> {
    let protocol = &mut world.routers[node].protocol;
    protocol.known_hop(destination, &mut world.context).map(|hop| match hop.next_hop {
        NextHop::Node(next) => next,
        NextHop::Everyone => panic!("a route leads to a neighbour"),
    })
}

/// Hops from a node to another along everyone's next hops; `None` when they end before it. Panics for a loop.
fn hops(world: &mut World, from: NodeId, to: NodeId) -> Option<usize> {
    let (mut node, mut hops) = (from, 0);
    while node != to {
        node = next(world, node, to)?;
        hops += 1;
        assert!(hops < world.routers.len(), "a loop on the way from {from} to {to} at {}", world.context.now);
    }
    Some(hops)
}

fn pairs(nodes: usize) -> impl Iterator<Item = (NodeId, NodeId)> {
    let nodes = nodes as u32;
    (0..nodes)
        .flat_map(move |from| (0..nodes).map(move |to| (NodeId(from), NodeId(to))))
        .filter(|(from, to)| from != to)
}

#[test]
fn every_node_of_a_chain_and_of_a_grid_knows_ways_to_all_others_that_are_mostly_shortest() {
    for preset in [Preset::Paper, Preset::Ns2] {
        for columns in [9, 3] {
            let mut world =
                World::new(&grid(columns, 9 / columns, Config::of(preset), vec![], 400), 1).unwrap();
            let (mut shortest, mut all) = (0, 0);
            for second in 200..400 {
                world.run_until(at(second * 1000));
                for (from, to) in pairs(9) {
                    let (a, b) = (from.as_index(), to.as_index());
                    let least = (a % columns).abs_diff(b % columns) + (a / columns).abs_diff(b / columns);
                    let hops = hops(&mut world, from, to).expect("a way is known");
                    assert!(hops >= least);
                    // A new number may come over a longer way first.
                    shortest += usize::from(hops == least);
                    all += 1;
                }
            }
            let expected = if columns == 9 { all } else { all * 3 / 4 };
            assert!(shortest >= expected, "{shortest} of {all}, {preset:?}");
            world.audit();
        }
    }
}

#[test]
fn files_cross_a_chain_once_the_ways_are_known() {
    let flows: Vec<_> = (1..=6)
        .map(|to| Flow {
            start: Start::At(at(60_000 + u64::from(to) * 3000)),
            ..flow(NodeId(0), NodeId(to), file(20_000))
        })
        .collect();
    let mut world = World::new(&grid(7, 1, Config::default(), flows, 100), 1).unwrap();
    for second in 1..=100 {
        world.run_until(at(second * 1000));
        world.audit();
    }
    let results = world.finish();
    assert!(results.flows.iter().all(|flow| flow.completion.is_some()), "{results:?}");
}

#[test]
fn a_node_alone_tells_itself_and_a_new_destination_is_advertised_at_once() {
    // Each tells all it knows every 11.25 s to 15 s: 4 or 5 times in 60 s; changes go in between.
    let sent = |triggers| {
        let config = Config { triggers, ..Config::default() };
        let mut world = World::new(&grid(5, 1, config, vec![], 60), 1).unwrap();
        world.run_until(at(6000));
        let early = pairs(5).filter(|&(from, to)| next(&mut world, from, to).is_some()).count();
        world.run_until(Instant::NEVER);
        (early, world.context.packets.account(Class::Routing).originated)
    };
    let (early, metric) = sent(Trigger::Metric);
    assert_eq!(early, 20, "everyone is known after a trigger per hop");
    assert!((5 * 4..5 * 12).contains(&metric), "{metric}");
    let (_, sequence) = sent(Trigger::Sequence);
    assert!(sequence > metric, "{sequence} {metric}");
}

#[test]
fn a_way_heals_when_a_node_moves_off_and_the_old_one_is_not_used() {
    for (detection, timeout) in [(false, 62_000), (true, 3000)] {
        let config = Config { link_layer_detection: detection, ..Config::default() };
        let five_per_second =
            app::constant_bit_rate::Config { rate: BitRate::from_bps(20_000), packet_size: Bytes(500) };
        let application = app::Config::ConstantBitRate(five_per_second);
        let flows = vec![Flow { start: Start::At(at(60_000)), ..flow(NodeId(0), NodeId(2), application) }];
        let mut world = World::new(&scene(&[0.0, 200.0, 400.0, 210.0], config, flows, 220), 1).unwrap();
        world.run_until(at(100_000));
        let before = next(&mut world, NodeId(0), NodeId(2)).unwrap();
        assert_eq!(hops(&mut world, NodeId(0), NodeId(2)), Some(2));
        put(&mut world, before.as_index(), 9000.0);
        world.run_until(at(100_000 + timeout));
        let after = next(&mut world, NodeId(0), NodeId(2));
        assert_ne!(after, Some(before), "{detection}: whoever left is not sent to");
        // Another way comes with the destination's next number.
        world.run_until(at(180_000));
        let other = NodeId(if before == NodeId(1) { 3 } else { 1 });
        assert_eq!(next(&mut world, NodeId(0), NodeId(2)), Some(other), "{detection}");
        assert_eq!(next(&mut world, NodeId(0), before), None, "who left is known to be lost");
        world.run_until(Instant::NEVER);
        world.audit();
        let results = world.finish();
        let flow = &results.flows[0];
        let lost = flow.packets_sent - flow.packets_delivered;
        let expected = if detection { 1..10 } else { 10..100 };
        assert!(expected.contains(&lost), "{lost} of {flow:?}");
    }
}

#[test]
fn there_is_no_loop_at_any_time_however_nodes_move() {
    for (seed, triggers) in
        [(1, Trigger::Metric), (2, Trigger::Sequence), (3, Trigger::Shorter), (4, Trigger::Metric)]
    {
        let config = Config {
            triggers,
            update_interval: ms(3000),
            settling_time: ms(500),
            link_layer_detection: seed % 2 == 0,
            ..Config::default()
        };
        let flows = (0..6)
            .map(|from| flow(NodeId(from), NodeId(from + 6), app::Config::named("bulk").unwrap()))
            .collect();
        let mut scene = scene(&[0.0; 12], config, flows, 60);
        let config = random_waypoint::Config {
            area: Area { width: Metres(700.0), height: Metres(700.0) },
            min_speed: Pace(20.0),
            max_speed: Pace(20.0),
            ..random_waypoint::Config::default()
        };
        for node in &mut scene.nodes {
            node.mobility = mobility::Config::RandomWaypoint(config.clone());
        }
        let mut world = World::new(&scene, seed).unwrap();
        let mut known = 0;
        for slice in 1..=600 {
            world.run_until(at(slice * 100));
            known += pairs(12).filter(|&(from, to)| hops(&mut world, from, to).is_some()).count();
        }
        world.audit();
        assert!(known > 600 * 132 / 4, "{known} of {}", 600 * 132);
        assert!(world.finish().flows.iter().map(|flow| flow.packets_delivered).sum::<u64>() > 1000);
    }
}

#[test]
fn updates_are_transmitted_with_their_true_size() {
    let mut world = World::new(&grid(3, 1, Config::default(), vec![], 120), 1).unwrap();
    world.run_until(at(100_000));
    let before = world.channels[0].frame_log.len();
    world.run_until(at(115_000));
    // Nothing changes any more: a full update is three entries behind IP and UDP,
    // behind the frame's own 36 bytes; a route that has not settled is left out.
    let sent: Vec<u32> = world.channels[0].frame_log[before..].iter().map(|(_, frame)| frame.size).collect();
    let entries = |size: &u32| [1, 2, 3].map(|entries| 36 + 28 + 12 * entries).contains(size);
    assert!(sent.len() >= 3 && sent.iter().all(entries), "{sent:?}");
    assert!(sent.contains(&(36 + 28 + 36)), "{sent:?}");
}
