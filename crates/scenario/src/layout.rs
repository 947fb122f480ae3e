//! A topology becomes nodes and links of the document; members of channels and labels of flows are filled in.

use farlink_kernel::config::{self, Diagnostic};
use farlink_network::mobility::Placement;
use farlink_network::routing::Routes;

use crate::document::{Channel, Document, Membership, Node, default_channel, default_label};
use crate::files::Reader;
use crate::link::{Duplex, Link};
use crate::located::Located;
use crate::topology::{self, Layout, Topology};
use crate::workload;

/// The limit on nodes, against a mistyped number: this many with radios take half a gigabyte.
const MOST_NODES: usize = 100_000;

/// The limit under a routing protocol whose tables grow with the square of the number of nodes.
const MOST_NODES_WITH_TABLES: usize = 5000;

/// Writes out the topology, the radio, members and labels. Returns the nodes that the topology does not place.
pub(crate) fn lay_out(
    document: &mut Document,
    text: &config::Node,
    reader: &mut Reader<'_>,
) -> Result<Vec<usize>, Diagnostic> {
    let mut unplaced = Vec::new();
    if let Some(topology) = document.topology.take() {
        let layout = read(&topology, reader)?;
        reader.warnings.extend(discarded_positions(document, &topology, &layout));
        document.links.extend(links(&topology, &layout));
        let node = |(name, position)| topology.implied(Node { name, position, mobility: None });
        document.nodes.splice(0..0, layout.nodes.into_iter().map(node));
        unplaced = layout.unplaced;
    }
    check_number(document, text)?;
    if let Some(radio) = document.radio.take() {
        let membership = Membership { name: default_channel(), nodes: Vec::new() };
        document.channels.insert(0, radio.with(Channel { membership, radio: (*radio).clone() }));
    }
    for channel in &mut document.channels {
        if channel.membership.nodes.is_empty() {
            channel.membership.nodes = document.nodes.iter().map(|node| node.name.clone()).collect();
        }
    }
    for (i, flow) in document.flows.iter_mut().enumerate() {
        if flow.label.is_empty() {
            flow.label = default_label(i);
        }
    }
    for (i, workload) in document.workloads.iter_mut().enumerate() {
        if workload.label.is_empty() {
            workload.label = workload::default_label(i);
        }
    }
    Ok(unplaced)
}

/// The warning of a mobility model that draws the initial positions of nodes which the topology places.
///
/// A random topology, or a chain without `spacing`, is a number of nodes. Without a channel no position has an effect.
fn discarded_positions(
    document: &Document,
    topology: &Located<Topology>,
    layout: &Layout,
) -> Option<Diagnostic> {
    let mobility = &document.mobility;
    let is_drawn = mobility.parameters().placement() == Placement::Drawn;
    let has_channel = document.radio.is_some() || !document.channels.is_empty();
    let is_number = match topology.shape {
        topology::Config::Random(_) => true,
        topology::Config::Chain(_) => !topology.has("spacing"),
        _ => false,
    };
    if !is_drawn || !has_channel || is_number || layout.unplaced.len() == layout.nodes.len() {
        return None;
    }
    let [model, shape] = [mobility.name(), topology.shape.name()];
    let message =
        format!("`{model}` draws the initial positions: those of topology `{shape}` have no effect");
    let remedy = "write start = \"position\" in mobility, or a topology \"random\"";
    Some(mobility.refuse_at("name", message, remedy))
}

/// The links of a topology: each as `link` says, with what a file says of it.
fn links(topology: &Located<Topology>, layout: &Layout) -> Vec<Located<Link>> {
    // A file may say all of them: their text is that of the topology.
    let of_all = match &topology.link {
        Some(link) => link.clone(),
        None if layout.given.is_empty() => return Vec::new(),
        None => topology.implied(Duplex::default()),
    };
    let name = |i: usize| layout.nodes[i].0.clone();
    let link = |(number, ends): (usize, &[usize; 2])| {
        let mut duplex = (*of_all).clone();
        if let Some([forward, reverse]) = layout.given.get(number) {
            forward.put(&mut duplex.forward);
            reverse.put(&mut duplex.reverse);
        }
        of_all.with(Link { between: ends.map(name), duplex })
    };
    layout.links.iter().enumerate().map(link).collect()
}

/// Refuses a scenario without nodes, or with more than memory has room for.
fn check_number(document: &Document, text: &config::Node) -> Result<(), Diagnostic> {
    let nodes = document.nodes.len();
    if nodes == 0 {
        return Err(text.refuse_at("nodes", "there are no nodes", "add [[nodes]] or [topology]"));
    }
    let (why, most, besides) = match document.routing.parameters().routes() {
        Routes::Computed(_) => {
            (": every node keeps a route to every other", MOST_NODES_WITH_TABLES, ", or routing = \"aodv\"")
        }
        Routes::Learnt | Routes::OnDemand => ("", MOST_NODES, ""),
    };
    if nodes <= most {
        return Ok(());
    }
    let key = if text.get("topology").is_some() { "topology" } else { "nodes" };
    Err(text.refuse_at(key, format!("{nodes} nodes{why}"), format!("write {most} nodes at most{besides}")))
}

/// The topology laid out, the files it names read.
fn read(topology: &Located<Topology>, reader: &mut Reader<'_>) -> Result<Layout, Diagnostic> {
    let mut setup = topology::Setup { is_linked: topology.link.is_some(), ..topology::Setup::default() };
    if let topology::Config::File(file) = &topology.shape {
        if file.path.is_empty() {
            return Err(topology.refuse_at("path", "`path` is missing", "add path = \"FILE.graphml\""));
        }
        for (key, path) in file.files() {
            let (text, start) = reader.text(path).map_err(|fault| fault.at(topology, key))?;
            setup.files.push(topology::Text { text, start });
        }
    }
    let layout = topology.shape.build(&()).lay_out(&setup).map_err(|fault| match fault {
        topology::Fault::Key(key, message, remedy) => topology.refuse_at(key, message, remedy),
        topology::Fault::Line(diagnostic) => diagnostic.at(topology.key_of("path")),
    })?;
    let at_path = |one: &Diagnostic| one.clone().at(topology.key_of("path"));
    reader.warnings.extend(layout.ignored.iter().map(at_path));
    match layout.nodes.iter().find(|(_, position)| !position.is_near()) {
        Some((name, _)) => {
            let message = format!("`{name}` would be beyond 10^9 km");
            Err(topology.refuse_at("spacing", message, "write a smaller spacing"))
        }
        None => Ok(layout),
    }
}
