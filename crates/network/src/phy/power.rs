//! [`Power`] and [`Ratio`] with the units a user may write, and [`Strength`] and [`Level`], with which antennas compute.

use farlink_kernel::config::{Diagnostic, Kind, Node, Read};
use farlink_kernel::{math, units};

/// A power in watts; written in dBm, W, mW, or, for an acoustic source, in dB re 1 uPa at 1 m (`"170 dBuPa"`).
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Power {
    /// In watts.
    pub watts: f64,
}

impl Power {
    /// The level at 1 m of an underwater source of 1 W, in dB re 1 uPa.
    const WATT_DB: f64 = 170.8;

    pub(crate) const fn from_watts(watts: f64) -> Self {
        Self { watts }
    }

    /// From dBm.
    pub fn from_dbm(dbm: f64) -> Self {
        Self { watts: libm::pow(10.0, (dbm - 30.0) / 10.0) }
    }

    /// In dBm.
    pub fn as_dbm(self) -> f64 {
        10.0 * libm::log10(self.watts) + 30.0
    }

    /// The acoustic power of an omnidirectional source with this level, in dB re 1 uPa at 1 m (Urick 1983).
    pub fn from_source_level(db: f64) -> Self {
        Self { watts: libm::pow(10.0, (db - Self::WATT_DB) / 10.0) }
    }

    /// The level of such a source, in dB re 1 uPa at 1 m.
    pub fn as_source_level(self) -> f64 {
        Self::WATT_DB + 10.0 * libm::log10(self.watts)
    }

    /// In the form that antennas compare.
    pub fn strength(self) -> Strength {
        Strength(libm::log(self.watts))
    }

    /// In the form that antennas add up.
    #[inline]
    pub fn level(self) -> Level {
        Level(math::whole(self.watts / Level::UNIT_WATTS))
    }
}

/// The level of an acoustic source at 1 m.
const SOURCE_LEVEL: units::Dimension =
    units::Dimension { what: "a power", units: &[("dBuPa", 1.0)], example: "170 dBuPa" };

/// What is no level in decibels; those are named in its message.
const WATTS: units::Dimension = units::Dimension {
    what: "a power",
    units: &[("dBm", f64::NAN), ("W", 1.0), ("mW", 1e-3), ("dBuPa", f64::NAN)],
    example: "20 dBm",
};

impl Read for Power {
    fn kind() -> Kind {
        Kind::Quantity {
            what: "a power",
            units: vec!["dBm", "dBuPa", "W", "mW"],
            example: units::POWER.example,
        }
    }
    fn read(node: &Node) -> Result<Self, Diagnostic> {
        let text = node.as_text("a power such as \"20 dBm\"")?;
        let power = match text.trim() {
            text if text.ends_with("dBm") => units::POWER.parse(text).map(Self::from_dbm),
            text if text.ends_with("dBuPa") => SOURCE_LEVEL.parse(text).map(Self::from_source_level),
            text => WATTS.parse(text).map(Self::from_watts),
        };
        match power {
            Ok(Self { watts }) if watts > 0.0 && watts <= Level::MAX_WATTS => Ok(Self { watts }),
            Ok(_) => Err(node.expected("a power above zero and at most 100 W")),
            Err(message) => Err(node.refuse(message, "")),
        }
    }
    fn show(&self) -> String {
        format!("\"{:e} W\"", self.watts)
    }
}

/// A ratio of powers; written in dB.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Ratio {
    pub(crate) db: f64,
}

impl Ratio {
    pub(crate) const fn from_db(db: f64) -> Self {
        Self { db }
    }

    pub(crate) fn factor(self) -> f64 {
        libm::pow(10.0, self.db / 10.0)
    }
}

impl Read for Ratio {
    fn kind() -> Kind {
        units::RATIO.kind()
    }
    fn read(node: &Node) -> Result<Self, Diagnostic> {
        let text = node.as_text("a ratio such as \"10 dB\"")?;
        match units::RATIO.parse(text) {
            Ok(db) if db.is_finite() => Ok(Self { db }),
            Ok(_) => Err(node.expected("a finite ratio")),
            Err(message) => Err(node.refuse(message, "")),
        }
    }
    fn show(&self) -> String {
        format!("\"{} dB\"", self.db)
    }
}

/// The natural logarithm of a received power in watts: signals are compared far more often than added up, and most fading
/// models compute the logarithm first.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Strength(pub f64);

impl Strength {
    /// As a power.
    pub fn power(self) -> Power {
        Power { watts: math::exp(self.0) }
    }

    /// In the form that antennas add up.
    pub fn level(self) -> Level {
        self.power().level()
    }
}

/// A received power in whole units, so that adding and removing signals leaves exactly zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(pub u64);

impl Level {
    /// The unit: a thousandth of thermal noise in 2 MHz.
    pub const UNIT_WATTS: f64 = 1e-17;
    /// The largest transmit power; it fits into 64 bits.
    pub const MAX_WATTS: f64 = 100.0;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_written_in_decibels_or_watts() {
        let read = |text| Power::read(&Node::text(text));
        assert!((read("24.5 dBm").unwrap().watts - 0.281_838).abs() < 1e-6);
        assert_eq!(read("3.652e-10 W"), Ok(Power::from_watts(3.652e-10)));
        assert_eq!(read("100 mW").unwrap().as_dbm(), 20.0);
        assert!((read("170.8 dBuPa").unwrap().watts - 1.0).abs() < 1e-12);
        assert_eq!(read("1.559e-11 W").unwrap().level(), Level(1_559_000));
        assert!(read("0 W").is_err() && read("200 W").is_err() && read("20 dB").is_err());
        assert!(read("20 dB").unwrap_err().message.contains("write one of dBm, W, mW, dBuPa"));
        let power = read("-64.37 dBm").unwrap();
        assert_eq!(Power::read(&Node::text(power.show().trim_matches('"'))), Ok(power));
    }
}
