//! [`Pipe`]: the packets on their way along one direction of a link. One event is pending for all of them.

use farlink_kernel::ring::Ring;
use farlink_kernel::{Duration, Instant};

use crate::channel::error::{self, Fate};
use crate::channel::jitter::Delays;
use crate::context::Context;
use crate::ids::PacketId;
use crate::packet::{Cause, Class};
use crate::schedule::Schedule;

/// What is drawn for each packet.
#[derive(Debug)]
enum Drawn {
    /// Nothing: every packet arrives after the propagation delay.
    Nothing,
    /// What becomes of it.
    Fate(error::Any),
    /// Jitter, too.
    FateAndJitter(error::Any, Delays),
}

/// One direction of a link, behind its sender.
#[derive(Debug)]
pub struct Pipe {
    delay: Schedule<Duration>,
    /// The delay where it never changes.
    constant: Duration,
    drawn: Drawn,
    /// How many packets were offered, the key of their draws.
    offered: u64,
    /// In order of arrival: when, which, and its turn at the sender.
    under_way: Ring<(Instant, PacketId, u32)>,
    /// Packets that the error model holds, the next to arrive last.
    held: Vec<(Instant, PacketId, u32)>,
    /// When the last of those that keep their order arrives, without jitter, and the first of all.
    last: Instant,
    next: Instant,
    pending: Instant,
}

impl Pipe {
    /// Without an error model every packet arrives, without jitter after the same delay as others at its time.
    pub fn new(delay: Schedule<Duration>, error: Option<error::Any>, jitter: Option<Delays>) -> Self {
        let (under_way, held) = (Ring::new(), Vec::new());
        let (last, next, pending) = (Instant::ZERO, Instant::NEVER, Instant::NEVER);
        let constant = delay.at(Instant::ZERO).0;
        let drawn = match (error, jitter) {
            (None, None) => Drawn::Nothing,
            (Some(error), None) => Drawn::Fate(error),
            (error, Some(jitter)) => {
                let error = error.unwrap_or_else(|| Box::new(error::none::Config::default()));
                Drawn::FateAndJitter(error, jitter)
            }
        };
        Self { delay, constant, drawn, offered: 0, under_way, held, last, next, pending }
    }

    /// True when every packet arrives after the same delay.
    pub fn is_plain(&self) -> bool {
        matches!((&self.drawn, &self.delay), (Drawn::Nothing, Schedule::Constant(_)))
    }

    /// As [`Pipe::send`] into a pipe that [is plain](Self::is_plain).
    #[inline(always)]
    pub fn take_on(&mut self, (packet, turn): (PacketId, u32), sent: Instant) {
        self.offered += 1;
        self.enter(sent.saturating_add(self.constant), packet, turn);
    }

    pub fn offered(&self) -> u64 {
        self.offered
    }

    /// The last bit of a packet of `size` bytes leaves the sender at `sent`; its turn there tells it from those
    /// that wait.
    #[inline(always)]
    pub fn send(
        &mut self,
        (packet, turn): (PacketId, u32),
        size: u32,
        class: Class,
        sent: Instant,
        cx: &mut Context,
    ) {
        self.offered += 1;
        let arrival = sent.saturating_add(self.delay.at(sent).0);
        if matches!(self.drawn, Drawn::Nothing) {
            return self.enter(arrival, packet, turn);
        }
        self.draw((packet, turn), size, class, arrival, cx);
    }

    /// What is drawn says what becomes of a packet that would arrive then.
    #[inline(never)]
    fn draw(
        &mut self,
        (packet, turn): (PacketId, u32),
        size: u32,
        class: Class,
        arrival: Instant,
        cx: &mut Context,
    ) {
        let offer = error::Offer { number: self.offered, size, is_data: class == Class::Data };
        let (fate, late) = match &mut self.drawn {
            Drawn::Nothing => return self.enter(arrival, packet, turn),
            Drawn::Fate(error) => {
                let fate = error.fate(&offer);
                return self.meet(fate, (packet, turn), arrival, cx, |pipe, packet| {
                    pipe.enter(arrival, packet, turn);
                });
            }
            Drawn::FateAndJitter(error, jitter) => {
                (error.fate(&offer), (jitter.of(self.offered), jitter.in_order))
            }
        };
        self.meet(fate, (packet, turn), arrival.saturating_add(late.0), cx, |pipe, packet| {
            pipe.enter_late(arrival, late, packet, turn);
        });
    }

