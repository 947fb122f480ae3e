//! F. Guerra, P. Casari, M. Zorzi, "World Ocean Simulation System (WOSS): a simulation tool for underwater networks
//! with realistic propagation modeling", WUWNet 2009: CSMA-ALOHA.
//!
//! ALOHA that listens for a short random time, shorter than sound takes through the network, and sends if it heard
//! nobody; otherwise it listens again when the medium is idle. That avoids the collisions that the station itself
//! would notice, and no others. Without an acknowledgement a frame is sent again after a random time.
//!
//! Equations: the listening is uniform below `listen`; the backoff before try n uniform below
//! `backoff` 2^min(n, 4). Left out: nothing that the simulators' versions agree on.

use farlink_kernel::config::above;
use farlink_kernel::random::name_key;
use farlink_kernel::{Bytes, Duration, Instant, config};

use super::custody::{AtAntenna, Custody};
use super::{Io, Mac, Setup};
use crate::frame::{Frame, FrameKind};
use crate::ids::PacketId;

/// Where the protocol stands.
pub const SOURCE: &str = "Guerra, Casari, Zorzi, WUWNet 2009";

/// The backoff doubles no further.
const MOST_DOUBLINGS: u32 = 4;

config! {
    /// Parameters of ALOHA with carrier sense.
    pub struct Config {
        /// Frames are acknowledged on the link and sent again without it.
        pub acknowledge: bool = true,
        /// Longest time of listening before a frame.
        pub listen: Duration = Duration::from_millis(500); in above(Duration::ZERO),
        /// How often a frame is sent again before the link counts as failed.
        pub retries: u32 = 5,
        /// Longest wait for an acknowledgement, from the end of a frame.
        pub timeout: Duration = Duration::from_secs(5); in above(Duration::ZERO),
        /// The wait before a repetition is uniform below this times two to the number of repetitions, at most 16.
        pub backoff: Duration = Duration::from_secs(1); in above(Duration::ZERO),
        /// Length of a frame's header.
        pub header: Bytes = Bytes(10); in ..=Bytes(65_535),
        /// Length of an acknowledgement.
        pub acknowledgement: Bytes = Bytes(10); in ..=Bytes(65_535),
    }
}

/// Where the own frame stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// There is none, or it is at the antenna.
    Idle,
    /// The medium must stay idle until then; [`Instant::NEVER`]: it is busy.
    Listening(Instant),
    /// Its acknowledgement may come until then.
    Waiting(Instant),
    /// It is tried again then.
    Backoff(Instant),
}

/// The protocol at work at one interface.
#[derive(Debug)]
pub struct CsAloha {
    config: Config,
    custody: Custody,
    stage: Stage,
    /// How often it listened for this try.
    listened: u32,
}

impl CsAloha {
    /// An idle interface.
    pub fn new(config: &Config, setup: &Setup) -> Self {
        let (header, control) = (config.header, config.acknowledgement);
        let custody = Custody::new(setup, name_key("cs_aloha"), config.acknowledge, header, control);
        Self { config: config.clone(), custody, stage: Stage::Idle, listened: 0 }
    }

    fn take_next(&mut self, io: &mut Io<'_>) {
        if self.custody.take_next(io) {
            self.listened = 0;
            self.listen(io);
        }
    }

    fn listen(&mut self, io: &Io<'_>) {
        let until = if io.carrier.is_busy || self.custody.is_sending() {
            Instant::NEVER
        } else {
            self.listened += 1;
            io.cx.now.saturating_add(self.config.listen.mul_f64(self.custody.luck_again(self.listened)))
        };
        self.stage = Stage::Listening(until);
    }
}

impl Mac for CsAloha {
    fn on_queued(&mut self, io: &mut Io<'_>) {
        self.take_next(io);
    }

    fn on_frame(&mut self, frame: &Frame, io: &mut Io<'_>) {
        if frame.kind == FrameKind::Data {
            if let Some(answer) = self.custody.on_data(frame, io) {
                self.custody.send(answer, io);
            }
        } else if self.custody.on_acknowledgement(frame, io) {
            self.stage = Stage::Idle;
            self.take_next(io);
        }
    }

    fn on_antenna_free(&mut self, io: &mut Io<'_>) {
        let sent = self.custody.on_antenna_free(io);
        self.stage = match (sent, self.stage) {
            (AtAntenna::Own, _) if self.custody.awaits_answer() => {
                Stage::Waiting(io.cx.now.saturating_add(self.config.timeout))
            }
            (AtAntenna::Own, _) => Stage::Idle,
            (_, stage) => stage,
        };
        if matches!(self.stage, Stage::Listening(_)) {
            self.listen(io);
        }
        self.take_next(io);
    }

    fn on_carrier(&mut self, io: &mut Io<'_>) {
        if let Stage::Listening(until) = self.stage
            && until != io.cx.now
        {
            self.listen(io);
        }
    }

    fn watches_from(&self) -> Instant {
        if matches!(self.stage, Stage::Listening(_)) { Instant::ZERO } else { Instant::NEVER }
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
            Stage::Listening(until) if until <= now => {
                self.stage = Stage::Idle;
                self.custody.send_own(io);
            }
            Stage::Waiting(until) if until <= now => match self.custody.on_silence(self.config.retries, io) {
                Some(tries) => {
                    let longest = self.config.backoff * (1 << tries.min(MOST_DOUBLINGS));
                    self.stage = Stage::Backoff(now.saturating_add(longest.mul_f64(self.custody.luck())));
                }
                None => self.stage = Stage::Idle,
            },
            Stage::Backoff(until) if until <= now => {
                self.listened = 0;
                self.listen(io);
            }
            _ => {}
        }
    }

    fn deadline(&self) -> Instant {
        match self.stage {
            _ if self.custody.is_sending() => Instant::NEVER,
            Stage::Listening(until) | Stage::Waiting(until) | Stage::Backoff(until) => until,
            Stage::Idle => Instant::NEVER,
        }
    }

    fn held(&self) -> Vec<PacketId> {
        self.custody.held()
    }
}
