//! The mobility of nodes: its checks, and movement files, read ([`ns2`], [`bonnmotion`], [`fcd`]) and written
//! ([`write`]). The models themselves are in `farlink_network::mobility`.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use farlink_kernel::config::Diagnostic;
use farlink_network::blueprint;
use farlink_network::mobility::scripted::{self, File, Format, Move, Moves};
use farlink_network::mobility::{Config, Placement};
use farlink_network::space::Position;

use crate::document::{Document, Node};
use crate::files::{Fault, Reader};
use crate::located::Located;
use check::Unplaced;

pub(crate) mod bonnmotion;
mod check;
mod degrees;
pub(crate) mod fcd;
pub(crate) mod ns2;
mod waypoints;
pub(crate) mod write;

/// The nodes with their positions and mobility, checked; `unplaced` are those that the topology does not place.
pub(crate) fn nodes(
    document: &Document,
    unplaced: &[usize],
    reader: &mut Reader<'_>,
) -> Result<Vec<blueprint::Node>, Diagnostic> {
    let mut files = BTreeMap::new();
    let mut nodes = Vec::with_capacity(document.nodes.len());
    let mut without_position = Vec::new();
    for (i, node) in document.nodes.iter().enumerate() {
        let config = mobility(document, node);
        config.parameters().check(&|key| config.has(key)).map_err(|why| config.place(why))?;
        check::position(node, config)?;
        let mut is_placed =
            if node.is_written() { node.has("position") } else { unplaced.binary_search(&i).is_err() };
        let mut file = None;
        let (position, mobility) = match &**config {
            Config::Scripted(scripted::Config { moves: Moves::File(named) }) => {
                let movement = match files.entry(named) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(place) => place.insert(
                        read(named, document.nodes.len(), reader)
                            .map_err(|fault| fault.at(config, "moves"))?,
                    ),
                };
                let (position, moves) = movement.script(i as u32, node.position);
                check::begin(node, position, &named.path)?;
                is_placed |= movement.has_position(i as u32);
                file = Some((named.format, named.path.as_str(), config));
                (position, Config::Scripted(scripted::Config { moves: Moves::List(moves) }))
            }
            model => {
                is_placed |= !uses_position(document, node);
                (node.position, model.clone())
            }
        };
        if !is_placed {
            without_position.push(Unplaced { node: i, file });
        }
        nodes.push(blueprint::Node { name: node.name.clone(), position, mobility });
    }
    check::positions(document, &nodes, &without_position)?;
    Ok(nodes)
}

/// The mobility of a node: its own, or that of all.
pub(crate) fn mobility<'a>(document: &'a Document, node: &'a Node) -> &'a Located<Config> {
    node.mobility.as_ref().unwrap_or(&document.mobility)
}

/// False when the mobility model draws the initial position itself.
pub(crate) fn uses_position(document: &Document, node: &Node) -> bool {
    mobility(document, node).parameters().placement() != Placement::Drawn
}

enum Movement {
    Ns2(ns2::Movement),
    Waypoints(waypoints::Waypoints),
}

impl Movement {
    fn has_position(&self, node: u32) -> bool {
        match self {
            Self::Ns2(movement) => movement.has_position(node),
            Self::Waypoints(waypoints) => waypoints.has_position(node),
        }
    }

    fn script(&self, node: u32, position: Position) -> (Position, Vec<Move>) {
        match self {
            Self::Ns2(movement) => movement.script(node, position),
            Self::Waypoints(waypoints) => waypoints.script(node, position),
        }
    }
}

impl Movement {
    /// Floating car data has speeds of its own, and is checked where it is read.
    fn is_in_degrees(&self, nodes: usize) -> bool {
        let mut travel = degrees::Travel::default();
        for node in (0..nodes as u32).filter(|&node| self.has_position(node)) {
            let (begin, moves) = self.script(node, Position::default());
            travel.add_script(begin, &moves);
        }
        travel.scripts_are_in_degrees()
    }
}

fn read(file: &File, nodes: usize, reader: &mut Reader<'_>) -> Result<Movement, Fault> {
    let (text, start) = reader.text(&file.path)?;
    let movement = match file.format {
        Format::Ns2 => ns2::Movement::read(&text, start, nodes).map(Movement::Ns2),
        Format::BonnMotion => bonnmotion::read(&text, start, nodes, file.dimensions).map(Movement::Waypoints),
        Format::Fcd => fcd::read(&text, start, nodes).map(Movement::Waypoints),
    };
    let movement = movement.map_err(Fault::Line)?;
    if file.format != Format::Fcd && movement.is_in_degrees(nodes) {
        let remedy = "write projected coordinates, in metres";
        let fault = Diagnostic::new(start..start, "the coordinates are degrees, not metres", remedy);
        return Err(Fault::Line(fault));
    }
    Ok(movement)
}
