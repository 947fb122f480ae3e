//! V. Arun, H. Balakrishnan, "Copa: Practical Delay-Based Congestion Control for the Internet", USENIX NSDI 2018.
//!
//! The window moves towards the rate at which throughput and queueing delay are balanced as the parameter delta wants it,
//! ever faster while the direction stays the same. Copa flows alone empty the queue every five round trips; where it is not emptied,
//! others fill it, and delta is halved and raised as Reno's window to get a share.
//!
//! Equations (section 2.1): d_q = RTTstanding - RTTmin; lambda = cwnd/RTTstanding, lambda_t = 1/(delta d_q); per ACK
//! cwnd += v/(delta cwnd) if lambda <= lambda_t, else cwnd -= v/(delta cwnd); once per window v doubles if the direction was the same
//! for three round trips, and is 1 when it changes; pacing at 2 cwnd/RTTstanding. RTTstanding is the minimum of the last
//! srtt/2, RTTmin that of the last 10 s. Slow start while lambda < lambda_t. Section 2.2: the queue is nearly empty if
//! d_q < 0.1 (RTTmax - RTTmin), with RTTmax that of the last four round trips; without that in five round trips 1/delta grows by 1 per
//! round trip and is halved by a loss, and delta is at most its default. An ACK changes the window by what it acknowledges at most,
//! and a timeout, which the paper leaves open, begins a slow start from one segment.

use farlink_kernel::config::above;
use farlink_kernel::{BitRate, Duration, Instant, config};

use super::{Ack, CongestionControl, Loss, LossKind, Setup, reno::LARGEST_WINDOW, round_trips::RoundTrips};
use crate::window::Window;

mod competition;
#[cfg(test)]
mod tests;
mod windowed;

use competition::Competition;
use windowed::WindowedMin;

pub(super) const SOURCE: &str = "Arun, Balakrishnan, USENIX NSDI 2018";

/// Round trips in one direction before v doubles.
const ROUNDS_BEFORE_DOUBLING: u32 = 3;

config! {
    /// Parameters of Copa.
    pub struct Config {
        /// delta: weight of the delay against the throughput; 1/delta segments per flow queue (the paper: 0.5).
        pub delta: f64 = 0.5; in 1e-6..=1e6,
        /// Time over which RTTmin is kept (the paper: 10 s).
        pub min_rtt_window: Duration = Duration::from_secs(10); in above(Duration::ZERO),
        /// delta adapts where others fill the queue (section 2.2).
        pub mode_switching: bool = true,
        /// Smallest window in segments (the authors' implementation: 2).
        pub min_cwnd: f64 = 2.0; in 1.0..=1e6,
    }
}

#[derive(Clone, Copy, Debug)]
struct Velocity {
    v: f64,
    is_up: bool,
    /// Round trips in this direction.
    rounds: u32,
    /// The window one round trip ago.
    from: f64,
}

#[derive(Clone, Debug)]
pub(crate) struct Copa {
    config: Config,
    segment_bits: f64,
    rounds: RoundTrips,
    standing: WindowedMin,
    min_rtt: WindowedMin,
    velocity: Velocity,
    competition: Competition,
    in_slow_start: bool,
    /// d_q of the last ACK in seconds.
    queueing: f64,
}

impl Copa {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        Self {
            config: config.clone(),
            segment_bits: setup.segment_size.bits() as f64,
            rounds: RoundTrips::default(),
            standing: WindowedMin::default(),
            min_rtt: WindowedMin::default(),
            velocity: Velocity { v: 1.0, is_up: true, rounds: 0, from: 0.0 },
            competition: Competition::default(),
            in_slow_start: true,
            queueing: 0.0,
        }
    }

    /// delta of the present mode.
    fn delta(&self) -> f64 {
        self.competition.delta(self.config.delta)
    }

    /// Once per window: the direction it took, and v.
    fn update_velocity(&mut self, cwnd: f64) {
        let is_up = cwnd > self.velocity.from;
        let velocity = &mut self.velocity;
        if is_up == velocity.is_up {
            velocity.rounds += 1;
        } else {
            (velocity.is_up, velocity.rounds, velocity.v) = (is_up, 0, 1.0);
        }
        if velocity.rounds >= ROUNDS_BEFORE_DOUBLING {
            velocity.v = (2.0 * velocity.v).min(LARGEST_WINDOW);
        }
        velocity.from = cwnd;
    }

    fn steer(&mut self, window: &mut Window, ack: &Ack, standing: f64) {
        let delta = self.delta();
        // lambda <= lambda_t, without a division by an empty queue.
        let is_below = window.cwnd * delta * self.queueing <= standing;
        // Losses do not stop Copa; the application does.
        let may_grow = ack.may_grow || ack.in_recovery;
        if self.in_slow_start && is_below {
            window.cwnd += if may_grow { ack.delivered } else { 0.0 };
            return;
        }
        if self.in_slow_start {
            self.in_slow_start = false;
            window.ssthresh = 2.0;
            self.velocity = Velocity { v: 1.0, is_up: false, rounds: 0, from: window.cwnd };
        }
        if is_below != self.velocity.is_up {
            // A velocity gained in the other direction is of no use in this one.
            self.velocity.v = 1.0;
        }
        let step = (self.velocity.v / (delta * window.cwnd)).min(1.0) * ack.delivered;
        if !is_below {
            window.cwnd -= step.min(window.cwnd / 2.0);
        } else if may_grow {
            window.cwnd += step;
        }
    }

    fn pace(&self, window: &mut Window, standing: f64) {
        let bits = 2.0 * window.cwnd / standing * self.segment_bits;
        window.pacing_rate = Some(BitRate::from_bps(bits.max(self.segment_bits) as u64));
    }
}

impl CongestionControl for Copa {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        let Some(rtt) = ack.rtt else { return };
        let rtt = rtt.max(Duration::from_nanos(1));
        self.min_rtt.observe(ack.now, rtt, self.config.min_rtt_window);
        self.standing.observe(ack.now, rtt, Duration::from_nanos(ack.srtt.as_nanos() / 2));
        let (standing, min_rtt) = (self.standing.min(), self.min_rtt.min());
        self.queueing = standing.saturating_sub(min_rtt).as_secs_f64();
        if self.config.mode_switching {
            self.competition.observe(ack, rtt, min_rtt, self.queueing);
        }
        if self.rounds.on_ack(ack) {
            self.update_velocity(window.cwnd);
            if self.config.mode_switching {
                self.competition.end_round(self.config.delta);
            }
        }
        if ack.delivered <= 0.0 {
            return;
        }
        let standing = standing.as_secs_f64();
        self.steer(window, ack, standing);
        window.cwnd = window.cwnd.clamp(self.config.min_cwnd, LARGEST_WINDOW);
        self.pace(window, standing);
    }

    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        self.competition.on_loss();
        if loss.kind == LossKind::Timeout {
            window.cwnd = 1.0;
            self.in_slow_start = true;
        }
    }

    fn on_idle(&mut self, window: &mut Window, restart: f64, _now: Instant) {
        window.cwnd = window.cwnd.min(restart);
        self.velocity = Velocity { v: 1.0, is_up: true, rounds: 0, from: window.cwnd };
    }

    fn controls_recovery(&self) -> bool {
        true
    }

    fn uses_delivery_rate(&self) -> bool {
        false
    }

    fn observe(&self) -> Vec<(&'static str, f64)> {
        vec![("queueing_ms", self.queueing * 1e3), ("velocity", self.velocity.v), ("delta", self.delta())]
    }
}
