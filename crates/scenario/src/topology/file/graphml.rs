//! Networks as GraphML: nodes by their `id`, attributes `x`, `y` and `z` in metres, edges as links.
//!
//! A link has two directions: two directed edges in opposite directions are one. Left out with a warning: edges from a
//! node to itself, and attributes that other tools give a rate, a delay or geographic coordinates in.

use std::collections::BTreeMap;

use farlink_kernel::config::Diagnostic;
use farlink_network::space::{Metres, Position};
use roxmltree::Node;

use super::super::{Fault, Layout, Text, unknown_node};
use crate::xml;

const AXES: [&str; 3] = ["x", "y", "z"];

/// The nodes of the first graph, and its edges where nodes `is_linked`.
pub(super) fn read(file: &Text, is_linked: bool) -> Result<Layout, Fault> {
    let document =
        xml::parse(&file.text).map_err(|error| Fault::Line(xml::syntax(&error, &file.text, file.start)))?;
    let root = document.root_element();
    let graph = children(root, "graph").next().ok_or_else(|| {
        let message = "this is no GraphML: it has no <graph>";
        refuse(file, root, message, "write <graphml><graph><node id=\"a\"/></graph></graphml>")
    })?;
    let axes = Axes::new(root);
    let (mut nodes, mut unplaced) = (Vec::new(), Vec::new());
    let mut numbers = BTreeMap::new();
    for node in children(graph, "node") {
        let id = attribute(file, node, "id")?;
        if numbers.insert(id, nodes.len()).is_some() {
            let message = "an earlier node has this id";
            return Err(refuse(file, node, message, "give each node an id of its own"));
        }
        let position = axes.position(file, node)?;
        if position.is_none() {
            unplaced.push(nodes.len());
        }
        nodes.push((id.to_owned(), position.unwrap_or_default()));
    }
    let mut ignored: Vec<Diagnostic> = ignored_attributes(file, root, is_linked).into_iter().collect();
    let links = links(file, graph, &numbers, &mut ignored)?;
    Ok(Layout { nodes, links, unplaced, ignored: if is_linked { ignored } else { Vec::new() } })
}

/// The edges as links: without those from a node to itself, and two opposite directed ones as one.
fn links(
    file: &Text,
    graph: Node<'_, '_>,
    numbers: &BTreeMap<&str, usize>,
    ignored: &mut Vec<Diagnostic>,
) -> Result<Vec<[usize; 2]>, Fault> {
    let all_directed = graph.attribute("edgedefault") == Some("directed");
    let (mut links, mut loops) = (Vec::new(), Vec::new());
    // Directed edges without an opposite one so far.
    let mut single: BTreeMap<[usize; 2], Vec<Node<'_, '_>>> = BTreeMap::new();
    for edge in children(graph, "edge") {
        let end = |key| {
            let id = attribute(file, edge, key)?;
            numbers.get(id).copied().ok_or_else(|| {
                let known: Vec<&str> = numbers.keys().copied().collect();
                Fault::Line(unknown_node(id, place(file, edge), &known))
            })
        };
        let [from, to] = [end("source")?, end("target")?];
        if from == to {
            loops.push(edge);
            continue;
        }
        if edge.attribute("directed").map_or(all_directed, |directed| directed == "true") {
            if single.get_mut(&[to, from]).and_then(Vec::pop).is_some() {
                continue;
            }
            single.entry([from, to]).or_default().push(edge);
        }
        links.push([from, to]);
    }
    let one_way: Vec<Node<'_, '_>> = single.into_values().flatten().collect();
    let mut warn = |edges: &[Node<'_, '_>], what: &str, remedy: &str| {
        // In the order of the file.
        if let Some(first) = edges.iter().min_by_key(|edge| edge.range().start) {
            let message = format!("{what}: {}", edges.len());
            ignored.push(Diagnostic::new(place(file, *first), message, remedy));
        }
    };
    warn(&loops, "edges from a node to itself, which are ignored", "remove them");
    let remedy = "links have two directions: write an edge for the other one, or edgedefault=\"undirected\"";
    warn(&one_way, "directed edges without one in the opposite direction", remedy);
    Ok(links)
}

/// Names of attributes of edges, in lower case, that tools and archives give rates and delays in.
const OF_EDGES: [&str; 9] =
    ["linkspeed", "linkspeedraw", "bandwidth", "capacity", "rate", "speed", "delay", "latency", "length"];
/// Those of nodes for geographic coordinates.
const OF_NODES: [&str; 5] = ["latitude", "longitude", "lat", "lon", "lng"];

