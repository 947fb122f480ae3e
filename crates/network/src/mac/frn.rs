//! T. Yuki, "A Study on Data Link Layer Control Methods for Performance Improvement of TCP over an Ad Hoc Network",
//! master's thesis, Osaka University, 2004: the Flexible Radio Network (FRN) of Fuji Electric.
//!
//! All stations share synchronised slots; a slot holds one frame. A station that relays a packet is overheard by the
//! previous hop (relay echo), which takes that for the acknowledgement. Only the destination sends an FRN ACK. If neither answer is
//! received in the next slot, the packet is retransmitted after a random number of slots, perhaps to another
//! neighbour, and may by then be duplicated.
//!
//! In the order of the thesis: [`config`]; slots, answers and duplicates here (sections 2.2.1 and 4.1); combined data
//! and ACK transmission here (section 3.2); the retransmission [`interval`] (section 4.2). Combined transmission: data and
//! acknowledgements of TCP have separate queues, and share a frame when both are due; each part has its own next hop and its
//! own answer, the second part a slot later, so that the answers do not collide. The retransmission interval
//! grows with the share of attempts that failed, and a limit on the retransmissions along the whole path replaces the lifetime.
//!
//! What the thesis leaves open is a parameter with the simplest choice as its default. A station listens in a slot in which it expects an
//! answer. A station whose queue is full does not acknowledge a packet, since it will not relay it (in
//! the thesis buffers never overflow). Draws are hashes of the station and the slot, or the frame.

use std::collections::VecDeque;
use std::sync::Arc;

use farlink_kernel::random::{draw, draw_uniform, name_key};
use farlink_kernel::{Duration, Instant};

use super::{Answers, Io, Mac, Setup};
use crate::context::Effect;
use crate::frame::{Frame, FrameKind, LinkFailure};
use crate::hop::{Decision, NextHop};
use crate::ids::PacketId;
use crate::packet::{Cause, Stamp};
use crate::phy::Phy;

pub(crate) mod config;
mod dequeue;
mod duplicates;
mod interval;
mod pending;
mod receive;

pub use config::Config;
use config::{CarrierSense, Combine, WaitFrom};
use duplicates::{DuplicateCache, Receipt};
use interval::Interval;
use pending::{Attempt, PendingPacket, PendingPackets};

pub(super) const SOURCE: &str = "Yuki, master's thesis, Osaka University 2004";

/// An FRN ACK for a packet that was received.
#[derive(Clone, Copy, Debug)]
struct PendingAck {
    due: u64,
    frame: Frame,
    /// The packet: if routing passes it down to be relayed, the relay echo replaces the FRN ACK.
    of: Option<PacketId>,
    receipt: Receipt,
}

#[derive(Debug)]
pub(crate) struct Frn {
    config: Config,
    phy: Arc<dyn Phy>,
    draw_key: (u64, u64),
    number: u32,
    is_transmitting: bool,
    pending: PendingPackets,
    /// The slot of the newest packet to be relayed.
    relay_due: u64,
    acks: VecDeque<PendingAck>,
    /// The second part of a frame, which is not relayed before this slot.
    postponed: Option<(PacketId, u64)>,
    interval: Interval,
    duplicates: DuplicateCache,
    answers: Answers,
    /// The next slot to contend for, and the time of the last input.
    next_slot: u64,
    now: Instant,
}

