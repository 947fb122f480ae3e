//! The one error of this crate: which file, line and key, what is wrong there, and what to write instead.

use std::fmt;
use std::sync::Arc;

use farlink_kernel::config::{Diagnostic, Span};

use crate::printable::{message, same_width};

/// Why a scenario was refused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Error {
    /// The file's name as given, or `--set` for a value given on the command line.
    pub file: String,
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
    /// The dotted key at fault; empty when the text could not be parsed.
    pub key: String,
    /// What is wrong.
    pub message: String,
    /// What to write instead; empty if the message implies it.
    pub remedy: String,
    /// The line at fault in a scenario or setting, shortened if long; `None` for any other file, whose content may
    /// be private.
    pub excerpt: Option<String>,
    /// The first character at fault in the excerpt, counted from 0.
    pub indent: usize,
    /// How many characters of the excerpt are at fault, at least 1.
    pub width: usize,
}

impl Error {
    /// The error as a JSON object.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::json!({
            "file": self.file, "line": self.line, "column": self.column, "key": self.key,
            "message": self.message, "remedy": self.remedy,
        })
    }
}

impl std::error::Error for Error {}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: ", message(&self.file), self.line, self.column)?;
        if !self.key.is_empty() {
            write!(f, "{}: ", message(&self.key))?;
        }
        write!(f, "{}", message(&self.message))?;
        if !self.remedy.is_empty() {
            write!(f, "; {}", message(&self.remedy))?;
        }
        let Some(excerpt) = &self.excerpt else { return Ok(()) };
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        let indent = " ".repeat(self.indent);
        let excerpt = same_width(excerpt);
        write!(f, "\n{number} | {excerpt}\n{margin} | {indent}{}", "^".repeat(self.width))
    }
}

/// The limit on characters of a line that are shown, and on those of them before the fault.
const EXCERPT: usize = 160;
const BEFORE: usize = 60;

/// The texts of a draft in one address space, so that a span identifies its text as well.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    sources: Vec<Source>,
}

#[derive(Clone, Debug)]
struct Source {
    name: String,
    text: Arc<str>,
    /// Where this text begins in that space.
    start: usize,
    is_quoted: bool,
}

impl Sources {
    /// Adds a text that errors quote, and returns where it begins.
    pub(crate) fn add(&mut self, name: &str, text: &str) -> usize {
        self.push(name, text.into(), true)
    }

    /// Adds a text that errors do not quote, and returns where it begins.
    pub(crate) fn add_unquoted(&mut self, name: &str, text: Arc<str>) -> usize {
        self.push(name, text, false)
    }

    fn push(&mut self, name: &str, text: Arc<str>, is_quoted: bool) -> usize {
        // One byte between two texts, so that the end of one is not the beginning of the next.
        let start = self.sources.last().map_or(0, |last| last.start + last.text.len() + 1);
        self.sources.push(Source { name: name.into(), text, start, is_quoted });
        start
    }

    pub(crate) fn error(&self, diagnostic: Diagnostic) -> Error {
        let Diagnostic { key, span, message, remedy } = diagnostic;
        Error { key: key.as_ref().into(), message, remedy, ..self.place(&span) }
    }

    fn place(&self, span: &Span) -> Error {
        let Some(source) = self.sources.iter().rev().find(|source| source.start <= span.start) else {
            return Error { line: 1, column: 1, width: 1, ..Error::default() };
        };
        let text = &*source.text;
        let start = floor(text, span.start - source.start);
        let end = floor(text, span.end.saturating_sub(source.start)).max(start);
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
        let before = text[line_start..start].chars().count();
        let place = Error {
            file: source.name.clone(),
            line: text[..start].matches('\n').count() + 1,
            column: before + 1,
            ..Error::default()
        };
        if !source.is_quoted {
            return place;
        }
        let skipped = if before > EXCERPT - BEFORE { before - BEFORE } else { 0 };
        let indent = before - skipped;
        let excerpt: String =
            text[line_start..line_end].trim_end().chars().skip(skipped).take(EXCERPT).collect();
        let width = text[start..end.min(line_end)].chars().take(EXCERPT - indent).count().max(1);
        Error { excerpt: Some(excerpt), indent, width, ..place }
    }
}

/// The last character boundary of `text` at or before `index`.
fn floor(text: &str, index: usize) -> usize {
    let index = index.min(text.len());
    (0..=index).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_becomes_a_line_with_a_caret() {
        let mut sources = Sources::default();
        sources.add("a.toml", "x = 1\nwörd = \"böse\"\n");
        let error = sources.error(Diagnostic::new(14..21, "bad", "write good").at("wörd"));
        assert_eq!(
            error.to_string(),
            "a.toml:2:8: wörd: bad; write good\n2 | wörd = \"böse\"\n  |        ^^^^^^"
        );
    }

    #[test]
    fn a_later_text_keeps_its_own_name() {
        let mut sources = Sources::default();
        sources.add("a.toml", "x = 1");
        let start = sources.add("--set", "x=2");
        let error = sources.error(Diagnostic::new(start + 2..start + 3, "bad", ""));
        assert_eq!((error.file.as_str(), error.line, error.column), ("--set", 1, 3));
    }

    #[test]
    fn of_a_long_line_the_part_around_the_fault_is_shown() {
        let mut sources = Sources::default();
        let text = format!("x = [{}]", "1, ".repeat(100_000));
        sources.add("a.toml", &text);
        let error = sources.error(Diagnostic::new(150_002..299_000, "bad", ""));
        assert_eq!((error.column, error.indent), (150_003, 60));
        let lines: Vec<String> = error.to_string().lines().map(Into::into).collect();
        assert_eq!(lines[1].chars().count(), "1 | ".len() + 160);
        assert_eq!(lines[2], format!("  | {}{}", " ".repeat(60), "^".repeat(100)));
    }

    #[test]
    fn controls_of_a_terminal_are_escaped_and_the_caret_stays_below_the_fault() {
        let mut sources = Sources::default();
        sources.add("\x1b]0;x.toml", "\x1b[31mx\u{202e} = 1");
        let error = sources.error(Diagnostic::new(5..6, "key `\r\n`", "write \u{9b}").at("\x07"));
        assert_eq!(
            error.to_string(),
            "\\u001b]0;x.toml:1:6: \\u0007: key `\\u000d\\u000a`; write \\u009b\n\
             1 | \u{241b}[31mx\u{fffd} = 1\n  |      ^"
        );
    }

    #[test]
    fn a_file_besides_the_scenario_is_not_quoted() {
        let mut sources = Sources::default();
        let start = sources.add_unquoted("/etc/shadow", "root:secret".into());
        let error = sources.error(Diagnostic::new(start..start + 11, "expected two numbers", ""));
        assert_eq!(error.to_string(), "/etc/shadow:1:1: expected two numbers");
    }
}
