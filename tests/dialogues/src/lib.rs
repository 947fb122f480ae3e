//! TCP dialogues in packetdrill's notation (N. Cardwell et al., packetdrill: scriptable network stack
//! testing, USENIX ATC 2013), spoken with one [`farlink_tcp::Connection`] in virtual time.
//!
//! A script is [`mod@parse`]d into events: packets injected (`<`), packets expected (`>`), socket calls and
//! assertions. [`run()`] plays them. A script that asks for what one connection without a kernel around it
//! cannot do is refused with the line and the construct; nothing is skipped silently.
//!
//! Our own scripts begin with a header of `//!` lines: TOML with the keys of a flow's `tcp` table and one
//! key of our own, `dialogue` ([`header::Dialogue`]). With a header, times are exact and every packet sent
//! must stand in the script; without one, the rules are packetdrill's (a tolerance of 4 ms, a host with an
//! MTU of 1500 bytes and today's Linux).

pub mod folder;
pub mod header;
mod host;
pub mod parse;
pub mod reasons;
pub mod run;
pub mod script;
mod token;

pub use parse::parse;
pub use run::run;

/// Why a script was not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The line, from 1.
    pub line: usize,
    /// What stands there, of several lines the first.
    pub construct: String,
    /// Why it cannot be run, in one line.
    pub why: String,
}

impl Refusal {
    pub(crate) fn new(line: usize, construct: impl Into<String>, why: impl Into<String>) -> Self {
        let first = |text: String| text.trim().lines().next().unwrap_or_default().to_owned();
        Self {
            line,
            construct: first(construct.into()),
            why: farlink_scenario::printable(&why.into()).into_owned(),
        }
    }
}

/// Where a dialogue went another way than its script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The line, from 1.
    pub line: usize,
    /// What happened instead.
    pub what: String,
}

/// What became of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Everything happened as written.
    Passed,
    /// It asks for something that is not there.
    Refused(Refusal),
    /// The connection did something else.
    Failed(Mismatch),
}

/// Parses and runs the text of a script.
pub fn play(text: &str) -> Outcome {
    match parse(text).and_then(|script| run(&script)) {
        Ok(None) => Outcome::Passed,
        Ok(Some(mismatch)) => Outcome::Failed(mismatch),
        Err(refusal) => Outcome::Refused(refusal),
    }
}
