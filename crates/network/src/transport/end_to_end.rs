//! [`EndToEnd`]: the delays of bytes that a relay passes on, from their first sender to the receiver of the relay.

use std::collections::VecDeque;

use farlink_kernel::Instant;

use crate::ids::FlowId;
use crate::metrics::delay::Delays;

/// Of one relay. Every connection of a chain carries the same stream, so that an offset names the same byte on all.
#[derive(Debug)]
pub struct EndToEnd {
    /// The flow with data of its own.
    pub origin: FlowId,
    pub relay: FlowId,
    /// From which offset on bytes were first sent by the origin, and when; ascending.
    sent: VecDeque<(u64, Instant)>,
    /// Bytes that the origin has sent.
    end: u64,
    pub delays: Delays,
}

impl EndToEnd {
    pub fn new(origin: FlowId, relay: FlowId) -> Self {
        Self { origin, relay, sent: VecDeque::new(), end: 0, delays: Delays::default() }
    }

    /// The origin has sent the bytes below `end`.
    pub fn on_sent(&mut self, end: u64, now: Instant) {
        if end > self.end {
            self.sent.push_back((self.end, now));
            self.end = end;
        }
    }

    /// A packet from `offset` on reached the receiver of the relay for the first time; it has all bytes below
    /// `received`.
    pub fn on_first_arrival(&mut self, offset: u64, received: u64, now: Instant) {
        let place = self.sent.partition_point(|&(from, _)| from <= offset);
        if let Some(&(_, sent)) = place.checked_sub(1).and_then(|place| self.sent.get(place)) {
            self.delays.add(now - sent);
        }
        while self.sent.get(1).is_some_and(|&(from, _)| from <= received) {
            self.sent.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use farlink_kernel::Duration;

    use super::*;

    #[test]
    fn a_delay_is_from_the_first_transmission_of_the_first_byte() {
        let at = |seconds| Instant::ZERO + Duration::from_secs(seconds);
        let mut bytes = EndToEnd::new(FlowId(0), FlowId(1));
        bytes.on_sent(1000, at(1));
        bytes.on_sent(3000, at(2));
        bytes.on_sent(3000, at(3));
        // Out of order, then the bytes before it.
        bytes.on_first_arrival(2000, 0, at(6));
        assert_eq!(bytes.delays.mean(), Some(Duration::from_secs(4)));
        bytes.on_first_arrival(0, 3000, at(7));
        assert_eq!(bytes.delays.mean(), Some(Duration::from_secs(5)));
        assert_eq!(bytes.sent, [(1000, at(2))]);
    }
}
