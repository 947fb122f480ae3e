//! What mobility models demand of their parameters, and of where the scenario puts their nodes.

use std::collections::BTreeSet;

use farlink_kernel::config::Refusal;
use farlink_network::mobility::scripted::{self, Moves};
use farlink_network::mobility::start::Start;
use farlink_network::mobility::{Config, random_waypoint};
use farlink_network::space::Area;

use crate::compile::{Places, written_node};
use crate::document::{Document, Node};

/// Refuses parameters that do not go together; `key` is where the model stands.
pub(super) fn parameters(config: &Config, key: &str, places: &Places<'_>) -> Result<(), Refusal> {
    match config {
        Config::RandomWaypoint(config)
            if config.start == random_waypoint::Start::Stationary && config.min_speed.0 == 0.0 =>
        {
            let message = "speeds down to zero have no stationary state: they decay for ever";
            let remedy = "write one above 0 m/s, or start = \"uniform\"";
            Err(places.refuse(&format!("{key}.min_speed"), message, remedy))
        }
        Config::Scripted(_) if !places.has(&format!("{key}.moves")) => {
            let message = "a script without `moves`: nobody would move";
            let remedy = "add moves = [{ at = \"10 s\", to = [\"50 m\", \"0 m\"], speed = \"2 m/s\" }] or \
                          moves = { ns2 = \"FILE\" }, or write \"static\"";
            Err(places.refuse(key, message, remedy))
        }
        _ => Ok(()),
    }
}

/// The area of models that have one, and whether a node begins where the scenario puts it.
pub(super) fn area(config: &Config) -> Option<(Area, bool)> {
    match config {
        Config::Static(_) | Config::Scripted(_) => None,
        Config::RandomWaypoint(config) => {
            Some((config.area, config.start == random_waypoint::Start::Position))
        }
        Config::RandomWalk(config) => Some((config.area, config.start == Start::Position)),
        Config::GaussMarkov(config) => Some((config.area, config.start == Start::Position)),
        Config::ManhattanGrid(config) => Some((config.area, config.start == Start::Position)),
    }
}

/// Refuses a position the model cannot begin at, or does not begin at although it is written; `own` is the
/// node's place among `[[nodes]]`.
pub(super) fn position(
    node: &Node,
    config: &Config,
    own: Option<usize>,
    places: &Places<'_>,
) -> Result<(), Refusal> {
    let key = own.map_or_else(|| "topology".into(), |own| format!("nodes.{own}.position"));
    match area(config) {
        Some((area, true)) if !area.contains(node.position) => {
            let message = format!("`{}` is outside the area it moves in", node.name);
            Err(places.refuse(&key, message, "the area has a corner at (0, 0)"))
        }
        Some((_, false)) if own.is_some() && places.has(&key) => {
            let message = format!("`{}` moves from where its mobility puts it", node.name);
            let remedy = "remove position, or write start = \"position\" in its mobility";
            Err(places.refuse(&key, message, remedy))
        }
        _ => Ok(()),
    }
}

/// Refuses two nodes of one channel of which nothing says where they are: nobody means that both stand at the origin.
/// `unplaced` are those that the topology puts nowhere.
pub(crate) fn places(document: &Document, unplaced: &[usize], places: &Places<'_>) -> Result<(), Refusal> {
    let is_nowhere = |i: usize, node: &Node| {
        let is_told = match written_node(document, places, i) {
            Some(own) => places.has(&format!("nodes.{own}.position")),
            None => unplaced.binary_search(&i).is_err(),
        };
        let is_in_file = matches!(
            super::mobility(document, node),
            Config::Scripted(scripted::Config { moves: Moves::File(..) })
        );
        !is_told && !is_in_file && super::uses_position(document, node)
    };
    let nowhere: Vec<(usize, &Node)> =
        document.nodes.iter().enumerate().filter(|&(i, node)| is_nowhere(i, node)).collect();
    if nowhere.len() < 2 {
        return Ok(());
    }
    for channel in &document.channels {
        let members: BTreeSet<&str> = channel.membership.nodes.iter().map(String::as_str).collect();
        let mut found = nowhere.iter().filter(|(_, node)| members.contains(node.name.as_str()));
        let (Some((_, first)), Some((i, second))) = (found.next(), found.next()) else { continue };
        let message = format!(
            "neither `{}` nor `{}` has a position: both would be at the origin",
            first.name, second.name
        );
        return Err(match written_node(document, places, *i) {
            Some(own) => {
                let remedy = "add position = [\"100 m\", \"0 m\"], or a mobility that draws places";
                places.refuse(&format!("nodes.{own}"), message, remedy)
            }
            None => {
                let remedy =
                    "add attributes x and y in metres to the file's nodes, or a mobility that draws places";
                places.refuse("topology.path", message, remedy)
            }
        });
    }
    Ok(())
}
