//! S. Floyd, V. Jacobson, "Random Early Detection Gateways for Congestion Avoidance", IEEE/ACM
//! Transactions on Networking 1(4), 1993.
//!
//! An average of the queue's length decides: below one threshold everything passes, above another nothing,
//! between them packets are dropped or marked with a probability that grows with the average and with the
//! packets since the last drop, so that drops are spread evenly.
//!
//! Equations: avg = (1 - w_q) avg + w_q q, and (1 - w_q)^m avg after an idle time of m packets (section IV);
//! p_b = max_p (avg - min_th) / (max_th - min_th), p_a = p_b / (1 - count p_b). Gentle (S. Floyd,
//! "Recommendation on using the gentle variant of RED", 2000): p_b rises from max_p to 1 between max_th and
//! 2 max_th. Left out: the byte mode, which weighs p_b by packet size; Adaptive RED, which steers max_p.

use farlink_kernel::config::{Fraction, above};
use farlink_kernel::random::{draw_uniform, name_key};
use farlink_kernel::{BitRate, Bytes, Instant, config};
use farlink_tcp::Amount;

use super::fifo::{Fifo, fits, of_store};
use super::{Backlog, Offer, Parameters, Queue, Setup, Verdict};
use crate::packet::Cause;

pub(super) const SOURCE: &str = "Floyd, Jacobson, IEEE/ACM ToN 1993";

config! {
    /// Parameters of RED; averages are in packets.
    pub struct Config {
        /// How much may wait at all.
        pub limit: Amount = Amount::Packets(50),
        /// Average length in packets below which nothing is dropped (section IV: min_th).
        pub min_threshold: f64 = 5.0,
        /// Average length in packets above which everything is dropped (max_th, three times min_th).
        pub max_threshold: f64 = 15.0; in above(0.0),
        /// Weight of a new length in the average (w_q).
        pub weight: Fraction = Fraction(0.002); in above(Fraction(0.0)),
        /// Drop probability at the upper threshold (max_p; 1/50 in the paper, 0.1 recommended in 1997).
        pub max_probability: Fraction = Fraction(0.1),
        /// Between one and two times the upper threshold the probability rises to 1 (Floyd 2000).
        pub gentle: bool = true,
        /// Packets that can be marked are marked instead of dropped (RFC 3168).
        pub ecn: bool = false,
        /// The packet size the idle time is counted in.
        pub mean_packet_size: Bytes = Bytes(500); in Bytes(1)..,
    }
    where min_threshold < max_threshold
}

impl Parameters for Config {
    fn marks(&self) -> bool {
        self.ecn
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Red {
    config: Config,
    seed: u64,
    channel: u64,
    rate: BitRate,
    average: f64,
    /// Packets since the last drop while the average was above the lower threshold; `None` below it (-1 in
    /// the paper).
    count: Option<u64>,
    arrivals: u64,
    store: Fifo,
}

impl Red {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        Self {
            config: config.clone(),
            seed: setup.seed,
            channel: name_key("red") ^ setup.interface,
            rate: setup.rate,
            average: 0.0,
            count: None,
            arrivals: 0,
            store: Fifo::default(),
        }
    }

    fn update_average(&mut self, now: Instant, backlog: &Backlog) {
        let weight = self.config.weight.0;
        if backlog.packets > 0 {
            self.average += weight * (backlog.packets as f64 - self.average);
            return;
        }
        let packet = self.rate.time_to_send(self.config.mean_packet_size);
        let idle = now.saturating_since(backlog.empty_since) / packet;
        self.average *= libm::pow(1.0 - weight, idle as f64);
    }

    /// p_b of the paper; 1 where every packet is to be dropped.
    fn base_probability(&self) -> f64 {
        let Config { min_threshold: low, max_threshold: high, gentle, .. } = self.config;
        let most = self.config.max_probability.0;
        let average = self.average;
        if average < high {
            most * (average - low) / (high - low)
        } else if gentle && average < 2.0 * high {
            most + (1.0 - most) * (average - high) / high
        } else {
            1.0
        }
    }

    /// True when this arrival is to be marked or dropped.
    fn strikes(&mut self) -> bool {
        if self.average < self.config.min_threshold {
            self.count = None;
            return false;
        }
        let base = self.base_probability();
        let count = self.count.map_or(0, |count| count + 1);
        let spread = 1.0 - count as f64 * base;
        let probability = if base < 1.0 && spread > base { base / spread } else { 1.0 };
        let strikes = draw_uniform(self.seed, self.channel, self.arrivals, 0) < probability;
        self.count = Some(if strikes { 0 } else { count });
        strikes
    }
}

impl Queue for Red {
    fn on_arrival(&mut self, offer: &Offer, backlog: &Backlog) -> Verdict {
        self.arrivals += 1;
        self.update_average(offer.now, backlog);
        let strikes = self.strikes();
        if !fits(self.config.limit, backlog, offer.size) {
            return Verdict::Drop(Cause::QueueFull);
        }
        // RFC 3168 section 7: above the upper threshold packets are dropped, marks would not be heeded.
        let marks = self.config.ecn && offer.can_be_marked && self.base_probability() < 1.0;
        match strikes {
            false => Verdict::Accept,
            true if marks => Verdict::Mark,
            true => Verdict::Drop(Cause::EarlyDrop),
        }
    }

