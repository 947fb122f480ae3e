//! Movements that begin after the end of the run.

use std::collections::BTreeMap;

use farlink_kernel::Instant;
use farlink_kernel::config::Diagnostic;
use farlink_network::Blueprint;
use farlink_network::mobility::Config;
use farlink_network::mobility::scripted::{self, Moves};

use super::beyond;
use crate::document::Document;
use crate::movement::mobility;

pub(super) fn find(document: &Document, blueprint: &Blueprint) -> Vec<Diagnostic> {
    let end = Instant::ZERO + blueprint.duration;
    // The first move of each script, by its file, or by the key of a list.
    let mut scripts = BTreeMap::new();
    for (node, placed) in document.nodes.iter().zip(&blueprint.nodes) {
        let (config, Config::Scripted(scripted::Config { moves: Moves::List(moves) })) =
            (mobility(document, node), &placed.mobility)
        else {
            continue;
        };
        let Some(first) = moves.iter().map(|one| one.at).min() else { continue };
        let file = match &**config {
            Config::Scripted(scripted::Config { moves: Moves::File(file) }) => Some(&file.path),
            _ => None,
        };
        let name = file.map_or_else(|| config.key_of("moves").to_string(), Clone::clone);
        let known = scripts.entry((file.is_some(), name)).or_insert((first, config));
        known.0 = known.0.min(first);
    }
    // Nodes of a generator may rest at first, in a run that is all rest as long as the run.
    let latest =
        |is_file: bool| if is_file { Instant::ZERO + blueprint.duration.saturating_mul(2) } else { end };
    let late = scripts.into_iter().filter(|((is_file, _), (first, _))| *first >= latest(*is_file));
    late.map(|((is_file, name), (first, config))| {
        let place = if is_file { format!(" in \"{name}\"") } else { String::new() };
        let message = format!("the first move{place} is at {first}, and the run ends at {end}");
        config.refuse_at("moves", message, beyond::remedy(first))
    })
    .collect()
}
