//! M. Molins, M. Stojanovic, "Slotted FAMA: a MAC protocol for underwater acoustic networks", OCEANS 2006 Asia Pacific.
//!
//! Every frame begins at the start of a slot. A slot is so long that an RTS or a CTS is received everywhere before the next
//! slot begins, so that every station has set its NAV in time. RTS, CTS, data and acknowledgement follow
//! each other in slots. A station that overhears an RTS defers for two slots; one that overhears a CTS, until the acknowledgement
//! is over.
//!
//! Equations: slot = max_propagation_delay + T_control + guard; data take ceil((T_data + max_propagation_delay)/slot) slots; after a timeout
//! the backoff is uniform from 0 to `backoff` slots. Left out: trains of frames, priority for the last receiver.

use farlink_kernel::random::name_key;
use farlink_kernel::{Bytes, Diagnostic, Duration, Instant, config};

use super::stop_and_wait::{Protocol, StopAndWait, has_link};
use super::{DelayBound, Io, Parameters, Properties, Setup};
use crate::frame::{Frame, FrameKind};
use crate::hop::NextHop;
use crate::ids::NodeId;
use crate::phy::Phy;

pub(super) const SOURCE: &str = "Molins, Stojanovic, OCEANS 2006";

config! {
    /// Parameters of slotted FAMA (floor acquisition multiple access). Defaults: for neighbours 70 m apart.
    pub struct Config {
        /// Longest propagation delay between neighbours.
        pub max_propagation_delay: Duration = Duration::from_micros(46_700),
        /// Margin of a slot.
        pub guard: Duration = Duration::from_millis(1),
        /// Longest backoff in slots after a CTS or acknowledgement timeout.
        pub backoff: u32 = 4,
        /// Retransmissions of the RTS before the link counts as failed.
        pub retries: u32 = 7,
        /// Length of the header of a data frame.
        pub header: Bytes = Bytes(10); in ..=Bytes(65_535),
        /// Length of an RTS, a CTS and an acknowledgement.
        pub control: Bytes = Bytes(14); in ..=Bytes(65_535),
    }
}

impl Parameters for Config {
    fn properties(&self, _phy: &dyn Phy) -> Properties {
        Properties::of_own_frames(
            4,
            (self.max_propagation_delay + self.guard).saturating_mul(4),
            DelayBound::Planned(self.max_propagation_delay),
        )
    }

    fn check(&self, _phy: &dyn Phy, _largest: Bytes) -> Result<(), Diagnostic> {
        Ok(())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// There is none, or a broadcast is transmitted.
    Idle,
    Contending(Instant),
    AwaitingCts(Instant),
    CtsReceived(Instant),
    AwaitingAcknowledgement(Instant),
}

#[derive(Debug)]
pub(crate) struct SlottedFama {
    config: Config,
    link: StopAndWait,
    slot: Duration,
    stage: Stage,
    /// A CTS or an acknowledgement, and the slot it is due in.
    response: Option<(Instant, Frame)>,
    nav_until: Instant,
    backoffs: u32,
}

impl SlottedFama {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        let link = StopAndWait::new(setup, name_key("slotted_fama"), true, config.header, config.control);
        let turnarounds = setup.phy.turnaround() * 2;
        let slot = config.max_propagation_delay + link.control_time() + config.guard + turnarounds;
        Self {
            config: config.clone(),
            link,
            slot: slot.max(Duration::from_nanos(1)),
            stage: Stage::Idle,
            response: None,
            nav_until: Instant::ZERO,
            backoffs: 0,
        }
    }

    fn slot_start(&self, now: Instant) -> Instant {
        now - Duration::from_nanos(now.as_nanos() % self.slot.as_nanos())
    }

    /// The first slot that starts at `earliest` or later.
    fn slot_from(&self, earliest: Instant) -> Instant {
        let start = self.slot_start(earliest);
        if start == earliest { start } else { self.slots_after(start, 1) }
    }

    fn slots_after(&self, start: Instant, slots: u64) -> Instant {
        start.saturating_add(self.slot.saturating_mul(slots))
    }

    fn next_slot(&self, now: Instant) -> Instant {
        self.slots_after(self.slot_start(now), 1)
    }

    /// Contends again after a backoff, when the NAV is over.
    fn back_off(&mut self, now: Instant) {
        self.backoffs += 1;
        let slots = self.link.draw_nth(self.backoffs) * (f64::from(self.config.backoff) + 1.0);
        let first = self.slot_from(now.max(self.nav_until).max(self.next_slot(now)));
        self.stage = Stage::Contending(self.slots_after(first, slots as u64));
    }

