//! T. Yuki, "A Study on Data Link Layer Control Methods for Performance Improvement of TCP over an Ad Hoc Network",
//! master's thesis, Osaka University, 2004: the Flexible Radio Network (FRN) of Fuji Electric.
//!
//! Time is cut into slots that all stations share; a slot holds one frame. There are hardly any acknowledgements: who
//! passes a packet on is overheard by whom it came from (the relay echo). Only the last station of a way answers with a
//! frame of its own. Without an answer in the next slot the packet is sent again after a random number of slots,
//! perhaps to another neighbour, and may by then exist twice.
//!
//! In the order of the thesis: [`config`], slots, echoes and duplicates here (sections 2.2.1 and 4.1), combined data
//! and acknowledgements here (section 3.2), the [`interval`] (section 4.2). Its first technique: data and
//! acknowledgements of TCP wait apart, and when both are due they share a frame; each part has its own next hop and its
//! own answer, that of the second part a slot later, so that the two do not collide. Its second: the wait
//! before another try grows with the share of tries that failed, and a packet is given up after a number of
//! them on its whole way, not after a time.
//!
//! What the thesis leaves open is a parameter with the simplest answer as its default. A station that expects an answer
//! in a slot listens in it. One whose queue has no room for a packet does not answer for it, for it will not pass it on
//! (the thesis has buffers that never overflow). Luck is a hash of the station and the slot, or its frame.

use std::collections::VecDeque;
use std::sync::Arc;

use farlink_kernel::random::{draw, draw_uniform, name_key};
use farlink_kernel::{Duration, Instant};

use super::{Io, Mac, Setup};
use crate::context::Effect;
use crate::frame::{Frame, FrameKind, LinkFailure};
use crate::hop::{Decision, NextHop};
use crate::ids::PacketId;
use crate::packet::{Cause, Stamp};
use crate::phy::Phy;

pub mod config;
mod hear;
mod interval;
mod line;
mod memory;
mod queues;

pub use config::Config;
use config::{CarrierSense, Combine, WaitFrom};
use interval::Interval;
use line::{Line, Try};
use memory::Memory;

/// Where the protocol stands.
pub const SOURCE: &str = "Yuki, master's thesis, Osaka University 2004";

/// An acknowledgement of a packet that came.
#[derive(Clone, Copy, Debug)]
struct Answer {
    /// The slot it is sent in.
    due: u64,
    frame: Frame,
    /// The packet: if it comes back from above to be sent on, that will be its echo.
    of: Option<PacketId>,
}

/// The protocol at work at one station.
#[derive(Debug)]
pub struct Frn {
    config: Config,
    phy: Arc<dyn Phy>,
    /// The run's seed and the key of the station's luck.
    luck: (u64, u64),
    /// The number of the newest frame.
    number: u32,
    is_antenna_busy: bool,
    /// The packets under way, each queue's in its order; hundreds where duplicates pile up.
    lines: Vec<Line>,
    /// How many of them wait for an answer in its slot.
    open: u8,
    /// The slot of the newest packet that is to go on before others.
    first_due: u64,
    answers: VecDeque<Answer>,
    /// The second part of a frame, which is not passed on before this slot.
    postponed: Option<(PacketId, u64)>,
    interval: Interval,
    memory: Memory,
    /// The first slot that was not decided about, and when the station acted last.
    next: u64,
    now: Instant,
}

impl Frn {
    /// An idle station.
    pub fn new(config: &Config, setup: &Setup) -> Self {
        Self {
            config: config.clone(),
            phy: Arc::clone(&setup.phy),
            luck: (setup.seed, name_key("frn") ^ setup.interface),
            number: 0,
            is_antenna_busy: false,
            lines: Vec::new(),
            open: 0,
            first_due: 0,
            answers: VecDeque::new(),
            postponed: None,
            interval: Interval::default(),
            memory: Memory::default(),
            next: 0,
            now: Instant::ZERO,
        }
    }

    /// When the station would send in a slot.
    fn moment(&self, slot: u64) -> Instant {
        let Self { config, luck: (seed, key), .. } = self;
        let waits = match config.carrier_sense {
            CarrierSense::None => Duration::ZERO,
            CarrierSense::Minislot => {
                config.minislot * (draw(*seed, *key, slot, 0) % u64::from(config.minislots))
            }
            CarrierSense::Ideal => config.contention().mul_f64(draw_uniform(*seed, *key, slot, 0)),
        };
        config.start(slot) + waits
    }

    /// The first slot for what is decided now: the present one at its start only.
    fn earliest(&self) -> u64 {
        let slot = self.config.slot_of(self.now);
        slot + u64::from(self.config.start(slot) < self.now)
    }

    /// The last slot in which an answer is expected.
    fn listens_until(&self) -> Option<u64> {
        (self.open > 0).then(|| self.lines.iter().filter_map(Line::listens_in).max()).flatten()
    }

