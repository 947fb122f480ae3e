//! R. J. Urick, "Principles of Underwater Sound", McGraw-Hill, 1983; as used by A. F. Harris, M. Zorzi, "Modeling
//! the Underwater Acoustic Channel in ns2", NSTools 2007.
//!
//! Spreading and absorption. Over l metres the attenuation is A = l^k a^l, in decibels 10 log A = k 10 log10(l / 1 m) + (l / 1 km) alpha(f), with k between 1 (cylindrical spreading, shallow water) and 2 (spherical
//! spreading, deep water) and the [absorption](Absorption) alpha in dB/km. There is no loss within 1 m, the
//! reference distance of source levels.
//!
//! Left out: reflections at bottom and surface; the centre frequency stands for the band.

use farlink_kernel::config::above;
use farlink_kernel::{choice, config};

use super::{Carrier, Parameters, Path, Propagation};
use crate::phy::frequency::Frequency;
use crate::space::Metres;

pub(crate) mod absorption;

pub(super) const SOURCE: &str = "Urick, Principles of Underwater Sound, 1983";

choice! {
    /// Model of the absorption.
    pub enum Absorption {
        /// From frequency only.
        Thorp = "thorp",
        /// From frequency, temperature, salinity, depth and acidity.
        FrancoisGarrison = "francois_garrison",
        /// From the same quantities, simplified.
        AinslieMccolm = "ainslie_mccolm",
    }
}

config! {
    /// Parameters of underwater acoustic propagation.
    pub struct Config {
        /// Centre frequency. Default: the best one for 70 m (least product of attenuation and noise).
        pub frequency: Frequency = Frequency::from_hertz(38_600.0);
        in Frequency::from_hertz(100.0)..=Frequency::from_hertz(1e6),
        /// Spreading exponent: 1 cylindrical, 2 spherical, 1.5 customary.
        pub spreading: f64 = 1.5; in 0.5..=3.0,
        /// Model of the absorption.
        pub absorption: Absorption = Absorption::Thorp,
        /// Water temperature in degrees Celsius, from 0 to 35; 4 in Thorp's formula.
        pub temperature_c: f64 = 4.0; in 0.0..=35.0,
        /// Salinity in parts per thousand.
        pub salinity: f64 = 35.0; in above(0.0),
        /// Acidity (pH).
        pub ph: f64 = 8.0; in 7.0..=9.0,
        /// Depth of the path.
        pub depth: Metres = Metres(1000.0); in Metres(0.0)..=Metres(12_000.0),
    }
}

impl Parameters for Config {
    fn carrier(&self) -> Carrier {
        Carrier::Sound
    }
}

impl Config {
    /// Absorption in dB/km.
    pub fn absorption_db_per_km(&self) -> f64 {
        let khz = self.frequency.hertz / 1e3;
        let water = absorption::Water {
            temperature_c: self.temperature_c,
            salinity: self.salinity,
            ph: self.ph,
            depth_km: self.depth.0 / 1e3,
        };
        match self.absorption {
            Absorption::Thorp => absorption::thorp(khz),
            Absorption::FrancoisGarrison => absorption::francois_garrison(khz, &water),
            Absorption::AinslieMccolm => absorption::ainslie_mccolm(khz, &water),
        }
    }

    /// Attenuation over a distance, in dB.
    pub fn attenuation_db(&self, distance: Metres) -> f64 {
        let metres = distance.0.max(1.0);
        self.spreading * 10.0 * libm::log10(metres) + metres / 1e3 * self.absorption_db_per_km()
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Acoustic {
    /// Decrease of the logarithm of the gain per factor e of distance, and per metre.
    spreading: f64,
    per_metre: f64,
}

impl Acoustic {
    pub(crate) fn new(config: &Config, _setup: &()) -> Self {
        let neper = std::f64::consts::LN_10 / 10.0;
        let per_metre = config.absorption_db_per_km() / 1e3 * neper;
        Self { spreading: config.spreading, per_metre }
    }

    fn log_gain(&self, metres: f64) -> f64 {
        let metres = metres.max(1.0);
        -(self.spreading * libm::log(metres) + self.per_metre * metres).max(0.0)
    }
}

impl Propagation for Acoustic {
    fn mean_gain(&self, path: &Path) -> f64 {
        libm::exp(self.log_gain(path.distance.0))
    }

    /// By bisection, since attenuation grows with distance.
    fn reach(&self, least: f64) -> Metres {
        let least = libm::log(least);
        let (mut near, mut far) = (1.0, 2.0);
        while self.log_gain(far) >= least {
            (near, far) = (far, far * 2.0);
        }
        for _ in 0..60 {
            let middle = f64::midpoint(near, far);
            if self.log_gain(middle) >= least { near = middle } else { far = middle }
        }
        Metres(far)
    }
}

#[cfg(test)]
mod tests;
