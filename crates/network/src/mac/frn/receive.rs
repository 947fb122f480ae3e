//! Reception: relay echoes of own packets, and packets to be relayed and acknowledged (thesis, sections 2.2.1 and
//! 3.2).

use super::config::Duplicates;
use super::pending::PendingPacket;
use super::{Frn, Io, PendingAck, Receipt};
use crate::context::Effect;
use crate::frame::{Frame, FrameKind};
use crate::hop::{NextHop, Part};
use crate::packet::Stamp;

impl Frn {
    /// A data frame was received: its packets may be relay echoes, its parts may be for this station.
    pub(super) fn on_data(&mut self, frame: &Frame, io: &mut Io<'_>) {
        self.on_echoes(frame, io);
        let slot = self.config.slot_of(io.cx.now);
        let mut for_me = [false; 2];
        for (index, part) in frame.parts.iter().enumerate() {
            let Some(part) = part.filter(|part| part.next_hop.is(io.node)) else { continue };
            for_me[index] = part.next_hop == NextHop::Everyone || self.on_part(frame, index, part, slot, io);
        }
        io.cx.push(Effect::Heard { interface: io.interface, frame: *frame, for_me });
    }

    /// Own packets in the frame were relayed.
    fn on_echoes(&mut self, frame: &Frame, io: &mut Io<'_>) {
        let is_echoed = |each: &PendingPacket| {
            let from = io.cx.packets.stamp(each.part.packet).from;
            each.is_echoed(frame.sender, from, self.config.echo_from)
        };
        let numbers = frame.parts.iter().flatten().map(|part| io.cx.packets[part.packet].number);
        let mut echoed: Vec<usize> = numbers
            .flat_map(|number| self.pending.copies(number))
            .filter(|&index| is_echoed(&self.pending[index]))
            .collect();
        echoed.sort_unstable();
        echoed.dedup();
        let mut removed = 0;
        for index in echoed {
            removed += usize::from(self.on_answer(index - removed, io));
        }
    }

    /// A packet for this station; false when it is discarded.
    fn on_part(&mut self, frame: &Frame, index: usize, part: Part, slot: u64, io: &mut Io<'_>) -> bool {
        let stamp = io.cx.packets.stamp(part.packet);
        io.cx.packets.put_stamp(part.packet, Stamp { from: Some(frame.sender), ..stamp });
        let packet = &io.cx.packets[part.packet];
        let (number, is_mine, is_last) =
            (packet.number, packet.source == io.node, packet.destination == io.node);
        let is_duplicate = match self.config.duplicates {
            Duplicates::Forward => false,
            Duplicates::Ack => self.duplicates.is_duplicate(number, frame.sender),
            Duplicates::AckWhileHeld => self.holds(number, io),
            Duplicates::AckFromAny | Duplicates::DiscardFromAny => {
                is_mine || self.duplicates.is_known(number)
            }
        };
        if is_duplicate && self.config.duplicates == Duplicates::DiscardFromAny {
            return false;
        }
        let due = slot + 1 + index as u64;
        let kind = FrameKind::Acknowledgement { to: frame.sender, number: frame.number, part: index as u8 };
        let (size, mode) = (self.config.frame.0 as u32, self.phy.answer_mode(frame.mode));
        let of = (!is_last && !is_duplicate).then_some(part.packet);
        let is_first = !is_duplicate && self.duplicates.on_passed_up(number);
        let receipt = Receipt { number, from: frame.sender, is_first };
        self.acks.push_back(PendingAck { due, frame: Frame::new(io.node, 0, kind, size, mode), of, receipt });
        if of.is_some() && index > 0 {
            self.postponed = Some((part.packet, due));
        }
        !is_duplicate
    }

    /// True when a copy of this packet is queued, pending or not answered.
    fn holds(&self, number: u64, io: &Io<'_>) -> bool {
        let is_it = |packet| io.cx.packets[packet].number == number;
        self.pending.copies(number).next().is_some() || io.queue.waiting().into_iter().any(is_it)
    }
}
