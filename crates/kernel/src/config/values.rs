//! What plain values are read from: quantities with units, numbers, words, lists.

use super::{Diagnostic, Kind, Node, Read, Value};
use crate::time::{Duration, Instant};
use crate::units::{self, BitRate, Bytes};

impl units::Dimension {
    /// The kind of its quantities.
    pub fn kind(&self) -> Kind {
        let units = self.units.iter().map(|(name, _)| *name).collect();
        Kind::Quantity { what: self.what, units, example: self.example }
    }
}

/// Reads a non-negative quantity in the base unit of `dimension`.
pub fn read_quantity(node: &Node, dimension: &units::Dimension) -> Result<f64, Diagnostic> {
    let text = node.as_text(&format!("{} such as \"{}\"", dimension.what, dimension.example))?;
    let refuse = |message: String| node.refuse(message, "");
    let number = dimension.parse(text).map_err(refuse)?;
    if !number.is_finite() || number < 0.0 {
        return Err(refuse(format!("{} must be finite and not negative", dimension.what)));
    }
    Ok(number)
}

/// The longest duration a scenario may name: several of them still fit into simulated time.
pub const CENTURY: Duration = Duration::from_secs(36_525 * 86_400);
/// The highest rate a scenario may name: at it a packet takes no time already.
pub const PETABIT: BitRate = BitRate::from_bps(1_000_000_000_000_000);
/// The largest size a scenario may name: several of them still fit into 64 bits.
pub const EXABYTE: Bytes = Bytes(1_000_000_000_000_000_000);

/// Reads a non-negative quantity of at most `max`, which is `limit` in words.
pub fn read_bounded(
    node: &Node,
    dimension: &units::Dimension,
    max: f64,
    limit: &str,
) -> Result<f64, Diagnostic> {
    let number = read_quantity(node, dimension)?;
    if number > max {
        let message = format!("{} must be at most {limit}", dimension.what);
        return Err(node.refuse(message, ""));
    }
    Ok(number)
}

macro_rules! read_whole {
    ($($Type:ty: $DIMENSION:ident to $max:expr, $limit:literal, $from:expr;)*) => {$(
        impl Read for $Type {
            fn kind() -> Kind {
                units::$DIMENSION.kind()
            }
            fn read(node: &Node) -> Result<Self, Diagnostic> {
                let number = read_bounded(node, &units::$DIMENSION, $max as f64, $limit)?;
                Ok($from(number.round() as u64))
            }
            fn show(&self) -> String {
                format!("\"{self}\"")
            }
        }
    )*};
}
read_whole! {
    Duration: TIME to CENTURY.as_nanos(), "100 years", Self::from_nanos;
    Instant: TIME to CENTURY.as_nanos(), "100 years", Self::from_nanos;
    BitRate: RATE to PETABIT.as_bps(), "10^15 bit/s", Self::from_bps;
    Bytes: SIZE to EXABYTE.0, "10^18 B", Self;
}

impl Read for bool {
    fn kind() -> Kind {
        Kind::Bool
    }
    fn read(node: &Node) -> Result<Self, Diagnostic> {
        match node.value {
            Value::Bool(value) => Ok(value),
            _ => Err(node.expected("true or false")),
        }
    }
    fn show(&self) -> String {
        self.to_string()
    }
}

macro_rules! read_integer {
    ($($type:ty),*) => {$(
        impl Read for $type {
            fn kind() -> Kind {
                Kind::Integer { min: 0 }
            }
            fn read(node: &Node) -> Result<Self, Diagnostic> {
                match node.value {
                    Value::Integer(value) => <$type>::try_from(value)
                        .map_err(|_| node.expected(&format!("a whole number from 0 to {}", <$type>::MAX))),
                    _ => Err(node.expected("a whole number of at least 0")),
                }
            }
            fn show(&self) -> String {
                self.to_string()
            }
        }
    )*};
}
read_integer!(u8, u16, u32, u64);

/// Numbers without unit are gains, counts and factors: none is below zero.
impl Read for f64 {
    fn kind() -> Kind {
        Kind::Number { min: 0.0, max: Self::INFINITY }
    }
    fn read(node: &Node) -> Result<Self, Diagnostic> {
        match node.value {
            Value::Float(value) if value.is_finite() && value >= 0.0 => Ok(value),
            Value::Integer(value) if value >= 0 => Ok(value as f64),
            Value::Text(_) => Err(node.expected("a number")),
            _ => Err(node.expected("a number of at least 0")),
        }
    }
    fn show(&self) -> String {
        format!("{self:?}")
    }
}

/// A number from 0 to 1, both included.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Fraction(pub f64);

impl Read for Fraction {
    fn kind() -> Kind {
        Kind::Number { min: 0.0, max: 1.0 }
    }
    fn read(node: &Node) -> Result<Self, Diagnostic> {
        match f64::read(node) {
            Ok(value) if value <= 1.0 => Ok(Self(value)),
            _ => Err(node.expected("a number from 0 to 1")),
        }
    }
    fn show(&self) -> String {
        self.0.show()
    }
}

impl Read for String {
    fn kind() -> Kind {
        Kind::Text
    }
    fn read(node: &Node) -> Result<Self, Diagnostic> {
        node.as_text("a string").map(ToOwned::to_owned)
    }
    fn show(&self) -> String {
        format!("\"{}\"", self.chars().map(escaped).collect::<String>())
    }
}

/// A character in a basic string of TOML; what is not printable by its number.
fn escaped(character: char) -> String {
    let escaped = character.escape_debug().to_string();
    match character {
        '\'' => character.into(),
        '\0' => "\\u0000".into(),
        _ if escaped.starts_with("\\u") => format!("\\U{:08X}", u32::from(character)),
        _ => escaped,
    }
}

impl<T: Read> Read for Vec<T> {
    fn kind() -> Kind {
        Kind::List(Box::new(T::kind()))
    }
    fn read(node: &Node) -> Result<Self, Diagnostic> {
        match &node.value {
            Value::List(items) => items.iter().map(T::read).collect(),
            _ => Err(node.expected("a list")),
        }
    }
    fn show(&self) -> String {
        format!("[{}]", self.iter().map(Read::show).collect::<Vec<_>>().join(", "))
    }
}

/// An optional parameter: absent, or the word `"none"`, is `None`.
impl<T: Read> Read for Option<T> {
    fn kind() -> Kind {
        Kind::AnyOf(vec![T::kind(), Kind::Choice(&["none"])])
    }
    fn read(node: &Node) -> Result<Self, Diagnostic> {
        match &node.value {
            Value::Text(word) if word == "none" => Ok(None),
            _ => T::read(node).map(Some),
        }
    }
    fn show(&self) -> String {
        self.as_ref().map_or_else(|| "\"none\"".into(), Read::show)
    }
}
