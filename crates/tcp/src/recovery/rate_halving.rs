//! M. Mathis, J. Semke, J. Mahdavi, "The Rate-Halving Algorithm for TCP Congestion Control",
//! draft-mathis-tcp-ratehalving-00, 1999, with the losses of M. Mathis, J. Mahdavi, "Forward
//! Acknowledgement: Refining TCP Congestion Control", SIGCOMM 1996; as ns-2.35's TCP-Linux agent does it.
//!
//! A hole is lost once the highest SACKed segment is far enough above it. While losses are repaired, one segment leaves
//! for every two that have left the network, so that a round trip halves the flight without a pause. A retransmission
//! is lost when new data sent after it arrived, or a retransmission far enough after it.
//!
//! Equations: allowance = cwnd when an episode begins, min(allowance, flight + 1) per ACK and min(allowance, flight - 1) per
//! transmission, in segments; sent is while flight < max(cwnd, allowance); at the end cwnd is at most
//! flight + 3. Left out: nothing.

use std::collections::VecDeque;

use farlink_kernel::{Instant, config};

use super::scoreboard::{Scoreboard, SegmentId};
use super::{Acked, Phase, Recovery, Setup, Step};
use crate::congestion::LossKind;

pub(super) const SOURCE: &str = "draft-mathis-tcp-ratehalving-00, 1999";
pub(super) const NEEDS_TIMER: bool = false;

/// Segments that may leave at once when an episode ends (`tcp_max_burst`).
const MAX_BURST: u64 = 3;

config! {
    /// Parameters of rate halving.
    pub struct Config {
        /// A hole is lost when the highest SACKed segment is this many above it (FACK: 3; ns-2: 4).
        pub distance: u64 = 3; in 1..,
        /// The end of an episode forgets every SACK block, also of what was sent since it began (ns-2).
        pub clear_scoreboard_on_exit: bool = false,
        /// The scoreboard is traversed once per ACK, from the lowest hole up: losses below a SACKed retransmission are
        /// found with the next ACK (ns-2).
        pub one_pass: bool = false,
    }
}

/// A retransmission whose fate is not known yet.
#[derive(Clone, Copy, Debug)]
struct Retransmission {
    id: SegmentId,
    /// The id the next new segment had then.
    next_new: SegmentId,
    /// Which transmission of the connection it was, and which retransmission, counted from 1.
    nth: u64,
    number: u64,
}

#[derive(Clone, Debug)]
pub(crate) struct RateHalving {
    config: Config,
    phase: Phase,
    /// `SND.NXT` when the episode began.
    recovery_point: u64,
    /// Bytes that may be in flight although the window is smaller; zero outside of fast recovery.
    allowance: u64,
    /// In the order in which they were sent.
    retransmitted: VecDeque<Retransmission>,
    /// Those that the next ACK will find lost; empty between ACKs.
    deferred: Vec<Retransmission>,
    /// How many retransmissions there were, and which of them is the latest that arrived.
    retransmissions: u64,
    latest_arrived: u64,
    setup: Setup,
}

impl RateHalving {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        Self {
            config: config.clone(),
            phase: Phase::Open,
            recovery_point: 0,
            allowance: 0,
            retransmitted: VecDeque::new(),
            deferred: Vec::new(),
            retransmissions: 0,
            latest_arrived: 0,
            setup: *setup,
        }
    }

    /// Losses that this ACK's SACK blocks show, retransmissions among them. Returns their bytes.
    fn mark_lost(&mut self, board: &mut Scoreboard, acked: &mut Acked) -> u64 {
        let before = acked.delivery.lost;
        board.mark_lost_below(self.config.distance, &mut acked.delivery);
        let (arrived, arrived_id) = self.arrived(board, acked).unwrap_or_default();
        let latest = self.latest_arrived.max(arrived);
        while let Some(&first) = self.retransmitted.front() {
            let Retransmission { id, next_new, number, .. } = first;
            let is_deferred = self.config.one_pass && id < arrived_id && arrived_id >= board.first_id();
            let overtaker = if is_deferred { self.latest_arrived } else { latest };
            let is_overtaken = |by: u64| number + self.config.distance < by || next_new < board.sacked_end();
            let is_outstanding =
                board.get(id).is_some_and(|sent| sent.is_retransmitted() && !sent.is_sacked());
            if is_outstanding && is_overtaken(overtaker) {
                acked.delivery.lost += board.lose(id);
            } else if is_outstanding && is_overtaken(latest) {
                self.deferred.push(first);
            } else if is_outstanding {
                break;
            }
            self.retransmitted.pop_front();
        }
        while let Some(deferred) = self.deferred.pop() {
            self.retransmitted.push_front(deferred);
        }
        self.latest_arrived = latest;
        acked.delivery.lost - before
    }
}

