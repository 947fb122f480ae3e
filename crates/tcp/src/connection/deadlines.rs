//! Expired timers: the retransmission timeout (RFC 6298, RFC 5681 section 3.1), zero-window probes, delayed ACKs.

use farlink_kernel::Instant;

use super::endpoint::Connection;
use crate::congestion::LossKind;
use crate::recovery::{Phase, Status, Step};

impl Connection {
    /// The earliest of all timers, [`Instant::NEVER`] when none runs. Read after every input.
    pub fn deadline(&self) -> Instant {
        self.timers.rto.min(self.timers.first_other).min(self.rcv.ack_deadline)
    }

    /// The deadline passed. Harmless when called early or twice.
    pub fn on_deadline(&mut self, now: Instant) {
        if self.timers.others.time_wait <= now {
            return self.delete();
        }
        if self.rcv.ack_deadline <= now {
            self.rcv.on_deadline();
        }
        if self.freeze.is_frozen {
            return self.on_deadline_while_frozen(now);
        }
        if self.timers.others.pacing <= now {
            self.timers.set(|others| others.pacing = Instant::NEVER);
        }
        if self.timers.others.recovery <= now {
            let step = self.recovery.on_deadline(self.snd.board_mut(), now);
            self.follow_recovery();
            match step {
                Step::Enter(kind) => self.enter_recovery(now, kind),
                Step::Probe if self.is_shaking_hands() => {}
                Step::Probe => self.snd.probe_tail(),
                Step::Retransmit => self.snd.force_retransmission(true),
                Step::Stay | Step::Reduce(_) | Step::Exit { .. } => {}
            }
        }
        if self.timers.others.persist <= now {
            self.probe_window(now);
        }
        if self.timers.rto <= now {
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
        self.timers.set(|others| others.recovery = status.deadline);
    }

    /// RFC 6298 rules 5.4 to 5.7 and RFC 5681 section 3.1.
    #[cold]
    fn on_retransmission_timeout(&mut self, now: Instant) {
        if self.is_shaking_hands() {
            if self.syn_timeouts.on_timeout() {
                return self.delete();
            }
            self.lose_syn();
        } else {
            if self.recovery.probes_instead_of_timeout() {
                self.snd.probe_tail();
                self.timers.rto = now + self.rtt.rto();
                return;
            }
            self.counters.timeouts += 1;
            self.stop_f_rto();
            self.accounts.timed_out(now);
            self.reduce(now, LossKind::Timeout, self.was_reduced());
            self.recovery.on_timeout(self.snd.board_mut(), now);
            self.follow_recovery();
        }
        self.snd.force_retransmission(true);
        self.timed.pending = None;
        let waits_equally =
            self.snd.una() == 0 && (1..=self.config.syn_linear_timeouts).contains(&self.syn_timeouts.count());
        if !waits_equally && self.allows_backoff(now) {
            self.rtt.back_off();
        }
        self.timers.rto = now + self.rtt.rto();
    }

    /// True when an earlier reduction answers a timeout now, too: the threshold stays.
    fn was_reduced(&self) -> bool {
        let config = &self.config;
        match self.phase {
            Phase::Timeout => self.rtt.backoff > 0 && !config.repeated_timeouts_reduce,
            Phase::Fast => !config.timeout_in_recovery_reduces,
            Phase::Open => !config.timeout_in_recovery_reduces && self.ecn.awaits(self.snd.una()),
        }
    }

    /// The peer's window is zero and nothing is in flight: probe with exponential backoff (RFC 9293 section 3.8.6.1).
    #[cold]
    pub(super) fn arm_persist(&mut self, now: Instant) {
        if self.timers.others.persist == Instant::NEVER {
            let wait = self.rtt.rto().saturating_mul(1 << self.timers.persist_backoff.min(16));
            let at = now + wait.min(self.config.max_rto);
            self.timers.set(|others| others.persist = at);
        }
    }

    fn probe_window(&mut self, now: Instant) {
        self.snd.probe_window();
        self.timers.set(|others| others.persist = Instant::NEVER);
        self.timers.persist_backoff += 1;
        self.arm_persist(now);
    }
}
