//! Movement: who moves how. Movement files are read ([`ns2`]) and written ([`write`]) here; the models
//! themselves live in `farlink_network::mobility`.

use std::collections::BTreeMap;

use farlink_kernel::config::Refusal;
use farlink_network::blueprint;
use farlink_network::mobility::scripted::{self, Moves};
use farlink_network::mobility::{Config, random_waypoint, start};
use farlink_network::space::{Area, Position, Speed};

use crate::compile::{Places, written_node};
use crate::document::{Document, Node};
use crate::traces::{Fault, Reader};

pub(crate) mod ns2;
pub(crate) mod write;

/// The nodes with their places and movements, checked.
pub(crate) fn nodes(
    document: &Document,
    places: &Places<'_>,
    reader: &mut Reader<'_>,
) -> Result<Vec<blueprint::Node>, Refusal> {
    let mut files = BTreeMap::new();
    let mut nodes = Vec::with_capacity(document.nodes.len());
    for (i, node) in document.nodes.iter().enumerate() {
        let own = written_node(document, places, i);
        let key = match (&node.mobility, own) {
            (Some(_), Some(own)) => format!("nodes.{own}.mobility"),
            _ => "mobility".into(),
        };
        let config = mobility(document, node);
        check(config, &key, places)?;
        check_position(node, config, own, places)?;
        let (position, mobility) = match config {
            Config::Scripted(scripted::Config { moves: Moves::Ns2(path) }) => {
                let key = format!("{key}.moves");
                if !files.contains_key(path.as_str()) {
                    files.insert(path.as_str(), read(path, &key, document.nodes.len(), places, reader)?);
                }
                let (position, moves) = files[path.as_str()].script(i as u32, node.position);
                (position, Config::Scripted(scripted::Config { moves: Moves::List(moves) }))
            }
            config => (node.position, config.clone()),
        };
        nodes.push(blueprint::Node { name: node.name.clone(), position, mobility });
    }
    Ok(nodes)
}

/// How a node moves: as it says itself, or as all do.
fn mobility<'a>(document: &'a Document, node: &'a Node) -> &'a Config {
    node.mobility.as_ref().unwrap_or(&document.mobility)
}

/// False when the model puts the node somewhere itself.
pub(crate) fn uses_position(document: &Document, node: &Node) -> bool {
    match mobility(document, node) {
        Config::Static(_) | Config::Scripted(_) => true,
        Config::RandomWaypoint(config) => config.start == random_waypoint::Start::Position,
        Config::RandomWalk(config) => config.start == start::Start::Position,
        Config::GaussMarkov(config) => config.start == start::Start::Position,
        Config::ManhattanGrid(config) => config.start == start::Start::Position,
    }
}

fn read(
    path: &str,
    key: &str,
    nodes: usize,
    places: &Places<'_>,
    reader: &mut Reader<'_>,
) -> Result<ns2::Movement, Refusal> {
    let movement = reader
        .text(path)
        .and_then(|(text, start)| ns2::Movement::read(&text, start, nodes).map_err(Fault::Line));
    movement.map_err(|fault| fault.at(key, places))
}

/// What a model demands of its parameters.
fn check(config: &Config, key: &str, places: &Places<'_>) -> Result<(), Refusal> {
    let refuse = |field: &str, message: &str, remedy: &str| {
        Err(places.refuse(&format!("{key}.{field}"), message, remedy))
    };
    let speeds = |min: f64, max: Speed| {
        if min > max.0 {
            return refuse("min_speed", "min_speed is above max_speed", "swap the two");
        }
        if max > Speed::LIGHT {
            return refuse("max_speed", "no node is faster than light", "write a lower speed");
        }
        Ok(())
    };
    let step = |is_zero: bool| {
        if is_zero {
            refuse("step", "a step of no length", "write a duration such as \"1 s\"")
        } else {
            Ok(())
        }
    };
    match config {
        Config::Static(_) => Ok(()),
        Config::RandomWaypoint(config) => {
            speeds(config.min_speed.0, config.max_speed)?;
            if config.start == random_waypoint::Start::Stationary && config.min_speed.0 == 0.0 {
                let message = "speeds down to zero have no stationary state: they decay for ever";
                return refuse("min_speed", message, "write min_speed above 0 m/s, or start = \"uniform\"");
            }
            Ok(())
        }
        Config::RandomWalk(config) => {
            speeds(config.min_speed.0, config.max_speed)?;
            step(config.step.is_zero())
        }
        Config::GaussMarkov(config) => {
            if config.mean_speed.0 > Speed::LIGHT.0 / 2.0 {
                let message = "no node is faster than light, and speeds go up to twice their mean";
                return refuse("mean_speed", message, "write a lower speed");
            }
            step(config.step.is_zero())
        }
        Config::ManhattanGrid(config) => {
            if config.block.0 == 0.0 {
                return refuse("block", "blocks of no length", "write a distance such as \"200 m\"");
            }
            speeds(config.min_speed.0, config.max_speed)
        }
        Config::Scripted(scripted::Config { moves: Moves::List(moves) }) => {
            match moves.iter().position(|one| one.speed.0 > Speed::LIGHT.0) {
                None => Ok(()),
                Some(i) => {
                    refuse(&format!("moves.{i}.speed"), "no node is faster than light", "write a lower speed")
                }
            }
        }
        Config::Scripted(_) => Ok(()),
    }
}

/// A position that is written must be one the model can begin at.
fn check_position(
    node: &Node,
    config: &Config,
    own: Option<usize>,
    places: &Places<'_>,
) -> Result<(), Refusal> {
    let key = own.map_or_else(|| "topology".into(), |own| format!("nodes.{own}.position"));
    let is_inside = |area: &Area, starts_there: bool, position: &Position| {
        if starts_there && !area.contains(*position) {
            let message = format!("`{}` is outside the area it moves in", node.name);
            return Err(places.refuse(&key, message, "the area has a corner at (0, 0)"));
        }
        if !starts_there && own.is_some() && places.has(&key) {
            let message = format!("`{}` moves from where its mobility puts it", node.name);
            let remedy = "remove position, or write start = \"position\" in mobility";
            return Err(places.refuse(&key, message, remedy));
        }
        Ok(())
    };
    match config {
        Config::Static(_) | Config::Scripted(_) => Ok(()),
        Config::RandomWaypoint(config) => {
            let starts_there = config.start == random_waypoint::Start::Position;
            is_inside(&config.area, starts_there, &node.position)
        }
        Config::RandomWalk(config) => {
            is_inside(&config.area, config.start == start::Start::Position, &node.position)
        }
        Config::GaussMarkov(config) => {
            is_inside(&config.area, config.start == start::Start::Position, &node.position)
        }
        Config::ManhattanGrid(config) => {
            is_inside(&config.area, config.start == start::Start::Position, &node.position)
        }
    }
}
