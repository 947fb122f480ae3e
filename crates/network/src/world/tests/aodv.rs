//! AODV over radio and links: packets find their way, links break, and the books are right at any time.

use super::shared_channel::{audited, put};
use super::*;
use crate::blueprint::Radio;
use crate::channel::propagation::{self, disc};
use crate::ids::{FlowId, NodeId};
use crate::mac::{self, aloha, dcf};
use crate::packet::Class;
use crate::routing::aodv::config::{Config, Preset};
use crate::space::Metres;

fn radio(mac: mac::Config) -> Radio {
    let disc = disc::Config { range: Metres(250.0), ..Default::default() };
    Radio { propagation: propagation::Config::Disc(disc), mac, ..Radio::default() }
}

fn macs() -> [mac::Config; 2] {
    [mac::Config::Aloha(aloha::Config::default()), mac::Config::Dcf(dcf::Config::default())]
}

fn chain(nodes: usize, mac: mac::Config, config: Config, flows: Vec<Flow>, seconds: u64) -> Blueprint {
    shared_channel::chain(nodes, radio(mac), routing::Config::Aodv(config), flows, seconds)
}

#[test]
fn files_cross_chains_of_up_to_eight_hops_over_any_mac() {
    for mac in macs() {
        for config in [Config::default(), Config::of(Preset::Ns2)] {
            for hops in [1, 2, 4, 8] {
                let flows = vec![flow(NodeId(0), NodeId(hops), file(10_000))];
                let scene = chain(hops as usize + 1, mac.clone(), config.clone(), flows, 60);
                let results = audited(World::new(&scene, 1).unwrap(), 60);
                assert!(results.flows[0].completion.is_some(), "{hops} hops over {mac:?}");
            }
        }
    }
}

#[test]
fn a_way_is_known_once_it_was_looked_for() {
    let flows = vec![flow(NodeId(0), NodeId(3), file(10_000))];
    let scene = chain(4, mac::Config::named("dcf").unwrap(), Config::default(), flows, 20);
    let mut world = World::new(&scene, 1).unwrap();
    assert!(world.way(FlowId(0)).is_empty());
    world.run_until(at(3000));
    assert_eq!(world.way(FlowId(0)), [0, 1, 2]);
    // Nobody used it for ACTIVE_ROUTE_TIMEOUT and longer.
    world.run_until(at(12_000));
    assert!(world.way(FlowId(0)).is_empty());
}

#[test]
fn a_flow_survives_that_a_node_on_its_way_is_lost_and_another_comes() {
    for mac in macs() {
        for config in [Config::default(), Config::of(Preset::Ns2)] {
            let flows = vec![flow(NodeId(0), NodeId(2), app::Config::named("bulk").unwrap())];
            let mut scene = chain(4, mac.clone(), config, flows, 60);
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
            assert!(before > 100_000, "{before}");
            assert!(results.flows[0].bytes_received > Bytes(2 * before), "{before} {results:?}");
            let causes: Vec<_> =
                results.drops.iter().chain(&results.failed_attempts).map(|each| each.0).collect();
            assert!(causes.contains(&"out_of_range"), "{causes:?}");
        }
    }
}

#[test]
fn a_gateway_looks_for_routes_on_its_wire_and_its_radio() {
    let mut scene = chain(4, mac::Config::named("dcf").unwrap(), Config::default(), vec![], 30);
    scene.nodes.push(Node::at("server", Position::default()));
    scene.links = vec![link(NodeId(4), NodeId(0), &direction(10, 10, 50))];
    scene.flows = vec![flow(NodeId(4), NodeId(3), file(50_000)), flow(NodeId(3), NodeId(4), file(50_000))];
    let results = audited(World::new(&scene, 1).unwrap(), 30);
    assert!(results.flows.iter().all(|flow| flow.completion.is_some()), "{results:?}");
}

#[test]
fn routing_has_its_share_of_the_channel() {
    let flows = vec![flow(NodeId(0), NodeId(4), app::Config::named("bulk").unwrap())];
    let scene = chain(5, mac::Config::named("dcf").unwrap(), Config::default(), flows, 20);
    let mut world = World::new(&scene, 1).unwrap();
    world.run_until(Instant::NEVER);
    let account = world.context.packets.account(Class::Routing);
    // Rings of 1, 3 and 5 hops, and an answer over four.
    assert!(account.originated >= 1 + 3 + 4 + 4 && account.delivered > account.originated, "{account:?}");
}
