//! A closed loop: as many flows at once as there are users, at most.

use farlink_kernel::random::{draw_uniform, name_key};
use farlink_kernel::{Duration, Instant, config};

use super::{Arrivals, Next, Parameters, Setup};
use crate::workload::after;

pub(super) const SOURCE: &str = "Kleinrock, Queueing Systems, volume 2, 1976, section 4.11";

/// The least time that a flow and a thought are taken to last, where their number is estimated.
const LEAST_CYCLE_S: f64 = 1e-3;

config! {
    /// Parameters of the loop.
    pub struct Config {
        /// Number of users.
        pub users: u32 = 10; in 1..=1_000_000,
        /// Mean time that a user thinks before each flow, exponentially distributed.
        pub think_time: Duration = Duration::from_secs(1),
    }
}

impl Parameters for Config {
    fn count(&self, _mean_size: f64, seconds: f64) -> f64 {
        f64::from(self.users) / self.think_time.as_secs_f64().max(LEAST_CYCLE_S) * seconds
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Closed {
    setup: Setup,
    config: Config,
}

impl Closed {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        Self { setup: *setup, config: config.clone() }
    }

    /// The user of an arrival thinks before it.
    fn next(&self, number: u32, now: Instant) -> Option<Next> {
        let Setup { seed, workload, stop, .. } = self.setup;
        let uniform = draw_uniform(seed, name_key("think_time"), workload, number.into());
        let at = after(now, -self.config.think_time.as_secs_f64() * libm::log(1.0 - uniform));
        (at < stop).then_some(Next { at, number })
    }
}

impl Arrivals for Closed {
    fn first(&self) -> Vec<Next> {
        (0..self.config.users).filter_map(|user| self.next(user, self.setup.start)).collect()
    }

    fn after_completion(&self, number: u32, now: Instant) -> Option<Next> {
        self.next(number.checked_add(self.config.users)?, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_thinks_before_each_flow_and_keeps_to_numbers_of_its_own() {
        let config = Config { users: 3, think_time: Duration::from_secs(2) };
        let closed = Closed::new(&config, &Setup { seed: 1, ..Setup::default() });
        let first = closed.first();
        assert_eq!(first.iter().map(|next| next.number).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(closed.after_arrival(first[1]), None);
        let mut sum = 0.0;
        let (mut number, mut now) = (1, Instant::ZERO);
        for _ in 0..20_000 {
            let next = closed.after_completion(number, now).unwrap();
            assert_eq!(next.number, number + 3);
            sum += (next.at - now).as_secs_f64();
            (number, now) = (next.number, next.at);
        }
        // Four standard errors of an exponential mean.
        assert!((sum / 20_000.0 - 2.0).abs() < 4.0 * 2.0 / 20_000_f64.sqrt(), "{sum}");
    }
}
