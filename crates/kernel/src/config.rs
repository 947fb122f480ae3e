//! How a model declares its parameters, so that one declaration serves the scenario's parser, its error
//! messages, its schema, `farlink list` and the documentation.
//!
//! A scenario file is read (by the `scenario` crate) into a tree of [`Node`]s that keep their key and their
//! place in the text. [`config!`](crate::config!) makes a struct that can be read from such a node: unknown keys
//! are refused with the nearest known one, and every [`Diagnostic`] carries the key and the span at fault.

mod bounds;
mod spelling;
mod values;

use std::ops::Range;
use std::sync::Arc;

pub use bounds::{above, bounded, in_order, kind_within};
pub use spelling::{nearest, refuse_unknown, unknown};
pub use values::{CENTURY, EXABYTE, Fraction, PETABIT, read_bounded, read_quantity};

/// Where something stands in the scenario's text, in bytes; empty when it was not read from text.
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

/// Why a scenario was refused: the place and the key at fault, what is wrong there, and what to write instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The dotted key; empty where none is known.
    pub key: Arc<str>,
    /// The place in the text.
    pub span: Span,
    /// What is wrong, in one line.
    pub message: String,
    /// What to write instead, in one line; empty if the message says it.
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

/// What a parameter may be, for the schema, the list of models and the docs.
#[derive(Clone, Debug)]
pub enum Kind {
    /// `true` or `false`.
    Bool,
    /// A whole number of at least `min`.
    Integer {
        /// Smallest value allowed.
        min: i64,
    },
    /// A number within bounds, both allowed.
    Number {
        /// Smallest value allowed.
        min: f64,
        /// Largest value allowed.
        max: f64,
    },
    /// A string with a unit; the example shows how.
    Quantity {
        /// What is measured ("a duration").
        what: &'static str,
        /// The units accepted.
        units: Vec<&'static str>,
        /// A well-formed example.
        example: &'static str,
    },
    /// Any string.
    Text,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A list of the inner kind.
    List(Box<Kind>),
    /// A table with these fields.
    Table(Vec<Field>),
    /// A model of a registry: its name, or a table with `name` and parameters.
    Model(fn() -> Vec<Model>),
    /// One of several kinds.
    AnyOf(Vec<Kind>),
    /// The inner kind within bounds, which are in words.
    Within(Box<Kind>, String),
}

/// One parameter: name, kind, default as a user would write it (`None`: required), and what it means.
#[derive(Clone, Debug)]
pub struct Field {
    /// The key.
    pub name: &'static str,
    /// What it may be.
    pub kind: Kind,
    /// The default as text, `None` when the key is required.
    pub default: Option<String>,
    /// Meaning, unit and source.
    pub doc: &'static str,
}

/// A registered model, for lists and schemas.
#[derive(Clone, Debug)]
pub struct Model {
    /// The one word it is called by everywhere.
    pub name: &'static str,
    /// What it is, in one line.
    pub doc: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// Its parameters.
    pub fields: Vec<Field>,
}

/// A type that can be read from a scenario.
pub trait Read: Sized {
    /// What may be written.
    fn kind() -> Kind;
    /// Reads it. The error says where and why.
    fn read(node: &Node) -> Result<Self, Diagnostic>;
    /// The value as a user would write it, in TOML.
    fn show(&self) -> String;
}

impl Node {
    /// A value that stands in no text, such as one that comes from code.
    pub fn new(value: Value) -> Self {
        Self { value, span: 0..0, key: Arc::default() }
    }

    /// A string that stands in no text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(Value::Text(text.into()))
    }

    /// Another value in the same place.
    pub fn with(&self, value: Value) -> Self {
        Self { value, span: self.span.clone(), key: Arc::clone(&self.key) }
    }

    /// The dotted key of what stands, or would stand, under `key` in this table or list.
    pub fn key_of(&self, key: &str) -> Arc<str> {
        if self.key.is_empty() { key.into() } else { format!("{}.{key}", self.key).into() }
    }

    /// A diagnostic of this value.
    pub fn refuse(&self, message: impl Into<String>, remedy: impl Into<String>) -> Diagnostic {
        Diagnostic::new(self.span.clone(), message, remedy).at(Arc::clone(&self.key))
    }

    /// A diagnostic of what stands under the dotted `path` in this table, or of the innermost table on that path.
    pub fn refuse_at(&self, path: &str, message: impl Into<String>, remedy: impl Into<String>) -> Diagnostic {
        let mut node = self;
        for key in path.split('.') {
            let Some(next) = node.get(key) else { break };
            node = next;
        }
        node.refuse(message, remedy).at(self.key_of(path))
    }

    /// What the node is, for messages.
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
            Value::Float(f) => format!("{f:?}"),
            Value::Text(t) => t.show(),
            Value::List(items) => format!("[{}]", joined(items.iter().map(Self::show).collect())),
            Value::Table(entries) => {
                let entry = |entry: &Entry| format!("{} = {}", entry.key, entry.node.show());
                format!("{{ {} }}", joined(entries.iter().map(entry).collect()))
            }
        }
    }

    /// The entries of a table, or a diagnostic that says a table was expected.
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

    /// The items, if this is a list.
    pub fn items(&self) -> &[Node] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    /// A diagnostic: something else was expected here.
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

