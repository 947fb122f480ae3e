//! Paths over links that change.

use super::*;
use crate::ids::FlowId;
use crate::packet::{Account, Class};
use crate::routing::reconverge::Reconverge;
use crate::routing::shortest_path;
use crate::schedule::Steps;

/// Datagrams every 8 ms for 12 s from node 0 to node 3: over node 1 in 10 ms, over node 2 in 20 ms. The second link of
/// the shorter path is `changing`.
fn two_paths(changing: &link::Config, reconverge: Reconverge) -> Blueprint {
    let links = vec![
        link(NodeId(0), NodeId(1), &direction(10, 5, 50)),
        link(NodeId(1), NodeId(3), changing),
        link(NodeId(0), NodeId(2), &direction(10, 10, 50)),
        link(NodeId(2), NodeId(3), &direction(10, 10, 50)),
    ];
    scene(4, links, NodeId(3), reconverge)
}

fn scene(nodes: usize, links: Vec<Link>, to: NodeId, reconverge: Reconverge) -> Blueprint {
    let mut source = flow(NodeId(0), to, app::Config::named("constant_bit_rate").unwrap());
    source.stop = Some(at(12_000));
    let mut scene = blueprint(nodes, links, vec![source], 13);
    let config = shortest_path::Config { reconverge, ..Default::default() };
    scene.routing = routing::Config::ShortestPath(config);
    scene
}

/// Down from 5 s to 10 s.
fn outage() -> link::Config {
    link::Config { down: vec![Outage::once(at(5000), at(10_000))], ..direction(10, 5, 50) }
}

const SECOND: Reconverge = Reconverge::After(Duration::from_secs(1));

/// The datagrams that are lost, by cause.
fn lost(scene: &Blueprint) -> Vec<(&'static str, u64)> {
    let results = run(scene, 1);
    let flow = &results.flows[0];
    assert_eq!(flow.packets_sent, 1500);
    let lost: u64 = flow.drops.iter().map(|(_, count)| count).sum();
    assert_eq!(flow.packets_delivered + lost, 1500);
    flow.drops.clone()
}

#[test]
fn packets_are_lost_between_an_outage_and_its_detection_only() {
    // 125 datagrams a second.
    assert_eq!(lost(&two_paths(&outage(), SECOND)), [("link_down", 125)]);
    assert_eq!(lost(&two_paths(&outage(), Reconverge::After(ms(200)))), [("link_down", 25)]);
    assert_eq!(lost(&two_paths(&outage(), Reconverge::Never)), [("link_down", 625)]);
}

#[test]
fn the_path_changes_when_the_detection_time_is_over() {
    let mut world = World::new(&two_paths(&outage(), SECOND), 1).unwrap();
    let [short, long] = [[0, 2], [4, 6]];
    let at_times = [(0, short), (5999, short), (6000, long), (10_999, long), (11_000, short)];
    for (time, expected) in at_times {
        world.run_until(at(time));
        assert_eq!(world.way(FlowId(0)), expected, "{time} ms");
    }
}

#[test]
fn packets_take_a_path_whose_delay_has_grown_until_it_is_detected() {
    let points = vec![(at(0), ms(5)), (at(5000), ms(100))];
    let grows =
        link::Config { delay: Schedule::Steps(Steps { points, period: None }), ..direction(10, 5, 50) };
    for (reconverge, over_the_other) in [(SECOND, 750), (Reconverge::Never, 0)] {
        let results = run(&two_paths(&grows, reconverge), 1);
        assert_eq!(results.flows[0].packets_delivered, 1500);
        // Those sent from 6 s to 12 s.
        assert_eq!(results.links[4].packets, over_the_other);
    }
}

#[test]
fn without_another_path_there_is_no_route_until_the_end_of_the_outage_is_detected() {
    let only = |down| vec![link(NodeId(0), NodeId(1), &link::Config { down, ..direction(10, 5, 50) })];
    let scene_of = |down| scene(2, only(vec![down]), NodeId(1), SECOND);
    let down = Outage::once(at(5000), at(10_000));
    assert_eq!(lost(&scene_of(down)), [("link_down", 125), ("no_route", 625)]);
    // An outage from the start on is detected as late, and no reason to refuse the scenario.
    let down = Outage::once(at(0), at(2000));
    assert_eq!(lost(&scene_of(down)), [("link_down", 125), ("no_route", 250)]);
}

#[test]
fn an_outage_that_recurs_is_followed_each_time() {
    let first = Interval { start: at(1000), end: at(1500) };
    let down = vec![Outage { first, period: Some(ms(3000)) }];
    let changing = link::Config { down, ..direction(10, 5, 50) };
    // At 1, 4, 7 and 10 s, each detected after 200 ms.
    assert_eq!(lost(&two_paths(&changing, Reconverge::After(ms(200)))), [("link_down", 100)]);
}

/// The first flow meets the outage, is complete over the other path and leaves; the next one has its id when the link is
/// used again.
#[test]
fn a_flow_hears_nothing_of_the_outage_that_an_earlier_flow_with_its_id_met() {
    let mut scene = two_paths(&outage(), SECOND);
    scene.flows.clear();
    let flows = [(4000, 1_500_000), (9500, 100_000), (11_500, 100_000)];
    let mut of = workloads::workload(workloads::schedule(&flows), 1);
    of.to = vec![NodeId(3)];
    scene.workloads.push(of);
    let notified =
        shortest_path::Config { reconverge: SECOND, route_notifications: true, ..Default::default() };
    scene.routing = routing::Config::ShortestPath(notified);
    let mut world = World::new(&scene, 1).unwrap();
    let notices = |world: &World| {
        let of_first = |(flow, class, _): &(Option<FlowId>, Class, &Account)| {
            (*flow, *class) == (Some(FlowId(0)), Class::Routing)
        };
        world.context.packets.accounts().find(of_first).unwrap().2.originated
    };
    world.run_until(at(9000));
    assert!(notices(&world) > 0);
    world.run_until(at(12_900));
    assert_eq!((world.transport.flows.len(), notices(&world)), (1, 0));
}
