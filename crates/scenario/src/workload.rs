//! `[[workloads]]`: flows that arrive during the run, and the files that they name.

use farlink_kernel::config::{self, Diagnostic, Kind, Read, Value};
use farlink_kernel::{Bytes, Duration, Instant, choice};
use farlink_network::workload::arrivals::schedule::Timed;
use farlink_network::workload::size::cdf::Point;
use farlink_network::workload::{File, arrivals, size};

use crate::columns::Table;
use crate::files::{Fault, Reader};
use crate::located::Located;
use crate::section::section;
use crate::tcp::Tcp;

section! {
    /// Flows that arrive during the run, each over a TCP connection of its own.
    pub struct Workload {
        /// Its name in results; by default `workload0`, `workload1`, ...
        pub label: String = String::new(),
        /// The name of the sender, or a list of names: each flow has one of them, all with equal probability.
        pub from: Group,
        /// The name of the receiver, or a list of names.
        pub to: Group,
        /// Nothing arrives before this time.
        pub start: Instant = Instant::ZERO,
        /// Nothing arrives from this time on. Flows that have arrived go on.
        pub stop: Option<Instant> = None,
        /// When flows arrive.
        pub arrivals: arrivals::Config = arrivals::Config::Poisson(arrivals::poisson::Config::default()),
        /// How large they are.
        pub size: size::Config = size::Config::Fixed(size::fixed::Config::default()),
        /// The largest size of each class of results, ascending; larger flows are a class of their own.
        pub classes: Vec<Bytes> = default_classes(),
        /// The results: classes only, or a row for each flow, too.
        pub flows: Flows = Flows::Classes,
        /// The TCP options of both ends of every flow.
        pub tcp: Tcp = Tcp::default(),
    }
}

choice! {
    /// What results say of single flows.
    pub enum Flows {
        /// Nothing: they are folded into classes.
        Classes = "classes",
        /// A row for each.
        Rows = "rows",
    }
}

/// Small and large flows in the evaluation of pFabric (Alizadeh et al., SIGCOMM 2013, section 5.2).
fn default_classes() -> Vec<Bytes> {
    vec![Bytes(100_000), Bytes(10_000_000)]
}

/// The label of a workload at `place` that has none of its own.
pub(crate) fn default_label(place: usize) -> String {
    format!("workload{place}")
}

/// Names of nodes, written as one name or as a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group(pub Vec<String>);

impl Read for Group {
    fn kind() -> Kind {
        Kind::AnyOf(vec![Kind::Text, Kind::List(Box::new(Kind::Text))])
    }
    fn read(node: &config::Node) -> Result<Self, Diagnostic> {
        match &node.value {
            Value::Text(name) => Ok(Self(vec![name.clone()])),
            Value::List(names) if names.is_empty() => Err(node.expected("the name of a node")),
            Value::List(_) => Vec::read(node).map(Self),
            _ => Err(node.expected("the name of a node, or a list of names")),
        }
    }
    fn show(&self) -> String {
        match &self.0[..] {
            [name] => name.show(),
            names => names.to_vec().show(),
        }
    }
}

impl Group {
    /// The key of the name at a place.
    pub(crate) fn key(&self, key: &str, place: usize) -> String {
        if self.0.len() == 1 { key.into() } else { format!("{key}.{place}") }
    }
}

/// True for a Poisson process whose rate follows from a load.
pub(crate) fn is_of_load(arrivals: &arrivals::Config) -> bool {
    matches!(arrivals, arrivals::Config::Poisson(poisson) if poisson.load.is_some())
}

/// The arrivals with their file read, if they name one.
pub(crate) fn read_arrivals(
    workload: &Located<Workload>,
    reader: &mut Reader<'_>,
) -> Result<arrivals::Config, Diagnostic> {
    if is_of_load(&workload.arrivals) && workload.has("arrivals.rate") {
        let message = "`load` determines the rate, so that `rate` has no effect";
        return Err(workload.refuse_at("arrivals.rate", message, "remove `rate` or `load`"));
    }
    let arrivals::Config::Schedule(schedule) = &workload.arrivals else {
        return Ok(workload.arrivals.clone());
    };
    let mut schedule = schedule.clone();
    if !schedule.csv.path.is_empty() {
        if !schedule.flows.is_empty() {
            let message = "a schedule is a list or a file";
            return Err(workload.refuse_at("arrivals.csv", message, "remove `flows` or `csv`"));
        }
        schedule.csv.rows =
            read(&schedule.csv, reader, timed).map_err(|fault| fault.at(workload, "arrivals.csv"))?;
    }
    if workload.has("size") {
        let message = "the schedule has the sizes of its flows";
        return Err(workload.refuse_at("size", message, "remove `size`"));
    }
    let rows = schedule.rows();
    if rows.is_empty() {
        let remedy = "write flows = [[\"1 s\", \"20 kB\"]], or csv = \"FILE\"";
        return Err(workload.refuse_at("arrivals", "a schedule without flows", remedy));
    }
    if !rows.is_sorted_by_key(|row| row.at) {
        return Err(workload.refuse_at(
            "arrivals.flows",
            "times must not decrease",
            "sort the flows by time",
        ));
    }
    Ok(arrivals::Config::Schedule(schedule))
}

