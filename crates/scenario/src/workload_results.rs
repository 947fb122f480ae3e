//! The results of workloads: a row for each class of sizes, and the flows that arrived as named columns.

use farlink_kernel::{Bytes, Duration, Instant};
use farlink_network::results::{ArrivedFlow, SizeClass, Times, WorkloadResult};
use serde_json::{Value, json};

use crate::run_results::RunResults;
use crate::series::{Column, Table};

impl RunResults {
    /// A row per workload and class of sizes, the class of all flows first.
    pub(crate) fn workloads_json(&self) -> Vec<Value> {
        let rows = |workload: &WorkloadResult| {
            let row = |class: &SizeClass| self.class_json(&workload.label, class);
            workload.classes.iter().map(row).collect::<Vec<_>>()
        };
        self.measured.workloads.iter().flat_map(rows).collect()
    }

    fn class_json(&self, label: &str, class: &SizeClass) -> Value {
        let of = |times: Option<Times>, part: fn(Times) -> Option<f64>| times.and_then(part);
        json!({
            "workload": label,
            "class": name(class),
            "seed": self.provenance.seed,
            "arrivals": class.arrivals,
            "completed": class.completed,
            "arrived_bytes": class.bytes.0,
            "received_bytes": class.received.0,
            "completion_mean_s": of(class.completion, |times| Some(times.mean)),
            "completion_p50_s": of(class.completion, |times| times.p50),
            "completion_p95_s": of(class.completion, |times| times.p95),
            "completion_p99_s": of(class.completion, |times| times.p99),
            "slowdown_mean": of(class.slowdown, |times| Some(times.mean)),
            "slowdown_p50": of(class.slowdown, |times| times.p50),
            "slowdown_p95": of(class.slowdown, |times| times.p95),
            "slowdown_p99": of(class.slowdown, |times| times.p99),
            "packets_retransmitted": class.retransmissions,
            "timeouts": class.timeouts,
        })
    }

    /// One row per flow that arrived, by workload, then number; of workloads with `flows = "rows"` only.
    pub fn arrivals(&self) -> Table {
        let workloads = (0_u32..).zip(&self.measured.workloads);
        let rows: Vec<(u32, &ArrivedFlow)> =
            workloads.flat_map(|(number, of)| of.flows.iter().map(move |flow| (number, flow))).collect();
        let labels = self.measured.workloads.iter().map(|workload| workload.label.clone()).collect();
        let word = |of: fn(&ArrivedFlow) -> u32, words: Vec<String>| {
            Column::Word(rows.iter().map(|(_, flow)| of(flow)).collect(), words)
        };
        let integer =
            |of: fn(&ArrivedFlow) -> u64| Column::Integer(rows.iter().map(|(_, flow)| of(flow)).collect());
        let number =
            |of: fn(&ArrivedFlow) -> f64| Column::Number(rows.iter().map(|(_, flow)| of(flow)).collect());
        let columns = vec![
            ("workload", Column::Word(rows.iter().map(|(workload, _)| *workload).collect(), labels)),
            ("number", integer(|flow| flow.number.into())),
            ("from", word(|flow| flow.between[0].0, self.nodes.clone())),
            ("to", word(|flow| flow.between[1].0, self.nodes.clone())),
            ("size_bytes", integer(|flow| flow.size.0)),
            ("start_s", number(|flow| (flow.start - Instant::ZERO).as_secs_f64())),
            ("completion_s", number(|flow| flow.completion.map_or(f64::NAN, Duration::as_secs_f64))),
            ("slowdown", number(|flow| flow.slowdown.unwrap_or(f64::NAN))),
            ("packets_retransmitted", integer(|flow| flow.retransmissions)),
        ];
        Table { columns }
    }
}

/// `all`, `to_100kB`, `100kB_to_10MB`, `above_10MB`.
fn name(class: &SizeClass) -> String {
    match (class.above, class.most) {
        (Bytes(0), None) => "all".into(),
        (Bytes(0), Some(most)) => format!("to_{}", size(most)),
        (above, Some(most)) => format!("{}_to_{}", size(above), size(most)),
        (above, None) => format!("above_{}", size(above)),
    }
}

/// A size in its largest unit.
fn size(Bytes(bytes): Bytes) -> String {
    let units = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1000, "kB"), (1, "B")];
    let (factor, unit) =
        units.into_iter().find(|(factor, _)| bytes > 0 && bytes % factor == 0).unwrap_or((1, "B"));
    format!("{}{unit}", bytes / factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_whole_numbers_of_their_largest_unit() {
        for (bytes, text) in [(1, "1B"), (1500, "1500B"), (20_000, "20kB"), (10_000_000, "10MB"), (0, "0B")] {
            assert_eq!(size(Bytes(bytes)), text);
        }
    }
}
