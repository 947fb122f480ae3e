//! Flows that arrive.

use super::*;
use crate::blueprint::Workload;
use crate::results::{SizeClass, WorkloadResult};
use crate::workload::{arrivals, size};
use farlink_tcp::config::{InitialWindow, Preset};

pub(super) fn workload(arrivals: arrivals::Config, size: u64) -> Workload {
    Workload {
        label: "web".into(),
        from: vec![NodeId(0)],
        to: vec![NodeId(1)],
        start: Instant::ZERO,
        stop: None,
        arrivals,
        size: size::Config::Fixed(size::fixed::Config { size: Bytes(size) }),
        tcp: farlink_tcp::Config::default(),
        classes: Vec::new(),
        keeps_rows: true,
    }
}

pub(super) fn poisson(rate: f64) -> arrivals::Config {
    arrivals::Config::Poisson(arrivals::poisson::Config { rate, load: None })
}

pub(super) fn schedule(flows: &[(u64, u64)]) -> arrivals::Config {
    let flow = |&(ms, size): &(u64, u64)| arrivals::schedule::Timed { at: at(ms), size: Bytes(size) };
    let flows = flows.iter().map(flow).collect();
    arrivals::Config::Schedule(arrivals::schedule::Config { flows, ..Default::default() })
}

fn scene(line: &link::Config, workload: Workload, seconds: u64) -> Blueprint {
    let workloads = vec![workload];
    Blueprint { workloads, ..blueprint(2, vec![link(NodeId(0), NodeId(1), line)], Vec::new(), seconds) }
}

fn all(results: &Results) -> &SizeClass {
    &results.workloads[0].classes[0]
}

#[test]
fn ids_are_used_again_and_every_packet_has_one_fate() {
    let mut bad = direction(20, 5, 30);
    bad.error = loss(0.01);
    let mut world = World::new(&scene(&bad, workload(poisson(50.0), 20_000), 20), 1).unwrap();
    for slice in 1..=200 {
        world.run_until(at(slice * 100));
        world.audit();
    }
    // 1000 flows of some 50 ms at 50 per second; a loss may take a second.
    assert!(world.transport.flows.len() < 100, "{}", world.transport.flows.len());
    let results = world.finish();
    let WorkloadResult { classes, flows, drops, .. } = &results.workloads[0];
    assert!((850..1150).contains(&classes[0].arrivals), "{classes:?}");
    assert!(classes[0].completed + 20 > classes[0].arrivals, "{classes:?}");
    assert_eq!(flows.len() as u64, classes[0].arrivals);
    assert!(flows.iter().zip(0..).all(|(flow, number)| flow.number == number));
    let lost = |drops: &[(&str, u64)]| drops.iter().map(|(_, count)| count).sum::<u64>();
    assert_eq!(lost(drops), lost(&results.drops));
    assert!(lost(drops) > 0 && classes[0].retransmissions > 0);
    let accounts = results.ledger.iter().filter(|entry| entry.flow == Some(0));
    assert_eq!(accounts.map(|entry| lost(&entry.dropped)).sum::<u64>(), lost(drops));
}

#[test]
fn a_flow_alone_takes_the_time_that_slowdowns_are_relative_to() {
    // One packet; three in the initial window; a thousand, which slow start delays.
    let flows = [(0, 1448), (1000, 4344), (2000, 1_448_000)];
    let results = run(&scene(&direction(10, 20, 2000), workload(schedule(&flows), 1), 10), 1);
    let rows = &results.workloads[0].flows;
    let completion = |row: usize| rows[row].completion.unwrap().as_secs_f64();
    // A SYN, its answer, the data and the acknowledgement: 40 ms of propagation twice.
    let sent = |bytes: f64| bytes * 8.0 / 10e6;
    let alone = [0.08 + sent(2.0 * 40.0 + 1500.0 + 52.0), 0.08 + sent(2.0 * 40.0 + 4500.0 + 52.0)];
    for (row, alone) in alone.into_iter().enumerate() {
        let slowdown = rows[row].slowdown.unwrap();
        assert!((slowdown * alone - completion(row)).abs() < 1e-6, "{row}: {slowdown} of {alone}");
        // Options make a SYN 20 B longer, and acknowledgements of others pass before the last.
        assert!((1.0..1.005).contains(&slowdown), "{row}: {slowdown}");
    }
    assert!(rows[2].slowdown.unwrap() > 1.05, "{:?}", rows[2]);
}

#[test]
fn arrivals_and_sizes_are_equal_for_all_variants() {
    let arrived = |variant: fn(&mut Blueprint)| {
        let mut of = workload(poisson(40.0), 1);
        of.size = size::Config::named("web_search").unwrap();
        (of.from, of.to) = (vec![NodeId(0), NodeId(1)], vec![NodeId(0), NodeId(1)]);
        let mut scene = scene(&direction(50, 5, 50), of, 10);
        variant(&mut scene);
        let flows = run(&scene, 3).workloads[0].flows.clone();
        flows.iter().map(|flow| (flow.between, flow.size, flow.start)).collect::<Vec<_>>()
    };
    let first = arrived(|_| {});
    assert!(first.len() > 300);
    let variants: [fn(&mut Blueprint); 3] = [
        |scene| scene.workloads[0].tcp = farlink_tcp::Config::preset(Preset::Rfc),
        |scene| scene.links[0].forward.error = loss(0.02),
        |scene| scene.flows.push(flow(NodeId(0), NodeId(1), file(10_000_000))),
    ];
    for (number, variant) in variants.into_iter().enumerate() {
        assert_eq!(arrived(variant), first, "variant {number}");
    }
}

