//! OLSR over radio: paths are known before they are needed, and few nodes pass floods on.

use super::shared_channel::{line, put};
use super::*;
use crate::blueprint::Radio;
use crate::channel::propagation::{self, disc};
use crate::ids::{FlowId, NodeId};
use crate::mac;
use crate::packet::Class;
use crate::routing::olsr::Config;
use crate::space::Metres;

fn radio() -> Radio {
    let disc = disc::Config { range: Metres(250.0), ..Default::default() };
    let mac = mac::Config::named("dcf").expect("registered");
    Radio { propagation: propagation::Config::Disc(disc), mac, ..Radio::default() }
}

fn scene(places: &[f64], config: Config, flows: Vec<Flow>, seconds: u64) -> Blueprint {
    Blueprint { routing: routing::Config::Olsr(config), ..line(places, radio(), flows, seconds) }
}

fn chain(nodes: usize, config: Config, flows: Vec<Flow>, seconds: u64) -> Blueprint {
    shared_channel::chain(nodes, radio(), routing::Config::Olsr(config), flows, seconds)
}

fn late(mut flow: Flow, start: u64) -> Flow {
    flow.start = Start::At(at(start));
    flow
}

#[test]
fn every_node_of_a_chain_is_reached_once_all_have_spoken() {
    let flows: Vec<_> = (1..=8)
        .map(|to| late(flow(NodeId(0), NodeId(to), file(2000)), 30_000 + u64::from(to) * 2000))
        .collect();
    let mut world = World::new(&chain(9, Config::default(), flows, 60), 1).unwrap();
    for second in 1..=60 {
        world.run_until(at(second * 1000));
        world.audit();
    }
    assert_eq!(world.way(FlowId(7)), [0, 1, 2, 3, 4, 5, 6, 7]);
    let results = world.finish();
    for flow in &results.flows {
        assert!(flow.completion.is_some(), "{flow:?}");
    }
    assert!(!results.drops.iter().any(|&(cause, _)| cause == "no_route"), "{:?}", results.drops);
}

#[test]
fn who_hears_everybody_needs_no_relays() {
    let messages = |places: &[f64]| {
        let mut world = World::new(&scene(places, Config::default(), vec![], 60), 1).unwrap();
        world.run_until(at(60_000));
        world.context.packets.account(Class::Routing).originated
    };
    // HELLOs only, each 1.5 to 2 s.
    let together = messages(&[0.0, 10.0, 20.0, 30.0, 40.0]);
    assert!((5 * 29..=5 * 41).contains(&together), "{together}");
    // In a row the three in the middle are relays, tell so every 4.5 to 5 s, and pass that on.
    let apart = messages(&[0.0, 200.0, 400.0, 600.0, 800.0]);
    assert!(apart > together + 3 * 10, "{apart} {together}");
}

#[test]
fn a_path_that_breaks_is_replaced_when_the_neighbour_was_silent_for_too_long() {
    for (notification, timeout) in [(false, 9000), (true, 1000)] {
        let config = Config { link_layer_notification: notification, ..Config::default() };
        let five_per_second =
            app::constant_bit_rate::Config { rate: BitRate::from_bps(20_000), packet_size: Bytes(500) };
        let flows =
            vec![late(flow(NodeId(0), NodeId(2), app::Config::ConstantBitRate(five_per_second)), 15_000)];
        let mut world = World::new(&scene(&[0.0, 200.0, 400.0, 210.0], config, flows, 90), 1).unwrap();
        world.run_until(at(30_000));
        assert_eq!(world.way(FlowId(0)), [0, 1]);
        put(&mut world, 1, 9000.0);
        world.run_until(at(30_000 + timeout));
        assert_eq!(world.way(FlowId(0)), [0, 3], "{notification}");
        world.run_until(at(90_000));
        world.audit();
        let results = world.finish();
        let flow = &results.flows[0];
        let lost = flow.packets_sent - flow.packets_delivered;
        assert!(lost > 0 && lost * 5 < flow.packets_sent, "{flow:?}");
    }
}
