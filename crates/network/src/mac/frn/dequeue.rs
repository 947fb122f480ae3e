//! What a station takes from its queues, and what is too old by then (thesis, sections 2.2.1 and 3.2).

use super::config::{Combine, Forwarding};
use super::line::Line;
use super::{Frn, Io};
use crate::hop::Part;
use crate::ids::PacketId;
use crate::packet::{Cause, Class, Stamp};
use crate::queue::Entry;

impl Frn {
    /// Takes what is next from the queues: a new packet of each, unless as many as may be are under way.
    pub(super) fn fill(&mut self, io: &mut Io<'_>) {
        for queue in self.queues() {
            let of_queue = || self.lines.iter().filter(|line| line.queue == queue);
            let most = self.config.max_outstanding.map_or(usize::MAX, |most| most as usize);
            if of_queue().count() < most && of_queue().all(|line| line.sent.is_some()) {
                let taken = self.take(queue, io);
                self.lines.extend(taken);
            }
        }
    }

    /// The queues' numbers.
    fn queues(&self) -> std::ops::Range<u8> {
        if self.config.combine == Combine::Off { 0..1 } else { 0..2 }
    }

    fn take(&mut self, queue: u8, io: &mut Io<'_>) -> Option<Line> {
        loop {
            let entry = match (self.config.combine, queue) {
                (Combine::Off, _) => io.queue.pop(io.cx),
                (_, 0) => {
                    [Class::Routing, Class::Data].into_iter().find_map(|class| io.queue.take_for(class, None))
                }
                _ => io.queue.take_for(Class::Ack, None),
            }?;
            let taken = self.line(queue, entry, io);
            if taken.is_some() {
                return taken;
            }
        }
    }

    /// What came from a neighbour and comes down again will be the neighbour's acknowledgement, and goes first.
    pub(super) fn take_received(&mut self, io: &mut Io<'_>) {
        let mut answers = std::mem::take(&mut self.answers);
        answers.retain(|answer| {
            let Some(packet) = answer.of else { return true };
            if self.config.forwarding == Forwarding::Fifo {
                return !io.queue.holds(packet);
            }
            let Some(entry) = io.queue.take(packet) else { return true };
            let is_apart = entry.class == Class::Ack && self.config.combine != Combine::Off;
            let taken = self.line(is_apart.into(), entry, io);
            self.first_due = taken.map_or(self.first_due, |line| line.due.max(self.first_due));
            self.lines.extend(taken.map(|line| Line { is_first: true, ..line }));
            false
        });
        self.answers = answers;
    }

    /// A packet is under way, unless it is too old.
    fn line(&mut self, queue: u8, entry: Entry, io: &mut Io<'_>) -> Option<Line> {
        let number = io.cx.packets[entry.packet].number;
        let stamp = io.cx.packets.stamp(entry.packet);
        if stamp.born == 0 {
            let born = self.config.slot_of(entry.arrived) as u32 + 1;
            io.cx.packets.put_stamp(entry.packet, Stamp { born, ..stamp });
        }
        if self.is_too_old(entry.packet, io) {
            io.cx.drop(entry.packet, Cause::Lifetime);
            return None;
        }
        let mut due = self.earliest();
        if let Some((_, slot)) = self.postponed.take_if(|(packet, _)| *packet == entry.packet) {
            due = due.max(slot);
        }
        let part = Part { packet: entry.packet, next_hop: entry.next_hop };
        Some(Line { queue, part, number, is_first: false, due, sent: None })
    }

    fn is_too_old(&self, packet: PacketId, io: &Io<'_>) -> bool {
        let born = u64::from(io.cx.packets.stamp(packet).born) - 1;
        self.config.lifetime.is_some_and(|slots| self.config.slot_of(self.now) >= born + u64::from(slots))
    }

    /// Packets that are not on their way and too old give way to the next.
    pub(super) fn drop_old(&mut self, io: &mut Io<'_>) {
        if self.config.lifetime.is_none() {
            return self.fill(io);
        }
        let mut lines = std::mem::take(&mut self.lines);
        lines.retain(|line| {
            let is_over = line.is_ready() && self.is_too_old(line.part.packet, io);
            if is_over {
                io.cx.drop(line.part.packet, Cause::Lifetime);
            }
            !is_over
        });
        self.lines = lines;
        self.fill(io);
    }
}
