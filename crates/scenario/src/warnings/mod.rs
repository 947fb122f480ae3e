//! What is implausible in a scenario that is valid: each warning has its place and the likely remedy.
//!
//! A warning is worth a line only if it is nearly always right: none of the built-in scenarios, examples and studies
//! has one. What no scenario can mean is an error instead.

mod beyond;
mod frames;
mod links;
mod movement;
mod static_paths;
mod timeouts;

use std::collections::BTreeSet;

use farlink_kernel::config::Diagnostic;
use farlink_network::Blueprint;

use crate::document::Document;

/// The limit on warnings: to find the line of one takes as long as to read the file.
const MOST: usize = 100;

/// All warnings, each once, those of files (`in_files`) first. Links of a topology share their text.
pub(crate) fn find(document: &Document, blueprint: &Blueprint, in_files: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut found = in_files;
    for find in [links::find, movement::find, timeouts::find, frames::find, static_paths::find] {
        found.extend(find(document, blueprint));
    }
    let mut known = BTreeSet::new();
    found.retain(|one| known.insert((one.span.start, one.key.clone(), one.message.clone())));
    found.truncate(MOST);
    found
}