impl Frn {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        Self {
            config: config.clone(),
            phy: Arc::clone(&setup.phy),
            draw_key: (setup.seed, name_key("frn") ^ setup.interface),
            number: 0,
            is_transmitting: false,
            pending: PendingPackets::default(),
            relay_due: 0,
            acks: VecDeque::new(),
            postponed: None,
            interval: Interval::default(),
            duplicates: DuplicateCache::default(),
            answers: Answers::default(),
            next_slot: 0,
            now: Instant::ZERO,
        }
    }

    /// When the station would transmit in a slot.
    fn send_time(&self, slot: u64) -> Instant {
        let Self { config, draw_key: (seed, key), .. } = self;
        let waits = match config.carrier_sense {
            CarrierSense::None => Duration::ZERO,
            CarrierSense::Minislot => {
                config.minislot * (draw(*seed, *key, slot, 0) % u64::from(config.minislots))
            }
            CarrierSense::Ideal => config.contention().mul_f64(draw_uniform(*seed, *key, slot, 0)),
        };
        config.start(slot) + waits
    }

    fn earliest(&self) -> u64 {
        let slot = self.config.slot_of(self.now);
        slot + u64::from(self.config.start(slot) < self.now)
    }

    /// The station may transmit in this slot: an FRN ACK, or what is due.
    fn contend(&mut self, slot: u64, io: &mut Io<'_>) {
        self.drop_expired(io);
        let ack = self.acks.front().filter(|ack| ack.due <= slot).map(|ack| ack.frame);
        let parts = if ack.is_some() { [None; 2] } else { self.due(slot, io) };
        if ack.is_none() && parts == [None; 2] {
            return;
        }
        self.next_slot = slot + 1;
        // All stations sense before any transmits: a carrier of this instant is not sensed.
        if self.config.carrier_sense != CarrierSense::None && io.carrier.busy_since < io.cx.now {
            return;
        }
        match ack {
            Some(frame) => {
                self.acks.pop_front();
                self.transmit(frame, io);
            }
            None => self.send(parts, slot, io),
        }
    }

    /// Indices of the pending packets to send in this slot, in the order of the frame's parts.
    fn due(&self, slot: u64, io: &Io<'_>) -> [Option<usize>; 2] {
        if self.pending.answer_slots().max().is_some_and(|until| until >= slot) {
            return [None; 2];
        }
        let first = |queue, until| {
            let relay = (self.relay_due >= slot).then(|| self.pending.first_new_relay(queue, slot)).flatten();
            relay.or_else(|| self.pending.first_due(queue, until))
        };
        let untried = |queue| self.pending.first_untried(queue);
        let due = [first(0, slot), first(1, slot)];
        let parts = match self.config.combine {
            Combine::EitherDue if due != [None; 2] => [first(0, u64::MAX), first(1, u64::MAX)],
            Combine::Untried if due != [None; 2] => {
                [due[0].or_else(|| untried(0)), due[1].or_else(|| untried(1))]
            }
            _ => due,
        };
        if let (Combine::BothDue | Combine::Untried | Combine::EitherDue, [Some(data), Some(ack)]) =
            (self.config.combine, parts)
            && self.share_a_frame(&[self.pending[data], self.pending[ack]], io)
        {
            return parts;
        }
        let rank = |index: usize| (!self.pending[index].is_relay, self.pending[index].due);
        let alone = match due {
            [Some(data), Some(ack)] if rank(ack) < rank(data) => Some(ack),
            [data, ack] => data.or(ack),
        };
        [alone, None]
    }

    /// True when a frame has room for both.
    fn share_a_frame(&self, parts: &[PendingPacket; 2], io: &Io<'_>) -> bool {
        let size =
            |each: &PendingPacket| u64::from(io.cx.packets[each.part.packet].size) + self.config.header.0;
        let size: u64 = parts.iter().map(size).sum();
        size <= self.config.frame.0 && !parts.iter().any(PendingPacket::is_broadcast)
    }

    fn send(&mut self, indices: [Option<usize>; 2], slot: u64, io: &mut Io<'_>) {
        self.number += 1;
        let (mut parts, mut size, mut is_retry) = ([None; 2], 0, false);
        for (part, index) in indices.into_iter().enumerate() {
            let Some(index) = index else { continue };
            let pending = &self.pending[index];
            is_retry |= pending.sent.is_some();
            size += io.cx.packets[pending.part.packet].size + self.config.header.0 as u32;
            let mut copy = pending.part;
            let (answer, to) = match copy.next_hop {
                NextHop::Everyone => (slot, io.node),
                NextHop::Node(to) => {
                    copy.packet = io.cx.packets.copy_for_attempt(copy.packet);
                    (slot + 1 + part as u64, to)
                }
            };
            self.pending.on_sent(
                index,
                Attempt {
                    slot,
                    answer,
                    frame: self.number,
                    part: part as u8,
                    to,
                    is_awaited: true,
                    has_late_answer: false,
                },
            );
            parts[part] = Some(copy);
        }
        let size = size.max(self.config.frame.0 as u32);
        let frame = Frame::new(io.node, self.number, FrameKind::Data, size, self.phy.data_mode());
        self.transmit(Frame { parts, is_retry, ..frame }, io);
    }

    fn transmit(&mut self, frame: Frame, io: &mut Io<'_>) {
        self.is_transmitting = true;
        io.cx.push(Effect::Transmit { interface: io.interface, frame });
    }

    /// Packets whose answer was due before this slot failed.
    fn expire_answers(&mut self, slot: u64, io: &mut Io<'_>) {
        let is_missing = |each: &PendingPacket| each.answer_slot().is_some_and(|answer| answer < slot);
        while let Some(index) = self.pending.position_awaiting(is_missing) {
            self.on_missing_answer(index, io);
        }
    }

    /// The attempt failed.
    fn on_missing_answer(&mut self, index: usize, io: &mut Io<'_>) {
        let (interface, part) = (io.interface, self.pending[index].part);
        let Some(sent) = self.pending.stop_awaiting(index) else { return };
        self.answers.missed += 1;
        self.interval.on_attempt(true, io.cx.now, &self.config);
        let stamp = io.cx.packets.stamp(part.packet);
        let retries = stamp.retries.saturating_add(1);
        io.cx.packets.put_stamp(part.packet, Stamp { retries, ..stamp });
        if self.config.retry_limit.is_some_and(|limit| u32::from(retries) > limit) {
            io.cx.push(Effect::Sent { interface, part, result: Err(LinkFailure::NoResponse) });
            self.pending.remove(index);
            return;
        }
        let least = self.config.min_wait;
        let choices = self.interval.longest(io.cx.now, &self.config).saturating_sub(least) + 1;
        let (seed, key) = self.draw_key;
        let drawn = draw(seed, key, u64::from(sent.frame), 1 + u64::from(sent.part)) % u64::from(choices);
        let since = match self.config.wait_from {
            WaitFrom::Transmission => sent.slot,
            WaitFrom::AckTimeout => sent.answer,
        };
        self.pending.schedule(index, since + u64::from(least) + drawn);
        io.cx.push(Effect::Again { interface, part });
    }

    /// An echo or an FRN ACK of a pending packet was received; false when it is too late and does not count.
    fn on_answer(&mut self, index: usize, io: &mut Io<'_>) -> bool {
        if self.pending[index].is_ready() {
            self.answers.late += u64::from(self.pending.on_late_answer(index));
            if !self.config.accept_late_echo {
                return false;
            }
        }
        self.on_success(index, io);
        true
    }

    fn on_success(&mut self, index: usize, io: &mut Io<'_>) {
        let pending = self.pending.remove(index);
        if pending.answer_slot().is_some() {
            self.interval.on_attempt(false, io.cx.now, &self.config);
        }
        io.cx.push(Effect::Sent { interface: io.interface, part: pending.part, result: Ok(()) });
    }
}

