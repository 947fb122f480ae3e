//! M. Allman, V. Paxson, E. Blanton, "TCP Congestion Control", RFC 5681, 2009 (after V. Jacobson,
//! "Congestion Avoidance and Control", SIGCOMM 1988).
//!
//! The window doubles per round trip until it reaches a threshold, then grows by one segment per round
//! trip; a loss halves it, a timeout sends it back to one. Losses are taken for congestion.
//!
//! Equations: slow start cwnd += min(N, SMSS) (2); congestion avoidance cwnd += SMSS^2/cwnd (3);
//! ssthresh = max(FlightSize/2, 2 SMSS) (4). Left out: nothing; recovery lives in [`crate::recovery`].

use farlink_kernel::config;

use super::{Ack, CongestionControl, Loss, LossKind, Setup};
use crate::window::Window;

/// Where the algorithm stands.
pub const SOURCE: &str = "RFC 5681, 2009";

config! {
    /// Parameters of Reno: none.
    pub struct Config {}
}

/// Reno: the window itself is all its state.
#[derive(Clone, Debug)]
pub struct Reno;

impl Reno {
    /// Reno needs to know nothing.
    pub fn new(_config: &Config, _setup: &Setup) -> Self {
        Self
    }
}

impl CongestionControl for Reno {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        if ack.may_grow {
            let rest = slow_start(window, ack.acked);
            additive_increase(window, rest);
        }
    }

    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        reduce(window, loss, half_flight(loss));
    }
}

/// Slow start (RFC 5681 equation 2): one segment per ACK, less if less was acknowledged, up to the
/// threshold. Returns the acknowledged segments it did not use.
pub fn slow_start(window: &mut Window, acked: f64) -> f64 {
    if !window.in_slow_start() {
        return acked;
    }
    let growth = acked.min(1.0).min(window.ssthresh - window.cwnd);
    window.cwnd += growth;
    if window.in_slow_start() { 0.0 } else { acked - growth }
}

/// Congestion avoidance (RFC 5681 equation 3): about one segment per round trip.
pub fn additive_increase(window: &mut Window, acked: f64) {
    window.cwnd += acked.min(1.0) / window.cwnd;
}

/// Half the flight, at least two segments (RFC 5681 equation 4).
pub fn half_flight(loss: &Loss) -> f64 {
    (loss.flight / 2.0).max(2.0)
}

/// The threshold becomes `ssthresh` (kept on a repeated timeout); the window follows it, or starts again
/// from the loss window of one segment after a timeout (RFC 5681 section 3.1).
pub fn reduce(window: &mut Window, loss: &Loss, ssthresh: f64) {
    if !loss.repeated {
        window.ssthresh = ssthresh;
    }
    window.cwnd = if loss.kind == LossKind::Timeout { 1.0 } else { window.ssthresh };
}