    /// The station may send in this slot: an acknowledgement, or what is due.
    fn contend(&mut self, slot: u64, io: &mut Io<'_>) {
        self.drop_old(io);
        let answer = self.answers.front().filter(|answer| answer.due <= slot).map(|answer| answer.frame);
        let places = if answer.is_some() { [None; 2] } else { self.due(slot, io) };
        if answer.is_none() && places == [None; 2] {
            return;
        }
        self.next = slot + 1;
        // Everybody senses before anybody sends: who begins at this instant is not heard.
        if self.config.carrier_sense != CarrierSense::None && io.carrier.hears_since < io.cx.now {
            return;
        }
        match answer {
            Some(frame) => {
                self.answers.pop_front();
                self.transmit(frame, io);
            }
            None => self.send(places, slot, io),
        }
    }

    /// Which lines send in this slot, in the order of the frame's parts.
    fn due(&self, slot: u64, io: &Io<'_>) -> [Option<usize>; 2] {
        if self.listens_until().is_some_and(|until| until >= slot) {
            return [None; 2];
        }
        let first = |queue, until| {
            let is_it = |line: &Line| line.queue == queue && line.is_ready() && line.due <= until;
            let goes_first =
                |line: &Line| is_it(line) && line.is_first && line.sent.is_none() && line.due == slot;
            let next = (self.first_due >= slot).then(|| self.lines.iter().position(goes_first)).flatten();
            next.or_else(|| self.lines.iter().position(is_it))
        };
        let due = [first(0, slot), first(1, slot)];
        let parts = match self.config.combine {
            Combine::EitherDue if due != [None; 2] => [first(0, u64::MAX), first(1, u64::MAX)],
            _ => due,
        };
        if let (Combine::BothDue | Combine::EitherDue, [Some(data), Some(ack)]) = (self.config.combine, parts)
            && self.share_a_frame(&[self.lines[data], self.lines[ack]], io)
        {
            return parts;
        }
        let rank = |place: usize| (!self.lines[place].is_first, self.lines[place].due);
        let alone = match due {
            [Some(data), Some(ack)] if rank(ack) < rank(data) => Some(ack),
            [data, ack] => data.or(ack),
        };
        [alone, None]
    }

    /// True when a frame has room for both.
    fn share_a_frame(&self, lines: &[Line; 2], io: &Io<'_>) -> bool {
        let size = |line: &Line| u64::from(io.cx.packets[line.part.packet].size) + self.config.header.0;
        let size: u64 = lines.iter().map(size).sum();
        size <= self.config.frame.0 && !lines.iter().any(Line::is_for_everyone)
    }

    /// Sends copies of the packets of these lines.
    fn send(&mut self, places: [Option<usize>; 2], slot: u64, io: &mut Io<'_>) {
        self.number += 1;
        let (mut parts, mut size, mut is_retry) = ([None; 2], 0, false);
        for (part, place) in places.into_iter().enumerate() {
            let Some(line) = place.map(|place| &mut self.lines[place]) else { continue };
            is_retry |= line.sent.is_some();
            size += io.cx.packets[line.part.packet].size + self.config.header.0 as u32;
            let mut copy = line.part;
            let (answer, to) = match copy.next_hop {
                NextHop::Everyone => (slot, io.node),
                NextHop::Node(to) => {
                    copy.packet = io.cx.packets.copy_to_try(copy.packet);
                    (slot + 1 + part as u64, to)
                }
            };
            line.sent = Some(Try { slot, answer, frame: self.number, place: part as u8, to, is_open: true });
            self.open += 1;
            parts[part] = Some(copy);
        }
        let size = size.max(self.config.frame.0 as u32);
        let frame = Frame::new(io.node, self.number, FrameKind::Data, size, self.phy.data_mode());
        self.transmit(Frame { parts, is_retry, ..frame }, io);
    }

    fn transmit(&mut self, frame: Frame, io: &mut Io<'_>) {
        self.is_antenna_busy = true;
        io.cx.push(Effect::Transmit { interface: io.interface, frame });
    }

    /// Nobody answered in the slots before this one.
    fn miss(&mut self, slot: u64, io: &mut Io<'_>) {
        if self.open == 0 {
            return;
        }
        let mut lines = std::mem::take(&mut self.lines);
        lines.retain_mut(|line| {
            line.listens_in().is_none_or(|answer| answer >= slot) || self.on_silence(line, io)
        });
        self.lines = lines;
    }

