//! The bandwidth estimators of Westwood: how fast data arrives, seen from the ACKs.
//!
//! Tustin (Casetti et al. 2002, section 2): per ACK a sample b_k = d_k/(t_k - t_(k-1)), through a first-order low-pass
//! filter with time constant tau: b = ((2 tau/D - 1) b + b_k + b_(k-1))/(2 tau/D + 1), D the time since the last ACK;
//! when no ACK comes for tau/m, samples of zero are taken. Westwood+ (Linux): per round trip of at least 50 ms a
//! sample, through two averages in series, x = 7/8 x + 1/8 sample; the first sample loads both.

use farlink_kernel::{Duration, Instant};

use super::{Config, Estimator};
use crate::congestion::{Ack, Setup, arithmetic::WindowArithmetic};

/// An estimate of the bandwidth a connection uses.
#[derive(Clone, Debug)]
pub struct Bandwidth {
    config: Config,
    segment_bytes: f64,
    arithmetic: WindowArithmetic,
    /// Units that a segment counts for, and nanoseconds per unit of time.
    units: (f64, f64),
    /// Segments counted when duplicate ACKs came, to be left out when they are acknowledged (`accounted_for`).
    accounted: f64,
    /// End of the last sample.
    since: Option<Instant>,
    /// Smoothed round-trip time at the last ACK that acknowledged new data: duplicates do not count here.
    srtt: Duration,
    /// Segments that arrived since then.
    arrived: f64,
    last_sample: f64,
    /// The first average of Westwood+.
    coarse: f64,
    estimate: f64,
    has_sample: bool,
}

impl Bandwidth {
    pub fn new(config: &Config, setup: &Setup) -> Self {
        Self {
            config: config.clone(),
            segment_bytes: setup.segment_size.0.max(1) as f64,
            arithmetic: setup.arithmetic,
            units: setup.arithmetic.rate_units(setup.segment_size),
            accounted: 0.0,
            since: None,
            srtt: Duration::ZERO,
            arrived: 0.0,
            last_sample: 0.0,
            coarse: 0.0,
            estimate: 0.0,
            has_sample: false,
        }
    }

    /// The estimate in segments per second, zero before the first sample.
    pub fn segments_per_second(&self) -> f64 {
        let (per_segment, nanos) = self.units;
        self.estimate * (1e9 / nanos) / per_segment
    }

    /// The estimate in bit/s of payload.
    pub fn bits_per_second(&self) -> f64 {
        self.segments_per_second() * self.segment_bytes * 8.0
    }

    /// Counts what an ACK acknowledged and takes a sample when one is due.
    pub fn on_ack(&mut self, ack: &Ack) {
        if ack.acked > 0.0 {
            self.srtt = self.arithmetic.ticks(ack.srtt);
        }
        let arrived = self.count(ack.acked);
        let Some(since) = self.since else {
            self.since = Some(ack.now);
            return;
        };
        let start = Instant::ZERO;
        let ticks = |time| self.arithmetic.ticks(time - start);
        let elapsed = ticks(ack.now).saturating_sub(ticks(since));
        match self.config.estimator {
            Estimator::Tustin => {
                self.arrived += arrived;
                if !elapsed.is_zero() {
                    self.filter_over(elapsed.as_secs_f64());
                    self.restart(ack.now);
                }
            }
            Estimator::WestwoodPlus | Estimator::None => {
                if !self.srtt.is_zero() && elapsed > self.srtt.max(self.config.min_sample_time) {
                    self.average(self.rate(elapsed.as_nanos() as f64 / self.units.1));
                    self.restart(ack.now);
                }
                self.arrived += arrived;
            }
        }
    }

    fn restart(&mut self, now: Instant) {
        self.since = Some(now);
        self.arrived = 0.0;
    }

    /// `AckedCount` of the paper: a duplicate ACK stands for one segment, which a later ACK leaves out. An ACK that
    /// fills one hole of several takes all that it acknowledges from what was counted, and counts for one.
    fn count(&mut self, acked: f64) -> f64 {
        if acked <= 0.0 {
            self.accounted += 1.0;
            return 1.0;
        }
        if acked <= 1.0 {
            return acked;
        }
        if self.accounted >= acked {
            self.accounted -= acked;
            return 1.0;
        }
        acked - core::mem::take(&mut self.accounted)
    }

    /// What arrived, over a time in the unit of rates.
    fn rate(&self, time: f64) -> f64 {
        self.arithmetic.round(self.arrived * self.units.0 / time)
    }

    /// The Tustin filter over a time in which ACKs came only at the end.
    fn filter_over(&mut self, seconds: f64) {
        let tau = self.config.tau.as_secs_f64().max(1e-6);
        let longest = tau / self.config.m.max(1.0);
        // Equal steps no longer than tau/m, so that the last one is never vanishingly short.
        let steps = (seconds / longest).ceil().max(1.0);
        let step = seconds / steps;
        let weight = 2.0 * tau / step;
        if steps > 1.0 {
            self.filter(0.0, weight);
            // All further zero samples together.
            self.estimate *= libm::pow((weight - 1.0) / (weight + 1.0), steps - 2.0);
        }
        self.filter(self.rate(step * (1e9 / self.units.1)), weight);
    }

