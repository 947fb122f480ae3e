//! What is implausible in a scenario that is valid: each warning has its place and the likely remedy.
//!
//! A warning is worth a line only if it is nearly always right: none of the built-in scenarios, examples and studies
//! has one. What no scenario can mean is an error instead.

mod active;
mod arrivals;
mod beyond;
mod directions;
mod frames;
mod links;
mod losses;
mod marks;
mod movement;
mod schedules;
mod senders;
mod sound;
mod static_paths;
mod stops;
mod timeouts;
mod timers;
mod units;

use std::collections::BTreeSet;

use farlink_kernel::config::Diagnostic;
use farlink_network::Blueprint;

use crate::document::Document;
use crate::files::Headers;

/// The limit on warnings: to find the line of one takes as long as to read the file.
const MOST: usize = 100;

/// What looks for warnings after `links`: of those of one key the first is given.
const SEARCHES: [fn(&Document, &Blueprint) -> Vec<Diagnostic>; 11] = [
    movement::find,
    sound::find,
    timeouts::find,
    timers::find,
    frames::find,
    losses::find,
    marks::find,
    arrivals::find,
    schedules::find,
    static_paths::find,
    stops::find,
];

/// All warnings, each once, those of files (`in_files`) first. Links of a topology share their text.
pub(crate) fn find(
    document: &Document,
    blueprint: &Blueprint,
    headers: &Headers,
    in_files: Vec<Diagnostic>,
) -> Vec<Diagnostic> {
    let mut known = BTreeSet::new();
    let mut found = in_files;
    found.retain(|one| known.insert((one.span.start, one.key.clone(), one.message.clone())));
    let mut known = BTreeSet::new();
    let of_links = links::find(document, blueprint, headers);
    let others = SEARCHES.iter().map(|search| search(document, blueprint));
    for new in std::iter::once(of_links).chain(others) {
        found.extend(new.into_iter().filter(|one| known.insert((one.span.start, one.key.clone()))));
    }
    found.truncate(MOST);
    found
}