    /// The packet waits to be sent again, or, false, is given up.
    fn on_silence(&mut self, line: &mut Line, io: &mut Io<'_>) -> bool {
        let (interface, part) = (io.interface, line.part);
        let Some(sent) = &mut line.sent else { return true };
        sent.is_open = false;
        self.open -= 1;
        self.interval.on_try(true, io.cx.now, &self.config);
        let stamp = io.cx.packets.stamp(part.packet);
        let retries = stamp.retries.saturating_add(1);
        io.cx.packets.put_stamp(part.packet, Stamp { retries, ..stamp });
        if self.config.retry_limit.is_some_and(|limit| u32::from(retries) > limit) {
            io.cx.push(Effect::Sent { interface, part, result: Err(LinkFailure::NoResponse) });
            return false;
        }
        let least = self.config.min_wait;
        let choices = self.interval.longest(io.cx.now, &self.config).saturating_sub(least) + 1;
        let (seed, key) = self.luck;
        let drawn = draw(seed, key, u64::from(sent.frame), 1 + u64::from(sent.place)) % u64::from(choices);
        let since = match self.config.wait_from {
            WaitFrom::Transmission => sent.slot,
            WaitFrom::AckTimeout => sent.answer,
        };
        line.due = since + u64::from(least) + drawn;
        io.cx.push(Effect::Again { interface, part });
        true
    }

    /// The packet has gone on.
    fn on_success(&mut self, place: usize, io: &mut Io<'_>) {
        let line = self.lines.remove(place);
        if line.listens_in().is_some() {
            self.open -= 1;
            self.interval.on_try(false, io.cx.now, &self.config);
        }
        io.cx.push(Effect::Sent { interface: io.interface, part: line.part, result: Ok(()) });
    }
}

impl Mac for Frn {
    fn on_queued(&mut self, io: &mut Io<'_>) {
        self.now = io.cx.now;
        self.take_received(io);
        self.fill(io);
    }

    fn on_frame(&mut self, frame: &Frame, io: &mut Io<'_>) {
        self.now = io.cx.now;
        match frame.kind {
            FrameKind::Data => self.on_data(frame, io),
            FrameKind::Acknowledgement { to, number, part } if to == io.node => {
                let takes_late = self.config.accept_late_echo;
                let is_it = |line: &Line| line.is_answered(number, part, takes_late);
                if let Some(place) = self.lines.iter().position(is_it) {
                    self.on_success(place, io);
                }
            }
            FrameKind::Acknowledgement { .. }
            | FrameKind::RequestToSend { .. }
            | FrameKind::ClearToSend { .. }
            | FrameKind::Tone => {}
        }
        self.fill(io);
    }

    fn on_antenna_free(&mut self, io: &mut Io<'_>) {
        self.now = io.cx.now;
        self.is_antenna_busy = false;
        // Nobody answers what was for everyone.
        for line in self.lines.extract_if(.., |line| line.is_for_everyone() && line.sent.is_some()) {
            self.open -= 1;
            io.cx.push(Effect::Sent { interface: io.interface, part: line.part, result: Ok(()) });
        }
        self.fill(io);
    }

    fn on_deadline(&mut self, io: &mut Io<'_>) {
        self.now = io.cx.now;
        let slot = self.config.slot_of(self.now);
        self.miss(slot, io);
        if slot >= self.next && self.moment(slot) <= self.now && !self.is_antenna_busy {
            self.contend(slot, io);
        }
    }

    fn on_way(&mut self, packet: PacketId, way: Decision, io: &mut Io<'_>) {
        self.now = io.cx.now;
        let Some(place) = self.lines.iter().position(|line| line.part.packet == packet) else { return };
        match way {
            Decision::Forward(hop) if hop.interface == io.interface => {
                self.lines[place].part.next_hop = hop.next_hop;
                return;
            }
            Decision::Forward(hop) => io.cx.push(Effect::Send { node: io.node, packet, hop }),
            Decision::NoRoute => io.cx.drop(packet, Cause::NoRoute),
            Decision::Queued => {}
        }
        self.lines.remove(place);
        self.fill(io);
    }

    fn on_refused(&mut self, packet: PacketId) {
        self.answers.retain(|answer| answer.of != Some(packet));
    }

    fn overhears(&self) -> bool {
        self.lines.iter().any(|line| line.sent.is_some())
    }

    fn deadline(&self) -> Instant {
        if self.is_antenna_busy {
            return Instant::NEVER;
        }
        let silence =
            if self.open == 0 { None } else { self.lines.iter().filter_map(Line::listens_in).min() };
        let silence = silence.map_or(Instant::NEVER, |answer| self.config.start(answer + 1));
        let ready = self.lines.iter().filter(|line| line.is_ready()).map(|line| line.due).min();
        let ready = ready.map(|due| self.listens_until().map_or(due, |until| due.max(until + 1)));
        let answer = self.answers.front().map(|answer| answer.due);
        let Some(due) = ready.into_iter().chain(answer).min() else { return silence };
        let present = self.config.slot_of(self.now);
        let possible = present + u64::from(self.moment(present) < self.now);
        silence.min(self.moment(due.max(self.next).max(possible)))
    }

    fn received_again(&self) -> u64 {
        self.memory.again
    }

    fn held(&self) -> Vec<PacketId> {
        self.lines.iter().map(|line| line.part.packet).collect()
    }
}