/// The warning of attributes that probably say something about links and positions, and are not read.
fn ignored_attributes(file: &Text, root: Node<'_, '_>, is_linked: bool) -> Option<Diagnostic> {
    let name = |key: &Node<'_, '_>| key.attribute("attr.name").unwrap_or_default().to_ascii_lowercase();
    let has_axes = children(root, "key").any(|key| is_of(key, "node") && AXES.contains(&name(&key).as_str()));
    let is_ignored = |key: &Node<'_, '_>| {
        let name = name(key);
        let of_edges = is_linked && is_of(*key, "edge") && OF_EDGES.contains(&name.as_str());
        of_edges || !has_axes && is_of(*key, "node") && OF_NODES.contains(&name.as_str())
    };
    let first = children(root, "key").find(is_ignored)?;
    let ignored = children(root, "key").filter(is_ignored);
    let mut names: Vec<&str> = ignored.filter_map(|key| key.attribute("attr.name")).collect();
    names.sort_unstable();
    names.dedup();
    let message = format!("attributes that are not read: {}", names.join(", "));
    let remedy = "positions are x and y in metres; every link has the rate and the delay of topology.link";
    Some(Diagnostic::new(place(file, first), message, remedy))
}

/// True when a key is for elements of this kind; without `for` it is for all.
fn is_of(key: Node<'_, '_>, kind: &str) -> bool {
    matches!(key.attribute("for"), None | Some("all")) || key.attribute("for") == Some(kind)
}

/// The keys of the coordinates, and the default of each coordinate.
struct Axes<'a> {
    keys: BTreeMap<&'a str, usize>,
    defaults: [Option<Node<'a, 'a>>; 3],
}

impl<'a> Axes<'a> {
    fn new(root: Node<'a, 'a>) -> Self {
        let key = |key: Node<'a, 'a>| {
            let axis = AXES.iter().position(|axis| key.attribute("attr.name") == Some(axis))?;
            Some((key.attribute("id")?, (axis, children(key, "default").next())))
        };
        let read = children(root, "key").filter(|key| is_of(*key, "node")).filter_map(key);
        let (mut keys, mut defaults) = (BTreeMap::new(), [None; 3]);
        for (id, (axis, default)) in read {
            keys.insert(id, axis);
            defaults[axis] = default.or(defaults[axis]);
        }
        Self { keys, defaults }
    }

    /// The position of the node; `None` without any coordinate.
    fn position(&self, file: &Text, node: Node<'_, '_>) -> Result<Option<Position>, Fault> {
        let mut coordinates = [None; 3];
        for (found, default) in coordinates.iter_mut().zip(self.defaults) {
            *found = default.map(|default| coordinate(file, default)).transpose()?;
        }
        for data in children(node, "data") {
            if let Some(axis) = data.attribute("key").and_then(|key| self.keys.get(key)) {
                coordinates[*axis] = Some(coordinate(file, data)?);
            }
        }
        let [x, y, z] = coordinates.map(Option::unwrap_or_default);
        Ok(coordinates.iter().any(Option::is_some).then_some(Position { x, y, z }))
    }
}

fn coordinate(file: &Text, element: Node<'_, '_>) -> Result<Metres, Fault> {
    let text = element.text().unwrap_or_default().trim();
    match Metres::parse_coordinate(text) {
        Ok(metres) => Ok(metres),
        Err(what) => Err(refuse(file, element, format!("a coordinate {what}"), "write metres such as 12.5")),
    }
}

fn children<'a>(parent: Node<'a, 'a>, tag: &'static str) -> impl Iterator<Item = Node<'a, 'a>> {
    parent.children().filter(move |child| child.tag_name().name() == tag)
}

fn attribute<'a>(file: &Text, element: Node<'a, '_>, name: &str) -> Result<&'a str, Fault> {
    element.attribute(name).filter(|value| !value.is_empty()).ok_or_else(|| {
        let message = format!("a <{}> without `{name}`", element.tag_name().name());
        refuse(file, element, message, format!("add {name}=\"...\""))
    })
}

fn place(file: &Text, element: Node<'_, '_>) -> std::ops::Range<usize> {
    xml::place(&file.text, file.start, element)
}

