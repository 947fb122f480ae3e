//! A. A. Syed, W. Ye, J. Heidemann, "T-Lohi: A New Class of MAC Protocols for Underwater Acoustic Sensor Networks",
//! IEEE INFOCOM 2008.
//!
//! A station with a packet sends a short tone and listens for a contention round. If it hears no other tone, it has reserved the
//! channel and sends its data. Otherwise the tones count the contenders, and each backs off for a random number of rounds
//! below that count. Long propagation delays help: simultaneous tones arrive one after the other.
//!
//! Equations: round = max_propagation_delay + T_tone; with n contenders the backoff is uniform from 0 to n - 1 rounds. Variants: ST-Lohi
//! (`synchronised`) starts rounds at multiples of their length; cUT-Lohi (`conservative`) starts rounds at any time and makes
//! them twice as long, so that at most one station wins; aUT-Lohi (`aggressive`) has single rounds, and two stations may
//! win. Tones that overlap at a listener count as one. Left out: sleep, from which the tone detector wakes a station.

use farlink_kernel::random::name_key;
use farlink_kernel::{Bytes, Diagnostic, Duration, Instant, choice, config};

use super::stop_and_wait::{Protocol, StopAndWait, has_link};
use super::{DelayBound, Io, Parameters, Properties, Setup};
use crate::frame::FrameKind;
use crate::phy::Phy;

pub(super) const SOURCE: &str = "Syed, Ye, Heidemann, INFOCOM 2008";

choice! {
    /// Start and length of contention rounds.
    pub enum Rounds {
        /// They start at multiples of their length (ST-Lohi).
        Synchronised = "synchronised",
        /// They start at any time and are twice as long (cUT-Lohi).
        Conservative = "conservative",
        /// They start at any time (aUT-Lohi).
        Aggressive = "aggressive",
    }
}

config! {
    /// Parameters of T-Lohi. Defaults: for neighbours 70 m apart.
    pub struct Config {
        /// Start and length of contention rounds.
        pub rounds: Rounds = Rounds::Synchronised,
        /// Longest propagation delay between neighbours.
        pub max_propagation_delay: Duration = Duration::from_micros(46_700),
        /// A tone is as long as a frame of this size.
        pub tone: Bytes = Bytes(14); in Bytes(1)..=Bytes(65_535),
        /// Length of the header of a data frame.
        pub header: Bytes = Bytes(10); in ..=Bytes(65_535),
    }
}

impl Parameters for Config {
    fn properties(&self, _phy: &dyn Phy) -> Properties {
        Properties::of_own_frames(
            2,
            self.max_propagation_delay.saturating_mul(2),
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
    Backoff(Instant),
    /// The tone was sent; `others` were heard in the round that ends then.
    Contending {
        ends: Instant,
        others: u32,
    },
}

#[derive(Debug)]
pub(crate) struct TLohi {
    link: StopAndWait,
    is_synchronised: bool,
    round: Duration,
    stage: Stage,
    /// Another station may win and send its data until then.
    busy_until: Instant,
    lost_rounds: u32,
}

impl TLohi {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        let link = StopAndWait::new(setup, name_key("t_lohi"), false, config.header, config.tone);
        let single = config.max_propagation_delay + link.control_time() + setup.phy.turnaround() * 2;
        let round = if config.rounds == Rounds::Conservative { single * 2 } else { single };
        Self {
            link,
            is_synchronised: config.rounds == Rounds::Synchronised,
            round: round.max(Duration::from_nanos(1)),
            stage: Stage::Idle,
            busy_until: Instant::ZERO,
            lost_rounds: 0,
        }
    }

    /// The start of the first round at `earliest` or later.
    fn round_from(&self, earliest: Instant) -> Instant {
        let into = if self.is_synchronised { earliest.as_nanos() % self.round.as_nanos() } else { 0 };
        if into == 0 { earliest } else { earliest + (self.round - Duration::from_nanos(into)) }
    }

    fn begin_round(&mut self, io: &mut Io<'_>) {
        let now = io.cx.now;
        if self.busy_until > now || io.carrier.is_busy {
            let earliest = self.busy_until.max(now + self.round);
            self.stage = Stage::Backoff(self.round_from(earliest));
            return;
        }
        self.stage = Stage::Contending { ends: now + self.round, others: 0 };
        let tone = self.link.control(FrameKind::Tone, io);
        self.link.send_control(tone, io);
    }

    /// The round is over: the station has won, or backs off.
    fn end_round(&mut self, others: u32, io: &mut Io<'_>) {
        let now = io.cx.now;
        if others == 0 && !io.carrier.is_busy {
            self.stage = Stage::Idle;
            return self.link.send_data(io);
        }
        self.lost_rounds += 1;
        let rounds = self.link.draw_nth(self.lost_rounds) * (f64::from(others) + 1.0);
        let earliest = now.max(self.busy_until).saturating_add(self.round.saturating_mul(rounds as u64));
        self.stage = Stage::Backoff(self.round_from(earliest));
    }
}

impl Protocol for TLohi {
    has_link!();

    fn on_packet(&mut self, io: &mut Io<'_>) {
        self.lost_rounds = 0;
        self.stage = Stage::Backoff(self.round_from(io.cx.now.max(self.busy_until)));
    }

    fn on_carrier(&mut self, io: &mut Io<'_>) {
        let now = io.cx.now;
        match &mut self.stage {
            Stage::Contending { others, .. } if io.carrier.is_busy => *others += 1,
            Stage::Contending { .. } => {}
            // The sender of this tone may win at the end of its round; its data arrives a propagation delay later.
            _ => self.busy_until = self.busy_until.max(now.saturating_add(self.round * 2)),
        }
    }

    fn senses_carrier(&self) -> bool {
        true
    }

    fn on_timer(&mut self, io: &mut Io<'_>) {
        let now = io.cx.now;
        match self.stage {
            Stage::Backoff(at) if at <= now => self.begin_round(io),
            Stage::Contending { ends, others } if ends <= now => self.end_round(others, io),
            _ => {}
        }
    }

    fn timer(&self) -> Instant {
        match self.stage {
            Stage::Backoff(at) | Stage::Contending { ends: at, .. } => at,
            Stage::Idle => Instant::NEVER,
        }
    }
}
