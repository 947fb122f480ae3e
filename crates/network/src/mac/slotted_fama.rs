//! M. Molins, M. Stojanovic, "Slotted FAMA: a MAC protocol for underwater acoustic networks", OCEANS 2006 Asia Pacific.
//!
//! Every frame begins where a slot begins, and a slot is so long that a request or its answer is over everywhere
//! before the next one begins: no collision of short frames lasts, and nobody is told too late that the medium is
//! taken. The station asks, is answered in the next slot, sends its data in the one after, and is acknowledged in
//! the slot after that. Who hears a request for another keeps still for two slots; who hears an answer, until
//! data and acknowledgement are over.
//!
//! Equations: slot = max_propagation_delay + T_control + guard; data take ceil((T_data + max_propagation_delay)/slot) slots; a
//! station that is not answered waits for a number of slots that is uniform from 0 to `backoff`. Left out: trains of
//! frames, priority for who has just received.

use farlink_kernel::random::name_key;
use farlink_kernel::{Bytes, Duration, Instant, config};

use super::custody::{AtAntenna, Custody};
use super::{Io, Mac, Setup};
use crate::frame::{Frame, FrameKind};
use crate::hop::NextHop;
use crate::ids::PacketId;

/// Where the protocol stands.
pub const SOURCE: &str = "Molins, Stojanovic, OCEANS 2006";

config! {
    /// Parameters of slotted floor acquisition. Defaults: for neighbours 70 m apart.
    pub struct Config {
        /// How long sound takes between neighbours at most.
        pub max_propagation_delay: Duration = Duration::from_micros(46_700),
        /// What is added to a slot.
        pub guard: Duration = Duration::from_millis(1),
        /// A station that is not answered waits for 0 to so many slots.
        pub backoff: u32 = 4,
        /// How often it asks again before the link counts as failed.
        pub retries: u32 = 7,
        /// Length of a frame's header.
        pub header: Bytes = Bytes(10); in ..=Bytes(65_535),
        /// Length of a request, its answer, and an acknowledgement.
        pub control: Bytes = Bytes(14); in ..=Bytes(65_535),
    }
}

/// Where the own frame stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// There is none, or something of it is at the antenna.
    Idle,
    /// The request, or a frame to everyone, is due then.
    Asking(Instant),
    /// The answer may come until then.
    AwaitingClearance(Instant),
    /// The frame is due then.
    Allowed(Instant),
    /// Its acknowledgement may come until then.
    AwaitingAcknowledgement(Instant),
}

/// The protocol at work at one interface.
#[derive(Debug)]
pub struct SlottedFama {
    config: Config,
    custody: Custody,
    slot: Duration,
    stage: Stage,
    /// An answer, and the slot it is due in.
    answer: Option<(Instant, Frame)>,
    /// Others have the medium until then.
    quiet_until: Instant,
    deferrals: u32,
}

impl SlottedFama {
    /// An idle interface.
    pub fn new(config: &Config, setup: &Setup) -> Self {
        let custody = Custody::new(setup, name_key("slotted_fama"), true, config.header, config.control);
        let around = setup.phy.turnaround() * 2;
        let slot = config.max_propagation_delay + custody.control_time() + config.guard + around;
        Self {
            config: config.clone(),
            custody,
            slot: slot.max(Duration::from_nanos(1)),
            stage: Stage::Idle,
            answer: None,
            quiet_until: Instant::ZERO,
            deferrals: 0,
        }
    }

    /// Where the present slot began.
    fn slot_of(&self, now: Instant) -> Instant {
        now - Duration::from_nanos(now.as_nanos() % self.slot.as_nanos())
    }

    /// The first slot that begins at `earliest` or later.
    fn slot_from(&self, earliest: Instant) -> Instant {
        let begun = self.slot_of(earliest);
        if begun == earliest { begun } else { self.slots_after(begun, 1) }
    }

    /// So many slots later.
    fn slots_after(&self, begun: Instant, slots: u64) -> Instant {
        begun.saturating_add(self.slot.saturating_mul(slots))
    }

    /// The slot after the present one.
    fn next_slot(&self, now: Instant) -> Instant {
        self.slots_after(self.slot_of(now), 1)
    }

    fn take_next(&mut self, io: &mut Io<'_>) {
        if self.custody.take_next(io) {
            self.deferrals = 0;
            self.stage = Stage::Asking(self.slot_from(io.cx.now.max(self.quiet_until)));
        }
    }

    /// Asks again a random number of slots after others are done.
    fn back_off(&mut self, now: Instant) {
        self.deferrals += 1;
        let slots = self.custody.luck_again(self.deferrals) * (f64::from(self.config.backoff) + 1.0);
        let first = self.slot_from(now.max(self.quiet_until).max(self.next_slot(now)));
        self.stage = Stage::Asking(self.slots_after(first, slots as u64));
    }

    /// How many slots the own frame takes.
    fn slots_of_data(&self, io: &Io<'_>) -> u64 {
        let length = self.custody.air_time(io) + self.config.max_propagation_delay;
        length.as_nanos().div_ceil(self.slot.as_nanos())
    }

