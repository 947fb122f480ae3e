//! Transports that hear of broken routes, over AODV and DSR: what each policy makes of it in whole networks.

use crate::ids::{FlowId, NodeId};
use farlink_kernel::random::{draw, name_key};
use farlink_tcp::connection::Counters;
use farlink_tcp::{Amount, Notice, SeqNumber, route_failure};

use super::shared_channel::{line, put};
use super::*;
use crate::blueprint::Radio;
use crate::channel::propagation;
use crate::mac;
use crate::routing::aodv::{self, config::Preset};
use crate::routing::dsr;
use crate::routing::notice::Notices;

const STILL: [&str; 4] = ["tcp_f", "tcp_elfn", "sim_elfn", "tcp_fsr"];

/// Stations in a row, 200 m apart: heard over 250 m and noticed over 550 m, so that no neighbour is missed for long.
fn row(nodes: usize, routing: routing::Config, flows: Vec<Flow>, seconds: u64) -> Blueprint {
    let propagation = propagation::Config::named("two_ray").expect("registered");
    let mac = mac::Config::named("dcf").expect("registered");
    let radio = Radio { propagation, mac, ..Radio::default() };
    let places: Vec<_> = (0..nodes).map(|node| node as f64 * 200.0).collect();
    let mut scene = line(&places, radio, flows, seconds);
    scene.routing = routing;
    scene
}

/// An endless transfer over a window of four packets that answers route failures in this way.
fn bulk(from: NodeId, to: NodeId, policy: &str) -> Flow {
    let mut flow = flow(from, to, app::Config::named("bulk").expect("registered"));
    flow.tcp.route_failure = route_failure::Config::named(policy).expect("registered");
    flow.tcp.recovery = farlink_tcp::recovery::Config::named("reno").expect("registered");
    flow.tcp.max_window = Some(Amount::Packets(4));
    flow
}

fn counters(world: &World, number: u32) -> Counters {
    world.connection(FlowId(number), End::Sender).expect("TCP").counters()
}

fn received(world: &World) -> u64 {
    world.transport.flows[0].measured.received()
}

fn seen(world: &World, number: u32) -> Vec<Notice> {
    world.connection(FlowId(number), End::Sender).expect("TCP").notices().to_vec()
}

fn aodv(preset: Preset, notices: Notices) -> routing::Config {
    routing::Config::Aodv(aodv::Config {
        route_notifications: notices,
        destination_only: true,
        ..aodv::Config::of(preset)
    })
}

#[test]
fn over_aodv_a_source_is_frozen_while_there_is_no_route_and_goes_on_when_there_is() {
    for (preset, notices) in [Preset::Rfc, Preset::Ns2].into_iter().zip([Notices::InBand, Notices::Ideal]) {
        for policy in STILL {
            let case = format!("{policy} {preset:?} {notices:?}");
            let mut world =
                World::new(&row(4, aodv(preset, notices), vec![bulk(NodeId(0), NodeId(3), policy)], 60), 1)
                    .unwrap();
            world.run_until(at(10_000));
            assert_eq!(counters(&world, 0).freezes, 0, "{case}");
            put(&mut world, 2, -9000.0);
            world.run_until(at(14_000));
            world.audit();
            let before = received(&world);
            let Counters { freezes, timeouts, route_probes, .. } = counters(&world, 0);
            let probes = u64::from(policy == "tcp_elfn");
            assert_eq!((freezes, timeouts, route_probes), (1, 0, probes), "{case}");
            put(&mut world, 2, 400.0);
            // The search goes on although nothing is sent: a policy that nothing wakes waits for its own timer.
            world.run_until(at(if policy == "sim_elfn" { 60_000 } else { 30_000 }));
            world.audit();
            assert!(received(&world) > 2 * before, "{case}: {before} {}", received(&world));
        }
    }
}

