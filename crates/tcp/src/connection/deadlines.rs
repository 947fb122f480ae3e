//! Expired timers: the retransmission timeout (RFC 6298, RFC 5681 section 3.1), zero-window probes, delayed ACKs.

use farlink_kernel::Instant;

use super::endpoint::Connection;
use super::timers::Timer;
use crate::congestion::LossKind;
use crate::recovery::{Phase, Status, Step};

impl Connection {
    /// The earliest of all timers, [`Instant::NEVER`] when none runs. Read after every input.
    pub fn deadline(&self) -> Instant {
        self.timers.first().min(self.rcv.acks().deadline())
    }

    /// The deadline passed. Harmless when called early or twice.
    pub fn on_deadline(&mut self, now: Instant) {
        if self.timers.at(Timer::TimeWait) <= now {
            return self.delete();
        }
        if self.rcv.acks().deadline() <= now {
            self.rcv.on_deadline();
        }
        if self.freeze.is_frozen {
            return self.on_deadline_while_frozen(now);
        }
        if self.timers.at(Timer::Pacing) <= now {
            self.timers.set(Timer::Pacing, Instant::NEVER);
        }
        if self.timers.at(Timer::Recovery) <= now {
            let step = self.recovery.on_deadline(self.snd.board_mut(), now);
            self.follow_recovery();
            self.report_lost(now);
            match step {
                Step::Enter(kind) => self.enter_recovery(now, kind),
                Step::Probe if self.is_shaking_hands() => {}
                Step::Probe => self.snd.probe_tail(),
                Step::Retransmit => self.snd.force_retransmission(true),
                Step::Stay | Step::Reduce(_) | Step::Exit { .. } => {}
            }
        }
        if self.timers.at(Timer::Persist) <= now {
            self.timers.probe_window(now, self.rtt.rto(), self.config.max_rto);
        }
        if self.timers.at(Timer::Retransmission) <= now {
            self.on_retransmission_timeout(now);
        }
    }

    /// Stores recovery's status after an input; it is read more often than it changes.
    pub(super) fn follow_recovery(&mut self) {
        let status = self.recovery.status(self.snd.board());
        self.remember(&status);
    }

    pub(super) fn remember(&mut self, status: &Status) {
        self.remember_phase(status);
        self.snd.set_in_flight(status.in_flight);
    }

    pub(super) fn remember_phase(&mut self, status: &Status) {
        self.phase = status.phase;
        self.recovery_at_rest = status.is_at_rest;
        self.timers.set(Timer::Recovery, status.deadline);
    }

    /// RFC 6298 rules 5.4 to 5.7 and RFC 5681 section 3.1.
    #[cold]
    fn on_retransmission_timeout(&mut self, now: Instant) {
        if self.is_shaking_hands() {
            if self.syn_timeouts >= self.syn_retries {
                return self.delete();
            }
            self.syn_timeouts += 1;
            self.lose_syn();
        } else {
            if self.recovery.probes_instead_of_timeout() {
                self.snd.probe_tail();
                self.restart_rto(now);
                return;
            }
            self.counters.timeouts += 1;
            self.stop_f_rto();
            self.accounts.timed_out(now);
            self.reduce(now, LossKind::Timeout, self.was_reduced());
            self.recovery.on_timeout(self.snd.board_mut(), now);
            self.follow_recovery();
            self.report_lost(now);
        }
        self.snd.force_retransmission(true);
        self.timed.cancel();
        let waits_equally =
            self.snd.una() == 0 && (1..=self.config.syn_linear_timeouts).contains(&self.syn_timeouts);
        if !waits_equally && self.allows_backoff(now) {
            self.rtt.back_off();
        }
        self.restart_rto(now);
    }

    /// True when an earlier reduction answers a timeout now, too: the threshold stays.
    fn was_reduced(&self) -> bool {
        let config = &self.config;
        match self.phase {
            Phase::Timeout => self.rtt.backoff() > 0 && !config.repeated_timeouts_reduce,
            Phase::Fast => !config.timeout_in_recovery_reduces,
            Phase::Open => !config.timeout_in_recovery_reduces && self.ecn.awaits(self.snd.una()),
        }
    }

    /// The retransmission timer starts anew (RFC 6298 rule 5.1).
    #[inline(always)]
    pub(super) fn restart_rto(&mut self, now: Instant) {
        self.timers.set(Timer::Retransmission, now + self.rtt.rto());
    }

    /// The same if anything is outstanding; else it is off (rule 5.2).
    pub(super) fn restart_rto_if_needed(&mut self, now: Instant) {
        if self.snd.board().is_empty() {
            self.timers.set(Timer::Retransmission, Instant::NEVER);
        } else {
            self.restart_rto(now);
        }
    }
}
