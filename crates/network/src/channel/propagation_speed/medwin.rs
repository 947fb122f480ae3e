//! H. Medwin, "Speed of sound in water: A simple equation for realistic parameters", Journal of the Acoustical
//! Society of America 58(6), 1975.
//!
//! c = 1449.2 + 4.6 T - 0.055 T^2 + 0.00029 T^3 + (1.34 - 0.010 T)(S - 35) + 0.016 z, with T in degrees Celsius,
//! S in parts per thousand and z in metres below the surface. Temperature and salinity are the same at all
//! depths here, so that c grows linearly with depth.

use farlink_kernel::config;

use super::slowness::mean_slowness_between;
use crate::space::Metres;

config! {
    /// Parameters of Medwin's equation.
    pub struct Medwin {
        /// Water temperature in degrees Celsius.
        pub temperature_c: f64 = 10.0; in 0.0..=35.0,
        /// Salinity in parts per thousand.
        pub salinity: f64 = 35.0; in 0.0..=45.0,
        /// Height of the surface, from which depth is measured.
        pub surface: Metres = Metres(0.0),
    }
}

impl Medwin {
    /// The sound speed at a height (z points up), in m/s; constant above the surface.
    pub fn speed_at(&self, height: f64) -> f64 {
        let (t, depth) = (self.temperature_c, (self.surface.0 - height).max(0.0));
        let at_the_surface = 1449.2 + 4.6 * t - 0.055 * t * t
            + 0.00029 * t * t * t
            + (1.34 - 0.010 * t) * (self.salinity - 35.0);
        at_the_surface + 0.016 * depth
    }

    /// The mean of 1/c between two heights.
    pub(super) fn mean_slowness(&self, one: Metres, other: Metres) -> f64 {
        let under_water = |z: f64| z.min(self.surface.0);
        let (low, high) = (one.0.min(other.0), one.0.max(other.0));
        let wet = under_water(high) - under_water(low);
        let whole = mean_slowness_between(self.speed_at(low), self.speed_at(high));
        if wet == high - low {
            return whole;
        }
        // The speed is constant above the surface, so that the parts are weighted by their lengths.
        let dry = 1.0 / self.speed_at(self.surface.0);
        (whole * wet + dry * (high - low - wet)) / (high - low)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{at, seconds};
    use super::super::{Medwin, PropagationSpeed};
    use crate::space::Metres;

    #[test]
    fn at_a_thousand_metres_and_four_degrees_sound_makes_1482_74_metres_a_second() {
        let medwin = Medwin { temperature_c: 4.0, ..Medwin::default() };
        assert!((medwin.speed_at(-1000.0) - 1482.74).abs() < 0.005, "{}", medwin.speed_at(-1000.0));
        let time = seconds(&PropagationSpeed::Medwin(medwin), at(0.0, -1000.0), at(70.0, -1000.0));
        assert!((time - 0.0472).abs() < 5e-5, "{time}");
    }

    #[test]
    fn depth_is_measured_from_the_surface() {
        let deep = Medwin { temperature_c: 4.0, surface: Metres(1000.0), ..Medwin::default() };
        assert!((deep.speed_at(0.0) - 1482.74).abs() < 0.005);
        assert_eq!(deep.speed_at(1000.0), deep.speed_at(1200.0));
        let (up, through) = (PropagationSpeed::Medwin(deep.clone()), PropagationSpeed::Medwin(deep));
        let parts =
            seconds(&up, at(0.0, 900.0), at(0.0, 1000.0)) + seconds(&up, at(0.0, 1000.0), at(0.0, 1300.0));
        assert!((parts - seconds(&through, at(0.0, 900.0), at(0.0, 1300.0))).abs() < 3e-9);
    }
}