#[test]
fn an_aodv_error_names_the_packet_that_met_the_break_and_is_reported_to_every_flow_that_goes_there() {
    for notices in [Notices::None, Notices::InBand] {
        let flows = vec![bulk(NodeId(0), NodeId(3), "tcp_f"), bulk(NodeId(0), NodeId(3), "tcp_f")];
        let mut world = World::new(&row(4, aodv(Preset::Rfc, notices), flows, 60), 1).unwrap();
        world.run_until(at(10_000));
        put(&mut world, 2, -9000.0);
        // A node on the way tries to repair the route first.
        world.run_until(at(16_000));
        let notified = [0, 1].map(|number| seen(&world, number));
        if notices == Notices::None {
            assert_eq!(notified, [vec![], vec![]]);
            continue;
        }
        let names = |notice: &Notice| matches!(notice, Notice::RouteFailed { seq: Some(_) });
        assert!(notified.iter().flatten().any(names), "{notified:?}");
        for flow in &notified {
            assert!(flow.contains(&Notice::RouteFailed { seq: None }), "{notified:?}");
        }
    }
}

#[test]
fn where_no_notice_is_issued_all_policies_and_plain_reno_give_the_same_run() {
    for routing in [dsr(Notices::InBand), aodv(Preset::Rfc, Notices::InBand)] {
        let run = |policy: &str| {
            // Requests that begin at the same time meet at the node between, again and again.
            let later = Flow { start: Start::At(at(1000)), ..bulk(NodeId(2), NodeId(0), policy) };
            let scene = row(3, routing.clone(), vec![bulk(NodeId(0), NodeId(2), policy), later], 30);
            let mut world = World::new(&scene, 1).unwrap();
            world.run_until(Instant::NEVER);
            let seen = [0, 1].map(|number| seen(&world, number));
            (seen, world.finish())
        };
        let reno = run("none");
        assert_eq!(reno.0, [vec![], vec![]]);
        assert!(reno.1.flows.iter().all(|flow| flow.packets_delivered > 100));
        for policy in STILL {
            assert_eq!(run(policy), reno, "{policy}");
        }
    }
}

/// As the paper assumes: nobody but the destination answers. Requests that leave at once, so that breaks at times in milliseconds
/// meet the same packets.
fn dsr(notices: Notices) -> routing::Config {
    routing::Config::Dsr(dsr::Config {
        route_notifications: notices,
        replies_from_cache: false,
        ring_zero: false,
        jitter_own_requests: false,
        ..dsr::Config::default()
    })
}

/// A transfer over four hops that has lasted 10 s.
fn over_four_hops(policy: &str, seconds: u64) -> World {
    let mut flow = bulk(NodeId(0), NodeId(4), policy);
    flow.tcp.max_window = Some(Amount::Packets(10));
    let mut world = World::new(&row(5, dsr(Notices::InBand), vec![flow], seconds), 1).unwrap();
    world.run_until(at(10_000));
    world
}

/// What a run showed at 16 s and at 20 s: counters of the source, and bytes that arrived in order.
struct Outage {
    /// From the first missing byte to the packet that the first notice named.
    beyond: u64,
    during: Counters,
    after: Counters,
    gained: u64,
    duplicates: u64,
}

/// Node `away` leaves its place at `moment` and is back at 16 s.
fn outage(policy: &str, away: usize, moment: Instant) -> Outage {
    let mut world = over_four_hops(policy, 40);
    world.run_until(moment);
    put(&mut world, away, -9000.0);
    world.run_until(at(16_000));
    world.audit();
    let failed = |notice: Notice| match notice {
        Notice::RouteFailed { seq } => seq,
        Notice::RouteRestored => None,
    };
    let named = seen(&world, 0).into_iter().find_map(failed).expect("a notice that names a packet");
    let initial = SeqNumber(draw(1, name_key("initial_seq"), 0, 0) as u32);
    let (during, before) = (counters(&world, 0), received(&world));
    put(&mut world, away, away as f64 * 200.0);
    world.run_until(at(20_000));
    world.audit();
    Outage {
        // A packet whose link-layer acknowledgement was lost met the break and arrived.
        beyond: named.to_offset(initial, before).unwrap().saturating_sub(1 + before),
        during,
        after: counters(&world, 0),
        gained: received(&world) - before,
        duplicates: world.connection(FlowId(0), End::Receiver).unwrap().counters().duplicates_received,
    }
}

