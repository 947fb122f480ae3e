//! IEEE 802.11-1999, clause 9.2: the distributed coordination function.
//!
//! A station listens before it sends, lets a random number of idle slots pass when the medium was busy, and
//! waits for the acknowledgement; frames above a threshold are preceded by a request to send and its answer, which
//! reserve the medium at everybody who hears one of them. Without an answer it tries again with a window
//! twice as large, up to a limit, and then tells routing that the neighbour is gone.
//!
//! Left out: fragments, power saving, beacons and association, and that a reservation by a request ends when
//! nothing follows it. `rules = "ns2"` follows ns-2.35 (mac/mac-802_11.cc) where that differs (`dcf/ns2.rs`).

use std::collections::BTreeMap;

use farlink_kernel::{Bytes, Instant, choice, config};

use super::{Io, Mac, Setup};
use crate::context::Effect;
use crate::frame::{Frame, FrameKind, LinkFailure};
use crate::hop::{NextHop, Part};
use crate::ids::{NodeId, PacketId};

pub mod contention;
mod exchange;
mod ns2;
mod own;

use contention::Contention;
use exchange::{Answer, Exchange};
use own::Own;

/// Where the protocol stands.
pub const SOURCE: &str = "IEEE 802.11-1999";

choice! {
    /// Whose rules.
    pub enum Rules {
        /// The standard's.
        Standard = "standard",
        /// Those of ns-2.35.
        Ns2 = "ns2",
    }
}

config! {
    /// Parameters of the distributed coordination function.
    pub struct Config {
        /// Whose rules are followed where ns-2 differs from the standard.
        pub rules: Rules = Rules::Standard,
        /// Frames larger than this, with header, ask before they are sent.
        pub rts_threshold: Bytes = Bytes(2347),
        /// How often a frame at most as large, or a request, is sent without an answer.
        pub short_retry_limit: u32 = 7; in 1..,
        /// The same for larger frames.
        pub long_retry_limit: u32 = 4; in 1..,
        /// Length of the header of data: 24 bytes, a check sequence of 4, and 8 of LLC and SNAP.
        pub header: Bytes = Bytes(36); in ..=Bytes(65_535),
        /// After a signal that could not be made out stations wait longer.
        pub eifs: bool = true,
    }
}

/// Where the own frame stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// There is none, or it waits for the medium.
    Contending,
    /// The request is at the antenna.
    Asking,
    /// It is allowed to go, after a short space.
    Allowed,
    /// The frame is at the antenna.
    Sending,
    /// The answer must have begun by then.
    Awaiting {
        /// Which.
        answer: Answer,
        /// By when.
        until: Instant,
    },
}

/// The protocol at work at one interface.
#[derive(Debug)]
pub struct Dcf {
    config: Config,
    exchange: Exchange,
    contention: Contention,
    stage: Stage,
    is_antenna_busy: bool,
    own: Option<Own>,
    number: u32,
    /// An answer, or the frame that was allowed, and when it is due.
    due: Option<(Instant, Frame)>,
    /// The newest frame of each neighbour.
    seen: BTreeMap<NodeId, u32>,
    /// Until when, in ns-2, the frame comes that was allowed last.
    promised_until: Instant,
}

impl Dcf {
    /// An idle station.
    pub fn new(config: &Config, setup: &Setup) -> Self {
        let exchange = Exchange::new(config, &setup.phy);
        let spaces = exchange.spaces(config.eifs);
        let timing = setup.phy.timing();
        let windows = (timing.cw_min, timing.cw_max);
        Self {
            config: config.clone(),
            exchange,
            contention: Contention::new(config.rules, spaces, windows, (setup.seed, setup.interface)),
            stage: Stage::Contending,
            is_antenna_busy: false,
            own: None,
            number: 0,
            due: None,
            seen: BTreeMap::new(),
            promised_until: Instant::ZERO,
        }
    }

    /// True while the own frame waits for the medium.
    fn is_waiting(&self) -> bool {
        self.own.is_some() && self.stage == Stage::Contending
    }

    /// Takes the next packet and begins at once where that is allowed.
    fn take_next(&mut self, io: &mut Io<'_>) {
        if self.own.is_some() {
            return;
        }
        let Some(entry) = io.queue.pop(io.cx) else { return };
        self.number += 1;
        let part = Part { packet: entry.packet, next_hop: entry.next_hop };
        let size = entry.size + self.config.header.0 as u32;
        self.own = Some(Own::new(part, size));
        self.contention.on_request(io.cx.now, &io.carrier);
        self.begin_if_due(io);
    }

