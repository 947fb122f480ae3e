//! A sound speed profile: measured at some depths, linear between them.

use farlink_kernel::config::Read;

use super::slowness::mean_slowness_between;
use crate::space::Metres;

/// A file that holds a profile.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Its path, as in the scenario.
    pub path: String,
    /// Height of the surface, from which depth is measured.
    pub surface: Metres,
}

/// Speeds at depths; constant above the first and below the last.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Depth in m and speed in m/s, depths ascending.
    points: Vec<(f64, f64)>,
    pub(super) surface: Metres,
}

impl Profile {
    /// A profile of at least one depth (ascending, in m) and speed (above zero, in m/s).
    pub fn new(points: Vec<(f64, f64)>, surface: Metres) -> Self {
        assert!(points.is_sorted_by(|above, below| above.0 < below.0), "depths ascend");
        assert!(!points.is_empty() && points.iter().all(|point| point.1 > 0.0), "sound moves");
        Self { points, surface }
    }

    fn speed_at(&self, depth: f64) -> f64 {
        let next = self.points.partition_point(|point| point.0 < depth);
        let (Some(&(below, slow)), true) = (self.points.get(next), next > 0) else {
            return self.points[next.min(self.points.len() - 1)].1;
        };
        let (above, fast) = self.points[next - 1];
        fast + (slow - fast) * (depth - above) / (below - above)
    }

    /// The mean of 1/c between two heights.
    pub(super) fn mean_slowness(&self, one: Metres, other: Metres) -> f64 {
        let (one, other) = (self.surface.0 - one.0, self.surface.0 - other.0);
        let (top, bottom) = (one.min(other), one.max(other));
        if top == bottom {
            return 1.0 / self.speed_at(top);
        }
        let between = self.points.iter().map(|point| point.0).filter(|&depth| top < depth && depth < bottom);
        let mut above = top;
        let mut time = 0.0;
        for depth in between.chain([bottom]) {
            time += (depth - above) * mean_slowness_between(self.speed_at(above), self.speed_at(depth));
            above = depth;
        }
        time / (bottom - top)
    }

    pub(super) fn show(&self) -> String {
        let points: Vec<String> =
            self.points.iter().map(|(depth, speed)| format!("[{depth:?}, {speed:?}]")).collect();
        format!("{{ points = [{}], surface = {} }}", points.join(", "), self.surface.show())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_speed_is_constant_above_the_first_and_below_the_last_depth() {
        let profile = Profile::new(vec![(10.0, 1500.0), (110.0, 1480.0)], Metres(0.0));
        let speeds = [0.0, 10.0, 60.0, 110.0, 500.0].map(|depth| profile.speed_at(depth));
        assert_eq!(speeds, [1500.0, 1500.0, 1490.0, 1480.0, 1480.0]);
    }
}
