//! Traces of rate and delay, from CSV and from mahimahi's format.

use std::collections::BTreeMap;

use csv::StringRecord;
use farlink_kernel::config::{CENTURY, Diagnostic, PETABIT};
use farlink_kernel::{BitRate, Duration, Instant};
use farlink_network::schedule::{Schedule, Steps, Trace, TraceFormat};

use crate::columns::Table;
use crate::files::{Columns, Fault, Reader};

/// The bits of a delivery opportunity of a mahimahi trace: 1500 bytes (Netravali et al., USENIX ATC 2015).
const OPPORTUNITY_BITS: u64 = 1500 * 8;

/// The name of a column, and how many base units its unit is.
type Unit = (&'static str, f64);

const TIMES: &[Unit] = &[("time_s", 1.0), ("time_ms", 1e-3)];
const RATES: &[Unit] = &[("rate_bps", 1.0), ("rate_kbps", 1e3), ("rate_mbps", 1e6), ("rate_gbps", 1e9)];
const DELAYS: &[Unit] = &[("delay_s", 1.0), ("delay_ms", 1e-3), ("delay_us", 1e-6)];

/// More columns have no meaning: a file of commas takes no memory for their names.
const MOST_COLUMNS: usize = 16;

pub(crate) trait Quantity: Copy {
    /// The value of a number in the base unit, if it is in range.
    fn from_number(number: f64) -> Option<Self>;
    /// The value in the base unit.
    fn number(self) -> f64;
    /// False for a value at which no packet is delivered.
    fn is_useful(self) -> bool {
        true
    }
    /// The steps of a mahimahi trace, if it gives this quantity.
    fn from_opportunities(milliseconds: &[u64]) -> Option<Steps<Self>>;
    /// The names of its column in a CSV, with their units; the first is that without a header.
    const COLUMNS: &'static [Unit];
}

impl Quantity for BitRate {
    const COLUMNS: &'static [Unit] = RATES;

    fn from_number(number: f64) -> Option<Self> {
        (0.0..=PETABIT.as_bps() as f64).contains(&number).then(|| Self::from_bps(number.round() as u64))
    }

    fn number(self) -> f64 {
        self.as_bps() as f64
    }

    fn is_useful(self) -> bool {
        !self.is_zero()
    }

    /// An opportunity at millisecond t delivers 1500 bytes in the millisecond before t.
    fn from_opportunities(milliseconds: &[u64]) -> Option<Steps<Self>> {
        let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
        for millisecond in milliseconds {
            *counts.entry(millisecond.saturating_sub(1)).or_default() += 1;
        }
        let start = |millisecond: u64| Instant::ZERO + Duration::from_millis(millisecond);
        let mut points = vec![(Instant::ZERO, Self::from_bps(0))];
        for (millisecond, count) in counts {
            let rate = Self::from_bps(count * OPPORTUNITY_BITS * 1000);
            step(&mut points, start(millisecond), rate);
            step(&mut points, start(millisecond + 1), Self::from_bps(0));
        }
        let period = Duration::from_millis(milliseconds.last().copied()?);
        points.retain(|(from, _)| *from < Instant::ZERO + period);
        Some(Steps { points, period: Some(period) })
    }
}

/// Appends a step; it replaces one at the same instant, and is omitted if the rate does not change.
fn step(points: &mut Vec<(Instant, BitRate)>, from: Instant, rate: BitRate) {
    points.pop_if(|last| last.0 == from);
    if points.last().is_none_or(|last| last.1 != rate) {
        points.push((from, rate));
    }
}

impl Quantity for Duration {
    const COLUMNS: &'static [Unit] = DELAYS;

    fn from_number(number: f64) -> Option<Self> {
        (0.0..=CENTURY.as_secs_f64()).contains(&number).then(|| Self::from_secs_f64(number))
    }

    fn number(self) -> f64 {
        self.as_secs_f64()
    }

    fn from_opportunities(_milliseconds: &[u64]) -> Option<Steps<Self>> {
        None
    }
}

/// The rate or delay with its file read, if it names one.
pub(crate) fn read<T: Quantity>(
    schedule: &Schedule<T>,
    reader: &mut Reader<'_>,
) -> Result<Schedule<T>, Fault> {
    let Schedule::File(trace) = schedule else { return Ok(schedule.clone()) };
    let (text, start) = reader.text(&trace.path)?;
    let steps = match trace.format {
        TraceFormat::Csv => {
            if let Some(columns) = Header::of::<T>(&text).named() {
                reader.headers.insert((trace.path.clone(), T::COLUMNS[0].0), columns);
            }
            Steps { points: csv(&text, start)?, period: None }
        }
        TraceFormat::Mahimahi => {
            let milliseconds = mahimahi(&text, start)?;
            match milliseconds.last() {
                None => return Err(without_lines(trace)),
                // mahimahi refuses it likewise: "trace must last for a nonzero amount of time".
                Some(0) => {
                    let message = format!("\"{}\" lasts 0 ms, after which it would repeat", trace.path);
                    let remedy = "the last millisecond is the period: write one above 0";
                    return Err(Fault::File(message, remedy.into()));
                }
                Some(_) => {}
            }
            T::from_opportunities(&milliseconds).ok_or_else(|| {
                let message = "a mahimahi trace gives a rate only";
                Fault::File(message.into(), "write { csv = \"FILE\" }".into())
            })?
        }
    };
    if steps.points.is_empty() {
        return Err(without_lines(trace));
    }
    if !steps.points.iter().any(|(_, value)| value.is_useful()) {
        return Err(Fault::File("a link whose rate is always zero carries nothing".into(), String::new()));
    }
    Ok(Schedule::Steps(steps))
}

fn without_lines(trace: &Trace) -> Fault {
    Fault::File(format!("\"{}\" has no lines", trace.path), String::new())
}

/// The columns of a file, and the places and units of the two that are read.
struct Header<'a> {
    columns: Vec<&'a str>,
    time: (usize, Unit),
    value: (usize, Unit),
    /// The file names them.
    is_named: bool,
}

