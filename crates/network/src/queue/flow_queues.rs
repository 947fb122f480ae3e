//! [`FlowQueues`]: a queue per hash of flows, served by deficit round robin (RFC 8290 sections 4.1 and 4.2).

use std::collections::VecDeque;

use farlink_kernel::random::draw;
use farlink_kernel::{Bytes, Instant};

use super::{Backlog, Entry, Setup};
use crate::context::Context;
use crate::ids::PacketId;

/// A flow queue and what controls it.
#[derive(Clone, Debug)]
pub(super) struct FlowQueue<C> {
    entries: VecDeque<Entry>,
    bytes: u64,
    credits: i64,
    is_listed: bool,
    pub(super) controller: C,
}

/// The packets of a flow queue, to be taken from its head.
pub(super) struct Head<'a> {
    entries: &'a mut VecDeque<Entry>,
    bytes: &'a mut u64,
    backlog: &'a mut Backlog,
}

impl Head<'_> {
    /// The first packet with the bytes left behind it.
    pub(super) fn take(&mut self, now: Instant) -> Option<(Entry, u64)> {
        let entry = self.entries.pop_front()?;
        *self.bytes -= u64::from(entry.size);
        self.backlog.packets -= 1;
        self.backlog.bytes -= u64::from(entry.size);
        self.backlog.empty_since = now;
        Some((entry, *self.bytes))
    }
}

#[derive(Clone, Debug)]
pub(super) struct FlowQueues<C> {
    quantum: i64,
    seed: u64,
    interface: u64,
    flows: Vec<FlowQueue<C>>,
    /// Flow queues that became active since they were last served (section 4.2).
    new: VecDeque<usize>,
    old: VecDeque<usize>,
    backlog: Backlog,
}

impl<C: Clone> FlowQueues<C> {
    /// So many flow queues, each with a controller like this one.
    pub(super) fn new(flows: u32, quantum: Bytes, controller: C, setup: &Setup) -> Self {
        let (entries, bytes, credits, is_listed) = (VecDeque::new(), 0, 0, false);
        Self {
            quantum: quantum.0.cast_signed(),
            seed: setup.seed,
            interface: setup.interface,
            flows: vec![FlowQueue { entries, bytes, credits, is_listed, controller }; flows as usize],
            new: VecDeque::new(),
            old: VecDeque::new(),
            backlog: Backlog::default(),
        }
    }

    /// The queue of a packet's flow; both directions are flows of their own (section 4.1.1).
    pub(super) fn classify(&self, entry: &Entry, cx: &Context) -> usize {
        let packet = &cx.packets[entry.packet];
        let key = u64::from(packet.flow) << 1 | packet.to as u64;
        (draw(self.seed, self.interface, key, 0) % self.flows.len() as u64) as usize
    }

    /// The controller of flow queue `index`, and the bytes that wait there.
    pub(super) fn controller(&mut self, index: usize) -> (&mut C, u64) {
        let flow = &mut self.flows[index];
        (&mut flow.controller, flow.bytes)
    }

    /// A packet joins flow queue `index`.
    pub(super) fn push(&mut self, index: usize, entry: Entry) {
        let flow = &mut self.flows[index];
        flow.entries.push_back(entry);
        flow.bytes += u64::from(entry.size);
        self.backlog.packets += 1;
        self.backlog.bytes += u64::from(entry.size);
        if !flow.is_listed {
            flow.is_listed = true;
            flow.credits = self.quantum;
            self.new.push_back(index);
        }
    }

    /// The next packet: `serve` takes one from the flow queue whose turn it is, if its controller lets one go.
    pub(super) fn pop(&mut self, mut serve: impl FnMut(&mut C, Head<'_>) -> Option<Entry>) -> Option<Entry> {
        loop {
            let (index, is_new) = self.select()?;
            let FlowQueue { entries, bytes, controller, .. } = &mut self.flows[index];
            let head = Head { entries, bytes, backlog: &mut self.backlog };
            if let Some(entry) = serve(controller, head) {
                self.flows[index].credits -= i64::from(entry.size);
                return Some(entry);
            }
            // An empty new queue becomes old first, so that it cannot jump the line again (section 4.2).
            self.unlist(is_new);
            if is_new {
                self.old.push_back(index);
            } else {
                self.flows[index].is_listed = false;
            }
        }
    }

    /// The queue to serve: new ones before old ones, of those with credits (section 4.2).
    fn select(&mut self) -> Option<(usize, bool)> {
        loop {
            let (index, is_new) = match (self.new.front(), self.old.front()) {
                (Some(&index), _) => (index, true),
                (None, Some(&index)) => (index, false),
                (None, None) => return None,
            };
            if self.flows[index].credits > 0 {
                return Some((index, is_new));
            }
            self.flows[index].credits += self.quantum;
            self.unlist(is_new);
            self.old.push_back(index);
        }
    }

    fn unlist(&mut self, is_new: bool) {
        if is_new {
            self.new.pop_front();
        } else {
            self.old.pop_front();
        }
    }

    /// Takes the head of the longest queue in bytes (section 4.1.3).
    pub(super) fn take_from_longest(&mut self) -> Option<Entry> {
        let flow = self.flows.iter_mut().rev().max_by_key(|flow| flow.bytes)?;
        let entry = flow.entries.pop_front()?;
        flow.bytes -= u64::from(entry.size);
        self.backlog.packets -= 1;
        self.backlog.bytes -= u64::from(entry.size);
        Some(entry)
    }

    pub(super) fn backlog(&self) -> Backlog {
        self.backlog
    }

    pub(super) fn waiting(&self) -> Vec<PacketId> {
        self.flows.iter().flat_map(|flow| flow.entries.iter().map(|entry| entry.packet)).collect()
    }
}
