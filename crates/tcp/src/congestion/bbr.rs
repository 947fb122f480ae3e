//! N. Cardwell, Y. Cheng, C. S. Gunn, S. H. Yeganeh, V. Jacobson, "BBR: Congestion-Based Congestion Control", ACM Queue
//! 14(5), 2016; details after draft-cardwell-iccrg-bbr-congestion-control-00 and Linux tcp_bbr (version 1).
//!
//! The sender keeps a model of the path, its largest delivery rate and its smallest round-trip time, and
//! sends at that rate with about that much in flight. Because the two cannot be measured at once, it probes
//! for each in turn. Losses do not enter the model.
//!
//! Equations: pacing rate = pacing_gain BtlBw; cwnd = cwnd_gain BtlBw RTprop + what aggregation and bursts
//! need. In order of a flow's life: [`filters`] (the model), [`startup`], [`drain`], [`probe_bw`],
//! [`probe_rtt`], [`pacing`], [`window`] (cwnd, and what losses do to it), [`aggregation`], [`policer`].
//! Left out: Linux's rule that an expired RTprop does not take the sample of a lone short segment, whose ACK may have been
//! delayed.

use std::ops::RangeInclusive;

use farlink_kernel::config::{Fraction, above};
use farlink_kernel::random::Stream;
use farlink_kernel::{Duration, Instant, config};

use super::{Ack, CongestionControl, Loss, LossKind, RateSample, Saved, Setup};
use crate::window::Window;

pub(crate) mod aggregation;
pub(crate) mod drain;
pub(crate) mod filters;
pub(crate) mod pacing;
pub(crate) mod policer;
pub(crate) mod probe_bw;
pub(crate) mod probe_rtt;
pub(crate) mod startup;
pub(crate) mod window;

use aggregation::Aggregation;
use filters::{MaxBandwidth, MinRtt};
use policer::Policer;
use probe_bw::Cycle;
use probe_rtt::Dip;
use startup::FullPipe;

#[cfg(test)]
mod tests;

pub(super) const SOURCE: &str = "Cardwell et al., ACM Queue 14(5), 2016";

config! {
    /// Parameters of BBR, version 1.
    pub struct Config {
        /// Gain of STARTUP, the least that doubles the rate per round: 2/ln 2.
        pub high_gain: f64 = 2.885; in above(1.0),
        /// Gain of DRAIN, the inverse of STARTUP's.
        pub drain_gain: f64 = 1.0 / 2.885; in above(0.0),
        /// Gain of cwnd over bandwidth times delay in PROBE_BW, for delayed and stretched ACKs.
        pub cwnd_gain: f64 = 2.0; in above(0.0),
        /// Pacing gain of the phase that probes for more bandwidth.
        pub probe_up_gain: f64 = 1.25; in 1.0..,
        /// Pacing gain of the phase after it, which drains what that left in queues.
        pub probe_down_gain: f64 = 0.75; in above(0.0),
        /// Rounds over which the largest bandwidth is kept.
        pub bandwidth_rounds: u32 = 10; in 1..,
        /// Time over which the smallest round-trip time is kept; after it PROBE_RTT begins.
        pub min_rtt_window: Duration = Duration::from_secs(10); in above(Duration::ZERO),
        /// Least time in PROBE_RTT.
        pub probe_rtt_time: Duration = Duration::from_millis(200),
        /// Smallest window, that of PROBE_RTT, in segments.
        pub min_cwnd: f64 = 4.0; in 1.0..,
        /// Growth per round below which the pipe may be full.
        pub full_pipe_growth: f64 = 1.25; in 1.0..,
        /// Rounds without such growth after which it is.
        pub full_pipe_rounds: u32 = 3; in 1..,
        /// Share by which the pacing rate stays below the estimate, so that queues shrink.
        pub pacing_margin: Fraction = Fraction(0.01); in ..Fraction(1.0),
        /// Policers are detected (Linux's long-term estimator).
        pub policer_detection: bool = true,
    }
}

/// The states of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Doubles the rate per round until the pipe is full.
    Startup,
    /// Empties the queue that STARTUP made.
    Drain,
    /// Cruises, and probes for bandwidth.
    ProbeBw,
    /// Nearly stops, to see the path's delay.
    ProbeRtt,
}

#[derive(Clone, Debug)]
pub(crate) struct Bbr {
    config: Config,
    segment_bits: f64,
    initial_window: f64,
    max_window: f64,
    rng: Stream,
    mode: Mode,
    pacing_gain: f64,
    cwnd_gain: f64,
    bandwidth: MaxBandwidth,
    min_rtt: MinRtt,
    full_pipe: FullPipe,
    cycle: Cycle,
    dip: Dip,
    aggregation: Aggregation,
    policer: Policer,
    round: Round,
    repair: window::Repair,
    /// Segments that leave at once at the pacing rate.
    burst: f64,
    /// A round-trip sample set the first pacing rate.
    has_paced_by_rtt: bool,
    /// The flow was idle and has not been acknowledged since.
    restarts: bool,
}

/// Rounds counted by packets: a round ends when what was sent at its start is delivered.
#[derive(Clone, Debug, Default)]
pub struct Round {
    /// Rounds so far.
    pub count: u32,
    /// Segments delivered so far.
    pub delivered: f64,
    /// The round ends when a segment sent after this many were delivered is delivered.
    pub ends_after: f64,
    /// The present ACK began a round.
    pub started: bool,
    /// Samples of segments sent when so many were delivered say nothing of the path.
    pub limited: Option<RangeInclusive<f64>>,
}

