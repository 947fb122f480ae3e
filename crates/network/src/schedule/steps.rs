//! [`Steps`]: values that are valid from an instant on, as a scenario file writes them.

use farlink_kernel::config::{Diagnostic, Kind, Node, Read, Value};
use farlink_kernel::{Duration, Field, Instant};

/// Values, each valid from an instant on.
#[derive(Clone, Debug, PartialEq)]
pub struct Steps<T> {
    /// (from, value), ascending in time; the first value also holds before its instant.
    pub points: Vec<(Instant, T)>,
    /// The period with which it repeats; `None`: the last value stays.
    pub period: Option<Duration>,
}

impl<T: Copy> Steps<T> {
    /// The value at `now`, and when it ends ([`Instant::NEVER`] when it stays).
    pub fn at(&self, now: Instant) -> (T, Instant) {
        let (turn, offset) = match self.period {
            Some(period) => (
                now - Duration::from_nanos(now.as_nanos() % period.as_nanos()),
                now.as_nanos() % period.as_nanos(),
            ),
            None => (Instant::ZERO, now.as_nanos()),
        };
        let next = self.points.partition_point(|(from, _)| from.as_nanos() <= offset);
        let value = self.points[next.saturating_sub(1)].1;
        let end = match (self.points.get(next.max(1)), self.period) {
            (Some((from, _)), _) => turn + (*from - Instant::ZERO),
            (None, Some(period)) => turn + period,
            (None, None) => Instant::NEVER,
        };
        (value, end)
    }
}

impl<T: Read> Steps<T> {
    /// The keys of the table: the values, and the period.
    pub(super) fn fields() -> Vec<Field> {
        let pair = Kind::List(Box::new(Kind::AnyOf(vec![Instant::kind(), T::kind()])));
        let doc = "Pairs of an instant and the value from then on, such as [\"15 s\", \"31 ms\"].";
        let steps = Field { name: "steps", kind: Kind::List(Box::new(pair)), default: None, doc };
        let doc = "The period with which the steps repeat; none: the last value stays.";
        let kind = Option::<Duration>::kind();
        vec![steps, Field { name: "every", kind, default: Some("\"none\"".into()), doc }]
    }

    pub(super) fn read(table: &Node) -> Result<Self, Diagnostic> {
        let list = table.get("steps").ok_or_else(|| table.refuse("a period without steps", REMEDY))?;
        let Value::List(items) = &list.value else { return Err(list.expected("a list of pairs")) };
        let mut points: Vec<(Instant, T)> = Vec::new();
        for item in items {
            let point = pair(item)?;
            if points.last().is_some_and(|last| last.0 >= point.0) {
                return Err(item.refuse("times must increase from step to step", ""));
            }
            points.push(point);
        }
        let Some((last, _)) = points.last() else { return Err(list.refuse("no steps", REMEDY)) };
        let every = table.get("every");
        let period = every.map_or(Ok(None), Option::<Duration>::read)?;
        if let (Some(period), Some(node)) = (period, every)
            && Instant::ZERO + period <= *last
        {
            let message = format!("steps that repeat every {period}, the last of them at {last}");
            return Err(node.refuse(message, "write a period that is longer"));
        }
        Ok(Self { points, period })
    }

    pub(super) fn show(&self) -> String {
        let point = |(from, value): &(Instant, T)| format!("[{}, {}]", from.show(), value.show());
        let points = self.points.iter().map(point).collect::<Vec<_>>().join(", ");
        format!("{{ steps = [{points}], every = {} }}", self.period.show())
    }
}

const REMEDY: &str = "write { steps = [[\"0 s\", VALUE], [\"15 s\", VALUE]] }";

fn pair<T: Read>(item: &Node) -> Result<(Instant, T), Diagnostic> {
    match &item.value {
        Value::List(pair) if pair.len() == 2 => Ok((Instant::read(&pair[0])?, T::read(&pair[1])?)),
        _ => Err(item.expected("a pair such as [\"15 s\", VALUE]")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(n: u64) -> Instant {
        Instant::ZERO + Duration::from_secs(n)
    }

    #[test]
    fn steps_hold_until_the_next_and_the_last_stays() {
        let steps = Steps { points: vec![(second(1), 10), (second(3), 30)], period: None };
        assert_eq!(steps.at(second(0)), (10, second(3)));
        assert_eq!(steps.at(second(1)), (10, second(3)));
        assert_eq!(steps.at(second(3)), (30, Instant::NEVER));
    }

    #[test]
    fn a_period_starts_the_schedule_again() {
        let steps =
            Steps { points: vec![(second(0), 10), (second(3), 30)], period: Some(Duration::from_secs(4)) };
        assert_eq!(steps.at(second(7)), (30, second(8)));
        assert_eq!(steps.at(second(9)), (10, second(11)));
    }
}
