//! The values of a scenario with their keys and places, and the diagnostics of them.

use std::ops::Range;
use std::sync::Arc;

use super::Read;

/// A range of bytes of the scenario's text; empty for a value that was not read from text.
pub type Span = Range<usize>;

/// A value in a scenario, with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// Its place in the text.
    pub span: Span,
    /// Its dotted key, such as `flows.0.start`; empty at the root.
    pub key: Arc<str>,
}

/// What a scenario can hold.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Integer(i64),
    /// A number with a point or an exponent.
    Float(f64),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Node>),
    /// A table, in the order written.
    Table(Vec<Entry>),
}

/// A key of a table with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// The key's place.
    pub span: Span,
    /// The value.
    pub node: Node,
}

impl Entry {
    /// The key as TOML, in quotes unless it is bare.
    pub fn show_key(&self) -> String {
        let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        if !self.key.is_empty() && self.key.chars().all(is_bare) { self.key.clone() } else { self.key.show() }
    }
}

impl Node {
    /// A value without a place, such as one from code.
    pub fn new(value: Value) -> Self {
        Self { value, span: 0..0, key: Arc::default() }
    }

    /// A string without a place.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(Value::Text(text.into()))
    }

    /// Another value in the same place.
    pub fn with(&self, value: Value) -> Self {
        Self { value, span: self.span.clone(), key: Arc::clone(&self.key) }
    }

    /// The dotted key of the value under `key` in this table or list, written or not.
    pub fn key_of(&self, key: &str) -> Arc<str> {
        if self.key.is_empty() { key.into() } else { format!("{}.{key}", self.key).into() }
    }

    /// A diagnostic of this value.
    pub fn refuse(&self, message: impl Into<String>, remedy: impl Into<String>) -> Diagnostic {
        Diagnostic::new(self.span.clone(), message, remedy).at(Arc::clone(&self.key))
    }

    /// A diagnostic of the value under the dotted `path` in this table, or of the innermost table on that path.
    pub fn refuse_at(&self, path: &str, message: impl Into<String>, remedy: impl Into<String>) -> Diagnostic {
        let mut node = self;
        for key in path.split('.') {
            let Some(next) = node.get(key) else { break };
            node = next;
        }
        node.refuse(message, remedy).at(self.key_of(path))
    }

    /// A description of the value, for messages.
    pub fn what(&self) -> String {
        match &self.value {
            Value::Bool(b) => format!("{b}"),
            Value::Integer(i) => format!("the number {i}"),
            Value::Float(f) => format!("the number {f}"),
            Value::Text(t) => format!("\"{t}\""),
            Value::List(_) => "a list".into(),
            Value::Table(_) => "a table".into(),
        }
    }

    /// The value as TOML in one line.
    pub fn show(&self) -> String {
        let joined = |parts: Vec<String>| parts.join(", ");
        match &self.value {
            Value::Bool(b) => b.to_string(),
            Value::Integer(i) => i.to_string(),
            Value::Float(f) if f.is_nan() => "nan".into(),
            Value::Float(f) => format!("{f:?}"),
            Value::Text(t) => t.show(),
            Value::List(items) => format!("[{}]", joined(items.iter().map(Self::show).collect())),
            Value::Table(entries) => {
                let entry = |entry: &Entry| format!("{} = {}", entry.show_key(), entry.node.show());
                format!("{{ {} }}", joined(entries.iter().map(entry).collect()))
            }
        }
    }

    /// The entries of a table, or a diagnostic.
    pub fn entries(&self) -> Result<&[Entry], Diagnostic> {
        match &self.value {
            Value::Table(entries) => Ok(entries),
            _ => Err(self.expected("a table")),
        }
    }

    /// The value under `key` of a table, or the item of this number in a list.
    pub fn get(&self, key: &str) -> Option<&Node> {
        match &self.value {
            Value::Table(entries) => entries.iter().find(|e| e.key == key).map(|e| &e.node),
            Value::List(items) => items.get(key.parse::<usize>().ok()?),
            _ => None,
        }
    }

    /// The diagnostic that something else was expected.
    pub fn expected(&self, what: &str) -> Diagnostic {
        self.refuse(format!("expected {what}, found {}", self.what()), "")
    }

    /// The text, or a diagnostic.
    pub fn as_text(&self, expected: &str) -> Result<&str, Diagnostic> {
        match &self.value {
            Value::Text(text) => Ok(text),
            _ => Err(self.expected(expected)),
        }
    }
}

/// Why a scenario was refused: the place and the key at fault, what is wrong there, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The dotted key; empty where none is known.
    pub key: Arc<str>,
    /// The place in the text.
    pub span: Span,
    /// What is wrong, in one line.
    pub message: String,
    /// What to write instead, in one line; empty if the message implies it.
    pub remedy: String,
}

impl Diagnostic {
    /// A diagnostic of the text at `span`, without a key.
    pub fn new(span: Span, message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { key: Arc::default(), span, message: message.into(), remedy: remedy.into() }
    }

    /// The diagnostic under `key`.
    pub fn at(self, key: impl Into<Arc<str>>) -> Self {
        Self { key: key.into(), ..self }
    }
}
