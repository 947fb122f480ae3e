//! A document becomes a blueprint: topologies are laid out, names become numbers, files become courses,
//! and what concerns several values at once is checked.

use std::collections::{BTreeMap, BTreeSet};

use farlink_kernel::Instant;
use farlink_kernel::config::{Node as Text, Read, Refusal};
use farlink_network::course::Start;
use farlink_network::ids::NodeId;
use farlink_network::interface::link;
use farlink_network::{Blueprint, World, blueprint, routing};

use crate::document::{Channel, Document, Flow, Link, Membership, Node};
use crate::movement;
use crate::sound_speed;
use crate::topology::{self, Layout, Topology};
use crate::traces::{Quantity, Reader};

/// A mistyped number must not take all memory: this many nodes with radios take half a gigabyte.
const MOST_NODES: usize = 100_000;

/// The same where every node keeps a way to every other, so that tables grow with the square of their number.
const MOST_NODES_WITH_TABLES: usize = 5000;

/// Everything `text` says, checked: the document with nothing left implicit, and the blueprint.
pub(crate) fn compile(text: &Text, reader: &mut Reader<'_>) -> Result<(Document, Blueprint), Refusal> {
    let places = Places(text);
    let document = Document::read(text)?;
    let written = document.links.len();
    if document.name.is_empty() {
        return Err(places.refuse("name", "a scenario without a name", "write what it shows"));
    }
    let (mut document, unplaced) = lay_out(document, &places, reader)?;
    let nodes = number_nodes(&document, &places)?;
    let placed = movement::nodes(&document, &unplaced, &places, reader)?;
    let blueprint = Blueprint {
        links: links(&document, written, &nodes, &places, reader)?,
        channels: channels(&document, &nodes, &placed, &places, reader)?,
        nodes: placed,
        routing: document.routing.clone(),
        flows: flows(&document, &nodes, &places)?,
        record: blueprint::Record { interval: Some(document.record.interval) },
        duration: document.duration,
    };
    check_times(&document, &places)?;
    check_network(&blueprint, document.seed, &places)?;
    for (node, placed) in document.nodes.iter_mut().zip(&blueprint.nodes) {
        node.position = placed.position;
    }
    Ok((document, blueprint))
}

/// Where keys stand in the scenario's text.
pub(crate) struct Places<'a>(pub(crate) &'a Text);

impl Places<'_> {
    /// A refusal at the dotted `path`, or at the innermost table on the way that was written.
    pub(crate) fn refuse(
        &self,
        path: &str,
        message: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Refusal {
        let refusal = Refusal::new(self.walk(path).0.span.clone(), message, remedy);
        Refusal { path: path.split('.').map(Into::into).collect(), ..refusal }
    }

    /// True when something is written at `path`.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.walk(path).1
    }

    /// What is written at `path` or last on the way there, and whether it is at `path`.
    fn walk(&self, path: &str) -> (&Text, bool) {
        let mut text = self.0;
        for key in path.split('.') {
            let item = || key.parse().ok().and_then(|i: usize| text.items().get(i));
            let next = text.get(key).or_else(item);
            let Some(next) = next else { return (text, false) };
            text = next;
        }
        (text, true)
    }
}

/// The document with topology, radio and labels written out, and the nodes that the topology puts nowhere.
fn lay_out(
    mut document: Document,
    places: &Places<'_>,
    reader: &mut Reader<'_>,
) -> Result<(Document, Vec<usize>), Refusal> {
    let mut nowhere = Vec::new();
    if let Some(topology) = document.topology.take() {
        let Layout { nodes, links, unplaced } = shape(&topology, places, reader)?;
        if let Some(wire) = &topology.link {
            let name = |i: usize| nodes[i].0.clone();
            let link = |[a, b]: [usize; 2]| Link { between: [name(a), name(b)], wire: wire.clone() };
            document.links.extend(links.into_iter().map(link));
        }
        let laid = nodes.into_iter().map(|(name, position)| Node { name, position, mobility: None });
        document.nodes = laid.chain(document.nodes).collect();
        nowhere = unplaced;
    }
    if document.nodes.is_empty() {
        return Err(places.refuse("nodes", "there are no nodes", "add [[nodes]] or [topology]"));
    }
    check_number(&document, places)?;
    if let Some(radio) = document.radio.take() {
        let membership = Membership { name: "radio".into(), nodes: Vec::new() };
        document.channels.insert(0, Channel { membership, radio });
    }
    for channel in &mut document.channels {
        if channel.membership.nodes.is_empty() {
            channel.membership.nodes = document.nodes.iter().map(|node| node.name.clone()).collect();
        }
    }
    for (i, flow) in document.flows.iter_mut().enumerate() {
        if flow.label.is_empty() {
            flow.label = format!("flow{i}");
        }
    }
    Ok((document, nowhere))
}

