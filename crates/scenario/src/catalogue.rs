//! The registered models and the built-in scenarios.

use farlink_kernel::Kind;
use farlink_kernel::config::Model;
use farlink_network::channel::{error, jitter, propagation};
use farlink_network::workload::{arrivals, size};
use farlink_network::{app, host, mac, mobility, phy, queue, routing};
use farlink_tcp::{congestion, recovery, route_failure};
use serde_json::{Value, json};

use crate::topology;

/// A scenario that is part of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuiltIn {
    /// Its name.
    pub name: &'static str,
    /// Its subject, in one line.
    pub summary: &'static str,
    /// Its TOML text.
    pub text: &'static str,
}

macro_rules! scenarios {
    ($($name:literal: $summary:literal),* $(,)?) => {
        &[$(BuiltIn {
            name: $name,
            summary: $summary,
            text: include_str!(concat!("../built_in/", $name, ".toml")),
        }),*]
    };
}

const BUILT_IN: &[BuiltIn] = scenarios! {
    "satellite": "one transfer over a lossy geostationary link",
    "leo": "a download over a low-earth-orbit satellite with a handover every 15 s",
    "dumbbell": "two equal flows share a bottleneck",
    "chain_wired": "a long and a short flow over a chain of links",
    "asymmetric_access": "a download whose ACKs are queued behind an upload",
    "competition": "two congestion controls and bursts of datagrams share a bottleneck",
    "gateway": "a file crosses a link, a gateway and three radio hops",
    "gateway_split": "a gateway ends one TCP connection and relays its bytes over another",
    "chain_80211": "one transfer over a chain of 802.11 nodes",
    "frn": "one transfer over a chain of slotted packet radio",
    "manet": "eight transfers between a hundred mobile nodes",
    "underwater": "one transfer over four underwater acoustic hops",
};

/// The built-in scenarios.
pub fn built_in() -> &'static [BuiltIn] {
    BUILT_IN
}

/// The plug-points: the key that names a member, and the members.
pub(crate) fn plug_points() -> Vec<(&'static str, Vec<Model>)> {
    vec![
        ("congestion_control", congestion::Config::models()),
        ("recovery", recovery::Config::models()),
        ("route_failure", route_failure::Config::models()),
        ("application", app::Config::models()),
        ("routing", routing::Config::models()),
        ("host_delay", host::Config::models()),
        ("queue", queue::Config::models()),
        ("mac", mac::Config::models()),
        ("phy", phy::Config::models()),
        ("error", error::Config::models()),
        ("jitter", jitter::Config::models()),
        ("propagation", propagation::Config::models()),
        ("mobility", mobility::Config::models()),
        ("topology", topology::models()),
        ("arrivals", arrivals::Config::models()),
        ("size", size::Config::models()),
    ]
}

/// Every registered model as a JSON array: kind (the key it is named under), name, doc, source, parameters.
pub fn models() -> Value {
    let model = |kind: &str, model: &Model| {
        let parameter = |field: &farlink_kernel::Field| {
            json!({
                "name": field.name, "kind": describe(&field.kind),
                "default": field.default, "doc": field.doc,
            })
        };
        json!({
            "kind": kind, "name": model.name, "doc": model.doc, "source": model.source,
            "parameters": model.fields.iter().map(parameter).collect::<Vec<_>>(),
        })
    };
    plug_points()
        .iter()
        .flat_map(|(kind, models)| models.iter().map(|m| model(kind, m)).collect::<Vec<_>>())
        .collect()
}

pub(crate) fn describe(kind: &Kind) -> String {
    match kind {
        Kind::Bool => "true or false".into(),
        Kind::Integer { min } => format!("a whole number of at least {min}"),
        Kind::Number { min, max } if min.is_finite() && max.is_finite() => {
            format!("a number from {min} to {max}")
        }
        Kind::Number { .. } => "a number".into(),
        Kind::Quantity { what, example, .. } => format!("{what} such as \"{example}\""),
        Kind::Text => "a string".into(),
        Kind::Choice(words) => {
            words.iter().map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" or ")
        }
        Kind::List(inner) => format!("a list of {}", describe(inner)),
        Kind::Table(fields) => {
            let keys: Vec<&str> = fields.iter().map(|field| field.name).collect();
            format!("a table with {}", keys.join(", "))
        }
        Kind::Model(models) => {
            models().iter().map(|model| format!("\"{}\"", model.name)).collect::<Vec<_>>().join(" or ")
        }
        Kind::AnyOf(kinds) => kinds.iter().map(describe).collect::<Vec<_>>().join(" or "),
        Kind::Within(kind, bounds) => {
            let kind = describe(kind);
            // One lower bound is enough.
            let kind = if bounds.starts_with("at least") { kind.replace(" of at least 0", "") } else { kind };
            format!("{kind}, {bounds}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Draft, Files, Scenario};

    struct NoFiles;

    impl Files for NoFiles {
        fn read(&self, _path: &str) -> Result<Vec<u8>, String> {
            Err("built-in scenarios read no files".into())
        }
    }

    fn scenario(text: &str) -> Scenario {
        let draft = Draft::parse(text, "built_in.toml").unwrap_or_else(|error| panic!("{error}"));
        draft.validate(&NoFiles).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn every_built_in_scenario_is_valid_and_named_as_its_file() {
        for one in built_in() {
            assert_eq!(scenario(one.text).name, one.name);
        }
    }

    #[test]
    fn every_built_in_scenario_reads_back_from_its_resolved_text() {
        for one in built_in() {
            let resolved = scenario(one.text).resolved;
            assert_eq!(scenario(&resolved).resolved, resolved);
        }
    }

    #[test]
    fn every_model_has_a_doc_and_a_source() {
        for (kind, models) in plug_points() {
            for model in models {
                assert!(!model.doc.is_empty() && !model.source.is_empty(), "{kind} {}", model.name);
                for field in model.fields {
                    assert!(!field.doc.is_empty(), "{kind} {} {}", model.name, field.name);
                }
            }
        }
    }
}