    fn decides_on_arrival(&self) -> bool {
        true
    }

    of_store!(push, pop, take_for, backlog, waiting);
}

#[cfg(test)]
mod tests {
    use super::*;
    use farlink_kernel::Duration;

    fn red(config: &Config) -> Red {
        // 500 bytes take 1 ms.
        Red::new(config, &Setup { seed: 1, interface: 0, rate: BitRate::from_bps(4_000_000) })
    }

    fn offer(now: Instant) -> Offer {
        Offer { now, size: 500, can_be_marked: true }
    }

    fn backlog(packets: u64) -> Backlog {
        Backlog { packets, bytes: packets * 500, empty_since: Instant::ZERO }
    }

    #[test]
    fn the_average_follows_the_length_and_decays_over_idle_time() {
        let mut queue = red(&Config { weight: Fraction(0.5), ..Config::default() });
        queue.update_average(Instant::ZERO, &backlog(4));
        queue.update_average(Instant::ZERO, &backlog(4));
        assert_eq!(queue.average, 3.0);
        queue.update_average(Instant::ZERO + Duration::from_millis(2), &backlog(0));
        assert_eq!(queue.average, 0.75);
    }

    #[test]
    fn nothing_is_dropped_below_the_lower_and_everything_above_twice_the_upper_threshold() {
        let drops = |average: f64| {
            let mut queue = red(&Config { weight: Fraction(0.0), ..Config::default() });
            queue.average = average;
            (0..1000)
                .filter(|_| queue.on_arrival(&offer(Instant::ZERO), &backlog(1)) != Verdict::Accept)
                .count()
        };
        assert_eq!(drops(4.9), 0);
        assert_eq!(drops(30.0), 1000);
    }

    #[test]
    fn the_base_probability_rises_to_max_p_and_when_gentle_from_there_to_one() {
        let base = |average: f64, gentle: bool| {
            let mut queue = red(&Config { gentle, ..Config::default() });
            queue.average = average;
            queue.base_probability()
        };
        // Thresholds 5 and 15, max_p 0.1: 0.1 (7.5 - 5) / 10; then 0.1 + 0.9 (22.5 - 15) / 15.
        for (average, expected) in [(5.0, 0.0), (7.5, 0.025), (15.0, 0.1), (22.5, 0.55), (30.0, 1.0)] {
            assert!((base(average, true) - expected).abs() < 1e-12, "{average}: {}", base(average, true));
        }
        assert_eq!((base(14.0, false), base(15.0, false)), (0.09, 1.0));
    }

    #[test]
    fn drops_are_spread_evenly_over_one_to_one_over_p_packets() {
        // Section V with the pseudo-code's count, which is 1 for the first packet after a drop: the distance
        // of two drops is uniform on 1..=1/p_b - 1, so its mean is 1/(2 p_b).
        let mut queue = red(&Config { weight: Fraction(0.0), ..Config::default() });
        queue.average = 10.0;
        assert_eq!(queue.base_probability(), 0.05);
        let mut distances = Vec::new();
        let mut distance = 0;
        for _ in 0..100_000 {
            distance += 1;
            if queue.on_arrival(&offer(Instant::ZERO), &backlog(1)) != Verdict::Accept {
                distances.push(distance);
                distance = 0;
            }
        }
        let mean = distances.iter().sum::<u32>() as f64 / distances.len() as f64;
        assert!((mean - 10.0).abs() < 0.2, "{mean}");
        assert!(distances[1..].iter().all(|&distance| distance < 20), "{distances:?}");
    }

    #[test]
    fn marks_take_the_place_of_drops_until_everything_is_dropped() {
        let verdicts = |average: f64| {
            let mut queue = red(&Config { ecn: true, weight: Fraction(0.0), ..Config::default() });
            queue.average = average;
            (0..100).map(|_| queue.on_arrival(&offer(Instant::ZERO), &backlog(1))).collect::<Vec<_>>()
        };
        assert!(verdicts(14.0).contains(&Verdict::Mark));
        assert!(!verdicts(14.0).contains(&Verdict::Drop(Cause::EarlyDrop)));
        assert!(verdicts(31.0).iter().all(|&verdict| verdict == Verdict::Drop(Cause::EarlyDrop)));
    }
}
