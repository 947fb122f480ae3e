//! L. Kleinrock, Queueing Systems, volume 1, 1975, section 2.4: times between arrivals are exponential and
//! independent.

use farlink_kernel::config::above;
use farlink_kernel::random::{draw_uniform, name_key};
use farlink_kernel::{BitRate, config};

use super::{Arrivals, Next, Parameters, Setup};
use crate::workload::after;

pub(super) const SOURCE: &str = "Kleinrock, Queueing Systems, volume 1, 1975, section 2.4";

config! {
    /// Parameters of the process.
    pub struct Config {
        /// Mean number of arrivals per second.
        pub rate: f64 = 10.0; in above(0.0),
        /// Mean payload that arrives per second. It replaces `rate` by this load over the mean size.
        pub load: Option<BitRate> = None; in above(BitRate::from_bps(0)),
    }
}

impl Config {
    /// Per second.
    fn rate(&self, mean_size: f64) -> f64 {
        self.load.map_or(self.rate, |load| load.as_bps() as f64 / (8.0 * mean_size))
    }
}

impl Parameters for Config {
    fn count(&self, mean_size: f64, seconds: f64) -> f64 {
        self.rate(mean_size) * seconds
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Poisson {
    setup: Setup,
    mean_s: f64,
}

impl Poisson {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        Self { setup: *setup, mean_s: 1.0 / config.rate(setup.mean_size) }
    }

    /// The arrival with this number, after the one before it.
    fn next(&self, number: u32, before: farlink_kernel::Instant) -> Option<Next> {
        let Setup { seed, workload, stop, .. } = self.setup;
        let uniform = draw_uniform(seed, name_key("arrival_time"), workload, number.into());
        let at = after(before, -self.mean_s * libm::log(1.0 - uniform));
        (at < stop).then_some(Next { at, number })
    }
}

impl Arrivals for Poisson {
    fn first(&self) -> Vec<Next> {
        self.next(0, self.setup.start).into_iter().collect()
    }

    fn after_arrival(&self, Next { at, number }: Next) -> Option<Next> {
        self.next(number.checked_add(1)?, at)
    }
}

#[cfg(test)]
mod tests {
    use farlink_kernel::{Duration, Instant};

    use super::*;

    fn times(config: &Config, setup: Setup) -> Vec<f64> {
        let poisson = Poisson::new(config, &setup);
        let first = poisson.first().pop();
        let next = |next: &Next| poisson.after_arrival(*next);
        std::iter::successors(first, next).map(|next| next.at.as_secs_f64()).collect()
    }

    #[test]
    fn numbers_of_arrivals_have_the_mean_and_variance_of_a_poisson_process() {
        let stop = Instant::ZERO + Duration::from_secs(10_000);
        let times = times(&Config::default(), Setup { seed: 1, stop, ..Setup::default() });
        let mut counts = vec![0.0_f64; 10_000];
        for time in &times {
            counts[*time as usize] += 1.0;
        }
        let mean = counts.iter().sum::<f64>() / 1e4;
        let variance = counts.iter().map(|count| (count - mean) * (count - mean)).sum::<f64>() / 1e4;
        // Both are 10; four standard errors are 4 sqrt(10/10^4) and 4 * 10 sqrt(2.1/10^4).
        assert!((mean - 10.0).abs() < 0.13 && (variance - 10.0).abs() < 0.58, "{mean} {variance}");
    }

    #[test]
    fn a_load_determines_the_rate_with_the_mean_size() {
        let config = Config { load: Some(BitRate::from_bps(8_000_000)), ..Config::default() };
        assert_eq!(config.rate(10_000.0), 100.0);
        assert_eq!(Config::default().rate(10_000.0), 10.0);
    }

    #[test]
    fn nothing_arrives_before_the_start_or_after_the_stop() {
        let at = |seconds| Instant::ZERO + Duration::from_secs(seconds);
        let setup = Setup { seed: 3, start: at(5), stop: at(20), ..Setup::default() };
        let times = times(&Config::default(), setup);
        assert!(times.len() > 100 && times.iter().all(|time| (5.0..20.0).contains(time)), "{times:?}");
    }
}
