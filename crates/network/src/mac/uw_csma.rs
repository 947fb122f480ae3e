//! Carrier sense, link acknowledgements and exponential backoff, as of IEEE 802.11-1999, clause 9.2, with times that
//! sound in water needs.
//!
//! Before every frame a station waits until the medium was idle for `ifs` and for a random number of slots,
//! which stand still while somebody is heard. A slot is as long as a signal takes there and back, so that of two
//! stations that draw different slots the later one hears the earlier, and the answer to a frame comes within
//! `ifs`. The receiver acknowledges at once. Without an answer the window doubles and the frame is sent again.
//!
//! Equations: the number of slots is uniform from 0 to CW, CW = min(cw_min 2^n, cw_max) at try n; the wait for the
//! answer is 2 (max_propagation_delay + T_ack) + guard from the end of the frame. Left out: requests and reservations,
//! a window that shrinks slowly.

use farlink_kernel::config::above;
use farlink_kernel::random::name_key;
use farlink_kernel::{Bytes, Duration, Instant, config};

use super::custody::{AtAntenna, Custody};
use super::{Io, Mac, Setup};
use crate::frame::{Frame, FrameKind};
use crate::ids::PacketId;

/// Where the protocol stands.
pub const SOURCE: &str = "after IEEE 802.11-1999, with times for sound";

config! {
    /// Parameters of carrier sense under water. Defaults: for neighbours 70 m apart.
    pub struct Config {
        /// How long the medium must have been idle.
        pub ifs: Duration = Duration::from_millis(100),
        /// A slot of the backoff: at least twice the longest propagation.
        pub slot: Duration = Duration::from_millis(100); in above(Duration::ZERO),
        /// First window: from 0 to so many slots pass before a frame.
        pub cw_min: u32 = 4,
        /// Largest window.
        pub cw_max: u32 = 64; in ..=100_000,
        /// How often a frame is sent again before the link counts as failed.
        pub retries: u32 = 7,
        /// How long sound takes between neighbours at most.
        pub max_propagation_delay: Duration = Duration::from_micros(46_700),
        /// What is added to the wait for an answer.
        pub guard: Duration = Duration::from_millis(1),
        /// Length of a frame's header.
        pub header: Bytes = Bytes(0); in ..=Bytes(65_535),
        /// Length of an acknowledgement.
        pub acknowledgement: Bytes = Bytes(14); in ..=Bytes(65_535),
    }
    where cw_min <= cw_max
}

/// Where the own frame stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// There is none, or it is at the antenna.
    Idle,
    /// It waits for the medium: so many slots are left, and since when they count, if they do.
    Contending { left: u64, since: Option<Instant> },
    /// Its acknowledgement may come until then.
    Waiting(Instant),
}

/// The protocol at work at one interface.
#[derive(Debug)]
pub struct UwCsma {
    config: Config,
    custody: Custody,
    stage: Stage,
}

impl UwCsma {
    /// An idle interface.
    pub fn new(config: &Config, setup: &Setup) -> Self {
        let (header, control) = (config.header, config.acknowledgement);
        let custody = Custody::new(setup, name_key("uw_csma"), true, header, control);
        Self { config: config.clone(), custody, stage: Stage::Idle }
    }

    fn take_next(&mut self, io: &mut Io<'_>) {
        if self.custody.take_next(io) {
            self.contend(0, io);
        }
    }

    /// Draws the slots of the `tries`th repetition.
    fn contend(&mut self, tries: u32, io: &Io<'_>) {
        let doubled = self.config.cw_min.saturating_mul(1 << tries.min(20));
        let window = f64::from(doubled.min(self.config.cw_max));
        let left = (self.custody.luck() * (window + 1.0)) as u64;
        self.stage = Stage::Contending { left, since: None };
        self.resume(io);
    }

    /// The slots count from now on, if nobody is heard.
    fn resume(&mut self, io: &Io<'_>) {
        let is_free = !io.carrier.is_busy && !self.custody.is_sending();
        if let Stage::Contending { since: since @ None, .. } = &mut self.stage
            && is_free
        {
            *since = Some(io.cx.now);
        }
    }

    /// Somebody is heard: what has passed of the slots is not waited for again.
    fn freeze(&mut self, now: Instant) {
        if let Stage::Contending { left, since } = &mut self.stage
            && let Some(since) = since.take()
        {
            let counted = now.saturating_since(since).saturating_sub(self.config.ifs);
            *left -= (*left).min(counted.as_nanos() / self.config.slot.as_nanos());
        }
    }

    fn access_at(&self) -> Instant {
        match self.stage {
            Stage::Contending { left, since: Some(since) } => {
                since.saturating_add(self.config.ifs).saturating_add(self.config.slot.saturating_mul(left))
            }
            _ => Instant::NEVER,
        }
    }
}

impl Mac for UwCsma {
    fn on_queued(&mut self, io: &mut Io<'_>) {
        self.take_next(io);
    }

    fn on_frame(&mut self, frame: &Frame, io: &mut Io<'_>) {
        if frame.kind == FrameKind::Data {
            // Who makes out a frame is not sending.
            if let Some(answer) = self.custody.on_data(frame, io) {
                self.freeze(io.cx.now);
                self.custody.send(answer, io);
            }
        } else if self.custody.on_acknowledgement(frame, io) {
            self.stage = Stage::Idle;
            self.take_next(io);
        }
    }

    fn on_antenna_free(&mut self, io: &mut Io<'_>) {
        if self.custody.on_antenna_free(io) == AtAntenna::Own {
            let wait =
                (self.config.max_propagation_delay + self.custody.control_time()) * 2 + self.config.guard;
            let awaits = self.custody.awaits_answer();
            self.stage = if awaits { Stage::Waiting(io.cx.now + wait) } else { Stage::Idle };
        }
        self.resume(io);
        self.take_next(io);
    }

    fn on_carrier(&mut self, io: &mut Io<'_>) {
        match io.carrier.is_busy {
            // Who begins in this very moment cannot have noticed.
            true if self.access_at() == io.cx.now => {}
            true => self.freeze(io.cx.now),
            false => self.resume(io),
        }
    }

    fn watches_from(&self) -> Instant {
        if matches!(self.stage, Stage::Contending { .. }) { Instant::ZERO } else { Instant::NEVER }
    }

    fn overhears(&self) -> bool {
        false
    }

    fn on_deadline(&mut self, io: &mut Io<'_>) {
        let now = io.cx.now;
        if self.custody.is_sending() {
            return;
        }
        match self.stage {
            Stage::Contending { .. } if self.access_at() <= now => {
                self.stage = Stage::Idle;
                self.custody.send_own(io);
            }
            Stage::Waiting(until) if until <= now => match self.custody.on_silence(self.config.retries, io) {
                Some(tries) => self.contend(tries, io),
                None => self.stage = Stage::Idle,
            },
            _ => {}
        }
    }

    fn deadline(&self) -> Instant {
        match self.stage {
            _ if self.custody.is_sending() => Instant::NEVER,
            Stage::Waiting(until) => until,
            _ => self.access_at(),
        }
    }

    fn held(&self) -> Vec<PacketId> {
        self.custody.held()
    }
}
