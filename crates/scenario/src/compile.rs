//! A document becomes a blueprint: names become numbers, files become time series, and what concerns several
//! values is checked.

use std::collections::{BTreeMap, BTreeSet};

use farlink_kernel::Instant;
use farlink_kernel::config::{self, Diagnostic, Read, unknown};
use farlink_network::app::Length;
use farlink_network::blueprint::{self, BuildError, Part};
use farlink_network::ids::NodeId;
use farlink_network::interface::link;
use farlink_network::{Blueprint, World};

use crate::document::{Channel, Document, Flow, Node};
use crate::files::Reader;
use crate::layout::lay_out;
use crate::link::Link;
use crate::located::Located;
use crate::{arp, movement, sound_speed, traces};

mod workloads;

/// Everything that `text` says, checked: the document with nothing left implicit, and the blueprint.
pub(crate) fn compile(
    text: &config::Node,
    reader: &mut Reader<'_>,
) -> Result<(Document, Blueprint), Diagnostic> {
    let mut document = Document::read(text)?;
    check_values(&document, text)?;
    let unplaced = lay_out(&mut document, text, reader)?;
    arp::set_default(&mut document);
    let numbers = number_nodes(&document.nodes)?;
    let nodes = movement::nodes(&document, &unplaced, reader)?;
    let links = document.links.iter().map(|link| compile_link(link, &numbers, reader));
    let blueprint = Blueprint {
        links: links.collect::<Result<_, _>>()?,
        channels: channels(&document.channels, &numbers, &nodes, reader)?,
        nodes,
        routing: document.routing.clone(),
        host_delay: document.host_delay.clone(),
        flows: flows(&document, &numbers)?,
        workloads: workloads::workloads(&document, &numbers, reader)?,
        record: blueprint::Record { interval: Some(document.record.interval) },
        duration: document.duration,
    };
    World::check(&blueprint, document.seed).map_err(|error| locate(error, &document))?;
    for (node, placed) in document.nodes.iter_mut().zip(&blueprint.nodes) {
        node.position = placed.position;
    }
    Ok((document, blueprint))
}

/// Refuses an empty name, durations of zero, and a scenario without flows and workloads.
fn check_values(document: &Document, text: &config::Node) -> Result<(), Diagnostic> {
    let refused = if document.name.is_empty() {
        ("name", "a scenario without a name", "write what it shows")
    } else if document.flows.is_empty() && document.workloads.is_empty() {
        ("flows", "there are no flows", "add [[flows]] or [[workloads]] with from and to")
    } else if document.duration.is_zero() {
        ("duration", "a run of no length", "write a duration such as \"60 s\"")
    } else if document.record.interval.is_zero() {
        ("record.interval", "an interval of no length", "write a duration such as \"100 ms\"")
    } else {
        return Ok(());
    };
    let (key, message, remedy) = refused;
    Err(text.refuse_at(key, message, remedy))
}

type Numbers<'a> = BTreeMap<&'a str, NodeId>;

fn number_nodes(nodes: &[Located<Node>]) -> Result<Numbers<'_>, Diagnostic> {
    let mut numbers = BTreeMap::new();
    for (i, node) in nodes.iter().enumerate() {
        if node.name.is_empty() {
            return Err(node.refuse_at("name", "a node without a name", ""));
        }
        if numbers.insert(node.name.as_str(), NodeId(i as u32)).is_some() {
            let message = format!("there are two nodes called `{}`", node.name);
            return Err(node.refuse_at("name", message, "give each node a name of its own"));
        }
    }
    Ok(numbers)
}

/// The number of the node that `key` names in `table`.
fn number<T>(name: &str, numbers: &Numbers<'_>, table: &Located<T>, key: &str) -> Result<NodeId, Diagnostic> {
    numbers.get(name).copied().ok_or_else(|| {
        let known: Vec<&str> = numbers.keys().copied().collect();
        let Diagnostic { message, remedy, .. } = unknown(name, "node", &config::Node::text(""), &known);
        table.refuse_at(key, message, remedy)
    })
}

fn compile_link(
    link: &Located<Link>,
    numbers: &Numbers<'_>,
    reader: &mut Reader<'_>,
) -> Result<blueprint::Link, Diagnostic> {
    let [a, b] = &link.between;
    let between = [number(a, numbers, link, "between.0")?, number(b, numbers, link, "between.1")?];
    if between[0] == between[1] {
        let message = format!("a link from `{a}` to itself");
        return Err(link.refuse_at("between.1", message, "name two nodes"));
    }
    let mut read = |direction: &link::Config, keys: [&str; 2]| -> Result<link::Config, Diagnostic> {
        Ok(link::Config {
            rate: traces::read(&direction.rate, reader).map_err(|fault| fault.at(link, keys[0]))?,
            delay: traces::read(&direction.delay, reader).map_err(|fault| fault.at(link, keys[1]))?,
            ..direction.clone()
        })
    };
    let forward = read(&link.duplex.forward, ["rate", "delay"])?;
    let reverse = read(&link.duplex.reverse, ["reverse.rate", "reverse.delay"])?;
    Ok(blueprint::Link { between, forward, reverse })
}

