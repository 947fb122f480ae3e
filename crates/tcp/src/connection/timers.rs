//! What happens when nothing comes: the timers of a connection, of which the outside sees one deadline.

use farlink_kernel::Instant;

use super::{Connection, State};
use crate::congestion::LossKind;
use crate::recovery::{Phase, Status, Step};

/// When each timer expires, [`Instant::NEVER`] when it is off.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timers {
    pub(super) rto: Instant,
    pub(super) persist: Instant,
    pub(super) persist_backoff: u32,
    pub(super) pacing: Instant,
    pub(super) time_wait: Instant,
    /// The recovery member's own timer.
    pub(super) recovery: Instant,
}

impl Default for Timers {
    fn default() -> Self {
        let never = Instant::NEVER;
        Self {
            rto: never,
            persist: never,
            persist_backoff: 0,
            pacing: never,
            time_wait: never,
            recovery: never,
        }
    }
}

impl Timers {
    pub(super) fn stop_persist(&mut self) {
        self.persist = Instant::NEVER;
        self.persist_backoff = 0;
    }
}

impl Connection {
    /// The earliest of all timers, [`Instant::NEVER`] when none runs. Asked after every input.
    pub fn deadline(&self) -> Instant {
        let Timers { rto, persist, pacing, time_wait, recovery, .. } = self.timers;
        rto.min(persist).min(pacing).min(time_wait).min(recovery).min(self.rcv.ack_deadline)
    }

    /// The deadline passed. Harmless when called early or twice.
    pub fn on_deadline(&mut self, now: Instant) {
        if self.timers.time_wait <= now {
            return self.gone();
        }
        if self.rcv.ack_deadline <= now {
            self.rcv.ack_deadline = Instant::NEVER;
            self.rcv.ack_now = true;
        }
        if self.freeze.is_frozen {
            return self.on_deadline_while_frozen(now);
        }
        if self.timers.pacing <= now {
            self.timers.pacing = Instant::NEVER;
        }
        if self.timers.recovery <= now {
            let step = self.recovery.on_deadline(&mut self.snd.board, now, self.snd.nxt);
            self.follow_recovery();
            match step {
                Step::Enter(kind) => self.enter_recovery(now, kind),
                Step::Probe => self.snd.tail_probe_due = true,
                Step::Retransmit => self.snd.must_retransmit = true,
                Step::Stay | Step::Reduce(_) | Step::Exit { .. } => {}
            }
        }
        if self.timers.persist <= now {
            self.probe_window(now);
        }
        if self.timers.rto <= now {
            self.on_retransmission_timeout(now);
        }
    }

    /// Recovery took something in: remember what it thinks, which is asked for more often than it changes.
    pub(super) fn follow_recovery(&mut self) {
        let status = self.recovery.status(&self.snd.board);
        self.remember(&status);
    }

    pub(super) fn remember(&mut self, status: &Status) {
        self.phase = status.phase;
        self.recovery_rests = status.is_at_rest;
        self.timers.recovery = status.deadline;
        self.snd.in_flight = status.in_flight;
        self.snd.room = None;
    }

    /// RFC 6298 rules 5.4 to 5.7 and RFC 5681 section 3.1.
    #[cold]
    fn on_retransmission_timeout(&mut self, now: Instant) {
        let repeated =
            self.rtt.backoff > 0 && self.phase == Phase::Timeout && !self.config.repeated_timeouts_reduce;
        if matches!(self.state, State::SynSent | State::SynReceived) && !self.is_one_way() {
            self.snd.syn_was_lost = true;
            self.snd.board.lose_all(false);
        } else {
            if self.recovery.probes_instead_of_timeout() {
                self.snd.tail_probe_due = true;
                self.timers.rto = now + self.rtt.rto();
                return;
            }
            self.counters.timeouts += 1;
            self.stop_looking_forward();
            self.accounts.timed_out(now);
            self.reduce(now, LossKind::Timeout, repeated);
            self.recovery.on_timeout(&mut self.snd.board, now, self.snd.nxt);
            self.follow_recovery();
        }
        self.snd.must_retransmit = true;
        self.timed.pending = None;
        self.rtt.back_off();
        self.timers.rto = now + self.rtt.rto();
    }

    /// The peer's window is shut and nothing is under way: ask again later, ever more rarely (RFC 9293
    /// section 3.8.6.1).
    #[cold]
    pub(super) fn arm_persist(&mut self, now: Instant) {
        if self.timers.persist == Instant::NEVER {
            let wait = self.rtt.rto().saturating_mul(1 << self.timers.persist_backoff.min(16));
            self.timers.persist = now + wait.min(self.config.max_rto);
        }
    }

    fn probe_window(&mut self, now: Instant) {
        self.snd.probe_due = true;
        self.timers.persist = Instant::NEVER;
        self.timers.persist_backoff += 1;
        self.arm_persist(now);
    }
}
