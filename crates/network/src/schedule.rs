//! [`Schedule`]: a quantity that is constant or changes in steps; [`Interval`], [`Outage`] and [`Start`]: times in
//! scenarios.

mod outage;
mod steps;

use farlink_kernel::config::{Diagnostic, Kind, Node, Read, Value};
use farlink_kernel::{BitRate, Duration, Instant};

pub use outage::Outage;
pub use steps::Steps;

/// A quantity over time.
///
/// Written as one value, as steps, `{ steps = [["0 s", "20 ms"], ["15 s", "31 ms"]], every = "30 s" }`, or as a
/// table that names a file: `{ csv = "rate.csv" }` or, for rates, `{ mahimahi = "cell.trace" }`. The reader of the
/// file replaces it with [`Schedule::Steps`].
#[derive(Clone, Debug, PartialEq)]
pub enum Schedule<T> {
    /// Constant.
    Constant(T),
    /// Changes in steps.
    Steps(Steps<T>),
    /// A trace file, not read yet.
    File(Trace),
}

/// The format of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceFormat {
    /// Lines of seconds and value in base units (bit/s, seconds).
    Csv,
    /// Lines of milliseconds, each an opportunity to send 1500 bytes; repeats (mahimahi's `mm-link`).
    Mahimahi,
}

/// A quantity that traces can hold.
pub trait Traced: Read {
    /// The formats of its traces.
    const FORMATS: &'static [TraceFormat];
}

impl Traced for BitRate {
    const FORMATS: &'static [TraceFormat] = &[TraceFormat::Csv, TraceFormat::Mahimahi];
}

impl Traced for Duration {
    const FORMATS: &'static [TraceFormat] = &[TraceFormat::Csv];
}

/// A trace file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// Its format.
    pub format: TraceFormat,
    /// Its path, as in the scenario.
    pub path: String,
}

impl<T: Copy> Schedule<T> {
    /// The value at `now`, and when it ends. Panics for a file that was not read (refused when a world is made).
    #[inline(always)]
    pub fn at(&self, now: Instant) -> (T, Instant) {
        let Self::Constant(value) = self else { return self.at_step(now) };
        (*value, Instant::NEVER)
    }

    #[inline(never)]
    fn at_step(&self, now: Instant) -> (T, Instant) {
        match self {
            Self::Constant(value) => (*value, Instant::NEVER),
            Self::Steps(steps) => steps.at(now),
            Self::File(trace) => panic!("trace {} was not read", trace.path),
        }
    }
}

impl<T: Copy + Ord> Schedule<T> {
    /// The least and the greatest value. Panics for a file that was not read.
    pub fn bounds(&self) -> (T, T) {
        match self {
            Self::Constant(value) => (*value, *value),
            Self::Steps(steps) => {
                let values = || steps.points.iter().map(|(_, value)| *value);
                values().min().zip(values().max()).expect("steps have values")
            }
            Self::File(trace) => panic!("trace {} was not read", trace.path),
        }
    }
}

impl<T: Traced> Read for Schedule<T> {
    fn kind() -> Kind {
        let files = T::FORMATS.iter().map(|format| Kind::Table(vec![format.field()]));
        let steps = Kind::Table(Steps::<T>::fields());
        Kind::AnyOf([T::kind(), steps].into_iter().chain(files).collect())
    }
    fn read(node: &Node) -> Result<Self, Diagnostic> {
        match &node.value {
            Value::Table(_) if node.get("steps").or_else(|| node.get("every")).is_some() => {
                farlink_kernel::config::refuse_unknown(node.entries()?, &["steps", "every"])?;
                Steps::read(node).map(Self::Steps)
            }
            Value::Table(_) => Trace::read(node).map(Self::File),
            _ => T::read(node).map(Self::Constant),
        }
    }
    fn show(&self) -> String {
        match self {
            Self::Constant(value) => value.show(),
            Self::File(trace) => trace.show(),
            Self::Steps(steps) => steps.show(),
        }
    }
}

