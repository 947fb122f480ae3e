//! The card's vectors and the published example of RFC 6937 section 3.1: in segments, whatever their size in bytes.

use super::*;
use crate::{congestion::LossKind, recovery::scoreboard::Delivery};
use farlink_kernel::Duration;

struct Episode {
    board: Scoreboard,
    prr: Prr,
    nxt: u64,
    /// Bytes of a segment.
    size: u64,
}

impl Episode {
    /// `flight` segments of `size` bytes are in flight.
    fn new(bound: Bound, flight: u64, size: u64) -> Self {
        let setup = Setup { keep_sacked_on_timeout: false, ..crate::recovery::testing::SETUP };
        let mut board = Scoreboard::new(size);
        for i in 0..flight {
            board.push(i * size, size as u32, Instant::ZERO);
        }
        Self { board, prr: Prr::new(&Config { bound }, &setup), nxt: flight * size, size }
    }

    /// Segment `n` is SACKed; returns pipe before sending and how many segments were sent.
    fn sack(&mut self, n: u64, ssthresh: u64, cwnd: u64) -> (u64, u64) {
        let mut delivery = Delivery::default();
        let size = self.size;
        self.board.sack(n * size, (n + 1) * size, &mut delivery);
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
            cwnd: u64::MAX,
            echoes_original: false,
        };
        let step = self.prr.on_ack(&mut self.board, &mut acked);
        if step == Step::Enter(LossKind::DuplicateAcks) {
            self.prr.on_enter(&mut self.board, ssthresh * size);
        }
        let pipe = self.board.pipe();
        let mut sent = 0;
        // Whole segments only, as a connection sends them.
        while self.prr.room(&self.board, cwnd * size) >= size {
            let id = match self.prr.next_retransmission(&mut self.board, false) {
                Some(id) => {
                    self.board.retransmit(id, Instant::ZERO);
                    id
                }
                None => {
                    self.nxt += size;
                    self.board.push(self.nxt - size, size as u32, Instant::ZERO)
                }
            };
            self.prr.on_sent(&self.board, id, Instant::ZERO);
            sent += 1;
        }
        (pipe / size, sent)
    }
}

/// Segment 0 of 20 is lost; SACKs of 1 to 19 arrive; no limited transmit (the window is not offered). From the third SACK on:
/// pipe before sending, segments sent, and the window.
fn one_loss(bound: Bound) -> Vec<[u64; 3]> {
    let rows = |size| -> Vec<[u64; 3]> {
        let mut episode = Episode::new(bound, 20, size);
        let sack = |n| {
            let (pipe, sent) = episode.sack(n, 10, 0);
            [pipe, sent, episode.prr.window().map_or(0, |window| window / size)]
        };
        (1..20).map(sack).skip(2).collect()
    };
    assert_eq!(rows(1448), rows(1));
    rows(1)
}

#[test]
fn one_loss_by_rfc_6937_sends_one_segment_per_two_acks_and_then_one_per_ack() {
    let rows = one_loss(Bound::SlowStart);
    let expected = [
        [16, 1, 17],
        [16, 0, 16],
        [15, 1, 16],
        [15, 0, 15],
        [14, 1, 15],
        [14, 0, 14],
        [13, 1, 14],
        [13, 0, 13],
        [12, 1, 13],
        [12, 0, 12],
        [11, 1, 12],
        [11, 0, 11],
        [10, 0, 10],
        [9, 1, 10],
        [9, 1, 10],
        [9, 1, 10],
        [9, 1, 10],
    ];
    assert_eq!(rows, expected);
}

#[test]
fn one_loss_by_rfc_9937_counts_the_flight_without_what_was_sacked_before() {
    let rows = one_loss(Bound::Rfc9937);
    let expected = [
        [16, 1, 17],
        [16, 1, 17],
        [16, 0, 16],
        [15, 1, 16],
        [15, 0, 15],
        [14, 1, 15],
        [14, 0, 14],
        [13, 1, 14],
        [13, 0, 13],
        [12, 1, 13],
        [12, 1, 13],
        [12, 0, 12],
        [11, 1, 12],
        [11, 0, 11],
        [10, 0, 10],
        [9, 1, 10],
        [9, 1, 10],
    ];
    assert_eq!(rows, expected);
}

/// RFC 6937 section 3.1: 20 in flight, the first 15 lost, limited transmit on the first two SACKs.
fn fifteen_losses(bound: Bound) -> Vec<(u64, u64)> {
    let mut episode = Episode::new(bound, 20, 1448);
    (15..20).map(|n| episode.sack(n, 10, 20)).collect()
}

#[test]
fn the_published_example_with_fifteen_losses() {
    assert_eq!(fifteen_losses(Bound::Conservative)[2..], [(4, 1), (4, 1), (4, 1)]);
    assert_eq!(fifteen_losses(Bound::SlowStart)[2..], [(4, 2), (5, 2), (6, 2)]);
    assert_eq!(fifteen_losses(Bound::Rfc9937)[2..], [(4, 1), (4, 1), (4, 1)]);
}