    /// Carries out a fate; a packet that arrives, and a copy of it, `enters`.
    #[inline(always)]
    fn meet(
        &mut self,
        fate: Fate,
        (packet, turn): (PacketId, u32),
        arrival: Instant,
        cx: &mut Context,
        enters: impl Fn(&mut Self, PacketId),
    ) {
        match fate {
            Fate::Arrives => enters(self, packet),
            Fate::Lost => cx.drop(packet, Cause::LinkError),
            Fate::Corrupted => cx.drop(packet, Cause::Corrupted),
            Fate::Duplicated => {
                let copy = cx.packets.duplicate(packet);
                enters(self, packet);
                enters(self, copy);
            }
            Fate::Held(length) => {
                let late = arrival.saturating_add(length);
                let place = self.held.partition_point(|&(other, ..)| other > late);
                self.held.insert(place, (late, packet, turn));
                self.next = self.next.min(late);
            }
        }
    }

    /// A link's packets arrive in the order sent, also when its delay shrinks.
    #[inline(always)]
    fn enter(&mut self, arrival: Instant, packet: PacketId, turn: u32) {
        self.last = self.last.max(arrival);
        self.next = self.next.min(self.last);
        self.under_way.push((self.last, packet, turn));
    }

    /// The same with jitter.
    ///
    /// In order, the instants of arrival stay those that were drawn, and packets take them in the order of sending. So
    /// their mean delay is that of the draws, and a packet takes the instant of a later one if that comes first. This is
    /// causal: an instant is not before its own packet was sent and propagated, and the packets before were sent earlier.
    fn enter_late(
        &mut self,
        arrival: Instant,
        (jitter, in_order): (Duration, bool),
        packet: PacketId,
        turn: u32,
    ) {
        self.last = self.last.max(arrival);
        self.under_way.push((self.last.saturating_add(jitter), packet, turn));
        let places = self.under_way.ids();
        for place in (places.start + 1..places.end).rev() {
            let (before, here) = (self.under_way[place - 1], self.under_way[place]);
            if before.0 <= here.0 {
                break;
            }
            if in_order {
                (self.under_way[place - 1].0, self.under_way[place].0) = (here.0, before.0);
            } else {
                (self.under_way[place - 1], self.under_way[place]) = (here, before);
            }
        }
        self.next = self.next.min(first(self.under_way.first()));
    }

    /// When an arrival event is to be pushed; `None` when one is pending that comes early enough.
    #[must_use]
    pub fn wants_event(&mut self) -> Option<Instant> {
        if self.next >= self.pending {
            return None;
        }
        self.pending = self.next;
        Some(self.next)
    }

    /// The packet that arrives now, in answer to an event.
    pub fn arrive(&mut self, now: Instant) -> Option<PacketId> {
        if now == self.pending {
            self.pending = Instant::NEVER;
        }
        if self.next > now {
            return None;
        }
        let is_held = !self.held.is_empty() && first(self.under_way.first()) > now;
        let packet = if is_held { self.held.pop() } else { self.under_way.pop() };
        self.next = first(self.under_way.first()).min(first(self.held.last()));
        packet.map(|(_, packet, _)| packet)
    }

    /// The packets under way and their turns at the sender, for the ledger.
    pub fn held_packets(&self) -> impl Iterator<Item = (PacketId, u32)> {
        self.under_way.iter().chain(&self.held).map(|&(_, packet, turn)| (packet, turn))
    }
}

fn first(packet: Option<&(Instant, PacketId, u32)>) -> Instant {
    packet.map_or(Instant::NEVER, |&(at, ..)| at)
}

#[cfg(test)]
mod tests;
