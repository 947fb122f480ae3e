//! IEEE 802.11-1999, clause 9.2: the distributed coordination function.
//!
//! A station senses the medium before it transmits, backs off when the medium was busy, and waits for an ACK. Data above
//! the RTS threshold follows an RTS and a CTS. The Duration fields of these frames set the network allocation vector (NAV) of
//! the stations that overhear them. When a response times out, the frame is retransmitted with a larger contention
//! window, up to a retry limit; then routing is notified that the link failed.
//!
//! [`contention`]: carrier sense and backoff (9.2.1 to 9.2.5.2); `exchange`: frames and timeouts (9.2.5.4 to 9.2.8); `ns2`: what
//! `rules = "ns2"` changes. Left out: fragments, power saving, beacons, association, and the reset of a NAV that an RTS has set when no
//! data follows (9.2.5.4).

use farlink_kernel::ordered::Map;
use farlink_kernel::{Bytes, Diagnostic, Duration, Instant, choice, config};

use super::{DelayBound, Io, Mac, Parameters, Properties, Setup};
use crate::context::Effect;
use crate::frame::{Frame, FrameKind, LinkFailure};
use crate::hop::{NextHop, Part};
use crate::ids::{NodeId, PacketId};
use crate::phy::Phy;

pub(crate) mod contention;
mod exchange;
mod ns2;
mod pending;

use contention::Contention;
use exchange::Exchange;
use pending::{PendingFrame, Response};

pub(super) const SOURCE: &str = "IEEE 802.11-1999";

choice! {
    /// Which implementation is followed.
    pub enum Rules {
        /// The standard.
        Standard = "standard",
        /// ns-2.35.
        Ns2 = "ns2",
    }
}

config! {
    /// Parameters of the distributed coordination function.
    pub struct Config {
        /// Which rules are followed where ns-2 differs from the standard.
        pub rules: Rules = Rules::Standard,
        /// Data frames longer than this, header included, follow an RTS and a CTS.
        pub rts_threshold: Bytes = Bytes(2347),
        /// Most attempts for an RTS, or for data up to the RTS threshold.
        pub short_retry_limit: u32 = 7; in 1..,
        /// Most attempts for data above the RTS threshold.
        pub long_retry_limit: u32 = 4; in 1..,
        /// Length of the header of data: MAC header of 24 bytes, frame check sequence of 4, LLC and SNAP of 8.
        pub header: Bytes = Bytes(36); in ..=Bytes(65_535),
        /// EIFS replaces DIFS after a reception with errors.
        pub eifs: bool = true,
    }
}

impl Parameters for Config {
    fn properties(&self, phy: &dyn Phy) -> Properties {
        let timing = phy.timing();
        let backoff = timing.slot.mul_f64(2.0 + f64::from(timing.cw_min) / 2.0);
        Properties {
            frames: 2,
            rts_threshold: Some(self.rts_threshold),
            wait: timing.sifs.saturating_mul(4).saturating_add(backoff),
            // A response begins within a slot and the time to detect it (IEEE 802.11-2020, 10.3.2.11).
            delay_bound: DelayBound::Response(timing.slot + phy.header_time(phy.basic_mode())),
            is_ieee80211: true,
            has_addresses: true,
        }
    }

