//! [`Custody`]: what protocols for slow channels have in common.
//!
//! A station answers for one packet at a time. Where the neighbour acknowledges, it sends a copy and keeps the
//! packet for another try; where nobody does, the air takes it along. Frames that come again are known by their
//! numbers.

use std::collections::BTreeMap;
use std::sync::Arc;

use farlink_kernel::random::draw_uniform;
use farlink_kernel::{Bytes, Duration};

use super::{Io, Setup};
use crate::context::Effect;
use crate::frame::{Frame, FrameKind, LinkFailure};
use crate::hop::{NextHop, Part};
use crate::ids::{NodeId, PacketId};
use crate::phy::Phy;

/// What is at the antenna.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AtAntenna {
    /// Nothing.
    Nothing,
    /// The own frame.
    Own,
    /// Something else: a request, an answer, a tone.
    Other,
}

/// A station's packet, and what came from its neighbours.
#[derive(Debug)]
pub(super) struct Custody {
    acknowledge: bool,
    header: u32,
    control: u32,
    pub(super) phy: Arc<dyn Phy>,
    /// The run's seed and the key of the station's luck.
    luck: (u64, u64),
    number: u32,
    tries: u32,
    own: Option<Part>,
    at_antenna: AtAntenna,
    /// The newest frame of each neighbour.
    seen: BTreeMap<NodeId, u32>,
}

impl Custody {
    /// Of a station with this key for luck, that asks for acknowledgements or does not. Frames have a `header`,
    /// and those without packets are as long as `control`.
    pub(super) fn new(setup: &Setup, key: u64, acknowledge: bool, header: Bytes, control: Bytes) -> Self {
        Self {
            acknowledge,
            header: header.0 as u32,
            control: control.0 as u32,
            phy: Arc::clone(&setup.phy),
            luck: (setup.seed, key ^ setup.interface),
            number: 0,
            tries: 0,
            own: None,
            at_antenna: AtAntenna::Nothing,
            seen: BTreeMap::new(),
        }
    }

    /// The packet it answers for.
    pub(super) fn own(&self) -> Option<Part> {
        self.own
    }

    /// Takes the next packet where there is none; true when it took one.
    pub(super) fn take_next(&mut self, io: &mut Io<'_>) -> bool {
        if self.own.is_some() {
            return false;
        }
        let Some(entry) = io.queue.pop(io.cx) else { return false };
        self.own = Some(Part { packet: entry.packet, next_hop: entry.next_hop });
        self.number += 1;
        self.tries = 0;
        true
    }

    /// Uniform on [0, 1), another for every try.
    pub(super) fn luck(&self) -> f64 {
        draw_uniform(self.luck.0, self.luck.1, u64::from(self.number), u64::from(self.tries))
    }

    /// The same for the `again`th question about one try.
    pub(super) fn luck_again(&self, again: u32) -> f64 {
        let question = u64::from(again) << 32 | u64::from(self.tries);
        draw_uniform(self.luck.0, self.luck.1, u64::from(self.number), question)
    }

    /// How long the own frame takes on the air.
    pub(super) fn air_time(&self, io: &Io<'_>) -> Duration {
        let size = self.own.map_or(0, |part| io.cx.packets[part.packet].size);
        self.phy.air_time(size + self.header, self.phy.data_mode())
    }

    /// How long a frame without packets takes.
    pub(super) fn control_time(&self) -> Duration {
        self.phy.air_time(self.control, self.phy.basic_mode())
    }

    /// Sends the own frame.
    pub(super) fn send_own(&mut self, io: &mut Io<'_>) {
        let mut part = self.own.expect("it has a frame");
        let size = io.cx.packets[part.packet].size + self.header;
        if self.awaits_answer() {
            part.packet = io.cx.packets.copy_to_try(part.packet);
        }
        let frame = Frame::new(io.node, self.number, FrameKind::Data, size, self.phy.data_mode());
        let frame = Frame { parts: [Some(part), None], is_retry: self.tries > 0, ..frame };
        self.at_antenna = AtAntenna::Own;
        io.cx.push(Effect::Transmit { interface: io.interface, frame });
    }

    /// Sends something else.
    pub(super) fn send(&mut self, frame: Frame, io: &mut Io<'_>) {
        self.at_antenna = AtAntenna::Other;
        io.cx.push(Effect::Transmit { interface: io.interface, frame });
    }

    /// A frame without packets.
    pub(super) fn control(&self, kind: FrameKind, io: &Io<'_>) -> Frame {
        Frame::new(io.node, self.number, kind, self.control, self.phy.basic_mode())
    }

    /// True while something is at the antenna.
    pub(super) fn is_sending(&self) -> bool {
        self.at_antenna != AtAntenna::Nothing
    }

    /// True when the own frame is acknowledged.
    pub(super) fn awaits_answer(&self) -> bool {
        self.acknowledge && self.own.is_some_and(|part| part.next_hop != NextHop::Everyone)
    }

    /// The antenna is free. What was there; what nobody acknowledges is done.
    pub(super) fn on_antenna_free(&mut self, io: &mut Io<'_>) -> AtAntenna {
        let sent = std::mem::replace(&mut self.at_antenna, AtAntenna::Nothing);
        if sent == AtAntenna::Own
            && !self.awaits_answer()
            && let Some(part) = self.own.take()
            && part.next_hop == NextHop::Everyone
        {
            io.cx.push(Effect::Sent { interface: io.interface, part, result: Ok(()) });
        }
        sent
    }

    /// A neighbour's frame came. What is for this node and new goes up; the answer, if one is expected.
    pub(super) fn on_data(&mut self, frame: &Frame, io: &mut Io<'_>) -> Option<Frame> {
        let part = frame.parts[0].filter(|part| part.next_hop.is(io.node));
        let is_new = part.is_some() && self.seen.insert(frame.sender, frame.number) != Some(frame.number);
        io.cx.push(Effect::Heard { interface: io.interface, frame: *frame, for_me: [is_new, false] });
        let is_answered = self.acknowledge && part.is_some_and(|part| part.next_hop != NextHop::Everyone);
        let kind = FrameKind::Acknowledgement { to: frame.sender, number: frame.number, part: 0 };
        is_answered.then(|| self.control(kind, io))
    }

    /// An acknowledgement came; true when it is that of the own frame, which is done then.
    pub(super) fn on_acknowledgement(&mut self, frame: &Frame, io: &mut Io<'_>) -> bool {
        let FrameKind::Acknowledgement { to, number, .. } = frame.kind else { return false };
        if to != io.node || number != self.number {
            return false;
        }
        let Some(part) = self.own.take() else { return false };
        io.cx.push(Effect::Sent { interface: io.interface, part, result: Ok(()) });
        true
    }

    /// Nobody answered. How often that is so now; `None` when it was once too often and the packet was given back.
    pub(super) fn on_silence(&mut self, retries: u32, io: &mut Io<'_>) -> Option<u32> {
        self.tries += 1;
        if self.tries <= retries {
            return Some(self.tries);
        }
        if let Some(part) = self.own.take() {
            io.cx.push(Effect::Sent { interface: io.interface, part, result: Err(LinkFailure::NoResponse) });
        }
        None
    }

    /// The packets it holds, for the books.
    pub(super) fn held(&self) -> Vec<PacketId> {
        let is_given_away = |part: &Part| {
            self.at_antenna == AtAntenna::Own && !self.awaits_answer() && part.next_hop != NextHop::Everyone
        };
        self.own.iter().filter(|part| !is_given_away(part)).map(|part| part.packet).collect()
    }
}
