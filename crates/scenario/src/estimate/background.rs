//! Events and memory that do not depend on flows: nodes, movement, routing, time series.

use farlink_kernel::{Duration, Instant};
use farlink_network::Blueprint;
use farlink_network::blueprint::Node;
use farlink_network::ids::NodeId;
use farlink_network::mobility::{Setup, trajectory::Trajectory};
use farlink_network::routing::Routes;

use super::Share;
use super::medium::Medium;

/// A routing message without its entries, in bytes.
const MESSAGE: u32 = 48;

/// The number of a node's first legs that are counted.
const FIRST: usize = 50;

/// Bytes of a node with its router, and of an interface.
const OF_A_NODE: f64 = 1000.0;
const OF_AN_INTERFACE: f64 = 2000.0;

/// Bytes of a neighbour in the list of nodes within reach.
const OF_A_NEIGHBOUR: f64 = 50.0;

const OF_A_ROUTE: f64 = 50.0;

/// Bytes of a row of a flow's and of a link's time series, which Python copies.
const OF_A_FLOW_SAMPLE: f64 = 2.0 * 96.0;
const OF_A_LINK_SAMPLE: f64 = 2.0 * 40.0;

/// The number of samples of a time series.
fn samples(blueprint: &Blueprint, keeps_series: bool) -> Option<f64> {
    let interval = blueprint.record.interval.filter(|_| keeps_series)?;
    Some(blueprint.duration.as_secs_f64() / interval.as_secs_f64().max(1e-9))
}

pub(super) fn events(blueprint: &Blueprint, media: &[Medium], keeps_series: bool) -> Vec<Share> {
    let (nodes, duration_s) = (blueprint.nodes.len() as f64, blueprint.duration.as_secs_f64());
    let mut shares = Vec::new();
    if let Some(samples) = samples(blueprint, keeps_series) {
        shares.push(Share::new(samples, format!("{samples:.1e} samples"), "write a longer record.interval"));
    }
    // No events, but as much work.
    let legs: f64 = (0..).map(NodeId).zip(&blueprint.nodes).map(|node| legs(node, blueprint.duration)).sum();
    let remedy = "write a longer mobility.step, a lower speed, or a larger area";
    shares.push(Share::new(legs, format!("the nodes move in {legs:.1e} straight lines"), remedy));
    let neighbours = media.iter().map(|medium| medium.neighbours).fold(0.0, f64::max);
    for messages in blueprint.routing.parameters().messages(nodes, neighbours) {
        let timers = nodes / messages.interval.as_secs_f64().max(1e-9);
        let sent = timers * messages.transmissions;
        let over_channels: f64 = media.iter().map(|medium| medium.broadcasts(sent, MESSAGE)).sum();
        let over_links = 2.0 * blueprint.links.len() as f64 * sent / nodes;
        let cause = format!("routing sends up to {:.1e} messages", sent * duration_s);
        let events = (timers + over_channels + over_links) * duration_s;
        shares.push(Share::new(events, cause, format!("write a longer routing.{}", messages.key)));
    }
    shares
}

/// The number of a node's legs, if the others are as long as the first ones.
fn legs((number, node): (NodeId, &Node), duration: Duration) -> f64 {
    let setup = Setup { seed: 0, node: number, position: node.position };
    let mut trajectory = Trajectory::new(&node.mobility, &setup);
    let mut end = Instant::ZERO;
    for count in 0..FIRST {
        end = trajectory.leg(end).end;
        if end >= Instant::ZERO + duration {
            return count as f64;
        }
    }
    FIRST as f64 * duration.as_secs_f64() / (end - Instant::ZERO).as_secs_f64()
}

pub(super) fn bytes(blueprint: &Blueprint, media: &[Medium], keeps_series: bool) -> Vec<Share> {
    let nodes = blueprint.nodes.len() as f64;
    let stations: f64 = blueprint.channels.iter().map(|channel| channel.members.len() as f64).sum();
    let interfaces = 2.0 * blueprint.links.len() as f64 + stations;
    let pairs: f64 = media.iter().map(|medium| medium.neighbours * medium.reach.members.len() as f64).sum();
    let routes = nodes
        * match blueprint.routing.parameters().routes() {
            Routes::Learnt => nodes,
            // A node keeps one route per destination and one per originator of requests.
            Routes::Computed(_) | Routes::OnDemand => nodes.min(2.0 * blueprint.flows.len() as f64),
        };
    let fewer = "write fewer nodes";
    let base = nodes * OF_A_NODE + interfaces * OF_AN_INTERFACE;
    let mut shares = vec![
        Share::new(base, format!("{nodes} nodes"), fewer).certain(),
        Share::new(
            pairs * OF_A_NEIGHBOUR,
            format!("{pairs:.1e} pairs of nodes within reach of each other"),
            fewer,
        ),
        Share::new(routes * OF_A_ROUTE, format!("{routes:.1e} routes"), fewer),
    ];
    if let Some(samples) = samples(blueprint, keeps_series) {
        let row = blueprint.flows.len() as f64 * OF_A_FLOW_SAMPLE + interfaces * OF_A_LINK_SAMPLE;
        let cause = format!("time series of {samples:.1e} samples");
        shares.push(Share::new(samples * row, cause, "write a longer record.interval").certain());
    }
    shares
}