    fn check(&self, _phy: &dyn Phy, _largest: Bytes) -> Result<(), Diagnostic> {
        Ok(())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// No frame is pending, or it waits for the medium.
    Contending,
    CtsReceived,
    SendingBroadcast,
    /// A frame is sent or was sent. Its response must begin before the timeout.
    Awaiting {
        response: Response,
        /// [`Instant::NEVER`] while a reception lasts that began in time.
        timeout: Instant,
    },
}

#[derive(Debug)]
pub(crate) struct Dcf {
    config: Config,
    exchange: Exchange,
    contention: Contention,
    stage: Stage,
    /// A frame without response is sent.
    is_transmitting: bool,
    pending: Option<PendingFrame>,
    /// Sequence number of the pending frame.
    number: u32,
    /// A CTS, an ACK, or data after a CTS, and when its SIFS ends.
    after_sifs: Option<(Instant, Frame)>,
    /// Sequence number of the last frame from each neighbour, to detect duplicates (9.2.9).
    last_received: Map<NodeId, u32>,
    /// ns-2: when the data should be over that the last CTS allowed.
    data_expected_until: Instant,
}

impl Dcf {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        let exchange = Exchange::new(config, &setup.phy);
        let spaces = exchange.spaces(config.eifs);
        let timing = setup.phy.timing();
        let cw_bounds = (timing.cw_min, timing.cw_max);
        Self {
            config: config.clone(),
            exchange,
            contention: Contention::new(config.rules, spaces, cw_bounds, (setup.seed, setup.interface)),
            stage: Stage::Contending,
            is_transmitting: false,
            pending: None,
            number: 0,
            after_sifs: None,
            last_received: Map::new(),
            data_expected_until: Instant::ZERO,
        }
    }

    /// True while the pending frame waits for the medium.
    fn is_contending(&self) -> bool {
        self.pending.is_some() && self.stage == Stage::Contending
    }

    /// Takes the next packet from the queue, and transmits it at once if the medium allows.
    fn take_next(&mut self, io: &mut Io<'_>) {
        if self.pending.is_some() {
            return;
        }
        let Some(entry) = io.queue.pop(io.cx) else { return };
        self.number += 1;
        let part = Part { packet: entry.packet, next_hop: entry.next_hop };
        let size = entry.size + self.config.header.0 as u32;
        self.pending = Some(PendingFrame::new(part, size, self.exchange.data_length(size)));
        self.contention.on_frame_pending(io.cx.now, &io.carrier);
        self.transmit_if_allowed(io);
    }

    /// Transmits the pending frame or its RTS when the backoff is over.
    fn transmit_if_allowed(&mut self, io: &mut Io<'_>) {
        let is_free = !self.is_transmitting && self.after_sifs.is_none();
        if let Some(pending) = self.pending.filter(|_| is_free && self.stage == Stage::Contending)
            && self.contention.access_at() <= io.cx.now
        {
            self.contention.on_transmit();
            match pending.part.next_hop {
                NextHop::Node(to) if self.exchange.uses_rts(pending.size) => {
                    let rts = self.exchange.rts(&pending, self.number, io.node, to);
                    self.transmit_and_await(Response::Cts, rts, io);
                }
                NextHop::Node(_) => self.transmit_and_await(Response::Ack, self.data(&pending, io), io),
                NextHop::Everyone => {
                    self.stage = Stage::SendingBroadcast;
                    self.transmit(self.data(&pending, io), io);
                }
            }
        }
    }

    /// The pending data frame; a unicast frame carries a copy of the packet.
    fn data(&self, pending: &PendingFrame, io: &mut Io<'_>) -> Frame {
        let mut pending = *pending;
        if pending.part.next_hop != NextHop::Everyone {
            pending.part.packet = io.cx.packets.copy_for_attempt(pending.part.packet);
        }
        self.exchange.data(&pending, self.number, io.node)
    }

    fn transmit(&mut self, frame: Frame, io: &mut Io<'_>) {
        self.defer_after_cts(&frame, io.cx.now);
        self.contention.freeze(io.cx.now, self.is_contending());
        self.is_transmitting = true;
        io.cx.push(Effect::Transmit { interface: io.interface, frame });
    }

    /// Transmits a frame that needs a response. While the antenna transmits, nothing is received that could matter: the
    /// timeout is set at once.
    fn transmit_and_await(&mut self, response: Response, frame: Frame, io: &mut Io<'_>) {
        let data_length = self.pending.map_or(Duration::ZERO, |pending| pending.length);
        let timeout = self.exchange.timeout(response, data_length, io.cx.now);
        self.stage = Stage::Awaiting { response, timeout };
        self.contention.freeze(io.cx.now, false);
        io.cx.push(Effect::Transmit { interface: io.interface, frame });
    }

