//! Networks as GraphML: nodes by their `id`, attributes `x`, `y` and `z` in metres, edges as links; rates and geographic
//! coordinates as in the Internet Topology Zoo.
//!
//! A link has two directions: two directed edges in opposite directions are one. Left out with a warning: edges from a
//! node to itself, and attributes that other tools give a rate, a delay or geographic coordinates in.

use std::collections::BTreeMap;

use farlink_kernel::BitRate;
use farlink_kernel::config::{Diagnostic, PETABIT};
use farlink_network::space::{Metres, Position};
use roxmltree::Node;

use super::super::{Fault, Given, Layout, Text, unknown_node};
use crate::xml;
use attributes::{Attributes, COORDINATES, RATES, Reading, number};
use geography::Place;

mod attributes;
mod geography;

const AXES: [&str; 3] = ["x", "y", "z"];

/// The nodes of the first graph, and its edges where nodes `is_linked` or `has_attributes` of links.
pub(super) fn read(file: &Text, is_linked: bool, has_attributes: bool) -> Result<Layout, Fault> {
    let document =
        xml::parse(&file.text).map_err(|error| Fault::Line(xml::syntax(&error, &file.text, file.start)))?;
    let root = document.root_element();
    let graph = children(root, "graph").next().ok_or_else(|| {
        let message = "this is no GraphML: it has no <graph>";
        refuse(file, root, message, "write <graphml><graph><node id=\"a\"/></graph></graphml>")
    })?;
    let axes = Attributes::new(root, "node", AXES);
    let (mut nodes, mut unplaced) = (Vec::new(), Vec::new());
    let mut numbers = BTreeMap::new();
    for node in children(graph, "node") {
        let id = attribute(file, node, "id")?;
        if numbers.insert(id, nodes.len()).is_some() {
            let message = "an earlier node has this id";
            return Err(refuse(file, node, message, "give each node an id of its own"));
        }
        let position = position(file, axes.of(node))?;
        if position.is_none() {
            unplaced.push(nodes.len());
        }
        nodes.push((id.to_owned(), position.unwrap_or_default()));
    }
    let has_links = is_linked || has_attributes;
    let reading = Reading { is_linked: has_links, has_positions: !axes.is_empty(), has_attributes };
    let mut ignored: Vec<Diagnostic> = attributes::ignored(file, root, reading).into_iter().collect();
    let values = has_attributes.then(|| Values::new(file, root, graph, is_linked)).transpose()?;
    ignored.extend(values.as_ref().and_then(|values| values.missing(root)));
    let (links, given) = links(file, graph, &numbers, values.as_ref(), &mut ignored)?;
    Ok(Layout { nodes, links, given, unplaced, ignored: if has_links { ignored } else { Vec::new() } })
}

type Links = (Vec<[usize; 2]>, Vec<[Given; 2]>);

/// The edges as links, with what attributes say of each: without those from a node to itself, and two opposite directed
/// ones as one.
fn links<'a>(
    file: &Text,
    graph: Node<'a, 'a>,
    numbers: &BTreeMap<&str, usize>,
    values: Option<&Values<'a>>,
    ignored: &mut Vec<Diagnostic>,
) -> Result<Links, Fault> {
    let all_directed = graph.attribute("edgedefault") == Some("directed");
    let (mut links, mut given): Links = (Vec::new(), Vec::new());
    let (mut loops, mut unread) = (Vec::new(), Vec::new());
    // Directed edges without an opposite one so far, and their links.
    let mut single: BTreeMap<[usize; 2], Vec<(Node<'_, '_>, usize)>> = BTreeMap::new();
    for edge in children(graph, "edge") {
        let ends = ends(file, edge, numbers)?;
        let [from, to] = ends;
        if from == to {
            loops.push(edge);
            continue;
        }
        unread.extend(values.filter(|values| values.is_unread(edge)).map(|_| edge));
        let its = values.map(|values| values.of(edge, ends)).transpose()?;
        if edge.attribute("directed").map_or(all_directed, |directed| directed == "true") {
            if let Some((_, link)) = single.get_mut(&[to, from]).and_then(Vec::pop) {
                if let Some(its) = its {
                    given[link] = [given[link][0], its];
                }
                continue;
            }
            single.entry(ends).or_default().push((edge, links.len()));
        }
        links.push(ends);
        given.extend(its.map(|its| [its, its]));
    }
    let one_way: Vec<Node<'_, '_>> = single.into_values().flatten().map(|(edge, _)| edge).collect();
    let mut warn = |edges: &[Node<'_, '_>], what: &str, remedy: &str| {
        // In the order of the file.
        if let Some(first) = edges.iter().min_by_key(|edge| edge.range().start) {
            let message = format!("{what}: {}", edges.len());
            ignored.push(Diagnostic::new(place(file, *first), message, remedy));
        }
    };
    warn(&loops, "edges from a node to itself, which are ignored", "remove them");
    let what = "edges with LinkSpeed, but without LinkSpeedRaw or a unit G, M or K";
    warn(&unread, what, "add LinkSpeedUnits, or LinkSpeedRaw in bit/s; such links have the rate of `link`");
    let remedy = "links have two directions: write an edge for the other one, or edgedefault=\"undirected\"";
    warn(&one_way, "directed edges without one in the opposite direction", remedy);
    Ok((links, given))
}

