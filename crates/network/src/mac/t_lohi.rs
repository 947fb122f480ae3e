//! A. A. Syed, W. Ye, J. Heidemann, "T-Lohi: A New Class of MAC Protocols for Underwater Acoustic Sensor Networks",
//! IEEE INFOCOM 2008.
//!
//! Who has something to send sends a short tone and listens for a round. If it hears no other tone, it has won and
//! sends; if it does, all who sent one know how many they are and try again after a random number of rounds
//! below that. The long propagation helps: tones sent at one time are heard at several.
//!
//! Equations: round = max_propagation_delay + T_tone; of n contenders each waits for a number of rounds that is uniform from
//! 0 to n - 1. Variants: synchronised rounds begin at multiples of their length; in the conservative unsynchronised
//! one they begin any time and last twice as long, so that a winner is alone for certain; in the aggressive one
//! they last once, and two may win. Tones that overlap at a listener count as one. Left out: the sleep between
//! tones, which the tone detector wakes from.

use farlink_kernel::random::name_key;
use farlink_kernel::{Bytes, Duration, Instant, choice, config};

use super::custody::{AtAntenna, Custody};
use super::{Io, Mac, Setup};
use crate::frame::{Frame, FrameKind};
use crate::ids::PacketId;

/// Where the protocol stands.
pub const SOURCE: &str = "Syed, Ye, Heidemann, INFOCOM 2008";

choice! {
    /// When rounds begin and how long they are.
    pub enum Rounds {
        /// At multiples of their length.
        Synchronised = "synchronised",
        /// At any time; twice as long.
        Conservative = "conservative",
        /// At any time.
        Aggressive = "aggressive",
    }
}

config! {
    /// Parameters of the tones. Defaults: for neighbours 70 m apart.
    pub struct Config {
        /// When rounds begin and how long they are.
        pub rounds: Rounds = Rounds::Synchronised,
        /// How long sound takes between neighbours at most.
        pub max_propagation_delay: Duration = Duration::from_micros(46_700),
        /// A tone is as long as a frame of this size.
        pub tone: Bytes = Bytes(14); in Bytes(1)..=Bytes(65_535),
        /// Length of a frame's header.
        pub header: Bytes = Bytes(10); in ..=Bytes(65_535),
    }
}

/// Where the own frame stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// There is none, or it is at the antenna.
    Idle,
    /// Its round begins then.
    Due(Instant),
    /// The tone was sent; the round ends then, and so many others were heard.
    Round { ends: Instant, others: u32 },
}

/// The protocol at work at one interface.
#[derive(Debug)]
pub struct TLohi {
    custody: Custody,
    is_synchronised: bool,
    round: Duration,
    stage: Stage,
    /// Somebody else may have won and send until then.
    quiet_until: Instant,
    rounds: u32,
}

impl TLohi {
    /// An idle interface.
    pub fn new(config: &Config, setup: &Setup) -> Self {
        let custody = Custody::new(setup, name_key("t_lohi"), false, config.header, config.tone);
        let once = config.max_propagation_delay + custody.control_time() + setup.phy.turnaround() * 2;
        let round = if config.rounds == Rounds::Conservative { once * 2 } else { once };
        Self {
            custody,
            is_synchronised: config.rounds == Rounds::Synchronised,
            round: round.max(Duration::from_nanos(1)),
            stage: Stage::Idle,
            quiet_until: Instant::ZERO,
            rounds: 0,
        }
    }

    /// When the first round begins at `earliest` or later.
    fn round_from(&self, earliest: Instant) -> Instant {
        let into = if self.is_synchronised { earliest.as_nanos() % self.round.as_nanos() } else { 0 };
        if into == 0 { earliest } else { earliest + (self.round - Duration::from_nanos(into)) }
    }

    fn take_next(&mut self, io: &mut Io<'_>) {
        if self.custody.take_next(io) {
            self.rounds = 0;
            self.stage = Stage::Due(self.round_from(io.cx.now.max(self.quiet_until)));
        }
    }

    fn begin(&mut self, io: &mut Io<'_>) {
        let now = io.cx.now;
        if self.quiet_until > now || io.carrier.is_busy {
            let earliest = self.quiet_until.max(now + self.round);
            self.stage = Stage::Due(self.round_from(earliest));
            return;
        }
        self.stage = Stage::Round { ends: now + self.round, others: 0 };
        let tone = self.custody.control(FrameKind::Tone, io);
        self.custody.send(tone, io);
    }

    /// The round is over: nobody else is there, or all wait their turn.
    fn end_round(&mut self, others: u32, io: &mut Io<'_>) {
        let now = io.cx.now;
        if others == 0 && !io.carrier.is_busy {
            self.stage = Stage::Idle;
            return self.custody.send_own(io);
        }
        self.rounds += 1;
        let wait = self.custody.luck_again(self.rounds) * (f64::from(others) + 1.0);
        let earliest = now.max(self.quiet_until).saturating_add(self.round.saturating_mul(wait as u64));
        self.stage = Stage::Due(self.round_from(earliest));
    }
}

impl Mac for TLohi {
    fn on_queued(&mut self, io: &mut Io<'_>) {
        self.take_next(io);
    }

    fn on_frame(&mut self, frame: &Frame, io: &mut Io<'_>) {
        if frame.kind == FrameKind::Data {
            self.custody.on_data(frame, io);
        }
    }

    fn on_carrier(&mut self, io: &mut Io<'_>) {
        let now = io.cx.now;
        match &mut self.stage {
            Stage::Round { others, .. } if io.carrier.is_busy => *others += 1,
            Stage::Round { .. } => {}
            // Whose tone this is may win at the end of its round, and its frame be heard a way later.
            _ => self.quiet_until = self.quiet_until.max(now.saturating_add(self.round * 2)),
        }
    }

    /// Tones are heard by their carrier.
    fn watches_from(&self) -> Instant {
        Instant::ZERO
    }

    fn overhears(&self) -> bool {
        false
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
        match self.stage {
            Stage::Due(at) if at <= now => self.begin(io),
            Stage::Round { ends, others } if ends <= now => self.end_round(others, io),
            _ => {}
        }
    }

    fn deadline(&self) -> Instant {
        match self.stage {
            _ if self.custody.is_sending() => Instant::NEVER,
            Stage::Due(at) | Stage::Round { ends: at, .. } => at,
            Stage::Idle => Instant::NEVER,
        }
    }

    fn held(&self) -> Vec<PacketId> {
        self.custody.held()
    }
}
