//! Accounts of time: every moment between opening and now has exactly one cause that limits the sender.
//!
//! The cause is known when the connection has sent all it may; it then holds until the next input. The time since the
//! last acknowledgement is provisional: when the retransmission timer expires, it was spent waiting for the timer.

use farlink_kernel::{Duration, Instant, choice};

choice! {
    /// What limits a sender.
    pub enum Cause {
        /// The handshake is not complete.
        Handshake = "handshake",
        /// Nothing to send.
        Application = "application",
        /// The congestion window is full.
        CongestionWindow = "congestion_window",
        /// The peer's window is full.
        ReceiveWindow = "receive_window",
        /// The `max_window` or the send buffer of the user is full.
        MaxWindow = "max_window",
        /// Recovery repairs losses.
        Recovery = "recovery",
        /// The retransmission timer is being waited for, or its losses repaired.
        Timeout = "timeout",
        /// The pacing rate holds segments back.
        Pacing = "pacing",
        /// The flow is frozen by a route failure.
        Frozen = "frozen",
    }
}

const CAUSES: usize = Cause::WORDS.len();

/// The time by what limited the sender; the durations add up to the time since opening, or since the accounts were
/// restarted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitedBy([Duration; CAUSES]);

impl LimitedBy {
    /// The time by one cause.
    pub fn of(&self, cause: Cause) -> Duration {
        self.0[cause as usize]
    }

    /// The sum of all causes.
    pub fn total(&self) -> Duration {
        self.0.iter().fold(Duration::ZERO, |sum, &part| sum + part)
    }

    /// All causes by name.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, Duration)> {
        Cause::WORDS.iter().copied().zip(self.0)
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
        let mut lengths = self.settled;
        for (length, &pending) in lengths.iter_mut().zip(&self.pending) {
            *length += pending;
        }
        lengths[self.cause as usize] += now.saturating_since(self.since);
        LimitedBy(lengths)
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
        assert_eq!(account.of(Cause::Handshake), Duration::from_secs(1));
        assert_eq!(account.of(Cause::CongestionWindow), Duration::from_secs(3));
        assert_eq!(account.of(Cause::Application), Duration::from_secs(4));
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
        assert_eq!(
            (account.of(Cause::Timeout), account.total()),
            (Duration::from_secs(4), Duration::from_secs(4))
        );
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
        assert_eq!(account.of(Cause::CongestionWindow), Duration::from_secs(2));
        assert_eq!(account.of(Cause::Timeout), Duration::from_secs(5));
        assert_eq!(account.total(), Duration::from_secs(8));
    }
}
