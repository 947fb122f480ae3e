//! C. Perkins, P. Bhagwat, "Highly Dynamic Destination-Sequenced Distance-Vector Routing (DSDV) for Mobile Computers",
//! SIGCOMM 1994.
//!
//! Every node advertises its distance to every other node to its neighbours. Every destination numbers its own route
//! with even sequence numbers; a node that finds a link broken advertises the odd number in between. The newer number
//! wins, and of equal ones the shorter route, so that there are no loops. The first route under a new number is rarely
//! the best: the settling time is measured, and a route is used at once but advertised only after it.
//!
//! In the order of the paper: route advertisements in [`crate::wire::dsdv`], [`table`] (selection, topology changes,
//! damping), updates here, [`config`]. Left out: operation below IP, base stations, and the second table, of what was
//! advertised: a route that has not settled is not advertised at all, as in ns-2. Of ns-2 the preset leaves out its
//! message sizes (no UDP header), and that a full update is one packet of any length.

use std::collections::VecDeque;

use farlink_kernel::ordered::Map;
use farlink_kernel::random::Stream;
use farlink_kernel::{Duration, Instant};

use super::outbox::Outbox;
use super::{Received, Routing, Setup};
use crate::context::{Context, Effect};
use crate::frame::LinkFailure;
use crate::hop::{Decision, Hop, NextHop, Part};
use crate::ids::{InterfaceId, NodeId, PacketId};
use crate::packet::Cause;
use crate::wire;

pub(crate) mod config;
pub(crate) mod table;

use crate::wire::dsdv::{Entry, MOST_ENTRIES, UNREACHABLE, Update};
pub use config::Config;
use table::{Heard, Table};

pub(super) const SOURCE: &str = "Perkins, Bhagwat, SIGCOMM 1994";

#[derive(Clone, Debug)]
pub(crate) struct Dsdv {
    config: Config,
    node: NodeId,
    interfaces: Vec<InterfaceId>,
    /// The node's own number, even.
    sequence: u32,
    table: Table,
    /// When each neighbour's last update came, and when the first of them expires.
    heard: Map<NodeId, Instant>,
    next_check: Instant,
    waiting: Map<NodeId, VecDeque<PacketId>>,
    next_full: Instant,
    next_trigger: Instant,
    /// Before this there are only full updates.
    quiet_until: Instant,
    outbox: Outbox,
    rng: Stream,
}

impl Dsdv {
    pub(crate) fn new(config: &Config, setup: &Setup<'_>) -> Self {
        let mut rng = Stream::new(setup.seed, "dsdv", setup.node.into());
        let first = config.startup_jitter.mul_f64(rng.uniform());
        Self {
            config: config.clone(),
            node: setup.node,
            interfaces: setup.interfaces.to_vec(),
            sequence: 0,
            table: Table::default(),
            heard: Map::new(),
            next_check: Instant::NEVER,
            waiting: Map::new(),
            next_full: Instant::ZERO.saturating_add(first),
            next_trigger: Instant::NEVER,
            quiet_until: Instant::ZERO,
            outbox: Outbox::default(),
            rng,
        }
    }

    /// Advertises the changes, or the whole table when that is due or many routes changed.
    fn advertise(&mut self, cx: &mut Context) {
        let is_time = self.next_full <= cx.now;
        if !is_time && self.trigger() > cx.now {
            return;
        }
        let (entries, is_everything) = self.table.advertise(is_time, &self.config, cx.now);
        if is_everything {
            self.sequence += 2;
            let earlier = self.config.update_jitter.0 * self.rng.uniform();
            let wait = self.config.update_interval.mul_f64(1.0 - earlier).max(Duration::from_nanos(1));
            self.next_full = cx.now.saturating_add(wait);
        }
        let is_sent = is_everything || !entries.is_empty();
        if self.config.triggers_persist && !is_time {
            self.table.on_triggered(is_sent, self.quiet_until, cx.now);
        }
        if is_sent {
            self.quiet_until = cx.now.saturating_add(self.config.trigger_gap);
            self.broadcast(&entries, is_everything, cx);
        }
        self.next_trigger = self.table.next_trigger();
    }

