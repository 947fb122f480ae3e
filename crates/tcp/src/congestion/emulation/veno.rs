//! `tcp_veno.c`: halves of a segment, judged with the smallest sample since the window was last to grow; on a congested
//! path every second window that is acknowledged adds a segment; a timeout may be a link error, too.

use farlink_kernel::{Duration, Instant};

use super::rounds;
use crate::congestion::veno::{Config, Veno};
use crate::congestion::{Ack, CongestionControl, Loss, Setup};
use crate::window::Window;

#[derive(Debug)]
pub(super) struct Module {
    veno: Veno,
    is_2_6_22: bool,
    /// The smallest sample since the window was last to grow.
    smallest: Duration,
    /// The next window that is acknowledged on a congested path adds no segment.
    skips: bool,
}

impl Module {
    pub(super) fn new(config: &Config, setup: &Setup) -> Self {
        let veno = Veno::new(config, setup);
        Self { veno, is_2_6_22: setup.arithmetic.is_2_6_22(), smallest: Duration::MAX, skips: false }
    }

    fn measure(&mut self, cwnd: f64, ack: &Ack) {
        let sample = self.veno.sample(ack);
        if self.is_2_6_22 {
            rounds::include_handshake(&mut self.veno.rounds, ack);
        }
        let Some(rtt) = sample else { return };
        self.smallest = self.smallest.min(rtt);
        if ack.may_grow {
            let rtt = std::mem::replace(&mut self.smallest, Duration::MAX);
            self.veno.queued = (2.0 * cwnd - self.veno.rounds.target(2.0 * cwnd, rtt).floor()) / 2.0;
        }
    }
}

impl CongestionControl for Module {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        self.measure(window.cwnd, ack);
        if !ack.may_grow {
            return;
        }
        let rest = self.veno.grow(window, ack);
        if rest <= 0.0 {
            return;
        }
        let before = window.cwnd;
        self.veno.reno.increase(window, rest, before);
        if window.cwnd > before && self.veno.is_congested() {
            window.cwnd = if self.skips { before } else { window.cwnd };
            self.skips = !self.skips;
        }
    }

    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        self.veno.reduce(window, loss, !self.veno.is_congested());
    }

    fn on_recovery_end(&mut self, window: &mut Window, now: Instant) {
        self.veno.on_recovery_end(window, now);
    }

    fn on_idle(&mut self, window: &mut Window, restart: f64, now: Instant) {
        self.veno.on_idle(window, restart, now);
    }

    fn observe(&self) -> Vec<(&'static str, f64)> {
        self.veno.observe()
    }

    fn uses_delivery_rate(&self) -> bool {
        false
    }
}
