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
    /// Payload that its receiver has in order.
    pub received: u64,
    pub retransmissions: u64,
    pub timeouts: u64,
}

impl Counted {
    fn add(&mut self, other: Self) {
        self.received += other.received;
        self.retransmissions += other.retransmissions;
        self.timeouts += other.timeouts;
    }
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
        class.counted.add(counted);
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
        self.counted.add(other.counted);
        self.completions.join(&other.completions);
        self.slowdowns.join(&other.slowdowns);
    }

    fn result(&self, above: Bytes, most: Option<Bytes>) -> SizeClass {
        let unfinished = self.arrivals - self.completions.count();
        SizeClass {
            above,
            most,
            arrivals: self.arrivals,
            bytes: Bytes(self.bytes),
            received: Bytes(self.counted.received),
            completed: self.completions.count(),
            retransmissions: self.counted.retransmissions,
            timeouts: self.counted.timeouts,
            completion: times(&self.completions, unfinished, 1e9),
            slowdown: times(&self.slowdowns, unfinished, MILLIONTH),
        }
    }
}

/// The mean of completed flows; percentiles over those and the unfinished ones, which are above all others.
fn times(of: &Delays, unfinished: u64, unit: f64) -> Option<Times> {
    let number = |value: Duration| value.as_nanos() as f64 / unit;
    let percentile = |percent| of.percentile_with(percent, unfinished).map(number);
    Some(Times { mean: number(of.mean()?), p50: percentile(50), p95: percentile(95), p99: percentile(99) })
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
    fn a_percentile_counts_unfinished_flows_as_longer_than_all_others() {
        let mut workload = Workload::new(&[], false);
        let millis = |ms| Instant::ZERO + Duration::from_millis(ms);
        (0..100).for_each(|_| workload.on_arrival(Bytes(10)));
        (1..=95).for_each(|ms| workload.on_complete(&arrived(0, 10), millis(ms)));
        let Times { p50, p95, p99, .. } = workload.results()[0].completion.unwrap();
        // Of 100 flows 50 take 50 ms at most, and 95 take 95 ms; over the 95 completed these would be 48 ms and 91 ms.
        assert!((0.050..0.0505).contains(&p50.unwrap()) && (0.095..0.0958).contains(&p95.unwrap()));
        assert_eq!(p99, None);
        assert_eq!(workload.results()[0].slowdown.unwrap().p99, None);
        workload.on_arrival(Bytes(10));
        assert_eq!(workload.results()[0].completion.unwrap().p95, None);
    }

    #[test]
    fn received_bytes_are_those_of_flows_that_are_complete_and_of_those_that_are_not() {
        let mut workload = Workload::new(&[Bytes(100)], false);
        for (size, received) in [(100, 100), (1000, 300)] {
            workload.on_arrival(Bytes(size));
            workload.on_left(&arrived(0, size), Counted { received, ..Counted::default() });
        }
        let received: Vec<_> = workload.results().iter().map(|class| class.received.0).collect();
        assert_eq!(received, [400, 100, 300]);
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
