//! The canonical text of a document: every default spelled out, one key a line, always in the same order.

use std::collections::BTreeMap;

use farlink_kernel::config::{Read, show_table};
use farlink_network::workload::arrivals;

use crate::document::Document;
use crate::movement::uses_position;
use crate::workload::is_of_load;

type Fields = Vec<(&'static str, String)>;

/// The document as TOML that reads back as the same document, with the congestion controls `plugged` into flows.
pub(crate) fn resolved(document: &Document, plugged: &BTreeMap<u32, String>) -> String {
    let mut text = String::new();
    let top = ["name", "duration", "seed", "routing", "host_delay", "mobility"];
    let fields = document.show_fields().into_iter().filter(|(key, _)| top.contains(key));
    lines(&mut text, &fields.collect());
    section(&mut text, "[record]", &document.record.show_fields());
    for node in &document.nodes {
        let mut fields = node.show_fields();
        fields.retain(|(key, value)| {
            !is_absent(key, value) && (*key != "position" || uses_position(document, node))
        });
        section(&mut text, "[[nodes]]", &fields);
    }
    for link in &document.links {
        section(&mut text, "[[links]]", &link.show_fields());
    }
    for channel in &document.channels {
        section(&mut text, "[[channels]]", &channel.show_fields());
    }
    for (number, flow) in (0..).zip(&document.flows) {
        let mut fields = flow.show_fields();
        fields.retain(|(key, value)| *key != "tcp" && !is_absent(key, value));
        section(&mut text, "[[flows]]", &fields);
        if flow.is_tcp() {
            let mut fields = flow.tcp.0.show_fields();
            if let Some(name) = plugged.get(&number) {
                let chosen = fields.iter_mut().find(|(key, _)| *key == "congestion_control");
                chosen.expect("a field of every TCP").1 = name.show();
            }
            section(&mut text, "[flows.tcp]", &fields);
        }
    }
    for workload in &document.workloads {
        let mut fields = workload.show_fields();
        // A schedule has the sizes of its flows.
        let has_sizes = workload.arrivals.parameters().has_sizes();
        fields
            .retain(|(key, value)| *key != "tcp" && !is_absent(key, value) && !(*key == "size" && has_sizes));
        if let (arrivals::Config::Poisson(poisson), true) =
            (&workload.arrivals, is_of_load(&workload.arrivals))
        {
            let mut parameters = poisson.show_fields();
            parameters.retain(|(key, _)| *key != "rate");
            let shown = fields.iter_mut().find(|(key, _)| *key == "arrivals");
            shown.expect("a field of every workload").1 =
                show_table(Some(workload.arrivals.name()), &parameters);
        }
        section(&mut text, "[[workloads]]", &fields);
        section(&mut text, "[workloads.tcp]", &workload.tcp.0.show_fields());
    }
    text
}

/// True for `stop` of a flow or workload that never stops, and for `mobility` of a node without its own.
fn is_absent(key: &str, value: &str) -> bool {
    ["stop", "mobility"].contains(&key) && value == None::<farlink_kernel::Instant>.show()
}

fn section(text: &mut String, header: &str, fields: &Fields) {
    text.push('\n');
    text.push_str(header);
    text.push('\n');
    lines(text, fields);
}

fn lines(text: &mut String, fields: &Fields) {
    for (key, value) in fields {
        for part in [key, " = ", value, "\n"] {
            text.push_str(part);
        }
    }
}
