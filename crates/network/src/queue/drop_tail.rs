//! First in, first out; what does not fit is dropped. Customary since the first routers.
//!
//! A packet is accepted while fewer than the limit wait (or, with a limit in bytes, while it fits in whole).
//! The packet being sent does not wait, as in ns-2 and ns-3.

use farlink_kernel::config;
use farlink_tcp::Amount;

use super::fifo::{Fifo, fits, of_store};
use super::{Backlog, Offer, Parameters, Queue, Setup, Verdict};
use crate::packet::Cause;

pub(super) const SOURCE: &str = "customary";

config! {
    /// Parameters of the drop-tail queue.
    pub struct Config {
        /// How much may wait, the packet being sent not included. Default: ns-2's 50 packets.
        pub limit: Amount = Amount::Packets(50),
    }
}

impl Parameters for Config {
    fn marks(&self) -> bool {
        false
    }
}

#[derive(Clone, Debug)]
pub(crate) struct DropTail {
    limit: Amount,
    store: Fifo,
}

impl DropTail {
    pub(crate) fn new(config: &Config, _setup: &Setup) -> Self {
        Self { limit: config.limit, store: Fifo::default() }
    }
}

impl Queue for DropTail {
    fn on_arrival(&mut self, offer: &Offer, backlog: &Backlog) -> Verdict {
        if fits(self.limit, backlog, offer.size) { Verdict::Accept } else { Verdict::Drop(Cause::QueueFull) }
    }

    fn decides_on_arrival(&self) -> bool {
        true
    }

    fn plain_limit(&self) -> Option<Amount> {
        Some(self.limit)
    }

    of_store!(push, pop, take_for, take, holds, backlog, waiting);
}

#[cfg(test)]
mod tests {
    use super::*;
    use farlink_kernel::{BitRate, Bytes, Instant};

    fn verdict(limit: Amount, packets: u64, size: u32) -> Verdict {
        let setup = Setup { seed: 1, interface: 0, rate: BitRate::from_bps(1) };
        let offer = Offer { now: Instant::ZERO, size, can_be_marked: true };
        let backlog = Backlog { packets, bytes: packets * 1000, ..Backlog::default() };
        DropTail::new(&Config { limit }, &setup).on_arrival(&offer, &backlog)
    }

    #[test]
    fn a_packet_that_does_not_fit_is_dropped() {
        assert_eq!(verdict(Amount::Packets(50), 49, 1000), Verdict::Accept);
        assert_eq!(verdict(Amount::Packets(50), 50, 1000), Verdict::Drop(Cause::QueueFull));
        assert_eq!(verdict(Amount::Bytes(Bytes(5000)), 4, 1000), Verdict::Accept);
        assert_eq!(verdict(Amount::Bytes(Bytes(5000)), 4, 1001), Verdict::Drop(Cause::QueueFull));
    }
}