    fn data_slots(&self, io: &Io<'_>) -> u64 {
        let length = self.link.data_time(io) + self.config.max_propagation_delay;
        length.as_nanos().div_ceil(self.slot.as_nanos())
    }

    /// The RTS, with the slots of data and acknowledgement in its Duration field.
    fn rts(&self, to: NodeId, io: &Io<'_>) -> Frame {
        let duration = self.slot.saturating_mul(self.data_slots(io) + 1);
        Frame { duration, ..self.link.control(FrameKind::RequestToSend { to }, io) }
    }

    fn contend(&mut self, io: &mut Io<'_>) {
        let now = io.cx.now;
        if io.carrier.is_busy || self.nav_until > now || self.response.is_some() {
            return self.back_off(now);
        }
        match self.link.own().map(|part| part.next_hop) {
            Some(NextHop::Node(to)) => {
                let rts = self.rts(to, io);
                self.stage = Stage::AwaitingCts(self.slots_after(self.slot_start(now), 2));
                self.link.send_control(rts, io);
            }
            Some(NextHop::Everyone) => {
                self.stage = Stage::Idle;
                self.link.send_data(io);
            }
            None => self.stage = Stage::Idle,
        }
    }

    fn set_nav(&mut self, until: Instant) {
        self.nav_until = self.nav_until.max(until);
    }

    fn on_rts(&mut self, frame: &Frame, to: NodeId, io: &mut Io<'_>) {
        let next = self.next_slot(io.cx.now);
        if to != io.node {
            // The slot of the CTS, and the first of the data, in which its carrier is sensed.
            return self.set_nav(self.slots_after(next, 2));
        }
        let is_free = matches!(self.stage, Stage::Idle | Stage::Contending(_)) && self.response.is_none();
        if is_free && self.nav_until <= next {
            let kind = FrameKind::ClearToSend { to: frame.sender };
            let cts = Frame { duration: frame.duration, ..self.link.control(kind, io) };
            self.response = Some((next, cts));
            self.set_nav(self.slots_after(next, 1).saturating_add(frame.duration));
        }
    }

    fn on_cts(&mut self, frame: &Frame, to: NodeId, io: &Io<'_>) {
        let next = self.next_slot(io.cx.now);
        if to != io.node {
            self.set_nav(next.saturating_add(frame.duration));
        } else if let Stage::AwaitingCts(_) = self.stage {
            self.stage = Stage::CtsReceived(next);
        }
    }
}

impl Protocol for SlottedFama {
    has_link!();

    fn on_packet(&mut self, io: &mut Io<'_>) {
        self.backoffs = 0;
        self.stage = Stage::Contending(self.slot_from(io.cx.now.max(self.nav_until)));
    }

    fn acknowledge(&mut self, frame: Frame, io: &mut Io<'_>) {
        let next = self.next_slot(io.cx.now);
        self.response = Some((next, frame));
        self.set_nav(self.slots_after(next, 1));
    }

    fn on_acknowledged(&mut self) {
        self.stage = Stage::Idle;
    }

    fn on_reservation(&mut self, frame: &Frame, io: &mut Io<'_>) {
        match frame.kind {
            FrameKind::RequestToSend { to } => self.on_rts(frame, to, io),
            FrameKind::ClearToSend { to } => self.on_cts(frame, to, io),
            _ => {}
        }
    }

    fn overhears(&self) -> bool {
        true
    }

    fn on_timer(&mut self, io: &mut Io<'_>) {
        let now = io.cx.now;
        if let Some((_, response)) = self.response.take_if(|(due, _)| *due <= now) {
            return self.link.send_control(response, io);
        }
        match self.stage {
            Stage::Contending(due) if due <= now => self.contend(io),
            Stage::CtsReceived(due) if due <= now => {
                let over = self.slots_after(self.slot_start(now), self.data_slots(io) + 1);
                self.stage = Stage::AwaitingAcknowledgement(over);
                self.link.send_data(io);
            }
            Stage::AwaitingCts(timeout) | Stage::AwaitingAcknowledgement(timeout) if timeout <= now => {
                match self.link.on_timeout(self.config.retries, io) {
                    Some(_) => self.back_off(now),
                    None => self.stage = Stage::Idle,
                }
            }
            _ => {}
        }
    }

    fn timer(&self) -> Instant {
        let own = match self.stage {
            Stage::Idle => Instant::NEVER,
            Stage::Contending(at)
            | Stage::AwaitingCts(at)
            | Stage::CtsReceived(at)
            | Stage::AwaitingAcknowledgement(at) => at,
        };
        self.response.map_or(own, |(due, _)| own.min(due))
    }
}
