//! [`Outage`]: when a link is down, once or at a period.

use farlink_kernel::config::{Diagnostic, Kind, Node, Read, Value};
use farlink_kernel::{Duration, Instant};

use super::Interval;

/// Between the first outage and its period.
const EVERY: &str = " every ";
const EXAMPLE: &str = "30 s..40 s\", or \"15 s..15.2 s every 15 s";

/// An outage, `"30 s..40 s"`, or one that recurs, `"15 s..15.2 s every 15 s"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// The first.
    pub first: Interval,
    /// From the beginning of one to that of the next, longer than `first`; `None`: there is one.
    pub period: Option<Duration>,
}

impl Outage {
    /// One outage.
    pub const fn once(start: Instant, end: Instant) -> Self {
        Self { first: Interval { start, end }, period: None }
    }

    /// True during an outage.
    pub fn contains(&self, at: Instant) -> bool {
        if at < self.first.start {
            return false;
        }
        let since = self.since_turn(at - self.first.start);
        since < self.first.end - self.first.start
    }

    /// True if one of its outages and one of `other`'s have an instant in common. Two of different periods are not
    /// compared: in a run that is long enough they always have.
    pub fn overlaps(&self, other: &Self) -> bool {
        match (self.period, other.period) {
            (Some(one), Some(two)) if one != two => false,
            (None, Some(_)) => other.overlaps(self),
            (Some(_), None) => self.meets(other.first),
            _ if self.first.start <= other.first.start => self.meets(other.first),
            _ => other.meets(self.first),
        }
    }

    /// True if one of its outages has an instant in common with `interval`.
    fn meets(&self, interval: Interval) -> bool {
        self.contains(interval.start) || self.begins_within(interval)
    }

    /// True if one of its outages begins within `interval`.
    fn begins_within(&self, interval: Interval) -> bool {
        let Some(period) = self.period else { return false };
        if interval.end <= self.first.start {
            return false;
        }
        let since = interval.start.saturating_since(self.first.start).as_nanos();
        let next = since.div_ceil(period.as_nanos()).saturating_mul(period.as_nanos());
        self.first.start.saturating_add(Duration::from_nanos(next)) < interval.end
    }

    /// When an outage begins or ends next after `at`; [`Instant::NEVER`] after the last.
    pub fn next_change(&self, at: Instant) -> Instant {
        let Interval { start, end } = self.first;
        let next = |first: Instant| match self.period {
            _ if at < first => first,
            Some(period) => at.saturating_add(period - self.since_turn(at - first)),
            None => Instant::NEVER,
        };
        next(start).min(next(end))
    }

    /// When the outage after the one that ends at `end` does; `None` if `end` is the end of none, or of the last.
    pub fn next_end(&self, end: Instant) -> Option<Instant> {
        let period = self.period?;
        let is_end = end >= self.first.end && self.since_turn(end - self.first.end).is_zero();
        is_end.then(|| end.saturating_add(period))
    }

    /// How much of a length of time is left after whole periods.
    fn since_turn(&self, length: Duration) -> Duration {
        self.period.map_or(length, |period| Duration::from_nanos(length.as_nanos() % period.as_nanos()))
    }
}

impl Read for Outage {
    fn kind() -> Kind {
        Kind::Quantity { what: "an interval", units: Vec::new(), example: EXAMPLE }
    }
    fn read(node: &Node) -> Result<Self, Diagnostic> {
        let text = node.as_text(&format!("an interval such as \"{EXAMPLE}\""))?;
        let (first, period) = match text.split_once(EVERY) {
            Some((first, period)) => (first, Some(period)),
            None => (text, None),
        };
        let read = |text: &str| node.with(Value::Text(text.into()));
        let first = Interval::read(&read(first))?;
        let period = period.map(|text| Duration::read(&read(text))).transpose()?;
        if period.is_some_and(|period| period <= first.end - first.start) {
            let message = "an outage as long as its period, or longer";
            return Err(node.refuse(message, "the time after `every` is from one beginning to the next"));
        }
        Ok(Self { first, period })
    }
    fn show(&self) -> String {
        let Interval { start, end } = self.first;
        let every = self.period.map(|period| format!("{EVERY}{period}")).unwrap_or_default();
        format!("\"{start}..{end}{every}\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(n: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(n)
    }

    fn outage(text: &str) -> Outage {
        Outage::read(&Node::text(text)).unwrap()
    }

    #[test]
    fn a_periodic_outage_recurs_from_its_first_on() {
        let handovers = outage("15 s..15.2 s every 15 s");
        let down = [0, 14_999, 15_000, 15_199, 15_200, 29_999, 30_000, 30_199, 30_200, 600_100];
        let expected = [false, false, true, true, false, false, true, true, false, true];
        assert_eq!(down.map(|at| handovers.contains(ms(at))), expected);
        assert_eq!(handovers.next_end(ms(15_200)), Some(ms(30_200)));
        assert_eq!(handovers.next_end(ms(30_200)), Some(ms(45_200)));
        assert_eq!(handovers.next_end(ms(30_201)), None);
        assert_eq!(outage("1 s..2 s").next_end(ms(2000)), None);
    }

    #[test]
    fn the_next_change_is_a_beginning_or_an_end() {
        let handovers = outage("15 s..15.2 s every 15 s");
        for (at, next) in
            [(0, 15_000), (15_000, 15_200), (15_100, 15_200), (15_200, 30_000), (30_000, 30_200)]
        {
            assert_eq!(handovers.next_change(ms(at)), ms(next), "{at}");
        }
        assert_eq!(outage("1 s..2 s").next_change(ms(1000)), ms(2000));
        assert_eq!(outage("1 s..2 s").next_change(ms(2000)), Instant::NEVER);
    }

    #[test]
    fn outages_read_back_as_shown() {
        for text in ["30 s..40 s", "15 s..15200 ms every 15 s"] {
            assert_eq!(outage(text).show(), format!("\"{text}\""));
        }
    }

    #[test]
    fn a_period_is_longer_than_its_outage() {
        for text in ["1 s..2 s every 1 s", "1 s..2 s every 0 s", "1 s..2 s every", "1 s every 2 s"] {
            assert!(Outage::read(&Node::text(text)).is_err(), "{text}");
        }
    }

    #[test]
    fn outages_that_ever_coincide_overlap() {
        let handovers = outage("15 s..15.2 s every 15 s");
        for (other, expected) in [
            ("31 s..44 s", false),
            ("44 s..45 s", false),
            ("44 s..46 s", true),
            ("45.1 s..45.3 s", true),
            ("1 s..2 s", false),
            ("1 s..100 s", true),
            ("20 s..20.1 s every 15 s", false),
            ("30.1 s..30.3 s every 15 s", true),
            ("29.9 s..30.1 s every 15 s", true),
            ("5 s..5.1 s every 7 s", false),
        ] {
            assert_eq!(handovers.overlaps(&outage(other)), expected, "{other}");
            assert_eq!(outage(other).overlaps(&handovers), expected, "{other}, the other way round");
        }
    }
}
