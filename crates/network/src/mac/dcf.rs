//! IEEE 802.11-1999, clause 9.2: the distributed coordination function.
//!
//! A station listens before it sends, lets a random number of idle slots pass when the medium was busy, and
//! waits for the acknowledgement; frames above a threshold are preceded by a request to send and its answer, which
//! reserve the medium at everybody who hears one of them. Without an answer it tries again with a window
//! twice as large, up to a limit, and then tells routing that the neighbour is gone.
//!
//! Left out: fragments, power saving, beacons and association, and that a reservation by a request ends when
//! nothing follows it. `rules = "ns2"` follows ns-2.35 (mac/mac-802_11.cc) where that differs: a backoff is
//! drawn before every frame, from 0 to CW - 1; after a failure DIFS pass before it counts; the wait for an
//! answer is as long as the whole answer and 4 us of propagation; a signal that was not made out, also one that was
//! captured away or missed while sending, reserves the medium for EIFS, after which DIFS must pass; a request
//! is answered only if the medium is idle and not reserved when the answer is due, and a frame that was allowed
//! goes only then: otherwise its station doubles its window and asks again; who has given a clearance keeps
//! still until the frame should be over, even when it does not come, and takes frames above the threshold
//! only then. Its frames have headers of 34 bytes and its threshold is 0: `header = "34 B"`, `rts_threshold = "0 B"`.

use std::collections::BTreeMap;
use std::sync::Arc;

use farlink_kernel::{Bytes, Duration, Instant, choice, config};

use super::{Io, Mac, Setup};
use crate::blueprint::NodeId;
use crate::context::Effect;
use crate::frame::{Frame, FrameKind, LinkFailure, NextHop, Part};
use crate::packet::PacketId;
use crate::phy::{Mode, Phy};

pub mod contention;

use contention::{Contention, Spaces};

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
        pub extended_space: bool = true,
    }
}

/// Sizes of control frames.
const RTS: u32 = 20;
const CTS: u32 = 14;
const ACK: u32 = 14;

/// The frame the station is about to deliver.
#[derive(Clone, Copy, Debug)]
struct Own {
    part: Part,
    size: u32,
    /// Tries of a request or a short frame, and of a long one, since one was answered.
    short_tries: u32,
    long_tries: u32,
    is_retry: bool,
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
    /// The answer, to the request or to the frame, must have begun by then.
    Awaiting {
        /// To the request.
        is_clearance: bool,
        /// By when.
        until: Instant,
    },
}

