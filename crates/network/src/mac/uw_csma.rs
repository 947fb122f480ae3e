//! Carrier sense, link acknowledgements and exponential backoff after IEEE 802.11-1999, clause 9.2, with times for
//! underwater acoustic propagation.
//!
//! Before every frame the medium must be idle for `ifs` and for a backoff of random slots, which is frozen while the
//! medium is busy. A slot is as long as a round trip, so that of two stations with different backoffs the later one senses the
//! earlier, and an acknowledgement begins within `ifs`. The receiver acknowledges at once. When the acknowledgement times
//! out, the contention window doubles and the frame is retransmitted.
//!
//! Equations: the backoff is uniform from 0 to CW slots, CW = min(cw_min 2^n, cw_max) at retransmission n; the acknowledgement
//! timeout is 2 (max_propagation_delay + T_ack) + guard from the end of the frame. Left out: RTS, CTS, NAV.

use farlink_kernel::config::above;
use farlink_kernel::random::name_key;
use farlink_kernel::{Bytes, Diagnostic, Duration, Instant, config};

use super::stop_and_wait::{Protocol, StopAndWait, Transmitting, has_link};
use super::{DelayBound, Io, Parameters, Properties, Setup};
use crate::frame::Frame;
use crate::phy::Phy;

pub(super) const SOURCE: &str = "after IEEE 802.11-1999, with times for underwater acoustics";

config! {
    /// Parameters of underwater carrier sense. Defaults: for neighbours 70 m apart.
    pub struct Config {
        /// How long the medium must be idle before the backoff counts (DIFS of 802.11).
        pub ifs: Duration = Duration::from_millis(100),
        /// Slot of the backoff: at least twice the longest propagation delay.
        pub slot: Duration = Duration::from_millis(100); in above(Duration::ZERO),
        /// Smallest contention window in slots.
        pub cw_min: u32 = 4,
        /// Largest contention window in slots.
        pub cw_max: u32 = 64; in ..=100_000,
        /// Retransmissions before the link counts as failed.
        pub retries: u32 = 7,
        /// Longest propagation delay between neighbours.
        pub max_propagation_delay: Duration = Duration::from_micros(46_700),
        /// Margin of the acknowledgement timeout.
        pub guard: Duration = Duration::from_millis(1),
        /// Length of the header of a data frame.
        pub header: Bytes = Bytes(0); in ..=Bytes(65_535),
        /// Length of an acknowledgement.
        pub acknowledgement: Bytes = Bytes(14); in ..=Bytes(65_535),
    }
    where cw_min <= cw_max
}

impl Parameters for Config {
    fn properties(&self, _phy: &dyn Phy) -> Properties {
        Properties::of_own_frames(
            2,
            self.ifs.saturating_add(self.slot.saturating_mul(u64::from(self.cw_min)) / 2),
            DelayBound::Planned(self.max_propagation_delay),
        )
    }

    fn check(&self, _phy: &dyn Phy, _largest: Bytes) -> Result<(), Diagnostic> {
        Ok(())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Idle,
    /// It waits for the medium, which is idle `since` then; `backoff` slots remain.
    Contending {
        backoff: u64,
        since: Option<Instant>,
    },
    AwaitingAcknowledgement(Instant),
}

#[derive(Debug)]
pub(crate) struct UwCsma {
    config: Config,
    link: StopAndWait,
    stage: Stage,
}

impl UwCsma {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        let (header, control) = (config.header, config.acknowledgement);
        let link = StopAndWait::new(setup, name_key("uw_csma"), true, header, control);
        Self { config: config.clone(), link, stage: Stage::Idle }
    }

    /// Draws the backoff of a retransmission, or of the first attempt, 0.
    fn contend(&mut self, retransmission: u32, io: &Io<'_>) {
        let doubled = self.config.cw_min.saturating_mul(1 << retransmission.min(20));
        let cw = f64::from(doubled.min(self.config.cw_max));
        let backoff = (self.link.draw() * (cw + 1.0)) as u64;
        self.stage = Stage::Contending { backoff, since: None };
        self.resume(io);
    }

    /// The backoff counts from now on if the medium is idle.
    fn resume(&mut self, io: &Io<'_>) {
        let is_idle = !io.carrier.is_busy && !self.link.is_transmitting();
        if let Stage::Contending { since: since @ None, .. } = &mut self.stage
            && is_idle
        {
            *since = Some(io.cx.now);
        }
    }

    /// The medium is busy: the backoff keeps the slots that have not passed.
    fn freeze(&mut self, now: Instant) {
        if let Stage::Contending { backoff, since } = &mut self.stage
            && let Some(since) = since.take()
        {
            let counted = now.saturating_since(since).saturating_sub(self.config.ifs);
            *backoff -= (*backoff).min(counted.as_nanos() / self.config.slot.as_nanos());
        }
    }
}

impl Protocol for UwCsma {
    has_link!();

    fn on_packet(&mut self, io: &mut Io<'_>) {
        self.contend(0, io);
    }

    fn acknowledge(&mut self, frame: Frame, io: &mut Io<'_>) {
        self.freeze(io.cx.now);
        self.link.send_control(frame, io);
    }

    fn on_acknowledged(&mut self) {
        self.stage = Stage::Idle;
    }

    fn on_transmitted(&mut self, sent: Transmitting, io: &mut Io<'_>) {
        if sent == Transmitting::Data {
            let wait = (self.config.max_propagation_delay + self.link.control_time()) * 2 + self.config.guard;
            let is_expected = self.link.expects_acknowledgement();
            self.stage =
                if is_expected { Stage::AwaitingAcknowledgement(io.cx.now + wait) } else { Stage::Idle };
        }
        self.resume(io);
    }

    fn on_carrier(&mut self, io: &mut Io<'_>) {
        match io.carrier.is_busy {
            // A station that transmits at this instant cannot have sensed the carrier.
            true if self.senses_carrier() && self.timer() == io.cx.now => {}
            true => self.freeze(io.cx.now),
            false => self.resume(io),
        }
    }

    fn senses_carrier(&self) -> bool {
        matches!(self.stage, Stage::Contending { .. })
    }

    fn on_timer(&mut self, io: &mut Io<'_>) {
        if self.timer() > io.cx.now {
            return;
        }
        match self.stage {
            Stage::Contending { .. } => {
                self.stage = Stage::Idle;
                self.link.send_data(io);
            }
            Stage::AwaitingAcknowledgement(_) => match self.link.on_timeout(self.config.retries, io) {
                Some(retransmission) => self.contend(retransmission, io),
                None => self.stage = Stage::Idle,
            },
            Stage::Idle => {}
        }
    }

    fn timer(&self) -> Instant {
        match self.stage {
            Stage::Contending { backoff, since: Some(since) } => {
                let slots = self.config.slot.saturating_mul(backoff);
                since.saturating_add(self.config.ifs).saturating_add(slots)
            }
            Stage::AwaitingAcknowledgement(at) => at,
            Stage::Contending { since: None, .. } | Stage::Idle => Instant::NEVER,
        }
    }
}