    fn begin_if_due(&mut self, io: &mut Io<'_>) {
        let is_free = !self.is_antenna_busy && self.due.is_none();
        if let Some(own) = self.own.filter(|_| is_free && self.stage == Stage::Contending)
            && self.contention.access_at() <= io.cx.now
        {
            self.contention.on_begin();
            let (frame, stage) = match own.part.next_hop {
                NextHop::Node(to) if self.exchange.asks(own.size) => {
                    (self.exchange.request(&own, self.number, io.node, to), Stage::Asking)
                }
                _ => (self.data(&own, io), Stage::Sending),
            };
            self.stage = stage;
            self.transmit(frame, io);
        }
    }

    /// The own frame; of a packet for one neighbour a copy.
    fn data(&self, own: &Own, io: &mut Io<'_>) -> Frame {
        let mut own = *own;
        if own.part.next_hop != NextHop::Everyone {
            own.part.packet = io.cx.packets.copy_to_try(own.part.packet);
        }
        self.exchange.data(&own, self.number, io.node)
    }

    fn transmit(&mut self, frame: Frame, io: &mut Io<'_>) {
        if self.config.rules == Rules::Ns2 && matches!(frame.kind, FrameKind::ClearToSend { .. }) {
            self.promise(&frame, io.cx.now);
        }
        self.contention.freeze(io.cx.now, self.is_waiting());
        self.is_antenna_busy = true;
        io.cx.push(Effect::Transmit { interface: io.interface, frame });
    }

    /// A frame follows another after a short space, whatever the medium is like.
    fn follow(&mut self, frame: Frame, io: &Io<'_>) {
        self.due = Some((self.exchange.follows_at(io.cx.now), frame));
    }

    /// True when the station can answer: it has nothing else to follow with.
    fn can_follow(&self) -> bool {
        self.due.is_none() && !self.is_antenna_busy
    }

    fn on_request(&mut self, frame: &Frame, to: NodeId, io: &mut Io<'_>) {
        if to != io.node {
            return;
        }
        let is_allowed = !self.contention.is_reserved(io.cx.now, &io.carrier);
        if (is_allowed || self.config.rules == Rules::Ns2)
            && self.can_follow()
            && self.stage == Stage::Contending
        {
            self.follow(self.exchange.clearance(frame, io.node), io);
        }
    }

    fn on_clearance(&mut self, to: NodeId, io: &mut Io<'_>) {
        if to != io.node {
            return;
        }
        if let (Stage::Awaiting { answer: Answer::Clearance, .. }, Some(own)) = (self.stage, &mut self.own)
            && self.due.is_none()
        {
            own.on_clearance();
            let own = *own;
            let data = self.data(&own, io);
            self.stage = Stage::Allowed;
            self.follow(data, io);
        }
    }

    fn on_data(&mut self, frame: &Frame, io: &mut Io<'_>) {
        let [Some(part), _] = frame.parts else { return };
        let mut is_new = false;
        match part.next_hop {
            NextHop::Node(node) if node != io.node => {}
            NextHop::Node(_) if !self.expects(frame, io.cx.now) => {}
            next_hop => {
                let before = self.seen.insert(frame.sender, frame.number);
                is_new = !(frame.is_retry && before == Some(frame.number));
                if next_hop != NextHop::Everyone && self.can_follow() {
                    self.follow(self.exchange.acknowledgement(frame, io.node), io);
                }
            }
        }
        io.cx.push(Effect::Heard { interface: io.interface, frame: *frame, for_me: [is_new, false] });
    }

    fn on_acknowledgement(&mut self, to: NodeId, io: &mut Io<'_>) {
        if to == io.node && matches!(self.stage, Stage::Awaiting { answer: Answer::Acknowledgement, .. }) {
            self.finish(Ok(()), io);
            self.take_next(io);
        }
    }

    /// Done with the own frame.
    fn finish(&mut self, result: Result<(), LinkFailure>, io: &mut Io<'_>) {
        self.stage = Stage::Contending;
        if let Some(Own { part, .. }) = self.own.take() {
            io.cx.push(Effect::Sent { interface: io.interface, part, result });
        }
        self.contention.on_done(io.cx.now, &io.carrier);
    }

    /// True for the answer the station waits for.
    fn is_answer(&self, frame: &Frame, node: NodeId) -> bool {
        let Stage::Awaiting { answer, .. } = self.stage else { return false };
        match (answer, frame.kind) {
            (Answer::Clearance, FrameKind::ClearToSend { to })
            | (Answer::Acknowledgement, FrameKind::Acknowledgement { to, .. }) => to == node,
            _ => false,
        }
    }

    fn retry_limit(&self, is_long: bool) -> u32 {
        if is_long { self.config.long_retry_limit } else { self.config.short_retry_limit }
    }

    fn await_answer(&mut self, answer: Answer, now: Instant) {
        self.stage = Stage::Awaiting { answer, until: self.exchange.answer_by(answer, now) };
    }