/// The sizes with their file read, if they name one.
pub(crate) fn read_size(
    workload: &Located<Workload>,
    reader: &mut Reader<'_>,
) -> Result<size::Config, Diagnostic> {
    let size::Config::Cdf(config) = &workload.size else { return Ok(workload.size.clone()) };
    if config.csv.path.is_empty() {
        return Err(workload.refuse_at(
            "size",
            "`csv` is missing",
            "add csv = \"FILE\" with lines of size_bytes,share",
        ));
    }
    let rows = read(&config.csv, reader, points).map_err(|fault| fault.at(workload, "size.csv"))?;
    Ok(size::Config::Cdf(size::cdf::Config { csv: File { rows, ..config.csv.clone() } }))
}

fn read<Row>(
    file: &File<Row>,
    reader: &mut Reader<'_>,
    parse: impl Fn(&str, usize) -> Result<Vec<Row>, Diagnostic>,
) -> Result<std::sync::Arc<[Row]>, Fault> {
    let (text, start) = reader.text(&file.path)?;
    let rows = parse(&text, start).map_err(Fault::Line)?;
    if rows.is_empty() {
        return Err(Fault::File(format!("\"{}\" has no lines", file.path), String::new()));
    }
    Ok(rows.into())
}

/// Lines of `time_s,size_bytes` in order of time.
fn timed(text: &str, start: usize) -> Result<Vec<Timed>, Diagnostic> {
    let remedy = "write lines of time_s,size_bytes";
    let table = Table { text, start, columns: &["time_s", "size_bytes"], remedy };
    let mut rows: Vec<Timed> = Vec::new();
    table.each_of_numbers(|numbers, at| {
        let row = numbers.filter(|[time, size]| {
            (0.0..=config::CENTURY.as_secs_f64()).contains(time)
                && (1.0..=config::EXABYTE.0 as f64).contains(size)
        });
        let Some([time, size]) = row else {
            return Err(table.refuse(&at, "expected a time that is not negative, and a size of at least 1 B"));
        };
        let at_time = Instant::ZERO + Duration::from_secs_f64(time);
        if rows.last().is_some_and(|last| last.at > at_time) {
            return Err(table.refuse(&at, "times must not decrease from line to line"));
        }
        rows.push(Timed { at: at_time, size: Bytes(size.round() as u64) });
        Ok(())
    })?;
    Ok(rows)
}

/// Lines of `size_bytes,share`, both ascending up to a share of 1.
fn points(text: &str, start: usize) -> Result<Vec<Point>, Diagnostic> {
    let remedy = "write lines of size_bytes,share that end with a share of 1";
    let table = Table { text, start, columns: &["size_bytes", "share"], remedy };
    let mut rows: Vec<Point> = Vec::new();
    let mut last = start..start;
    table.each_of_numbers(|numbers, at| {
        let point = numbers.filter(|[size, share]| {
            (0.0..=config::EXABYTE.0 as f64).contains(size) && (0.0..=1.0).contains(share)
        });
        let Some([size, share]) = point else {
            return Err(table.refuse(&at, "expected a size and a share from 0 to 1"));
        };
        if rows.last().is_some_and(|before| before.0 > size || before.1 > share) {
            return Err(table.refuse(&at, "sizes and shares must not decrease from line to line"));
        }
        rows.push((size, share));
        last = at;
        Ok(())
    })?;
    match rows.last() {
        Some((_, share)) if *share < 1.0 => Err(table.refuse(&last, "the last share is not 1")),
        Some((size, _)) if *size < 1.0 => Err(table.refuse(&last, "the largest size is less than 1 B")),
        _ => Ok(rows),
    }
}
