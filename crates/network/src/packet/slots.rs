//! [`Slots`]: to which workload the flows belong that arrived and left, and their accounts.

use super::{Account, CLASSES, Dropped, InFlight, Packets};
use crate::ids::FlowId;
use farlink_kernel::ordered::Map;

/// Flows that arrive have ids after those of the blueprint, which are used again.
#[derive(Clone, Debug, Default)]
pub(super) struct Slots {
    /// The number of the blueprint's flows.
    fixed: usize,
    /// The workload of each of the others, in the order of ids.
    owners: Vec<u32>,
    /// How many flows had each of their ids before.
    generations: Vec<u32>,
    /// By workload: what became of the packets of flows that have left.
    left: Vec<Left>,
}

#[derive(Clone, Debug, Default)]
struct Left {
    accounts: [Account; CLASSES],
    places: Map<Dropped, u64>,
}

impl Slots {
    pub(super) fn new(fixed: usize, workloads: usize) -> Self {
        Self { fixed, owners: Vec::new(), generations: Vec::new(), left: vec![Left::default(); workloads] }
    }

    /// [`Packets::owner`].
    pub(super) fn owner(&self, flow: FlowId) -> u32 {
        let arrived = flow.as_index().checked_sub(self.fixed);
        arrived.map_or(flow.0, |slot| self.fixed as u32 + self.owners[slot])
    }
}

impl Packets {
    /// No packets yet, of `flows` flows.
    pub fn new(flows: usize) -> Self {
        Self::with_workloads(flows, 0)
    }

    /// The same, and of the flows of so many workloads.
    pub(crate) fn with_workloads(flows: usize, workloads: usize) -> Self {
        let (accounts, places) = (vec![Account::default(); flows * CLASSES + 1], vec![Map::new(); flows + 1]);
        Self { accounts, places, slots: Slots::new(flows, workloads), ..Self::default() }
    }

    /// The place of a flow among the blueprint's flows and, after them, its workloads.
    pub fn owner(&self, flow: FlowId) -> u32 {
        self.slots.owner(flow)
    }

    /// A flow of a workload arrives under the next id.
    pub(crate) fn add_flow(&mut self, workload: u32) {
        self.slots.owners.push(workload);
        self.slots.generations.push(0);
        // The accounts of routing's messages stay the last ones.
        let messages = self.accounts.len() - 1;
        self.accounts.splice(messages..messages, [Account::default(); CLASSES]);
        self.places.insert(self.places.len() - 1, Map::new());
    }

    /// A flow of a workload arrives under the id of one that has left.
    pub(crate) fn replace_flow(&mut self, flow: FlowId, workload: u32) {
        self.close(flow);
        let slot = flow.as_index() - self.slots.fixed;
        self.slots.owners[slot] = workload;
        self.slots.generations[slot] += 1;
    }

    /// Tells flows apart that have the same id one after the other.
    pub(crate) fn generation(&self, flow: FlowId) -> u32 {
        let arrived = flow.as_index().checked_sub(self.slots.fixed);
        arrived.map_or(0, |slot| self.slots.generations[slot])
    }

    /// Whether a packet of a flow is in flight.
    pub(crate) fn has_packets(&self, flow: FlowId) -> bool {
        let accounts = &self.accounts[flow.as_index() * CLASSES..][..CLASSES];
        accounts.iter().any(|account| account.begun() != account.ended())
    }

    /// Adds the accounts of a flow that leaves to those of its workload.
    fn close(&mut self, flow: FlowId) {
        let workload = self.slots.owners[flow.as_index() - self.slots.fixed] as usize;
        let Left { accounts, places } = &mut self.slots.left[workload];
        for (sum, account) in accounts.iter_mut().zip(&mut self.accounts[flow.as_index() * CLASSES..]) {
            *sum += &*account;
            *account = Account::default();
        }
        for (place, count) in std::mem::take(&mut self.places[flow.as_index()]) {
            *places.entry(place).or_default() += count;
        }
    }

    /// At the end of a run: the accounts of all flows of a workload become those of one, in its place after the
    /// blueprint's flows ([`Packets::owner`]), and so do the copies in flight.
    pub(crate) fn fold_arrivals(&mut self, in_flight: &mut Vec<InFlight>) {
        let Slots { fixed, owners, .. } = self.slots.clone();
        (0..owners.len()).for_each(|slot| self.close(FlowId((fixed + slot) as u32)));
        let (first, messages) = (fixed * CLASSES, self.accounts.len() - 1);
        let mut sums = vec![InFlight::default(); self.slots.left.len() * CLASSES];
        for (of_flow, owner) in in_flight[first..messages].chunks(CLASSES).zip(owners) {
            for (sum, of_class) in sums[owner as usize * CLASSES..].iter_mut().zip(of_flow) {
                sum.iter_mut().zip(of_class).for_each(|(sum, copies)| *sum += copies);
            }
        }
        in_flight.splice(first..messages, sums);
        let left = std::mem::take(&mut self.slots.left);
        self.accounts.splice(first..messages, left.iter().flat_map(|of| of.accounts));
        let messages = self.places.len() - 1;
        self.places.splice(fixed..messages, left.into_iter().map(|of| of.places));
        self.slots.owners.clear();
    }
}
