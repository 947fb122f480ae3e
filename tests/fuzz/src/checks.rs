//! What holds for every input, besides that nothing panics.

use farlink_kernel::Instant;
use farlink_scenario::{Draft, Error, Files, Record, Scenario, Simulation};
use serde_json::Value;

/// Larger networks are not built: their memory is the subject of the limits of `farlink run`, not of a parser's fuzzer.
const MOST_NODES: usize = 64;
/// Events of a run; enough for handshakes, losses and routes.
const MOST_EVENTS: u64 = 2_000;
/// Characters of a refusal.
const MOST_CHARACTERS: usize = 8_000;
/// What is a number in the results whatever was measured.
const NUMBERS: &[&str] = &[
    "throughput_bps",
    "goodput_bps",
    "delivery_ratio",
    "utilisation",
    "queue_mean_packets",
    "energy_j",
    "sim_s",
];

/// The line between two parts of an input.
pub const PART: &str = "\n%%%\n";

/// What the paths of a scenario lead to: the first part of some text, or, for those that begin with `links`, the
/// second.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a>(pub &'a [u8]);

impl<'a> Parts<'a> {
    /// The two parts; a second [`PART`] is text of the second.
    fn cut(self) -> [&'a [u8]; 2] {
        match self.0.windows(PART.len()).position(|window| window == PART.as_bytes()) {
            Some(at) => [&self.0[..at], &self.0[at + PART.len()..]],
            None => [self.0, b""],
        }
    }
}

impl Files for Parts<'_> {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        Ok(self.cut()[usize::from(path.starts_with("links"))].to_vec())
    }
}

/// The validated scenario, if `draft` is one; `texts` are the scenario and its settings, `files` its [`Parts`]. A
/// refusal points into one of them.
pub fn validated(draft: Draft, files: &[u8], texts: &[&str]) -> Option<Scenario> {
    match draft.validate(&Parts(files)) {
        Ok(scenario) => {
            resolves_to_itself(&scenario, files);
            Some(scenario)
        }
        Err(error) => {
            let files = Parts(files).cut().map(String::from_utf8_lossy);
            is_a_message(&error, &[texts, &files.each_ref().map(AsRef::as_ref)].concat());
            None
        }
    }
}

/// A refusal says what is wrong in one line, below which the line at fault and a caret may stand, and points into a
/// line of one of `texts`.
pub fn is_a_message(error: &Error, texts: &[&str]) {
    assert!(!error.message.is_empty(), "a refusal without a message");
    let shown = error.to_string();
    let lines: Vec<&str> = shown.split('\n').collect();
    let acts = |c: char| c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c);
    assert!(!lines.iter().any(|line| line.contains(acts)), "control characters: {error:?}");
    assert!(shown.chars().count() < MOST_CHARACTERS, "a long message: {error:?}");
    assert!(lines.len() == 1 || lines.len() == 3 && shown.ends_with('^'), "not one line: {error:?}");
    if error.file.is_empty() {
        return;
    }
    let points_into = |text: &&str| {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let line = text.split('\n').nth(error.line - 1);
        line.is_some_and(|line| error.column <= line.chars().count() + 1)
    };
    assert!(texts.iter().any(points_into), "points outside of its text: {error:?}");
}

/// The canonical text of a scenario is a scenario, and its own canonical text.
fn resolves_to_itself(scenario: &Scenario, files: &[u8]) {
    let text = &scenario.resolved;
    let again = Draft::parse(text, "resolved").and_then(|draft| draft.validate(&Parts(files)));
    match again {
        Ok(again) => {
            assert_eq!(&again.resolved, text, "the canonical text changes when it is read");
        }
        Err(error) => panic!("the canonical text is refused: {error}\n{text}"),
    }
}

/// A run of the scenario, cut after some events, keeps the engine's assertions and gives finite numbers.
pub fn runs(scenario: &Scenario) {
    if scenario.nodes().len() > MOST_NODES || scenario.samples() > MOST_EVENTS {
        return;
    }
    let mut simulation = Simulation::new(scenario, scenario.seed, Record { series: true });
    while simulation.events() < MOST_EVENTS && simulation.advance_events(Instant::NEVER, MOST_EVENTS) {}
    is_finite(&simulation.finish().to_json(), "results");
}

/// JSON has no NaN: a number that is none is null.
fn is_finite(value: &Value, key: &str) {
    match value {
        Value::Null => assert!(!NUMBERS.contains(&key), "{key} is not a number"),
        Value::Array(items) => items.iter().for_each(|item| is_finite(item, key)),
        Value::Object(entries) => entries.iter().for_each(|(key, value)| is_finite(value, key)),
        _ => {}
    }
}