/// As many nodes as memory has room for.
fn check_number(document: &Document, places: &Places<'_>) -> Result<(), Refusal> {
    let nodes = document.nodes.len();
    let (why, most, besides) = match document.routing {
        routing::Config::ShortestPath(_) => {
            (": every node keeps a way to every other", MOST_NODES_WITH_TABLES, ", or routing = \"aodv\"")
        }
        _ => ("", MOST_NODES, ""),
    };
    if nodes <= most {
        return Ok(());
    }
    let key = if places.has("topology") { "topology" } else { "nodes" };
    Err(places.refuse(key, format!("{nodes} nodes{why}"), format!("write {most} nodes at most{besides}")))
}

/// The shape laid out, the files it names read.
fn shape(topology: &Topology, places: &Places<'_>, reader: &mut Reader<'_>) -> Result<Layout, Refusal> {
    let mut setup = topology::Setup { is_linked: topology.link.is_some(), ..topology::Setup::default() };
    if let topology::Config::File(file) = &topology.shape {
        if file.path.is_empty() {
            return Err(places.refuse("topology.path", "`path` is missing", "add path = \"FILE.graphml\""));
        }
        for (key, path) in file.files() {
            let (text, start) =
                reader.text(path).map_err(|fault| fault.at(&format!("topology.{key}"), places))?;
            setup.files.push(topology::Text { text, start });
        }
    }
    let layout = topology.shape.build(&setup).lay_out().map_err(|fault| match fault {
        topology::Fault::Key(key, message, remedy) => {
            places.refuse(&format!("topology.{key}"), message, remedy)
        }
        topology::Fault::Line(refusal) => Refusal { path: vec!["topology".into(), "path".into()], ..refusal },
    })?;
    match layout.nodes.iter().find(|(_, position)| !position.is_near()) {
        Some((name, _)) => {
            let message = format!("`{name}` would be beyond 10^9 km");
            Err(places.refuse("topology.spacing", message, "write a smaller spacing"))
        }
        None => Ok(layout),
    }
}

type Numbers<'a> = BTreeMap<&'a str, NodeId>;

fn number_nodes<'a>(document: &'a Document, places: &Places<'_>) -> Result<Numbers<'a>, Refusal> {
    let mut numbers = BTreeMap::new();
    for (i, node) in document.nodes.iter().enumerate() {
        let path = format!("nodes.{}.name", written_node(document, places, i).unwrap_or(0));
        if node.name.is_empty() {
            return Err(places.refuse(&path, "a node without a name", ""));
        }
        if numbers.insert(node.name.as_str(), i as NodeId).is_some() {
            let message = format!("there are two nodes called `{}`", node.name);
            return Err(places.refuse(&path, message, "give each node a name of its own"));
        }
    }
    Ok(numbers)
}

/// The place of the i-th node among `[[nodes]]`; those of a topology come first and have none.
pub(crate) fn written_node(document: &Document, places: &Places<'_>, i: usize) -> Option<usize> {
    let laid_out = document.nodes.len() - places.0.get("nodes").map_or(0, |list| list.items().len());
    i.checked_sub(laid_out)
}

fn number(name: &str, numbers: &Numbers<'_>, path: &str, places: &Places<'_>) -> Result<NodeId, Refusal> {
    numbers.get(name).copied().ok_or_else(|| {
        let known: Vec<&str> = numbers.keys().copied().collect();
        let unknown = farlink_kernel::config::unknown(name, "node", 0..0, &known);
        places.refuse(path, unknown.message, unknown.remedy)
    })
}

fn links(
    document: &Document,
    written: usize,
    numbers: &Numbers<'_>,
    places: &Places<'_>,
    reader: &mut Reader<'_>,
) -> Result<Vec<blueprint::Link>, Refusal> {
    let mut links = Vec::with_capacity(document.links.len());
    for (i, link) in document.links.iter().enumerate() {
        // Links of a topology come last and share the place of its `link`.
        let path = if i < written { format!("links.{i}") } else { "topology.link".into() };
        let end = |end: usize| number(&link.between[end], numbers, &format!("{path}.between.{end}"), places);
        let between = [end(0)?, end(1)?];
        if between[0] == between[1] {
            let message = format!("a link from `{}` to itself", link.between[0]);
            return Err(places.refuse(&format!("{path}.between.1"), message, "name two nodes"));
        }
        let mut trace = |direction: &link::Config, path: &str| -> Result<link::Config, Refusal> {
            Ok(link::Config {
                rate: traced(&direction.rate, &format!("{path}.rate"), places, reader)?,
                delay: traced(&direction.delay, &format!("{path}.delay"), places, reader)?,
                ..direction.clone()
            })
        };
        let forward = trace(&link.wire.forward, &path)?;
        let reverse = trace(&link.wire.reverse, &format!("{path}.reverse"))?;
        links.push(blueprint::Link { between, forward, reverse });
    }
    Ok(links)
}

fn traced<T: Quantity>(
    course: &farlink_network::course::Course<T>,
    path: &str,
    places: &Places<'_>,
    reader: &mut Reader<'_>,
) -> Result<farlink_network::course::Course<T>, Refusal> {
    reader.course(course).map_err(|fault| fault.at(path, places))
}

