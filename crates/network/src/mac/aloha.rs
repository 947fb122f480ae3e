//! N. Abramson, "The ALOHA System: Another Alternative for Computer Communications", AFIPS Fall Joint
//! Computer Conference, 1970.
//!
//! A station transmits without carrier sense. When no acknowledgement comes, it retransmits after a random backoff.
//!
//! With `slot` (slotted ALOHA) frames begin at its multiples, so that they overlap wholly or not at all. The backoff before
//! retransmission n is uniform below `backoff` 2^n. Each part of a frame is acknowledged by its own next hop, the second part
//! `ack_spacing` later, so that the acknowledgements do not collide. Left out: the original's central station and
//! its second channel.

use std::collections::VecDeque;

use farlink_kernel::config::above;
use farlink_kernel::ordered::Map;
use farlink_kernel::random::{draw_uniform, name_key};
use farlink_kernel::{Bytes, Diagnostic, Duration, Instant, config};

use super::{DelayBound, Io, Mac, Parameters, Properties, Setup};
use crate::context::Effect;
use crate::frame::{Frame, FrameKind, LinkFailure};
use crate::hop::{NextHop, Part};
use crate::ids::{NodeId, PacketId};
use crate::packet::Class;
use crate::phy::Phy;

pub(super) const SOURCE: &str = "Abramson, AFIPS 1970";

config! {
    /// Parameters of ALOHA.
    pub struct Config {
        /// Frames are acknowledged on the link, and retransmitted without an acknowledgement.
        pub acknowledge: bool = true,
        /// Retransmissions before the link counts as failed.
        pub retries: u32 = 7,
        /// Acknowledgement timeout, from the end of a frame.
        pub timeout: Duration = Duration::from_millis(5); in above(Duration::ZERO),
        /// Time between the acknowledgements of a frame's two parts.
        pub ack_spacing: Duration = Duration::from_millis(1),
        /// The backoff before a retransmission is uniform below this times two to the number of retransmissions.
        pub backoff: Duration = Duration::from_millis(10); in above(Duration::ZERO),
        /// Data frames begin at multiples of this (slotted ALOHA, L. G. Roberts, 1975); `"none"`: at any time.
        pub slot: Option<Duration> = None; in above(Duration::ZERO),
        /// A frame may carry two packets, one of TCP's data and one of its acknowledgements.
        pub combine: bool = false,
        /// Length of the header of a data frame, and of an acknowledgement.
        pub header: Bytes = Bytes(14); in ..=Bytes(65_535),
    }
}

impl Parameters for Config {
    fn properties(&self, phy: &dyn Phy) -> Properties {
        let delay_bound = if self.acknowledge {
            DelayBound::acknowledged(self.timeout, self.header, phy)
        } else {
            DelayBound::Unbounded
        };
        Properties::of_own_frames(1 + u32::from(self.acknowledge), Duration::ZERO, delay_bound)
    }

    fn check(&self, _phy: &dyn Phy, _largest: Bytes) -> Result<(), Diagnostic> {
        Ok(())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Idle,
    Sending,
    Waiting(Instant),
    /// The backoff, or the wait for a slot, ends then.
    Backoff(Instant),
}

#[derive(Clone, Debug)]
pub(crate) struct Aloha {
    config: Config,
    setup: Setup,
    state: State,
    is_transmitting: bool,
    number: u32,
    attempts: u32,
    /// Parts of the own frame that are not acknowledged.
    parts: [Option<Part>; 2],
    acknowledgements: VecDeque<(Instant, Frame)>,
    /// Number of the last frame from each neighbour, and which of its parts were received.
    last_received: Map<NodeId, (u32, [bool; 2])>,
}

impl Aloha {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        Self {
            config: config.clone(),
            setup: setup.clone(),
            state: State::Idle,
            is_transmitting: false,
            number: 0,
            attempts: 0,
            parts: [None; 2],
            acknowledgements: VecDeque::new(),
            last_received: Map::new(),
        }
    }

    /// Transmits what is due, acknowledgements first.
    fn transmit_due(&mut self, io: &mut Io<'_>) {
        if self.is_transmitting {
            return;
        }
        let now = io.cx.now;
        if let Some(&(due, frame)) = self.acknowledgements.front()
            && due <= now
        {
            self.acknowledgements.pop_front();
            return self.transmit(frame, io);
        }
        match self.state {
            State::Waiting(until) if until <= now => self.on_timeout(io),
            State::Backoff(until) if until <= now => self.send_own(io),
            State::Idle => self.take_next(io),
            _ => {}
        }
    }

    fn take_next(&mut self, io: &mut Io<'_>) {
        let Some(first) = io.queue.pop(io.cx) else { return };
        let other = match first.class {
            Class::Data => Some(Class::Ack),
            Class::Ack => Some(Class::Data),
            Class::Routing => None,
        };
        let second = other.filter(|_| self.config.combine).and_then(|class| io.queue.take_for(class, None));
        self.parts = [Some(first), second]
            .map(|entry| entry.map(|entry| Part { packet: entry.packet, next_hop: entry.next_hop }));
        self.number += 1;
        self.attempts = 0;
        match self.slot_from(io.cx.now) {
            at if at > io.cx.now => self.state = State::Backoff(at),
            _ => self.send_own(io),
        }
    }

    /// The start of the next slot; without slots, `earliest`.
    fn slot_from(&self, earliest: Instant) -> Instant {
        let Some(slot) = self.config.slot else { return earliest };
        match earliest.as_nanos() % slot.as_nanos() {
            0 => earliest,
            into => earliest.saturating_add(slot - Duration::from_nanos(into)),
        }
    }

