//! [`Text`]: a scenario file under way.

use std::fmt::Write;

/// Sections with keys, a line each, so that a failing case can be cut down line by line.
#[derive(Clone, Debug, Default)]
pub(crate) struct Text(String);

impl Text {
    /// Begins a section, such as `[[links]]`.
    pub(crate) fn section(&mut self, heading: &str) {
        self.line(format_args!("\n{heading}"));
    }

    /// Adds a value that is TOML already.
    pub(crate) fn key(&mut self, key: &str, value: &str) {
        self.line(format_args!("{key} = {value}"));
    }

    /// Adds a string.
    pub(crate) fn word(&mut self, key: &str, value: &str) {
        self.line(format_args!("{key} = {value:?}"));
    }

    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        writeln!(self.0, "{line}").expect("a string takes all");
    }

    /// The file's text.
    pub(crate) fn finish(self) -> String {
        self.0
    }
}
