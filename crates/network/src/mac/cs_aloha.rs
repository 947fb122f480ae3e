//! F. Guerra, P. Casari, M. Zorzi, "World Ocean Simulation System (WOSS): a simulation tool for underwater networks
//! with realistic propagation modeling", WUWNet 2009: CSMA-ALOHA.
//!
//! ALOHA with a short random sensing period, shorter than the propagation through the network. A station that senses no
//! carrier in that time transmits; otherwise it senses again when the medium is idle. This avoids collisions that the
//! sender itself could detect, and no others. A frame that is not acknowledged is retransmitted after a random backoff.
//!
//! Equations: the sensing period is uniform below `listen`; the backoff before retransmission n is uniform below
//! `backoff` 2^min(n, 4). Left out: nothing that the published implementations agree on.

use farlink_kernel::config::above;
use farlink_kernel::random::name_key;
use farlink_kernel::{Bytes, Diagnostic, Duration, Instant, config};

use super::stop_and_wait::{Protocol, StopAndWait, Transmitting, has_link};
use super::{DelayBound, Io, Parameters, Properties, Setup};
use crate::phy::Phy;

pub(super) const SOURCE: &str = "Guerra, Casari, Zorzi, WUWNet 2009";

const MAX_BACKOFF_EXPONENT: u32 = 4;

config! {
    /// Parameters of ALOHA with carrier sense.
    pub struct Config {
        /// Frames are acknowledged on the link, and retransmitted without an acknowledgement.
        pub acknowledge: bool = true,
        /// Longest sensing period before a frame.
        pub listen: Duration = Duration::from_millis(500); in above(Duration::ZERO),
        /// Retransmissions before the link counts as failed.
        pub retries: u32 = 5,
        /// Acknowledgement timeout, from the end of a frame.
        pub timeout: Duration = Duration::from_secs(5); in above(Duration::ZERO),
        /// The backoff before a retransmission is uniform below this times two to the number of retransmissions, at most 16.
        pub backoff: Duration = Duration::from_secs(1); in above(Duration::ZERO),
        /// Length of the header of a data frame.
        pub header: Bytes = Bytes(10); in ..=Bytes(65_535),
        /// Length of an acknowledgement.
        pub acknowledgement: Bytes = Bytes(10); in ..=Bytes(65_535),
    }
}

impl Parameters for Config {
    fn properties(&self, phy: &dyn Phy) -> Properties {
        let delay_bound = if self.acknowledge {
            DelayBound::acknowledged(self.timeout, self.acknowledgement, phy)
        } else {
            DelayBound::Unbounded
        };
        Properties::of_own_frames(1 + u32::from(self.acknowledge), self.listen / 2, delay_bound)
    }

    fn check(&self, _phy: &dyn Phy, _largest: Bytes) -> Result<(), Diagnostic> {
        Ok(())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Idle,
    /// The sensing period ends then; [`Instant::NEVER`]: the medium is busy.
    Sensing(Instant),
    AwaitingAcknowledgement(Instant),
    Backoff(Instant),
}

#[derive(Debug)]
pub(crate) struct CsAloha {
    config: Config,
    link: StopAndWait,
    stage: Stage,
    periods: u32,
}

impl CsAloha {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        let (header, control) = (config.header, config.acknowledgement);
        let link = StopAndWait::new(setup, name_key("cs_aloha"), config.acknowledge, header, control);
        Self { config: config.clone(), link, stage: Stage::Idle, periods: 0 }
    }

    fn sense(&mut self, io: &Io<'_>) {
        let until = if io.carrier.is_busy || self.link.is_transmitting() {
            Instant::NEVER
        } else {
            self.periods += 1;
            io.cx.now.saturating_add(self.config.listen.mul_f64(self.link.draw_nth(self.periods)))
        };
        self.stage = Stage::Sensing(until);
    }
}

impl Protocol for CsAloha {
    has_link!();

    fn on_packet(&mut self, io: &mut Io<'_>) {
        self.periods = 0;
        self.sense(io);
    }

    fn on_acknowledged(&mut self) {
        self.stage = Stage::Idle;
    }

    fn on_transmitted(&mut self, sent: Transmitting, io: &mut Io<'_>) {
        if sent == Transmitting::Data {
            self.stage = if self.link.expects_acknowledgement() {
                Stage::AwaitingAcknowledgement(io.cx.now.saturating_add(self.config.timeout))
            } else {
                Stage::Idle
            };
        }
        if self.senses_carrier() {
            self.sense(io);
        }
    }

    fn on_carrier(&mut self, io: &mut Io<'_>) {
        if let Stage::Sensing(until) = self.stage
            && until != io.cx.now
        {
            self.sense(io);
        }
    }

    fn senses_carrier(&self) -> bool {
        matches!(self.stage, Stage::Sensing(_))
    }

    fn on_timer(&mut self, io: &mut Io<'_>) {
        let now = io.cx.now;
        if self.timer() > now {
            return;
        }
        match self.stage {
            Stage::Sensing(_) => {
                self.stage = Stage::Idle;
                self.link.send_data(io);
            }
            Stage::AwaitingAcknowledgement(_) => match self.link.on_timeout(self.config.retries, io) {
                Some(retransmission) => {
                    let longest = self.config.backoff * (1 << retransmission.min(MAX_BACKOFF_EXPONENT));
                    self.stage = Stage::Backoff(now.saturating_add(longest.mul_f64(self.link.draw())));
                }
                None => self.stage = Stage::Idle,
            },
            Stage::Backoff(_) => self.on_packet(io),
            Stage::Idle => {}
        }
    }

    fn timer(&self) -> Instant {
        match self.stage {
            Stage::Sensing(at) | Stage::AwaitingAcknowledgement(at) | Stage::Backoff(at) => at,
            Stage::Idle => Instant::NEVER,
        }
    }
}
