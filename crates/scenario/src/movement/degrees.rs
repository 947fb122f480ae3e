//! Whether the coordinates of vehicles are degrees (`sumo --fcd-output.geo`, and what is made from it) instead of metres.

use farlink_network::mobility::scripted::Move;
use farlink_network::space::Position;

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

    /// A node begins here and moves so. Each move is given the time until the next: a node that arrives early rests.
    pub(super) fn add_script(&mut self, begin: Position, moves: &[Move]) {
        let mut from = [begin.x.0, begin.y.0];
        self.add(from, None, None);
        for (number, one) in moves.iter().enumerate() {
            let to = [one.to.x.0, one.to.y.0];
            let length_s = moves.get(number + 1).map_or(0.0, |next| (next.at - one.at).as_secs_f64());
            self.add(to, Some((from, length_s)), Some(one.speed.0).filter(|speed| speed.is_finite()));
            from = to;
        }
    }

    fn extent_m(&self) -> f64 {
        let [left, right, low, high] = self.extent.unwrap_or_default();
        (right - left).max(high - low)
    }

    /// True when the coordinates cannot be metres: they hardly change while vehicles drive, or all vehicles would be
    /// within half a metre.
    pub(super) fn is_in_degrees(&self) -> bool {
        if self.by_speed_m > ENOUGH_M {
            return self.by_coordinates < SHARE * self.by_speed_m;
        }
        self.movers >= MOVERS && self.by_coordinates > 0.0 && self.extent_m() < EXTENT
    }

    /// The same for scripts. Their nodes may rest for nearly all of the time, so that all must be within half a metre, too.
    pub(super) fn scripts_are_in_degrees(&self) -> bool {
        self.extent_m() < EXTENT && self.is_in_degrees()
    }
}
