//! Walls: what goes straight on inside an area ends at the first wall it meets.

use farlink_kernel::{Duration, Instant};

use super::leg::Leg;
use crate::space::{Area, Position};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wall {
    /// In the east or west.
    X,
    /// In the north or south.
    Y,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Movement {
    pub(super) from: Position,
    pub(super) start: Instant,
    pub(super) end: Instant,
    /// Eastward and northward speed in m/s.
    pub(super) velocity: [f64; 2],
}

impl Movement {
    /// The movement inside `area`, up to the wall it meets if it meets one.
    pub(super) fn leg(&self, area: &Area) -> (Leg, Option<Wall>) {
        let [east, north] = self.velocity;
        let length = self.end - self.start;
        let x = until(self.from.x.0, east, area.width.0);
        let y = until(self.from.y.0, north, area.height.0);
        let (wall, seconds) = if x <= y { (Wall::X, x) } else { (Wall::Y, y) };
        let is_met = seconds < length.as_secs_f64();
        let seconds = if is_met { seconds } else { length.as_secs_f64() };
        let mut to = self.from;
        // Clamped, so that a wall is met to the bit.
        to.x.0 = (to.x.0 + east * seconds).clamp(0.0, area.width.0);
        to.y.0 = (to.y.0 + north * seconds).clamp(0.0, area.height.0);
        let end = if is_met { self.start + Duration::from_secs_f64(seconds) } else { self.end };
        match (is_met, wall) {
            (false, _) => {}
            (true, Wall::X) => to.x.0 = if east > 0.0 { area.width.0 } else { 0.0 },
            (true, Wall::Y) => to.y.0 = if north > 0.0 { area.height.0 } else { 0.0 },
        }
        (Leg { start: self.start, end, from: self.from, to }, is_met.then_some(wall))
    }
}

/// Seconds until `place` is at 0 or `size`; infinite when it never is.
fn until(place: f64, velocity: f64, size: f64) -> f64 {
    if velocity > 0.0 {
        (size - place) / velocity
    } else if velocity < 0.0 {
        place / -velocity
    } else {
        f64::INFINITY
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::at;
    use super::*;
    use crate::space::Metres;

    #[test]
    fn a_path_ends_at_the_first_wall_it_meets_or_when_it_is_over() {
        let area = Area::square(100.0);
        let from = Position { x: Metres(90.0), y: Metres(50.0), z: Metres(2.0) };
        let movement = Movement { from, start: at(1), end: at(11), velocity: [2.0, -4.0] };
        let (leg, wall) = movement.leg(&area);
        assert_eq!((wall, leg.end), (Some(Wall::X), at(6)));
        assert_eq!(leg.to, Position { x: Metres(100.0), y: Metres(30.0), z: Metres(2.0) });
        assert_eq!(Movement { end: at(4), ..movement }.leg(&area).1, None);
        let (leg, wall) = Movement { velocity: [0.0, 0.0], ..movement }.leg(&area);
        assert!(leg.is_rest() && wall.is_none() && leg.end == at(11));
    }
}
