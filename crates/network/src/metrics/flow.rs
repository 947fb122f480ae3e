//! [`FlowCounters`]: what is counted about a flow while it runs.

use farlink_kernel::{Bytes, Duration, Instant};
use farlink_tcp::connection::LimitedBy;

use super::delay::Delays;
use crate::metrics::arrivals::Arrivals;
use crate::metrics::repeats::Repeats;
use crate::metrics::series::Counts;

#[derive(Clone, Debug, Default)]
pub struct FlowCounters {
    /// When its time begins; [`Instant::NEVER`]: of a relay, when it has bytes to pass on.
    pub(crate) start: Instant,
    /// Datagrams sent and their payload (TCP counts its segments itself).
    pub(crate) datagrams: (u64, Bytes),
    pub(crate) delays: Delays,
    pub(crate) arrivals: Arrivals,
    pub(crate) bytes_arrived: u64,
    pub(crate) delivered: u64,
    new_data: u64,
    /// The newest data packet that arrived.
    newest: u64,
    /// Data packets that arrived after one that was sent later.
    pub(crate) reordered: u64,
    pub(crate) repeats: Repeats,
    pub(crate) received: u64,
    pub(crate) complete: Option<Complete>,
}

/// A transfer that is over: its time, and what is counted over that time, ends here.
#[derive(Clone, Copy, Debug)]
pub struct Complete {
    pub(crate) at: Instant,
    pub(crate) limited_by: LimitedBy,
    pub(crate) bytes_arrived: u64,
}

impl FlowCounters {
    /// Nothing yet, of a flow whose time begins at `start`.
    pub fn new(start: Instant) -> Self {
        Self { start, ..Self::default() }
    }

    /// A data packet with this number arrived, `size` bytes.
    #[inline(always)]
    pub fn on_data(&mut self, number: u64, size: u32) {
        self.bytes_arrived += u64::from(size);
        self.reordered += u64::from(number < self.newest);
        self.newest = self.newest.max(number);
    }

    /// Did the receiver take data from the packet that just arrived? `new_data` is its count of those packets.
    pub fn is_new(&mut self, new_data: u64) -> bool {
        std::mem::replace(&mut self.new_data, new_data) != new_data
    }

    /// A data packet arrived for the first time, so long after it was first sent.
    #[inline(always)]
    pub fn on_first_arrival(&mut self, delay: Duration) {
        self.delivered += 1;
        self.delays.add(delay);
    }

    pub fn on_datagram_sent(&mut self, payload: Bytes) {
        self.datagrams.0 += 1;
        self.datagrams.1.0 += payload.0;
    }

    /// So many more bytes were handed to the application.
    pub fn on_received(&mut self, bytes: u64) {
        self.received += bytes;
    }

    /// Everything was sent and acknowledged, for the first time.
    pub fn on_complete(&mut self, now: Instant, limited_by: LimitedBy) {
        let bytes_arrived = self.bytes_arrived;
        self.complete.get_or_insert(Complete { at: now, limited_by, bytes_arrived });
    }

    /// Bytes handed to the application so far.
    pub fn received(&self) -> u64 {
        self.received
    }

    /// What was counted so far of a flow that sent so many data packets.
    pub(crate) fn counts(&self, sent: u64) -> Counts {
        Counts { sent, delivered: self.delivered, received_bytes: self.received }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_arrives_after_the_completion_does_not_count_over_the_time_before() {
        let mut flow = FlowCounters::new(Instant::ZERO);
        flow.on_data(1, 1500);
        flow.on_complete(Instant::from_nanos(1), LimitedBy::default());
        flow.on_data(2, 1500);
        flow.on_complete(Instant::from_nanos(2), LimitedBy::default());
        let complete = flow.complete.unwrap();
        assert_eq!((complete.at, complete.bytes_arrived), (Instant::from_nanos(1), 1500));
    }
}
