//! [`Noise`] at an antenna: a power, or ocean ambient noise.
//!
//! Ocean ambient noise: G. M. Wenz, "Acoustic ambient noise in the ocean: spectra and sources", Journal of the Acoustical
//! Society of America 34(12), 1962, in the form of R. Coates, "Underwater Acoustic Systems", 1989 (Stojanovic,
//! WUWNet 2006). Power densities in dB re 1 uPa^2/Hz, f in kHz, shipping s from 0 to 1, wind w in m/s:
//! turbulence 17 - 30 log f; shipping 40 + 20 (s - 0.5) + 26 log f - 60 log(f + 0.03);
//! waves 50 + 7.5 sqrt(w) + 20 log f - 40 log(f + 0.4); thermal noise -15 + 20 log f. They add up as powers; the density at
//! the centre of the band applies to all of it.

use farlink_kernel::config;
use farlink_kernel::config::{Diagnostic, Fraction, Kind, Node, Read, Value, show_table, unknown};

use super::frequency::Frequency;
use super::power::Power;
use crate::space::Pace;

config! {
    /// Parameters of ocean ambient noise.
    pub struct Wenz {
        /// Centre frequency of the band.
        pub frequency: Frequency = Frequency::from_hertz(38_600.0);
        in Frequency::from_hertz(1.0)..=Frequency::from_hertz(1e6),
        /// Bandwidth.
        pub bandwidth: Frequency = Frequency::from_hertz(50_000.0);
        in Frequency::from_hertz(1.0)..=Frequency::from_hertz(1e6),
        /// Shipping activity, from 0 to 1.
        pub shipping: Fraction = Fraction(0.5),
        /// Wind speed above the water. The fastest gust measured had 113 m/s.
        pub wind: Pace = Pace(0.0); in ..=Pace(120.0),
    }
}

impl Wenz {
    /// Density in dB re 1 uPa^2/Hz.
    pub fn density_db(&self) -> f64 {
        let khz = self.frequency.hertz / 1e3;
        let log = libm::log10;
        let sources = [
            17.0 - 30.0 * log(khz),
            40.0 + 20.0 * (self.shipping.0 - 0.5) + 26.0 * log(khz) - 60.0 * log(khz + 0.03),
            50.0 + 7.5 * self.wind.0.sqrt() + 20.0 * log(khz) - 40.0 * log(khz + 0.4),
            -15.0 + 20.0 * log(khz),
        ];
        10.0 * log(sources.iter().map(|db| libm::pow(10.0, db / 10.0)).sum())
    }

    /// The power in the band, expressed as a source level (re 1 m).
    pub fn power(&self) -> Power {
        Power::from_source_level(self.density_db() + 10.0 * libm::log10(self.bandwidth.hertz))
    }
}

/// Noise at an antenna. Written as a power, or as `{ name = "wenz", .. }`.
#[derive(Clone, Debug, PartialEq)]
pub enum Noise {
    Power(Power),
    /// Ocean ambient noise (Wenz).
    Wenz(Wenz),
}

impl Noise {
    pub fn power(&self) -> Power {
        match self {
            Self::Power(power) => *power,
            Self::Wenz(wenz) => wenz.power(),
        }
    }
}

impl Read for Noise {
    fn kind() -> Kind {
        let mut fields = Wenz::fields();
        let kind = Kind::Choice(&["wenz"]);
        fields.insert(0, farlink_kernel::Field { name: "name", kind, default: None, doc: "Noise model." });
        Kind::AnyOf(vec![Power::kind(), Kind::Table(fields)])
    }
    fn read(node: &Node) -> Result<Self, Diagnostic> {
        let (name, at) = match &node.value {
            Value::Text(text) if text.starts_with(|c: char| c.is_ascii_lowercase()) => (text.as_str(), node),
            Value::Table(_) => farlink_kernel::registry::model_name(node, &[])?,
            _ => return Power::read(node).map(Self::Power),
        };
        match (name, &node.value) {
            ("wenz", Value::Table(_)) => Wenz::read_table(node, &["name"]).map(Self::Wenz),
            ("wenz", _) => Ok(Self::Wenz(Wenz::default())),
            _ => Err(unknown(name, "name", at, &["wenz"])),
        }
    }
    fn show(&self) -> String {
        match self {
            Self::Power(power) => power.show(),
            Self::Wenz(wenz) => show_table(Some("wenz"), &wenz.show_fields()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ocean_ambient_noise_matches_its_table() {
        let rows = [
            (1.0, [44.30, 45.37, 67.88]),
            (5.0, [34.69, 34.74, 58.40]),
            (10.0, [29.34, 29.35, 53.04]),
            (25.0, [22.30, 22.31, 45.48]),
            (50.0, [20.71, 20.71, 39.64]),
            (75.0, [22.91, 22.91, 36.31]),
            (100.0, [25.13, 25.13, 34.20]),
        ];
        for (khz, expected) in rows {
            for ((shipping, wind), expected) in
                [(0.0, 0.0), (0.5, 0.0), (0.5, 10.0)].into_iter().zip(expected)
            {
                let frequency = Frequency::from_hertz(khz * 1e3);
                let (shipping, wind) = (Fraction(shipping), Pace(wind));
                let found = Wenz { frequency, shipping, wind, ..Wenz::default() }.density_db();
                assert!(
                    (found - expected).abs() < 0.005,
                    "{khz} kHz, {wind:?}: {found}, expected {expected}"
                );
            }
        }
    }

    #[test]
    fn noise_is_a_power_or_that_of_the_ocean() {
        let read = |text: &str| Noise::read(&Node::text(text));
        assert_eq!(read("wenz"), Ok(Noise::Wenz(Wenz::default())));
        assert_eq!(read("1 W"), Ok(Noise::Power(Power::from_watts(1.0))));
        assert_eq!(read("wens").unwrap_err().remedy, "did you mean `wenz`?");
        let density = Wenz::default().density_db();
        let level = Wenz::default().power().as_source_level();
        assert!((level - density - 46.9897).abs() < 1e-4, "{level}");
    }
}
