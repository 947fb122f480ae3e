//! [`Speeds`]: uniform between two bounds, drawn anew for every stretch of a way.

use farlink_kernel::random::Stream;

/// A speed per stretch, uniform above `min` and up to `max`.
///
/// A stretch takes its length over its speed, so slow nodes are under way longer: at a random time the speed
/// has the density f(v) / v, normed, and the mean (max - min) / ln(max / min) in place of (min + max) / 2. It
/// has none if `min` is zero, and the mean over time then decays for ever (Yoon, Liu, Noble, Random Waypoint
/// Considered Harmful, INFOCOM 2003).
#[derive(Clone, Copy, Debug)]
pub struct Speeds {
    /// Bound in m/s, not reached unless it is `max`.
    pub min: f64,
    /// The highest speed in m/s, above zero.
    pub max: f64,
}

impl Speeds {
    pub fn draw(&self, stream: &mut Stream) -> f64 {
        self.max - (self.max - self.min) * stream.uniform()
    }

    /// The speed of a node that is met on its way; `min` is above zero.
    pub fn draw_under_way(&self, stream: &mut Stream) -> f64 {
        self.min * libm::pow(self.max / self.min, stream.uniform())
    }

    /// E[1/V] of a new stretch in s/m; infinite if `min` is zero.
    pub fn mean_inverse(&self) -> f64 {
        if self.min == self.max {
            return 1.0 / self.max;
        }
        libm::log(self.max / self.min) / (self.max - self.min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_under_way_is_the_worked_number() {
        for (min, max, expected) in [(1.0, 5.0, 2.4853), (1.0, 20.0, 6.3424), (9.0, 11.0, 9.9666)] {
            let speeds = Speeds { min, max };
            assert!((1.0 / speeds.mean_inverse() - expected).abs() < 5e-5, "{min} to {max}");
            let (mut stream, n) = (Stream::new(1, "test", 0), 100_000);
            let mean = (0..n).map(|_| speeds.draw_under_way(&mut stream)).sum::<f64>() / f64::from(n);
            // The widest has a standard deviation of 5.2 m/s: half a percent are two standard errors of 0.016.
            assert!((mean / expected - 1.0).abs() < 0.005, "{min} to {max}: {mean}");
        }
    }

    #[test]
    fn a_new_stretch_is_never_covered_at_speed_zero() {
        let (mut stream, speeds) = (Stream::new(1, "test", 0), Speeds { min: 0.0, max: 2.0 });
        assert!((0..10_000).map(|_| speeds.draw(&mut stream)).all(|speed| speed > 0.0 && speed <= 2.0));
        assert_eq!(speeds.mean_inverse(), f64::INFINITY);
    }
}
