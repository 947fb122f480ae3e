//! Packets that wait for a route.

use std::collections::VecDeque;

use farlink_kernel::ordered::Set;
use farlink_kernel::{Duration, Instant};

use crate::context::Context;
use crate::ids::{NodeId, PacketId};
use crate::packet::Cause;

#[derive(Clone, Copy, Debug)]
struct Waiting {
    until: Instant,
    destination: NodeId,
    packet: PacketId,
}

#[derive(Clone, Debug)]
pub struct SendBuffer {
    waiting: VecDeque<Waiting>,
    room: usize,
    patience: Duration,
}

impl SendBuffer {
    pub fn new(room: u32, patience: Duration) -> Self {
        Self { waiting: VecDeque::new(), room: room as usize, patience }
    }

    /// A packet waits; without room the one that has waited longest is dropped for it.
    pub fn push(&mut self, destination: NodeId, packet: PacketId, cx: &mut Context) {
        if self.waiting.len() >= self.room
            && let Some(oldest) = self.waiting.pop_front()
        {
            cx.drop(oldest.packet, Cause::SendBufferFull);
        }
        let until = cx.now.saturating_add(self.patience);
        self.waiting.push_back(Waiting { until, destination, packet });
    }

    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub fn destinations(&self) -> Set<NodeId> {
        self.waiting.iter().map(|waiting| waiting.destination).collect()
    }

    /// True when a packet waits for a way to `destination`.
    pub fn has(&self, destination: NodeId) -> bool {
        self.waiting.iter().any(|waiting| waiting.destination == destination)
    }

    /// True when one of the packets that wait for a way to `destination` is such.
    pub fn has_one(&self, destination: NodeId, is_such: impl Fn(PacketId) -> bool) -> bool {
        let waiting = self.waiting.iter().filter(|waiting| waiting.destination == destination);
        waiting.map(|waiting| waiting.packet).any(is_such)
    }

    /// What has waited longest for a way to `destination`.
    pub fn first(&self, destination: NodeId) -> Option<PacketId> {
        self.waiting.iter().find(|waiting| waiting.destination == destination).map(|waiting| waiting.packet)
    }

    /// Takes out what waits for a way to `destination`, if `is_wanted`.
    pub fn take(&mut self, destination: NodeId, is_wanted: impl Fn(PacketId) -> bool) -> Vec<PacketId> {
        let mut taken = Vec::new();
        self.waiting.retain(|waiting| {
            let is_taken = waiting.destination == destination && is_wanted(waiting.packet);
            if is_taken {
                taken.push(waiting.packet);
            }
            !is_taken
        });
        taken
    }

    pub fn deadline(&self) -> Instant {
        self.waiting.front().map_or(Instant::NEVER, |waiting| waiting.until)
    }

    pub fn drop_due(&mut self, cx: &mut Context) {
        while let Some(&Waiting { packet, .. }) =
            self.waiting.front().filter(|waiting| waiting.until <= cx.now)
        {
            self.waiting.pop_front();
            cx.drop(packet, Cause::SendBufferTimeout);
        }
    }

    pub fn held(&self) -> impl Iterator<Item = PacketId> {
        self.waiting.iter().map(|waiting| waiting.packet)
    }
}
