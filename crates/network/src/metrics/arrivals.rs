//! [`Arrivals`]: when the bytes of packets arrive, so that their growth over any time is at most the rate of a link.
//!
//! A packet of L bits that arrives at t over a link of rate R was on the link from t - L/R to t. It was there neither before
//! the packet in front of it had arrived nor before this copy of it was sent. Its bytes therefore count evenly from the later of
//! these two instants on. This takes no knowledge of the path.

use farlink_kernel::Instant;
use farlink_tcp::Connection;

use crate::metrics::delay::Delays;
use crate::packet::Packet;
use crate::results::FlowSeries;

/// The first arrivals of a flow's data, as far as its next sample needs them.
#[derive(Clone, Copy, Debug)]
pub struct Arrivals {
    /// Of the packet that arrived last.
    last: Instant,
    /// Of the packet that arrived first since the last sample, or [`Instant::NEVER`].
    first: Instant,
    /// From when on its bytes count.
    from: Instant,
    /// The bytes that have arrived with it, and with those that arrived at the same instant.
    total: u64,
}

impl Default for Arrivals {
    fn default() -> Self {
        Self { last: Instant::ZERO, first: Instant::NEVER, from: Instant::ZERO, total: 0 }
    }
}

impl Arrivals {
    /// A packet arrived. `copy` gives when it was sent, and how many bytes have arrived with it.
    #[inline(always)]
    pub fn on_arrival(&mut self, now: Instant, copy: impl FnOnce() -> (Instant, u64)) {
        // Several packets may arrive in one frame.
        if self.first >= now {
            let (sent, total) = copy();
            self.begin(now, sent, total);
        }
        self.last = now;
    }

    #[cold]
    #[inline(never)]
    fn begin(&mut self, now: Instant, sent: Instant, total: u64) {
        if self.first > now {
            (self.first, self.from) = (now, self.last.max(sent));
        }
        self.total = total;
    }

    /// Adds to the samples of flow `number` of `flows` what had arrived of a packet that came after them. Before the next sample.
    pub(crate) fn add_to(&mut self, series: &mut FlowSeries, number: usize, flows: usize) {
        let arrived = std::mem::replace(&mut self.first, Instant::NEVER);
        if arrived == Instant::NEVER {
            return;
        }
        let length = (arrived - self.from).as_nanos();
        let samples = series.time_ns.len() / flows;
        for row in (0..samples).rev().map(|sample| sample * flows + number) {
            let passed = series.time_ns[row].saturating_sub(self.from.as_nanos());
            if passed == 0 || passed >= length {
                break;
            }
            let bytes = &mut series.delivered_bytes[row];
            let more =
                u128::from(self.total.saturating_sub(*bytes)) * u128::from(passed) / u128::from(length);
            *bytes += more as u64;
        }
    }
}

/// When the copy was sent that arrives now, and how many bytes have arrived with it. A retransmission's is the last one of its
/// segment, unless no packet has ever been so fast that this one could arrive now.
#[cold]
#[inline(never)]
pub fn arrived(
    [sender, receiver]: [&Connection; 2],
    packet: &Packet,
    now: Instant,
    delays: &Delays,
) -> (Instant, u64) {
    // The first byte has the number after that of SYN.
    let last = packet.is_retransmission.then(|| sender.scoreboard().last_sent(packet.offset + 1)).flatten();
    let last = last.filter(|&sent| Some(now - sent) >= delays.least());
    (last.unwrap_or(packet.first_sent), receiver.sample().delivered)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ns: u64) -> Instant {
        Instant::from_nanos(ns)
    }

    /// A flow that is the second of two, sampled every 10 ns.
    fn sampled(arrivals: &[(u64, u64, u64)]) -> Vec<u64> {
        let (mut series, mut known, mut next, mut total) = (FlowSeries::default(), Arrivals::default(), 0, 0);
        for now in 0..=100 {
            while let Some(&(when, sent, bytes)) = arrivals.get(next).filter(|(when, ..)| *when == now) {
                total += bytes;
                known.on_arrival(at(when), || (at(sent), total));
                next += 1;
            }
            if now % 10 == 0 {
                known.add_to(&mut series, 1, 2);
                series.time_ns.extend([now, now]);
                series.delivered_bytes.extend([0, total]);
            }
        }
        known.add_to(&mut series, 1, 2);
        series.delivered_bytes.into_iter().skip(1).step_by(2).collect()
    }

    #[test]
    fn bytes_count_evenly_since_the_packet_before() {
        let arrivals = [(25, 5, 200), (65, 20, 400)];
        assert_eq!(sampled(&arrivals), [0, 50, 150, 250, 350, 450, 550, 600, 600, 600, 600]);
    }

    #[test]
    fn they_do_not_count_before_the_packet_was_sent() {
        let arrivals = [(5, 0, 100), (85, 65, 200)];
        assert_eq!(sampled(&arrivals), [0, 100, 100, 100, 100, 100, 100, 150, 250, 300, 300]);
    }

    #[test]
    fn packets_that_arrive_at_one_instant_are_one() {
        let arrivals = [(40, 0, 100), (40, 20, 100), (40, 30, 200)];
        assert_eq!(sampled(&arrivals)[..6], [0, 100, 200, 300, 400, 400]);
    }
}
