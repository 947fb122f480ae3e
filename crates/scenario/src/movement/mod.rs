//! Movement: who moves how. Movement files are read ([`ns2`], [`bonnmotion`], [`fcd`]) and written ([`write`]) here; the models
//! themselves live in `farlink_network::mobility`.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use farlink_kernel::config::Refusal;
use farlink_network::blueprint;
use farlink_network::mobility::Config;
use farlink_network::mobility::scripted::{self, Format, Move, Moves};
use farlink_network::space::Position;

use crate::compile::{Places, written_node};
use crate::document::{Document, Node};
use crate::traces::{Fault, Reader};
use check::Nowhere;

pub(crate) mod bonnmotion;
mod check;
pub(crate) mod fcd;
pub(crate) mod ns2;
mod ways;
pub(crate) mod write;

/// The nodes with their places and movements, checked; `unplaced` are those that the topology puts nowhere.
pub(crate) fn nodes(
    document: &Document,
    unplaced: &[usize],
    places: &Places<'_>,
    reader: &mut Reader<'_>,
) -> Result<Vec<blueprint::Node>, Refusal> {
    let mut files = BTreeMap::new();
    let mut nodes = Vec::with_capacity(document.nodes.len());
    let mut nowhere = Vec::new();
    for (i, node) in document.nodes.iter().enumerate() {
        let own = written_node(document, places, i);
        let key = match (&node.mobility, own) {
            (Some(_), Some(own)) => format!("nodes.{own}.mobility"),
            _ => "mobility".into(),
        };
        let config = mobility(document, node);
        check::parameters(config, &key, places)?;
        check::position(node, config, own, places)?;
        let mut is_placed = check::is_told(document, i, unplaced, places);
        let mut file = None;
        let (position, mobility) = match config {
            Config::Scripted(scripted::Config { moves: Moves::File(format, path) }) => {
                let key = format!("{key}.moves");
                let movement = match files.entry((*format, path.as_str())) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(place) => {
                        place.insert(read((*format, path), &key, document.nodes.len(), places, reader)?)
                    }
                };
                let (position, moves) = movement.script(i as u32, node.position);
                check::begin(node, position, path, own, places)?;
                is_placed |= movement.places(i as u32);
                file = Some((*format, path.as_str(), key));
                (position, Config::Scripted(scripted::Config { moves: Moves::List(moves) }))
            }
            config => {
                is_placed |= !uses_position(document, node);
                (node.position, config.clone())
            }
        };
        if !is_placed {
            nowhere.push(Nowhere { node: i, file });
        }
        nodes.push(blueprint::Node { name: node.name.clone(), position, mobility });
    }
    check::places(document, &nowhere, places)?;
    Ok(nodes)
}

/// How a node moves: as it says itself, or as all do.
fn mobility<'a>(document: &'a Document, node: &'a Node) -> &'a Config {
    node.mobility.as_ref().unwrap_or(&document.mobility)
}

/// False when the model puts the node somewhere itself.
pub(crate) fn uses_position(document: &Document, node: &Node) -> bool {
    check::area(mobility(document, node)).is_none_or(|(_, begins_at_position)| begins_at_position)
}

/// A movement file.
enum Movement {
    Ns2(ns2::Movement),
    Ways(ways::Ways),
}

impl Movement {
    fn places(&self, node: u32) -> bool {
        match self {
            Self::Ns2(movement) => movement.places(node),
            Self::Ways(ways) => ways.places(node),
        }
    }

    fn script(&self, node: u32, position: Position) -> (Position, Vec<Move>) {
        match self {
            Self::Ns2(movement) => movement.script(node, position),
            Self::Ways(ways) => ways.script(node, position),
        }
    }
}

fn read(
    (format, path): (Format, &str),
    key: &str,
    nodes: usize,
    places: &Places<'_>,
    reader: &mut Reader<'_>,
) -> Result<Movement, Refusal> {
    let movement = reader.text(path).and_then(|(text, start)| {
        let movement = match format {
            Format::Ns2 => ns2::Movement::read(&text, start, nodes).map(Movement::Ns2),
            Format::BonnMotion => bonnmotion::read(&text, start, nodes).map(Movement::Ways),
            Format::Fcd => fcd::read(&text, start, nodes).map(Movement::Ways),
        };
        movement.map_err(Fault::Line)
    });
    movement.map_err(|fault| fault.at(key, places))
}
