//! A `stop` that changes nothing.

use farlink_kernel::config::Diagnostic;
use farlink_network::Blueprint;
use farlink_network::app::Length;

use crate::document::Document;

/// When an application stops, TCP still sends what it wrote. One that writes everything at its start has nothing to stop.
pub(super) fn find(document: &Document, blueprint: &Blueprint) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (written, flow) in document.flows.iter().zip(&blueprint.flows) {
        let traffic = flow.application.parameters().traffic();
        let writes_at_once = matches!(traffic.length, Length::Bytes(size) if traffic.write >= size);
        if flow.stop.is_some() && flow.is_tcp() && writes_at_once {
            let name = flow.application.name();
            let message = format!(
                "no effect: `{name}` writes all of its data when it starts, and TCP sends what is written"
            );
            found.push(written.refuse_at("stop", message, "remove stop, or send less"));
        }
    }
    found
}
