//! Periodic events, with traffic or without: samples, legs of movement, routing messages.

use farlink_kernel::Duration;
use farlink_network::Blueprint;
use farlink_network::space::{Area, Pace};
use farlink_network::{mobility, routing};

use super::Share;
use super::medium::Medium;

/// A routing message without its entries, in bytes.
const MESSAGE: u32 = 48;

/// Entries of a message of DSDV.
const ENTRIES: f64 = 122.0;

/// The events of recording and of routing.
pub(super) fn shares(blueprint: &Blueprint, media: &[Medium], keeps_series: bool) -> Vec<Share> {
    let duration_s = blueprint.duration.as_secs_f64();
    let mut shares = Vec::new();
    if let (Some(interval), true) = (blueprint.record.interval, keeps_series) {
        let samples = duration_s / interval.as_secs_f64().max(1e-9);
        shares.push(Share::new(samples, format!("{samples:.1e} samples"), "write a longer record.interval"));
    }
    // No events, but as much work.
    let legs: f64 = blueprint.nodes.iter().map(|node| legs(&node.mobility)).sum::<f64>() * duration_s;
    let remedy = "write a longer mobility.step, a lower speed, or a larger area";
    shares.push(Share::new(legs, format!("the nodes move in {legs:.1e} straight lines"), remedy));
    let nodes = blueprint.nodes.len() as f64;
    let messages: Vec<(&str, Duration, f64)> = match &blueprint.routing {
        routing::Config::Aodv(config) if config.hello => vec![("hello_interval", config.hello_interval, 1.0)],
        routing::Config::Olsr(config) => {
            // MPRs forward a TC message; a dense network has few of them.
            let listeners = media.iter().map(|medium| medium.listeners).fold(0.0, f64::max);
            let relays = (4.0 * nodes / (listeners + 1.0)).clamp(1.0, nodes);
            vec![("hello_interval", config.hello_interval, 1.0), ("tc_interval", config.tc_interval, relays)]
        }
        routing::Config::Dsdv(config) => {
            vec![("update_interval", config.update_interval, (nodes / ENTRIES).ceil())]
        }
        _ => Vec::new(),
    };
    for (key, interval, each) in messages {
        let timers = nodes / interval.as_secs_f64().max(1e-9);
        let sent: f64 = media.iter().map(|medium| medium.broadcasts(timers * each, MESSAGE)).sum();
        let links = 2.0 * blueprint.links.len() as f64 / interval.as_secs_f64().max(1e-9) * each;
        let events = (timers + sent + links) * duration_s;
        let cause = format!("routing sends up to {:.1e} messages", timers * each * duration_s);
        shares.push(Share::new(events, cause, format!("write a longer routing.{key}")));
    }
    shares
}

/// The largest number of legs of a node per second.
fn legs(mobility: &mobility::Config) -> f64 {
    let across = |area: &Area, speed: Pace| speed.0 / area.width.0.min(area.height.0);
    match mobility {
        mobility::Config::RandomWaypoint(config) => config.max_speed.0 / config.area.mean_distance().0,
        mobility::Config::RandomWalk(config) => {
            1.0 / config.step.as_secs_f64() + across(&config.area, config.max_speed)
        }
        mobility::Config::GaussMarkov(config) => {
            1.0 / config.step.as_secs_f64() + 2.0 * across(&config.area, config.mean_speed)
        }
        mobility::Config::ManhattanGrid(config) => config.max_speed.0 / config.block.0,
        _ => 0.0,
    }
}