    fn trigger(&self) -> Instant {
        if self.next_trigger == Instant::NEVER {
            Instant::NEVER
        } else {
            self.next_trigger.max(self.quiet_until)
        }
    }

    /// Sends entries over every interface, the node's own first in every packet of updates that have it.
    fn broadcast(&mut self, entries: &[Entry], is_everything: bool, cx: &mut Context) {
        let has_own = is_everything || self.config.own_route_in_triggered;
        let own = has_own.then_some(Entry { destination: self.node, hops: 0, sequence: self.sequence });
        let at = cx.now.saturating_add(self.config.jitter.mul_f64(self.rng.uniform()));
        let empty: &[Entry] = &[];
        let packets =
            entries.chunks(MOST_ENTRIES - usize::from(has_own)).chain(entries.is_empty().then_some(empty));
        for some in packets {
            let update = Update { entries: own.into_iter().chain(some.iter().copied()).collect() };
            for &interface in &self.interfaces {
                let (size, message) = (update.size(), wire::Message::Dsdv(update.clone()));
                let packet = cx.packets.originate_message(self.node, 1, size, message, cx.now);
                self.outbox.push(at, packet, Hop { interface, next_hop: NextHop::Everyone });
            }
        }
    }

    fn on_entry(&mut self, entry: Entry, from: Hop, cx: &mut Context) {
        let Entry { destination, hops, sequence } = entry;
        if destination == self.node {
            // Another node reported this one unreachable: it numbers its own route anew.
            if hops == UNREACHABLE {
                self.sequence = self.sequence.max(sequence.saturating_sub(1));
                self.next_full = cx.now;
            }
            return;
        }
        let heard = Heard { sequence, hops: hops.saturating_add(1), hop: from };
        if let Some(at) = self.table.learn(destination, heard, &self.config, cx.now) {
            self.next_trigger = self.next_trigger.min(at);
        }
        if self.table.hop(destination).is_some()
            && let Some(waiting) = self.waiting.remove(&destination)
        {
            for packet in waiting {
                cx.push(Effect::Down { node: self.node, packet });
            }
        }
    }

    fn on_link_broken(&mut self, neighbour: NodeId, cx: &mut Context) {
        self.heard.remove(&neighbour);
        if self.table.on_link_broken(neighbour, cx.now) {
            self.next_trigger = self.next_trigger.min(cx.now);
        }
    }

    /// Neighbours that were silent for too long are gone.
    fn expire_neighbours(&mut self, cx: &mut Context) {
        if self.next_check > cx.now {
            return;
        }
        let patience = self.config.patience();
        let gone = |last: Instant| last.saturating_add(patience);
        let missed: Vec<_> =
            self.heard.iter().filter(|&(_, &last)| gone(last) <= cx.now).map(|(&node, _)| node).collect();
        for neighbour in missed {
            self.on_link_broken(neighbour, cx);
        }
        self.next_check = self.heard.values().map(|&last| gone(last)).min().unwrap_or(Instant::NEVER);
    }

    fn keep(&mut self, packet: PacketId, cx: &mut Context) {
        let waiting = self.waiting.entry(cx.packets[packet].destination).or_default();
        waiting.push_back(packet);
        if waiting.len() > self.config.send_buffer as usize
            && let Some(oldest) = waiting.pop_front()
        {
            cx.drop(oldest, Cause::SendBufferFull);
        }
    }
}

impl Routing for Dsdv {
    fn next_hop(&mut self, packet: PacketId, cx: &mut Context) -> Decision {
        match self.table.hop(cx.packets[packet].destination) {
            Some(hop) => Decision::Forward(hop),
            None => {
                if self.config.unnumbered_routes {
                    let destination = cx.packets[packet].destination;
                    let hop = Hop { interface: self.interfaces[0], next_hop: NextHop::Node(destination) };
                    self.table.add_unnumbered(destination, UNREACHABLE, hop, &self.config, cx.now);
                }
                self.keep(packet, cx);
                Decision::Queued
            }
        }
    }

    fn known_hop(&mut self, destination: NodeId, _cx: &mut Context) -> Option<Hop> {
        self.table.hop(destination)
    }

