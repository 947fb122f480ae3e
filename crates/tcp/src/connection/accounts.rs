//! Where a flow's time went: every moment between opening and now has exactly one cause.
//!
//! The cause is known when the connection has sent all it may; it then holds until the next input. What
//! passed since the last acknowledgement is provisional: when the retransmission timer expires, that
//! silence turns out to have been waiting for the timer.

use farlink_kernel::{Duration, Instant};

/// What the flow's time went into; the lengths add up to the time since opening.
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
    /// The user's clamp was reached.
    pub max_window: Duration,
    /// Recovery was repairing losses.
    pub recovery: Duration,
    /// The retransmission timer was being waited for, or its losses repaired.
    pub timeout: Duration,
    /// The pacing rate held segments back.
    pub pacing: Duration,
    /// A route failure held the flow still.
    pub frozen: Duration,
}

/// Why nothing more is being sent.
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
}

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

    fn of(&mut self, cause: Cause) -> &mut Duration {
        match cause {
            Cause::Handshake => &mut self.handshake,
            Cause::Application => &mut self.application,
            Cause::CongestionWindow => &mut self.congestion_window,
            Cause::ReceiveWindow => &mut self.receive_window,
            Cause::MaxWindow => &mut self.max_window,
            Cause::Recovery => &mut self.recovery,
            Cause::Timeout => &mut self.timeout,
            Cause::Pacing => &mut self.pacing,
        }
    }
}

/// The clock that charges time to causes.
#[derive(Clone, Debug)]
pub(super) struct Accounts {
    /// Charged for good.
    settled: LimitedBy,
    /// When the last acknowledgement arrived, and what was charged by then.
    mark: (Instant, LimitedBy),
    cause: Cause,
    since: Instant,
}

impl Accounts {
    pub(super) fn new() -> Self {
        let none = LimitedBy::default();
        Self { settled: none, mark: (Instant::ZERO, none), cause: Cause::Handshake, since: Instant::ZERO }
    }

    /// The connection opens: the clock starts.
    pub(super) fn open(&mut self, now: Instant) {
        self.since = now;
        self.mark.0 = now;
    }

    /// From now on the cause is `cause`.
    pub(super) fn charge(&mut self, now: Instant, cause: Cause) {
        if cause != self.cause {
            self.settle(now);
            self.cause = cause;
        }
    }

    /// An acknowledgement arrived: what was charged stands.
    pub(super) fn acknowledged(&mut self, now: Instant) {
        self.settle(now);
        self.mark = (now, self.settled);
    }

    /// The retransmission timer expired: the time since the last acknowledgement was spent waiting for it.
    pub(super) fn timed_out(&mut self, now: Instant) {
        let (at, mut before) = self.mark;
        before.timeout += now - at;
        self.settled = before;
        self.since = now;
        self.mark = (now, before);
        self.cause = Cause::Timeout;
    }

    /// The account up to `now`.
    pub(super) fn until(&self, now: Instant) -> LimitedBy {
        let mut account = self.settled;
        *account.of(self.cause) += now.saturating_since(self.since);
        account
    }

    fn settle(&mut self, now: Instant) {
        self.settled = self.until(now);
        self.since = now;
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
    fn silence_that_ends_in_a_timeout_was_waiting_for_it() {
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