/// The numbers of the nodes that an edge joins.
fn ends(file: &Text, edge: Node<'_, '_>, numbers: &BTreeMap<&str, usize>) -> Result<[usize; 2], Fault> {
    let end = |key| {
        let id = attribute(file, edge, key)?;
        numbers.get(id).copied().ok_or_else(|| {
            let known: Vec<&str> = numbers.keys().copied().collect();
            Fault::Line(unknown_node(id, place(file, edge), &known))
        })
    };
    Ok([end("source")?, end("target")?])
}

/// What attributes say of links.
struct Values<'a> {
    file: &'a Text,
    rates: Attributes<'a, 3>,
    /// By node.
    places: Vec<Option<Place>>,
    /// False where every link must have its own rate and delay.
    has_default: bool,
}

impl<'a> Values<'a> {
    fn new(
        file: &'a Text,
        root: Node<'a, 'a>,
        graph: Node<'a, 'a>,
        has_default: bool,
    ) -> Result<Self, Fault> {
        let coordinates = Attributes::new(root, "node", COORDINATES);
        let places = children(graph, "node").map(|node| geography(file, coordinates.of(node)));
        let rates = Attributes::new(root, "edge", RATES);
        Ok(Self { file, rates, places: places.collect::<Result<_, _>>()?, has_default })
    }

    /// The warning of a file that says nothing of any link.
    fn missing(&self, root: Node<'_, '_>) -> Option<Diagnostic> {
        let is_empty = self.rates.is_empty() && self.places.iter().all(Option::is_none);
        let message = "the file has neither LinkSpeedRaw of edges nor Latitude and Longitude of nodes";
        is_empty.then(|| Diagnostic::new(place(self.file, root), message, "remove attributes = true"))
    }

    /// The element with the rate of an edge, and its unit in bit/s.
    fn rate(&self, edge: Node<'a, 'a>) -> Option<(Node<'a, 'a>, f64)> {
        let [raw, speed, unit] = self.rates.of(edge);
        let factor = |unit: Node<'_, '_>| match unit.text()?.trim() {
            "G" => Some(1e9),
            "M" => Some(1e6),
            "K" => Some(1e3),
            _ => None,
        };
        raw.map(|raw| (raw, 1.0)).or_else(|| Some((speed?, factor(unit?)?)))
    }

    /// True for an edge with a speed whose unit is unknown.
    fn is_unread(&self, edge: Node<'a, 'a>) -> bool {
        let [_, speed, _] = self.rates.of(edge);
        speed.is_some() && self.rate(edge).is_none()
    }

    fn of(&self, edge: Node<'a, 'a>, ends: [usize; 2]) -> Result<Given, Fault> {
        let rate = self.rate(edge).map(|(rate, unit)| bits_per_second(self.file, rate, unit)).transpose()?;
        let delay = match ends.map(|node| self.places[node]) {
            [Some(from), Some(to)] => Some(geography::delay(from, to)),
            _ => None,
        };
        let message = match (rate, delay) {
            (None, _) => "an edge without LinkSpeedRaw",
            (_, None) => "an edge of which a node has no Latitude and Longitude",
            _ => return Ok(Given { rate, delay }),
        };
        let remedy = "add link = { rate = \"1 Gbit/s\", delay = \"5 ms\" } for such links";
        if self.has_default {
            Ok(Given { rate, delay })
        } else {
            Err(refuse(self.file, edge, message, remedy))
        }
    }
}

fn bits_per_second(file: &Text, element: Node<'_, '_>, unit: f64) -> Result<BitRate, Fault> {
    let words = ("a rate that is not a number above 0, or huge", "write LinkSpeedRaw in bit/s such as 1e9");
    let is_rate = |rate: f64| (1.0..=PETABIT.as_bps() as f64).contains(&(rate * unit));
    number(file, element, words, is_rate).map(|rate| BitRate::from_bps((rate * unit).round() as u64))
}

/// The place of a node with both coordinates.
fn geography(file: &Text, coordinates: [Option<Node<'_, '_>>; 2]) -> Result<Option<Place>, Fault> {
    let [Some(latitude), Some(longitude)] = coordinates else { return Ok(None) };
    let degrees = |element, words, most: f64| number(file, element, words, |degrees| degrees.abs() <= most);
    let latitude =
        degrees(latitude, ("a latitude that is not from -90 to 90", "write degrees such as 48.14"), 90.0)?;
    let longitude = degrees(
        longitude,
        ("a longitude that is not from -180 to 180", "write degrees such as 11.58"),
        180.0,
    )?;
    Ok(Some(Place { latitude, longitude }))
}

/// The position by its coordinates; `None` without any.
fn position(file: &Text, coordinates: [Option<Node<'_, '_>>; 3]) -> Result<Option<Position>, Fault> {
    if coordinates.iter().all(Option::is_none) {
        return Ok(None);
    }
    let metres =
        |element: Option<Node<'_, '_>>| element.map_or(Ok(Metres(0.0)), |element| coordinate(file, element));
    let [x, y, z] = coordinates;
    Ok(Some(Position { x: metres(x)?, y: metres(y)?, z: metres(z)? }))
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
mod tests;
