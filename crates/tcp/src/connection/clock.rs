//! The clock that timestamps show (RFC 7323 section 5.4): a tick of the configured length.

use farlink_kernel::{Duration, Instant};

use crate::segment::Timestamps;

const MICROSECOND: u64 = 1_000;
const MILLISECOND: u64 = 1_000_000;

/// A clock by the length of its tick. The two that most stacks have are known to the compiler: dividing by a
/// constant takes a fraction of the time, and every segment shows a timestamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clock {
    Microseconds,
    Milliseconds,
    Ticks(Duration),
}

impl Clock {
    pub(super) fn new(tick: Duration) -> Self {
        match tick.as_nanos() {
            MICROSECOND => Self::Microseconds,
            MILLISECOND => Self::Milliseconds,
            _ => Self::Ticks(tick),
        }
    }

    fn tick(self) -> Duration {
        match self {
            Self::Microseconds => Duration::from_nanos(MICROSECOND),
            Self::Milliseconds => Duration::from_nanos(MILLISECOND),
            Self::Ticks(tick) => tick,
        }
    }

    /// What a timestamp of `now` shows. The clock starts at 1, because an echo of 0 stands for "none yet".
    #[inline]
    pub(super) fn at(self, now: Instant) -> u32 {
        let ticks = match self {
            Self::Microseconds => now.as_nanos() / MICROSECOND,
            Self::Milliseconds => now.as_nanos() / MILLISECOND,
            Self::Ticks(tick) => now.as_nanos() / tick.as_nanos(),
        };
        (ticks as u32).wrapping_add(1)
    }

    /// How long ago the echoed timestamp was sent.
    pub(super) fn age_of_echo(self, now: Instant, timestamps: Timestamps) -> Option<Duration> {
        let ticks = self.at(now).wrapping_sub(timestamps.echo);
        (timestamps.echo != 0).then(|| self.tick() * u64::from(ticks))
    }

    /// The time from the echoed timestamp to the other: the delay of a path between clocks that agree.
    pub(super) fn since_echo(self, timestamps: Timestamps) -> Option<Duration> {
        let ticks = timestamps.value.wrapping_sub(timestamps.echo);
        (timestamps.echo != 0 && ticks.cast_signed() >= 0).then(|| self.tick() * u64::from(ticks))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_of_a_tick_counts_alike() {
        for tick in [1, 999, MICROSECOND, 10_000, MILLISECOND, 500_000_000].map(Duration::from_nanos) {
            let clock = Clock::new(tick);
            assert_eq!(clock.tick(), tick);
            let sent = Instant::ZERO + tick * 1_000;
            let echo = Timestamps { value: 0, echo: clock.at(sent) };
            assert_eq!(echo.echo, 1_001);
            assert_eq!(clock.age_of_echo(sent + tick * 30, echo), Some(tick * 30));
        }
        let path = Timestamps { value: 2, echo: u32::MAX };
        let clock = Clock::new(Duration::from_millis(1));
        assert_eq!(clock.since_echo(path), Some(Duration::from_millis(3)));
        assert_eq!(clock.since_echo(Timestamps { value: u32::MAX, echo: 2 }), None);
        let nothing_yet = Timestamps::default();
        assert_eq!(Clock::new(Duration::from_millis(1)).age_of_echo(Instant::ZERO, nothing_yet), None);
    }
}
