//! N. Cardwell, I. Swett, J. Beshay (eds.), "BBR Congestion Control", draft-ietf-ccwg-bbr (working copy of August 2026,
//! version 3 of BBR).
//!
//! The sender keeps a model of the path as BBR does, and bounds of what is in flight beside it. Losses above 2 % while it probes
//! set a long-term bound; losses at other times lower bounds that last until the next probe. It probes seldom enough for a
//! loss-based flow to live with, and leaves headroom in between.
//!
//! Equations by the draft's names: pacing rate = pacing_gain bw (1 - margin); bw = min(max_bw, bw_shortterm);
//! max_inflight = cwnd_gain bw min_rtt + extra_acked; cwnd = min(max_inflight, inflight_longterm, inflight_shortterm). In order of
//! a flow's life: [`bandwidth`] (samples, rounds, max_bw), [`startup`] (Startup, Drain, the full-pipe estimator), [`probe_bw`] (the
//! cycle), [`long_term`] and [`short_term`] (the bounds, and their undo), [`probe_rtt`] (min_rtt), [`control`] (pacing, quantum,
//! cwnd), [`aggregation`].
//!
//! Where the draft is silent or contradicts itself: gains are those of its table in every state; `probe_rtt_min_stamp` begins at
//! the start of the connection; the rate sample of an ACK stays apart from the state of lost packets; state for an undo is saved
//! at the first loss of an episode, not at each round's; `reno_rounds` are segments; an inflight of whole segments reaches
//! `inflight_longterm` when no further segment fits below it; a cwnd restored by an undo holds on the same ACK; a sample shorter
//! than the smallest round trip, which the ACK of a retransmission may give, ends no round (Linux). An ECN echo counts as a loss in
//! its round, and as too many of them while the samples are a probe's.
//! [`Rules::LinuxV3`] computes as Linux does (google/bbr, `BBR_VERSION` 3). Left out of that: its ECN response, which needs
//! counts of marks per segment, its samples of losses that a probe repaired, the doubt about RTTs of delayed ACKs, PLB. Left out
//! of the draft: the offload budget of QUIC.

use std::ops::RangeInclusive;

use farlink_kernel::config::{Fraction, above};
use farlink_kernel::random::Stream;
use farlink_kernel::{Duration, Instant, choice, config};

use super::{Ack, CongestionControl, Loss, LossKind, LostPacket, Saved, Setup};
use crate::window::Window;

pub(crate) mod aggregation;
pub(crate) mod bandwidth;
pub(crate) mod control;
pub(crate) mod long_term;
pub(crate) mod probe_bw;
pub(crate) mod probe_rtt;
pub(crate) mod short_term;
pub(crate) mod startup;

use aggregation::Aggregation;
use bandwidth::{Round, Sample};
use long_term::LongTerm;
use probe_bw::Cycle;
use probe_rtt::Delay;
use short_term::{Episode, ShortTerm};
use startup::FullPipe;

#[cfg(test)]
mod tests;

pub(super) const SOURCE: &str = "Cardwell et al., draft-ietf-ccwg-bbr, 2026";

choice! {
    /// Whether the rules are those of the draft or of Linux.
    pub enum Rules {
        /// The IETF draft.
        Draft = "draft",
        /// Linux, version 3: whole segments, growth tested on each ACK, bounds kept through an undo.
        LinuxV3 = "linux_v3",
    }
}

