//! [`Workload`]: what is counted about the flows that arrive, by class of size.

use farlink_kernel::{Bytes, Duration, Instant};

use super::delay::Delays;
use crate::ids::NodeId;
use crate::results::{ArrivedFlow, SizeClass, Times};

/// A flow that has arrived and is not counted yet.
#[derive(Clone, Copy, Debug)]
pub struct Arrived {
    pub number: u32,
    pub between: [NodeId; 2],
    pub size: Bytes,
    pub start: Instant,
    /// The completion time that it would have alone on an empty path; `None` where that is not known.
    pub alone: Option<Duration>,
    pub complete: Option<Instant>,
}

/// What its connection counted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counted {
    pub retransmissions: u64,
    pub timeouts: u64,
}

/// A share of a millionth: slowdowns are counted as integers.
const MILLIONTH: f64 = 1e6;

#[derive(Clone, Debug, Default)]
struct Class {
    arrivals: u64,
    bytes: u64,
    counted: Counted,
    completions: Delays,
    /// In millionths.
    slowdowns: Delays,
}

#[derive(Clone, Debug)]
pub struct Workload {
    /// The largest size of each class but the last.
    bounds: Vec<Bytes>,
    classes: Vec<Class>,
    rows: Option<Vec<ArrivedFlow>>,
}

impl Workload {
    pub fn new(bounds: &[Bytes], keeps_rows: bool) -> Self {
        let classes = vec![Class::default(); bounds.len() + 1];
        Self { bounds: bounds.to_vec(), classes, rows: keeps_rows.then(Vec::new) }
    }

    fn class(&mut self, size: Bytes) -> &mut Class {
        let place = self.bounds.partition_point(|bound| *bound < size);
        &mut self.classes[place]
    }

    pub fn on_arrival(&mut self, size: Bytes) {
        let class = self.class(size);
        class.arrivals += 1;
        class.bytes += size.0;
    }

    /// A flow is complete.
    pub fn on_complete(&mut self, arrived: &Arrived, now: Instant) {
        let time = now - arrived.start;
        let class = self.class(arrived.size);
        class.completions.add(time);
        if let Some(slowdown) = slowdown(time, arrived.alone) {
            class.slowdowns.add(Duration::from_nanos((slowdown * MILLIONTH) as u64));
        }
    }

    /// A flow leaves, or the run ends.
    pub fn on_left(&mut self, arrived: &Arrived, counted: Counted) {
        let class = self.class(arrived.size);
        class.counted.retransmissions += counted.retransmissions;
        class.counted.timeouts += counted.timeouts;
        let Some(rows) = &mut self.rows else { return };
        let completion = arrived.complete.map(|at| at - arrived.start);
        rows.push(ArrivedFlow {
            number: arrived.number,
            between: arrived.between,
            size: arrived.size,
            start: arrived.start,
            completion,
            slowdown: completion.and_then(|time| slowdown(time, arrived.alone)),
            retransmissions: counted.retransmissions,
        });
    }

    /// The classes in ascending order, after one of all flows if there are several.
    pub fn results(&self) -> Vec<SizeClass> {
        let lower = std::iter::once(Bytes(0)).chain(self.bounds.iter().copied());
        let upper = self.bounds.iter().copied().map(Some).chain([None]);
        let bounds = lower.zip(upper);
        let mut all = Class::default();
        self.classes.iter().for_each(|class| all.add(class));
        let each = self.classes.iter().zip(bounds).map(|(class, (above, most))| class.result(above, most));
        let several = (!self.bounds.is_empty()).then(|| all.result(Bytes(0), None));
        several.into_iter().chain(each).collect()
    }

    /// The flows by number.
    pub fn rows(self) -> Vec<ArrivedFlow> {
        let mut rows = self.rows.unwrap_or_default();
        rows.sort_unstable_by_key(|row| row.number);
        rows
    }
}

impl Class {
    fn add(&mut self, other: &Self) {
        self.arrivals += other.arrivals;
        self.bytes += other.bytes;
        self.counted.retransmissions += other.counted.retransmissions;
        self.counted.timeouts += other.counted.timeouts;
        self.completions.join(&other.completions);
        self.slowdowns.join(&other.slowdowns);
    }

    fn result(&self, above: Bytes, most: Option<Bytes>) -> SizeClass {
        SizeClass {
            above,
            most,
            arrivals: self.arrivals,
            bytes: Bytes(self.bytes),
            completed: self.completions.count(),
            retransmissions: self.counted.retransmissions,
            timeouts: self.counted.timeouts,
            completion: times(&self.completions, 1e9),
            slowdown: times(&self.slowdowns, MILLIONTH),
        }
    }
}

fn times(of: &Delays, unit: f64) -> Option<Times> {
    let number = |value: Option<Duration>| value.map(|value| value.as_nanos() as f64 / unit);
    let percentile = |percent| number(of.percentile(percent));
    Some(Times { mean: number(of.mean())?, p50: percentile(50)?, p95: percentile(95)?, p99: percentile(99)? })
}

/// The completion time over that of the flow alone.
fn slowdown(time: Duration, alone: Option<Duration>) -> Option<f64> {
    alone.map(|alone| time.as_secs_f64() / alone.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrived(number: u32, size: u64) -> Arrived {
        let between = [NodeId(0), NodeId(1)];
        let (start, alone) = (Instant::ZERO, Some(Duration::from_millis(10)));
        Arrived { number, between, size: Bytes(size), start, alone, complete: None }
    }

    #[test]
    fn flows_fall_into_the_class_of_their_size_whose_bound_belongs_to_it() {
        let mut workload = Workload::new(&[Bytes(100), Bytes(1000)], false);
        for size in [1, 100, 101, 1000, 1001] {
            workload.on_arrival(Bytes(size));
        }
        workload.on_complete(&arrived(0, 100), Instant::from_nanos(50_000_000));
        let results = workload.results();
        let counts: Vec<_> = results.iter().map(|class| (class.arrivals, class.completed)).collect();
        assert_eq!(counts, [(5, 1), (2, 1), (2, 0), (1, 0)]);
        assert_eq!(results[0].slowdown.unwrap().mean, 5.0);
        assert_eq!(results[1].completion.unwrap().mean, 0.05);
        assert_eq!(results[2].completion, None);
    }

    #[test]
    fn without_bounds_there_is_one_class() {
        assert_eq!(Workload::new(&[], false).results().len(), 1);
    }

    #[test]
    fn rows_are_in_the_order_of_numbers() {
        let mut workload = Workload::new(&[], true);
        for number in [2, 0, 1] {
            workload.on_left(&arrived(number, 10), Counted::default());
        }
        assert_eq!(workload.rows().iter().map(|row| row.number).collect::<Vec<_>>(), [0, 1, 2]);
    }
}
