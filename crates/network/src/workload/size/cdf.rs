//! Points of a cumulative distribution, linear between them, as generators of traffic read them.

use farlink_kernel::random::Draws;
use farlink_kernel::{Bytes, config};

use super::{Parameters, Size};
use crate::workload::File;

pub(super) const SOURCE: &str = "customary";

/// A size in bytes and the share of flows that are not larger; both ascend, and the last share is 1.
pub type Point = (f64, f64);

config! {
    /// Parameters of the distribution.
    pub struct Config {
        /// A file of lines `size_bytes,share`: the share of the flows that are not larger.
        pub csv: File<Point> = File::default(),
    }
}

impl Parameters for Config {
    fn mean(&self) -> f64 {
        mean(&self.csv.rows)
    }
}

impl Size for Config {
    fn draw(&self, draws: &mut Draws) -> Bytes {
        at(&self.csv.rows, draws.uniform())
    }
}

/// Between two points sizes are uniform; up to the first one all have its size.
pub(super) fn mean(points: &[Point]) -> f64 {
    let first = points.first().map_or(0.0, |(size, share)| size * share);
    let between = |pair: &[Point]| (pair[1].1 - pair[0].1) * f64::midpoint(pair[0].0, pair[1].0);
    first + points.windows(2).map(between).sum::<f64>()
}

/// The size at this share.
pub(super) fn at(points: &[Point], share: f64) -> Bytes {
    let above = points.partition_point(|(_, below)| *below <= share).min(points.len() - 1);
    let (size, high) = points[above];
    let (least, low) = above.checked_sub(1).map_or((size, high), |before| points[before]);
    let part = if high > low { (share - low) / (high - low) } else { 0.0 };
    Bytes((least + part * (size - least)).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_linear_between_the_points() {
        let points = [(100.0, 0.2), (200.0, 0.6), (1000.0, 1.0)];
        for (share, size) in [(0.0, 100), (0.19, 100), (0.3, 125), (0.6, 200), (0.8, 600), (0.9999, 1000)] {
            assert_eq!(at(&points, share), Bytes(size), "{share}");
        }
        // 0.2 * 100 + 0.4 * 150 + 0.4 * 600.
        assert_eq!(mean(&points), 320.0);
    }
}
