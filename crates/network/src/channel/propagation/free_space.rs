//! H. T. Friis, "A Note on a Simple Transmission Formula", Proceedings of the IRE 34, 1946.
//!
//! Gain: G = Gt Gr (lambda / (4 pi d))^2 / L, at most 1.

use farlink_kernel::config;

use super::{Carrier, Parameters, Path, Propagation};
use crate::phy::frequency::Frequency;
use crate::phy::power::Ratio;
use crate::space::Metres;

pub(super) const SOURCE: &str = "Friis, Proc. IRE 34, 1946";

config! {
    /// Parameters of free space. Defaults: ns-2's.
    pub struct Config {
        /// Carrier frequency.
        pub frequency: Frequency = Frequency::from_hertz(914e6),
        /// Gain of both antennas less system losses.
        pub antenna_gain: Ratio = Ratio::from_db(0.0),
    }
}

impl Parameters for Config {
    fn carrier(&self) -> Carrier {
        Carrier::Radio(self.frequency)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct FreeSpace {
    /// Gain at one metre.
    at_one_metre: f64,
}

impl FreeSpace {
    pub(crate) fn new(config: &Config, _setup: &()) -> Self {
        Self { at_one_metre: gain_at(1.0, config.frequency) * config.antenna_gain.factor() }
    }
}

impl Propagation for FreeSpace {
    #[inline]
    fn mean_gain(&self, path: &Path) -> f64 {
        (self.at_one_metre / (path.distance.0 * path.distance.0)).min(1.0)
    }

    fn reach(&self, least: f64) -> Metres {
        Metres((self.at_one_metre / least).sqrt())
    }
}

/// Gain over a distance in metres between isotropic antennas.
pub(super) fn gain_at(metres: f64, frequency: Frequency) -> f64 {
    let ratio = frequency.wavelength().0 / (4.0 * std::f64::consts::PI * metres);
    ratio * ratio
}

#[cfg(test)]
mod tests {
    use super::super::tests::watts;
    use super::*;

    #[test]
    fn a_wavelan_card_matches_friis() {
        let model = FreeSpace::new(&Config::default(), &());
        // ns-2 computes with c = 3e8 m/s.
        let of_ns2 = libm::pow(3e8 / 299_792_458.0, 2.0);
        assert!((watts(&model, 50.0) * of_ns2 / 7.6911e-8 - 1.0).abs() < 1e-4);
        assert!((watts(&model, 86.142) * of_ns2 / 2.5912e-8 - 1.0).abs() < 1e-4);
        let reach = model.reach(3.652e-10 / 0.281_838_15);
        assert!((watts(&model, reach.0) / 3.652e-10 - 1.0).abs() < 1e-9);
    }
}
