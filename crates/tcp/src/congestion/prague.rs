//! K. De Schepper, O. Tilmans, B. Briscoe, V. Goel, "Prague Congestion Control", draft-briscoe-iccrg-prague-congestion-control;
//! details after module 0.7 for Linux (C.-Y. Chang et al., 2024).
//!
//! A scalable control for L4S queues (RFC 9331): marks reduce the window by half of their averaged share, as in DCTCP, and every
//! packet without a mark makes it grow. Below a round trip of 25 ms the growth is scaled so that flows have the rate they would
//! have at 25 ms. Packets are paced and sent as ECT(1).
//!
//! Equations, W the window in segments: alpha += (F - alpha)/16 per round, with F the marked share; W -= W alpha/2, at most once
//! per round trip and 25 ms; W += f/W per unmarked segment, f = min(1, RTT/25 ms)^2. At marking probability p this gives
//! 2 (1/p - 1) segments per 25 ms, which is 0.96 (1/p - 1) Mbit/s with packets of 1500 B. The first mark ends slow start and halves W; a loss halves it.
//! A connection without accurate feedback is Reno's. In [`classic_queue`]: the fall-back on classic ECN queues. Left out: the
//! module's rate mode at windows of four packets and less, smaller packets at low rates, ECN-capable SYNs and pure ACKs.

use farlink_kernel::config::{Fraction, above};
use farlink_kernel::{BitRate, Duration, Instant, choice, config};

use super::marking::Rounds;
use super::{Ack, CongestionControl, EcnFeedback, EcnResponse, Loss, LossKind, Saved, Setup, reno};
use crate::window::Window;
use classic_queue::ClassicQueue;
use reno::{LARGEST_WINDOW, Reno};

pub(crate) mod classic_queue;
#[cfg(test)]
mod tests;

pub(super) const SOURCE: &str = "draft-briscoe-iccrg-prague-congestion-control; Linux module 0.7, 2024";

/// Round trips from which on growth is not scaled (`MAX_SCALED_RTT`).
const LONGEST_SCALED: Duration = Duration::from_millis(100);
/// `MIN_CWND_RTT`: the window in force has at least two segments, W has any part of one.
const LEAST_CWND: f64 = 2.0;
const LEAST_W: f64 = 0.01;

choice! {
    /// What the first mark does.
    pub enum FirstMark {
        /// Halves the window, and the average begins at zero (module 0.7).
        Halve = "halve",
        /// Reduces the window as all do, and the average begins at one (module 0.6).
        Average = "average",
    }
}

config! {
    /// Parameters of Prague.
    pub struct Config {
        /// The weight of the latest round in the average (module: 1/16).
        pub gain: Fraction = Fraction(1.0 / 16.0); in above(Fraction(0.0)),
        /// What the first mark does.
        pub first_mark: FirstMark = FirstMark::Halve,
        /// Shorter round trips have the rate of this one (module: 25 ms).
        pub rtt_target: Duration = Duration::from_millis(25),
        /// Rounds after slow start from which on that is so (module 0.7: 4; 0.6: 500).
        pub rtt_transition: u32 = 4,
        /// The lowest pacing rate (module: 100 kbit/s).
        pub min_rate: BitRate = BitRate::from_bps(100_000); in BitRate::from_bps(1)..,
        /// Marks of a queue that is as deep and varies as much as a classic ECN queue cost as much as a loss costs CUBIC (RFC
        /// 9331 section 4.3; module 0.6, where it is off, too).
        pub classic_ecn_fallback: bool = false,
    }
}

/// Prague. Without accurate feedback, Reno.
#[derive(Clone, Debug)]
pub(crate) struct Prague {
    config: Config,
    reno: Reno,
    segment_bits: f64,
    max_window: f64,
    is_scalable: bool,
    /// W.
    fractional: f64,
    alpha: f64,
    alpha_updated: Instant,
    rounds: Rounds,
    /// Rounds since slow start.
    age: u32,
    has_seen_mark: bool,
    in_loss: bool,
    /// What is delivered when the present reduction is over, and when it was.
    reduction_end: f64,
    reduced: Option<Instant>,
    classic_queue: Option<ClassicQueue>,
}

