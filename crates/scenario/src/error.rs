//! The one error of this crate: which file, line and key, what is wrong there, and what to write instead.

use std::fmt;

use farlink_kernel::config::{Refusal, Span};

/// Why a scenario was refused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Error {
    /// The file's name as given, or `--set` for a value given on the command line.
    pub file: String,
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
    /// Dotted path of the key at fault; empty when the text could not be read at all.
    pub key: String,
    /// What is wrong.
    pub message: String,
    /// What to write instead; empty if the message says it.
    pub remedy: String,
    /// The offending line.
    pub excerpt: String,
    /// How many characters of the line are at fault, at least 1.
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
        write!(f, "{}:{}:{}: ", self.file, self.line, self.column)?;
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        write!(f, "{}", self.message)?;
        if !self.remedy.is_empty() {
            write!(f, "; {}", self.remedy)?;
        }
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        let indent = " ".repeat(self.column - 1);
        write!(f, "\n{number} | {}\n{margin} | {indent}{}", self.excerpt, "^".repeat(self.width))
    }
}

/// The texts a draft was made from, laid end to end, so that a span names its text as well as its place.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sources {
    sources: Vec<Source>,
}

#[derive(Clone, Debug)]
struct Source {
    name: String,
    text: String,
    /// Where this text begins in the whole.
    start: usize,
}

impl Sources {
    /// Adds a text and says where it begins.
    pub(crate) fn add(&mut self, name: &str, text: &str) -> usize {
        // One byte between two texts, so that the end of one is not the beginning of the next.
        let start = self.sources.last().map_or(0, |last| last.start + last.text.len() + 1);
        self.sources.push(Source { name: name.into(), text: text.into(), start });
        start
    }

    /// The refusal as the user sees it.
    pub(crate) fn error(&self, refusal: Refusal) -> Error {
        let Refusal { path, span, message, remedy } = refusal;
        let place = self.place(&span);
        Error { key: path.join("."), message, remedy, ..place }
    }

    fn place(&self, span: &Span) -> Error {
        let Some(source) = self.sources.iter().rev().find(|source| source.start <= span.start) else {
            return Error { line: 1, column: 1, width: 1, ..Error::default() };
        };
        let text = source.text.as_str();
        let start = floor(text, span.start - source.start);
        let end = floor(text, span.end.saturating_sub(source.start)).max(start);
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |newline| start + newline);
        let excerpt = text[line_start..line_end].trim_end();
        Error {
            file: source.name.clone(),
            line: text[..start].matches('\n').count() + 1,
            column: text[line_start..start].chars().count() + 1,
            width: text[start..end.min(line_end)].chars().count().max(1),
            // A tab is one column wide here, as the caret's indent takes it to be.
            excerpt: excerpt.replace('\t', " "),
            ..Error::default()
        }
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
        let refusal = Refusal::new(14..21, "bad", "write good").within("wörd");
        let error = sources.error(refusal);
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
        let error = sources.error(Refusal::new(start + 2..start + 3, "bad", ""));
        assert_eq!((error.file.as_str(), error.line, error.column), ("--set", 1, 3));
    }
}
