//! Places on the Earth, and the time that light in fibre takes between two of them.

use farlink_kernel::Duration;
use farlink_network::space::{Metres, Speed};

/// The mean radius of the Earth (Moritz, Geodetic Reference System 1980, Journal of Geodesy 74, 2000).
const RADIUS_M: f64 = 6_371_008.771_4;

/// The share of the speed of light at which signals travel in fibre.
const IN_FIBRE: f64 = 2.0 / 3.0;

/// A place by latitude and longitude, in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    pub(super) latitude: f64,
    pub(super) longitude: f64,
}

/// The time over the great circle, whose length is by the haversine formula (Sinnott, Sky and Telescope 68, 1984).
pub(super) fn delay(from: Place, to: Place) -> Duration {
    let half = |from: f64, to: f64| libm::sin((to - from).to_radians() / 2.0);
    let [north, east] = [half(from.latitude, to.latitude), half(from.longitude, to.longitude)];
    let cosines = libm::cos(from.latitude.to_radians()) * libm::cos(to.latitude.to_radians());
    let haversine = north * north + cosines * east * east;
    let angle = 2.0 * libm::asin(haversine.sqrt().min(1.0));
    Speed(Speed::LIGHT.0 * IN_FIBRE).time_for(Metres(RADIUS_M * angle))
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    fn place(latitude: f64, longitude: f64) -> Place {
        Place { latitude, longitude }
    }

    /// The time over this share of the circumference.
    fn share(of_circle: f64) -> f64 {
        of_circle * 2.0 * PI * RADIUS_M / (299_792_458.0 * 2.0 / 3.0)
    }

    #[test]
    fn delays_are_those_of_known_arcs() {
        for (from, to, of_circle) in [
            (place(0.0, 0.0), place(0.0, 90.0), 0.25),
            (place(-90.0, 12.0), place(90.0, -7.0), 0.5),
            (place(0.0, 179.0), place(0.0, -179.0), 1.0 / 180.0),
            (place(0.0, -180.0), place(0.0, 0.0), 0.5),
            // At 60 degrees a chord of longitudes 180 degrees apart leads over the pole.
            (place(60.0, 10.0), place(60.0, -170.0), 1.0 / 6.0),
            (place(48.1, 11.6), place(48.1, 11.6), 0.0),
        ] {
            let found = delay(from, to).as_secs_f64();
            assert!((found - share(of_circle)).abs() < 1e-9, "{from:?} {to:?}: {found}");
        }
    }
}
