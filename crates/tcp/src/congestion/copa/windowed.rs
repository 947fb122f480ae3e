//! [`WindowedMin`]: the smallest round-trip time of a window of time that may change its length.

use farlink_kernel::{Duration, Instant};

/// The smallest sample of the last while, by the best three of ever younger parts of it (K. Nichols' algorithm, as Linux's
/// `minmax`).
#[derive(Clone, Debug)]
pub(super) struct WindowedMin {
    best: [(Duration, Instant); 3],
}

impl Default for WindowedMin {
    fn default() -> Self {
        Self { best: [(Duration::MAX, Instant::ZERO); 3] }
    }
}

impl WindowedMin {
    /// The smallest sample, [`Duration::MAX`] before the first.
    pub(super) fn min(&self) -> Duration {
        self.best[0].0
    }

    pub(super) fn observe(&mut self, now: Instant, sample: Duration, window: Duration) {
        let new = (sample, now);
        let age = |(_, at): (Duration, Instant)| now.saturating_since(at);
        let [first, second, third] = &mut self.best;
        if sample <= first.0 || age(*third) > window {
            self.best = [new; 3];
            return;
        }
        if sample <= second.0 {
            (*second, *third) = (new, new);
        } else if sample <= third.0 {
            *third = new;
        }
        if age(*first) > window {
            (*first, *second, *third) = (*second, *third, new);
            if age(*first) > window {
                (*first, *second) = (*second, *third);
            }
        } else if second.1 == first.1 && age(*first) > window.mul_f64(0.25) {
            (*second, *third) = (new, new);
        } else if third.1 == second.1 && age(*first) > window.mul_f64(0.5) {
            *third = new;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_sample_of_the_window_is_kept_as_long_as_it() {
        let mut min = WindowedMin::default();
        let observe = |min: &mut WindowedMin, now: u64, rtt: u64| {
            let at = Instant::ZERO + Duration::from_millis(now);
            min.observe(at, Duration::from_millis(rtt), Duration::from_millis(100));
            min.min().as_millis()
        };
        assert_eq!((observe(&mut min, 0, 50), observe(&mut min, 40, 60)), (50, 50));
        assert_eq!((observe(&mut min, 100, 70), observe(&mut min, 101, 80)), (50, 60));
        assert_eq!((observe(&mut min, 150, 55), observe(&mut min, 500, 90)), (55, 90));
    }
}