impl Prague {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        Self {
            config: config.clone(),
            reno: Reno::with(setup.arithmetic),
            segment_bits: setup.segment_size.bits().max(8) as f64,
            max_window: setup.max_window.clamp(1.0, LARGEST_WINDOW),
            is_scalable: false,
            fractional: setup.initial_window.max(1.0),
            alpha: match config.first_mark {
                FirstMark::Halve => 0.0,
                FirstMark::Average => 1.0,
            },
            alpha_updated: Instant::ZERO,
            rounds: Rounds::default(),
            age: 0,
            has_seen_mark: false,
            in_loss: false,
            reduction_end: 0.0,
            reduced: None,
            classic_queue: config.classic_ecn_fallback.then(ClassicQueue::default),
        }
    }

    /// Old enough to have the rate of the target's round trip.
    fn is_rtt_independent(&self, window: &Window) -> bool {
        !window.in_slow_start() && self.age >= self.config.rtt_transition
    }

    /// f, the segments that a window of unmarked segments adds.
    fn growth(&self, srtt: Duration) -> f64 {
        let target = self.config.rtt_target;
        if self.age < self.config.rtt_transition || srtt.is_zero() || srtt > LONGEST_SCALED || srtt >= target
        {
            return 1.0;
        }
        let share = srtt.as_secs_f64() / target.as_secs_f64();
        share * share
    }

    /// The first mark, and one reduction per round trip.
    fn on_marks(&mut self, window: &mut Window, ack: &Ack) {
        if !self.in_loss && self.rounds.is_past(self.reduction_end) && self.may_reduce_at(window, ack.now) {
            self.reduction_end = self.rounds.horizon(ack);
            self.reduced = Some(ack.now);
            self.reduce(window);
        }
        if !std::mem::replace(&mut self.has_seen_mark, true) {
            if self.config.first_mark == FirstMark::Halve {
                self.set_fractional(self.fractional / 2.0);
            }
            window.ssthresh = window.ssthresh.min(window.cwnd.max(LEAST_CWND));
        }
    }

    /// Reductions of short round trips are the target's apart.
    fn may_reduce_at(&self, window: &Window, now: Instant) -> bool {
        let since = self.reduced.map_or(Duration::MAX, |reduced| now.saturating_since(reduced));
        !self.is_rtt_independent(window) || since >= self.config.rtt_target
    }

    fn reduce(&mut self, window: &Window) {
        let alpha = match &mut self.classic_queue {
            Some(queue) => {
                queue.adapt(window.ssthresh);
                queue.at_least(self.alpha)
            }
            None => self.alpha,
        };
        self.set_fractional(self.fractional * (1.0 - alpha / 2.0));
    }

    fn set_fractional(&mut self, segments: f64) {
        self.fractional = segments.clamp(LEAST_W, LARGEST_WINDOW);
    }

    /// Growth by `unmarked` segments.
    fn grow(&mut self, window: &mut Window, unmarked: f64, srtt: Duration) {
        let mut rest = unmarked;
        if window.in_slow_start() {
            rest = self.reno.slow_start(window, unmarked);
            self.set_fractional(window.cwnd);
        }
        if rest > 0.0 {
            self.set_fractional(self.fractional + rest * self.growth(srtt) / self.fractional);
        }
    }

    /// The window in force moves towards W, by a segment per ACK.
    fn follow(&self, window: &mut Window, may_grow: bool) {
        let target = self.fractional.ceil().max(LEAST_CWND).min(self.max_window.max(LEAST_CWND));
        if window.cwnd > target {
            window.cwnd = (window.cwnd - 1.0).max(target);
            window.ssthresh = window.cwnd;
        } else if window.cwnd < target && may_grow {
            window.cwnd = (window.cwnd + 1.0).min(target);
        }
    }

    /// The average takes a round in, which lasts 25 ms at least.
    fn update_alpha(&mut self, window: &Window, ack: &Ack) {
        let elapsed = ack.now.saturating_since(self.alpha_updated);
        let is_short = self.is_rtt_independent(window) && elapsed < self.config.rtt_target;
        if !self.rounds.is_delivered() || is_short {
            return;
        }
        if self.has_seen_mark {
            if let Some(queue) = &mut self.classic_queue {
                queue.on_round(ack.min_rtt);
            }
            self.alpha += self.config.gain.0 * (self.rounds.share() - self.alpha);
            self.alpha_updated = ack.now;
        }
        if !window.in_slow_start() {
            self.age = self.age.saturating_add(1);
        }
        self.rounds.restart(ack);
    }

    /// A window per round trip, twice of it in slow start.
    fn pace(&self, window: &mut Window, srtt: Duration, flight: f64) {
        if srtt.is_zero() {
            return;
        }
        let rate = self.segment_bits * self.fractional.max(flight) / srtt.as_secs_f64();
        let factor = if window.cwnd < window.ssthresh / 2.0 { 2.0 } else { 1.0 };
        let least = self.config.min_rate.as_bps();
        window.pacing_rate =
            Some(BitRate::from_bps((factor * rate.min(1e15)) as u64).max(BitRate::from_bps(least)));
    }
}

