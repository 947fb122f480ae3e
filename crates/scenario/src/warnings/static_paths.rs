//! Paths that routing computes once: it does not see outages, nor delays that change.

use farlink_kernel::config::Diagnostic;
use farlink_kernel::{Duration, Instant};
use farlink_network::blueprint::Link;
use farlink_network::ids::{FlowId, InterfaceId, NodeId};
use farlink_network::interface::link;
use farlink_network::schedule::Schedule;
use farlink_network::{Blueprint, World, routing};

use crate::document::Document;

/// A warning for each link of a static path that is down for some time, or whose delay changes so much that another
/// path is shorter meanwhile, where there is another path.
pub(super) fn find(document: &Document, blueprint: &Blueprint) -> Vec<Diagnostic> {
    let routing::Config::ShortestPath(config) = &blueprint.routing else { return Vec::new() };
    let end = Instant::ZERO + blueprint.duration;
    let changes = |link: &Link| directions(link).iter().any(|way| is_down(way, end) || varies(way));
    if !blueprint.links.iter().any(changes) {
        return Vec::new();
    }
    let mut world = World::new(blueprint, document.seed).expect("validated: the network can be built");
    let mut found: Vec<Option<Diagnostic>> = vec![None; blueprint.links.len()];
    for (flow, number) in blueprint.flows.iter().zip(0..) {
        let path: Vec<usize> =
            world.way(FlowId(number)).iter().filter_map(|&hop| link_of(hop, blueprint)).collect();
        let longest = path.iter().map(|&place| delay(&blueprint.links[place], Iterator::max));
        let longest = longest.fold(Duration::ZERO, |sum, delay| sum + delay);
        for &place in path.iter().filter(|&&place| changes(&blueprint.links[place])) {
            let Some(other) = shortest_without(place, (flow.from, flow.to), blueprint) else { continue };
            let (link, written) = (&blueprint.links[place], &document.links[place]);
            let fault = directions(link).iter().zip(["", "reverse."]).find_map(|(way, prefix)| {
                let is_longer = config.metric.word() == "delay" && other < longest;
                let (key, state) = match () {
                    () if is_down(way, end) => ("down", "is down"),
                    () if varies(way) && is_longer => ("delay", "has a long delay"),
                    () => return None,
                };
                let message = format!(
                    "`{}` keeps to this link while it {state}, although there is another path: routing `{}` computes \
                     paths over links once",
                    flow.label,
                    blueprint.routing.name(),
                );
                let remedy = "name a routing protocol that finds another path, such as routing = \"aodv\"";
                Some(written.refuse_at(&format!("{prefix}{key}"), message, remedy))
            });
            found[place] = found[place].take().or(fault);
        }
    }
    found.into_iter().flatten().collect()
}

fn directions(link: &Link) -> [&link::Config; 2] {
    [&link.forward, &link.reverse]
}

/// Interfaces of links come first, two for each.
fn link_of(interface: InterfaceId, blueprint: &Blueprint) -> Option<usize> {
    Some(interface.as_index() / 2).filter(|&place| place < blueprint.links.len())
}

fn is_down(direction: &link::Config, end: Instant) -> bool {
    direction.down.iter().any(|outage| outage.first.start < end)
}

fn delays(direction: &link::Config) -> Vec<Duration> {
    match &direction.delay {
        Schedule::Constant(delay) => vec![*delay],
        Schedule::Steps(steps) => steps.points.iter().map(|(_, delay)| *delay).collect(),
        Schedule::File(_) => Vec::new(),
    }
}

fn varies(direction: &link::Config) -> bool {
    let delays = delays(direction);
    delays.iter().any(|delay| *delay != delays[0])
}

/// The largest or smallest delay of both directions.
fn delay(link: &Link, of: fn(std::vec::IntoIter<Duration>) -> Option<Duration>) -> Duration {
    of(directions(link).into_iter().flat_map(delays).collect::<Vec<_>>().into_iter()).unwrap_or_default()
}

/// The smallest delay that a path without the link at `place` can have; shared channels count as none. `None` without
/// such a path.
fn shortest_without(place: usize, (from, to): (NodeId, NodeId), blueprint: &Blueprint) -> Option<Duration> {
    let mut known = vec![None; blueprint.nodes.len()];
    known[from.as_index()] = Some(Duration::ZERO);
    let edges: Vec<(NodeId, NodeId, Duration)> =
        blueprint
            .links
            .iter()
            .enumerate()
            .filter(|(number, _)| *number != place)
            .map(|(_, link)| (link.between[0], link.between[1], delay(link, Iterator::min)))
            .chain(blueprint.channels.iter().flat_map(|channel| {
                channel.members.windows(2).map(|pair| (pair[0], pair[1], Duration::ZERO))
            }))
            .collect();
    // Bellman, Ford: a round per link of the longest path, and no more than that changes anything.
    loop {
        let before = known.clone();
        for &(a, b, delay) in &edges {
            for (here, there) in [(a, b), (b, a)] {
                let Some(length) = known[here.as_index()].map(|length: Duration| length + delay) else {
                    continue;
                };
                let known = &mut known[there.as_index()];
                *known = Some(known.map_or(length, |known: Duration| known.min(length)));
            }
        }
        if known == before {
            return known[to.as_index()];
        }
    }
}
