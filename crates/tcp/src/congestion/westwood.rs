//! C. Casetti, M. Gerla, S. Mascolo, M. Y. Sanadidi, R. Wang, "TCP Westwood: end-to-end congestion control for
//! wired/wireless networks", Wireless Networks 8(5), 2002; the estimator of Westwood+ after L. A. Grieco,
//! S. Mascolo, "Performance evaluation and comparison of Westwood+, New Reno, and Vegas TCP congestion
//! control", ACM CCR 34(2), 2004.
//!
//! The sender measures the rate at which ACKs say that data arrives. After a loss the threshold is what fits into the
//! pipe at that rate and the smallest round-trip time, not half the window: losses that are no congestion cost little.
//!
//! Equations: ssthresh = max(BWE RTTmin/seg_size, 2); after duplicate ACKs cwnd = min(cwnd, ssthresh), after a
//! timeout cwnd = 1; growth as Reno's; the estimators stand in [`estimator`]. Left out: nothing.

use farlink_kernel::config::above;
use farlink_kernel::{Duration, choice, config};

use super::reno::{LARGEST_WINDOW, Reno};
use super::{Ack, CongestionControl, Loss, LossKind, Setup};
use crate::window::Window;

pub(crate) mod estimator;

use estimator::Bandwidth;

#[cfg(test)]
mod tests;

pub(super) const SOURCE: &str =
    "Casetti et al., Wireless Networks 8(5), 2002; Grieco, Mascolo, CCR 34(2), 2004";

choice! {
    /// How the bandwidth is estimated.
    pub enum Estimator {
        /// Per ACK, through a low-pass filter with a time constant (Westwood).
        Tustin = "tustin",
        /// Per round trip, through two averages of 7/8 (Westwood+ as in Linux).
        WestwoodPlus = "westwood_plus",
        /// Per round trip, unfiltered.
        None = "none",
    }
}

config! {
    /// Parameters of Westwood.
    pub struct Config {
        /// How the bandwidth is estimated.
        pub estimator: Estimator = Estimator::Tustin,
        /// tau, time constant of the Tustin filter (the paper gives no value for all cases: 500 ms).
        pub tau: Duration = Duration::from_millis(500); in above(Duration::ZERO),
        /// m: after tau/m without an ACK a sample of zero is taken (the paper: at least 2).
        pub m: f64 = 2.0; in 1.0..,
        /// Shortest time a sample of Westwood+ covers (Linux: 50 ms).
        pub min_sample_time: Duration = Duration::from_millis(50),
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Westwood {
    pub(super) reno: Reno,
    bandwidth: Bandwidth,
    pub(super) min_rtt: Option<Duration>,
}

impl Westwood {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        Self { reno: Reno::with(setup.arithmetic), bandwidth: Bandwidth::new(config, setup), min_rtt: None }
    }

    /// Takes an ACK in. True when `rtt` is a sample for the minimum.
    pub(super) fn measure(&mut self, ack: &Ack, rtt: Duration) -> bool {
        self.bandwidth.on_ack(ack);
        let is_sample = ack.acked > 0.0 && ack.rtt.is_some() && !rtt.is_zero();
        if is_sample {
            self.min_rtt = Some(self.min_rtt.map_or(rtt, |known| known.min(rtt)));
        }
        is_sample
    }

    /// BWE RTTmin/seg_size, when there is an estimate.
    pub(super) fn pipe(&self) -> Option<f64> {
        let segments = self.bandwidth.segments_per_second() * self.min_rtt?.as_secs_f64();
        // The smallest part of a segment keeps whole products whole.
        let pipe = self.reno.round(segments + 1e-9);
        (segments > 0.0).then_some(pipe.min(LARGEST_WINDOW))
    }
}

impl CongestionControl for Westwood {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        self.measure(ack, ack.min_rtt);
        if ack.may_grow {
            self.reno.grow(window, ack.acked);
        }
    }

    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        let before = window.cwnd;
        let pipe = self.pipe().unwrap_or_else(|| self.reno.share(loss, 0.5));
        self.reno.reduce(window, loss, pipe);
        if loss.kind != LossKind::Timeout {
            window.cwnd = window.cwnd.min(before).max(1.0);
        }
    }

    fn observe(&self) -> Vec<(&'static str, f64)> {
        vec![("bwe_bps", self.bandwidth.bits_per_second())]
    }

    fn uses_delivery_rate(&self) -> bool {
        false
    }
}
