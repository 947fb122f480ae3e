//! Rates and sizes, and the text users write quantities in: `"600 ms"`, `"100 Mbit/s"`, `"1448 B"`.
//!
//! Prefixes are decimal and case-sensitive (`k`, `M`, `G`); `Ki`, `Mi`, `Gi` are binary and for bytes only.

use std::fmt;
use std::ops::{Add, AddAssign, Mul, Sub};

use crate::time::Duration;

/// A rate in whole bits per second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BitRate(u64);

/// A size in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u64);

impl BitRate {
    /// `bits` bits per second.
    pub const fn from_bps(bits: u64) -> Self {
        Self(bits)
    }

    /// The rate in bits per second.
    pub const fn as_bps(self) -> u64 {
        self.0
    }

    /// True for a rate at which nothing ever leaves.
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }

    /// How long `size` takes at this rate: rounded up, never zero, [`Duration::MAX`] at rate zero.
    pub fn time_to_send(self, size: Bytes) -> Duration {
        if self.0 == 0 {
            return Duration::MAX;
        }
        // Sizes below 2.3 GB keep the product in 64 bits, which is the common and much faster path.
        let nanos = match (size.0 * 8).checked_mul(1_000_000_000) {
            Some(bit_nanos) => bit_nanos.div_ceil(self.0),
            None => (u128::from(size.0) * 8_000_000_000).div_ceil(u128::from(self.0)) as u64,
        };
        Duration::from_nanos(nanos.max(1))
    }

    /// The bytes that pass in `length`, rounded down.
    pub fn bytes_in(self, length: Duration) -> Bytes {
        Bytes((u128::from(self.0) * u128::from(length.as_nanos()) / 8_000_000_000) as u64)
    }
}

impl Bytes {
    /// The size in bits.
    pub const fn bits(self) -> u64 {
        self.0 * 8
    }
}

impl Add for Bytes {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Bytes {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Bytes {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl Mul<u64> for Bytes {
    type Output = Self;
    fn mul(self, factor: u64) -> Self {
        Self(self.0 * factor)
    }
}

impl fmt::Display for BitRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            r if r != 0 && r % 1_000_000_000 == 0 => write!(f, "{} Gbit/s", r / 1_000_000_000),
            r if r != 0 && r % 1_000_000 == 0 => write!(f, "{} Mbit/s", r / 1_000_000),
            r if r != 0 && r % 1_000 == 0 => write!(f, "{} kbit/s", r / 1_000),
            r => write!(f, "{r} bit/s"),
        }
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            b if b != 0 && b % 1_000_000_000 == 0 => write!(f, "{} GB", b / 1_000_000_000),
            b if b != 0 && b % 1_000_000 == 0 => write!(f, "{} MB", b / 1_000_000),
            b => write!(f, "{b} B"),
        }
    }
}

/// A quantity's dimension: its units with their factors to the base unit, and an example for messages.
#[derive(Debug)]
pub struct Dimension {
    /// What is measured, for messages: "a duration".
    pub what: &'static str,
    /// Unit names and what one of each is in the base unit.
    pub units: &'static [(&'static str, f64)],
    /// A well-formed example.
    pub example: &'static str,
}

