//! [`Bench`]: a recovery member over a scoreboard, fed by hand.

use farlink_kernel::{Duration, Instant};

use super::scoreboard::{Delivery, Scoreboard, SegmentId};
use super::{Acked, Recovery, Setup, Step};

pub(super) const MSS: u64 = 1000;

pub(super) const SETUP: Setup = Setup {
    limited_transmit: true,
    keep_sacked_on_timeout: true,
    duplicates_deliver: false,
    reduces_packets: false,
};

pub(super) struct Bench<R> {
    pub(super) board: Scoreboard,
    pub(super) recovery: R,
    una: u64,
}

impl<R: Recovery> Bench<R> {
    /// `flight` segments are in flight.
    pub(super) fn new(recovery: R, flight: u64) -> Self {
        let mut bench = Self { board: Scoreboard::new(MSS), recovery, una: 0 };
        (0..flight).for_each(|_| bench.send_new());
        bench
    }

    fn send_new(&mut self) {
        let id = self.board.push(self.board.next_id() * MSS, MSS as u32, Instant::ZERO);
        self.recovery.on_sent(&self.board, id, Instant::ZERO);
    }

    /// An ACK of segments below `una` with the SACK block `from..to`, in segments.
    pub(super) fn ack(&mut self, una: u64, (from, to): (u64, u64)) -> Step {
        let mut acked = Acked {
            now: Instant::ZERO,
            una: una * MSS,
            prior_una: self.una * MSS,
            nxt: self.board.next_id() * MSS,
            is_duplicate: una == self.una,
            has_dsack: false,
            delivery: Delivery::default(),
            srtt: Duration::ZERO,
            min_rtt: Duration::ZERO,
            cwnd: u64::MAX,
            echoes_original: false,
        };
        self.board.acknowledge(acked.una, &mut acked.delivery);
        if self.recovery.reads_sack() {
            self.board.sack(from * MSS, to * MSS, &mut acked.delivery);
        }
        self.una = una;
        self.recovery.on_ack(&mut self.board, &mut acked)
    }

    pub(super) fn time_out(&mut self) {
        self.recovery.on_timeout(&mut self.board, Instant::ZERO);
    }

    /// Sends while a window of `cwnd` segments lets it; what was sent, in segments.
    pub(super) fn send(&mut self, cwnd: u64) -> Vec<SegmentId> {
        let mut sent = Vec::new();
        while self.recovery.room(&self.board, cwnd * MSS) >= MSS {
            if let Some(id) = self.recovery.next_retransmission(&mut self.board, false) {
                self.board.retransmit(id, Instant::ZERO);
                self.recovery.on_sent(&self.board, id, Instant::ZERO);
                sent.push(id);
            } else {
                sent.push(self.board.next_id());
                self.send_new();
            }
        }
        sent
    }
}
