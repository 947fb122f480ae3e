//! [`Pipe`]: the packets on their way along one direction of a link. One event is pending for all of them.

use farlink_kernel::ring::Ring;
use farlink_kernel::{Duration, Instant};

use crate::channel::error::{self, Fate};
use crate::context::Context;
use crate::ids::PacketId;
use crate::packet::{Cause, Class};
use crate::schedule::Schedule;

/// One direction of a link, behind its sender.
#[derive(Debug)]
pub struct Pipe {
    delay: Schedule<Duration>,
    /// The delay where it never changes.
    constant: Duration,
    /// `None`: every packet arrives.
    error: Option<error::Any>,
    /// How many packets were offered, the key of the error model's draws.
    offered: u64,
    /// In order of arrival: when, which, and its turn at the sender.
    under_way: Ring<(Instant, PacketId, u32)>,
    /// Packets that others may overtake, the next to arrive last.
    held: Vec<(Instant, PacketId, u32)>,
    /// When the last of those that keep their order arrives, and the first of all.
    last: Instant,
    next: Instant,
    pending: Instant,
}

impl Pipe {
    pub fn new(delay: Schedule<Duration>, error: Option<error::Any>) -> Self {
        let (under_way, held) = (Ring::new(), Vec::new());
        let (last, next, pending) = (Instant::ZERO, Instant::NEVER, Instant::NEVER);
        let constant = delay.at(Instant::ZERO).0;
        Self { delay, constant, error, offered: 0, under_way, held, last, next, pending }
    }

    /// True when every packet arrives after the same delay.
    pub fn is_plain(&self) -> bool {
        self.error.is_none() && matches!(self.delay, Schedule::Constant(_))
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
        if self.error.is_none() {
            return self.enter(arrival, packet, turn);
        }
        self.draw_fate((packet, turn), size, class, arrival, cx);
    }

    /// The error model says what becomes of a packet that would arrive then.
    #[inline(never)]
    fn draw_fate(
        &mut self,
        (packet, turn): (PacketId, u32),
        size: u32,
        class: Class,
        arrival: Instant,
        cx: &mut Context,
    ) {
        let Some(error) = &mut self.error else { return self.enter(arrival, packet, turn) };
        match error.fate(&error::Offer { number: self.offered, size, is_data: class == Class::Data }) {
            Fate::Arrives => self.enter(arrival, packet, turn),
            Fate::Lost => cx.drop(packet, Cause::LinkError),
            Fate::Corrupted => cx.drop(packet, Cause::Corrupted),
            Fate::Duplicated => {
                let copy = cx.packets.duplicate(packet);
                self.enter(arrival, packet, turn);
                self.enter(arrival, copy, turn);
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
mod tests {
    use super::*;
    use crate::channel::error::Setup;
    use crate::packet::tests::datagram;
    use crate::schedule::Steps;
    use farlink_kernel::config::Fraction;

    fn ms(n: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(n)
    }

    fn pipe(delay: Schedule<Duration>, error: &error::Config) -> (Pipe, Context) {
        (Pipe::new(delay, Some(error.build(&Setup { seed: 1, link: 0 }))), Context::new(1))
    }

    /// Everything that arrives with its time, driven by the events the pipe wants.
    fn arrivals(pipe: &mut Pipe) -> Vec<(Instant, PacketId)> {
        let mut found = Vec::new();
        while let Some(at) = pipe.wants_event() {
            found.extend(pipe.arrive(at).map(|packet| (at, packet)));
        }
        found
    }

    #[test]
    fn packets_keep_their_order_when_the_delay_shrinks() {
        let steps = Steps {
            points: vec![(ms(0), Duration::from_millis(50)), (ms(10), Duration::from_millis(20))],
            period: None,
        };
        let (mut pipe, mut cx) =
            pipe(Schedule::Steps(steps), &error::Config::Perfect(error::none::Config {}));
        for sent in [0, 10, 40] {
            let packet = cx.packets.originate(datagram(100));
            pipe.send((packet, 0), 100, Class::Data, ms(sent), &mut cx);
        }
        assert_eq!(
            arrivals(&mut pipe),
            [(ms(50), PacketId(0)), (ms(50), PacketId(1)), (ms(60), PacketId(2))]
        );
    }

    #[test]
    fn a_held_packet_is_overtaken() {
        let config = error::impair::Config { reorder: Fraction(0.5), ..error::impair::Config::default() };
        let (mut pipe, mut cx) =
            pipe(Schedule::Constant(Duration::from_millis(5)), &error::Config::Impair(config));
        for sent in 0..100 {
            let packet = cx.packets.originate(datagram(100));
            pipe.send((packet, 0), 100, Class::Data, ms(sent), &mut cx);
        }
        let found = arrivals(&mut pipe);
        assert!(found.is_sorted_by_key(|&(at, _)| at));
        assert!(!found.is_sorted_by_key(|&(_, packet)| packet));
        assert_eq!(found.len(), 100);
    }
}
