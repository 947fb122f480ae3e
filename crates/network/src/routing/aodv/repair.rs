//! Repair of a route where it broke (RFC 3561, section 6.12).

use farlink_kernel::{Duration, Instant};

use super::Aodv;
use super::config::LocalRepair;
use super::table::{BrokenRoute, Route, State};
use crate::context::Context;
use crate::hop::NextHop;
use crate::ids::{NodeId, PacketId};
use crate::packet::Packet;

impl Aodv {
    /// True while packets for a destination wait for a repair.
    pub(super) fn is_repairing(&mut self, destination: NodeId, now: Instant) -> bool {
        let is_open = |route: &mut Route| matches!(route.state, State::Repairing | State::Stale);
        self.table.get(destination, now).is_some_and(is_open)
    }

    /// True while such a repair takes only what is newer or shorter.
    pub(super) fn is_stale(&mut self, destination: NodeId, now: Instant) -> bool {
        self.table.get(destination, now).is_some_and(|route| route.state == State::Stale)
    }

    /// The link to a neighbour did not carry a packet: begins to repair the packet's route, if it may. The packet
    /// waits then.
    pub(super) fn begin_repair(&mut self, packet: PacketId, neighbour: NodeId, cx: &mut Context) -> bool {
        let Packet { destination, source, hop_limit, .. } = cx.packets[packet];
        let hops_done = Packet::HOP_LIMIT.saturating_sub(hop_limit);
        let Some(route) = self.table.in_force(destination, cx.now) else { return false };
        let hops = route.hops;
        if source == self.node || route.hop.next_hop != NextHop::Node(neighbour) {
            return false;
        }
        let is_wanted = match self.config.local_repair {
            LocalRepair::Never => false,
            LocalRepair::Near => hops <= self.config.max_repair_ttl(),
            LocalRepair::CloserToDestination => hops_done > hops,
        };
        if !is_wanted {
            return false;
        }
        self.table.repair(destination, self.config.repair_keeps_sequence_number, cx.now);
        self.buffer.push(destination, packet, cx);
        if self.config.local_repair == LocalRepair::CloserToDestination {
            self.discover(destination, cx);
            self.give_up_stale_later(destination, cx.now);
            return true;
        }
        let to_source = self.table.active(source, cx.now).map_or(hops_done, |route| route.hops);
        let hop_limit = hops.max(to_source / 2).saturating_add(self.config.local_add_ttl);
        self.begin(destination, Some((hop_limit, hops)), cx);
        self.give_up_stale_later(destination, cx.now);
        // The other routes over the link end.
        self.on_link_broken(neighbour, None, cx);
        true
    }

    /// A repair succeeded: precursors are notified if the route is longer than before.
    pub(super) fn on_repaired(&mut self, destination: NodeId, before: u8, hops: u8, cx: &mut Context) {
        if hops <= before {
            return;
        }
        let Some(route) = self.table.active(destination, cx.now) else { return };
        let (sequence, precursors) = (route.sequence.unwrap_or_default(), route.precursors.clone());
        if !precursors.is_empty() {
            self.notify_repaired(&[BrokenRoute { destination, sequence, precursors }], cx);
        }
    }

    /// A search ended in vain: if it was to repair a route, that is lost.
    pub(super) fn on_not_repaired(&mut self, destination: NodeId, cx: &mut Context) {
        let lost = self.table.give_up(destination, cx.now);
        // What has waited longest is what met the break.
        let named = self.buffer.first(destination).and_then(|packet| self.name(packet, cx));
        self.tell(lost.into_iter().collect(), named, Duration::ZERO, cx);
    }

    /// ns-2 takes the time at which an answer is due for the time to wait for it.
    fn give_up_stale_later(&mut self, destination: NodeId, now: Instant) {
        if self.config.repair_keeps_sequence_number {
            let due = self.searches.due(destination).unwrap_or(now);
            self.stale.push((now.saturating_add(due - Instant::ZERO), destination));
        }
    }

    pub(super) fn stale_deadline(&self) -> Instant {
        self.stale.iter().map(|&(at, _)| at).min().unwrap_or(Instant::NEVER)
    }

    pub(super) fn give_up_stale(&mut self, now: Instant) {
        let over: Vec<_> = self.stale.extract_if(.., |&mut (at, _)| at <= now).collect();
        for (_, destination) in over {
            self.table.give_up_stale(destination, now);
        }
    }
}