fn channels(
    document: &[Located<Channel>],
    numbers: &Numbers<'_>,
    nodes: &[blueprint::Node],
    reader: &mut Reader<'_>,
) -> Result<Vec<blueprint::Channel>, Diagnostic> {
    let mut channels: Vec<blueprint::Channel> = Vec::new();
    for channel in document {
        let Channel { membership, radio } = &**channel;
        if channels.iter().any(|other| other.name == membership.name) {
            let message = format!("there are two channels called `{}`", membership.name);
            let remedy = if &*document[0].key_of("name") == "radio.name" {
                let name = &membership.name;
                format!(
                    "`[radio]` makes one of them: write channels.{name}.KEY for a key of this one, or give it another name"
                )
            } else {
                "give each channel a name of its own".into()
            };
            return Err(channel.refuse_at("name", message, remedy));
        }
        let mut members = BTreeSet::new();
        for (k, name) in membership.nodes.iter().enumerate() {
            let key = format!("nodes.{k}");
            if !members.insert(number(name, numbers, channel, &key)?) {
                let message = format!("`{name}` is on the channel twice");
                return Err(channel.refuse_at(&key, message, "remove one"));
            }
        }
        let placed = members.iter().map(|&node| &nodes[node]);
        if let Some(message) = sound_speed::too_deep(&radio.propagation_speed, placed) {
            return Err(channel.refuse_at(
                "propagation_speed",
                message,
                "keep it within 12 km of the surface",
            ));
        }
        let speed = sound_speed::read(&radio.propagation_speed, reader)
            .map_err(|fault| fault.at(channel, "propagation_speed.csv"))?;
        let radio = blueprint::Radio { propagation_speed: speed, ..radio.clone() };
        let members = members.into_iter().collect();
        channels.push(blueprint::Channel::new(membership.name.clone(), members, radio));
    }
    Ok(channels)
}

fn flows(document: &Document, numbers: &Numbers<'_>) -> Result<Vec<blueprint::Flow>, Diagnostic> {
    let (mut flows, mut labels) = (Vec::new(), BTreeSet::new());
    for flow in &document.flows {
        let from = number(&flow.from, numbers, flow, "from")?;
        let to = number(&flow.to, numbers, flow, "to")?;
        if from == to {
            let message = format!("a flow from `{}` to itself", flow.from);
            return Err(flow.refuse_at("to", message, "name another node"));
        }
        if !labels.insert(&flow.label) {
            let message = format!("there are two flows called `{}`", flow.label);
            return Err(flow.refuse_at("label", message, "give each flow a label of its own"));
        }
        // No TCP options for what TCP does not carry.
        if !flow.is_tcp() && flow.has("tcp") {
            let message = format!("`{}` sends datagrams here, no TCP carries them", flow.application.name());
            let remedy = "remove tcp; of a path with `flows.*`, name the flows that have TCP instead";
            return Err(flow.refuse_at("tcp", message, remedy));
        }
        check_times(flow, Instant::ZERO + document.duration)?;
        flows.push(blueprint::Flow {
            label: flow.label.clone(),
            from,
            to,
            start: flow.start,
            stop: flow.stop,
            application: flow.application.clone(),
            tcp: flow.tcp.0.clone(),
            payload: flow.payload,
        });
    }
    Ok(flows)
}

fn check_times(flow: &Located<Flow>, end: Instant) -> Result<(), Diagnostic> {
    let last_start = flow.start.bounds().end;
    if last_start >= end {
        let message = format!("the flow starts at {last_start}, but the run ends at {end}");
        return Err(flow.refuse_at("start", message, "start earlier or run longer"));
    }
    if flow.stop.is_some_and(|stop| stop <= last_start) {
        return Err(flow.refuse_at("stop", "the flow stops before it starts", "stop later"));
    }
    if let (Some(_), Length::Relayed { flow: relayed, .. }) =
        (flow.stop, flow.application.parameters().traffic().length)
    {
        let message = format!("a relay ends when `{relayed}` has ended and all of its data are passed on");
        return Err(flow.refuse_at("stop", message, format!("remove stop, or stop `{relayed}`")));
    }
    Ok(())
}

/// The diagnostic of what only the network itself can tell, such as a flow without a path.
fn locate(BuildError { part, why }: BuildError, document: &Document) -> Diagnostic {
    match part {
        Part::Link(i) => document.links[i].place(why),
        Part::Channel(i) => document.channels[i].place(why),
        Part::Flow(i) => document.flows[i].place(why),
        Part::Workload(i) => document.workloads[i].place(why),
    }
}
