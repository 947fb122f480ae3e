//! J. Heinanen, R. Guerin, "A Single Rate Three Color Marker", RFC 2697, 1999, with a committed burst alone: a packet that
//! is not green is dropped.
//!
//! A bucket of tokens fills at a rate up to a burst. A packet that finds as many tokens as it has bytes takes them and
//! passes; another is dropped at once, however short the queue is. Operators limit subscribers so, and a sender notices
//! no delay before the losses (T. Flach et al., "An Internet-Wide Analysis of Traffic Policing", SIGCOMM 2016).
//!
//! What passes waits first in, first out, as in a drop-tail queue. A bucket is full when the run begins (section 3).
//!
//! Left out: the excess burst and its colour; a policer for each flow or address.

use farlink_kernel::config::above;
use farlink_kernel::{BitRate, Bytes, config};
use farlink_tcp::Amount;

use super::bucket::Bucket;
use super::fifo::{Fifo, fits, of_store};
use super::{Backlog, Offer, Parameters, Queue, Setup, Verdict};
use crate::packet::Cause;

pub(super) const SOURCE: &str = "RFC 2697";

config! {
    /// Parameters of the policer, whose sizes include IP headers.
    pub struct Config {
        /// The rate at which tokens come (CIR), below that of the link.
        pub rate: BitRate = BitRate::from_bps(5_000_000); in above(BitRate::from_bps(0)),
        /// The most tokens that the bucket holds (CBS). Default: what comes in 100 ms at the default rate.
        pub burst: Bytes = Bytes(62_500); in above(Bytes(0)),
        /// How much of what passes may wait, the packet being sent not included.
        pub limit: Amount = Amount::Packets(50),
    }
}

impl Parameters for Config {
    fn marks(&self) -> bool {
        false
    }

    fn limits_rate(&self) -> bool {
        true
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Policer {
    limit: Amount,
    bucket: Bucket,
    store: Fifo,
}

impl Policer {
    pub(crate) fn new(config: &Config, _setup: &Setup) -> Self {
        Self { limit: config.limit, bucket: Bucket::full(config.rate, config.burst), store: Fifo::default() }
    }
}

impl Queue for Policer {
    fn on_arrival(&mut self, offer: &Offer, backlog: &Backlog) -> Verdict {
        if !self.bucket.takes(offer.now, offer.size) {
            return Verdict::Drop(Cause::Policed);
        }
        if fits(self.limit, backlog, offer.size) { Verdict::Accept } else { Verdict::Drop(Cause::QueueFull) }
    }

    fn decides_on_arrival(&self) -> bool {
        true
    }

    of_store!(push, pop, take_for, take, holds, backlog, waiting);
}

#[cfg(test)]
mod tests {
    use super::*;
    use farlink_kernel::{Duration, Instant};

    /// How many of `packets` pass that arrive `gap` apart.
    fn passed(config: &Config, size: u32, gap: Duration, packets: u64) -> u64 {
        let setup = Setup { seed: 1, interface: 0, rate: BitRate::from_bps(1) };
        let mut policer = Policer::new(config, &setup);
        let mut verdict = |number| {
            let now = Instant::ZERO + gap * number;
            policer.on_arrival(&Offer { now, size, can_be_marked: true }, &Backlog::default())
        };
        (0..packets).filter(|&number| verdict(number) == Verdict::Accept).count() as u64
    }

    #[test]
    fn a_burst_passes_in_whole_and_no_packet_more() {
        let config = Config { burst: Bytes(15_000), ..Config::default() };
        assert_eq!(passed(&config, 1500, Duration::ZERO, 100), 10);
        assert_eq!(passed(&config, 1501, Duration::ZERO, 100), 9);
    }

    #[test]
    fn what_passes_is_the_burst_and_the_rate_to_the_packet() {
        // Packets of 1 ms at 12 Mbit/s; three of ten find tokens. 7 Mbit/s has no whole number of bits per nanosecond.
        for (mbps, seconds) in [(3.6, 100), (7.0, 100), (11.9, 1000)] {
            let rate = BitRate::from_bps((mbps * 1e6) as u64);
            let config = Config { rate, burst: Bytes(3000), ..Config::default() };
            let packets = seconds * 1000;
            // The last packet arrives a millisecond before the end.
            let tokens = 3000.0 * 8.0 + mbps * 1e3 * (packets - 1) as f64;
            assert_eq!(
                passed(&config, 1500, Duration::from_millis(1), packets),
                (tokens / 12_000.0) as u64,
                "{mbps}"
            );
        }
    }

    #[test]
    fn a_bucket_holds_no_more_than_its_burst() {
        let config = Config { burst: Bytes(3000), ..Config::default() };
        let setup = Setup { seed: 1, interface: 0, rate: BitRate::from_bps(1) };
        let mut policer = Policer::new(&config, &setup);
        let now = Instant::ZERO + Duration::from_secs(3600);
        let offer = Offer { now, size: 1500, can_be_marked: false };
        let verdicts = [0; 3].map(|_| policer.on_arrival(&offer, &Backlog::default()));
        assert_eq!(verdicts, [Verdict::Accept, Verdict::Accept, Verdict::Drop(Cause::Policed)]);
    }

    #[test]
    fn what_passes_and_finds_no_room_is_dropped_as_from_any_queue() {
        let config = Config { limit: Amount::Packets(2), ..Config::default() };
        let setup = Setup { seed: 1, interface: 0, rate: BitRate::from_bps(1) };
        let offer = Offer { now: Instant::ZERO, size: 1500, can_be_marked: false };
        let full = Backlog { packets: 2, bytes: 3000, ..Backlog::default() };
        assert_eq!(Policer::new(&config, &setup).on_arrival(&offer, &full), Verdict::Drop(Cause::QueueFull));
    }
}
