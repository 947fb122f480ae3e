//! What a station makes of a neighbour's frame: echoes of its own packets, and packets that it is to pass on and answers
//! for (thesis, sections 2.2.1 and 3.2).

use super::config::Duplicates;
use super::line::Line;
use super::{Answer, Frn, Io};
use crate::context::Effect;
use crate::frame::{Frame, FrameKind};
use crate::hop::{NextHop, Part};
use crate::packet::Stamp;

impl Frn {
    /// Looks for echoes in what a neighbour sends, and takes in the parts that are for this station.
    pub(super) fn on_data(&mut self, frame: &Frame, io: &mut Io<'_>) {
        let numbers = frame.parts.map(|part| part.map(|part| io.cx.packets[part.packet].number));
        let takes_late = self.config.accept_late_echo;
        let is_echoed = |line: &Line| line.is_echoed(frame, numbers, takes_late);
        while let Some(place) = self.lines.iter().position(is_echoed) {
            self.on_success(place, io);
        }
        let slot = self.config.slot_of(io.cx.now);
        let mut for_me = [false; 2];
        for (place, part) in frame.parts.iter().enumerate() {
            let Some(part) = part.filter(|part| part.next_hop.is(io.node)) else { continue };
            for_me[place] = part.next_hop == NextHop::Everyone || self.on_part(frame, place, part, slot, io);
        }
        io.cx.push(Effect::Heard { interface: io.interface, frame: *frame, for_me });
    }

    /// A packet came; false when it is not to go on.
    fn on_part(&mut self, frame: &Frame, place: usize, part: Part, slot: u64, io: &mut Io<'_>) -> bool {
        let stamp = io.cx.packets.stamp(part.packet);
        io.cx.packets.put_stamp(part.packet, Stamp { from: Some(frame.sender), ..stamp });
        let (number, is_last) =
            (io.cx.packets[part.packet].number, io.cx.packets[part.packet].destination == io.node);
        let is_known = match self.config.duplicates {
            Duplicates::Forward => false,
            Duplicates::Ack => self.memory.recognises(number, frame.sender),
            Duplicates::AckWhileHeld => self.holds(number, io),
        };
        let due = slot + 1 + place as u64;
        let kind = FrameKind::Acknowledgement { to: frame.sender, number: frame.number, part: place as u8 };
        let (size, mode) = (self.config.frame.0 as u32, self.phy.answer_mode(frame.mode));
        let of = (!is_last && !is_known).then_some(part.packet);
        self.answers.push_back(Answer { due, frame: Frame::new(io.node, 0, kind, size, mode), of });
        if of.is_some() && place > 0 {
            self.postponed = Some((part.packet, due));
        }
        if !is_known {
            self.memory.count(number);
        }
        !is_known
    }

    /// True when a copy of this packet waits here, or was sent and not answered.
    fn holds(&self, number: u64, io: &Io<'_>) -> bool {
        let is_it = |packet| io.cx.packets[packet].number == number;
        self.lines.iter().any(|line| line.number == number) || io.queue.waiting().into_iter().any(is_it)
    }
}
