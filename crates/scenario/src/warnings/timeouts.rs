//! MACs on shared channels that do not wait for as long as signals travel.

use std::collections::BTreeSet;

use farlink_kernel::Duration;
use farlink_kernel::config::Diagnostic;
use farlink_network::Blueprint;
use farlink_network::blueprint::Radio;
use farlink_network::channel::medium::Delay;
use farlink_network::ids::NodeId;
use farlink_network::mac::DelayBound;
use farlink_network::space::{Metres, Position};

use super::senders::senders;
use crate::document::Document;
use crate::paths::{Leg, Network};
use crate::reach::Reach;

pub(super) fn find(document: &Document, blueprint: &Blueprint) -> Vec<Diagnostic> {
    let network = Network::new(blueprint);
    let mut found = Vec::new();
    for (number, (written, channel)) in document.channels.iter().zip(&blueprint.channels).enumerate() {
        let radio = &channel.radio;
        let bound = radio.mac_properties().delay_bound;
        let Some(longest) = longest(bound) else { continue };
        let reach = Reach::new(blueprint, channel);
        let (from, to) = (Position::default(), Position { x: reach.range, ..Position::default() });
        // Sound may be slower at other depths.
        if delay(radio, from, to, reach.range) * 2 <= longest {
            continue;
        }
        let ends = |leg: Leg| match leg {
            Leg::Channel { number: over, ends } if over == number => first_hop(&reach, ends),
            _ => None,
        };
        let legs = senders(document, blueprint).flat_map(|sender| sender.legs(&network));
        let mut known = BTreeSet::new();
        let hops = legs.filter_map(ends).filter(|&hop| known.insert(hop));
        let hops = hops.filter_map(|(from, to)| hop(&reach, radio, from, to));
        let Some(hop) = hops.max_by_key(|hop| hop.delay) else { continue };
        if hop.delay > longest {
            let (key, message, remedy) = fault(bound, hop.delay);
            let [a, b] = hop.ends.map(|node| blueprint.nodes[node].name.as_str());
            let far = format!(
                "signals take {} from `{a}` to `{b}`, {:.0} m",
                rounded_up(hop.delay),
                hop.distance.0
            );
            found.push(written.refuse_at(key, format!("{far}: {message}"), remedy));
        }
    }
    found
}

/// The longest propagation delay that a MAC allows for, guard times included.
fn longest(bound: DelayBound) -> Option<Duration> {
    match bound {
        DelayBound::Unbounded => None,
        DelayBound::Timeout { timeout, .. } => Some(timeout / 2),
        DelayBound::Response(within) => Some(within / 2),
        DelayBound::Planned(most) => Some(most + most.mul_f64(0.1)),
    }
}

/// The key, the message and the remedy for a `delay` beyond a bound.
fn fault(bound: DelayBound, delay: Duration) -> (&'static str, String, String) {
    let at_least = |duration| format!("write at least \"{}\"", rounded_up(duration));
    match bound {
        DelayBound::Timeout { timeout, response } => {
            let message = format!("an acknowledgement takes longer than the timeout, {timeout}");
            ("mac.timeout", message, at_least(delay * 2 + response))
        }
        DelayBound::Planned(most) => {
            let message = format!("longer than the {most} that the MAC allows for");
            ("mac.max_propagation_delay", message, at_least(delay))
        }
        DelayBound::Response(within) => {
            let message = format!("a response begins later than its timeout, {within} after SIFS");
            let remedy = "place the nodes closer, or write another MAC such as \"aloha\"";
            ("mac", message, remedy.into())
        }
        DelayBound::Unbounded => unreachable!("no delay is beyond it"),
    }
}

/// Two members of a channel, of which one receives the other.
struct Hop {
    ends: [NodeId; 2],
    distance: Metres,
    delay: Duration,
}

/// Where the hop from a member towards another goes: to that one if it is in range, else `None`, to the nearest.
fn first_hop(reach: &Reach, [from, to]: [NodeId; 2]) -> Option<(NodeId, Option<NodeId>)> {
    let distance = reach.position(from)?.distance(reach.position(to)?);
    Some((from, (distance.0 <= reach.range.0).then_some(to)))
}

/// The hop from a member to another, or to the nearest. `None` where no other member is in range.
fn hop(reach: &Reach, radio: &Radio, from: NodeId, to: Option<NodeId>) -> Option<Hop> {
    let source = reach.position(from)?;
    let near = |&(node, position): &(NodeId, Position)| (node, source.distance(position), position);
    let others = || reach.members.iter().filter(|(node, _)| *node != from).map(near);
    let nearest = || others().min_by(|a, b| a.1.0.total_cmp(&b.1.0));
    let direct = |to| reach.position(to).map(|position| near(&(to, position)));
    let (node, distance, position) = to.map_or_else(nearest, direct)?;
    let delay = delay(radio, source, position, distance);
    (distance.0 <= reach.range.0).then_some(Hop { ends: [from, node], distance, delay })
}

fn delay(radio: &Radio, from: Position, to: Position, distance: Metres) -> Duration {
    match radio.delay {
        Delay::None => Duration::ZERO,
        Delay::Distance => radio.propagation_speed.time_between(from, to, distance),
    }
}

/// The next duration of whole milliseconds, or of microseconds if it is below ten milliseconds.
fn rounded_up(duration: Duration) -> Duration {
    let unit = if duration < Duration::from_millis(10) { 1000 } else { 1_000_000 };
    Duration::from_nanos(duration.as_nanos().div_ceil(unit) * unit)
}
