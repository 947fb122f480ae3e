//! [`Delays`]: mean and percentiles of many durations in little memory.

use farlink_kernel::Duration;

/// Bins per octave: 2^7, so that a bin is at most 1/128 of its value wide.
const BITS: u32 = 7;

/// A histogram with fixed logarithmic bins (the layout of G. Tene's HdrHistogram): up to 127 ns exact, above
/// that each octave has 128 bins. Counting is integer, so results do not depend on the order.
#[derive(Clone, Debug, Default)]
pub struct Delays {
    bins: Vec<u64>,
    count: u64,
    sum: u128,
}

fn bin(nanos: u64) -> usize {
    let octave = (u64::BITS - nanos.leading_zeros()).saturating_sub(BITS + 1);
    ((octave as usize) << BITS) + (nanos >> octave) as usize
}

/// The largest value that falls into `bin`.
fn upper_end(bin: usize) -> u64 {
    let octave = (bin >> BITS).saturating_sub(1);
    let lower = ((bin - (octave << BITS)) as u64) << octave;
    lower + ((1 << octave) - 1)
}

impl Delays {
    #[inline(always)]
    pub fn add(&mut self, delay: Duration) {
        let nanos = delay.as_nanos();
        let bin = bin(nanos);
        match self.bins.get_mut(bin) {
            Some(count) => *count += 1,
            None => self.begin(bin),
        }
        self.count += 1;
        self.sum += u128::from(nanos);
    }

    /// The first in `bin`, which lies above all others.
    #[cold]
    fn begin(&mut self, bin: usize) {
        self.bins.resize(bin, 0);
        self.bins.push(1);
    }

    /// Adds all of another.
    pub fn join(&mut self, other: &Self) {
        self.bins.resize(self.bins.len().max(other.bins.len()), 0);
        self.bins.iter_mut().zip(&other.bins).for_each(|(sum, count)| *sum += count);
        self.count += other.count;
        self.sum += other.sum;
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The mean, rounded down; `None` without any.
    pub fn mean(&self) -> Option<Duration> {
        let mean = self.sum.checked_div(u128::from(self.count))?;
        Some(Duration::from_nanos(mean as u64))
    }

    /// At most the smallest of all; `None` without any.
    pub fn least(&self) -> Option<Duration> {
        let bin = self.bins.iter().position(|count| *count > 0)?;
        Some(Duration::from_nanos(if bin == 0 { 0 } else { upper_end(bin - 1) + 1 }))
    }

    /// The smallest bin end below or at which `percent` of all lie; `None` without any.
    pub fn percentile(&self, percent: u64) -> Option<Duration> {
        self.percentile_with(percent, 0)
    }

    /// The same where so many `more` lie above all that were added; `None` where it is one of those.
    pub fn percentile_with(&self, percent: u64, more: u64) -> Option<Duration> {
        if self.count == 0 {
            return None;
        }
        let wanted = ((self.count + more) * percent).div_ceil(100);
        let mut below = 0;
        let found = self.bins.iter().position(|count| {
            below += count;
            below >= wanted
        })?;
        Some(Duration::from_nanos(upper_end(found)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_lies_in_a_bin_not_wider_than_a_128th_of_it() {
        for nanos in (0..2_000).chain((0..50).map(|i| 1 << i)).chain([u64::MAX >> 1, 123_456_789_012]) {
            let end = upper_end(bin(nanos));
            assert!(end >= nanos && end - nanos <= nanos / 128, "{nanos}: {end}");
        }
    }

    #[test]
    fn mean_is_exact_and_percentiles_are_near() {
        let mut delays = Delays::default();
        (1..=1000).for_each(|ms| delays.add(Duration::from_millis(ms)));
        assert_eq!(delays.mean(), Some(Duration::from_micros(500_500)));
        let p95 = delays.percentile(95).unwrap();
        assert!(p95 >= Duration::from_millis(950) && p95 <= Duration::from_millis(958), "{p95}");
        assert_eq!(Delays::default().percentile(95), None);
    }
}