impl TraceFormat {
    /// The key that names a file of this format.
    const fn key(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Mahimahi => "mahimahi",
        }
    }

    fn field(self) -> farlink_kernel::Field {
        let doc = match self {
            Self::Csv => "A file of lines `seconds,value`, the value in bit/s or seconds.",
            Self::Mahimahi => "A file of delivery opportunities of 1500 bytes in milliseconds.",
        };
        farlink_kernel::Field { name: self.key(), kind: Kind::Text, default: None, doc }
    }
}

impl Trace {
    fn read(node: &Node) -> Result<Self, Diagnostic> {
        let entries = node.entries()?;
        farlink_kernel::config::refuse_unknown(entries, &["csv", "mahimahi", "steps", "every"])?;
        let [entry] = entries else {
            return Err(node.refuse("a schedule is one file", "write { csv = \"FILE\" }"));
        };
        let is_csv = entry.key == TraceFormat::Csv.key();
        let format = if is_csv { TraceFormat::Csv } else { TraceFormat::Mahimahi };
        Ok(Self { format, path: entry.node.as_text("a file name")?.to_owned() })
    }

    fn show(&self) -> String {
        format!("{{ {} = {} }}", self.format.key(), self.path.show())
    }
}

/// From one instant to another, written `"30 s..40 s"`; the end is not included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// First instant inside.
    pub start: Instant,
    /// First instant after.
    pub end: Instant,
}

impl Read for Interval {
    fn kind() -> Kind {
        Kind::Quantity { what: "an interval", units: Vec::new(), example: "30 s..40 s" }
    }
    fn read(node: &Node) -> Result<Self, Diagnostic> {
        let text = node.as_text("an interval such as \"30 s..40 s\"")?;
        let Some((start, end)) = text.split_once("..") else {
            return Err(node.expected("an interval such as \"30 s..40 s\""));
        };
        let read = |text: &str| Instant::read(&node.with(Value::Text(text.into())));
        let interval = Self { start: read(start)?, end: read(end)? };
        if interval.start >= interval.end {
            return Err(node.refuse("an interval that ends before it starts", "swap the two"));
        }
        Ok(interval)
    }
    fn show(&self) -> String {
        format!("\"{}..{}\"", self.start, self.end)
    }
}

/// When something starts: `"1 s"`, or at random within `"0 s..5 s"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At this instant.
    At(Instant),
    /// Uniformly within the interval, drawn anew for every seed.
    Within(Interval),
}

impl Start {
    /// From the earliest start to the latest.
    pub fn bounds(self) -> Interval {
        match self {
            Self::At(at) => Interval { start: at, end: at },
            Self::Within(interval) => interval,
        }
    }
}

impl Read for Start {
    fn kind() -> Kind {
        Kind::AnyOf(vec![Instant::kind(), Interval::kind()])
    }
    fn read(node: &Node) -> Result<Self, Diagnostic> {
        match &node.value {
            Value::Text(text) if text.contains("..") => Interval::read(node).map(Self::Within),
            _ => Instant::read(node).map(Self::At),
        }
    }
    fn show(&self) -> String {
        match self {
            Self::At(instant) => instant.show(),
            Self::Within(interval) => interval.show(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(n: u64) -> Instant {
        Instant::ZERO + Duration::from_secs(n)
    }

    #[test]
    fn intervals_and_starts_read_back_as_shown() {
        let start = Start::read(&Node::text("0 s..5 s")).unwrap();
        assert_eq!(start, Start::Within(Interval { start: second(0), end: second(5) }));
        assert_eq!(start.show(), "\"0 s..5 s\"");
        assert_eq!(Start::read(&Node::text("2 s")), Ok(Start::At(second(2))));
        assert!(Interval::read(&Node::text("5 s..5 s")).is_err());
    }

    #[test]
    fn a_schedule_is_a_value_or_a_file() {
        let file = Node::new(Value::Table(vec![farlink_kernel::config::Entry {
            key: "csv".into(),
            span: 0..0,
            node: Node::text("rate.csv"),
        }]));
        let schedule = Schedule::<Duration>::read(&file).unwrap();
        assert_eq!(schedule.show(), "{ csv = \"rate.csv\" }");
        assert_eq!(Schedule::read(&Node::text("5 ms")), Ok(Schedule::Constant(Duration::from_millis(5))));
    }
}