impl RateHalving {
    /// The retransmission that this ACK reports, the last sent of several: its number and its segment.
    fn arrived(&self, board: &Scoreboard, acked: &Acked) -> Option<(u64, SegmentId)> {
        let newest = board.newest(&acked.delivery).filter(|sent| sent.is_retransmitted())?;
        let index = self.retransmitted.binary_search_by_key(&newest.nth, |sent| sent.nth).ok()?;
        let Retransmission { number, id, .. } = self.retransmitted[index];
        Some((number, id))
    }
}

impl Recovery for RateHalving {
    fn phase(&self) -> Phase {
        self.phase
    }

    fn on_ack(&mut self, board: &mut Scoreboard, acked: &mut Acked) -> Step {
        let lost = self.mark_lost(board, acked);
        if self.phase != Phase::Open && acked.una >= self.recovery_point {
            self.phase = Phase::Open;
            self.allowance = 0;
            if self.config.clear_scoreboard_on_exit {
                board.forget();
                self.retransmitted.clear();
            }
            return Step::Exit { at_most: board.pipe() + MAX_BURST * board.segment_size() };
        }
        let flight_and_one = board.pipe() + board.segment_size();
        // A timeout's repair may meet a new loss: that is a new episode (ns-2 TCP-Linux).
        if self.phase != Phase::Fast && lost > 0 {
            self.phase = Phase::Fast;
            self.recovery_point = acked.nxt;
            self.allowance = acked.cwnd.min(flight_and_one);
            return Step::Enter(LossKind::DuplicateAcks);
        }
        self.allowance = self.allowance.min(flight_and_one);
        Step::Stay
    }

    fn begins_at_once(&self) -> bool {
        false
    }

    fn on_timeout(&mut self, board: &mut Scoreboard, _now: Instant) {
        board.lose_all(self.setup.keep_sacked_on_timeout);
        self.phase = Phase::Timeout;
        self.recovery_point = board.nxt();
        self.allowance = 0;
        self.retransmitted.clear();
    }

    fn on_spurious(&mut self, board: &mut Scoreboard) {
        board.unlose_all();
        self.phase = Phase::Open;
        self.recovery_point = board.una();
        self.allowance = 0;
    }

    fn allowance(&self, _board: &Scoreboard, cwnd: u64) -> u64 {
        cwnd.max(self.allowance)
    }

    fn next_retransmission(&mut self, board: &mut Scoreboard, _no_new_data: bool) -> Option<SegmentId> {
        board.next_lost()
    }

