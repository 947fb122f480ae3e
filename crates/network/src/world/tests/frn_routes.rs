//! Routing of FRN: the order of next hops, load spreading, and exchanged tables.

use super::dsdv::next;
use super::frn::{delivered, ideal, inject, network};
use super::shared_channel::{one_datagram, put};
use super::*;
use crate::hop::Decision;
use crate::ids::NodeId;
use crate::packet::Class;
use crate::routing::frn::config::{Spread, Tables};
use crate::space::Metres;

/// From node 0 to node 4: 1 is a forward neighbour, 2 sideward, 5 backward.
fn triangles(routing: routing::frn::Config) -> Blueprint {
    let mut network = network(
        &[0.0, 200.0, 100.0, 300.0, 400.0, -100.0],
        ideal(),
        vec![one_datagram(NodeId(0), NodeId(4), Instant::NEVER)],
        100,
    );
    for node in [2, 3, 5] {
        network.nodes[node].position.y = Metres(173.2);
    }
    Blueprint { routing: routing::Config::Frn(routing), ..network }
}

/// Next hops of four attempts of node 0 for a packet to node 4.
fn next_hops(world: &mut World, from: Option<NodeId>) -> Vec<NodeId> {
    let packet = world
        .context
        .packets
        .originate(Packet { destination: NodeId(4), ..crate::packet::tests::datagram(100) });
    let stamp = world.context.packets.stamp(packet);
    world.context.packets.put_stamp(packet, crate::packet::Stamp { from, ..stamp });
    let mut hop = |attempt| {
        world.context.packets[packet].attempt = attempt;
        match world.routers[0].protocol.next_hop(packet, &mut world.context) {
            Decision::Forward(hop) => hop.next_hop,
            other => panic!("{other:?}"),
        }
    };
    let next_hops = (0..4).map(|attempt| match hop(attempt) {
        NextHop::Node(node) => node,
        NextHop::Everyone => panic!("a packet goes to one neighbour"),
    });
    let next_hops = next_hops.collect();
    world.context.packets.discard(packet, crate::packet::Discard::Withdrawn);
    next_hops
}

#[test]
fn forward_neighbours_precede_sideward_and_backward_ones() {
    let mut world = World::new(&triangles(routing::frn::Config::default()), 1).unwrap();
    assert_eq!(next_hops(&mut world, None), [1, 2, 5, 1]);
    assert_eq!(next_hops(&mut world, Some(NodeId(2))), [1, 5, 1, 5], "never back to the previous hop");
    let twice = routing::frn::Config { attempts: 2, ..routing::frn::Config::default() };
    let mut world = World::new(&triangles(twice), 1).unwrap();
    assert_eq!(next_hops(&mut world, None), [1, 1, 2, 2]);
}

#[test]
fn load_is_spread_over_neighbours_with_equal_hop_counts() {
    for (spread, kinds) in [(Spread::None, 1), (Spread::Packets, 2)] {
        let config = routing::frn::Config { load_balancing: spread, ..routing::frn::Config::default() };
        let mut network = triangles(config);
        // Node 2 gets the hop count of node 1.
        network.nodes[2].position = Position { x: Metres(200.0), ..Default::default() };
        let mut world = World::new(&network, 1).unwrap();
        let mut first: Vec<_> = (0..40).map(|_| next_hops(&mut world, None)[0]).collect();
        first.sort_unstable();
        first.dedup();
        assert_eq!(first.len(), kinds, "{spread:?}: {first:?}");
    }
}

#[test]
fn exchanged_tables_converge_and_route_around_a_dead_node() {
    let config =
        routing::frn::Config { tables: Tables::Dynamic, cycle: ms(1000), ..routing::frn::Config::default() };
    let network = triangles(config);
    let mut still = World::new(&triangles(routing::frn::Config::default()), 1).unwrap();
    let mut world = World::new(&network, 1).unwrap();
    world.run_until(at(8000));
    for node in [0, 1, 2, 3, 5] {
        assert_eq!(
            next(&mut world, NodeId(node), NodeId(4)),
            next(&mut still, NodeId(node), NodeId(4)),
            "from {node}"
        );
    }
    assert_eq!(next_hops(&mut world, None), [1, 2, 5, 1]);
    put(&mut world, 1, 9000.0);
    // Of the last ten cycles at least four without a packet of node 1 make it no neighbour.
    world.run_until(at(16_000));
    assert_eq!(next(&mut world, NodeId(0), NodeId(4)), Some(NodeId(2)));
    inject(&mut world, NodeId(0), NodeId(4), Class::Data);
    world.run_until(at(20_000));
    assert_eq!(delivered(&world)[0], 1);
    world.run_until(Instant::NEVER);
    world.audit();
    // There is no count to infinity after the node is gone.
    assert_eq!(next(&mut world, NodeId(0), NodeId(1)), None);
}
