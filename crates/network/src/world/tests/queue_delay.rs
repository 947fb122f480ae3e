//! Queues that hold a delay near a target under flows that fill the link.

use super::*;
use crate::queue::dualpi2::Overload;
use crate::queue::{dualpi2, fq_pie, pie};
use farlink_tcp::congestion;

/// The results of `flows` bulk flows of one congestion control over a link of `mbps` and a round trip of 20 ms.
fn bulk(queue: queue::Config, control: &str, flows: usize, mbps: u64, ecn: bool, seconds: u64) -> Results {
    let line = link::Config { queue, ..direction(mbps, 10, 1000) };
    let mut one = flow(NodeId(0), NodeId(1), app::Config::named("bulk").unwrap());
    one.tcp.congestion_control = congestion::Config::named(control).unwrap();
    one.tcp.ecn = if ecn { EcnMode::Classic } else { EcnMode::Off };
    run(&blueprint(2, vec![link(NodeId(0), NodeId(1), &line)], vec![one; flows], seconds), 1)
}

/// Mean delay in the queue in ms, by Little's law: the mean length over the packets of 1500 bytes that leave per ms.
fn mean_delay_ms(results: &Results, mbps: u64) -> f64 {
    let link = &results.links[0];
    link.queue_mean_packets / (link.utilisation * mbps as f64 / 12.0)
}

fn drops(results: &Results, cause: Cause) -> u64 {
    results.drops.iter().filter(|(name, _)| *name == cause.word()).map(|(_, drops)| *drops).sum()
}

#[test]
fn controllers_hold_the_delay_at_their_target() {
    let linux = queue::Preset::Linux;
    let runs = [
        (queue::Config::Pie(pie::Config::default()), false),
        (queue::Config::Pie(pie::Config { ecn: true, ..pie::Config::of(linux) }), true),
        (queue::Config::FqPie(fq_pie::Config::default()), false),
        (queue::Config::DualPi2(dualpi2::Config::default()), false),
        (queue::Config::DualPi2(dualpi2::Config::default()), true),
        (queue::Config::DualPi2(dualpi2::Config::of(linux)), true),
    ];
    for (queue, ecn) in runs {
        for control in ["reno", "cubic"] {
            let results = bulk(queue.clone(), control, 4, 40, ecn, 40);
            let (delay, link) = (mean_delay_ms(&results, 40), &results.links[0]);
            // RFC 8033 section 4.2, RFC 9332 figure 2: 15 ms.
            assert!((delay - 15.0).abs() < 4.0, "{queue:?} {control} {ecn}: {delay} ms");
            assert!(link.utilisation > 0.96, "{queue:?} {control} {ecn}: {}", link.utilisation);
        }
    }
}

#[test]
fn a_capable_flow_in_the_classic_queue_is_marked_and_loses_nothing() {
    let queue = queue::Config::DualPi2(dualpi2::Config::default());
    let results = bulk(queue, "reno", 4, 40, true, 40);
    assert_eq!(results.drops, []);
    assert_eq!(results.flows.iter().map(|flow| flow.packets_retransmitted).sum::<u64>(), 0);
}

/// Datagrams of twice the rate of the link: half of them have to go.
#[test]
fn an_unresponsive_overload_is_dropped_or_overflows() {
    let datagrams =
        app::constant_bit_rate::Config { rate: BitRate::from_bps(7_850_667), packet_size: Bytes(1472) };
    let flows = vec![flow(NodeId(0), NodeId(1), app::Config::ConstantBitRate(datagrams))];
    let shares = |overload| {
        let queue = dualpi2::Config { overload, limit: Amount::Packets(100), ..dualpi2::Config::default() };
        let line = link::Config { queue: queue::Config::DualPi2(queue), ..direction(4, 10, 100) };
        let results = run(&blueprint(2, vec![link(NodeId(0), NodeId(1), &line)], flows.clone(), 200), 1);
        let sent = results.flows[0].packets_sent as f64;
        let [early, full] = [Cause::EarlyDrop, Cause::QueueFull].map(|cause| drops(&results, cause) as f64);
        (early / sent, full / sent, results.links[0].queue_mean_packets)
    };
    // p'^2 = 1/2 holds the delay at the target of 15 ms, in which 10 packets come at two in 3 ms.
    let (early, full, length) = shares(Overload::Drop);
    assert!((early - 0.5).abs() < 0.02 && full < 0.01, "{early} {full}");
    assert!((length - 10.0).abs() < 1.0, "{length}");
    // p'^2 is at most 1/4: of those that come 1/6 is dropped and 1/3 finds no room. The queue is full.
    let (early, full, length) = shares(Overload::Overflow);
    let expected = [1.0 / 6.0, 1.0 / 3.0];
    assert!((early - expected[0]).abs() < 0.01 && (full - expected[1]).abs() < 0.01, "{early} {full}");
    assert!(length > 95.0, "{length}");
}

