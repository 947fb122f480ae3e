//! P. Balasubramanian, O. Ertugay, D. Havey, M. Bagnulo, "LEDBAT++: Congestion Control for Background Traffic",
//! draft-irtf-iccrg-ledbat-plus-plus-06, 2026.
//!
//! RFC 6817 drifts upward, favours latecomers and competes where queues are shorter than its target. LEDBAT++ grows by less
//! than Reno on short paths, shrinks in proportion to the window, and empties the queue periodically to see the base delay.
//!
//! Equations: GAIN = 1/min(16, ceil(2 TARGET/base)); slow start cwnd += GAIN per acknowledged segment, over once the
//! queueing delay exceeds 3/4 of TARGET; per round trip cwnd += GAIN below TARGET, else
//! cwnd += max(GAIN - Constant cwnd (delay/TARGET - 1), -cwnd/2) with Constant = 1, spread over the ACKs; slowdown: two segments
//! for two round trips, then slow start to the window before; the first two round trips after the initial slow start, the
//! next nine times as long after each as it took. Delays are round-trip times. A loss in a slowdown, of which the draft says nothing,
//! ends it.

use farlink_kernel::{Duration, Instant};

use super::Ledbat;
use crate::congestion::{Ack, Loss};
use crate::window::Window;

/// TARGET.
pub(super) const TARGET: Duration = Duration::from_millis(60);
/// The largest divisor of GAIN.
const MOST_GAIN_DIVISOR: f64 = 16.0;
/// Share of TARGET beyond which the initial slow start is over.
const SLOW_START_SHARE: f64 = 0.75;
/// Constant of the multiplicative decrease.
const DECREASE: f64 = 1.0;
/// Round trips from the end of the initial slow start to the first slowdown, and in a slowdown before slow start.
const ROUND_TRIPS: u64 = 2;
/// Durations of a slowdown between its end and the next.
const SLOWDOWN_INTERVAL: u64 = 9;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Phase {
    #[default]
    InitialSlowStart,
    Avoidance,
    /// The window is at its least until an instant.
    Frozen {
        since: Instant,
        until: Instant,
    },
    /// Slow start to the window before the slowdown.
    Ramp {
        since: Instant,
    },
}

#[derive(Clone, Copy, Debug)]
pub(super) struct PlusPlus {
    phase: Phase,
    next_slowdown: Instant,
}

impl Default for PlusPlus {
    fn default() -> Self {
        Self { phase: Phase::default(), next_slowdown: Instant::NEVER }
    }
}

impl PlusPlus {
    pub(super) fn on_ack(&mut self, ledbat: &Ledbat, window: &mut Window, ack: &Ack) {
        let gain = gain(ledbat);
        match self.phase {
            Phase::InitialSlowStart => {
                let is_long = ledbat.delays.queueing() > SLOW_START_SHARE * ledbat.target;
                if !is_long && window.in_slow_start() {
                    return slow_start(ledbat, window, ack, gain);
                }
                window.ssthresh = window.ssthresh.min(window.cwnd.max(2.0));
                self.phase = Phase::Avoidance;
                self.next_slowdown = ack.now.saturating_add(ack.srtt.saturating_mul(ROUND_TRIPS));
                avoid(ledbat, window, ack, gain);
            }
            Phase::Avoidance if ack.now >= self.next_slowdown => {
                let until = ack.now.saturating_add(ack.srtt.saturating_mul(ROUND_TRIPS));
                self.phase = Phase::Frozen { since: ack.now, until };
                window.ssthresh = window.cwnd.max(2.0);
                window.cwnd = window.cwnd.min(ledbat.config.min_cwnd);
            }
            Phase::Avoidance => avoid(ledbat, window, ack, gain),
            Phase::Frozen { since, until } => {
                if ack.now >= until {
                    self.phase = Phase::Ramp { since };
                }
            }
            Phase::Ramp { since } => {
                slow_start(ledbat, window, ack, gain);
                if !window.in_slow_start() {
                    self.end_slowdown(since, ack.now);
                }
            }
        }
    }

    pub(super) fn on_congestion(&mut self, loss: &Loss) {
        match self.phase {
            Phase::InitialSlowStart => {
                self.phase = Phase::Avoidance;
                self.next_slowdown = loss.now.saturating_add(loss.srtt.saturating_mul(ROUND_TRIPS));
            }
            Phase::Avoidance => {}
            Phase::Frozen { since, .. } | Phase::Ramp { since } => self.end_slowdown(since, loss.now),
        }
    }

    fn end_slowdown(&mut self, since: Instant, now: Instant) {
        let took = now.saturating_since(since);
        self.phase = Phase::Avoidance;
        self.next_slowdown = now.saturating_add(took.saturating_mul(SLOWDOWN_INTERVAL));
    }
}

/// GAIN by the base delay.
fn gain(ledbat: &Ledbat) -> f64 {
    let base = ledbat.delays.base().unwrap_or(0).max(1) as f64;
    1.0 / (2.0 * ledbat.target / base).ceil().clamp(1.0, MOST_GAIN_DIVISOR)
}

fn slow_start(ledbat: &Ledbat, window: &mut Window, ack: &Ack, gain: f64) {
    let grown = (window.cwnd + gain * ack.acked).min(window.ssthresh.max(window.cwnd));
    ledbat.set(window, ack, grown);
}

fn avoid(ledbat: &Ledbat, window: &mut Window, ack: &Ack, gain: f64) {
    let excess = ledbat.delays.queueing() / ledbat.target - 1.0;
    let per_round =
        if excess <= 0.0 { gain } else { (gain - DECREASE * window.cwnd * excess).max(-window.cwnd / 2.0) };
    ledbat.set(window, ack, window.cwnd + per_round * ack.acked.min(window.cwnd) / window.cwnd);
}