fn refuse(
    file: &Text,
    element: Node<'_, '_>,
    message: impl Into<String>,
    remedy: impl Into<String>,
) -> Fault {
    Fault::Line(Diagnostic::new(place(file, element), message, remedy))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NETWORK: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d0" for="node" attr.name="x" attr.type="double"/>
  <key id="d1" for="node" attr.name="y" attr.type="double"><default>7</default></key>
  <key id="d2" for="node" attr.name="colour" attr.type="string"/>
  <graph edgedefault="undirected">
    <node id="a"><data key="d0">12.5</data><data key="d2">red</data></node>
    <node id="b"><data key="d1"> -3 </data></node>
    <edge source="b" target="a"/>
  </graph>
</graphml>
"#;

    fn parse(text: &str) -> Result<Layout, Fault> {
        read(&Text { text: text.into(), start: 0 }, true)
    }

    #[test]
    fn nodes_have_coordinates_and_edges_are_neighbours() {
        let Layout { nodes, links, unplaced, ignored } = parse(NETWORK).unwrap();
        let at = |x, y| Position { x: Metres(x), y: Metres(y), z: Metres(0.0) };
        assert_eq!(nodes, [("a".to_owned(), at(12.5, 7.0)), ("b".to_owned(), at(0.0, -3.0))]);
        assert_eq!((links, unplaced, ignored), (vec![[1, 0]], vec![], vec![]));
    }

    #[test]
    fn a_node_without_coordinates_is_not_placed() {
        let text = NETWORK.replace("<default>7</default>", "").replace("<data key=\"d1\"> -3 </data>", "");
        assert_eq!(parse(&text).unwrap().unplaced, [1]);
    }

    /// The line of each warning and its beginning.
    fn ignored(text: &str) -> Vec<(usize, String)> {
        let line = |one: &Diagnostic| text[..one.span.start].matches('\n').count() + 1;
        parse(text).unwrap().ignored.iter().map(|one| (line(one), one.message.clone())).collect()
    }

    #[test]
    fn an_edge_from_a_node_to_itself_is_left_out_with_one_warning() {
        let text = NETWORK.replace(
            "  </graph>",
            "<edge source=\"b\" target=\"b\"/>\n<edge source=\"a\" target=\"a\"/></graph>",
        );
        assert_eq!(parse(&text).unwrap().links, [[1, 0]]);
        assert_eq!(ignored(&text), [(10, "edges from a node to itself, which are ignored: 2".into())]);
    }

    #[test]
    fn a_key_for_edges_places_no_node() {
        let text = NETWORK.replace(
            "<graph ",
            "<key id=\"e\" for=\"edge\" attr.name=\"x\"><default>99</default></key><graph ",
        );
        assert_eq!(parse(&text).unwrap().nodes, parse(NETWORK).unwrap().nodes);
    }

    #[test]
    fn opposite_directed_edges_are_one_link() {
        let directed = NETWORK.replace("undirected", "directed");
        let both = directed.replace("  </graph>", "<edge source=\"a\" target=\"b\"/></graph>");
        assert_eq!((parse(&both).unwrap().links, ignored(&both)), (vec![[1, 0]], vec![]));
        let message = "directed edges without one in the opposite direction: 1";
        assert_eq!(
            (parse(&directed).unwrap().links.len(), ignored(&directed)),
            (1, vec![(9, message.into())])
        );
        let twice = both
            .replace("  </graph>", "")
            .replace("</graph>", "<edge source=\"a\" target=\"b\" directed=\"false\"/></graph>");
        assert_eq!(parse(&twice).unwrap().links.len(), 2, "a parallel undirected edge is a link of its own");
    }

    #[test]
    fn rates_and_geographic_coordinates_are_named_once() {
        let keys = "<key attr.name=\"LinkSpeedRaw\" for=\"edge\" id=\"d9\"/>\n\
                    <key attr.name=\"Latitude\" for=\"node\" id=\"d7\"/><graph ";
        let text = NETWORK.replace("<graph ", keys);
        assert_eq!(ignored(&text), [(6, "attributes that are not read: LinkSpeedRaw".into())]);
        let text = text
            .replace("attr.name=\"x\"", "attr.name=\"label\"")
            .replace("attr.name=\"y\"", "attr.name=\"type\"");
        assert_eq!(ignored(&text), [(6, "attributes that are not read: Latitude, LinkSpeedRaw".into())]);
    }

    #[test]
    fn a_mistake_is_refused_at_its_element() {
        let refused = |old: &str, new: &str| {
            let text = NETWORK.replacen(old, new, 1);
            let Err(Fault::Line(diagnostic)) = parse(&text) else { panic!("accepted: {new}") };
            let line = text[..diagnostic.span.start].matches('\n').count() + 1;
            (line, diagnostic.message)
        };
        assert_eq!(refused("12.5", "east"), (7, "a coordinate is not a number".into()));
        assert_eq!(refused("target=\"a\"", "target=\"c\""), (9, "an unknown node".into()));
        assert_eq!(refused("target=\"a\"", ""), (9, "a <edge> without `target`".into()));
        assert_eq!(refused("id=\"b\"", "id=\"a\""), (8, "an earlier node has this id".into()));
        assert_eq!(refused("</graph>", "").0, 11);
        let (_, message) = refused("<graph edgedefault=\"undirected\">", "<g>");
        assert!(!message.contains(" at "), "{message}");
    }
}
