//! Accounts of time: every moment between opening and now has exactly one cause that limits the sender.
//!
//! The cause is known when the connection has sent all it may; it then holds until the next input. The time since the
//! last acknowledgement is provisional: when the retransmission timer expires, it was spent waiting for the timer.

use farlink_kernel::{Duration, Instant};

/// The time by what limited the sender; the durations add up to the time since opening, or since the accounts were
/// restarted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitedBy {
    /// Until the handshake was complete.
    pub handshake: Duration,
    /// Nothing to send.
    pub application: Duration,
    /// The congestion window was full.
    pub congestion_window: Duration,
    /// The peer's window was full.
    pub receive_window: Duration,
    /// The `max_window` or the send buffer of the user was full.
    pub max_window: Duration,
    /// Recovery was repairing losses.
    pub recovery: Duration,
    /// The retransmission timer was being waited for, or its losses repaired.
    pub timeout: Duration,
    /// The pacing rate held segments back.
    pub pacing: Duration,
    /// The flow was frozen by a route failure.
    pub frozen: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    Handshake,
    Application,
    CongestionWindow,
    ReceiveWindow,
    MaxWindow,
    Recovery,
    Timeout,
    Pacing,
    Frozen,
}

const CAUSES: usize = 9;

impl LimitedBy {
    /// The sum of all causes.
    pub fn total(&self) -> Duration {
        self.handshake
            + self.application
            + self.congestion_window
            + self.receive_window
            + self.max_window
            + self.recovery
            + self.timeout
            + self.pacing
            + self.frozen
    }
}

/// The clock that charges time to causes.
#[derive(Clone, Debug)]
pub(super) struct Accounts {
    /// Charged for good, and since the last acknowledgement, by cause.
    settled: [Duration; CAUSES],
    pending: [Duration; CAUSES],
    cause: Cause,
    since: Instant,
    /// The last acknowledgement came then: what is charged from there on is provisional.
    acknowledged: Instant,
    /// The cause changed since the last acknowledgement.
    changed: bool,
    /// What holds the next segment back.
    blocked: Cause,
    /// What limits where all that was written is sent: the application, or a buffer that has room for no more.
    out_of_data: Cause,
}

impl Accounts {
    pub(super) fn new() -> Self {
        let none = [Duration::ZERO; CAUSES];
        Self {
            settled: none,
            pending: none,
            cause: Cause::Handshake,
            since: Instant::ZERO,
            acknowledged: Instant::ZERO,
            changed: false,
            blocked: Cause::Handshake,
            out_of_data: Cause::Application,
        }
    }

    pub(super) fn open(&mut self, now: Instant) {
        self.since = now;
    }

    /// Time is charged from now on only; the cause stays.
    pub(super) fn restart(&mut self, now: Instant) {
        let Self { cause, blocked, out_of_data, .. } = *self;
        *self = Self { cause, since: now, acknowledged: now, blocked, out_of_data, ..Self::new() };
    }

    /// The next segment is held back.
    pub(super) fn block(&mut self, cause: Cause) {
        self.blocked = cause;
    }

    /// All that was written is sent.
    pub(super) fn run_out_of_data(&mut self) {
        self.blocked = self.out_of_data;
    }

    /// This limits where all that was written is sent; true when it was something else that holds the next segment back.
    pub(super) fn set_out_of_data(&mut self, cause: Cause) -> bool {
        let before = std::mem::replace(&mut self.out_of_data, cause);
        self.blocked == before && before != cause
    }

    pub(super) fn blocked(&self) -> Cause {
        self.blocked
    }

    /// From now on the cause is `cause`.
    pub(super) fn charge(&mut self, now: Instant, cause: Cause) {
        if cause != self.cause {
            let provisional = now - self.settle_cause();
            self.pending[self.cause as usize] += provisional;
            self.since = now;
            self.cause = cause;
            self.changed = true;
        }
    }

    /// An acknowledgement arrived: what was charged stands.
    #[inline]
    pub(super) fn acknowledged(&mut self, now: Instant) {
        if self.changed {
            self.settle_pending();
        }
        self.acknowledged = now;
    }

    /// What the present cause was charged until the last acknowledgement stands; returns from when on it does not.
    fn settle_cause(&mut self) -> Instant {
        let provisional = self.since.max(self.acknowledged);
        self.settled[self.cause as usize] += provisional - self.since;
        provisional
    }

    #[inline(never)]
    fn settle_pending(&mut self) {
        for (settled, pending) in self.settled.iter_mut().zip(&mut self.pending) {
            *settled += std::mem::take(pending);
        }
        self.changed = false;
    }

    /// The retransmission timer expired: the time since the last acknowledgement was spent waiting for it.
    pub(super) fn timed_out(&mut self, now: Instant) {
        let provisional = now - self.settle_cause();
        let waited = self.pending.iter().fold(provisional, |sum, &part| sum + part);
        self.settled[Cause::Timeout as usize] += waited;
        self.pending = [Duration::ZERO; CAUSES];
        self.since = now;
        self.cause = Cause::Timeout;
    }

    pub(super) fn until(&self, now: Instant) -> LimitedBy {
        let of = |cause: Cause| {
            let running = if cause == self.cause { now.saturating_since(self.since) } else { Duration::ZERO };
            self.settled[cause as usize] + self.pending[cause as usize] + running
        };
        LimitedBy {
            handshake: of(Cause::Handshake),
            application: of(Cause::Application),
            congestion_window: of(Cause::CongestionWindow),
            receive_window: of(Cause::ReceiveWindow),
            max_window: of(Cause::MaxWindow),
            recovery: of(Cause::Recovery),
            timeout: of(Cause::Timeout),
            pacing: of(Cause::Pacing),
            frozen: of(Cause::Frozen),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Instant {
        Instant::ZERO + Duration::from_secs(seconds)
    }

    #[test]
    fn every_moment_has_one_cause() {
        let mut accounts = Accounts::new();
        accounts.open(at(1));
        accounts.charge(at(2), Cause::CongestionWindow);
        accounts.charge(at(5), Cause::Application);
        let account = accounts.until(at(9));
        assert_eq!(account.handshake, Duration::from_secs(1));
        assert_eq!(account.congestion_window, Duration::from_secs(3));
        assert_eq!(account.application, Duration::from_secs(4));
        assert_eq!(account.total(), Duration::from_secs(8));
    }

    #[test]
    fn nothing_is_charged_for_the_time_before_a_restart() {
        let mut accounts = Accounts::new();
        accounts.open(at(0));
        accounts.charge(at(1), Cause::Application);
        accounts.restart(at(21));
        accounts.charge(at(22), Cause::CongestionWindow);
        accounts.timed_out(at(24));
        let account = accounts.until(at(25));
        assert_eq!((account.timeout, account.total()), (Duration::from_secs(4), Duration::from_secs(4)));
    }

    #[test]
    fn time_before_a_timeout_is_charged_to_it() {
        let mut accounts = Accounts::new();
        accounts.open(at(0));
        accounts.charge(at(1), Cause::CongestionWindow);
        accounts.acknowledged(at(3));
        accounts.charge(at(4), Cause::Recovery);
        accounts.timed_out(at(7));
        let account = accounts.until(at(8));
        assert_eq!(account.congestion_window, Duration::from_secs(2));
        assert_eq!(account.timeout, Duration::from_secs(5));
        assert_eq!(account.total(), Duration::from_secs(8));
    }
}