/// Declares a struct of parameters: fields with docs and defaults, readable from a scenario.
///
/// ```
/// farlink_kernel::config! {
///     /// Parameters of a thing.
///     pub struct Config {
///         /// Time constant. Unit: duration. Source: the paper, section 3.
///         pub tau: farlink_kernel::Duration = farlink_kernel::Duration::from_millis(500),
///     }
/// }
/// assert_eq!(Config::default().tau.to_string(), "500 ms");
/// ```
///
/// What a parameter must not be is declared with it: `= 5; in 1..` bounds it by any range (`in above(0.0)`
/// leaves the bound out), and `where low < high` after the struct compares two. `preset Config::of` after
/// that names the function from the field `preset` to the values that the other keys are read over.
#[macro_export]
macro_rules! config {
    (
        $(#[doc = $struct_doc:literal])*
        $vis:vis struct $Config:ident {
            $( $(#[doc = $doc:literal])* pub $field:ident : $type:ty = $default:expr $(; in $bounds:expr)? ),*
            $(,)?
        }
        $( where $( $low:ident $order:tt $high:ident ),+ )?
        $( preset $preset:path )?
    ) => {
        $(#[doc = $struct_doc])*
        #[derive(Clone, Debug, PartialEq)]
        $vis struct $Config {
            $( $(#[doc = $doc])* pub $field: $type, )*
        }

        impl Default for $Config {
            fn default() -> Self {
                Self { $( $field: $default, )* }
            }
        }

        impl $Config {
            /// The parameters, for lists, schemas and documentation.
            #[allow(unused_variables)]
            pub fn fields() -> Vec<$crate::Field> {
                let defaults = Self::default();
                vec![ $( $crate::Field {
                    name: stringify!($field),
                    kind: $crate::config!(@kind $type $(, $bounds)?),
                    default: Some($crate::config::Read::show(&defaults.$field)),
                    doc: concat!($($doc,)*).trim_ascii(),
                }, )* ]
            }

            /// Reads the parameters from a table; keys in `also` belong to somebody else and are skipped.
            pub fn read_table(node: &$crate::Node, also: &[&str]) -> Result<Self, $crate::Diagnostic> {
                Self::read_over(Self::default(), node, also)
            }

            /// Like `read_table`, but absent keys keep what `config` has (a preset).
            #[allow(unused_mut)]
            pub fn read_over(mut config: Self, node: &$crate::Node, also: &[&str]) -> Result<Self, $crate::Diagnostic> {
                let known = [&[ $( stringify!($field), )* ][..], also].concat();
                let entries = node.entries()?;
                $crate::config::refuse_unknown(entries, &known)?;
                $( if let Some(word) = node.get("preset") {
                    config = $preset($crate::config::Read::read(word)?);
                } )?
                for entry in entries {
                    match entry.key.as_str() {
                        $( stringify!($field) => {
                            config.$field = <$type as $crate::config::Read>::read(&entry.node)
                                $( .and_then(|value| $crate::config::bounded(value, &$bounds, &entry.node)) )? ?;
                        } )*
                        _ => {}
                    }
                }
                $( $( $crate::config::in_order(
                    config.$low $order config.$high,
                    [stringify!($low), stringify!($order), stringify!($high)],
                    [&config.$low, &config.$high],
                    node,
                )?; )+ )?
                Ok(config)
            }

            /// The parameters as `key = value` pairs, as a user would write them.
            pub fn show_fields(&self) -> Vec<(&'static str, String)> {
                vec![ $( (stringify!($field), $crate::config::Read::show(&self.$field)), )* ]
            }
        }

        impl $crate::config::Read for $Config {
            fn kind() -> $crate::Kind {
                $crate::Kind::Table(Self::fields())
            }
            fn read(node: &$crate::Node) -> Result<Self, $crate::Diagnostic> {
                Self::read_table(node, &[])
            }
            fn show(&self) -> String {
                $crate::config::show_table(None, &self.show_fields())
            }
        }
    };
    (@kind $type:ty) => { <$type as $crate::config::Read>::kind() };
    (@kind $type:ty, $bounds:expr) => {
        $crate::config::kind_within::<$type, _, _>(&$bounds)
    };
}

/// `{ name = "x", key = value }` as TOML text; a bare name when there are no parameters.
pub fn show_table(name: Option<&str>, fields: &[(&'static str, String)]) -> String {
    let mut parts: Vec<String> = name.iter().map(|name| format!("name = {name:?}")).collect();
    if let (Some(name), true) = (name, fields.is_empty()) {
        return format!("{name:?}");
    }
    parts.extend(fields.iter().map(|(key, value)| format!("{key} = {value}")));
    format!("{{ {} }}", parts.join(", "))
}

/// Declares an enum of words a user may choose from; the words are the variants in snake case as given.
///
/// ```
/// farlink_kernel::choice! {
///     /// How a thing is measured.
///     pub enum Measure {
///         /// The smallest.
///         Minimum = "minimum",
///         /// The mean.
///         Mean = "mean",
///     }
/// }
/// ```
#[macro_export]
macro_rules! choice {
    (
        $(#[$meta:meta])*
        $vis:vis enum $Choice:ident { $( $(#[doc = $doc:literal])* $Variant:ident = $word:literal ),* $(,)? }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis enum $Choice { $( $(#[doc = $doc])* $Variant, )* }

        impl $Choice {
            /// The words, in the order declared.
            pub const WORDS: &'static [&'static str] = &[ $( $word, )* ];

            /// The word a user writes.
            pub const fn word(self) -> &'static str {
                match self { $( Self::$Variant => $word, )* }
            }
        }

        impl $crate::config::Read for $Choice {
            fn kind() -> $crate::Kind {
                $crate::Kind::Choice(Self::WORDS)
            }
            fn read(node: &$crate::Node) -> Result<Self, $crate::Diagnostic> {
                let word = node.as_text(concat!("one of: " $(, $word, " ")*))?;
                match word {
                    $( $word => Ok(Self::$Variant), )*
                    _ => Err($crate::config::unknown(word, "choice", node, Self::WORDS)),
                }
            }
            fn show(&self) -> String {
                format!("{:?}", self.word())
            }
        }
    };
}

#[cfg(test)]
mod tests;
