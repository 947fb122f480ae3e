//! The end of the ledger: what is in flight is reconciled with what the layers hold.

use crate::channel::shared::SharedChannel;
use crate::ids::NodeId;
use crate::interface::Interface;
use crate::packet::log::Row;
use crate::packet::{Cause, Discard, Duplication, Held, InFlight, Location, counted};
use crate::results::LedgerEntry;
use crate::world::World;
use crate::world::hosts::Hosts;

impl World {
    /// Records the beginning and the end of every copy of a packet
    /// ([`Results::ledger_rows`](crate::Results::ledger_rows)). Before the run.
    pub fn keep_ledger(&mut self) {
        // Monitors are notified of the nodes that packets pass.
        self.monitors.get_or_insert_default();
        self.context.packets.keep_log();
    }

    /// Every copy that a queue, a MAC, a link, a medium, an ARP cache or a routing buffer holds.
    pub(super) fn held(&self) -> Vec<Held> {
        let mut held = Vec::new();
        for interface in &self.interfaces {
            match interface {
                Interface::Link(link) => held.extend(link.held_packets(self.context.now)),
                Interface::Station(station) => held.extend(station.held_packets()),
            }
        }
        for (router, node) in self.routers.iter().zip((0..).map(NodeId)) {
            let location = Location::RoutingBuffer;
            held.extend(router.protocol.held().into_iter().map(|packet| Held { packet, location, node }));
        }
        held.extend(self.hosts.iter().flat_map(Hosts::held));
        held.extend(self.channels.iter().flat_map(SharedChannel::held_packets));
        held
    }

    /// Checks that every copy of a packet has one end, per flow and class (docs/architecture.md, accounting).
    fn reconcile(&self, held: &[Held]) -> Vec<InFlight> {
        assert!(self.context.effects.is_empty(), "effects were left undone");
        self.context.packets.reconcile(held, self.channels.iter().flat_map(SharedChannel::references))
    }

    /// The same in the middle of a run.
    #[cfg(test)]
    pub(crate) fn audit(&self) {
        self.reconcile(&self.held());
    }

    /// The accounts of flows and classes that had packets, and the rows, if they were asked for.
    pub(super) fn close_ledger(&mut self) -> (Vec<LedgerEntry>, Vec<Row>) {
        let held = self.held();
        let mut in_flight = self.reconcile(&held);
        self.context.packets.fold_arrivals(&mut in_flight);
        let accounts = self.context.packets.accounts().zip(&in_flight);
        let accounts = accounts.filter(|((_, _, account), _)| account.originated > 0);
        let accounts = accounts.map(|((flow, class, account), in_flight)| LedgerEntry {
            flow: flow.map(|flow| flow.0),
            class: class.word(),
            originated: account.originated,
            duplicated: counted(Duplication::WORDS, &account.duplicated),
            delivered: account.delivered,
            discarded: counted(Discard::WORDS, &account.discarded),
            dropped: counted(Cause::WORDS, &account.losses.drops),
            failed_attempts: counted(Cause::WORDS, &account.losses.failed_attempts),
            in_flight: counted(Location::WORDS, in_flight),
        });
        let accounts = accounts.collect();
        let log = self.context.packets.log.take();
        (accounts, log.map(|log| log.finish(&held)).unwrap_or_default())
    }
}
