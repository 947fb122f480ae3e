//! [`Rounds`]: the share of marked packets per round trip, which scalable algorithms average (RFC 8257 section 3.3).

use super::Ack;

/// Sums of doubles differ by less than this part of a segment.
const TOLERANCE: f64 = 1e-6;

/// A round trip ends when what was in flight at its begin is delivered.
#[derive(Clone, Debug, Default)]
pub(super) struct Rounds {
    delivered: f64,
    marked: f64,
    /// The round under way: what was delivered and marked before it, and what is delivered when it ends.
    begin: (f64, f64),
    end: f64,
}

impl Rounds {
    /// Takes an ACK in.
    pub(super) fn on_ack(&mut self, ack: &Ack) {
        self.delivered += ack.delivered;
        self.marked += ack.marked;
    }

    /// What will be delivered when all in flight now is.
    pub(super) fn horizon(&self, ack: &Ack) -> f64 {
        self.delivered + ack.flight
    }

    /// True when data beyond `horizon` are delivered.
    pub(super) fn is_past(&self, horizon: f64) -> bool {
        self.delivered > horizon + TOLERANCE
    }

    /// True when data beyond the round are delivered.
    pub(super) fn is_over(&self) -> bool {
        self.is_past(self.end)
    }

    /// True when all of the round is delivered.
    pub(super) fn is_delivered(&self) -> bool {
        self.delivered > self.end - TOLERANCE
    }

    /// Packets delivered and marked since the round began.
    pub(super) fn counts(&self) -> (f64, f64) {
        (self.delivered - self.begin.0, self.marked - self.begin.1)
    }

    /// The marked share since the round began.
    pub(super) fn share(&self) -> f64 {
        let (delivered, marked) = self.counts();
        if delivered > 0.0 { (marked / delivered).min(1.0) } else { 0.0 }
    }

    /// Another round begins.
    pub(super) fn restart(&mut self, ack: &Ack) {
        self.begin = (self.delivered, self.marked);
        self.end = self.horizon(ack);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::testing::Bench;

    #[test]
    fn a_round_ends_with_the_first_segment_beyond_what_was_in_flight() {
        let ack = Ack { delivered: 1.0, flight: 4.0, ..Bench::new("reno", 5.0).ack() };
        let mut rounds = Rounds::default();
        rounds.on_ack(&ack);
        assert!(rounds.is_over(), "nothing was in flight before");
        rounds.restart(&ack);
        let mut over = [false; 5];
        for (index, over) in over.iter_mut().enumerate() {
            rounds.on_ack(&Ack { marked: if index < 2 { 1.0 } else { 0.0 }, ..ack });
            *over = rounds.is_over();
            assert_eq!(rounds.is_delivered(), index >= 3);
        }
        assert_eq!(over, [false, false, false, false, true]);
        assert_eq!((rounds.counts(), rounds.share()), ((5.0, 2.0), 0.4));
    }
}
