//! [`Interval`]: the retransmission interval, which adapts to the load (thesis, section 4.2, figure 12).

use std::collections::VecDeque;

use farlink_kernel::Instant;

use super::Config;

#[derive(Clone, Debug, Default)]
pub(super) struct Interval {
    attempts: VecDeque<(Instant, bool)>,
}

impl Interval {
    pub(super) fn on_attempt(&mut self, has_failed: bool, now: Instant, config: &Config) {
        if config.max_wait_under_load.is_none() {
            return;
        }
        if self.attempts.len() == config.history as usize {
            self.attempts.pop_front();
        }
        self.attempts.push_back((now, has_failed));
    }

    pub(super) fn longest(&mut self, now: Instant, config: &Config) -> u32 {
        let Some(most) = config.max_wait_under_load else { return config.max_wait };
        if let Some(age) = config.history_age {
            self.attempts.retain(|&(at, _)| at.saturating_add(age) >= now);
        }
        let (attempts, failed) =
            (self.attempts.len() as u64, self.attempts.iter().filter(|each| each.1).count() as u64);
        if attempts == 0 {
            return config.max_wait;
        }
        let range = most.saturating_sub(config.max_wait);
        let grown = (u64::from(range) * failed) as f64 / (attempts as f64 * config.full_load);
        config.max_wait + (grown.round() as u32).min(range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn longest(failed: u32, config: &Config) -> u32 {
        let mut interval = Interval::default();
        (0..10).for_each(|each| interval.on_attempt(each < failed, Instant::ZERO, config));
        interval.longest(Instant::ZERO, config)
    }

    #[test]
    fn the_longest_wait_grows_linearly_with_the_share_of_failures() {
        let config = Config { max_wait_under_load: Some(13), ..Config::default() };
        let waits = [0, 1, 3, 5, 8, 10].map(|failed| longest(failed, &config));
        assert_eq!(waits, [5, 6, 7, 9, 11, 13]);
        let config = Config { full_load: 0.5, ..config };
        assert_eq!([0, 1, 3, 5, 8].map(|failed| longest(failed, &config)), [5, 7, 10, 13, 13]);
        assert_eq!(longest(10, &Config::default()), 5, "without load it is fixed");
        assert_eq!(Interval::default().longest(Instant::ZERO, &config), 5);
    }

    #[test]
    fn only_the_last_attempts_count_and_one_success_changes_little() {
        let config = Config { max_wait_under_load: Some(13), history: 4, ..Config::default() };
        let mut interval = Interval::default();
        let mut after = |has_failed| {
            interval.on_attempt(has_failed, Instant::ZERO, &config);
            interval.longest(Instant::ZERO, &config)
        };
        assert_eq!([true, true, true, true, false, false].map(&mut after), [13, 13, 13, 13, 11, 9]);
    }
}
