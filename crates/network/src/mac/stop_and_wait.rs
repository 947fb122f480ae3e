//! [`StopAndWait`]: link-level stop-and-wait ARQ, as MACs for slow channels use it.
//!
//! A station handles one packet at a time. With acknowledgements it transmits a copy and keeps the packet for a
//! retransmission; without, the channel takes the packet over. Receivers detect duplicates by frame numbers.
//! [`Protocol`] is a MAC over it: it decides when frames are sent.

use std::sync::Arc;

use farlink_kernel::ordered::Map;
use farlink_kernel::random::draw_uniform;
use farlink_kernel::{Bytes, Duration, Instant};

use super::{Io, Mac, Setup};
use crate::context::Effect;
use crate::frame::{Frame, FrameKind, LinkFailure};
use crate::hop::{NextHop, Part};
use crate::ids::NodeId;
use crate::ids::PacketId;
use crate::phy::Phy;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Transmitting {
    Nothing,
    Data,
    /// A frame without packets: RTS, CTS, acknowledgement, tone.
    Control,
}

/// The own packet, and what was received from neighbours.
#[derive(Debug)]
pub(super) struct StopAndWait {
    acknowledge: bool,
    header: u32,
    control: u32,
    pub(super) phy: Arc<dyn Phy>,
    draw_key: (u64, u64),
    number: u32,
    attempts: u32,
    own: Option<Part>,
    transmitting: Transmitting,
    /// Number of the last frame from each neighbour.
    last_received: Map<NodeId, u32>,
}

impl StopAndWait {
    /// A station that draws from channel `key`. Data frames have a `header`; frames without packets have the length
    /// `control`.
    pub(super) fn new(setup: &Setup, key: u64, acknowledge: bool, header: Bytes, control: Bytes) -> Self {
        Self {
            acknowledge,
            header: header.0 as u32,
            control: control.0 as u32,
            phy: Arc::clone(&setup.phy),
            draw_key: (setup.seed, key ^ setup.interface),
            number: 0,
            attempts: 0,
            own: None,
            transmitting: Transmitting::Nothing,
            last_received: Map::new(),
        }
    }

    /// The packet that is being sent, and its next hop.
    pub(super) fn own(&self) -> Option<Part> {
        self.own
    }

    /// Takes the next packet from the queue if there is no other; true when it took one.
    fn take_next(&mut self, io: &mut Io<'_>) -> bool {
        if self.own.is_some() {
            return false;
        }
        let Some(entry) = io.queue.pop(io.cx) else { return false };
        self.own = Some(Part { packet: entry.packet, next_hop: entry.next_hop });
        self.number += 1;
        self.attempts = 0;
        true
    }

    /// Uniform on [0, 1), drawn once per attempt.
    pub(super) fn draw(&self) -> f64 {
        self.draw_nth(0)
    }

    /// The `nth` such draw of one attempt.
    pub(super) fn draw_nth(&self, nth: u32) -> f64 {
        let attempt = u64::from(nth) << 32 | u64::from(self.attempts);
        draw_uniform(self.draw_key.0, self.draw_key.1, u64::from(self.number), attempt)
    }

    pub(super) fn data_time(&self, io: &Io<'_>) -> Duration {
        let size = self.own.map_or(0, |part| io.cx.packets[part.packet].size);
        self.phy.air_time(size + self.header, self.phy.data_mode())
    }

    /// Length of a frame without packets.
    pub(super) fn control_time(&self) -> Duration {
        self.phy.air_time(self.control, self.phy.basic_mode())
    }

    pub(super) fn send_data(&mut self, io: &mut Io<'_>) {
        let mut part = self.own.expect("it has a frame");
        let size = io.cx.packets[part.packet].size + self.header;
        if self.expects_acknowledgement() {
            part.packet = io.cx.packets.copy_for_attempt(part.packet);
        }
        let frame = Frame::new(io.node, self.number, FrameKind::Data, size, self.phy.data_mode());
        let frame = Frame { parts: [Some(part), None], is_retry: self.attempts > 0, ..frame };
        self.transmitting = Transmitting::Data;
        io.cx.push(Effect::Transmit { interface: io.interface, frame });
    }

    /// Transmits a frame without packets.
    pub(super) fn send_control(&mut self, frame: Frame, io: &mut Io<'_>) {
        self.transmitting = Transmitting::Control;
        io.cx.push(Effect::Transmit { interface: io.interface, frame });
    }

    pub(super) fn control(&self, kind: FrameKind, io: &Io<'_>) -> Frame {
        Frame::new(io.node, self.number, kind, self.control, self.phy.basic_mode())
    }

    pub(super) fn is_transmitting(&self) -> bool {
        self.transmitting != Transmitting::Nothing
    }

    /// True when the receiver of the own frame acknowledges it.
    pub(super) fn expects_acknowledgement(&self) -> bool {
        self.acknowledge && self.own.is_some_and(|part| part.next_hop != NextHop::Everyone)
    }

    /// The antenna has transmitted a frame, and its kind is returned. Data without an acknowledgement is done.
    fn on_transmitted(&mut self, io: &mut Io<'_>) -> Transmitting {
        let sent = std::mem::replace(&mut self.transmitting, Transmitting::Nothing);
        if sent == Transmitting::Data
            && !self.expects_acknowledgement()
            && let Some(part) = self.own.take()
            && part.next_hop == NextHop::Everyone
        {
            io.cx.push(Effect::Sent { interface: io.interface, part, result: Ok(()) });
        }
        sent
    }

