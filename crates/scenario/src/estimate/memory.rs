//! The memory of nodes, routes and time series.

use farlink_network::Blueprint;
use farlink_network::{queue, routing};
use farlink_tcp::Amount;

use super::Share;
use super::medium::Medium;

/// Bytes of a packet in flight: its header, its entry in a queue or a link, and its entry in the scoreboard.
pub(super) const OF_A_PACKET: f64 = 300.0;

/// The copies of a stored payload: the receiver's buffer, and at the end of the run the bytes sent and received.
pub(super) const COPIES_OF_STORED: f64 = 3.0;

/// Bytes of a node with its router, and of an interface.
const OF_A_NODE: f64 = 1000.0;
const OF_AN_INTERFACE: f64 = 2000.0;

/// Bytes of a neighbour in the list of nodes within reach.
const OF_A_NEIGHBOUR: f64 = 50.0;

const OF_A_ROUTE: f64 = 50.0;

/// Bytes of a row of a flow's and of a link's time series, which Python copies.
const OF_A_FLOW_SAMPLE: f64 = 2.0 * 96.0;
const OF_A_LINK_SAMPLE: f64 = 2.0 * 40.0;

/// The memory of nodes, routes and time series.
pub(super) fn shares(blueprint: &Blueprint, media: &[Medium], keeps_series: bool) -> Vec<Share> {
    let nodes = blueprint.nodes.len() as f64;
    let stations: f64 = blueprint.channels.iter().map(|channel| channel.members.len() as f64).sum();
    let interfaces = 2.0 * blueprint.links.len() as f64 + stations;
    let fewer = "write fewer nodes";
    let base = nodes * OF_A_NODE + interfaces * OF_AN_INTERFACE;
    let mut shares = vec![Share::new(base, format!("{nodes} nodes"), fewer).certain()];
    let pairs: f64 = media.iter().map(|medium| medium.listeners * medium.members() as f64).sum();
    shares.push(Share::new(
        pairs * OF_A_NEIGHBOUR,
        format!("{pairs:.1e} pairs of nodes within reach of each other"),
        fewer,
    ));
    let routes = nodes * known_nodes(blueprint);
    shares.push(Share::new(routes * OF_A_ROUTE, format!("{routes:.1e} routes"), fewer));
    if let (Some(interval), true) = (blueprint.record.interval, keeps_series) {
        let samples = blueprint.duration.as_secs_f64() / interval.as_secs_f64().max(1e-9);
        let row = blueprint.flows.len() as f64 * OF_A_FLOW_SAMPLE + interfaces * OF_A_LINK_SAMPLE;
        let cause = format!("time series of {samples:.1e} samples");
        shares.push(Share::new(samples * row, cause, "write a longer record.interval").certain());
    }
    shares
}

fn known_nodes(blueprint: &Blueprint) -> f64 {
    let nodes = blueprint.nodes.len() as f64;
    match blueprint.routing {
        routing::Config::Olsr(_) | routing::Config::Dsdv(_) => nodes,
        // A node keeps one route per destination and one per originator of requests.
        _ => nodes.min(2.0 * blueprint.flows.len() as f64),
    }
}

pub(crate) fn limit(queue: &queue::Config) -> Amount {
    match queue {
        queue::Config::DropTail(config) => config.limit,
        queue::Config::Red(config) => config.limit,
        queue::Config::Codel(config) => config.limit,
        queue::Config::FqCodel(config) => config.limit,
        queue::Config::Priority(config) => config.limit,
    }
}

pub(super) fn packets(limit: Amount, size: u32) -> f64 {
    match limit {
        Amount::Packets(packets) => packets as f64,
        Amount::Bytes(bytes) => bytes.0 as f64 / f64::from(size.max(1)),
    }
}
