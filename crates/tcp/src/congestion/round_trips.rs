//! [`RoundTrips`]: round trips by what is delivered, for algorithms that decide once per round trip and need no delivery
//! rate.

use super::Ack;

/// The current round trip, in segments since the connection began.
#[derive(Clone, Debug, Default)]
pub(super) struct RoundTrips {
    delivered: f64,
    end: f64,
}

impl RoundTrips {
    /// True when data was delivered that was sent after the round trip began. The next one begins then.
    #[inline]
    pub(super) fn on_ack(&mut self, ack: &Ack) -> bool {
        self.delivered += ack.delivered;
        if self.delivered <= self.end {
            return false;
        }
        self.end = self.delivered + ack.flight;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::testing::Bench;

    #[test]
    fn a_round_trip_is_over_when_what_was_in_flight_is_delivered() {
        let ack = Ack { flight: 9.0, ..Bench::new("reno", 10.0).ack() };
        let mut rounds = RoundTrips::default();
        let ends: Vec<_> = (0..31).filter(|_| rounds.on_ack(&ack)).collect();
        assert_eq!(ends, [0, 10, 20, 30]);
        assert!(!rounds.on_ack(&Ack { delivered: 0.0, ..ack }));
    }
}
