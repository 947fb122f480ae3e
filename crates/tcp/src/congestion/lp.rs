//! A. Kuzmanovic, E. W. Knightly, "TCP-LP: Low-Priority Service via End-Point Congestion Control", IEEE/ACM Transactions on
//! Networking 14(4), 2006 (INFOCOM 2003).
//!
//! A flow that uses only what others leave: it backs off when one-way delays rise, before queues overflow and other flows
//! lose. After halving it waits for three round trips without growing; a second indication in that time means that
//! others are active, and leaves one segment.
//!
//! Equations: sd = (1 - gamma) sd + gamma d, with gamma = 1/8; early congestion if
//! sd > d_min + delta (d_max - d_min), with delta = 0.15; then cwnd/2, or 1 within the inference phase of 3 RTT, which
//! begins anew; otherwise cwnd += 1/cwnd outside the phase. Losses halve as Reno's. Without timestamps the delay is the
//! round-trip time.
//!
//! What the paper leaves open: the first slow start is Reno's and shows d_max. An indication counts once per round trip, since
//! the delay of data sent before a reduction does not show its effect. A lone segment gives no sample, since its ACK may have
//! been delayed; after a reduction to one segment sd begins anew. Left out: the estimate of the receiver's clock rate,
//! which is the sender's here.

use farlink_kernel::config::{Fraction, above};
use farlink_kernel::{Duration, Instant, config};

use super::{Ack, CongestionControl, Loss, Setup, reno::Reno};
use crate::window::Window;

#[cfg(test)]
mod tests;

pub(super) const SOURCE: &str = "Kuzmanovic, Knightly, IEEE/ACM ToN 14(4), 2006";

config! {
    /// Parameters of TCP-LP.
    pub struct Config {
        /// delta: share of the range of delays beyond which the path counts as congested (the paper and Linux: 0.15).
        pub delta: Fraction = Fraction(0.15),
        /// gamma: weight of a new delay in the smoothed one (the paper: 1/8; Linux has no other).
        pub gamma: Fraction = Fraction(0.125); in above(Fraction(0.0)),
        /// Length of the inference phase in round-trip times (the paper: 3).
        pub inference_rtts: f64 = 3.0; in 0.0..=1e6,
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Lp {
    config: Config,
    reno: Reno,
    /// d_min and d_max in nanoseconds, once there is a sample.
    range: Option<(f64, f64)>,
    /// sd in nanoseconds, none before the first sample and after a reduction to one segment.
    smoothed: Option<f64>,
    /// The inference phase ends.
    inference_until: Instant,
    /// Delays from here on can be of data sent after the last reduction.
    heeds_from: Instant,
}

impl Lp {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        Self {
            config: config.clone(),
            reno: Reno::with(setup.arithmetic),
            range: None,
            smoothed: None,
            inference_until: Instant::ZERO,
            heeds_from: Instant::ZERO,
        }
    }

    /// Takes a delay in.
    fn observe_delay(&mut self, delay: Duration) {
        let delay = delay.as_nanos() as f64;
        let (min, max) = self.range.unwrap_or((delay, delay));
        self.range = Some((min.min(delay), max.max(delay)));
        let smoothed = self.smoothed.unwrap_or(delay);
        self.smoothed = Some(smoothed + self.config.gamma.0 * (delay - smoothed));
    }

    /// The smoothed delay is above the threshold.
    fn is_congested(&self) -> bool {
        self.range
            .zip(self.smoothed)
            .is_some_and(|((min, max), smoothed)| smoothed > min + self.config.delta.0 * (max - min))
    }

    fn back_off(&mut self, window: &mut Window, ack: &Ack) {
        let is_second = ack.now < self.inference_until;
        window.cwnd = if is_second { 1.0 } else { (window.cwnd / 2.0).max(1.0) };
        if window.cwnd < 2.0 {
            self.smoothed = None;
        }
        window.ssthresh = window.ssthresh.min(window.cwnd.max(2.0));
        self.inference_until = ack.now.saturating_add(ack.srtt.mul_f64(self.config.inference_rtts));
        self.heeds_from = ack.now.saturating_add(ack.srtt);
    }
}

impl CongestionControl for Lp {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        if let Some(rtt) = ack.rtt.filter(|_| ack.prior_flight >= 2.0) {
            self.observe_delay(ack.one_way.unwrap_or(rtt));
            let heeds = ack.now >= self.heeds_from && !ack.in_recovery && !self.reno.in_slow_start(window);
            if heeds && self.is_congested() {
                return self.back_off(window, ack);
            }
        }
        if ack.may_grow && ack.now >= self.inference_until {
            self.reno.grow(window, ack.acked);
        } else {
            self.reno.count(ack.acked);
        }
    }

    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        self.reno.halve(window, loss);
    }

    fn on_recovery_end(&mut self, window: &mut Window, _now: Instant) {
        self.reno.end_recovery(window);
    }

    fn uses_delivery_rate(&self) -> bool {
        false
    }

    fn uses_one_way_delay(&self) -> bool {
        true
    }

    fn observe(&self) -> Vec<(&'static str, f64)> {
        let (min, max) = self.range.unwrap_or_default();
        vec![("sd_ms", self.smoothed.unwrap_or(min) / 1e6), ("d_min_ms", min / 1e6), ("d_max_ms", max / 1e6)]
    }
}