impl<'a> Header<'a> {
    /// Seconds and values in the base unit, unless the first line names columns with units. A file may have both rates
    /// and delays.
    fn of<T: Quantity>(text: &'a str) -> Self {
        let is_record = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
        let columns: Vec<&str> = text
            .lines()
            .find(is_record)
            .map_or_else(Vec::new, |line| line.split(',').take(MOST_COLUMNS).map(str::trim).collect());
        let only = |units: &[Unit]| {
            let known = |(place, name): (usize, &&str)| {
                units.iter().find(|(unit, _)| unit == name).map(|&unit| (place, unit))
            };
            let mut found = columns.iter().enumerate().filter_map(known);
            found.next().filter(|_| found.next().is_none())
        };
        let is_known = |name: &&str| [TIMES, RATES, DELAYS].concat().iter().any(|(column, _)| column == name);
        match (only(TIMES), only(T::COLUMNS)) {
            (Some(time), Some(value)) if columns.iter().all(is_known) => {
                Self { columns, time, value, is_named: true }
            }
            _ => Self {
                columns: vec![TIMES[0].0, T::COLUMNS[0].0],
                time: (0, TIMES[0]),
                value: (1, T::COLUMNS[0]),
                is_named: false,
            },
        }
    }

    fn named(&self) -> Option<Columns> {
        let (_, (time, _)) = self.time;
        let (_, (value, _)) = self.value;
        self.is_named.then_some([time, value])
    }

    /// Time and value of a record; `None` if one is not a number in range.
    fn point<T: Quantity>(&self, record: &StringRecord) -> Option<(Instant, T)> {
        let number =
            |(place, (_, factor)): (usize, Unit)| Some(record.get(place)?.parse::<f64>().ok()? * factor);
        let time = Duration::from_number(number(self.time)?)?;
        Some((Instant::ZERO + time, T::from_number(number(self.value)?)?))
    }
}

/// Lines of `seconds,value`, or of the columns in the header.
fn csv<T: Quantity>(text: &str, start: usize) -> Result<Vec<(Instant, T)>, Fault> {
    let header = Header::of::<T>(text);
    let remedy = format!("write lines of time_s,{}", T::COLUMNS[0].0);
    let table = Table { text, start, columns: &header.columns, remedy: &remedy };
    let mut points: Vec<(Instant, T)> = Vec::new();
    let read = table.each_with_numbers(|record, at| {
        if record.len() != header.columns.len() {
            return Err(table.refuse(&at, "a line with another number of columns"));
        }
        let point = header.point(record);
        let point =
            point.ok_or_else(|| table.refuse(&at, "expected two numbers, not negative and not huge"))?;
        if points.last().is_some_and(|last| last.0 >= point.0) {
            return Err(table.refuse(&at, "times must increase from line to line"));
        }
        points.push(point);
        Ok(())
    });
    read.map(|()| points).map_err(Fault::Line)
}