/// Time, base unit nanosecond.
pub const TIME: Dimension = Dimension {
    what: "a duration",
    units: &[("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9), ("min", 60e9), ("h", 3600e9)],
    example: "600 ms",
};

/// Bit rates, base unit bit/s.
pub const RATE: Dimension = Dimension {
    what: "a bit rate",
    units: &[
        ("bit/s", 1.0),
        ("kbit/s", 1e3),
        ("Mbit/s", 1e6),
        ("Gbit/s", 1e9),
        ("b/s", 1.0),
        ("kb/s", 1e3),
        ("Mb/s", 1e6),
        ("Gb/s", 1e9),
        ("bps", 1.0),
        ("kbps", 1e3),
        ("Mbps", 1e6),
        ("Gbps", 1e9),
    ],
    example: "100 Mbit/s",
};

/// Sizes, base unit byte.
pub const SIZE: Dimension = Dimension {
    what: "a size",
    units: &[
        ("B", 1.0),
        ("kB", 1e3),
        ("MB", 1e6),
        ("GB", 1e9),
        ("KiB", 1024.0),
        ("MiB", 1_048_576.0),
        ("GiB", 1_073_741_824.0),
    ],
    example: "1448 B",
};

/// Lengths, base unit metre.
pub const LENGTH: Dimension =
    Dimension { what: "a distance", units: &[("m", 1.0), ("km", 1e3)], example: "250 m" };

/// Speeds, base unit metre per second.
pub const SPEED: Dimension = Dimension {
    what: "a speed",
    units: &[("m/s", 1.0), ("km/s", 1e3), ("km/h", 1.0 / 3.6)],
    example: "5 m/s",
};

/// Powers on the logarithmic scale, base unit dBm.
pub const POWER: Dimension = Dimension { what: "a power", units: &[("dBm", 1.0)], example: "20 dBm" };

/// Ratios on the logarithmic scale, base unit dB.
pub const RATIO: Dimension = Dimension { what: "a ratio", units: &[("dB", 1.0)], example: "10 dB" };

/// Frequencies, base unit hertz.
pub const FREQUENCY: Dimension = Dimension {
    what: "a frequency",
    units: &[("Hz", 1.0), ("kHz", 1e3), ("MHz", 1e6), ("GHz", 1e9)],
    example: "2.4 GHz",
};

impl Dimension {
    /// Reads `text` ("number unit", the space optional) into the base unit. The error is a remedy, in words.
    pub fn parse(&self, text: &str) -> Result<f64, String> {
        let text = text.trim();
        let split = number_length(text);
        let (number, unit) = (&text[..split], text[split..].trim());
        let Ok(number) = number.parse::<f64>() else {
            return Err(format!("expected {} such as \"{}\", found \"{text}\"", self.what, self.example));
        };
        match self.units.iter().find(|(name, _)| *name == unit) {
            Some((_, factor)) => Ok(number * factor),
            None => {
                let names: Vec<_> = self.units.iter().map(|(name, _)| *name).collect();
                let found = if unit.is_empty() { "no unit".into() } else { format!("unit \"{unit}\"") };
                Err(format!("{} with {found}: write one of {}", self.what, names.join(", ")))
            }
        }
    }
}

/// How many bytes of `text` are its number: digits, sign, point, and an exponent that has digits.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut end = 0;
    while end < bytes.len() {
        let next_is_digit = |i: usize| bytes.get(i).is_some_and(u8::is_ascii_digit);
        let sign = |i: usize| matches!(bytes.get(i), Some(b'+' | b'-'));
        match bytes[end] {
            b'0'..=b'9' | b'.' => end += 1,
            b'+' | b'-' if end == 0 => end += 1,
            b'e' | b'E'
                if end > 0 && (next_is_digit(end + 1) || (sign(end + 1) && next_is_digit(end + 2))) =>
            {
                end += 2;
            }
            _ => break,
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sending_time_rounds_up_and_is_never_zero() {
        assert_eq!(BitRate::from_bps(100_000_000).time_to_send(Bytes(1500)), Duration::from_micros(120));
        assert_eq!(BitRate::from_bps(3).time_to_send(Bytes(1)), Duration::from_nanos(2_666_666_667));
        assert_eq!(BitRate::from_bps(u64::MAX).time_to_send(Bytes(1)), Duration::from_nanos(1));
        assert_eq!(BitRate::from_bps(0).time_to_send(Bytes(1)), Duration::MAX);
        assert_eq!(
            BitRate::from_bps(8).time_to_send(Bytes(3_000_000_000)),
            Duration::from_secs(3_000_000_000)
        );
    }

    #[test]
    fn a_rate_may_be_written_in_each_of_the_usual_ways() {
        for unit in ["Mbit/s", "Mb/s", "Mbps"] {
            assert_eq!(RATE.parse(&format!("1.5 {unit}")), Ok(1.5e6));
        }
        let refused = RATE.parse("5 MB/s").unwrap_err();
        assert!(RATE.units.iter().all(|(name, _)| refused.contains(name)), "{refused}");
    }

    #[test]
    fn quantities_need_a_known_unit() {
        assert_eq!(TIME.parse("600 ms"), Ok(6e8));
        assert_eq!(TIME.parse("1e-3s"), Ok(1e6));
        assert_eq!(RATE.parse("1.5 Mbit/s"), Ok(1.5e6));
        assert!(TIME.parse("600").unwrap_err().contains("no unit"));
        assert!(RATE.parse("5 MB/s").unwrap_err().contains("Mbit/s"));
        assert!(SIZE.parse("many").unwrap_err().contains("1448 B"));
    }
}
