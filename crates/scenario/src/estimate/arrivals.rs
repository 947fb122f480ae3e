//! The events and the memory that workloads take: as many flows as arrive, each of the mean size.

use farlink_kernel::Instant;
use farlink_network::blueprint::{Blueprint, Workload};

use super::Share;
use super::medium::Medium;
use super::traffic::Plan;

/// Packets of a connection beside its data: handshake, the end of both directions.
const BESIDE_DATA: f64 = 5.0;

/// Bytes of a row.
const OF_A_ROW: f64 = 64.0;

/// The flows of a workload.
struct Flows<'a> {
    number: usize,
    workload: &'a Workload,
    arrivals: f64,
    mean_size: f64,
}

fn flows(blueprint: &Blueprint) -> impl Iterator<Item = Flows<'_>> {
    let end = Instant::ZERO + blueprint.duration;
    blueprint.workloads.iter().enumerate().map(move |(number, workload)| {
        let parameters = workload.arrivals.parameters();
        let mean_size = workload.mean_size();
        let until = workload.stop.map_or(end, |stop| stop.min(end));
        let seconds = until.saturating_since(workload.start).as_secs_f64();
        Flows { number, workload, arrivals: parameters.count(mean_size, seconds), mean_size }
    })
}

pub(super) fn events(blueprint: &Blueprint, media: &[Medium]) -> Vec<Share> {
    let plan = Plan::new(blueprint, media);
    let share = |Flows { number, workload, arrivals, mean_size }: Flows<'_>| {
        let segment = workload.tcp.segment_size.0.max(1) as f64;
        let packets = (mean_size / segment).ceil() + BESIDE_DATA;
        let (of_a_packet, most_per_s) = workload.pairs().next().map_or((0.0, 0.0), |ends| {
            let legs = plan.legs(ends, workload.packet_size());
            let most = legs.iter().map(|leg| 1.0 / leg.uses.1).fold(f64::INFINITY, f64::min);
            // Data, and an ACK for two packets.
            (1.5 * legs.iter().map(|leg| leg.events).sum::<f64>(), most)
        });
        let packets = (arrivals * packets).min(most_per_s * blueprint.duration.as_secs_f64());
        let cause = format!("workload `{}` sends up to {packets:.1e} packets", workload.label);
        let remedy = format!("lower workloads.{number}.arrivals, or write a shorter duration");
        Share::new(packets * of_a_packet, cause, remedy)
    };
    flows(blueprint).map(share).collect()
}

pub(super) fn bytes(blueprint: &Blueprint) -> Vec<Share> {
    let rows = flows(blueprint).filter(|of| of.workload.keeps_rows);
    let share = |Flows { number, workload, arrivals, .. }: Flows<'_>| {
        let cause =
            format!("workload `{}` keeps a row for each of up to {arrivals:.1e} flows", workload.label);
        Share::new(arrivals * OF_A_ROW, cause, format!("write workloads.{number}.flows = \"classes\""))
    };
    rows.map(share).collect()
}
