//! The workloads of a document in a blueprint.

use std::collections::BTreeSet;

use farlink_kernel::config::Diagnostic;
use farlink_kernel::{Bytes, Instant};
use farlink_network::blueprint;
use farlink_network::ids::NodeId;

use super::{Numbers, number};
use crate::document::Document;
use crate::files::Reader;
use crate::located::Located;
use crate::workload::{Flows, Group, Workload, read_arrivals, read_size};

pub(super) fn workloads(
    document: &Document,
    numbers: &Numbers<'_>,
    reader: &mut Reader<'_>,
) -> Result<Vec<blueprint::Workload>, Diagnostic> {
    let mut labels: BTreeSet<&String> = document.flows.iter().map(|flow| &flow.label).collect();
    let mut workloads = Vec::new();
    for workload in &document.workloads {
        if !labels.insert(&workload.label) {
            let message = format!("there are two flows or workloads called `{}`", workload.label);
            return Err(workload.refuse_at("label", message, "give each one a label of its own"));
        }
        check(workload, Instant::ZERO + document.duration)?;
        let compiled = blueprint::Workload {
            label: workload.label.clone(),
            from: group(&workload.from, "from", numbers, workload)?,
            to: group(&workload.to, "to", numbers, workload)?,
            start: workload.start,
            stop: workload.stop,
            arrivals: read_arrivals(workload, reader)?,
            size: read_size(workload, reader)?,
            tcp: workload.tcp.0.clone(),
            classes: workload.classes.clone(),
            keeps_rows: workload.flows == Flows::Rows,
        };
        check_rate(workload, &compiled)?;
        if compiled.has_same_ends() {
            let message = format!("a flow from `{}` would have one node at both ends", workload.from.0[0]);
            return Err(workload.refuse_at("to", message, "name another node"));
        }
        workloads.push(compiled);
    }
    Ok(workloads)
}

fn check(workload: &Located<Workload>, end: Instant) -> Result<(), Diagnostic> {
    if workload.start >= end {
        let message = format!("the workload starts at {}, but the run ends at {end}", workload.start);
        return Err(workload.refuse_at("start", message, "start earlier or run longer"));
    }
    if workload.stop.is_some_and(|stop| stop <= workload.start) {
        return Err(workload.refuse_at("stop", "the workload stops before it starts", "stop later"));
    }
    if workload.label.contains('.') {
        let message =
            format!("the label `{}` has a dot, which separates the parts of a measure", workload.label);
        return Err(workload.refuse_at("label", message, "write it without a dot"));
    }
    if workload.classes.first() == Some(&Bytes(0)) {
        return Err(workload.refuse_at("classes", "no flow has a size of 0 B", "remove it"));
    }
    if !workload.classes.is_sorted_by(|a, b| a < b) {
        let remedy = "write each size once, the smallest first";
        return Err(workload.refuse_at("classes", "sizes of classes must increase", remedy));
    }
    Ok(())
}

/// Arrivals that follow each other in less than a nanosecond would never end.
const MOST_PER_SECOND: f64 = 1e9;

fn check_rate(workload: &Located<Workload>, compiled: &blueprint::Workload) -> Result<(), Diagnostic> {
    let arrivals = compiled.arrivals.parameters();
    if !arrivals.has_sizes() && arrivals.count(compiled.size.parameters().mean(), 1.0) > MOST_PER_SECOND {
        let message = format!("more than {MOST_PER_SECOND:.0e} flows would arrive per second");
        return Err(workload.refuse_at("arrivals", message, "write a lower rate or load"));
    }
    Ok(())
}

/// The numbers of the nodes that a group names.
fn group(
    group: &Group,
    key: &str,
    numbers: &Numbers<'_>,
    workload: &Located<Workload>,
) -> Result<Vec<NodeId>, Diagnostic> {
    let mut nodes = Vec::new();
    for (place, name) in group.0.iter().enumerate() {
        let key = group.key(key, place);
        let node = number(name, numbers, workload, &key)?;
        if nodes.contains(&node) {
            return Err(workload.refuse_at(&key, format!("`{name}` is in the group twice"), "remove one"));
        }
        nodes.push(node);
    }
    Ok(nodes)
}