#[test]
fn a_closed_loop_has_a_flow_per_user_at_most() {
    let closed = arrivals::closed::Config { users: 5, think_time: ms(100) };
    let of = workload(arrivals::Config::Closed(closed), 50_000);
    let mut world = World::new(&scene(&direction(10, 10, 100), of, 30), 1).unwrap();
    world.run_until(Instant::NEVER);
    let results = world.finish();
    let flows = &results.workloads[0].flows;
    let mut changes: Vec<(Instant, i64)> = Vec::new();
    for flow in flows {
        changes.push((flow.start, 1));
        changes.extend(flow.completion.map(|time| (flow.start + time, -1)));
    }
    changes.sort_unstable();
    let mut live = 0;
    let most = changes.iter().map(|(_, change)| {
        live += change;
        live
    });
    assert_eq!(most.max(), Some(5));
    // A cycle takes 100 ms of thought and some 100 ms, longer where flows meet.
    assert!((300..1000).contains(&flows.len()), "{}", flows.len());
}

#[test]
fn a_run_in_slices_beside_a_fixed_flow_gives_the_same_results() {
    let mut scene = scene(&direction(10, 10, 50), workload(poisson(20.0), 30_000), 10);
    scene.flows.push(flow(NodeId(0), NodeId(1), app::Config::named("bulk").unwrap()));
    scene.record.interval = Some(ms(100));
    let mut world = World::new(&scene, 1).unwrap();
    world.keep_ledger();
    for step in 0..1000 {
        world.run_until(at(step * 10));
    }
    world.run_until(Instant::NEVER);
    let (sliced, whole) = (world.finish(), run(&scene, 1));
    assert_eq!((&sliced.workloads, &sliced.flows), (&whole.workloads, &whole.flows));
    assert_eq!((&sliced.ledger, &sliced.links), (&whole.ledger, &whole.links));
    let rows = &sliced.ledger_rows;
    // Series are of the flow only; a ledger's row has the flow, or the workload after it.
    assert_eq!(sliced.flow_series.time_ns.len(), 101);
    assert!(rows.iter().all(|row| matches!(row.flow, Some(0 | 1))));
    assert!(rows.iter().any(|row| row.flow == Some(1)));
}

#[test]
fn nothing_arrives_after_the_stop() {
    let mut of = workload(poisson(100.0), 1000);
    (of.start, of.stop) = (at(1000), Some(at(2000)));
    let results = run(&scene(&direction(10, 1, 100), of, 5), 1);
    let starts = results.workloads[0].flows.iter().map(|flow| flow.start);
    assert!(
        starts.clone().count() > 60 && starts.into_iter().all(|start| start >= at(1000) && start < at(2000))
    );
    assert_eq!(all(&results).completed, all(&results).arrivals);
}

#[test]
fn random_networks_keep_every_packet_of_arrivals() {
    let mut completed = 0;
    for number in 0..40 {
        let mut scene = random::scene(number);
        let Flow { from, to, .. } = scene.flows[0];
        let mut of = workload(poisson(5.0), 10_000);
        (of.from, of.to, of.tcp) = (vec![from, to], vec![from, to], scene.flows[0].tcp.clone());
        scene.workloads.push(of);
        let mut world = World::new(&scene, 1).unwrap();
        for slice in 1..=30 {
            world.run_until(at(slice * 100));
            world.audit();
        }
        let results = world.finish();
        completed += all(&results).completed;
        assert_eq!(results, run(&scene, 1), "scene {number}");
    }
    assert!(completed > 100, "{completed}");
}

/// M/G/1 with processor sharing: the mean time of a job is E[S] / (1 - rho) whatever the distribution of its work
/// (Kleinrock, Queueing Systems, volume 2, 1976, section 4.4).
///
/// It is one here, as a FIFO queue without loss serves flows equally that each have four packets in it: the window neither
/// grows nor falls, and the round trip on the empty path is shorter than a window takes.
#[test]
fn completion_times_are_those_of_processor_sharing() {
    let line = link::Config {
        rate: Schedule::Constant(BitRate::from_bps(100_000_000)),
        delay: Schedule::Constant(Duration::from_micros(10)),
        queue: queue::Config::DropTail(queue::drop_tail::Config { limit: Amount::Packets(100_000) }),
        ..link::Config::default()
    };
    let mean = Bytes(200_000);
    let mut of = workload(poisson(36.0), 1);
    of.size = size::Config::Lognormal(size::lognormal::Config { mean, sigma: 1.0 });
    of.tcp.initial_window = InitialWindow::Fixed(Amount::Packets(4));
    of.tcp.max_window = Some(Amount::Packets(4));
    let results = run(&scene(&line, of, 200), 1);
    let SizeClass { arrivals, completed, completion, .. } = *all(&results);
    assert!(completed > 6000 && arrivals < completed + 20, "{completed} of {arrivals}");
    assert_eq!(results.drops, []);
    // The work that arrived, with 52 B of headers for each of its packets.
    let flows = &results.workloads[0].flows;
    let bytes: u64 = flows.iter().map(|flow| flow.size.0 + 52 * flow.size.0.div_ceil(1448)).sum();
    let service = bytes as f64 * 8.0 / 100e6 / arrivals as f64;
    let load = service * arrivals as f64 / 200.0;
    let (found, expected) = (completion.unwrap().mean, service / (1.0 - load));
    assert!((0.5..0.7).contains(&load), "{load}");
    assert!((found / expected - 1.0).abs() < 0.1, "{found} s, not {expected} s, at a load of {load}");
}