    fn on_sent(&mut self, part: Part, result: Result<(), LinkFailure>, cx: &mut Context) {
        let Part { packet, next_hop } = part;
        let Err(failure) = result else { return cx.packets.discard_sent(part) };
        match next_hop {
            NextHop::Node(neighbour) if self.config.link_layer_detection => {
                if failure != LinkFailure::Recalled {
                    self.on_link_broken(neighbour, cx);
                    for &interface in &self.interfaces {
                        cx.push(Effect::Recall { hop: Hop { interface, next_hop } });
                    }
                }
                // No route leads over that neighbour now: the packet takes another one or waits.
                cx.push(Effect::Down { node: self.node, packet });
            }
            _ if failure == LinkFailure::Down => cx.drop(packet, Cause::LinkDown),
            _ => cx.drop(packet, Cause::LinkFailure),
        }
    }

    fn overhears(&self) -> bool {
        false
    }

    fn on_neighbour(&mut self, _neighbour: NodeId, _cx: &mut Context) {}

    fn on_message(&mut self, message: wire::Message, received: Received, cx: &mut Context) {
        let wire::Message::Dsdv(update) = message else { return };
        self.heard.insert(received.from, cx.now);
        self.next_check = self.next_check.min(cx.now.saturating_add(self.config.patience()));
        for entry in update.entries {
            self.on_entry(entry, received.hop(), cx);
        }
        if self.config.unnumbered_routes {
            self.table.add_unnumbered(received.from, 1, received.hop(), &self.config, cx.now);
        }
    }

    fn on_deadline(&mut self, cx: &mut Context) {
        self.expire_neighbours(cx);
        self.advertise(cx);
        self.outbox.send_due(self.node, cx);
    }

    fn deadline(&self) -> Instant {
        self.next_full.min(self.trigger()).min(self.next_check).min(self.outbox.deadline())
    }

    fn held(&self) -> Vec<PacketId> {
        self.outbox.held().chain(self.waiting.values().flatten().copied()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use config::Preset;

    #[test]
    fn a_triggered_update_has_the_nodes_own_route_except_in_ns2() {
        let setup = Setup { seed: 1, node: NodeId(0), interfaces: &[InterfaceId(0)], nodes: 9 };
        let sent = |preset, is_everything| {
            let mut cx = Context::new(1);
            let mut node = Dsdv::new(&Config::of(preset), &setup);
            let entry = Entry { destination: NodeId(7), hops: 2, sequence: 8 };
            node.broadcast(&[entry], is_everything, &mut cx);
            let packet = node.outbox.held().next().expect("it waits");
            let Some(wire::Message::Dsdv(update)) = cx.packets.message(packet) else { panic!("no update") };
            update.entries.iter().map(|entry| entry.destination.0).collect::<Vec<_>>()
        };
        assert_eq!((sent(Preset::Paper, false), sent(Preset::Paper, true)), (vec![0, 7], vec![0, 7]));
        assert_eq!((sent(Preset::Ns2, false), sent(Preset::Ns2, true)), (vec![7], vec![0, 7]));
    }

    #[test]
    fn a_node_that_is_reported_unreachable_advertises_itself_at_once() {
        let interfaces = [InterfaceId(0)];
        let setup = Setup { seed: 1, node: NodeId(0), interfaces: &interfaces, nodes: 2 };
        // Also when the report is older than the node's last update, as after updates that were lost.
        for (reported, own) in [(35, 40), (41, 40), (45, 44)] {
            let mut cx = Context::new(1);
            cx.now = Instant::ZERO + Duration::from_secs(100);
            let later = cx.now + Duration::from_secs(10);
            let mut node = Dsdv { sequence: 40, next_full: later, ..Dsdv::new(&Config::default(), &setup) };
            let from = Hop { interface: InterfaceId(0), next_hop: NextHop::Node(NodeId(1)) };
            let entry = Entry { destination: NodeId(0), hops: UNREACHABLE, sequence: reported };
            node.on_entry(entry, from, &mut cx);
            assert_eq!((node.next_full, node.sequence), (cx.now, own));
        }
    }
}
