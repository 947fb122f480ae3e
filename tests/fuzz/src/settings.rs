//! `--set PATH=VALUE`, over a built-in scenario.

use farlink_scenario::{Draft, built_in};

use crate::checks;

/// Puts settings, one on each line after the name of a built-in scenario, over that scenario, and briefly runs it.
pub(crate) fn set(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut lines = text.split('\n');
    let name = lines.next().unwrap_or_default();
    let Some(scenario) = built_in().iter().find(|scenario| scenario.name == name) else { return };
    let mut texts = vec![scenario.text];
    let mut draft = Draft::parse(scenario.text, name).unwrap_or_else(|error| panic!("{error}"));
    for line in lines {
        let Some((path, value)) = line.split_once('=') else { continue };
        texts.push(line);
        if let Err(error) = draft.set(path, value) {
            return checks::is_a_message(&error, &texts);
        }
    }
    if let Some(scenario) = checks::validated(draft, b"", &texts) {
        checks::runs(&scenario);
    }
}