    fn on_sent(&mut self, board: &Scoreboard, id: SegmentId, _now: Instant) {
        let segment = board.segment_size();
        self.allowance = self.allowance.min(board.pipe().saturating_sub(segment).max(segment));
        if let Some(sent) = board.get(id).filter(|sent| sent.was_ever_retransmitted()) {
            self.retransmissions += 1;
            let number = self.retransmissions;
            self.retransmitted.push_back(Retransmission {
                id,
                next_new: board.next_id(),
                nth: sent.nth,
                number,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{self, MSS, SETUP};
    use super::*;

    type Bench = testing::Bench<RateHalving>;

    fn bench(distance: u64, flight: u64) -> Bench {
        Bench::new(RateHalving::new(&Config { distance, ..Config::default() }, &SETUP), flight)
    }

    #[test]
    fn a_hole_is_lost_when_the_highest_sack_is_far_enough_above_it() {
        for distance in [3, 4] {
            let mut bench = bench(distance, 10);
            for highest in 1..distance {
                assert_eq!(bench.ack(0, (1, highest + 1)), Step::Stay);
            }
            assert_eq!(bench.ack(0, (1, distance + 1)), Step::Enter(LossKind::DuplicateAcks));
            assert_eq!(bench.board.next_lost(), Some(0));
        }
    }

    #[test]
    fn one_segment_leaves_for_every_two_acks_until_all_is_repaired() {
        let mut bench = bench(3, 20);
        bench.ack(0, (1, 4));
        assert_eq!(bench.send(5), [0]);
        let sent: Vec<usize> = (5..=20)
            .map(|end| {
                bench.ack(0, (1, end));
                bench.send(5).len()
            })
            .collect();
        assert_eq!(sent, [0, 1].repeat(8));
        assert_eq!(bench.board.pipe(), 9 * MSS);
        assert_eq!(bench.ack(20, (0, 0)), Step::Exit { at_most: (8 + MAX_BURST) * MSS });
    }

    #[test]
    fn a_retransmission_overtaken_by_later_data_is_lost_again() {
        let mut bench = bench(3, 10);
        bench.ack(0, (1, 4));
        assert_eq!(bench.send(8), [0, 10]);
        assert_eq!(bench.ack(0, (1, 10)), Step::Stay);
        assert_eq!(bench.board.next_lost(), None);
        bench.ack(0, (1, 11));
        assert_eq!(bench.board.next_lost(), Some(0));
    }

    #[test]
    fn a_retransmission_overtaken_by_enough_later_ones_is_lost_again() {
        let mut bench = bench(3, 20);
        bench.ack(0, (8, 20));
        assert_eq!(bench.send(8), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(bench.ack(0, (3, 4)), Step::Stay);
        assert_eq!(bench.board.next_lost(), None);
        bench.ack(0, (4, 5));
        assert_eq!(bench.board.next_lost(), Some(0));
    }

    #[test]
    fn one_pass_sees_holes_below_a_retransmission_that_arrived_with_the_next_ack() {
        let mut bench = bench(3, 20);
        bench.recovery.config.one_pass = true;
        bench.ack(0, (8, 20));
        assert_eq!(bench.send(8), [0, 1, 2, 3, 4, 5, 6, 7]);
        bench.ack(0, (4, 5));
        assert_eq!(bench.board.next_lost(), None);
        bench.ack(0, (5, 6));
        assert_eq!(bench.board.next_lost(), Some(0));
    }

    #[test]
    fn the_end_of_an_episode_may_forget_what_was_sacked_above_it() {
        for clear_scoreboard_on_exit in [false, true] {
            let mut bench = bench(3, 10);
            bench.recovery.config.clear_scoreboard_on_exit = clear_scoreboard_on_exit;
            bench.ack(0, (1, 4));
            assert_eq!(bench.send(10), [0, 10, 11, 12]);
            bench.ack(0, (4, 10));
            bench.ack(0, (11, 13));
            bench.ack(10, (0, 0));
            assert_eq!(bench.board.sacked_bytes(), if clear_scoreboard_on_exit { 0 } else { 2 * MSS });
            assert_eq!(bench.board.pipe(), if clear_scoreboard_on_exit { 3 * MSS } else { MSS });
        }
    }

    #[test]
    fn a_new_loss_while_a_timeout_is_repaired_begins_an_episode() {
        let mut bench = bench(3, 4);
        bench.time_out();
        assert_eq!(bench.send(2), [0, 1]);
        bench.ack(2, (0, 0));
        assert_eq!(bench.send(4), [2, 3, 4, 5]);
        assert_eq!(bench.ack(2, (3, 6)), Step::Enter(LossKind::DuplicateAcks));
    }
}
