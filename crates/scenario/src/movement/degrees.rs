//! Whether the coordinates of vehicles are degrees (`sumo --fcd-output.geo`) instead of metres.

/// What vehicles travel by their coordinates, and by their speeds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Travel {
    /// Along the axes, which is at most 1.5 times the way.
    by_coordinates: f64,
    by_speed_m: f64,
    /// The least and the largest x and y, once there is a vehicle.
    extent: Option<[f64; 4]>,
    movers: usize,
}

/// A degree is 111 km: less of the way than this share is one in degrees, whatever curves and jumps are in it.
const SHARE: f64 = 0.01;
/// Metres that must have been travelled, and vehicles and their extent where no speeds are given.
const ENOUGH_M: f64 = 10.0;
const MOVERS: usize = 2;
const EXTENT: f64 = 0.5;

impl Travel {
    /// A vehicle or person is at (x, y); it was elsewhere, `length_s` before, unless that is its first position.
    pub(super) fn add(&mut self, [x, y]: [f64; 2], before: Option<([f64; 2], f64)>, speed: Option<f64>) {
        let [left, right, low, high] = self.extent.unwrap_or([x, x, y, y]);
        self.extent = Some([left.min(x), right.max(x), low.min(y), high.max(y)]);
        match before {
            None => self.movers += 1,
            Some(([from_x, from_y], length_s)) => {
                self.by_coordinates += (x - from_x).abs() + (y - from_y).abs();
                self.by_speed_m += speed.unwrap_or_default() * length_s;
            }
        }
    }

    /// True when the coordinates cannot be metres: they hardly change while vehicles drive, or all vehicles would be
    /// within half a metre.
    pub(super) fn is_in_degrees(&self) -> bool {
        if self.by_speed_m > ENOUGH_M {
            return self.by_coordinates < SHARE * self.by_speed_m;
        }
        let [left, right, low, high] = self.extent.unwrap_or_default();
        self.movers >= MOVERS && self.by_coordinates > 0.0 && (right - left).max(high - low) < EXTENT
    }
}
