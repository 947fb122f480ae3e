//! Paths that routing computes from the links as they are at the start: without `reconverge` it sees neither outages nor
//! delays that change.

use std::collections::{BTreeMap, BTreeSet};

use farlink_kernel::config::Diagnostic;
use farlink_kernel::{Duration, Instant};
use farlink_network::blueprint::Link;
use farlink_network::ids::{InterfaceId, NodeId};
use farlink_network::interface::link;
use farlink_network::routing::Routes;
use farlink_network::routing::reconverge::Reconverge;
use farlink_network::schedule::{Interval, Outage, Schedule};
use farlink_network::{Blueprint, Detours};

use super::active::active;
use super::directions::key;
use super::senders::senders;
use crate::document::Document;

/// The limit on edges that are looked at, over all instants and ways: a second's work at most.
const MOST: usize = 2_000_000;
/// The neighbours of a member of a shared channel, whose gains are computed anew for each search.
const NEIGHBOURS: usize = 16;

/// A warning for each link at which a flow's path, or that of its acknowledgements, is down for some time or longer
/// than another, while the flow is active and there is another path.
pub(super) fn find(document: &Document, blueprint: &Blueprint) -> Vec<Diagnostic> {
    let Routes::Computed(routes) = blueprint.routing.parameters().routes() else { return Vec::new() };
    if routes.reconverge() != Reconverge::Never {
        return Vec::new();
    }
    let mut ways = ways(document, blueprint);
    let instants = instants(blueprint, ways.len());
    if instants.is_empty() {
        return Vec::new();
    }
    let mut detours = Detours::new(blueprint, document.seed, routes);
    let mut found = BTreeMap::new();
    for (place, &at) in instants.iter().enumerate() {
        let until = instants.get(place + 1).copied().unwrap_or(Instant::ZERO + blueprint.duration);
        detours.set_now(at);
        for way in ways.iter_mut().filter(|way| way.active.start < until && at < way.active.end) {
            let Some(detour) = detours.find(way.from, way.to) else { continue };
            let [kept, shorter] = [&detour.kept, &detour.shorter].map(|path| over_links(path, blueprint));
            for fault in way.faults(&kept, &shorter, at.max(way.active.start), blueprint) {
                let link = fault.number / 2;
                let diagnostic = || document.links[link].refuse_at(&fault.key, fault.message, fault.remedy);
                found.entry((link, fault.key.clone())).or_insert_with(diagnostic);
            }
        }
    }
    found.into_values().collect()
}

/// The data of a flow or workload, or their acknowledgements, from one node to another.
struct Way<'a> {
    /// What goes this way, with its verb.
    subject: String,
    label: &'a str,
    from: NodeId,
    to: NodeId,
    active: Interval,
    /// One link with a long delay was named.
    is_long: bool,
}

struct Fault {
    /// The direction of a link.
    number: usize,
    key: String,
    message: String,
    remedy: String,
}

fn ways<'a>(document: &'a Document, blueprint: &'a Blueprint) -> Vec<Way<'a>> {
    let mut ways = Vec::new();
    for sender in senders(document, blueprint) {
        let label = sender.label;
        for (from, to) in sender.pairs() {
            let Some(active) = active(&sender, (from, to), blueprint) else { continue };
            let way = |subject, from, to| Way { subject, label, from, to, active, is_long: false };
            ways.push(way(format!("`{label}` keeps"), from, to));
            if sender.tcp.is_some() {
                ways.push(way(format!("ACKs of `{label}` keep"), to, from));
            }
        }
    }
    ways
}

