//! [`Line`]: the packets that a host has in hand in one direction.

use std::collections::VecDeque;

use farlink_kernel::Instant;

use super::{Any, Turn};
use crate::ids::PacketId;

/// The packets in hand, first in, first out.
#[derive(Debug)]
pub struct Line {
    delay: Any,
    held: VecDeque<(Instant, PacketId)>,
    last: Instant,
    free: Instant,
}

impl Line {
    /// A host with nothing in hand.
    pub fn new(delay: Any) -> Self {
        Self { delay, held: VecDeque::new(), last: Instant::ZERO, free: Instant::ZERO }
    }

    /// A packet comes. When the host is done with it, if it has no other in hand: a host has one pending event a direction.
    pub fn take(&mut self, now: Instant, packet: PacketId) -> Option<Instant> {
        let done = self.delay.done(&Turn { now, last: self.last, free: self.free }).max(self.free).max(now);
        (self.last, self.free) = (now, done);
        self.held.push_back((done, packet));
        (self.held.len() == 1).then_some(done)
    }

    /// The host is done with the first packet; when it is done with the next, if there is one.
    pub fn hand_on(&mut self) -> Option<(PacketId, Option<Instant>)> {
        let (_, packet) = self.held.pop_front()?;
        Some((packet, self.held.front().map(|&(done, _)| done)))
    }

    /// When the host is done with all of them.
    #[cfg(test)]
    pub fn free(&self) -> Instant {
        self.free
    }

    /// The packets in hand.
    pub fn held(&self) -> impl Iterator<Item = PacketId> {
        self.held.iter().map(|&(_, packet)| packet)
    }
}
