//! A built-in scenario becomes columns: results and time series of a few seeds, captures of one.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use farlink_kernel::Instant;
use farlink_scenario::{
    self as scenario, BuiltIn, Draft, Files, Record, Scenario, Simulation, Table, built_in,
};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use crate::column::{Column, Summary, digits};

/// The seeds of every scenario, one after the other in each column.
const SEEDS: [u64; 3] = [1, 2, 3];

/// The scenario whose captures are hashed besides: shared channel, retries, collisions.
const CAPTURED: &str = "chain_80211";

/// What is hashed: `(scenario, table, column)`.
pub type Name = (String, String, String);

/// Summaries of columns, by name.
pub type Columns = BTreeMap<Name, Summary>;

/// Runs all built-in scenarios with all seeds, on every core.
///
/// # Panics
/// When a built-in scenario is refused.
pub fn all() -> Columns {
    let next = AtomicUsize::new(0);
    let columns = Mutex::new(Columns::new());
    let work = || {
        // The last scenarios of the list take longest.
        while let Some(scenario) = built_in().iter().rev().nth(next.fetch_add(1, Ordering::Relaxed)) {
            let found = summaries(scenario);
            columns.lock().unwrap_or_else(PoisonError::into_inner).extend(found);
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, Into::into) {
            scope.spawn(work);
        }
    });
    columns.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Built-in scenarios mention no files.
struct NoFiles;

impl Files for NoFiles {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        Err(format!("a built-in scenario reads no files, not even {path}"))
    }
}

fn summaries(built_in: &BuiltIn) -> Columns {
    let scenario = Draft::parse(built_in.text, built_in.name)
        .and_then(|draft| draft.validate(&NoFiles))
        .unwrap_or_else(|error| panic!("{error}"));
    let mut tables = Tables::default();
    for seed in SEEDS {
        let results = run(Simulation::new(&scenario, seed, Record { series: true }));
        tables.add_document(results.to_json());
        let series = results.series();
        tables.add_series("series_flows", series.flows);
        tables.add_series("series_links", series.links);
    }
    if built_in.name == CAPTURED {
        tables.add_captures(&scenario);
    }
    let named = |((table, column), values): ((String, String), Column)| {
        ((built_in.name.to_owned(), table, column), values.summary())
    };
    tables.columns.into_iter().map(named).collect()
}

fn run(mut simulation: Simulation) -> scenario::RunResults {
    while simulation.advance(Instant::NEVER) {}
    simulation.finish()
}

/// Columns under way, by table and column.
#[derive(Default)]
struct Tables {
    columns: BTreeMap<(String, String), Column>,
    /// The place of the last row of each table.
    rows: BTreeMap<String, u64>,
}

impl Tables {
    fn column(&mut self, table: &str, column: &str) -> &mut Column {
        self.columns.entry((table.into(), column.into())).or_default()
    }

    /// A list of the document is a table; everything else is a row of the table `run`.
    fn add_document(&mut self, document: Value) {
        let Value::Object(document) = document else { panic!("the results are an object") };
        let mut rest = Map::new();
        for (key, value) in document {
            match value {
                Value::Array(rows) => rows.into_iter().for_each(|row| self.add_row(&key, row)),
                value => {
                    rest.insert(key, value);
                }
            }
        }
        self.add_row("run", Value::Object(rest));
    }

    fn add_row(&mut self, table: &str, row: Value) {
        let Value::Object(row) = row else { panic!("a row of {table} is an object") };
        let place = *self.rows.entry(table.into()).and_modify(|rows| *rows += 1).or_default();
        for (key, value) in row {
            match value {
                Value::Object(parts) => self.add_parts(table, &key, place, parts),
                value => self.column(table, &key).push(&value),
            }
        }
    }

    /// A table within a row, such as the causes of drops, becomes columns of their own. Which keys it has differs from
    /// row to row, so the row's place is part of the hash.
    fn add_parts(&mut self, table: &str, key: &str, place: u64, parts: Map<String, Value>) {
        for (part, value) in parts {
            let column = self.column(table, &format!("{key}.{part}"));
            column.push_place(place);
            column.push(&value);
        }
    }

    fn add_series(&mut self, table: &str, series: Table) {
        for (name, values) in series.columns {
            let column = self.column(table, name);
            match values {
                scenario::Column::Text(values) => values.iter().for_each(|text| column.push_text(text)),
                scenario::Column::Word(places, words) => {
                    let word = |place: u32| words.get(place as usize).map_or("", String::as_str);
                    for place in places {
                        column.push_text(word(place));
                    }
                }
                scenario::Column::Integer(values) => values.into_iter().for_each(|i| match i {
                    scenario::UNDEFINED => column.push(&Value::Null),
                    defined => column.push_integer(defined),
                }),
                scenario::Column::Number(values) => values.into_iter().for_each(|f| column.push_number(f)),
            }
        }
    }

    /// The bytes of a pcap of the senders, of a pcapng of the channel and of an ns-2 trace; the mean is their number.
    fn add_captures(&mut self, scenario: &Scenario) {
        let files = ["pcap", "pcapng", "ns2_trace"].map(|name| (name, Sink::default()));
        let mut simulation = Simulation::new(scenario, SEEDS[0], Record::default());
        simulation.capture(Box::new(files[0].1.clone()));
        simulation.capture_frames(Box::new(files[1].1.clone()), None);
        simulation.trace(Box::new(files[2].1.clone()));
        let results = run(simulation);
        assert_eq!(results.capture_error, None);
        for (name, sink) in files {
            let (hash, bytes) = sink.finish();
            let column = self.column("captures", name);
            column.push_text(&hash);
            column.push_integer(bytes);
        }
    }
}

/// A file that is hashed instead of written.
#[derive(Clone, Default)]
struct Sink(Arc<Mutex<(Sha256, u64)>>);

impl Sink {
    fn finish(self) -> (String, u64) {
        let written = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        (digits(written.0), written.1)
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut written = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        written.0.update(bytes);
        written.1 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
