//! Ideal routing: the ways are those of the nodes' positions.

use super::dsdv::next;
use super::shared_channel::line;
use super::*;
use crate::blueprint::Radio;
use crate::channel::propagation::{self, disc};
use crate::ids::{FlowId, NodeId};
use crate::mac;
use crate::mobility::scripted::{self, Move, Moves};
use crate::mobility::{self, random_waypoint};
use crate::oracle::Metric;
use crate::routing::shortest_path::Config;
use crate::space::{Area, Metres, Pace, Waypoint};

fn scene(places: &[f64], recompute: Option<Duration>, flows: Vec<Flow>, seconds: u64) -> Blueprint {
    let disc = disc::Config { range: Metres(250.0), ..Default::default() };
    let mac = mac::Config::named("dcf").expect("registered");
    let radio = Radio { propagation: propagation::Config::Disc(disc), mac, ..Radio::default() };
    let mut scene = line(places, radio, flows, seconds);
    let config = Config { metric: Metric::Hops, recompute, ..Config::default() };
    scene.routing = routing::Config::ShortestPath(config);
    scene
}

/// The node leaves at this time for a point on the line.
fn goes(node: &mut Node, from: u64, to: f64, speed: f64) {
    let to = Waypoint { x: Metres(to), ..Waypoint::default() };
    let moves = Moves::List(vec![Move { at: at(from), to, speed: Pace(speed) }]);
    node.mobility = mobility::Config::Scripted(scripted::Config { moves });
}

/// Node 1 stands between 0 and 2 until 10 s, and node 3 comes in its place at 20 s.
fn relay_changes(recompute: Option<Duration>) -> Blueprint {
    let bulk = app::Config::named("bulk").expect("registered");
    let mut scene =
        scene(&[0.0, 200.0, 400.0, 2210.0], recompute, vec![flow(NodeId(0), NodeId(2), bulk)], 40);
    goes(&mut scene.nodes[1], 10_000, -9000.0, 1000.0);
    goes(&mut scene.nodes[3], 18_000, 210.0, 1000.0);
    scene
}

#[test]
fn ways_follow_positions_as_of_the_last_multiple_of_the_interval() {
    let mut world = World::new(&relay_changes(Some(ms(500))), 1).unwrap();
    world.run_until(at(10_000));
    assert_eq!(world.way(FlowId(0)), [0, 1]);
    // Node 1 is out of reach of node 2 after 50 ms; everyone knows 450 ms later.
    world.run_until(at(10_499));
    assert_eq!(world.way(FlowId(0)), [0, 1]);
    world.run_until(at(10_500));
    assert!(world.way(FlowId(0)).is_empty());
    world.run_until(at(20_000));
    assert_eq!(world.way(FlowId(0)), [0, 3]);
    let before = world.transport.flows[0].measured.received();
    world.run_until(at(40_000));
    world.audit();
    let results = world.finish();
    let drops: Vec<_> = results.drops.iter().map(|&(cause, _)| cause).collect();
    assert!(drops.contains(&"no_route"), "{drops:?}");
    // As long as before, and the timer of the time between.
    assert!(results.flows[0].bytes_received > Bytes(before * 3 / 2), "{before} {results:?}");
}

#[test]
fn without_an_interval_the_ways_of_the_start_stay() {
    let mut world = World::new(&relay_changes(None), 1).unwrap();
    world.run_until(at(30_000));
    assert_eq!(world.way(FlowId(0)), [0, 1]);
    world.run_until(at(40_000));
    let results = world.finish();
    let drops: Vec<_> = results.drops.iter().map(|&(cause, _)| cause).collect();
    assert!(drops.contains(&"link_failure") && !drops.contains(&"no_route"), "{drops:?}");
}

#[test]
fn nodes_that_move_may_have_a_way_later_and_nodes_that_stay_never() {
    let apart = |recompute| {
        let mut scene = scene(&[0.0, 5000.0], recompute, vec![flow(NodeId(0), NodeId(1), file(20_000))], 20);
        goes(&mut scene.nodes[1], 1000, 100.0, 1000.0);
        scene
    };
    let results = run(&apart(Some(ms(1000))), 1);
    assert!(results.flows[0].completion.is_some(), "{results:?}");
    let refused = World::new(&apart(None), 1).unwrap_err();
    assert!(refused.why.message.contains("no path leads from n0 to n1"), "{}", refused.why.message);
}

#[test]
fn every_way_is_as_short_as_the_network_allows_while_a_thousand_nodes_move() {
    let mut scene = scene(&[0.0; 1000], Some(ms(1000)), vec![], 10);
    let motion = random_waypoint::Config {
        area: Area { width: Metres(3000.0), height: Metres(3000.0) },
        min_speed: Pace(5.0),
        max_speed: Pace(20.0),
        ..random_waypoint::Config::default()
    };
    for node in &mut scene.nodes {
        node.mobility = mobility::Config::RandomWaypoint(motion.clone());
    }
    let mut world = World::new(&scene, 1).unwrap();
    let mut covered = 0;
    for second in [0, 3, 10] {
        world.context.now = at(second * 1000);
        for (from, to) in [(1, 2), (3, 500), (999, 0), (40, 41)] {
            // A step leads nearer by one hop: all neighbours of a node differ by one at most.
            let mut hops = vec![from];
            while let Some(node) = next(&mut world, NodeId(hops[hops.len() - 1]), NodeId(to)) {
                hops.push(node.0);
                assert!(hops.len() < 60);
            }
            assert_eq!(hops.last(), Some(&to));
            for (place, &node) in hops.iter().enumerate().filter(|(_, node)| **node != to) {
                let left = hops.len() - 1 - place;
                let mut shorter = hops.iter().skip(place + 2);
                assert!(
                    shorter
                        .all(|&later| next(&mut world, NodeId(node), NodeId(later)) != Some(NodeId(later))),
                    "{node}: {left}"
                );
            }
            covered += hops.len();
        }
    }
    assert!(covered > 60, "{covered}");
}

#[test]
fn ten_thousand_nodes_are_no_burden_for_flows_over_four_hops() {
    let flows =
        (0..500).map(|number| flow(NodeId(number * 20), NodeId(number * 20 + 4), file(1000))).collect();
    let mut scene = scene(&vec![0.0; 10_000], Some(ms(1000)), flows, 1);
    for (node, number) in scene.nodes.iter_mut().zip(0..) {
        node.position.x = Metres(f64::from(number % 100) * 200.0);
        node.position.y = Metres(f64::from(number / 100) * 200.0);
    }
    let mut world = World::new(&scene, 1).unwrap();
    assert!((0..500).all(|flow| world.way(FlowId(flow)).len() == 4));
}