    /// The frame is due after SIFS, whatever the state of the medium.
    fn respond_after_sifs(&mut self, frame: Frame, io: &Io<'_>) {
        self.after_sifs = Some((self.exchange.after_sifs(io.cx.now), frame));
    }

    /// SIFS is over.
    fn transmit_after_sifs(&mut self, frame: Frame, io: &mut Io<'_>) {
        let is_data = self.stage == Stage::CtsReceived;
        match (self.is_blocked(&frame, io), is_data) {
            (false, true) => self.transmit_and_await(Response::Ack, frame, io),
            (false, false) => self.transmit(frame, io),
            (true, true) => self.repeat_rts(&frame, io),
            (true, false) => {}
        }
    }

    /// True when no other frame is transmitted or due.
    fn can_respond(&self) -> bool {
        self.after_sifs.is_none() && !self.is_transmitting
    }

    fn on_rts(&mut self, rts: &Frame, to: NodeId, io: &mut Io<'_>) {
        if to != io.node {
            return;
        }
        let is_nav_set = self.contention.is_nav_set(io.cx.now, &io.carrier);
        if (!is_nav_set || self.config.rules.ignores_nav_at_rts())
            && self.can_respond()
            && self.stage == Stage::Contending
        {
            self.respond_after_sifs(self.exchange.cts(rts, io.node), io);
        }
    }

    fn on_cts(&mut self, to: NodeId, io: &mut Io<'_>) {
        if to != io.node {
            return;
        }
        if let (Stage::Awaiting { response: Response::Cts, .. }, Some(pending)) =
            (self.stage, &mut self.pending)
            && self.after_sifs.is_none()
        {
            pending.on_cts();
            let pending = *pending;
            let data = self.data(&pending, io);
            self.stage = Stage::CtsReceived;
            self.respond_after_sifs(data, io);
        }
    }

    fn on_data(&mut self, frame: &Frame, io: &mut Io<'_>) {
        let [Some(part), _] = frame.parts else { return };
        let mut is_new = false;
        match part.next_hop {
            NextHop::Node(node) if node != io.node => {}
            NextHop::Node(_) if !self.accepts(frame, io.cx.now) => {}
            next_hop => {
                let before = self.last_received.insert(frame.sender, frame.number);
                is_new = !(frame.is_retry && before == Some(frame.number));
                if next_hop != NextHop::Everyone && self.can_respond() {
                    self.respond_after_sifs(self.exchange.ack(frame, io.node), io);
                }
            }
        }
        io.cx.push(Effect::Heard { interface: io.interface, frame: *frame, for_me: [is_new, false] });
    }

    fn on_ack(&mut self, to: NodeId, io: &mut Io<'_>) {
        if to == io.node && matches!(self.stage, Stage::Awaiting { response: Response::Ack, .. }) {
            self.finish(Ok(()), io);
            self.take_next(io);
        }
    }

    /// The exchange is over: the packet goes back to routing.
    fn finish(&mut self, result: Result<(), LinkFailure>, io: &mut Io<'_>) {
        self.stage = Stage::Contending;
        if let Some(PendingFrame { part, .. }) = self.pending.take() {
            io.cx.push(Effect::Sent { interface: io.interface, part, result });
        }
        self.contention.on_done(io.cx.now, &io.carrier);
    }

    fn is_response(&self, frame: &Frame, node: NodeId) -> bool {
        let Stage::Awaiting { response, .. } = self.stage else { return false };
        match (response, frame.kind) {
            (Response::Cts, FrameKind::ClearToSend { to })
            | (Response::Ack, FrameKind::Acknowledgement { to, .. }) => to == node,
            _ => false,
        }
    }

    fn retry_limit(&self, is_long: bool) -> u32 {
        if is_long { self.config.long_retry_limit } else { self.config.short_retry_limit }
    }