    /// The own request, which says how many slots follow the answer's: those of the data and the acknowledgement.
    fn request(&self, to: u32, io: &Io<'_>) -> Frame {
        let follow = self.slot.saturating_mul(self.slots_of_data(io) + 1);
        Frame { reserved: follow, ..self.custody.control(FrameKind::RequestToSend { to }, io) }
    }

    fn begin(&mut self, io: &mut Io<'_>) {
        let now = io.cx.now;
        if io.carrier.is_busy || self.quiet_until > now || self.answer.is_some() {
            return self.back_off(now);
        }
        match self.custody.own().map(|part| part.next_hop) {
            Some(NextHop::Node(to)) => {
                let request = self.request(to, io);
                self.stage = Stage::AwaitingClearance(self.slots_after(self.slot_of(now), 2));
                self.custody.send(request, io);
            }
            Some(NextHop::Everyone) => {
                self.stage = Stage::Idle;
                self.custody.send_own(io);
            }
            None => self.stage = Stage::Idle,
        }
    }

    fn keep_quiet(&mut self, until: Instant) {
        self.quiet_until = self.quiet_until.max(until);
    }

    fn on_request(&mut self, frame: &Frame, to: u32, io: &mut Io<'_>) {
        let next = self.next_slot(io.cx.now);
        if to != io.node {
            // The answer's slot, and the first of the data, in which their carrier is heard.
            return self.keep_quiet(self.slots_after(next, 2));
        }
        let is_free = matches!(self.stage, Stage::Idle | Stage::Asking(_)) && self.answer.is_none();
        if is_free && self.quiet_until <= next {
            let kind = FrameKind::ClearToSend { to: frame.sender };
            let clearance = Frame { reserved: frame.reserved, ..self.custody.control(kind, io) };
            self.answer = Some((next, clearance));
            self.keep_quiet(self.slots_after(next, 1).saturating_add(frame.reserved));
        }
    }

    fn on_clearance(&mut self, frame: &Frame, to: u32, io: &Io<'_>) {
        let next = self.next_slot(io.cx.now);
        if to != io.node {
            self.keep_quiet(next.saturating_add(frame.reserved));
        } else if let Stage::AwaitingClearance(_) = self.stage {
            self.stage = Stage::Allowed(next);
        }
    }

    fn on_silence(&mut self, io: &mut Io<'_>) {
        match self.custody.on_silence(self.config.retries, io) {
            Some(_) => self.back_off(io.cx.now),
            None => self.stage = Stage::Idle,
        }
    }
}

impl Mac for SlottedFama {
    fn on_queued(&mut self, io: &mut Io<'_>) {
        self.take_next(io);
    }

    fn on_frame(&mut self, frame: &Frame, io: &mut Io<'_>) {
        match frame.kind {
            FrameKind::Data => {
                let answer = self.custody.on_data(frame, io);
                let next = self.next_slot(io.cx.now);
                if let Some(answer) = answer {
                    self.answer = Some((next, answer));
                    self.keep_quiet(self.slots_after(next, 1));
                }
            }
            FrameKind::RequestToSend { to } => self.on_request(frame, to, io),
            FrameKind::ClearToSend { to } => self.on_clearance(frame, to, io),
            FrameKind::Acknowledgement { .. } => {
                if self.custody.on_acknowledgement(frame, io) {
                    self.stage = Stage::Idle;
                    self.take_next(io);
                }
            }
            FrameKind::Tone => {}
        }
    }

    fn on_antenna_free(&mut self, io: &mut Io<'_>) {
        if self.custody.on_antenna_free(io) == AtAntenna::Own {
            self.take_next(io);
        }
    }

    fn on_deadline(&mut self, io: &mut Io<'_>) {
        let now = io.cx.now;
        if self.custody.is_sending() {
            return;
        }
        if let Some((_, answer)) = self.answer.take_if(|(due, _)| *due <= now) {
            return self.custody.send(answer, io);
        }
        match self.stage {
            Stage::Asking(due) if due <= now => self.begin(io),
            Stage::Allowed(due) if due <= now => {
                let over = self.slots_after(self.slot_of(now), self.slots_of_data(io) + 1);
                self.stage = Stage::AwaitingAcknowledgement(over);
                self.custody.send_own(io);
            }
            Stage::AwaitingClearance(until) | Stage::AwaitingAcknowledgement(until) if until <= now => {
                self.on_silence(io);
            }
            _ => {}
        }
    }

    fn deadline(&self) -> Instant {
        if self.custody.is_sending() {
            return Instant::NEVER;
        }
        let own = match self.stage {
            Stage::Idle => Instant::NEVER,
            Stage::Asking(at)
            | Stage::AwaitingClearance(at)
            | Stage::Allowed(at)
            | Stage::AwaitingAcknowledgement(at) => at,
        };
        self.answer.map_or(own, |(due, _)| own.min(due))
    }

    fn held(&self) -> Vec<PacketId> {
        self.custody.held()
    }
}
