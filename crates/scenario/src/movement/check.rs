//! What mobility models demand of their parameters, and of where the scenario puts their nodes.

use farlink_kernel::config::Refusal;
use farlink_network::mobility::scripted::{self, Moves};
use farlink_network::mobility::start::Start;
use farlink_network::mobility::{Config, random_waypoint};
use farlink_network::space::{Area, Speed};

use crate::compile::Places;
use crate::document::Node;

/// The key at fault, what is wrong, and what to write.
type Fault = (String, &'static str, &'static str);

/// Refuses parameters that do not go together; `key` is where the model stands.
pub(super) fn parameters(config: &Config, key: &str, places: &Places<'_>) -> Result<(), Refusal> {
    let fault = match config {
        Config::RandomWaypoint(config) => waypoint(config),
        Config::RandomWalk(config) => {
            speeds(config.min_speed.0, config.max_speed).and_then(|()| step(config.step.is_zero()))
        }
        Config::GaussMarkov(config) if config.mean_speed.0 > Speed::LIGHT.0 / 2.0 => {
            let message = "no node is faster than light, and speeds go up to twice their mean";
            Err(("mean_speed".into(), message, "write a lower speed"))
        }
        Config::GaussMarkov(config) => step(config.step.is_zero()),
        Config::ManhattanGrid(config) if config.block.0 == 0.0 => {
            Err(("block".into(), "blocks of no length", "write a distance such as \"200 m\""))
        }
        Config::ManhattanGrid(config) => speeds(config.min_speed.0, config.max_speed),
        Config::Scripted(config) => script(config),
        Config::Static(_) => Ok(()),
    };
    fault.map_err(|(field, message, remedy)| places.refuse(&format!("{key}.{field}"), message, remedy))
}

fn waypoint(config: &random_waypoint::Config) -> Result<(), Fault> {
    speeds(config.min_speed.0, config.max_speed)?;
    if config.start == random_waypoint::Start::Stationary && config.min_speed.0 == 0.0 {
        let message = "speeds down to zero have no stationary state: they decay for ever";
        return Err(("min_speed".into(), message, "write one above 0 m/s, or start = \"uniform\""));
    }
    Ok(())
}

fn speeds(min: f64, max: Speed) -> Result<(), Fault> {
    if min > max.0 {
        return Err(("min_speed".into(), "min_speed is above max_speed", "swap the two"));
    }
    if max > Speed::LIGHT {
        return Err(("max_speed".into(), "no node is faster than light", "write a lower speed"));
    }
    Ok(())
}

fn step(is_zero: bool) -> Result<(), Fault> {
    if is_zero {
        return Err(("step".into(), "a step of no length", "write a duration such as \"1 s\""));
    }
    Ok(())
}

fn script(config: &scripted::Config) -> Result<(), Fault> {
    let Moves::List(moves) = &config.moves else { return Ok(()) };
    match moves.iter().position(|one| one.speed.0 > Speed::LIGHT.0) {
        None => Ok(()),
        Some(i) => Err((format!("moves.{i}.speed"), "no node is faster than light", "write a lower speed")),
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
