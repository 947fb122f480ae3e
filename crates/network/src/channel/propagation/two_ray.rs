//! T. S. Rappaport, "Wireless Communications: Principles and Practice", 1996, section 3.6: a direct ray and a ray
//! reflected by flat ground.
//!
//! At a distance the two nearly cancel: G = Gt Gr ht^2 hr^2 / (d^4 L). Nearer than the crossover distance
//! 4 pi ht hr / lambda, where both formulas agree, free space is used, as in ns-2 (mobile/tworayground.cc). Left
//! out: the ripple of the exact sum, and antennas of different heights.

use farlink_kernel::config;
use farlink_kernel::config::above;

use super::{Carrier, Parameters, Path, Propagation, free_space};
use crate::phy::frequency::Frequency;
use crate::phy::power::Ratio;
use crate::space::Metres;

pub(super) const SOURCE: &str = "Rappaport, Wireless Communications, 1996";

config! {
    /// Parameters of flat ground. Defaults: ns-2's.
    pub struct Config {
        /// Carrier frequency.
        pub frequency: Frequency = Frequency::from_hertz(914e6),
        /// Antenna height above the ground.
        pub antenna_height: Metres = Metres(1.5); in above(Metres(0.0)),
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
pub(crate) struct TwoRay {
    crossover: f64,
    /// Gain at one metre of free space, and of the two-ray formula.
    near_at_one_metre: f64,
    far_at_one_metre: f64,
}

impl TwoRay {
    pub(crate) fn new(config: &Config, _setup: &()) -> Self {
        let antenna_gain = config.antenna_gain.factor();
        let heights = config.antenna_height.0 * config.antenna_height.0;
        Self {
            crossover: 4.0 * std::f64::consts::PI * heights / config.frequency.wavelength().0,
            near_at_one_metre: free_space::gain_at(1.0, config.frequency) * antenna_gain,
            far_at_one_metre: heights * heights * antenna_gain,
        }
    }
}

impl Propagation for TwoRay {
    #[inline]
    fn mean_gain(&self, path: &Path) -> f64 {
        let square = path.distance.0 * path.distance.0;
        let gain = if path.distance.0 < self.crossover {
            self.near_at_one_metre / square
        } else {
            self.far_at_one_metre / (square * square)
        };
        gain.min(1.0)
    }

    fn reach(&self, least: f64) -> Metres {
        let (near, far) = (self.near_at_one_metre / least, self.far_at_one_metre / least);
        Metres(if near.sqrt() < self.crossover { near.sqrt() } else { far.sqrt().sqrt() })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::watts;
    use super::*;

    #[test]
    fn a_wavelan_card_receives_over_250_m_and_is_sensed_over_550_m() {
        let model = TwoRay::new(&Config::default(), &());
        for (metres, expected) in [
            (100.0, 1.4268e-8),
            (200.0, 8.9175e-10),
            (250.0, 3.6526e-10),
            (376.8, 7.0782e-11),
            (550.0, 1.5592e-11),
        ] {
            let found = watts(&model, metres);
            assert!((found / expected - 1.0).abs() < 1e-4, "{metres} m: {found:e} W");
        }
        assert!(watts(&model, 250.0) >= 3.652e-10 && watts(&model, 250.1) < 3.652e-10);
        let reach = model.reach(1.559e-11 / 0.281_838_15).0;
        assert!(watts(&model, 550.0) >= 1.559e-11 && reach > 550.0 && reach < 550.1, "{reach}");
    }

    #[test]
    fn both_formulas_agree_at_the_crossover_distance() {
        let model = TwoRay::new(&Config::default(), &());
        // ns-2 computes with c = 3e8 m/s.
        assert!((model.crossover - 86.142 * 3e8 / 299_792_458.0).abs() < 0.001);
        let (near, far) = (watts(&model, model.crossover - 1e-6), watts(&model, model.crossover));
        assert!((near / far - 1.0).abs() < 1e-6);
    }
}