impl Mac for Frn {
    fn on_queued(&mut self, io: &mut Io<'_>) {
        self.now = io.cx.now;
        self.take_relays(io);
        self.fill(io);
    }

    fn on_frame(&mut self, frame: &Frame, io: &mut Io<'_>) {
        self.now = io.cx.now;
        match frame.kind {
            FrameKind::Data => self.on_data(frame, io),
            FrameKind::Acknowledgement { to, number, part } if to == io.node => {
                let is_answered = |each: &PendingPacket| each.is_answered(number, part);
                if let Some(index) = self.pending.position(is_answered) {
                    self.on_answer(index, io);
                }
            }
            _ => {}
        }
        self.fill(io);
    }

    fn on_transmitted(&mut self, io: &mut Io<'_>) {
        self.now = io.cx.now;
        self.is_transmitting = false;
        // Broadcast packets have no answer.
        while let Some(index) = self.pending.position_awaiting(PendingPacket::is_broadcast) {
            let part = self.pending.remove(index).part;
            io.cx.push(Effect::Sent { interface: io.interface, part, result: Ok(()) });
        }
        self.fill(io);
    }

    fn on_deadline(&mut self, io: &mut Io<'_>) {
        self.now = io.cx.now;
        let slot = self.config.slot_of(self.now);
        self.expire_answers(slot, io);
        if slot >= self.next_slot && self.send_time(slot) <= self.now && !self.is_transmitting {
            self.contend(slot, io);
        }
    }

    fn on_way(&mut self, packet: PacketId, way: Decision, io: &mut Io<'_>) {
        self.now = io.cx.now;
        let is_it = |each: &PendingPacket| each.part.packet == packet;
        let Some(index) = self.pending.position(is_it) else { return };
        match way {
            Decision::Forward(hop) if hop.interface == io.interface => {
                self.pending.redirect(index, hop.next_hop);
                return;
            }
            Decision::Forward(hop) => io.cx.push(Effect::Send { node: io.node, packet, hop }),
            Decision::NoRoute => io.cx.drop(packet, Cause::NoRoute),
            Decision::Queued => {}
        }
        self.pending.remove(index);
        self.fill(io);
    }

    fn on_refused(&mut self, packet: PacketId) {
        // Its retransmission is no duplicate.
        let Some(index) = self.acks.iter().position(|ack| ack.of == Some(packet)) else { return };
        if let Some(ack) = self.acks.remove(index) {
            self.duplicates.forget(ack.receipt);
        }
    }

    fn overhears(&self) -> bool {
        self.pending.has_tried()
    }

    fn deadline(&self) -> Instant {
        if self.is_transmitting || (self.pending.is_empty() && self.acks.is_empty()) {
            return Instant::NEVER;
        }
        let answer = self.pending.answer_slots().min();
        let timeout = answer.map_or(Instant::NEVER, |answer| self.config.start(answer + 1));
        let present = self.config.slot_of(self.now);
        let possible = present + u64::from(self.send_time(present) < self.now);
        let earliest = self.next_slot.max(possible);
        let ready = self.pending.next_due(earliest);
        let ready =
            ready.map(|due| self.pending.answer_slots().max().map_or(due, |until| due.max(until + 1)));
        let ack = self.acks.front().map(|ack| ack.due);
        let Some(due) = ready.into_iter().chain(ack).min() else { return timeout };
        timeout.min(self.send_time(due.max(earliest)))
    }

    fn duplicates_passed_up(&self) -> u64 {
        self.duplicates.count
    }

    fn answers(&self) -> Answers {
        self.answers
    }

    fn held(&self) -> Vec<PacketId> {
        self.pending.iter().map(|each| each.part.packet).collect()
    }
}