/// Lines of milliseconds that never decrease.
fn mahimahi(text: &str, start: usize) -> Result<Vec<u64>, Fault> {
    let mut milliseconds: Vec<u64> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let number = line.trim();
        let refuse = |message: &str| {
            let span = start + at..start + at + number.len();
            Fault::Line(Diagnostic::new(span, message, "write one millisecond a line, in ascending order"))
        };
        if !number.is_empty() {
            let number = number.parse().map_err(|_| refuse("expected a whole number of milliseconds"))?;
            if number > CENTURY.as_nanos() / 1_000_000 {
                return Err(refuse("more than 100 years"));
            }
            if milliseconds.last().is_some_and(|last| *last > number) {
                return Err(refuse("milliseconds must not decrease"));
            }
            milliseconds.push(number);
        }
        at += line.len();
    }
    Ok(milliseconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mahimahi_trace_is_a_rate_per_millisecond_that_repeats() {
        let steps = BitRate::from_opportunities(&[1, 1, 2, 5]).unwrap();
        let rate = |ms| steps.at(Instant::ZERO + Duration::from_millis(ms)).0.as_bps();
        let rates = [0, 1, 2, 3, 4, 5, 6].map(rate);
        assert_eq!(rates, [24_000_000, 12_000_000, 0, 0, 12_000_000, 24_000_000, 12_000_000]);
    }

    #[test]
    fn a_csv_may_begin_with_a_header() {
        let Ok(points) = csv::<BitRate>("time_s,rate_bps\n0,1e6\n1.5, 2e6\n", 0) else { panic!("refused") };
        let at = |ms| Instant::ZERO + Duration::from_millis(ms);
        assert_eq!(points, [(at(0), BitRate::from_bps(1_000_000)), (at(1500), BitRate::from_bps(2_000_000))]);
    }

    #[test]
    fn a_header_names_units_and_a_file_may_have_rates_and_delays() {
        let text = "# measured\ntime_ms, rate_mbps, delay_ms\n0, 2.5, 30\n1500, 1, 20.5\n";
        let at = |ms| Instant::ZERO + Duration::from_millis(ms);
        let Ok(rates) = csv::<BitRate>(text, 0) else { panic!("refused") };
        assert_eq!(rates, [(at(0), BitRate::from_bps(2_500_000)), (at(1500), BitRate::from_bps(1_000_000))]);
        let Ok(delays) = csv::<Duration>(text, 0) else { panic!("refused") };
        assert_eq!(delays, [(at(0), Duration::from_millis(30)), (at(1500), Duration::from_micros(20_500))]);
    }

    #[test]
    fn a_column_without_a_meaning_is_refused_and_so_is_one_twice() {
        for header in
            ["time_s,rate_mbps,loss", "time_s,rate_mbps,rate_bps", "rate_mbps,delay_ms", "time_s,delay_ms"]
        {
            let text = format!("{header}\n0,1,0\n");
            let Err(Fault::Line(diagnostic)) = csv::<BitRate>(&text, 0) else { panic!("accepted: {header}") };
            assert_eq!(diagnostic.message, "the header names other columns");
        }
    }

    #[test]
    fn a_bad_line_is_refused_at_its_place() {
        let place = |text| match csv::<BitRate>(text, 0) {
            Err(Fault::Line(diagnostic)) => diagnostic.span,
            _ => panic!("accepted"),
        };
        assert_eq!(place("0,1\n1,fast\n"), 4..10);
        assert_eq!(place("0,1\n0,2\n"), 4..7);
        assert_eq!(place("0,1\n1,2,3\n"), 4..9);
        assert_eq!(place("0,1\n# 1,2\n  \n1,fast\n"), 13..19);
    }

    #[test]
    fn a_refused_line_says_what_is_wrong_with_it() {
        let message = |text| match csv::<BitRate>(text, 0) {
            Err(Fault::Line(diagnostic)) => diagnostic.message,
            _ => panic!("accepted"),
        };
        for text in ["0,1\n1,2,3\n", "1\n"] {
            assert_eq!(message(text), "a line with another number of columns");
        }
        for text in ["time_s;rate_bps\n0;1\n", "time,rate\n0,1\n"] {
            assert_eq!(message(text), "the header names other columns");
        }
        assert_eq!(message("0,1\n1,-2\n"), "expected two numbers, not negative and not huge");
    }
}
