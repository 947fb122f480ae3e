//! How a model declares its parameters, so that one declaration serves the scenario's parser, its error
//! messages, its schema, `farlink list` and the documentation.
//!
//! A scenario file is read (by the `scenario` crate) into a tree of [`Node`]s that keep their key and their
//! place in the text. [`config!`](crate::config!) makes a struct that can be read from such a node: unknown keys
//! are refused with the nearest known one, and every [`Diagnostic`] carries the key and the span at fault.

mod bounds;
mod customary;
mod node;
mod spelling;
mod values;

pub use bounds::{above, bounded, in_order, kind_within};
pub(crate) use customary::instead_of_number;
pub use node::{Diagnostic, Entry, Node, Span, Value};
pub use spelling::{nearest, refuse_unknown, unknown};
pub use values::{CENTURY, EXABYTE, Fraction, PETABIT, read_bounded, read_quantity};

/// The type of a parameter, for the schema, the list of models and the documentation.
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
    /// Its type.
    pub kind: Kind,
    /// The default as text, `None` when the key is required.
    pub default: Option<String>,
    /// Meaning, unit and source.
    pub doc: &'static str,
}

/// A registered model, for lists and schemas.
#[derive(Clone, Debug)]
pub struct Model {
    /// Its name.
    pub name: &'static str,
    /// A description in one line.
    pub doc: &'static str,
    /// Its source.
    pub source: &'static str,
    /// Its parameters.
    pub fields: Vec<Field>,
}

/// A type that can be read from a scenario.
pub trait Read: Sized {
    /// The type of the value.
    fn kind() -> Kind;
    /// Reads a value.
    fn read(node: &Node) -> Result<Self, Diagnostic>;
    /// The value as a user would write it, in TOML.
    fn show(&self) -> String;
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
/// leaves the bound out), and `where low < high` after the struct compares two. With `preset Preset`
/// after that, `Config::of` gives the values of a preset, over which the other keys are read: `; with Ns2 = 7` is the value
/// in the preset `Ns2`, where that is not the default. `= MODEL; of models` offers only these models of a registry; what
/// builds the model refuses the others.
#[macro_export]
macro_rules! config {
    (
        $(#[doc = $struct_doc:literal])*
        $vis:vis struct $Config:ident {
            $( $(#[doc = $doc:literal])* pub $field:ident : $type:ty = $default:expr
                $(; in $bounds:expr)? $(; of $models:expr)? $(; with $Named:ident = $value:expr)* ),*
            $(,)?
        }
        $( where $( $low:ident $order:tt $high:ident ),+ )?
        $( preset $Preset:ident )?
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
                    kind: $crate::config!(@kind $type $(, $bounds)? $(; $models)?),
                    default: Some($crate::config::Read::show(&defaults.$field)),
                    doc: concat!($($doc,)*).trim_ascii(),
                }, )* ]
            }

            /// Reads the parameters from a table; keys in `also` are read elsewhere.
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
                    let preset: $Preset = $crate::config::Read::read(word)?;
                    config = Self::of(preset);
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
        }

        $crate::config!(@table $Config { $( $field )* });
        $crate::config!(@preset $Config $( $Preset )? { $( $( $field $Named $value; )* )* });
    };
    (@preset $Config:ident {}) => {};
    (@preset $Config:ident $Preset:ident { $( $field:ident $Named:ident $value:expr; )* }) => {
        impl $Config {
            /// The values of a preset.
            pub fn of(preset: $Preset) -> Self {
                let mut config = Self { preset, ..Self::default() };
                $( if preset == $Preset::$Named { config.$field = $value; } )*
                config
            }
        }
    };
    (@table $Table:ident { $( $field:ident )* }) => {
        impl $Table {
            /// The parameters as `key = value` pairs, as a user would write them.
            pub fn show_fields(&self) -> Vec<(&'static str, String)> {
                vec![ $( (stringify!($field), $crate::config::Read::show(&self.$field)), )* ]
            }
        }

        impl $crate::config::Read for $Table {
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
    (@kind $type:ty; $models:expr) => { $crate::Kind::Model($models) };
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
