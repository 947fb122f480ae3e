//! The short-term model: `bw_shortterm` and `inflight_shortterm`, lowered once per round with losses while nothing is probed
//! (section "When not Probing for Bandwidth"), and what an undo restores ("Updating the Model Upon Detecting a Spurious Loss
//! Recovery").

use super::{Bbr3, Sample, State};
use crate::window::Window;

/// The bounds, and what the present round delivered.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShortTerm {
    /// `bw_shortterm` in segments per second, infinite when not set.
    pub(super) bw: f64,
    /// `inflight_shortterm` in segments.
    pub(super) inflight: f64,
    /// `bw_latest` and `inflight_latest`.
    pub(super) bw_latest: f64,
    pub(super) inflight_latest: f64,
    /// `is_loss_in_round`.
    pub(super) is_lossy: bool,
    /// `loss_round_delivered`, and whether this ACK ended that round (`loss_round_start`).
    pub(super) round_ends_after: f64,
    pub(super) round_started: bool,
}

impl Default for ShortTerm {
    fn default() -> Self {
        Self {
            bw: f64::INFINITY,
            inflight: f64::INFINITY,
            bw_latest: 0.0,
            inflight_latest: 0.0,
            is_lossy: false,
            round_ends_after: 0.0,
            round_started: false,
        }
    }
}

impl ShortTerm {
    /// `ResetShortTermModel`.
    pub(super) fn forget_bounds(&mut self) {
        (self.bw, self.inflight) = (f64::INFINITY, f64::INFINITY);
    }

    /// `ResetCongestionSignals`.
    pub(super) fn forget_signals(&mut self) {
        (self.is_lossy, self.bw_latest, self.inflight_latest) = (false, 0.0, 0.0);
    }
}

/// What an undo restores.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Undo {
    /// `undo_state`: what losses made the flow leave.
    pub(super) state: Option<State>,
    pub(super) bw_shortterm: f64,
    pub(super) inflight_shortterm: f64,
    pub(super) inflight_longterm: f64,
}

/// An episode of losses, from the first lost packet until all is repaired.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Episode {
    /// Packets were lost.
    is_running: bool,
    /// Losses of a timeout are being repaired.
    by_timeout: bool,
    /// Segments delivered when fast recovery began.
    recovers_since: Option<f64>,
    /// `prior_cwnd`.
    pub(super) prior_cwnd: f64,
    pub(super) undo: Undo,
    /// The window after an undo.
    restored: f64,
    /// Runs of lost segments in this round, ACKs that showed losses, and whether there were losses since the last.
    runs: u32,
    lossy_acks: u32,
    since_ack: bool,
}

impl Episode {
    pub(super) fn take_restored(&mut self) -> f64 {
        std::mem::take(&mut self.restored)
    }

    /// A packet was lost, right above the one lost before it or not.
    pub(super) fn count_lost(&mut self, continues: bool) {
        self.since_ack = true;
        self.runs = self.runs.saturating_add(u32::from(!continues));
    }

    /// How often packets were lost in this round: in runs, or on ACKs.
    pub(super) fn lost_in_round(&mut self, by_acks: bool) -> u32 {
        self.lossy_acks = self.lossy_acks.saturating_add(u32::from(std::mem::take(&mut self.since_ack)));
        if by_acks { self.lossy_acks } else { self.runs }
    }

    pub(super) fn forget_lost(&mut self) {
        (self.runs, self.lossy_acks) = (0, 0);
    }

    pub(super) fn begin_recovery(&mut self, delivered: f64) {
        self.recovers_since.get_or_insert(delivered);
    }

    pub(super) fn has_recovered_for_a_round(&self, prior_delivered: f64) -> bool {
        self.recovers_since.is_some_and(|since| prior_delivered >= since)
    }

    /// Losses that begin no recovery, as those a probe repaired, are an episode until the next ACK.
    pub(super) fn on_ack(&mut self, in_recovery: bool) {
        if !in_recovery {
            self.recovers_since = None;
            self.is_running &= self.by_timeout;
        }
    }

    /// The episode is over; false when there was none.
    pub(super) fn end(&mut self) -> bool {
        self.recovers_since = None;
        self.by_timeout = false;
        std::mem::take(&mut self.is_running)
    }
}