#[test]
fn after_a_double_break_tcp_f_retransmits_fast_and_tcp_fsr_does_not() {
    // Node 2 takes with it what it has: the link to it breaks, and the link from it.
    let mut lost = 0;
    for moment in (10_000..10_120).step_by(13).map(at) {
        let [f, fsr] = ["tcp_f", "tcp_fsr"].map(|policy| outage(policy, 2, moment));
        assert_eq!(f.beyond, fsr.beyond);
        lost += u32::from(f.beyond > 0);
        assert_eq!(
            f.after.fast_retransmits,
            u64::from(f.beyond > 0),
            "at {moment:?} {} are missing",
            f.beyond
        );
        assert_eq!(fsr.after.fast_retransmits, 0, "at {moment:?}");
        assert_eq!((f.after.timeouts, fsr.after.timeouts), (0, 0));
    }
    assert!(lost >= 3, "node 2 had packets {lost} times");
}

#[test]
fn after_a_single_break_they_agree() {
    // The receiver itself leaves: only the link to it breaks, and nothing beyond is lost.
    for moment in (10_000..10_120).step_by(13).map(at) {
        let [f, fsr] = ["tcp_f", "tcp_fsr"].map(|policy| outage(policy, 4, moment));
        assert_eq!((f.beyond, fsr.beyond), (0, 0));
        for outage in [&f, &fsr] {
            let Counters { freezes, timeouts, fast_retransmits, .. } = outage.after;
            assert!(freezes > 0);
            assert_eq!((timeouts, fast_retransmits), (0, 0), "at {moment:?}");
        }
        // Draws of the channel differ once they do not send at the same instant.
        let ratio = f.gained as f64 / fsr.gained as f64;
        assert!((0.75..1.33).contains(&ratio), "{} {}", f.gained, fsr.gained);
    }
}

#[test]
fn an_outage_beyond_what_routing_keeps_makes_all_but_elfn_fall_back_on_reno() {
    for policy in STILL {
        let mut world = over_four_hops(policy, 100);
        put(&mut world, 2, -9000.0);
        world.run_until(at(55_000));
        let falls_back = policy != "tcp_elfn";
        assert_eq!(counters(&world, 0).timeouts > 0, falls_back, "{policy}");
        assert_eq!(
            world.connection(FlowId(0), End::Sender).unwrap().sample().window.cwnd < 2.0,
            falls_back,
            "{policy}"
        );
        let before = received(&world);
        put(&mut world, 2, 400.0);
        world.run_until(at(100_000));
        assert!(received(&world) > before + 100_000, "{policy}: {before} {}", received(&world));
    }
}

#[test]
fn probes_of_elfn_show_as_duplicates_and_sim_elfn_sends_none() {
    let [elfn, sim_elfn] = ["tcp_elfn", "sim_elfn"].map(|policy| outage(policy, 2, at(10_000)));
    // Routing kept the probes and delivers them together; the receiver answers each but the first with a duplicate.
    assert!(elfn.during.route_probes >= 2 && elfn.duplicates >= elfn.during.route_probes - 1);
    assert!(elfn.after.fast_retransmits > 0);
    assert_eq!(
        (sim_elfn.during.route_probes, sim_elfn.duplicates, sim_elfn.after.fast_retransmits),
        (0, 0, 0)
    );
}

#[test]
fn probes_cost_joules_and_waiting_costs_none() {
    // Routing that always has a way: probes go as far as the break and are tried there again and again.
    let run = |policy: &str| {
        let config = routing::shortest_path::Config {
            route_notifications: true,
            recompute: None,
            ..Default::default()
        };
        let mut world = World::new(
            &row(4, routing::Config::ShortestPath(config), vec![bulk(NodeId(0), NodeId(3), policy)], 30),
            1,
        )
        .unwrap();
        world.run_until(at(10_000));
        put(&mut world, 3, 9000.0);
        let probes = |world: &World| counters(world, 0).route_probes;
        world.run_until(at(30_000));
        (probes(&world), world.finish().stations)
    };
    let ((probes, probing), (none, still)) = (run("tcp_elfn"), run("sim_elfn"));
    assert_eq!((probes, none), (9, 0));
    for node in 0..3 {
        let (probing, still) = (&probing[node], &still[node]);
        // A request and the packet at least, and who is asked answers.
        assert!(probing.frames_sent >= still.frames_sent + probes, "node {node}");
        assert!(probing.energy_joules > still.energy_joules, "node {node}");
    }
}
