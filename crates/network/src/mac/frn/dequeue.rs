//! Which packets leave the queues, and which have exceeded their lifetime (thesis, sections 2.2.1 and 3.2).

use super::config::{Combine, Forwarding};
use super::pending::PendingPacket;
use super::{Frn, Io};
use crate::hop::Part;
use crate::ids::PacketId;
use crate::packet::{Cause, Class, Stamp};
use crate::queue::Entry;

impl Frn {
    /// Takes the next packet of each queue, up to `max_outstanding` pending packets of each.
    pub(super) fn fill(&mut self, io: &mut Io<'_>) {
        for queue in self.queues() {
            let most = self.config.max_outstanding.map_or(usize::MAX, |most| most as usize);
            if self.pending.count(queue) < most
                && !self.pending.has_untried(queue)
                && let Some(taken) = self.take(queue, io)
            {
                self.pending.push(taken);
            }
        }
    }

    fn queues(&self) -> std::ops::Range<u8> {
        if self.config.combine == Combine::Off { 0..1 } else { 0..2 }
    }

    fn take(&mut self, queue: u8, io: &mut Io<'_>) -> Option<PendingPacket> {
        loop {
            let entry = match (self.config.combine, queue) {
                (Combine::Off, _) => io.queue.pop(io.cx),
                (_, 0) => {
                    [Class::Routing, Class::Data].into_iter().find_map(|class| io.queue.take_for(class, None))
                }
                _ => io.queue.take_for(Class::Ack, None),
            }?;
            let taken = self.pending_packet(queue, entry, io);
            if taken.is_some() {
                return taken;
            }
        }
    }

    /// A received packet that routing has queued for the next hop is relayed first: its echo is the acknowledgement.
    pub(super) fn take_relays(&mut self, io: &mut Io<'_>) {
        let mut acks = std::mem::take(&mut self.acks);
        acks.retain(|ack| {
            let Some(packet) = ack.of else { return true };
            if self.config.forwarding == Forwarding::Fifo {
                return !io.queue.holds(packet);
            }
            let Some(entry) = io.queue.take(packet) else { return true };
            let is_apart = entry.class == Class::Ack && self.config.combine != Combine::Off;
            let taken = self.pending_packet(is_apart.into(), entry, io);
            if let Some(relay) = taken {
                self.relay_due = self.relay_due.max(relay.due);
                self.pending.push(PendingPacket { is_relay: true, ..relay });
            }
            false
        });
        self.acks = acks;
    }

    /// A dequeued packet; `None` when its lifetime is exceeded.
    fn pending_packet(&mut self, queue: u8, entry: Entry, io: &mut Io<'_>) -> Option<PendingPacket> {
        let number = io.cx.packets[entry.packet].number;
        let stamp = io.cx.packets.stamp(entry.packet);
        if stamp.born == 0 {
            let born = self.config.slot_of(entry.arrived) as u32 + 1;
            io.cx.packets.put_stamp(entry.packet, Stamp { born, ..stamp });
        }
        if self.is_expired(entry.packet, io) {
            io.cx.drop(entry.packet, Cause::Lifetime);
            return None;
        }
        let since = self.earliest();
        let mut due = since;
        if let Some((_, slot)) = self.postponed.take_if(|(packet, _)| *packet == entry.packet) {
            due = due.max(slot);
        }
        let part = Part { packet: entry.packet, next_hop: entry.next_hop };
        Some(PendingPacket { queue, part, number, order: 0, is_relay: false, since, due, sent: None })
    }

    fn is_expired(&self, packet: PacketId, io: &Io<'_>) -> bool {
        let born = u64::from(io.cx.packets.stamp(packet).born) - 1;
        self.config.lifetime.is_some_and(|slots| self.config.slot_of(self.now) >= born + u64::from(slots))
    }

    /// Drops packets whose lifetime is exceeded, unless they await an answer.
    pub(super) fn drop_expired(&mut self, io: &mut Io<'_>) {
        if self.config.lifetime.is_none() {
            return self.fill(io);
        }
        let is_expired = |each: &PendingPacket| each.is_ready() && self.is_expired(each.part.packet, io);
        let expired: Vec<usize> = self.pending.positions(is_expired).collect();
        for (removed, index) in expired.into_iter().enumerate() {
            let packet = self.pending.remove(index - removed).part.packet;
            io.cx.drop(packet, Cause::Lifetime);
        }
        self.fill(io);
    }
}
