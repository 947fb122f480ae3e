//! What mobility models demand of their parameters, and of where the scenario puts their nodes.

use std::collections::BTreeSet;

use farlink_kernel::config::Refusal;
use farlink_network::mobility::scripted::Format;
use farlink_network::mobility::start::Start;
use farlink_network::mobility::{Config, random_waypoint};
use farlink_network::space::{Area, Position};

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

/// Refuses a written position the node does not begin at, because the file puts it elsewhere.
pub(super) fn begin(
    node: &Node,
    begin: Position,
    file: &str,
    own: Option<usize>,
    places: &Places<'_>,
) -> Result<(), Refusal> {
    match own.map(|own| format!("nodes.{own}.position")) {
        Some(key) if begin != node.position && places.has(&key) => {
            let message = format!("`{}` moves from where \"{file}\" puts it", node.name);
            Err(places.refuse(&key, message, "remove position, or write the place the file gives"))
        }
        _ => Ok(()),
    }
}

/// True when the scenario says where a node is; `unplaced` are those that the topology puts nowhere.
pub(super) fn is_told(document: &Document, i: usize, unplaced: &[usize], places: &Places<'_>) -> bool {
    match written_node(document, places, i) {
        Some(own) => places.has(&format!("nodes.{own}.position")),
        None => unplaced.binary_search(&i).is_err(),
    }
}

/// A node of which nothing says where it is.
pub(super) struct Nowhere<'a> {
    /// Its number.
    pub node: usize,
    /// The movement file that could say it, with its format and the key that names it.
    pub file: Option<(Format, &'a str, String)>,
}

/// Refuses two nodes of one channel of which nothing says where they are: nobody means that both stand at the origin.
pub(super) fn places(
    document: &Document,
    nowhere: &[Nowhere<'_>],
    places: &Places<'_>,
) -> Result<(), Refusal> {
    if nowhere.len() < 2 {
        return Ok(());
    }
    let name = |one: &Nowhere<'_>| document.nodes[one.node].name.as_str();
    for channel in &document.channels {
        let members: BTreeSet<&str> = channel.membership.nodes.iter().map(String::as_str).collect();
        let mut found = nowhere.iter().filter(|one| members.contains(name(one)));
        let (Some(first), Some(second)) = (found.next(), found.next()) else { continue };
        let files: BTreeSet<&str> =
            [first, second].iter().filter_map(|one| one.file.as_ref().map(|(_, path, _)| *path)).collect();
        let in_files =
            files.iter().map(|path| format!(", nor one in \"{path}\"")).collect::<Vec<_>>().concat();
        let message = format!(
            "neither `{}` nor `{}` has a position{in_files}: both would be at the origin",
            name(first),
            name(second)
        );
        let (key, remedy) = remedy(document, second, places);
        return Err(places.refuse(&key, message, remedy));
    }
    Ok(())
}

/// The key at which a node would be placed, and how.
fn remedy(document: &Document, one: &Nowhere<'_>, places: &Places<'_>) -> (String, String) {
    if let Some((format, _, key)) = &one.file {
        let nodes = document.nodes.len();
        let line = match format {
            Format::Ns2 => format!("write $node_({}) set X_ 100.0 into the file, and one for Y_", one.node),
            Format::BonnMotion => format!("give the file a line for each of the {nodes} nodes"),
            Format::Fcd => format!("give the file a vehicle or person for each of the {nodes} nodes"),
        };
        return (key.clone(), line + ", or write positions");
    }
    match written_node(document, places, one.node) {
        Some(own) => {
            let remedy = "add position = [\"100 m\", \"0 m\"], or a mobility that draws places";
            (format!("nodes.{own}"), remedy.into())
        }
        None => {
            let remedy =
                "add attributes x and y in metres to the file's nodes, or a mobility that draws places";
            ("topology.path".into(), remedy.into())
        }
    }
}