impl Bbr3 {
    /// `NoteLoss` and, at the first loss of an episode, `SaveStateUponLoss`.
    pub(super) fn note_loss(&mut self, window: &Window) {
        if !self.short_term.is_lossy {
            self.short_term.round_ends_after = self.round.delivered;
        }
        self.short_term.is_lossy = true;
        if !self.episode.is_running {
            self.save_cwnd(window);
            self.episode.undo = Undo {
                state: None,
                bw_shortterm: self.short_term.bw,
                inflight_shortterm: self.short_term.inflight,
                inflight_longterm: self.long_term.inflight,
            };
            self.episode.is_running = true;
        }
    }

    /// `SaveCwnd`.
    pub(super) fn save_cwnd(&mut self, window: &Window) {
        let is_cut = self.episode.is_running || self.state == State::ProbeRtt;
        let prior = if is_cut { self.episode.prior_cwnd } else { 0.0 };
        self.episode.prior_cwnd = prior.max(window.cwnd);
    }

    /// `OnEnterRTO`. One segment is sent: what else is in flight is lost, or will be known only later.
    pub(super) fn on_timeout(&mut self, window: &mut Window) {
        self.save_cwnd(window);
        self.episode.by_timeout = true;
        self.episode.recovers_since = None;
        if self.is_linux() {
            self.full_pipe.restart(0.0);
            if !self.is_probing() && self.short_term.inflight.is_infinite() {
                self.short_term.inflight = window.cwnd.max(self.episode.prior_cwnd);
            }
        }
        window.cwnd = 1.0;
    }

    /// `HandleSpuriousLossDetection`. Linux restores bounds, and never the state.
    pub(super) fn undo(&mut self, window: &mut Window) {
        window.cwnd = window.cwnd.max(self.episode.prior_cwnd);
        self.episode.restored = window.cwnd;
        self.episode.end();
        self.short_term.is_lossy = false;
        self.full_pipe.restart(0.0);
        let undo = std::mem::take(&mut self.episode.undo);
        self.short_term.bw = self.short_term.bw.max(undo.bw_shortterm);
        self.short_term.inflight = self.short_term.inflight.max(undo.inflight_shortterm);
        self.long_term.inflight = self.long_term.inflight.max(undo.inflight_longterm);
        if self.is_linux() {
            return;
        }
        match undo.state {
            Some(State::Startup) if self.state != State::Startup => {
                self.full_pipe.reached = false;
                if self.state != State::ProbeRtt {
                    self.state = State::Startup;
                }
            }
            Some(State::Up) if !matches!(self.state, State::Up | State::ProbeRtt) => self.start_refill(),
            _ => {}
        }
    }

    /// `UpdateLatestDeliverySignals`.
    pub(super) fn update_latest_delivery(&mut self, sample: &Sample) {
        let latest = &mut self.short_term;
        latest.round_started = false;
        if !sample.has_data {
            return;
        }
        latest.bw_latest = latest.bw_latest.max(sample.rate);
        latest.inflight_latest = latest.inflight_latest.max(sample.delivered);
        if sample.prior_delivered >= latest.round_ends_after {
            latest.round_ends_after = self.round.delivered;
            latest.round_started = true;
        }
    }

    /// `UpdateCongestionSignals`.
    pub(super) fn update_congestion_signals(&mut self, window: &Window, sample: &Sample) {
        self.update_max_bw(sample);
        if !self.short_term.round_started {
            return;
        }
        if self.short_term.is_lossy && !self.is_probing() {
            self.lower_bounds(window.cwnd);
        }
        self.short_term.is_lossy = false;
    }

    /// `InitLowerBounds` and `LossLowerBounds`.
    pub(super) fn lower_bounds(&mut self, cwnd: f64) {
        let (max_bw, beta) = (self.max_bw(), self.config.beta.0);
        let bounds = self.short_term;
        let first = |bound: f64, unbounded: f64| if bound.is_infinite() { unbounded } else { bound };
        let inflight = bounds.inflight_latest.max(beta * first(bounds.inflight, cwnd));
        self.short_term.bw = bounds.bw_latest.max(beta * first(bounds.bw, max_bw));
        self.short_term.inflight = self.whole(inflight);
    }

    /// `AdvanceLatestDeliverySignals`.
    pub(super) fn advance_latest_delivery(&mut self, sample: &Sample) {
        if self.short_term.round_started {
            (self.short_term.bw_latest, self.short_term.inflight_latest) = (sample.rate, sample.delivered);
        }
    }
}
