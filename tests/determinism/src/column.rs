//! A column of results, its hash and its mean.

use serde_json::Value;
use sha2::{Digest, Sha256};

/// What is kept of one column.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The first 64 bits of SHA-256 over all values, floats by their bits.
    pub hash: String,
    /// The mean of the values that are numbers; `None` without any.
    pub mean: Option<f64>,
}

/// A column under way: values go in, a [`Summary`] comes out.
#[derive(Clone, Debug, Default)]
pub struct Column {
    hasher: Sha256,
    sum: f64,
    numbers: u64,
}

impl Column {
    /// Adds a value of a JSON document. Each kind has its own mark, so that 1 and 1.0 differ.
    pub fn push(&mut self, value: &Value) {
        match value {
            Value::Null => self.mark(b'n', &[]),
            Value::Bool(value) => self.mark(b'b', &[u8::from(*value)]),
            Value::Number(number) => match number.as_u64() {
                Some(integer) => self.push_integer(integer),
                None => self.push_number(number.as_f64().expect("a JSON number is an f64")),
            },
            Value::String(text) => self.push_text(text),
            Value::Array(_) | Value::Object(_) => self.push_text(&value.to_string()),
        }
    }

    /// Adds a text.
    pub fn push_text(&mut self, text: &str) {
        // The length, so that "a", "bc" and "ab", "c" differ.
        self.mark(b't', &(text.len() as u64).to_le_bytes());
        self.hasher.update(text);
    }

    /// Adds the place of the next value, where not every row has one.
    pub fn push_place(&mut self, row: u64) {
        self.mark(b'r', &row.to_le_bytes());
    }

    /// Adds an integer.
    pub fn push_integer(&mut self, integer: u64) {
        self.mark(b'i', &integer.to_le_bytes());
        self.count(integer as f64);
    }

    /// Adds a number; NaN is an undefined value, whatever its bits.
    pub fn push_number(&mut self, number: f64) {
        if number.is_nan() {
            self.mark(b'n', &[]);
        } else {
            self.mark(b'f', &number.to_bits().to_le_bytes());
            self.count(number);
        }
    }

    /// Hash and mean of everything that was added.
    pub fn summary(self) -> Summary {
        let mean = (self.numbers > 0).then(|| self.sum / self.numbers as f64);
        Summary { hash: digits(self.hasher), mean: mean.filter(|mean| mean.is_finite()) }
    }

    fn mark(&mut self, kind: u8, bytes: &[u8]) {
        self.hasher.update([kind]);
        self.hasher.update(bytes);
    }

    fn count(&mut self, number: f64) {
        self.sum += number;
        self.numbers += 1;
    }
}

/// The first 64 bits of a hash, in hexadecimal digits.
pub(crate) fn digits(hasher: Sha256) -> String {
    let hash: [u8; 32] = hasher.finalize().into();
    format!("{:016x}", hash[..8].iter().fold(0_u64, |word, byte| word << 8 | u64::from(*byte)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn summary(values: &[Value]) -> Summary {
        let mut column = Column::default();
        for value in values {
            column.push(value);
        }
        column.summary()
    }

    #[test]
    fn one_bit_of_one_number_changes_the_hash() {
        let next = f64::from_bits(0.1_f64.to_bits() + 1);
        assert_ne!(summary(&[json!(0.1)]).hash, summary(&[json!(next)]).hash);
    }

    #[test]
    fn kinds_and_borders_of_values_are_hashed() {
        let columns = [
            summary(&[json!(1)]),
            summary(&[json!(1.0)]),
            summary(&[json!("1")]),
            summary(&[Value::Null]),
            summary(&[]),
            summary(&[json!("a"), json!("bc")]),
            summary(&[json!("ab"), json!("c")]),
        ];
        for (place, column) in columns.iter().enumerate() {
            assert!(columns[place + 1..].iter().all(|other| other.hash != column.hash), "{column:?}");
        }
    }

    #[test]
    fn the_mean_is_that_of_the_numbers() {
        assert_eq!(summary(&[json!(1), json!(2.0), Value::Null, json!("x")]).mean, Some(1.5));
        assert_eq!(summary(&[json!("x")]).mean, None);
    }
}
