//! Networks as GraphML: nodes by their `id`, attributes `x`, `y` and `z` in metres, edges as links.

use std::collections::BTreeMap;

use farlink_kernel::config::Diagnostic;
use farlink_network::space::{Metres, Position};
use roxmltree::Node;

use super::super::{Fault, Layout, Text, unknown_node};
use crate::xml;

const AXES: [&str; 3] = ["x", "y", "z"];

/// The nodes and edges of the first graph.
pub(super) fn read(file: &Text) -> Result<Layout, Fault> {
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
    let link = |edge: Node<'_, '_>| {
        let end = |key| {
            let id = attribute(file, edge, key)?;
            numbers.get(id).copied().ok_or_else(|| {
                let known: Vec<&str> = numbers.keys().copied().collect();
                unknown_node(id, place(file, edge), &known)
            })
        };
        let ends = [end("source")?, end("target")?];
        if ends[0] == ends[1] {
            return Err(refuse(file, edge, "an edge from a node to itself", "name two nodes"));
        }
        Ok(ends)
    };
    let links = children(graph, "edge").map(link).collect::<Result<_, _>>()?;
    Ok(Layout { nodes, links, unplaced })
}

/// The keys of the coordinates, with their defaults.
struct Axes<'a> {
    keys: BTreeMap<&'a str, (usize, Option<Node<'a, 'a>>)>,
}

impl<'a> Axes<'a> {
    fn new(root: Node<'a, 'a>) -> Self {
        let key = |key: Node<'a, 'a>| {
            let axis = AXES.iter().position(|axis| key.attribute("attr.name") == Some(axis))?;
            Some((key.attribute("id")?, (axis, children(key, "default").next())))
        };
        Self { keys: children(root, "key").filter_map(key).collect() }
    }

    /// The position of the node; `None` without any coordinate.
    fn position(&self, file: &Text, node: Node<'_, '_>) -> Result<Option<Position>, Fault> {
        let mut coordinates = [None; 3];
        for (axis, default) in self.keys.values() {
            if let Some(default) = default {
                coordinates[*axis] = Some(coordinate(file, *default)?);
            }
        }
        for data in children(node, "data") {
            if let Some((axis, _)) = data.attribute("key").and_then(|key| self.keys.get(key)) {
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
        read(&Text { text: text.into(), start: 0 })
    }

    #[test]
    fn nodes_have_coordinates_and_edges_are_neighbours() {
        let Layout { nodes, links, unplaced } = parse(NETWORK).unwrap();
        let at = |x, y| Position { x: Metres(x), y: Metres(y), z: Metres(0.0) };
        assert_eq!(nodes, [("a".to_owned(), at(12.5, 7.0)), ("b".to_owned(), at(0.0, -3.0))]);
        assert_eq!((links, unplaced), (vec![[1, 0]], vec![]));
    }

    #[test]
    fn a_node_without_coordinates_is_not_placed() {
        let text = NETWORK.replace("<default>7</default>", "").replace("<data key=\"d1\"> -3 </data>", "");
        assert_eq!(parse(&text).unwrap().unplaced, [1]);
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
        assert_eq!(refused("target=\"a\"", "target=\"b\""), (9, "an edge from a node to itself".into()));
        assert_eq!(refused("id=\"b\"", "id=\"a\""), (8, "an earlier node has this id".into()));
        assert_eq!(refused("</graph>", "").0, 11);
        let (_, message) = refused("<graph edgedefault=\"undirected\">", "<g>");
        assert!(!message.contains(" at "), "{message}");
    }
}
