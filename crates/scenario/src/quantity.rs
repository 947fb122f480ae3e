//! A quantity as a number with the unit that a column's name ends in: `"600 ms"` is 0.6 `s`.

use farlink_kernel::units::{self, Dimension};

/// Every dimension, its suffix in column names, and how many of its base units make one of that suffix.
const COLUMNS: [(&Dimension, &str, f64); 8] = [
    (&units::TIME, "s", 1e9),
    (&units::RATE, "bps", 1.0),
    (&units::SIZE, "bytes", 1.0),
    (&units::LENGTH, "m", 1.0),
    (&units::SPEED, "mps", 1.0),
    (&units::POWER, "dbm", 1.0),
    (&units::RATIO, "db", 1.0),
    (&units::FREQUENCY, "hz", 1.0),
];

/// The number and the unit of a quantity; `None` for any other text.
pub fn quantity(text: &str) -> Option<(f64, &'static str)> {
    if let Some(count) = text.strip_suffix("packets") {
        return count.trim().parse().ok().map(|count| (count, "packets"));
    }
    COLUMNS.iter().find_map(|(dimension, suffix, unit)| {
        let value = dimension.parse(text).ok()? / unit;
        value.is_finite().then_some((value, *suffix))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_come_in_the_units_of_column_names() {
        assert_eq!(quantity("600 ms"), Some((0.6, "s")));
        assert_eq!(quantity("100 Mbit/s"), Some((1e8, "bps")));
        assert_eq!(quantity("5000 packets"), Some((5000.0, "packets")));
        assert_eq!(quantity("1448 B"), Some((1448.0, "bytes")));
        assert_eq!(quantity("hybla"), None);
        assert_eq!(quantity("30 s..40 s"), None);
    }
}