    /// CTS timeout or ACK timeout, if a response is awaited.
    fn on_timeout(&mut self, io: &mut Io<'_>) {
        let Stage::Awaiting { response, .. } = self.stage else { return };
        let Some(pending) = &mut self.pending else { return };
        let is_long = response == Response::Ack && self.exchange.uses_rts(pending.size);
        if pending.on_timeout(response, is_long) >= self.retry_limit(is_long) {
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
        if self.config.rules.awaits_reception() && !self.is_response(frame, io.node) {
            self.on_timeout(io);
        }
        match frame.kind {
            FrameKind::Data => self.on_data(frame, io),
            FrameKind::Acknowledgement { to, .. } => self.on_ack(to, io),
            FrameKind::RequestToSend { to } => self.on_rts(frame, to, io),
            FrameKind::ClearToSend { to } => self.on_cts(to, io),
            FrameKind::Tone => {}
        }
    }

    fn on_carrier(&mut self, io: &mut Io<'_>) {
        self.contention.catch_up(&io.carrier);
        let now = io.cx.now;
        if io.carrier.is_busy {
            // A station that transmits at this instant cannot have sensed the carrier.
            if !(self.is_contending() && self.contention.access_at() == now) {
                self.contention.freeze(now, self.is_contending());
            }
            return;
        }
        match self.stage {
            Stage::Awaiting { timeout: Instant::NEVER, .. } => self.on_timeout(io),
            _ => self.contention.resume(&io.carrier),
        }
    }

    fn watches_from(&self) -> Instant {
        match self.stage {
            Stage::Contending if self.pending.is_some() || self.contention.is_in_backoff() => {
                self.contention.watches_from(self.pending.is_some())
            }
            // When this reception ends without a frame, the response has timed out.
            Stage::Awaiting { timeout: Instant::NEVER, .. } => Instant::ZERO,
            _ => Instant::NEVER,
        }
    }

    /// Another frame than the response ends the wait for it.
    fn overhears(&self) -> bool {
        self.config.rules.awaits_reception() && matches!(self.stage, Stage::Awaiting { .. })
    }

    fn on_transmitted(&mut self, io: &mut Io<'_>) {
        self.contention.catch_up(&io.carrier);
        self.is_transmitting = false;
        if self.stage == Stage::SendingBroadcast {
            self.finish(Ok(()), io);
            self.take_next(io);
        } else {
            // A CTS or an ACK to another station.
            self.contention.resume(&io.carrier);
        }
    }

    fn awaits_end(&self) -> bool {
        self.is_transmitting
    }

    fn on_deadline(&mut self, io: &mut Io<'_>) {
        self.contention.catch_up(&io.carrier);
        let now = io.cx.now;
        if self.is_transmitting {
            return;
        }
        if let Some((_, frame)) = self.after_sifs.take_if(|(due, _)| *due <= now) {
            return self.transmit_after_sifs(frame, io);
        }
        match &mut self.stage {
            Stage::Awaiting { timeout, .. }
                if *timeout <= now && io.carrier.is_busy && self.config.rules.awaits_reception() =>
            {
                *timeout = Instant::NEVER;
            }
            Stage::Awaiting { timeout, .. } if *timeout <= now => self.on_timeout(io),
            _ => self.transmit_if_allowed(io),
        }
    }

    fn deadline(&self) -> Instant {
        if self.is_transmitting {
            return Instant::NEVER;
        }
        let own = match self.stage {
            // A response goes first.
            Stage::Contending if self.pending.is_some() && self.after_sifs.is_none() => {
                self.contention.access_at()
            }
            Stage::Awaiting { timeout, .. } => timeout,
            _ => Instant::NEVER,
        };
        self.after_sifs.map_or(own, |(due, _)| own.min(due))
    }

    fn held(&self) -> Vec<PacketId> {
        let due = self.after_sifs.iter().flat_map(|(_, frame)| frame.parts.iter().flatten());
        due.chain(self.pending.iter().map(|pending| &pending.part)).map(|part| part.packet).collect()
    }
}
