//! The ledger: what became of every copy, and its reconciliation with the copies that the layers hold.

use super::{Account, CLASSES, Class, Discard, Location, Losses, Packets, Payload, counted, place};
use crate::ids::{FlowId, NodeId, PacketId};

/// Copies of one account that are in flight, by location.
pub type InFlight = [u64; Location::WORDS.len()];

/// A copy that some layer holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// The copy.
    pub packet: PacketId,
    pub(crate) location: Location,
    /// At which node, or, on a link or a medium, from which.
    pub node: NodeId,
}

impl Packets {
    /// Lost copies of a flow.
    pub fn losses(&self, flow: usize) -> Losses {
        let accounts = &self.accounts[flow * CLASSES..(flow + 1) * CLASSES];
        sum(accounts.iter()).losses
    }

    /// Packets of a flow, in both directions, that the transport of their destination discarded, by cause.
    pub fn discarded(&self, flow: usize) -> Vec<(&'static str, u64)> {
        let accounts = &self.accounts[flow * CLASSES..(flow + 1) * CLASSES];
        let first = Discard::FIRST_AT_DESTINATION as usize;
        counted(&Discard::WORDS[first..], &sum(accounts.iter()).discarded[first..])
    }

    /// Lost copies of all flows' packets and of routing's messages.
    pub fn all_losses(&self) -> Losses {
        sum(self.accounts.iter()).losses
    }

    /// The ledger of one class.
    pub fn account(&self, class: Class) -> Account {
        sum(self.accounts().filter(|(_, of, _)| *of == class).map(|(_, _, account)| account))
    }

    /// Every account with its flow, none for routing's messages, and its class.
    pub fn accounts(&self) -> impl Iterator<Item = (Option<FlowId>, Class, &Account)> {
        let flows = self.accounts.len() / CLASSES;
        self.accounts.iter().enumerate().map(move |(place, account)| {
            let flow = place / CLASSES;
            let of = [Class::Routing, Class::Data, Class::Ack][place % CLASSES];
            ((flow < flows).then_some(FlowId(flow as u32)), of, account)
        })
    }

    /// Copies that reached a transport.
    pub fn delivered(&self) -> u64 {
        self.accounts.iter().map(|account| account.delivered).sum()
    }

    /// Reconciles the ledger with `held`, every copy that some layer holds (docs/architecture.md, accounting): each
    /// is in the slab, none twice, none is missing, and each account balances. `references` are all there are. The
    /// copies held, by location, in the order of [`Packets::accounts`].
    pub fn reconcile(&self, held: &[Held], references: impl Iterator<Item = PacketId>) -> Vec<InFlight> {
        let mut known: Vec<PacketId> = held.iter().map(|held| held.packet).chain(references).collect();
        known.sort_unstable();
        assert!(
            known.iter().copied().eq(self.slab.iter().map(|(id, _)| PacketId(id))),
            "{} copies are held but {} are alive",
            held.len(),
            self.slab.len() - self.references
        );
        let mut in_flight = vec![InFlight::default(); self.accounts.len()];
        for held in held {
            let packet = &self[held.packet];
            let place = match packet.payload {
                Payload::Message(_) => self.accounts.len() - 1,
                _ => place(packet.flow, packet.class),
            };
            in_flight[place][held.location as usize] += 1;
        }
        for (account, in_flight) in self.accounts.iter().zip(&in_flight) {
            let (begun, ended, open) = (account.begun(), account.ended(), in_flight.iter().sum::<u64>());
            assert!(begun == ended + open, "{account:?} and {open} in flight do not balance");
        }
        let carried: u32 = self.messages.iter().map(|(_, carried)| carried.copies).sum();
        let carriers: usize = self.slab.iter().map(|(_, packet)| packet.messages().count()).sum();
        assert!(carried as usize == carriers, "messages outlive the packets that carry them");
        in_flight
    }
}

fn sum<'a>(accounts: impl Iterator<Item = &'a Account>) -> Account {
    let mut sum = Account::default();
    accounts.for_each(|account| sum += account);
    sum
}
