//! Attributes of nodes and edges by name, and the warning of those that are not read.

use std::collections::BTreeMap;

use farlink_kernel::config::Diagnostic;
use roxmltree::Node;

use super::super::super::{Fault, Text};
use super::{children, place, refuse};

/// The attributes of an edge with the rate of its link: in bit/s, or as a number and its unit. Those of a node with its
/// coordinates. Both as in the Internet Topology Zoo (Knight et al., IEEE JSAC 29(9), 2011).
pub(super) const RATES: [&str; 3] = ["LinkSpeedRaw", "LinkSpeed", "LinkSpeedUnits"];
pub(super) const COORDINATES: [&str; 2] = ["Latitude", "Longitude"];

/// The attributes of these names that nodes, or edges, have: their keys and defaults.
pub(super) struct Attributes<'a, const COUNT: usize> {
    keys: BTreeMap<&'a str, usize>,
    defaults: [Option<Node<'a, 'a>>; COUNT],
}

impl<'a, const COUNT: usize> Attributes<'a, COUNT> {
    pub(super) fn new(root: Node<'a, 'a>, kind: &str, names: [&str; COUNT]) -> Self {
        let key = |key: Node<'a, 'a>| {
            let number = names.iter().position(|name| key.attribute("attr.name") == Some(name))?;
            Some((key.attribute("id")?, (number, children(key, "default").next())))
        };
        let read = children(root, "key").filter(|key| is_of(*key, kind)).filter_map(key);
        let (mut keys, mut defaults) = (BTreeMap::new(), [None; COUNT]);
        for (id, (number, default)) in read {
            keys.insert(id, number);
            defaults[number] = default.or(defaults[number]);
        }
        Self { keys, defaults }
    }

    /// True when the file declares none of them.
    pub(super) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The elements with the values of a node or edge.
    pub(super) fn of(&self, element: Node<'a, 'a>) -> [Option<Node<'a, 'a>>; COUNT] {
        let mut found = self.defaults;
        for data in children(element, "data") {
            if let Some(number) = data.attribute("key").and_then(|key| self.keys.get(key)) {
                found[*number] = Some(data);
            }
        }
        found
    }
}

/// The number in an element, if it is within bounds.
pub(super) fn number(
    file: &Text,
    element: Node<'_, '_>,
    (what, remedy): (&str, &str),
    is_valid: impl Fn(f64) -> bool,
) -> Result<f64, Fault> {
    let found = element.text().unwrap_or_default().trim().parse().ok().filter(|number| is_valid(*number));
    found.ok_or_else(|| refuse(file, element, what, remedy))
}

/// Names of attributes of edges, in lower case, that tools and archives give rates and delays in.
const OF_EDGES: [&str; 9] =
    ["linkspeed", "linkspeedraw", "bandwidth", "capacity", "rate", "speed", "delay", "latency", "length"];
/// Those of nodes for geographic coordinates.
const OF_NODES: [&str; 5] = ["latitude", "longitude", "lat", "lon", "lng"];

/// What a reader makes of a file.
#[derive(Clone, Copy)]
pub(super) struct Reading {
    /// Nodes are linked.
    pub(super) is_linked: bool,
    /// Nodes have positions.
    pub(super) has_positions: bool,
    /// Links have the attributes' rates and delays.
    pub(super) has_attributes: bool,
}

/// The warning of attributes that probably say something about links and positions, and are not read.
pub(super) fn ignored(file: &Text, root: Node<'_, '_>, reading: Reading) -> Option<Diagnostic> {
    let Reading { is_linked, has_positions, has_attributes } = reading;
    let is_read = |name: &str| has_attributes && (RATES.contains(&name) || COORDINATES.contains(&name));
    let is_ignored = |key: &Node<'_, '_>| {
        let name = key.attribute("attr.name").unwrap_or_default();
        let lower = name.to_ascii_lowercase();
        let of_edges = is_linked && is_of(*key, "edge") && OF_EDGES.contains(&lower.as_str());
        let of_nodes = !has_positions && is_of(*key, "node") && OF_NODES.contains(&lower.as_str());
        (of_edges || of_nodes) && !is_read(name)
    };
    let first = children(root, "key").find(is_ignored)?;
    let ignored = children(root, "key").filter(is_ignored);
    let mut names: Vec<&str> = ignored.filter_map(|key| key.attribute("attr.name")).collect();
    names.sort_unstable();
    names.dedup();
    let message = format!("attributes that are not read: {}", names.join(", "));
    let remedy = if has_attributes {
        "rates are LinkSpeedRaw in bit/s, and coordinates Latitude and Longitude in degrees"
    } else {
        "for links as LinkSpeedRaw, Latitude and Longitude say, write attributes = true; positions are x and y in metres"
    };
    Some(Diagnostic::new(place(file, first), message, remedy))
}

/// True when a key is for elements of this kind; without `for` it is for all.
fn is_of(key: Node<'_, '_>, kind: &str) -> bool {
    matches!(key.attribute("for"), None | Some("all")) || key.attribute("for") == Some(kind)
}