impl CongestionControl for Prague {
    fn on_start(&mut self, window: &mut Window, now: Instant, srtt: Duration) {
        self.set_fractional(window.cwnd);
        self.alpha_updated = now;
        if self.is_scalable {
            self.pace(window, srtt, 0.0);
        }
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        if !self.is_scalable {
            return self.reno.on_ack(window, ack);
        }
        self.rounds.on_ack(ack);
        if let Some(queue) = &mut self.classic_queue {
            queue.on_ack(ack);
        }
        if ack.marked > 0.0 {
            self.on_marks(window, ack);
        }
        let unmarked = ack.delivered - ack.marked;
        if unmarked > 0.0 && ack.may_grow && !self.in_loss {
            self.grow(window, unmarked, ack.srtt);
        }
        self.follow(window, ack.may_grow);
        self.update_alpha(window, ack);
        self.pace(window, ack.srtt, ack.flight);
    }

    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        if !self.is_scalable {
            return self.reno.halve(window, loss);
        }
        let flight = loss.flight.min(self.fractional);
        self.reno.halve(window, &Loss { flight, ..*loss });
        if !loss.repeated {
            self.set_fractional(flight / 2.0);
        }
        if loss.kind == LossKind::Ecn {
            // A mark on the handshake.
            self.has_seen_mark = true;
        } else {
            self.in_loss = true;
        }
    }

    fn on_recovery_end(&mut self, window: &mut Window, _now: Instant) {
        self.in_loss = false;
        self.reno.end_recovery(window);
    }

    fn on_spurious(&mut self, window: &mut Window, saved: &Saved) {
        self.in_loss = false;
        window.cwnd = window.cwnd.max(saved.cwnd);
        window.ssthresh = window.ssthresh.max(saved.ssthresh);
        self.set_fractional(self.fractional.max(saved.cwnd));
    }

    fn on_idle(&mut self, window: &mut Window, restart: f64, _now: Instant) {
        window.cwnd = window.cwnd.min(restart);
        self.set_fractional(self.fractional.min(window.cwnd));
    }

    fn uses_delivery_rate(&self) -> bool {
        false
    }

    fn ecn_response(&self) -> EcnResponse {
        EcnResponse::L4s
    }

    fn on_ecn_negotiated(&mut self, feedback: EcnFeedback) {
        self.is_scalable = feedback == EcnFeedback::Accurate;
    }

    fn observe(&self) -> Vec<(&'static str, f64)> {
        vec![
            ("alpha", self.alpha),
            ("fractional_cwnd", self.fractional),
            ("classic_ecn_score", self.classic_queue.as_ref().map_or(0.0, ClassicQueue::score)),
        ]
    }
}
