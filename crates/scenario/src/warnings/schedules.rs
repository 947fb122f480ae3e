//! Schedules of flows of which the run reaches the smaller part.

use farlink_kernel::Instant;
use farlink_kernel::config::Diagnostic;
use farlink_network::Blueprint;
use farlink_network::workload::arrivals;

use super::beyond;
use crate::document::Document;

pub(super) fn find(document: &Document, blueprint: &Blueprint) -> Vec<Diagnostic> {
    let end = Instant::ZERO + blueprint.duration;
    let mut found = Vec::new();
    for (written, workload) in document.workloads.iter().zip(&blueprint.workloads) {
        let arrivals::Config::Schedule(schedule) = &workload.arrivals else { continue };
        let stop = workload.stop.filter(|stop| *stop < end);
        let until = stop.unwrap_or(end).saturating_since(workload.start);
        let rows = schedule.rows();
        let reached = rows.partition_point(|row| row.at < Instant::ZERO + until);
        let beyond = rows.len() - reached;
        // A run may be shortened: half of a schedule is enough.
        if beyond <= reached {
            continue;
        }
        let file = &schedule.csv.path;
        let place = if file.is_empty() { String::new() } else { format!(" in \"{file}\"") };
        let first = workload.start.saturating_add(rows[reached].at - Instant::ZERO);
        let message = format!("{beyond} of {} flows{place} begin at {first} or later, and", rows.len());
        let (message, remedy) = match stop {
            Some(stop) => (format!("{message} `stop` is {stop}"), "stop later".into()),
            None => (format!("{message} the run ends at {end}"), beyond::remedy(first)),
        };
        found.push(written.refuse_at("arrivals", message, remedy));
    }
    found
}
