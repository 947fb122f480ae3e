//! Rates and delays of trace files in another unit than the one that they are read in.

use farlink_kernel::{BitRate, Bytes, Duration, Instant};
use farlink_network::schedule::{Schedule, Trace, TraceFormat};

use crate::files::{Columns, Headers};
use crate::traces::Quantity;

/// No packet takes so long. It is the RTO after the loss of a SYN (RFC 6298 section 5.7); the slowest links of RFC 3150,
/// 4.8 kbit/s, take 2.5 s for 1500 B.
const SLOWEST: Duration = Duration::from_secs(3);
/// Faster than any single link.
const FASTEST: BitRate = BitRate::from_bps(10_000_000_000_000);
/// Beyond the Moon, which is 1.3 s away.
const LONGEST: Duration = Duration::from_secs(2);

/// Columns with their units, the likely ones first.
const RATES: &[(&str, &str)] =
    &[("rate_mbps", "Mbit/s"), ("rate_bps", "bit/s"), ("rate_gbps", "Gbit/s"), ("rate_kbps", "kbit/s")];
const DELAYS: &[(&str, &str)] = &[("delay_ms", "ms"), ("delay_us", "us"), ("delay_s", "seconds")];

/// A trace file, and how its numbers are read.
#[derive(Clone, Copy)]
pub(super) struct File<'a> {
    trace: &'a Trace,
    /// What its header names.
    columns: Option<Columns>,
}

impl<'a> File<'a> {
    /// The file of a schedule, if it has one.
    pub(super) fn of<T: Quantity>(schedule: &'a Schedule<T>, headers: &Headers) -> Option<Self> {
        let Schedule::File(trace) = schedule else { return None };
        let columns = headers.get(&(trace.path.clone(), T::COLUMNS[0].0)).copied();
        Some(Self { trace, columns })
    }

    pub(super) fn name(&self) -> &'a str {
        &self.trace.path
    }

    /// The unit of its times.
    pub(super) fn times(&self) -> &'static str {
        let is_in_ms = self.trace.format == TraceFormat::Mahimahi
            || self.columns.is_some_and(|[time, _]| time == "time_ms");
        if is_in_ms { "milliseconds" } else { "seconds" }
    }

    /// The remedy of a value that is implausible in the unit in force: another one in which its number is plausible.
    fn remedy<T: Quantity>(
        &self,
        value: f64,
        units: &[(&str, &str)],
        is_plausible: impl Fn(f64) -> bool,
        otherwise: &str,
    ) -> String {
        if self.trace.format == TraceFormat::Mahimahi {
            return "a line of mahimahi is a packet of 1500 B in the millisecond that it names: write fewer for one"
                .into();
        }
        let base = T::COLUMNS[0].0;
        let column = self.columns.map_or(base, |[_, column]| column);
        let factor = |column: &str| {
            T::COLUMNS.iter().find(|(name, _)| *name == column).map_or(1.0, |(_, factor)| *factor)
        };
        let number = value / factor(column);
        let likely = units.iter().find(|(other, _)| is_plausible(number * factor(other)));
        match (self.columns, likely) {
            (Some(_), Some((other, unit))) => {
                format!("the header names {column}: write {other} if the numbers are in {unit}")
            }
            (Some(_), None) => format!("the header names {column}: {otherwise}"),
            (None, likely) => {
                let unit = units.iter().find(|(name, _)| *name == base).map_or(base, |(_, unit)| *unit);
                let read = format!("without units in its header a file has {unit}");
                let Some((other, unit)) = likely else { return format!("{read}: {otherwise}") };
                let meant = T::from_number(number * factor(other)).map_or(0.0, T::number);
                format!("{read}: write time_s,{other} for {unit}, or {meant} for {number} {unit}")
            }
        }
    }
}

/// A file of rates in another unit than the one that is read.
pub(super) fn slow_or_fast(
    file: File<'_>,
    points: &[(Instant, BitRate)],
    packet: Bytes,
) -> Option<(String, String)> {
    let highest = points.iter().map(|(_, rate)| *rate).max()?;
    let time = highest.time_to_send(packet);
    let message = format!("the highest rate in \"{}\" is {highest}", file.name());
    let (message, otherwise) = if time > SLOWEST {
        let seconds = time.as_secs_f64();
        (format!("{message}, at which a packet of {packet} takes {seconds:.0} s"), "write higher rates")
    } else if highest > FASTEST {
        (message, "write lower rates")
    } else {
        return None;
    };
    let is_plausible = |rate: f64| {
        BitRate::from_number(rate).is_some_and(|rate| rate.time_to_send(packet) <= SLOWEST && rate <= FASTEST)
    };
    let remedy = file.remedy::<BitRate>(highest.number(), RATES, is_plausible, otherwise);
    Some((message, remedy))
}

/// A file of delays in another unit than the one that is read.
pub(super) fn long(file: File<'_>, points: &[(Instant, Duration)]) -> Option<(String, String)> {
    let mut delays: Vec<Duration> = points.iter().map(|(_, delay)| *delay).collect();
    // A single one may be as long in a trace of a queue.
    let middle = delays.len() / 2;
    let (_, &mut median, _) = delays.select_nth_unstable(middle);
    (median >= LONGEST).then(|| {
        let seconds = median.number();
        let message = format!("the median of the delays in \"{}\" is {seconds} s, one way", file.name());
        let is_plausible = |delay: f64| Duration::from_number(delay).is_some_and(|delay| delay < LONGEST);
        (message, file.remedy::<Duration>(seconds, DELAYS, is_plausible, "write shorter delays"))
    })
}
