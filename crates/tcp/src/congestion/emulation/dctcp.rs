//! `tcp_dctcp.c`: alpha in 1/1024, of which a sixteenth is rounded down; a round trip ends when its last segment is
//! acknowledged.

use farlink_kernel::Instant;

use crate::congestion::dctcp::{Config, Dctcp};
use crate::congestion::{Ack, CongestionControl, EcnResponse, Loss, LossKind, Setup};
use crate::window::Window;

/// `DCTCP_MAX_ALPHA`.
const ONE: f64 = 1024.0;

#[derive(Debug)]
pub(super) struct Module {
    dctcp: Dctcp,
    /// `dctcp_shift_g`, as a power of two.
    divisor: u64,
    alpha: u64,
}

impl Module {
    pub(super) fn new(config: &Config, setup: &Setup) -> Self {
        Self {
            dctcp: Dctcp::new(config, setup),
            divisor: ((1.0 / config.gain.0).round() as u64).clamp(1, 1024).next_power_of_two(),
            alpha: (config.initial_alpha.0 * ONE) as u64,
        }
    }

    /// `dctcp_update_alpha`: at least one is taken off, until nothing is left.
    fn update_alpha(&mut self) {
        let part = self.alpha / self.divisor;
        self.alpha -= if part == 0 { self.alpha } else { part };
        let (delivered, marked) = self.dctcp.rounds.counts();
        let (delivered, marked) = (delivered.ceil().max(1.0) as u64, marked.ceil() as u64);
        self.alpha = (self.alpha + marked * (ONE as u64 / self.divisor) / delivered).min(ONE as u64);
    }
}

impl CongestionControl for Module {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        self.dctcp.rounds.on_ack(ack);
        if self.dctcp.rounds.is_delivered() {
            self.update_alpha();
            self.dctcp.rounds.restart(ack);
        }
        self.dctcp.grow(window, ack);
    }

    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        if loss.kind == LossKind::Ecn {
            let cwnd = loss.flight as u64;
            self.dctcp.reduce(window, loss, (cwnd - ((cwnd * self.alpha) >> 11)) as f64);
        } else {
            self.dctcp.reno.halve(window, loss);
        }
    }

    fn on_recovery_end(&mut self, window: &mut Window, _now: Instant) {
        self.dctcp.reno.end_recovery(window);
    }

    fn uses_delivery_rate(&self) -> bool {
        false
    }

    fn ecn_response(&self) -> EcnResponse {
        EcnResponse::Dctcp
    }

    fn observe(&self) -> Vec<(&'static str, f64)> {
        vec![("alpha", self.alpha as f64 / ONE)]
    }
}
