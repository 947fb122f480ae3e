//! R. J. Urick, "Principles of Underwater Sound", McGraw-Hill, 1983; as used by A. F. Harris, M. Zorzi, "Modeling
//! the Underwater Acoustic Channel in ns2", NSTools 2007.
//!
//! Sound spreads, and water turns some of it into heat. Over l metres the attenuation is A = l^k a^l, in decibels
//! 10 log A = k 10 log10(l / 1 m) + (l / 1 km) alpha(f), with k between 1 (cylinder, shallow water) and 2 (sphere,
//! deep water) and the [absorption](Absorption) alpha in dB/km. Nearer than 1 m, where levels of sources are
//! stated, nothing is lost.
//!
//! Left out: echoes from bottom and surface, and the band's width: its centre stands for it.

use farlink_kernel::config::above;
use farlink_kernel::{choice, config};

use super::{Path, Propagation};
use crate::phy::frequency::Frequency;
use crate::space::Metres;

pub mod absorption;

/// Where the model stands.
pub const SOURCE: &str = "Urick, Principles of Underwater Sound, 1983";

choice! {
    /// Who says how much water absorbs.
    pub enum Absorption {
        /// By frequency only.
        Thorp = "thorp",
        /// By frequency, temperature, salinity, depth and acidity.
        FrancoisGarrison = "francois_garrison",
        /// The same, simplified.
        AinslieMccolm = "ainslie_mccolm",
    }
}

config! {
    /// Parameters of sound in water.
    pub struct Config {
        /// Centre of the band. Default: the best one for 70 m (least product of attenuation and noise).
        pub frequency: Frequency = Frequency::from_hertz(38_600.0);
        in Frequency::from_hertz(100.0)..=Frequency::from_hertz(1e6),
        /// Exponent of the spreading: 1 a cylinder, 2 a sphere, 1.5 customary.
        pub spreading: f64 = 1.5; in 0.5..=3.0,
        /// Who says how much water absorbs.
        pub absorption: Absorption = Absorption::Thorp,
        /// Temperature of the water in degrees Celsius, at 0 to 35; Thorp's water has 4.
        pub temperature_c: f64 = 4.0; in 0.0..=35.0,
        /// Its salinity in parts per thousand.
        pub salinity: f64 = 35.0; in above(0.0),
        /// Its acidity.
        pub ph: f64 = 8.0; in 7.0..=9.0,
        /// How deep the path is.
        pub depth: Metres = Metres(1000.0); in Metres(0.0)..=Metres(12_000.0),
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

    /// What is lost over a distance, in dB.
    pub fn attenuation_db(&self, distance: Metres) -> f64 {
        let metres = distance.0.max(1.0);
        self.spreading * 10.0 * libm::log10(metres) + metres / 1e3 * self.absorption_db_per_km()
    }
}

/// The model at work.
#[derive(Clone, Debug)]
pub struct Acoustic {
    /// Of the natural logarithm of the gain: what a factor e in distance takes away, and what a metre does.
    spreading: f64,
    per_metre: f64,
}

impl Acoustic {
    /// Water.
    pub fn new(config: &Config, _setup: &()) -> Self {
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

    /// Attenuation grows with distance: the distance is found by halving.
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