impl Way<'_> {
    /// The links to name for a path that is `kept` although another is shorter `at` an instant.
    fn faults(
        &mut self,
        kept: &[usize],
        shorter: &[usize],
        at: Instant,
        blueprint: &Blueprint,
    ) -> Vec<Fault> {
        let is_down = |hop: &&usize| blueprint.direction(**hop).down.iter().any(|outage| outage.contains(at));
        let down: Vec<Fault> =
            kept.iter().filter(is_down).map(|&hop| self.down(hop, at, blueprint)).collect();
        if !down.is_empty() || self.is_long {
            return down;
        }
        self.is_long = true;
        self.long(kept, shorter, at, blueprint).into_iter().collect()
    }

    fn down(&self, number: usize, at: Instant, blueprint: &Blueprint) -> Fault {
        let message = format!(
            "{} to this link, which is down at {at}, although there is another path: {}",
            self.subject,
            reason(blueprint)
        );
        let remedy =
            format!("write {}, or name another routing protocol, such as \"aodv\"", follow(blueprint));
        Fault { number, key: key(number, "down", |config| &config.down, blueprint), message, remedy }
    }

    /// The link whose delay has grown most, or else has fallen most on the other path.
    fn long(&self, kept: &[usize], shorter: &[usize], at: Instant, blueprint: &Blueprint) -> Option<Fault> {
        let delay = |hop: usize, at: Instant| blueprint.direction(hop).delay.at(at).0;
        let grown = |hop: usize| delay(hop, at).saturating_sub(delay(hop, Instant::ZERO));
        let fallen = |hop: usize| delay(hop, Instant::ZERO).saturating_sub(delay(hop, at));
        let (number, to, other) = match largest(kept, grown) {
            Some(number) => (number, "this link", "another path is shorter"),
            None => (largest(shorter, fallen)?, "another path", "this link is on a shorter one"),
        };
        let message = format!(
            "{} to {to} while the delay of this link is {}, at {at}, although {other}: {}",
            self.subject,
            delay(number, at),
            reason(blueprint)
        );
        let remedy = format!(
            "write {}, or leave out the path that `{}` shall not take",
            follow(blueprint),
            self.label
        );
        let key = key(number, "delay", |config| &config.delay, blueprint);
        Some(Fault { number, key, message, remedy })
    }
}

/// The directions of links on a path: interfaces of links come first.
fn over_links(path: &[InterfaceId], blueprint: &Blueprint) -> Vec<usize> {
    let links = 2 * blueprint.links.len();
    path.iter().map(|hop| hop.as_index()).filter(|&number| number < links).collect()
}

fn reason(blueprint: &Blueprint) -> String {
    format!("routing `{}` sees links as they are at the start", blueprint.routing.name())
}

/// The setting with which paths follow links.
fn follow(blueprint: &Blueprint) -> String {
    format!("routing = {{ name = \"{}\", reconverge = \"1 s\" }}", blueprint.routing.name())
}

/// The link with the largest change above zero.
fn largest(hops: &[usize], change: impl Fn(usize) -> Duration) -> Option<usize> {
    let changed = hops.iter().map(|&hop| (change(hop), hop));
    changed.filter(|(change, _)| !change.is_zero()).max_by_key(|(change, _)| *change).map(|(_, hop)| hop)
}

fn directions(link: &Link) -> [&link::Config; 2] {
    [&link.forward, &link.reverse]
}

/// The instants of the run at which a link changes, or of too many a part that is spread evenly.
fn instants(blueprint: &Blueprint, ways: usize) -> Vec<Instant> {
    let end = Instant::ZERO + blueprint.duration;
    let members: usize = blueprint.channels.iter().map(|channel| channel.members.len()).sum();
    let edges = 2 * blueprint.links.len() + NEIGHBOURS * members;
    let most = (MOST / (edges * ways).max(1)).max(1);
    let mut instants = BTreeSet::new();
    for direction in blueprint.links.iter().flat_map(directions) {
        let outages = direction.down.iter().flat_map(|outage| ends(outage, end));
        instants.extend(outages.chain(steps(&direction.delay, end)).take(most));
    }
    // An odd step, so that it is not always the end of an outage.
    let step = instants.len().div_ceil(most) | 1;
    instants.into_iter().step_by(step).collect()
}

/// When outages begin and end before `end`.
fn ends(outage: &Outage, end: Instant) -> impl Iterator<Item = Instant> {
    let Outage { first, period } = *outage;
    let next = move |at: &Instant| period.map(|period| at.saturating_add(period));
    let recurring = move |first| std::iter::successors(Some(first), next).take_while(move |at| *at < end);
    recurring(first.start).chain(recurring(first.end))
}

/// When a delay takes another value before `end`.
fn steps(delay: &Schedule<Duration>, end: Instant) -> impl Iterator<Item = Instant> {
    let next = |now: &Instant| Some(delay.at(*now).1);
    std::iter::successors(next(&Instant::ZERO), next).take_while(move |at| *at < end)
}
