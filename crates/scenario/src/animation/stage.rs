//! The nodes with their trajectories, the links, channels and flows.

use farlink_kernel::Instant;
use farlink_network::Blueprint;
use farlink_network::blueprint::{Channel, Flow, Link, Node, Workload};
use farlink_network::ids::NodeId;
use farlink_network::mobility::leg::Leg;
use farlink_network::space::Position;
use serde_json::{Value, json};

use super::numbers;

use crate::movement::write::legs;

/// The limit on points of all trajectories together; longer ones are sampled at regular intervals.
const MOST: usize = 300_000;

pub(super) fn of(blueprint: &Blueprint, seed: u64) -> Value {
    // Without channels positions have no effect on the run, but a topology may have laid the nodes out.
    let are_laid_out = blueprint.channels.is_empty()
        && blueprint.nodes.iter().any(|node| node.position != Position::default());
    let is_on_channel =
        |node: &NodeId| blueprint.channels.iter().any(|channel| channel.members.contains(node));
    let end = Instant::ZERO + blueprint.duration;
    let each = MOST / blueprint.nodes.len().max(1);
    let node = |(node, number): (&Node, NodeId)| {
        let way = (are_laid_out || is_on_channel(&number))
            .then(|| points(&legs(node, number, seed, end), end, each));
        json!({ "name": node.name, "way": way })
    };
    let channel = |channel: &Channel| json!({ "name": channel.name, "nodes": numbers(&channel.members) });
    let flow = |flow: &Flow| json!({ "label": flow.label, "from": flow.from.0, "to": flow.to.0 });
    // The first ends of a workload stand for all.
    let workload = |of: &Workload| json!({ "label": of.label, "from": of.from[0].0, "to": of.to[0].0 });
    let flows = blueprint.flows.iter().map(flow).chain(blueprint.workloads.iter().map(workload));
    json!({
        "nodes": blueprint.nodes.iter().zip((0..).map(NodeId)).map(node).collect::<Vec<_>>(),
        "links": blueprint.links.iter().map(|link: &Link| numbers(&link.between)).collect::<Vec<_>>(),
        "channels": blueprint.channels.iter().map(channel).collect::<Vec<_>>(),
        "flows": flows.collect::<Vec<_>>(),
    })
}

/// Points as seconds, x, y and z, to the millisecond and the centimetre; between two the node moves in a straight
/// line.
fn points(legs: &[Leg], end: Instant, most: usize) -> Vec<f64> {
    let mut points = Vec::new();
    let mut add = |at: Instant, place: Position| {
        let seconds = (at - Instant::ZERO).as_secs_f64();
        points.push(libm::round(seconds * 1e3) / 1e3);
        points.extend([place.x, place.y, place.z].map(|metres| libm::round(metres.0 * 1e2) / 1e2));
    };
    if let [only] = legs
        && only.is_rest()
    {
        add(Instant::ZERO, only.from);
    } else if legs.len() * 2 <= most.max(2) {
        for leg in legs {
            add(leg.start, leg.from);
            add(leg.end.min(end), leg.at(leg.end.min(end)));
        }
    } else {
        let step = (end - Instant::ZERO) / most.max(2) as u64;
        let mut at = Instant::ZERO;
        for leg in legs {
            while at < leg.end && at <= end {
                add(at, leg.at(at));
                at += step;
            }
        }
    }
    points
}
