//! Startup and Drain, and the estimator of a full pipe, which ends UP as well (section "Startup", "Drain").

use super::{Bbr3, Sample, State};
use crate::congestion::Ack;
use crate::window::Window;

/// `full_bw` and what belongs to it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FullPipe {
    pub(super) bw: f64,
    pub(super) rounds: u32,
    /// `full_bw_now`: full since the search began.
    pub(super) now: bool,
    /// `full_bw_reached`: full once.
    pub(super) reached: bool,
    /// `drain_start_round`.
    pub(super) drains_since: u32,
}

impl FullPipe {
    /// `ResetFullBW`, and the rate to begin with.
    pub(super) fn restart(&mut self, bw: f64) {
        *self = Self { bw, rounds: 0, now: false, ..*self };
    }
}

impl Bbr3 {
    /// `CheckFullBWReached`.
    pub(super) fn check_full_pipe(&mut self, sample: &Sample) {
        let tests_growth = self.round.started || self.is_linux();
        if self.full_pipe.now || !tests_growth || sample.app_limited || sample.rate <= 0.0 {
            return;
        }
        if sample.rate >= self.full_pipe.bw * self.config.full_pipe_growth {
            self.full_pipe.restart(sample.rate);
        } else if self.round.started {
            self.full_pipe.rounds += 1;
            self.full_pipe.now = self.full_pipe.rounds >= self.config.full_pipe_rounds;
            self.full_pipe.reached |= self.full_pipe.now;
        }
    }

    /// `CheckStartupDone`.
    pub(super) fn check_startup(&mut self, window: &mut Window, sample: &Sample, in_recovery: bool) {
        if self.state == State::Startup && !self.full_pipe.reached && self.lost_too_much(sample, in_recovery)
        {
            self.episode.undo.state = Some(State::Startup);
            self.full_pipe.reached = true;
            self.full_pipe.now = true;
            let pipe = if self.is_linux() {
                self.inflight(self.max_bw(), 1.0)
            } else {
                self.bdp_multiple(self.bw, 1.0)
            };
            self.long_term.inflight = pipe.max(self.short_term.inflight_latest);
        }
        if self.short_term.round_started {
            self.episode.forget_lost();
        }
        if self.state == State::Startup && self.full_pipe.reached {
            self.state = State::Drain;
            self.full_pipe.drains_since = self.round.count;
            // For those who read it (Linux): Startup is over.
            window.ssthresh = self.inflight(self.max_bw(), 1.0).max(2.0);
            if self.is_linux() {
                self.short_term.forget_signals();
            }
        }
    }

    /// `CheckStartupHighLoss`: the losses of a round in fast recovery.
    fn lost_too_much(&mut self, sample: &Sample, in_recovery: bool) -> bool {
        let in_round = self.episode.lost_in_round(self.is_linux());
        if !in_recovery || !sample.has_data {
            return false;
        }
        if !self.has_sack {
            return true;
        }
        self.short_term.round_started
            && self.episode.has_recovered_for_a_round(sample.prior_delivered)
            && in_round >= self.config.startup_losses
            && self.is_too_high(sample.lost, sample.tx_in_flight)
    }

    /// `CheckDrainDone`.
    pub(super) fn check_drain(&mut self, ack: &Ack) {
        if self.state != State::Drain {
            return;
        }
        let (bw, in_flight) = if self.is_linux() {
            (self.max_bw(), self.in_network_of(ack, ack.flight))
        } else {
            (self.bw, ack.flight)
        };
        let rounds = self.round.count.wrapping_sub(self.full_pipe.drains_since);
        if in_flight <= self.inflight(bw, 1.0) || rounds > self.config.drain_rounds {
            self.start_down(ack.now);
        }
    }
}