config! {
    /// Parameters of BBR, version 3.
    pub struct Config {
        /// Where the draft and Linux compute otherwise. `linux_v3` does not answer ECN marks by their share, as Linux does; it
        /// also leaves out PLB.
        pub rules: Rules = Rules::Draft,
        /// StartupPacingGain, the least that doubles the rate per round: 4 ln 2.
        pub startup_pacing_gain: f64 = 2.77; in above(1.0),
        /// DrainPacingGain.
        pub drain_pacing_gain: f64 = 0.5; in above(0.0),
        /// Pacing gain of DOWN, which drains what a probe left in queues.
        pub probe_down_gain: f64 = 0.9; in above(0.0),
        /// Pacing gain of UP, which probes for more bandwidth.
        pub probe_up_gain: f64 = 1.25; in 1.0..,
        /// DefaultCwndGain, of cwnd over bandwidth times delay.
        pub cwnd_gain: f64 = 2.0; in above(0.0),
        /// The same in UP.
        pub probe_up_cwnd_gain: f64 = 2.25; in above(0.0),
        /// The same in ProbeRTT.
        pub probe_rtt_cwnd_gain: f64 = 0.5; in above(0.0),
        /// LossThresh, the share of losses above which a probe went too high.
        pub loss_threshold: Fraction = Fraction(0.02); in ..Fraction(1.0),
        /// Beta, the share of a bound that a round with losses leaves at least.
        pub beta: Fraction = Fraction(0.7),
        /// Headroom, the share of the long-term bound that is left to others.
        pub headroom: Fraction = Fraction(0.15),
        /// MinPipeCwnd, the smallest window in segments.
        pub min_cwnd: f64 = 4.0; in 1.0..,
        /// MinRTTFilterLen, the time over which the smallest round-trip time is kept.
        pub min_rtt_window: Duration = Duration::from_secs(10); in above(Duration::ZERO),
        /// ProbeRTTInterval, the time without a smaller round-trip time after which ProbeRTT begins.
        pub probe_rtt_interval: Duration = Duration::from_secs(5); in above(Duration::ZERO),
        /// ProbeRTTDuration, the least time in ProbeRTT.
        pub probe_rtt_time: Duration = Duration::from_millis(200),
        /// Growth per round below which the pipe may be full.
        pub full_pipe_growth: f64 = 1.25; in 1.0..,
        /// Rounds without such growth after which it is.
        pub full_pipe_rounds: u32 = 3; in 1..,
        /// StartupFullLossCnt, the runs of lost segments in a round that end Startup; in Linux, ACKs that show losses.
        pub startup_losses: u32 = 6; in 1..,
        /// Rounds after which Drain ends whatever is in flight; Linux has no such limit.
        pub drain_rounds: u32 = 3,
        /// Time between probes for bandwidth, at least.
        pub probe_wait: Duration = Duration::from_secs(2),
        /// Random time added to it, at most.
        pub probe_wait_spread: Duration = Duration::from_secs(1),
        /// Rounds between probes for bandwidth, at most; as many as the pipe holds segments if these are fewer.
        pub probe_rounds: u32 = 63; in 1..,
        /// ExtraAckedFilterLen, the rounds over which aggregation is remembered.
        pub extra_acked_rounds: u32 = 10; in 1..,
        /// Send quanta that the offload of both ends holds (TCP: 3).
        pub offload_quanta: f64 = 3.0; in 0.0..,
        /// PacingMarginPercent, the share by which the pacing rate stays below the estimate.
        pub pacing_margin: Fraction = Fraction(0.01); in ..Fraction(1.0),
    }
}

impl Config {
    /// The parameters of Linux, in its units of 1/256.
    pub(crate) fn linux() -> Self {
        let share = |parts: u32| f64::from(parts) / 256.0;
        Self {
            rules: Rules::LinuxV3,
            startup_pacing_gain: share(710),
            drain_pacing_gain: share(88),
            probe_down_gain: share(232),
            loss_threshold: Fraction(share(5)),
            beta: Fraction(share(180)),
            headroom: Fraction(share(38)),
            drain_rounds: u32::MAX,
            extra_acked_rounds: 5,
            ..Self::default()
        }
    }
}

/// The states of the draft.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Doubles the rate per round until the pipe is full.
    Startup,
    /// Empties the queue that Startup made.
    Drain,
    /// ProbeBW: drains what a probe left.
    Down,
    /// ProbeBW: sends at the estimate, below the long-term bound.
    Cruise,
    /// ProbeBW: fills the pipe for a round.
    Refill,
    /// ProbeBW: probes for more bandwidth.
    Up,
    /// Sends little, to see the path's delay.
    ProbeRtt,
}

#[derive(Clone, Debug)]
pub(crate) struct Bbr3 {
    config: Config,
    segment_bits: f64,
    initial_window: f64,
    max_window: f64,
    rng: Stream,
    state: State,
    /// `max_bw_filter`: the largest rate of the last cycle of ProbeBW and of this one.
    max_bw: [f64; 2],
    /// `bw`.
    bw: f64,
    round: Round,
    full_pipe: FullPipe,
    cycle: Cycle,
    delay: Delay,
    long_term: LongTerm,
    short_term: ShortTerm,
    episode: Episode,
    aggregation: Aggregation,
    /// `send_quantum` in segments.
    quantum: f64,
    /// A round-trip sample set the first pacing rate.
    has_paced_by_rtt: bool,
    /// `idle_restart`.
    restarts: bool,
    has_sack: bool,
    /// Segments sent when so many were delivered are limited by ProbeRTT.
    limited: Option<RangeInclusive<f64>>,
}

impl Bbr3 {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        Self {
            config: config.clone(),
            segment_bits: setup.segment_size.bits().max(8) as f64,
            initial_window: setup.initial_window.max(1.0),
            max_window: setup.max_window.clamp(1.0, super::reno::LARGEST_WINDOW),
            rng: Stream::new(setup.seed, "bbr3", 0),
            state: State::Startup,
            max_bw: [0.0; 2],
            bw: 0.0,
            round: Round::default(),
            full_pipe: FullPipe::default(),
            cycle: Cycle::default(),
            delay: Delay::default(),
            long_term: LongTerm::default(),
            short_term: ShortTerm::default(),
            episode: Episode::default(),
            aggregation: Aggregation::new(config.extra_acked_rounds),
            quantum: 2.0,
            has_paced_by_rtt: false,
            restarts: false,
            has_sack: true,
            limited: None,
        }
    }

    fn is_linux(&self) -> bool {
        self.config.rules == Rules::LinuxV3
    }

    /// Segments, whole ones in Linux.
    fn whole(&self, segments: f64) -> f64 {
        if self.is_linux() { segments.floor() } else { segments }
    }

    /// The gains of pacing and of cwnd.
    fn gains(&self) -> (f64, f64) {
        let config = &self.config;
        match self.state {
            State::Startup => (config.startup_pacing_gain, config.cwnd_gain),
            State::Drain => (config.drain_pacing_gain, config.cwnd_gain),
            State::Down => (config.probe_down_gain, config.cwnd_gain),
            State::Cruise | State::Refill => (1.0, config.cwnd_gain),
            State::Up => (config.probe_up_gain, config.probe_up_cwnd_gain),
            // Linux bounds cwnd by its own rule there, and leaves the target.
            State::ProbeRtt if self.is_linux() => (1.0, 1.0),
            State::ProbeRtt => (1.0, config.probe_rtt_cwnd_gain),
        }
    }

    fn is_in_probe_bw(&self) -> bool {
        matches!(self.state, State::Down | State::Cruise | State::Refill | State::Up)
    }

    /// `IsProbingBW`.
    fn is_probing(&self) -> bool {
        matches!(self.state, State::Startup | State::Refill | State::Up)
    }
}