/// An L4S flow and `flows` of CUBIC without ECN at 4 Mbit/s: the shares of CUBIC's packets and of the L4S flow's that are dropped.
fn crowd(overload: Overload, flows: usize) -> [f64; 2] {
    let queue = queue::Config::DualPi2(dualpi2::Config { overload, ..dualpi2::Config::default() });
    let line = link::Config { queue, ..direction(4, 10, 1000) };
    let mut all = vec![flow(NodeId(0), NodeId(1), app::Config::named("bulk").unwrap()); flows + 1];
    for (flow, control) in all.iter_mut().zip(["prague"].into_iter().chain(std::iter::repeat("cubic"))) {
        flow.tcp.congestion_control = congestion::Config::named(control).unwrap();
    }
    let results = run(&blueprint(2, vec![link(NodeId(0), NodeId(1), &line)], all, 120), 1);
    let share = |flows: &[FlowResult]| {
        let dropped = flows.iter().flat_map(|flow| &flow.drops).map(|(_, packets)| packets).sum::<u64>();
        dropped as f64 / flows.iter().map(|flow| flow.packets_sent).sum::<u64>() as f64
    };
    [share(&results.flows[1..]), share(&results.flows[..1])]
}

/// At p_Cmax = 1/k^2 = 1/4 all L4S packets are marked (RFC 9332 section A.2). From there on p_C drops packets of both queues, and
/// grows until the classic flows are slow enough; or it stays there, the queue grows, and no L4S packet is dropped.
#[test]
fn overload_begins_where_a_quarter_of_classic_packets_is_dropped() {
    let shares = [10, 80].map(|flows| crowd(Overload::Drop, flows));
    assert!(shares[0][0] < 0.25 && shares[0][1] < shares[0][0] / 2.0, "{shares:?}");
    assert!(shares[1][0] > 0.25 && (shares[1][0] - shares[1][1]).abs() < 0.1, "{shares:?}");
    let [classic, l4s] = crowd(Overload::Overflow, 80);
    assert!((classic - 0.25).abs() < 0.01 && l4s == 0.0, "{classic} {l4s}");
}

/// Twenty flows need about that quarter: the drops come near it within a fifth, as overload comes and goes.
#[test]
fn beside_twenty_classic_flows_l4s_packets_are_dropped_where_overload_drops() {
    let ([classic, l4s], [capped, spared]) = (crowd(Overload::Drop, 20), crowd(Overload::Overflow, 20));
    assert!((0.2..0.3).contains(&classic) && l4s > 0.0 && l4s < classic, "{classic} {l4s}");
    assert!(capped <= 0.25 && spared == 0.0, "{capped} {spared}");
}

#[test]
fn many_flows_on_a_slow_link_overload_the_marks_but_not_the_drops() {
    let run = |overload, ecn| {
        let queue = queue::Config::DualPi2(dualpi2::Config { overload, ..dualpi2::Config::default() });
        let results = bulk(queue, "cubic", 20, 4, ecn, 60);
        let sent: u64 = results.flows.iter().map(|flow| flow.packets_sent).sum();
        (drops(&results, Cause::EarlyDrop) as f64 / sent as f64, mean_delay_ms(&results, 4))
    };
    // Windows of a packet need a drop probability near p_Cmax = 1/4.
    let (dropped, _) = run(Overload::Drop, false);
    assert!((0.125..0.27).contains(&dropped), "{dropped}");
    // In overload capable packets are dropped, too; or none is, and the queue grows.
    let ((dropped, held), (overflown, grown)) = (run(Overload::Drop, true), run(Overload::Overflow, true));
    assert!(dropped > 0.01 && overflown == 0.0 && grown > held, "{dropped} {overflown} {held} {grown}");
}