    /// Transmits the own frame, with copies of the packets that are to be acknowledged.
    fn send_own(&mut self, io: &mut Io<'_>) {
        let mut parts = self.parts;
        for part in parts.iter_mut().flatten() {
            if self.config.acknowledge && part.next_hop != NextHop::Everyone {
                part.packet = io.cx.packets.copy_for_attempt(part.packet);
            }
        }
        let payload: u32 = parts.iter().flatten().map(|part| io.cx.packets[part.packet].size).sum();
        let size = payload + self.config.header.0 as u32;
        self.state = State::Sending;
        let is_retry = self.attempts > 0;
        let frame = Frame::new(io.node, self.number, FrameKind::Data, size, self.setup.phy.data_mode());
        self.transmit(Frame { parts, is_retry, ..frame }, io);
    }

    fn transmit(&mut self, frame: Frame, io: &mut Io<'_>) {
        self.is_transmitting = true;
        io.cx.push(Effect::Transmit { interface: io.interface, frame });
    }

    /// The own frame was transmitted. Broadcast packets are not acknowledged.
    fn on_own_sent(&mut self, io: &mut Io<'_>) {
        for part in &mut self.parts {
            if let Some(part) = part.take_if(|part| part.next_hop == NextHop::Everyone) {
                io.cx.push(Effect::Sent { interface: io.interface, part, result: Ok(()) });
            }
        }
        if !self.config.acknowledge {
            self.parts = [None; 2];
        }
        self.state = match self.parts {
            [None, None] => State::Idle,
            _ => State::Waiting(io.cx.now + self.config.timeout),
        };
    }

    fn on_timeout(&mut self, io: &mut Io<'_>) {
        self.attempts += 1;
        if self.attempts > self.config.retries {
            for part in std::mem::take(&mut self.parts).into_iter().flatten() {
                let result = Err(LinkFailure::NoResponse);
                io.cx.push(Effect::Sent { interface: io.interface, part, result });
            }
            self.state = State::Idle;
            return;
        }
        let Setup { seed, interface, .. } = self.setup;
        let (channel, number) = (name_key("aloha") ^ interface, u64::from(self.number));
        let drawn = draw_uniform(seed, channel, number, u64::from(self.attempts));
        let longest = self.config.backoff.saturating_mul(1 << self.attempts.min(16));
        self.state = State::Backoff(self.slot_from(io.cx.now.saturating_add(longest.mul_f64(drawn))));
    }

    /// Receives the parts of a frame that are for this node.
    fn on_data(&mut self, frame: &Frame, io: &mut Io<'_>) {
        let mut received = match self.last_received.get(&frame.sender) {
            Some(&(number, received)) if number == frame.number => received,
            _ => [false; 2],
        };
        let mut for_me = [false; 2];
        for (index, part) in frame.parts.iter().enumerate() {
            let Some(part) = part.filter(|part| part.next_hop.is(io.node)) else { continue };
            for_me[index] = !received[index];
            received[index] = true;
            if self.config.acknowledge && part.next_hop != NextHop::Everyone {
                let (to, number, part) = (frame.sender, frame.number, index as u8);
                let due = io.cx.now + self.config.ack_spacing * index as u64;
                let kind = FrameKind::Acknowledgement { to, number, part };
                let (size, mode) = (self.config.header.0 as u32, self.setup.phy.answer_mode(frame.mode));
                self.acknowledgements.push_back((due, Frame::new(io.node, 0, kind, size, mode)));
            }
        }
        self.last_received.insert(frame.sender, (frame.number, received));
        io.cx.push(Effect::Heard { interface: io.interface, frame: *frame, for_me });
    }

    fn on_acknowledgement(&mut self, number: u32, part: usize, io: &mut Io<'_>) {
        let is_expected =
            number == self.number && matches!(self.state, State::Waiting(_) | State::Backoff(_));
        if let Some(part) = self.parts[part].take_if(|_| is_expected) {
            io.cx.push(Effect::Sent { interface: io.interface, part, result: Ok(()) });
            if self.parts == [None; 2] {
                self.state = State::Idle;
            }
        }
    }
}

impl Mac for Aloha {
    fn on_queued(&mut self, io: &mut Io<'_>) {
        self.transmit_due(io);
    }

    fn on_frame(&mut self, frame: &Frame, io: &mut Io<'_>) {
        match frame.kind {
            FrameKind::Data => self.on_data(frame, io),
            FrameKind::Acknowledgement { to, number, part } if to == io.node => {
                self.on_acknowledgement(number, part as usize, io);
            }
            _ => {}
        }
        self.transmit_due(io);
    }

    fn on_transmitted(&mut self, io: &mut Io<'_>) {
        self.is_transmitting = false;
        if self.state == State::Sending {
            self.on_own_sent(io);
        }
        self.transmit_due(io);
    }

    fn on_deadline(&mut self, io: &mut Io<'_>) {
        self.transmit_due(io);
    }

    fn deadline(&self) -> Instant {
        // The end of the transmission wakes the station.
        if self.is_transmitting {
            return Instant::NEVER;
        }
        let own = match self.state {
            State::Waiting(until) | State::Backoff(until) => until,
            State::Idle | State::Sending => Instant::NEVER,
        };
        self.acknowledgements.front().map_or(own, |&(due, _)| own.min(due))
    }

    fn held(&self) -> Vec<PacketId> {
        let is_given_away = self.state == State::Sending && !self.config.acknowledge;
        let is_here = |part: &&Part| !is_given_away || part.next_hop == NextHop::Everyone;
        let parts = self.parts.iter().flatten().filter(is_here);
        parts.map(|part| part.packet).collect()
    }
}
