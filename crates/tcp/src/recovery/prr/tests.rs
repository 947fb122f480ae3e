//! The card's vectors and the published example of RFC 6937 section 3.1, in segments of one byte.

use super::*;
use crate::congestion::LossKind;
use crate::recovery::scoreboard::{Delivery, Stamp};
use farlink_kernel::Duration;

struct Episode {
    board: Scoreboard,
    prr: Prr,
    nxt: u64,
}

impl Episode {
    /// `flight` segments of one byte are in flight.
    fn new(bound: Bound, flight: u64) -> Self {
        let setup = Setup { limited_transmit: true, keep_sacked_on_timeout: false };
        let mut board = Scoreboard::new(1);
        for i in 0..flight {
            board.push(i, 1, Instant::ZERO, Stamp::default());
        }
        Self { board, prr: Prr::new(&Config { bound }, &setup), nxt: flight }
    }

    /// Segment `n` is SACKed; returns pipe before sending and how many segments were sent.
    fn sack(&mut self, n: u64, ssthresh: u64, cwnd: u64) -> (u64, u64) {
        let mut delivery = Delivery::default();
        self.board.sack(n, n + 1, &mut delivery);
        let mut acked = Acked {
            now: Instant::ZERO,
            una: 0,
            prior_una: 0,
            nxt: self.nxt,
            is_duplicate: true,
            has_dsack: false,
            delivery,
            srtt: Duration::ZERO,
            min_rtt: Duration::MAX,
            echoes_original: false,
        };
        let step = self.prr.on_ack(&mut self.board, &mut acked);
        if step == Step::Enter(LossKind::DuplicateAcks) {
            self.prr.on_enter(&mut self.board, ssthresh);
        }
        let pipe = self.board.pipe();
        let mut sent = 0;
        while self.prr.in_flight(&self.board) < self.prr.allowance(&self.board, cwnd) {
            let id = match self.prr.next_retransmission(&mut self.board, false) {
                Some(id) => {
                    self.board.resend(id, Instant::ZERO, Stamp::default());
                    id
                }
                None => {
                    self.nxt += 1;
                    self.board.push(self.nxt - 1, 1, Instant::ZERO, Stamp::default())
                }
            };
            self.prr.on_sent(&self.board, id, Instant::ZERO);
            sent += 1;
        }
        (pipe, sent)
    }
}

/// Segment 0 of 20 is lost; SACKs of 1 to 19 arrive; no limited transmit (the window is not offered).
fn one_loss(bound: Bound) -> Vec<u64> {
    let mut episode = Episode::new(bound, 20);
    (1..20).map(|n| episode.sack(n, 10, 0).1).skip(2).collect()
}

#[test]
fn one_loss_by_rfc_6937_sends_one_segment_per_two_acks_and_then_one_per_ack() {
    assert_eq!(one_loss(Bound::SlowStart), [1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1, 1, 1]);
}

#[test]
fn one_loss_by_rfc_9937_counts_the_flight_without_what_was_sacked_before() {
    assert_eq!(one_loss(Bound::Rfc9937), [1, 1, 0, 1, 0, 1, 0, 1, 0, 1, 1, 0, 1, 0, 0, 1, 1]);
}

/// RFC 6937 section 3.1: 20 in flight, the first 15 lost, limited transmit on the first two SACKs.
fn fifteen_losses(bound: Bound) -> Vec<(u64, u64)> {
    let mut episode = Episode::new(bound, 20);
    (15..20).map(|n| episode.sack(n, 10, 20)).collect()
}

#[test]
fn the_published_example_with_fifteen_losses() {
    assert_eq!(fifteen_losses(Bound::Conservative)[2..], [(4, 1), (4, 1), (4, 1)]);
    assert_eq!(fifteen_losses(Bound::SlowStart)[2..], [(4, 2), (5, 2), (6, 2)]);
    assert_eq!(fifteen_losses(Bound::Rfc9937)[2..], [(4, 1), (4, 1), (4, 1)]);
}