/// The protocol at work at one interface.
#[derive(Debug)]
pub struct Dcf {
    config: Config,
    phy: Arc<dyn Phy>,
    sifs: Duration,
    slot: Duration,
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
        let phy = Arc::clone(&setup.phy);
        let timing = phy.timing();
        let difs = timing.sifs + timing.slot * 2;
        let slowest_answer = phy.air_time(ACK, phy.answer_mode(Mode(0)));
        let eifs = if config.extended_space { timing.sifs + slowest_answer + difs } else { difs };
        let spaces = Spaces { slot: timing.slot, difs, eifs };
        let windows = (timing.cw_min, timing.cw_max);
        Self {
            config: config.clone(),
            phy,
            sifs: timing.sifs,
            slot: timing.slot,
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
        self.own = Some(Own { part, size, short_tries: 0, long_tries: 0, is_retry: false });
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
                NextHop::Node(to) if self.asks(&own) => (self.request(&own, to, io), Stage::Asking),
                _ => (self.data(&own, io), Stage::Sending),
            };
            self.stage = stage;
            self.transmit(frame, io);
        }
    }

    /// True for a frame that is preceded by a request.
    fn asks(&self, own: &Own) -> bool {
        u64::from(own.size) > self.config.rts_threshold.0
    }

    fn request(&self, own: &Own, to: NodeId, io: &Io<'_>) -> Frame {
        let (basic, data) = (self.phy.basic_mode(), self.phy.data_mode());
        let frame = Frame::new(io.node, self.number, FrameKind::RequestToSend { to }, RTS, basic);
        let clearance = self.phy.air_time(CTS, self.phy.answer_mode(basic));
        let answer = self.phy.air_time(ACK, self.phy.answer_mode(data));
        let reserved = self.sifs * 3 + clearance + self.phy.air_time(own.size, data) + answer;
        Frame { reserved, is_retry: own.is_retry, ..frame }
    }

    /// The own frame; of a packet for one neighbour a copy.
    fn data(&self, own: &Own, io: &mut Io<'_>) -> Frame {
        let mut part = own.part;
        let is_for_all = part.next_hop == NextHop::Everyone;
        let (mode, reserved) = if is_for_all {
            (self.phy.basic_mode(), Duration::ZERO)
        } else {
            part.packet = io.cx.packets.duplicate(part.packet);
            let mode = self.phy.data_mode();
            (mode, self.sifs + self.phy.air_time(ACK, self.phy.answer_mode(mode)))
        };
        let frame = Frame::new(io.node, self.number, FrameKind::Data, own.size, mode);
        Frame { parts: [Some(part), None], is_retry: own.is_retry, reserved, ..frame }
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
        self.due = Some((io.cx.now + self.sifs, frame));
    }

    /// True when the station can answer: it has nothing else to follow with.
    fn can_follow(&self) -> bool {
        self.due.is_none() && !self.is_antenna_busy
    }

    /// By when an answer in this mode must have begun; in ns-2, ended.
    fn answer_by(&self, size: u32, of: Mode, now: Instant) -> Instant {
        let mode = self.phy.answer_mode(of);
        now + self.sifs
            + match self.config.rules {
                Rules::Standard => self.slot + self.phy.header_time(mode),
                Rules::Ns2 => self.phy.air_time(size, mode) + NS2_PROPAGATION,
            }
    }

    fn on_request(&mut self, frame: &Frame, to: NodeId, io: &mut Io<'_>) {
        if to != io.node {
            return self.contention.reserve(io.cx.now + frame.reserved);
        }
        let is_allowed = !self.contention.is_reserved(io.cx.now, &io.carrier);
        if (is_allowed || self.config.rules == Rules::Ns2)
            && self.can_follow()
            && self.stage == Stage::Contending
        {
            let mode = self.phy.answer_mode(frame.mode);
            let kind = FrameKind::ClearToSend { to: frame.sender };
            let reserved = frame.reserved.saturating_sub(self.sifs + self.phy.air_time(CTS, mode));
            let answer = Frame { reserved, ..Frame::new(io.node, frame.number, kind, CTS, mode) };
            self.follow(answer, io);
        }
    }

    /// In ns-2 the medium must be free for the answer to a request, and for the frame that was allowed.
    fn withholds(&self, frame: &Frame, io: &Io<'_>) -> bool {
        let is_free = !io.carrier.is_busy && !self.contention.is_reserved(io.cx.now, &io.carrier);
        let is_acknowledgement = matches!(frame.kind, FrameKind::Acknowledgement { .. });
        self.config.rules == Rules::Ns2 && !is_acknowledgement && !is_free
    }

    /// The own frame was allowed but is not sent: the station asks again.
    fn withdraw(&mut self, frame: &Frame, io: &mut Io<'_>) {
        frame.parts.iter().flatten().for_each(|part| io.cx.packets.discard(part.packet));
        self.stage = Stage::Contending;
        self.contention.on_failure(io.cx.now, &io.carrier);
    }

    /// In ns-2 who gives a clearance keeps still until the frame should be over, with propagation.
    fn promise(&mut self, clearance: &Frame, now: Instant) {
        let answer = self.phy.air_time(ACK, self.phy.answer_mode(self.phy.data_mode()));
        let frame = clearance.reserved.saturating_sub(self.sifs + answer);
        self.promised_until = now + self.phy.air_time(CTS, clearance.mode) + frame + NS2_PROPAGATION;
        self.contention.reserve(self.promised_until);
    }

    /// In ns-2 a frame above the threshold must have been allowed.
    fn expects(&mut self, frame: &Frame, now: Instant) -> bool {
        let needs_none =
            self.config.rules != Rules::Ns2 || u64::from(frame.size) <= self.config.rts_threshold.0;
        needs_none || std::mem::take(&mut self.promised_until) >= now
    }

    fn on_clearance(&mut self, frame: &Frame, to: NodeId, io: &mut Io<'_>) {
        if to != io.node {
            return self.contention.reserve(io.cx.now + frame.reserved);
        }
        if let (Stage::Awaiting { is_clearance: true, .. }, Some(own)) = (self.stage, &mut self.own)
            && self.due.is_none()
        {
            own.short_tries = 0;
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
            NextHop::Node(node) if node != io.node => {
                self.contention.reserve(io.cx.now + frame.reserved);
            }
            NextHop::Node(_) if !self.expects(frame, io.cx.now) => {}
            next_hop => {
                let before = self.seen.insert(frame.sender, frame.number);
                is_new = !(frame.is_retry && before == Some(frame.number));
                if next_hop != NextHop::Everyone && self.can_follow() {
                    let (to, number) = (frame.sender, frame.number);
                    let kind = FrameKind::Acknowledgement { to, number, part: 0 };
                    let mode = self.phy.answer_mode(frame.mode);
                    self.follow(Frame::new(io.node, number, kind, ACK, mode), io);
                }
            }
        }
        io.cx.push(Effect::Heard { interface: io.interface, frame: *frame, for_me: [is_new, false] });
    }

    fn on_acknowledgement(&mut self, to: NodeId, io: &mut Io<'_>) {
        if to == io.node && matches!(self.stage, Stage::Awaiting { is_clearance: false, .. }) {
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
        match (self.stage, frame.kind) {
            (Stage::Awaiting { is_clearance, .. }, FrameKind::ClearToSend { to }) => {
                is_clearance && to == node
            }
            (Stage::Awaiting { is_clearance, .. }, FrameKind::Acknowledgement { to, .. }) => {
                !is_clearance && to == node
            }
            _ => false,
        }
    }

    /// No answer came, if one was waited for.
    fn on_silence(&mut self, io: &mut Io<'_>) {
        let Stage::Awaiting { is_clearance, .. } = self.stage else { return };
        let is_short = is_clearance || self.own.is_none_or(|own| !self.asks(&own));
        let Some(own) = &mut self.own else { return };
        let (tries, limit) = if is_short {
            (&mut own.short_tries, self.config.short_retry_limit)
        } else {
            (&mut own.long_tries, self.config.long_retry_limit)
        };
        *tries += 1;
        if *tries >= limit {
            return self.finish(Err(LinkFailure::NoAnswer), io);
        }
        // A request that was not answered is not a frame that may have arrived.
        own.is_retry |= !is_clearance;
        self.stage = Stage::Contending;
        self.contention.on_failure(io.cx.now, &io.carrier);
    }
}