    /// No answer came, if one was waited for.
    fn on_silence(&mut self, io: &mut Io<'_>) {
        let Stage::Awaiting { answer, .. } = self.stage else { return };
        let Some(own) = &mut self.own else { return };
        let is_long = answer == Answer::Acknowledgement && self.exchange.asks(own.size);
        if own.on_silence(answer, is_long) >= self.retry_limit(is_long) {
            return self.finish(Err(LinkFailure::NoResponse), io);
        }
        self.stage = Stage::Contending;
        self.contention.on_failure(io.cx.now, &io.carrier);
    }
}

impl Mac for Dcf {
    fn on_queued(&mut self, io: &mut Io<'_>) {
        self.contention.catch_up(&io.carrier);
        self.take_next(io);
    }

    fn on_frame(&mut self, frame: &Frame, io: &mut Io<'_>) {
        self.contention.catch_up(&io.carrier);
        // Who waits for an answer and makes out something else will not get it (9.2.5.7, 9.2.8).
        if self.config.rules == Rules::Standard && !self.is_answer(frame, io.node) {
            self.on_silence(io);
        }
        match frame.kind {
            FrameKind::Data => self.on_data(frame, io),
            FrameKind::Acknowledgement { to, .. } => self.on_acknowledgement(to, io),
            FrameKind::RequestToSend { to } => self.on_request(frame, to, io),
            FrameKind::ClearToSend { to } => self.on_clearance(to, io),
            FrameKind::Tone => {}
        }
    }

    fn on_carrier(&mut self, io: &mut Io<'_>) {
        self.contention.catch_up(&io.carrier);
        let now = io.cx.now;
        if io.carrier.is_busy {
            // Who begins in this very moment cannot have noticed.
            if !(self.is_waiting() && self.contention.access_at() == now) {
                self.contention.freeze(now, self.is_waiting());
            }
            return;
        }
        match self.stage {
            Stage::Awaiting { until: Instant::NEVER, .. } => self.on_silence(io),
            _ => self.contention.resume(&io.carrier),
        }
    }

    fn watches_from(&self) -> Instant {
        match self.stage {
            Stage::Contending if self.own.is_some() || self.contention.is_counting() => {
                self.contention.watches_from(self.own.is_some())
            }
            // It is known that something came in time; when that goes there was no answer.
            Stage::Awaiting { until: Instant::NEVER, .. } => Instant::ZERO,
            _ => Instant::NEVER,
        }
    }

    /// Who waits for an answer and hears something else knows that it does not come.
    fn overhears(&self) -> bool {
        self.config.rules == Rules::Standard && matches!(self.stage, Stage::Awaiting { .. })
    }

    fn on_antenna_free(&mut self, io: &mut Io<'_>) {
        self.contention.catch_up(&io.carrier);
        self.is_antenna_busy = false;
        let now = io.cx.now;
        match (self.stage, self.own) {
            (Stage::Asking, _) => self.await_answer(Answer::Clearance, now),
            (Stage::Sending, Some(own)) if own.part.next_hop != NextHop::Everyone => {
                self.await_answer(Answer::Acknowledgement, now);
            }
            (Stage::Sending, _) => {
                self.finish(Ok(()), io);
                self.take_next(io);
            }
            // An answer to somebody else.
            _ => self.contention.resume(&io.carrier),
        }
    }

    fn on_deadline(&mut self, io: &mut Io<'_>) {
        self.contention.catch_up(&io.carrier);
        let now = io.cx.now;
        if self.is_antenna_busy {
            return;
        }
        if let Some((_, frame)) = self.due.take_if(|(due, _)| *due <= now) {
            let is_own = self.stage == Stage::Allowed;
            return match (self.withholds(&frame, io), is_own) {
                (true, true) => self.withdraw(&frame, io),
                (true, false) => {}
                (false, _) => {
                    if is_own {
                        self.stage = Stage::Sending;
                    }
                    self.transmit(frame, io);
                }
            };
        }
        match &mut self.stage {
            // Something has begun in time; it will be known when it ends.
            Stage::Awaiting { until, .. }
                if *until <= now && io.carrier.is_busy && self.config.rules == Rules::Standard =>
            {
                *until = Instant::NEVER;
            }
            Stage::Awaiting { until, .. } if *until <= now => self.on_silence(io),
            _ => self.begin_if_due(io),
        }
    }

    fn deadline(&self) -> Instant {
        if self.is_antenna_busy {
            return Instant::NEVER;
        }
        let own = match self.stage {
            // It does not begin before what is due has gone.
            Stage::Contending if self.own.is_some() && self.due.is_none() => self.contention.access_at(),
            Stage::Awaiting { until, .. } => until,
            _ => Instant::NEVER,
        };
        self.due.map_or(own, |(due, _)| own.min(due))
    }

    fn held(&self) -> Vec<PacketId> {
        let due = self.due.iter().flat_map(|(_, frame)| frame.parts.iter().flatten());
        due.chain(self.own.iter().map(|own| &own.part)).map(|part| part.packet).collect()
    }
}