impl Round {
    fn restart(&mut self) {
        self.ends_after = self.delivered;
    }

    fn is_limited(&self, rate: &RateSample) -> bool {
        rate.app_limited
            || self.limited.as_ref().is_some_and(|limited| limited.contains(&rate.prior_delivered))
    }
}

impl Bbr {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        Self {
            config: config.clone(),
            segment_bits: setup.segment_size.bits().max(8) as f64,
            initial_window: setup.initial_window.max(1.0),
            max_window: setup.max_window.clamp(1.0, super::reno::LARGEST_WINDOW),
            rng: Stream::new(setup.seed, "bbr", 0),
            mode: Mode::Startup,
            pacing_gain: config.high_gain,
            cwnd_gain: config.high_gain,
            bandwidth: MaxBandwidth::new(config.bandwidth_rounds),
            min_rtt: MinRtt::default(),
            full_pipe: FullPipe::default(),
            cycle: Cycle::default(),
            dip: Dip::default(),
            aggregation: Aggregation::default(),
            policer: Policer::default(),
            round: Round::default(),
            repair: window::Repair::default(),
            burst: 1.0,
            has_paced_by_rtt: false,
            restarts: false,
        }
    }

    /// The bandwidth to send at, in segments per second.
    fn rate(&self) -> f64 {
        self.policer.limit().unwrap_or(self.bandwidth.max())
    }

    /// Counts rounds and takes the rate sample in.
    fn update_bandwidth(&mut self, ack: &Ack, cwnd: f64) {
        self.round.delivered += ack.delivered;
        self.round.started = false;
        let Some(rate) = ack.rate.filter(|rate| rate.delivered > 0.0 && !rate.interval.is_zero()) else {
            return;
        };
        if rate.prior_delivered >= self.round.ends_after {
            self.round.restart();
            self.round.count = self.round.count.wrapping_add(1);
            self.round.started = true;
            self.repair.conserves = false;
        }
        let is_limited = self.round.is_limited(&rate);
        self.watch_for_policers(ack, is_limited);
        let sample = rate.delivered / rate.interval.as_secs_f64();
        if !is_limited || sample >= self.bandwidth.max() {
            self.bandwidth.update(self.round.count, sample);
        }
        self.aggregate(ack, cwnd);
        self.check_full_pipe(is_limited);
    }

    fn update_gains(&mut self) {
        let config = &self.config;
        (self.pacing_gain, self.cwnd_gain) = match self.mode {
            Mode::Startup => (config.high_gain, config.high_gain),
            Mode::Drain => (config.drain_gain, config.high_gain),
            Mode::ProbeBw if self.policer.limit().is_some() => (1.0, config.cwnd_gain),
            Mode::ProbeBw => (self.cycle.pacing_gain(config), config.cwnd_gain),
            Mode::ProbeRtt => (1.0, 1.0),
        };
    }
}

impl CongestionControl for Bbr {
    fn on_start(&mut self, window: &mut Window, now: Instant, srtt: Duration) {
        if !srtt.is_zero() {
            self.min_rtt.begin(srtt, now);
        }
        self.begin_pacing(window, srtt);
        self.aggregation.restart(now);
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        self.update_bandwidth(ack, window.cwnd);
        self.check_cycle_phase(ack);
        self.check_drain(window, ack);
        self.check_probe_rtt(window, ack);
        self.update_gains();
        self.pace(window, ack.srtt);
        self.set_cwnd(window, ack);
    }

    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        self.save_cwnd(window);
        if loss.kind == LossKind::Timeout {
            self.full_pipe.restart();
            self.repair.begin(true);
            window.cwnd = 1.0;
        } else if loss.kind != LossKind::Ecn && self.repair.begin(false) {
            self.round.restart();
            window.cwnd = self.repair.conserved();
        }
    }

    fn on_recovery_end(&mut self, window: &mut Window, _now: Instant) {
        window.cwnd = window.cwnd.max(self.repair.end());
    }

    fn on_spurious(&mut self, window: &mut Window, saved: &Saved) {
        self.full_pipe.restart();
        self.policer.forget();
        window.cwnd = window.cwnd.max(saved.cwnd);
        window.ssthresh = window.ssthresh.max(saved.ssthresh);
        self.repair.end();
    }

    /// The model stays valid while idle: the rate is known, so the window need not fall.
    fn on_idle(&mut self, window: &mut Window, _restart: f64, now: Instant) {
        self.restarts = true;
        self.aggregation.restart(now);
        match self.mode {
            Mode::ProbeBw => self.pace_at(window, 1.0),
            Mode::ProbeRtt => self.leave_probe_rtt_if_done(window, now),
            Mode::Startup | Mode::Drain => {}
        }
    }

    fn controls_recovery(&self) -> bool {
        true
    }

    fn observe(&self) -> Vec<(&'static str, f64)> {
        vec![
            ("mode", f64::from(self.mode as u8)),
            ("bandwidth_bps", self.rate() * self.segment_bits),
            ("min_rtt_s", self.min_rtt.get().map_or(0.0, Duration::as_secs_f64)),
            ("pacing_gain", self.pacing_gain),
            ("cwnd_gain", self.cwnd_gain),
        ]
    }
}