fn channels(
    document: &Document,
    numbers: &Numbers<'_>,
    nodes: &[blueprint::Node],
    places: &Places<'_>,
    reader: &mut Reader<'_>,
) -> Result<Vec<blueprint::Channel>, Refusal> {
    let radios = usize::from(places.0.get("radio").is_some());
    let mut channels: Vec<blueprint::Channel> = Vec::new();
    for (i, Channel { membership, radio }) in document.channels.iter().enumerate() {
        let path = if i < radios { "radio".into() } else { format!("channels.{}", i - radios) };
        if channels.iter().any(|other| other.name == membership.name) {
            let message = format!("there are two channels called `{}`", membership.name);
            return Err(places.refuse(
                &format!("{path}.name"),
                message,
                "give each channel a name of its own",
            ));
        }
        let mut members = BTreeSet::new();
        for (k, name) in membership.nodes.iter().enumerate() {
            let path = format!("{path}.nodes.{k}");
            if !members.insert(number(name, numbers, &path, places)?) {
                return Err(places.refuse(&path, format!("`{name}` is on the channel twice"), "remove one"));
            }
        }
        let placed = members.iter().map(|&node| &nodes[node as usize]);
        if let Some(message) = sound_speed::too_deep(&radio.speed, placed) {
            let remedy = "keep it within 12 km of the surface";
            return Err(places.refuse(&format!("{path}.speed"), message, remedy));
        }
        let members = members.into_iter().collect();
        let speed = sound_speed::read(&radio.speed, reader)
            .map_err(|fault| fault.at(&format!("{path}.speed.csv"), places))?;
        let radio = blueprint::Radio { speed, ..radio.clone() };
        channels.push(blueprint::Channel { name: membership.name.clone(), members, radio });
    }
    Ok(channels)
}

fn flows(
    document: &Document,
    numbers: &Numbers<'_>,
    places: &Places<'_>,
) -> Result<Vec<blueprint::Flow>, Refusal> {
    if document.flows.is_empty() {
        return Err(places.refuse("flows", "there are no flows", "add [[flows]] with from and to"));
    }
    let (mut flows, mut labels) = (Vec::new(), BTreeSet::new());
    for (i, flow) in document.flows.iter().enumerate() {
        let from = number(&flow.from, numbers, &format!("flows.{i}.from"), places)?;
        let to = number(&flow.to, numbers, &format!("flows.{i}.to"), places)?;
        if from == to {
            let message = format!("a flow from `{}` to itself", flow.from);
            return Err(places.refuse(&format!("flows.{i}.to"), message, "name another node"));
        }
        if !labels.insert(&flow.label) {
            let message = format!("there are two flows called `{}`", flow.label);
            return Err(places.refuse(
                &format!("flows.{i}.label"),
                message,
                "give each flow a label of its own",
            ));
        }
        check_carrier(flow, &format!("flows.{i}"), places)?;
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

/// No TCP options for what TCP does not carry.
fn check_carrier(flow: &Flow, path: &str, places: &Places<'_>) -> Result<(), Refusal> {
    if !flow.is_tcp() && places.has(&format!("{path}.tcp")) {
        let message = format!("`{}` sends datagrams here, no TCP carries them", flow.application.name());
        return Err(places.refuse(&format!("{path}.tcp"), message, "remove tcp"));
    }
    Ok(())
}

fn check_times(document: &Document, places: &Places<'_>) -> Result<(), Refusal> {
    let end = Instant::ZERO + document.duration;
    if document.duration.is_zero() {
        return Err(places.refuse("duration", "a run of no length", "write a duration such as \"60 s\""));
    }
    if document.record.interval.is_zero() {
        let remedy = "write a duration such as \"100 ms\"";
        return Err(places.refuse("record.interval", "an interval of no length", remedy));
    }
    for (i, flow) in document.flows.iter().enumerate() {
        let last_start = last_start(flow);
        if last_start >= end {
            let message = format!("the flow starts at {last_start}, but the run ends at {end}");
            return Err(places.refuse(&format!("flows.{i}.start"), message, "start earlier or run longer"));
        }
        if flow.stop.is_some_and(|stop| stop <= last_start) {
            let message = "the flow stops before it starts";
            return Err(places.refuse(&format!("flows.{i}.stop"), message, "stop later"));
        }
    }
    Ok(())
}

fn last_start(flow: &Flow) -> Instant {
    match flow.start {
        Start::At(at) => at,
        Start::Within(interval) => interval.end,
    }
}

/// What only the network itself can tell: whether a way leads from each flow's one end to the other.
fn check_network(blueprint: &Blueprint, seed: u64, places: &Places<'_>) -> Result<(), Refusal> {
    World::check(blueprint, seed)
        .map_err(|refusal| places.refuse(&refusal.path.join("."), refusal.message, refusal.remedy))
}
