//! What mobility models demand of their parameters, and of where the scenario puts their nodes.

use farlink_kernel::config::Refusal;
use farlink_network::mobility::start::Start;
use farlink_network::mobility::{Config, random_waypoint};
use farlink_network::space::Area;

use crate::compile::Places;
use crate::document::Node;

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
