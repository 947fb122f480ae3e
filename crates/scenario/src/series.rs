//! Time series as named columns, units in the names.

use std::collections::BTreeSet;

pub use farlink_network::results::UNDEFINED;
use farlink_network::results::{FlowSeries, LinkSeries};

use crate::run_results::RunResults;

/// Named columns of equal length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Names with their columns, in order.
    pub columns: Vec<(&'static str, Column)>,
}

/// One column of a [`Table`].
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Labels.
    Text(Vec<String>),
    /// Indices into these words; an index beyond them is no word.
    Word(Vec<u32>, Vec<String>),
    /// Whole numbers; an undefined one is [`UNDEFINED`].
    Integer(Vec<u64>),
    /// Numbers; an undefined one is NaN.
    Number(Vec<f64>),
}

/// The time series of a run; without rows unless recorded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// One row per flow and sample.
    pub flows: Table,
    /// One row per link direction and sample.
    pub links: Table,
}

impl RunResults {
    /// The time series.
    pub fn series(&self) -> Series {
        let flows: Vec<&str> = self.measured.flows.iter().map(|flow| flow.label.as_str()).collect();
        let links: Vec<&str> = self.measured.links.iter().map(|link| link.link.as_str()).collect();
        Series {
            flows: flow_table(&self.measured.flow_series, &flows),
            links: link_table(&self.measured.link_series, &links),
        }
    }
}

fn flow_table(series: &FlowSeries, labels: &[&str]) -> Table {
    let columns = vec![
        ("time_s", seconds(&series.time_ns)),
        ("flow", names(&series.flow, labels)),
        ("phase", words(&series.phase)),
        ("cwnd_segments", finite(&series.cwnd_segments)),
        ("ssthresh_segments", finite(&series.ssthresh_segments)),
        ("rtt_s", seconds(&series.rtt_ns)),
        ("srtt_s", seconds(&series.srtt_ns)),
        ("rto_s", seconds(&series.rto_ns)),
        ("flight_bytes", Column::Integer(series.flight_bytes.clone())),
        ("snd_una_bytes", Column::Integer(series.snd_una_bytes.clone())),
        ("snd_nxt_bytes", Column::Integer(series.snd_nxt_bytes.clone())),
        ("rcv_nxt_bytes", Column::Integer(series.rcv_nxt_bytes.clone())),
        ("received_bytes", Column::Integer(series.received_bytes.clone())),
        ("delivered_bytes", Column::Integer(series.delivered_bytes.clone())),
        ("packets_sent", Column::Integer(series.packets_sent.clone())),
        ("packets_delivered", Column::Integer(series.packets_delivered.clone())),
        ("packets_lost", Column::Integer(series.packets_lost.clone())),
        ("jitter_s", Column::Number(series.jitter_s.clone())),
    ];
    Table { columns }
}

fn link_table(series: &LinkSeries, labels: &[&str]) -> Table {
    let columns = vec![
        ("time_s", seconds(&series.time_ns)),
        ("link", names(&series.link, labels)),
        ("queue_packets", Column::Integer(series.queue_packets.clone())),
        ("queue_bytes", Column::Integer(series.queue_bytes.clone())),
    ];
    Table { columns }
}

fn seconds(nanoseconds: &[u64]) -> Column {
    let seconds = |ns: &u64| if *ns == UNDEFINED { f64::NAN } else { *ns as f64 * 1e-9 };
    Column::Number(nanoseconds.iter().map(seconds).collect())
}

fn names(places: &[u32], labels: &[&str]) -> Column {
    Column::Text(places.iter().map(|place| labels[*place as usize].to_owned()).collect())
}

/// A column of words, some of them absent.
fn words(names: &[Option<&'static str>]) -> Column {
    let known: Vec<&str> = names.iter().flatten().copied().collect::<BTreeSet<_>>().into_iter().collect();
    let place = |name| known.iter().position(|known| Some(*known) == name);
    let places = names.iter().map(|name| place(*name).map_or(u32::MAX, |place| place as u32));
    Column::Word(places.collect(), known.into_iter().map(str::to_owned).collect())
}

fn finite(numbers: &[f64]) -> Column {
    let defined = |number: &f64| if number.is_finite() { *number } else { f64::NAN };
    Column::Number(numbers.iter().map(defined).collect())
}