    fn filter(&mut self, sample: f64, weight: f64) {
        self.estimate = ((weight - 1.0) * self.estimate + sample + self.last_sample) / (weight + 1.0);
        self.last_sample = sample;
    }

    /// The averages of Westwood+, or none.
    fn average(&mut self, sample: f64) {
        if self.config.estimator == Estimator::None || !self.has_sample {
            self.coarse = sample;
            self.estimate = sample;
            // Linux loads both again for as long as they are zero.
            self.has_sample = sample > 0.0;
            return;
        }
        let seven_eighths = |average: f64, sample: f64| self.arithmetic.round((7.0 * average + sample) / 8.0);
        self.coarse = seven_eighths(self.coarse, sample);
        self.estimate = seven_eighths(self.estimate, self.coarse);
    }
}

#[cfg(test)]
mod tests {
    use farlink_kernel::Bytes;

    use super::super::Westwood;
    use super::*;
    use crate::congestion::testing::{Bench, setup};

    #[test]
    fn the_tustin_filter_has_the_values_of_the_paper() {
        let mut bandwidth = Bandwidth::new(&Config::default(), &setup(WindowArithmetic::RFC));
        let mut bench = Bench::new("reno", 10.0);
        bandwidth.on_ack(&bench.ack());
        let samples = [
            (100, 1.0, 10.9091),
            (100, 1.0, 30.7438),
            (100, 1.0, 46.9722),
            (100, 2.0, 71.1591),
            (100, 2.0, 101.8574),
            (20, 1.0, 114.3336),
            (20, 1.0, 133.3793),
            (20, 1.0, 151.6782),
        ];
        for (millis, acked, kbps) in samples {
            bench.now += Duration::from_millis(millis);
            bandwidth.on_ack(&Ack { acked, ..bench.ack() });
            let found = bandwidth.bits_per_second() / 1e3;
            assert!((found - kbps).abs() < 1e-4, "{found}, expected {kbps}");
        }
    }

    #[test]
    fn the_averages_of_linux_are_whole_bytes_per_millisecond_and_the_pipe_whole_segments() {
        let config = Config { estimator: Estimator::WestwoodPlus, ..Config::default() };
        let setup = Setup { segment_size: Bytes(1460), ..setup(WindowArithmetic::LINUX) };
        let mut westwood = Westwood::new(&config, &setup);
        westwood.min_rtt = Some(Duration::from_millis(100));
        let samples = [
            (1000.0, 1000.0, 1000.0, 68.0),
            (2000.0, 1125.0, 1015.0, 69.0),
            (2000.0, 1234.0, 1042.0, 71.0),
            (500.0, 1142.0, 1054.0, 72.0),
            (500.0, 1061.0, 1054.0, 72.0),
            (2000.0, 1178.0, 1069.0, 73.0),
        ];
        for (sample, coarse, estimate, pipe) in samples {
            westwood.bandwidth.average(sample);
            assert_eq!((westwood.bandwidth.coarse, westwood.bandwidth.estimate), (coarse, estimate));
            assert_eq!(westwood.pipe(), Some(pipe));
        }
    }

    #[test]
    fn time_without_acks_lowers_the_tustin_estimate() {
        let mut bandwidth = Bandwidth::new(&Config::default(), &setup(WindowArithmetic::RFC));
        let mut bench = Bench::new("reno", 10.0);
        for _ in 0..1000 {
            bandwidth.on_ack(&bench.ack());
            bench.now += Duration::from_millis(1);
        }
        let busy = bandwidth.segments_per_second();
        assert!((busy - 1000.0).abs() < 150.0, "{busy}");
        bench.now += Duration::from_secs(10);
        bandwidth.on_ack(&bench.ack());
        assert!(bandwidth.segments_per_second() < 1.0 * busy / 100.0);
    }

    #[test]
    fn duplicate_acks_count_once() {
        let mut bandwidth = Bandwidth::new(&Config::default(), &setup(WindowArithmetic::RFC));
        assert_eq!((bandwidth.count(0.0), bandwidth.count(0.0), bandwidth.count(5.0)), (1.0, 1.0, 3.0));
        assert_eq!(bandwidth.count(1.0), 1.0);
    }

    #[test]
    fn a_hole_filled_below_another_takes_what_it_acknowledges_from_what_was_counted() {
        let mut bandwidth = Bandwidth::new(&Config::default(), &setup(WindowArithmetic::RFC));
        // Of 12 segments the first and the seventh were lost: 10 duplicates, then 6 and 6 are acknowledged.
        let duplicates: f64 = (0..10).map(|_| bandwidth.count(0.0)).sum();
        assert_eq!((duplicates, bandwidth.count(6.0), bandwidth.count(6.0)), (10.0, 1.0, 2.0));
    }
}
