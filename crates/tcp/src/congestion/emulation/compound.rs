//! ns-2.35's `tcp_compound.c` on Linux 2.6.22: the loss window has a threshold and a count of its own, the round's
//! acknowledged segments stand for the window, gamma is fixed, and with `min_cwnd` a loss is answered as by Reno.

use farlink_kernel::Instant;

use super::rounds::Rounds;
use crate::congestion::compound::{Compound, Config};
use crate::congestion::delay::Round;
use crate::congestion::{Ack, CongestionControl, Loss, LossKind, Saved, Setup};
use crate::window::Window;

#[derive(Debug)]
pub(super) struct Module {
    compound: Compound,
    /// Rounds as Linux 2.6.22 takes them, where the module runs; else the paper with `min_cwnd`.
    rounds: Option<Rounds>,
    has_min_cwnd: bool,
}

impl Module {
    pub(super) fn new(config: &Config, setup: &Setup) -> Self {
        Self {
            compound: Compound::new(config, setup),
            rounds: setup.arithmetic.is_2_6_22().then(Rounds::default),
            has_min_cwnd: setup.arithmetic.has_min_cwnd(),
        }
    }

    fn on_ack_in_2_6_22(&mut self, window: &mut Window, ack: &Ack, round: Option<Round>) {
        let compound = &mut self.compound;
        // After most losses the old loss window alone is above the window.
        if compound.loss_window > window.cwnd {
            compound.delay_window = 0.0;
        }
        compound.split(window);
        if ack.may_grow {
            let before = window.cwnd;
            // The module compares the loss window alone with the threshold.
            if compound.loss_window <= window.ssthresh {
                window.cwnd += 1.0;
            } else {
                // Its own counting grows on the last of cwnd ACKs, not on the one after.
                compound.reno.increase(window, ack.acked, before - 1.0);
            }
            compound.loss_window += window.cwnd - before;
        }
        if let Some(round) = round.filter(Round::is_significant) {
            let win = round.acked.floor();
            let diff = (2.0 * win - compound.rounds.target(2.0 * win, round.rtt).floor()) / 2.0;
            compound.steer(window, win, diff, ack.may_grow);
        }
    }
}

impl CongestionControl for Module {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        let Some(rounds) = &mut self.rounds else {
            return self.compound.on_ack(window, ack);
        };
        let round = rounds.on_ack(&mut self.compound.rounds, ack);
        if !ack.in_recovery {
            self.on_ack_in_2_6_22(window, ack, round);
        }
    }

    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        let compound = &mut self.compound;
        compound.prepare(loss);
        if self.rounds.is_none() {
            compound.split(window);
        }
        if self.has_min_cwnd {
            compound.reno.halve(window, loss);
        } else {
            compound.reduce(window, loss);
        }
        if loss.kind == LossKind::Timeout {
            compound.time_out(loss);
        }
        if self.rounds.is_none() {
            compound.split(window);
        }
    }

    fn on_recovery_end(&mut self, window: &mut Window, now: Instant) {
        self.rounds.iter_mut().for_each(Rounds::restart);
        self.compound.on_recovery_end(window, now);
    }

    fn on_spurious(&mut self, window: &mut Window, saved: &Saved) {
        self.compound.on_spurious(window, saved);
    }

    fn on_idle(&mut self, window: &mut Window, restart: f64, now: Instant) {
        self.rounds.iter_mut().for_each(Rounds::restart);
        self.compound.on_idle(window, restart, now);
    }

    fn observe(&self) -> Vec<(&'static str, f64)> {
        self.compound.observe()
    }
}
