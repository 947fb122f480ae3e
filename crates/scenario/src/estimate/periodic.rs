//! What happens again and again, whether there is traffic or not.

use farlink_kernel::Duration;
use farlink_network::Blueprint;
use farlink_network::routing;

use super::Share;
use super::medium::Medium;

/// A message of routing without its entries, in bytes.
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
    let nodes = blueprint.nodes.len() as f64;
    let messages: Vec<(&str, Duration, f64)> = match &blueprint.routing {
        routing::Config::Aodv(config) if config.hello => vec![("hello_interval", config.hello_interval, 1.0)],
        routing::Config::Olsr(config) => {
            // A message about the topology is passed on by the relays, few where many hear each other.
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
        let wires = 2.0 * blueprint.links.len() as f64 / interval.as_secs_f64().max(1e-9) * each;
        let events = (timers + sent + wires) * duration_s;
        let cause = format!("routing sends up to {:.1e} messages", timers * each * duration_s);
        shares.push(Share::new(events, cause, format!("write a longer routing.{key}")));
    }
    shares
}
