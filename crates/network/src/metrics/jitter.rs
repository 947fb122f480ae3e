//! H. Schulzrinne, S. Casner, R. Frederick, V. Jacobson, "RTP: A Transport Protocol for Real-Time Applications",
//! RFC 3550, 2003, sections 6.4.1 and A.8: the interarrival jitter.
//!
//! D(i-1, i) is the difference between the delays of two packets that arrive one after the other, and
//! J(i) = J(i-1) + (|D(i-1, i)| - J(i-1)) / 16 with J = 0 at the first arrival. Order is that of arrivals, not of
//! numbers.

use farlink_kernel::Duration;

/// The gain of J, 1/16.
const GAIN: f64 = 1.0 / 16.0;

/// What the delays of consecutive arrivals differ by.
#[derive(Clone, Debug, Default)]
pub struct Jitter {
    newest_delay: Option<Duration>,
    differences: u64,
    sum_of_differences: u128,
    smoothed_s: f64,
    sum_of_smoothed_s: f64,
    largest_s: f64,
}

impl Jitter {
    /// A datagram arrived, so long after it was sent.
    pub fn on_arrival(&mut self, delay: Duration) {
        let Some(before) = self.newest_delay.replace(delay) else { return };
        let difference = delay.abs_diff(before);
        self.differences += 1;
        self.sum_of_differences += u128::from(difference.as_nanos());
        self.smoothed_s += GAIN * (difference.as_secs_f64() - self.smoothed_s);
        self.sum_of_smoothed_s += self.smoothed_s;
        self.largest_s = self.largest_s.max(self.smoothed_s);
    }

    /// J at present in seconds; `None` before the second arrival.
    pub fn smoothed_s(&self) -> Option<f64> {
        (self.differences > 0).then_some(self.smoothed_s)
    }

    /// Mean of J over the arrivals from the second on.
    pub fn mean_s(&self) -> Option<f64> {
        (self.differences > 0).then(|| self.sum_of_smoothed_s / self.differences as f64)
    }

    /// Largest J.
    pub fn largest_s(&self) -> Option<f64> {
        (self.differences > 0).then_some(self.largest_s)
    }

    /// Mean of |D(i-1, i)|, rounded down.
    pub fn mean_difference(&self) -> Option<Duration> {
        let mean = self.sum_of_differences.checked_div(u128::from(self.differences))?;
        Some(Duration::from_nanos(mean as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(delays_ms: &[u64]) -> Jitter {
        let mut jitter = Jitter::default();
        for ms in delays_ms {
            jitter.on_arrival(Duration::from_millis(*ms));
        }
        jitter
    }

    #[test]
    fn a_sixteenth_of_what_a_difference_is_beyond_the_jitter_is_added_to_it() {
        // Delays of 10, 26, 26 and 18 ms: |D| is 16, 0, 8 ms. J = 16/16 = 1; 1 - 1/16 = 0.9375;
        // 0.9375 + (8 - 0.9375)/16 = 1.37890625 ms.
        for (arrivals, expected_ms) in [(2, 1.0), (3, 0.9375), (4, 1.378_906_25)] {
            let smoothed_s = after(&[10, 26, 26, 18][..arrivals]).smoothed_s().unwrap();
            assert!((smoothed_s * 1e3 - expected_ms).abs() < 1e-12, "{smoothed_s}");
        }
        let whole = after(&[10, 26, 26, 18, 18]); // J = 1.37890625 * 15/16 = 1.292724609375 ms
        assert!((whole.largest_s().unwrap() * 1e3 - 1.378_906_25).abs() < 1e-12);
        let mean_ms = (1.0 + 0.9375 + 1.378_906_25 + 1.292_724_609_375) / 4.0;
        assert!((whole.mean_s().unwrap() * 1e3 - mean_ms).abs() < 1e-12);
        assert_eq!(whole.mean_difference(), Some(Duration::from_millis(6)));
    }

    #[test]
    fn the_jitter_of_one_arrival_is_undefined_and_that_of_equal_delays_is_0() {
        for arrivals in [&[][..], &[10]] {
            let few = after(arrivals);
            assert_eq!((few.smoothed_s(), few.mean_s(), few.largest_s()), (None, None, None));
            assert_eq!(few.mean_difference(), None);
        }
        assert_eq!(after(&[10, 10, 10]).largest_s(), Some(0.0));
    }
}
