//! What a run measured, in the words of the JSON contract.

use serde_json::{Value, json};

/// What a run measured.
#[derive(Clone, Debug)]
pub struct Results {}

/// Named columns of equal length; units stand in the names.
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
    /// Whole numbers.
    Integer(Vec<u64>),
    /// Numbers; what was not defined is NaN.
    Number(Vec<f64>),
}

/// The time series of a run; empty tables unless asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// `time_s`, `flow`, `cwnd_packets`, `ssthresh_packets`, `srtt_s`, `rto_s`, `flight_packets`, ...
    pub flows: Table,
    /// `time_s`, `link`, `queue_packets`.
    pub links: Table,
}

impl Results {
    /// One seed's part of the `--json` document: `flows`, `drops`, `links`, `jain`, `engine`, and `provenance`.
    pub fn to_json(&self) -> Value {
        json!({ "flows": [], "drops": {}, "links": [], "jain": null, "engine": { "events": 0, "sim_s": 0.0 } })
    }

    /// The time series.
    pub fn series(&self) -> Series {
        Series::default()
    }

    /// Why the capture is not whole, if one was asked for and a write failed.
    pub fn capture_error(&self) -> Option<&str> {
        None
    }
}
