//! A scenario's text, and the files it names.

use farlink_scenario::Draft;

use crate::checks::{self, PART};

/// Reads, resolves and briefly runs a scenario; below it stand the files it names.
pub(crate) fn read(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (text, files) = text.split_once(PART).unwrap_or((text, ""));
    match Draft::parse(text, "fuzz.toml") {
        Ok(draft) => {
            if let Some(scenario) = checks::validated(draft, files.as_bytes(), &[text]) {
                checks::runs(&scenario);
            }
        }
        Err(error) => checks::is_a_message(&error, &[text]),
    }
}
