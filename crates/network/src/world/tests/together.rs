//! Sources that begin at the same instant find their ways with every routing that discovers routes by radio.

use super::shared_channel::audited;
use super::*;
use crate::blueprint::Radio;
use crate::channel::propagation;
use crate::ids::NodeId;
use crate::mac;
use crate::routing::{aodv, dsr};
use crate::space::Metres;

/// Stations at these places, in metres, which are heard over 250 m and noticed over 550 m. Their MAC draws nothing before a
/// first frame over an idle channel.
fn scene(places: &[(f64, f64)], routing: routing::Config, flows: &[(u32, u32)]) -> Blueprint {
    let propagation = propagation::Config::named("two_ray").expect("registered");
    let mac = mac::Config::named("dcf").expect("registered");
    let flows = flows.iter().map(|&(from, to)| flow(NodeId(from), NodeId(to), file(20_000))).collect();
    let mut scene = shared_channel::chain(
        places.len(),
        Radio { propagation, mac, ..Radio::default() },
        routing,
        flows,
        10,
    );
    for (node, &(x, y)) in scene.nodes.iter_mut().zip(places) {
        (node.position.x, node.position.y) = (Metres(x), Metres(y));
    }
    scene
}

fn routings(jitter_own_requests: bool) -> [routing::Config; 3] {
    let aodv = aodv::Config { jitter_own_requests, ..aodv::Config::default() };
    let dsr = dsr::Config { jitter_own_requests, ..dsr::Config::default() };
    let hello = aodv::Config { hello: true, ..aodv.clone() };
    [routing::Config::Aodv(aodv), routing::Config::Aodv(hello), routing::Config::Dsr(dsr)]
}

const SQUARE: [(f64, f64); 4] = [(0.0, 0.0), (150.0, 0.0), (0.0, 150.0), (150.0, 150.0)];
const ROW: [(f64, f64); 3] = [(0.0, 0.0), (200.0, 0.0), (400.0, 0.0)];

#[test]
fn neighbours_that_begin_at_the_same_instant_deliver() {
    assert!(aodv::Config::default().jitter_own_requests && dsr::Config::default().jitter_own_requests);
    for routing in routings(true) {
        for (places, flows) in [
            (&SQUARE[..2], &[(0, 1), (1, 0)][..]),
            (&SQUARE, &[(0, 1), (2, 3)]),
            (&SQUARE, &[(1, 0), (2, 0), (3, 0)]),
            (&SQUARE, &[(0, 1), (0, 3), (2, 3), (2, 1)]),
            // Neither end hears the other.
            (&ROW, &[(0, 1), (2, 1)]),
            (&ROW, &[(0, 2), (2, 0)]),
        ] {
            for seed in 1..=5 {
                let results = audited(World::new(&scene(places, routing.clone(), flows), seed).unwrap(), 10);
                let done = results.flows.iter().all(|flow| flow.completion.is_some());
                assert!(done, "{flows:?} with seed {seed} over {routing:?}");
            }
        }
    }
}

#[test]
fn without_a_wait_their_requests_collide_for_ever() {
    for routing in routings(false) {
        let results = run(&scene(&SQUARE, routing, &[(0, 1), (2, 3)]), 1);
        assert!(results.flows.iter().all(|flow| flow.packets_delivered == 0));
    }
}