impl CongestionControl for Bbr3 {
    fn on_start(&mut self, window: &mut Window, now: Instant, srtt: Duration) {
        self.delay.begin(srtt, now);
        self.aggregation.restart(now);
        self.begin_pacing(window, srtt);
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        let burst = if self.is_linux() { self.quantum } else { 1.0 };
        self.round.was_full[0] |= ack.prior_flight + burst > window.cwnd.floor();
        let restored = self.episode.take_restored();
        window.cwnd = window.cwnd.max(restored);
        let sample = self.sample(ack);
        self.round.delivered = ack.packet.map_or(self.round.delivered, |packet| packet.delivered);
        if restored > 0.0 && self.state == State::Refill {
            // The round begins after the ACK that showed the mistake.
            self.round.restart();
        }
        self.update_latest_delivery(&sample);
        self.update_congestion_signals(window, &sample);
        self.aggregate(ack, window.cwnd);
        self.check_full_pipe(&sample);
        self.check_startup(window, &sample, ack.in_recovery);
        self.check_drain(ack);
        self.update_cycle(window, &sample);
        self.update_min_rtt(ack);
        self.check_probe_rtt(window, ack, &sample);
        self.advance_latest_delivery(&sample);
        self.bw = self.max_bw().min(self.short_term.bw);
        self.pace(window, ack.srtt);
        self.set_cwnd(window, ack);
        self.episode.on_ack(ack.in_recovery);
    }

    fn on_lost(&mut self, window: &mut Window, lost: &LostPacket) {
        self.round.delivered = lost.state.delivered;
        self.has_sack = lost.has_sack;
        self.note_loss(window);
        self.episode.count_lost(lost.continues);
        self.judge_lost(window, lost);
    }

    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        self.note_loss(window);
        match loss.kind {
            LossKind::Ecn => self.judge_echo(window, loss.now),
            LossKind::Timeout => self.on_timeout(window),
            LossKind::DuplicateAcks | LossKind::Rack => self.episode.begin_recovery(self.round.delivered),
        }
    }

    fn on_recovery_end(&mut self, window: &mut Window, _now: Instant) {
        if self.episode.end() {
            window.cwnd = window.cwnd.max(self.episode.prior_cwnd);
        }
    }

    fn on_spurious(&mut self, window: &mut Window, saved: &Saved) {
        window.ssthresh = window.ssthresh.max(saved.ssthresh);
        self.undo(window);
    }

    /// The model stays valid while idle, so the window need not fall. [`Self::on_flight_start`] does what there is to do.
    fn on_idle(&mut self, _window: &mut Window, _restart: f64, _now: Instant) {}

    /// `HandleRestartFromIdle`.
    fn on_flight_start(&mut self, window: &mut Window, now: Instant, app_limited: bool) {
        if !app_limited {
            return;
        }
        self.restarts = true;
        self.aggregation.restart(now);
        if self.is_in_probe_bw() {
            self.pace_at(window, 1.0);
        } else if self.state == State::ProbeRtt {
            self.leave_probe_rtt_if_done(window, now);
        }
    }

    fn controls_recovery(&self) -> bool {
        true
    }

    fn uses_packet_state(&self) -> bool {
        true
    }

    /// Bounds that are not set are 0.
    fn observe(&self) -> Vec<(&'static str, f64)> {
        let (pacing_gain, cwnd_gain) = self.gains();
        let finite = |bound: f64| if bound.is_finite() { bound } else { 0.0 };
        vec![
            ("mode", f64::from(self.state as u8)),
            ("bandwidth_bps", self.bw * self.segment_bits),
            ("min_rtt_s", self.delay.min_rtt().map_or(0.0, Duration::as_secs_f64)),
            ("pacing_gain", pacing_gain),
            ("cwnd_gain", cwnd_gain),
            ("max_bw_bps", self.max_bw() * self.segment_bits),
            ("bw_shortterm_bps", finite(self.short_term.bw * self.segment_bits)),
            ("inflight_longterm", finite(self.long_term.inflight)),
            ("inflight_shortterm", finite(self.short_term.inflight)),
            ("extra_acked", self.aggregation.most()),
        ]
    }
}