/// ns-2 allows for 2 us of propagation each way.
const NS2_PROPAGATION: Duration = Duration::from_micros(4);

impl Mac for Dcf {
    fn on_queued(&mut self, io: &mut Io<'_>) {
        self.take_next(io);
    }

    fn on_frame(&mut self, frame: &Frame, io: &mut Io<'_>) {
        // Who waits for an answer and makes out something else will not get it (9.2.5.7, 9.2.8).
        if self.config.rules == Rules::Standard && !self.is_answer(frame, io.node) {
            self.on_silence(io);
        }
        match frame.kind {
            FrameKind::Data => self.on_data(frame, io),
            FrameKind::Acknowledgement { to, .. } => self.on_acknowledgement(to, io),
            FrameKind::RequestToSend { to } => self.on_request(frame, to, io),
            FrameKind::ClearToSend { to } => self.on_clearance(frame, to, io),
        }
    }

    fn on_carrier(&mut self, io: &mut Io<'_>) {
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

    fn watches(&self) -> bool {
        match self.stage {
            Stage::Contending => self.own.is_some() || self.contention.is_counting(),
            Stage::Awaiting { .. } => true,
            Stage::Asking | Stage::Allowed | Stage::Sending => false,
        }
    }

    fn on_antenna_free(&mut self, io: &mut Io<'_>) {
        self.is_antenna_busy = false;
        let now = io.cx.now;
        match (self.stage, self.own) {
            (Stage::Asking, _) => {
                let until = self.answer_by(CTS, self.phy.basic_mode(), now);
                self.stage = Stage::Awaiting { is_clearance: true, until };
            }
            (Stage::Sending, Some(own)) if own.part.next_hop != NextHop::Everyone => {
                let until = self.answer_by(ACK, self.phy.data_mode(), now);
                self.stage = Stage::Awaiting { is_clearance: false, until };
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
            Stage::Contending if self.own.is_some() => self.contention.access_at(),
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