    /// A data frame was received: new packets for this node go up. Returns the acknowledgement, if one is due.
    fn on_data(&mut self, frame: &Frame, io: &mut Io<'_>) -> Option<Frame> {
        let part = frame.parts[0].filter(|part| part.next_hop.is(io.node));
        let is_new =
            part.is_some() && self.last_received.insert(frame.sender, frame.number) != Some(frame.number);
        io.cx.push(Effect::Heard { interface: io.interface, frame: *frame, for_me: [is_new, false] });
        let is_acknowledged = self.acknowledge && part.is_some_and(|part| part.next_hop != NextHop::Everyone);
        let kind = FrameKind::Acknowledgement { to: frame.sender, number: frame.number, part: 0 };
        is_acknowledged.then(|| self.control(kind, io))
    }

    /// An acknowledgement was received; true when it is that of the own frame, which is done then.
    fn on_acknowledgement(&mut self, frame: &Frame, io: &mut Io<'_>) -> bool {
        let FrameKind::Acknowledgement { to, number, .. } = frame.kind else { return false };
        if to != io.node || number != self.number {
            return false;
        }
        let Some(part) = self.own.take() else { return false };
        io.cx.push(Effect::Sent { interface: io.interface, part, result: Ok(()) });
        true
    }

    /// The response timed out. Returns the number of attempts that failed; `None` when it exceeds `retries` and the packet goes
    /// back to routing.
    pub(super) fn on_timeout(&mut self, retries: u32, io: &mut Io<'_>) -> Option<u32> {
        self.attempts += 1;
        if self.attempts <= retries {
            return Some(self.attempts);
        }
        if let Some(part) = self.own.take() {
            io.cx.push(Effect::Sent { interface: io.interface, part, result: Err(LinkFailure::NoResponse) });
        }
        None
    }

    fn held(&self) -> Vec<PacketId> {
        let is_given_away = |part: &Part| {
            self.transmitting == Transmitting::Data
                && !self.expects_acknowledgement()
                && part.next_hop != NextHop::Everyone
        };
        self.own.iter().filter(|part| !is_given_away(part)).map(|part| part.packet).collect()
    }
}

pub(super) trait Protocol: std::fmt::Debug + Send {
    fn link(&self) -> &StopAndWait;

    fn link_mut(&mut self) -> &mut StopAndWait;

    /// The next packet was taken from the queue and is to be sent.
    fn on_packet(&mut self, io: &mut Io<'_>);

    /// An acknowledgement is due, by default at once.
    fn acknowledge(&mut self, frame: Frame, io: &mut Io<'_>) {
        self.link_mut().send_control(frame, io);
    }

    fn on_acknowledged(&mut self) {}

    fn on_reservation(&mut self, _frame: &Frame, _io: &mut Io<'_>) {}

    /// The antenna has transmitted a frame of this kind.
    fn on_transmitted(&mut self, _sent: Transmitting, _io: &mut Io<'_>) {}

    fn on_carrier(&mut self, _io: &mut Io<'_>) {}

    fn senses_carrier(&self) -> bool {
        false
    }

    fn overhears(&self) -> bool {
        false
    }

    /// Its timer may have expired; the antenna does not transmit.
    fn on_timer(&mut self, io: &mut Io<'_>);

    fn timer(&self) -> Instant;
}

/// The accessors of a [`Protocol`] with a field `link`.
macro_rules! has_link {
    () => {
        fn link(&self) -> &StopAndWait {
            &self.link
        }

        fn link_mut(&mut self) -> &mut StopAndWait {
            &mut self.link
        }
    };
}
pub(super) use has_link;

fn take_next(protocol: &mut impl Protocol, io: &mut Io<'_>) {
    if protocol.link_mut().take_next(io) {
        protocol.on_packet(io);
    }
}

impl<P: Protocol> Mac for P {
    fn on_queued(&mut self, io: &mut Io<'_>) {
        take_next(self, io);
    }

    fn on_frame(&mut self, frame: &Frame, io: &mut Io<'_>) {
        match frame.kind {
            FrameKind::Data => {
                if let Some(acknowledgement) = self.link_mut().on_data(frame, io) {
                    self.acknowledge(acknowledgement, io);
                }
            }
            FrameKind::Acknowledgement { .. } => {
                if self.link_mut().on_acknowledgement(frame, io) {
                    self.on_acknowledged();
                    take_next(self, io);
                }
            }
            FrameKind::RequestToSend { .. } | FrameKind::ClearToSend { .. } => self.on_reservation(frame, io),
            FrameKind::Tone => {}
        }
    }

    fn on_transmitted(&mut self, io: &mut Io<'_>) {
        let sent = self.link_mut().on_transmitted(io);
        Protocol::on_transmitted(self, sent, io);
        if sent == Transmitting::Data {
            take_next(self, io);
        }
    }

    fn on_carrier(&mut self, io: &mut Io<'_>) {
        Protocol::on_carrier(self, io);
    }

    fn watches_from(&self) -> Instant {
        if self.senses_carrier() { Instant::ZERO } else { Instant::NEVER }
    }

    fn overhears(&self) -> bool {
        Protocol::overhears(self)
    }

    fn on_deadline(&mut self, io: &mut Io<'_>) {
        if !self.link().is_transmitting() {
            self.on_timer(io);
        }
    }

    fn deadline(&self) -> Instant {
        if self.link().is_transmitting() { Instant::NEVER } else { self.timer() }
    }

    fn held(&self) -> Vec<PacketId> {
        self.link().held()
    }
}
