//! S. Blake et al., "An Architecture for Differentiated Services", RFC 2475, 1998, section 2.3.3.3: a shaper delays packets
//! until the stream is within its profile, here a token bucket (RFC 2697, with a committed burst alone).
//!
//! A packet leaves when there are as many tokens as it has bytes; those behind it wait, first in, first out. In any time t
//! no more leaves than the burst and rate times t. What does not fit into the queue is dropped, and so is a
//! packet larger than the burst, which would never leave. A bucket is full when the run begins.
//!
//! Links only: there, when a packet leaves is known on its arrival. Left out: a peak rate; a shaper for each flow or
//! address.

use farlink_kernel::config::above;
use farlink_kernel::{BitRate, Bytes, Instant, config};
use farlink_tcp::Amount;

use super::bucket::Bucket;
use super::fifo::{Fifo, fits, of_store};
use super::{Backlog, Offer, Parameters, Queue, Setup, Verdict};
use crate::packet::Cause;

pub(super) const SOURCE: &str = "RFC 2475, section 2.3.3.3, with the bucket of RFC 2697";

config! {
    /// Parameters of the shaper, whose sizes include IP headers.
    pub struct Config {
        /// The rate at which tokens come, below that of the link.
        pub rate: BitRate = BitRate::from_bps(5_000_000); in above(BitRate::from_bps(0)),
        /// The most tokens that the bucket holds; a larger packet is dropped. Default: ten packets of 1500 B.
        pub burst: Bytes = Bytes(15_000); in above(Bytes(0)),
        /// How much may wait, the packet being sent not included.
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
pub(crate) struct Shaper {
    limit: Amount,
    bucket: Bucket,
    store: Fifo,
}

impl Shaper {
    pub(crate) fn new(config: &Config, _setup: &Setup) -> Self {
        Self { limit: config.limit, bucket: Bucket::full(config.rate, config.burst), store: Fifo::default() }
    }
}

impl Queue for Shaper {
    fn on_arrival(&mut self, offer: &Offer, backlog: &Backlog) -> Verdict {
        if !self.bucket.has_room_for(offer.size) {
            return Verdict::Drop(Cause::Policed);
        }
        if fits(self.limit, backlog, offer.size) { Verdict::Accept } else { Verdict::Drop(Cause::QueueFull) }
    }

    fn decides_on_arrival(&self) -> bool {
        true
    }

    fn start(&mut self, earliest: Instant, size: u32) -> Instant {
        self.bucket.takes_from(earliest, size)
    }

    of_store!(push, pop, take_for, take, holds, backlog, waiting);
}

#[cfg(test)]
mod tests {
    use super::*;
    use farlink_kernel::Duration;

    fn shaper(rate: u64, burst: u64) -> Shaper {
        let config = Config { rate: BitRate::from_bps(rate), burst: Bytes(burst), ..Config::default() };
        Shaper::new(&config, &Setup { seed: 1, interface: 0, rate: BitRate::from_bps(1) })
    }

    fn nanos(n: u64) -> Instant {
        Instant::from_nanos(n)
    }

    #[test]
    fn what_leaves_is_the_burst_and_the_rate_to_the_packet() {
        // The k-th packet of 12 000 bits that waits from the start on leaves when the burst and rate times time are k times as
        // many. 7 Mbit/s and 999 999 937 bit/s have no whole number of bits per nanosecond.
        for rate in [3_600_000, 7_000_000, 999_999_937] {
            let mut shaper = shaper(rate, 15_000);
            for k in 1..=100_000_u128 {
                let missing = (12_000 * k).saturating_sub(120_000) * 1_000_000_000;
                let at = missing.div_ceil(u128::from(rate)) as u64;
                assert_eq!(shaper.start(Instant::ZERO, 1500), nanos(at), "packet {k} at {rate} bit/s");
            }
        }
    }

    #[test]
    fn a_bucket_fills_while_nothing_leaves_and_no_further_than_its_burst() {
        // A packet takes 2 ms at 6 Mbit/s.
        let mut shaper = shaper(6_000_000, 3000);
        let hour = Instant::ZERO + Duration::from_secs(3600);
        let starts = [0; 4].map(|_| shaper.start(hour, 1500));
        let later = |ms| hour + Duration::from_millis(ms);
        assert_eq!(starts, [hour, hour, later(2), later(4)]);
        assert_eq!(shaper.start(later(5), 1500), later(6));
        assert_eq!(shaper.start(later(9), 1500), later(9));
    }

    #[test]
    fn a_packet_that_is_larger_than_the_burst_is_dropped() {
        let verdict = |burst, packets| {
            let offer = Offer { now: Instant::ZERO, size: 1500, can_be_marked: true };
            let backlog = Backlog { packets, bytes: packets * 1500, ..Backlog::default() };
            shaper(6_000_000, burst).on_arrival(&offer, &backlog)
        };
        assert_eq!(verdict(1499, 0), Verdict::Drop(Cause::Policed));
        assert_eq!(verdict(1500, 49), Verdict::Accept);
        assert_eq!(verdict(1500, 50), Verdict::Drop(Cause::QueueFull));
    }
}
