use super::*;
use crate::recovery::scoreboard::Delivery;

const MSS: u64 = 1000;

fn at(millis: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(millis)
}

struct Wire {
    board: Scoreboard,
    rack: Rack,
    nxt: u64,
}

impl Wire {
    /// `n` segments, one per millisecond.
    fn new(n: u64) -> Self {
        let rack = Rack::new(&Config::default(), &crate::recovery::testing::SETUP);
        let mut wire = Self { board: Scoreboard::new(MSS), rack, nxt: 0 };
        for i in 0..n {
            let id = wire.board.push(i * MSS, MSS as u32, at(i));
            wire.rack.on_sent(&wire.board, id, at(i));
        }
        wire.nxt = n * MSS;
        wire
    }

    fn ack(&mut self, now: Instant, una: u64, sacked: Option<(u64, u64)>) -> (Step, u64) {
        let prior_una = self.board.first().map_or(self.nxt, |sent| sent.start);
        let mut delivery = Delivery::default();
        self.board.acknowledge(una * MSS, &mut delivery);
        if let Some((left, right)) = sacked {
            self.board.sack(left * MSS, right * MSS, &mut delivery);
        }
        let mut acked = Acked {
            now,
            una: una * MSS,
            prior_una,
            nxt: self.nxt,
            is_duplicate: una * MSS == prior_una,
            has_dsack: false,
            delivery,
            srtt: Duration::from_millis(50),
            min_rtt: Duration::from_millis(40),
            cwnd: u64::MAX,
            echoes_original: false,
        };
        (self.rack.on_ack(&mut self.board, &mut acked), acked.delivery.lost)
    }
}

#[test]
fn a_late_segment_gets_a_quarter_round_trip_before_it_is_lost() {
    let mut wire = Wire::new(4);
    assert_eq!(wire.ack(at(41), 0, Some((1, 2))), (Step::Stay, 0));
    // Segment 0 left at 0; RACK.rtt is 40 ms and reo_wnd 10 ms; RACK.xmit_ts is 1 ms.
    assert_eq!(wire.rack.deadline(), at(51));
    assert_eq!(wire.rack.on_deadline(&mut wire.board, at(51)), Step::Enter(LossKind::Rack));
    assert_eq!(wire.board.next_lost(), Some(0));
}

#[test]
fn three_sacked_segments_end_the_patience_unless_reordering_was_seen() {
    let mut wire = Wire::new(6);
    wire.ack(at(41), 0, Some((1, 3)));
    assert_eq!(wire.ack(at(43), 0, Some((1, 4))), (Step::Enter(LossKind::Rack), MSS));
    let mut wire = Wire::new(6);
    wire.rack.reordering_seen = true;
    wire.ack(at(41), 0, Some((1, 3)));
    assert_eq!(wire.ack(at(43), 0, Some((1, 4))), (Step::Stay, 0));
}

#[test]
fn a_lost_retransmission_is_found_by_what_was_sent_after_it() {
    let mut wire = Wire::new(6);
    wire.ack(at(43), 0, Some((1, 4)));
    let lost = wire.board.next_lost().expect("segment 0 is lost");
    wire.board.retransmit(lost, at(44));
    wire.rack.on_sent(&wire.board, lost, at(44));
    let id = wire.board.push(6 * MSS, MSS as u32, at(45));
    wire.rack.on_sent(&wire.board, id, at(45));
    assert_eq!(wire.ack(at(90), 0, Some((1, 7))).1, MSS);
    assert_eq!(wire.board.next_lost(), Some(0));
}

#[test]
fn the_reordering_window_follows_the_table_of_the_rfc() {
    // min_rtt 40 ms, SRTT 50 ms: seen, in recovery, SACKed segments, multiplier, window in ms.
    let table = [
        (false, false, 0, 1, 10),
        (false, false, 3, 1, 0),
        (false, true, 0, 1, 0),
        (true, false, 3, 1, 10),
        (true, true, 9, 2, 20),
        (true, false, 0, 4, 40),
        (true, false, 0, 6, 50),
    ];
    for (seen, in_recovery, sacked, mult, window) in table {
        let mut wire = Wire::new(20);
        wire.board.sack(MSS, (1 + sacked) * MSS, &mut Delivery::default());
        let rack = &mut wire.rack;
        (rack.reordering_seen, rack.reo_wnd_mult) = (seen, mult);
        (rack.min_rtt, rack.srtt) = (Duration::from_millis(40), Duration::from_millis(50));
        rack.episode.phase = if in_recovery { Phase::Fast } else { Phase::Open };
        assert_eq!(rack.reo_wnd(&wire.board), Duration::from_millis(window));
    }
}

#[test]
fn a_silent_tail_is_probed_after_two_round_trips() {
    let mut wire = Wire::new(4);
    assert_eq!(wire.ack(at(40), 1, None).0, Step::Stay);
    assert_eq!(wire.rack.deadline(), at(140));
    assert_eq!(wire.rack.on_deadline(&mut wire.board, at(140)), Step::Probe);
    wire.rack.on_probe_sent(wire.nxt, true);
    assert_eq!(wire.rack.deadline(), Instant::NEVER);
    // The probe was the last segment again, and more than it is acknowledged: one loss was repaired.
    wire.nxt += MSS;
    let id = wire.board.push(4 * MSS, MSS as u32, at(150));
    wire.rack.on_sent(&wire.board, id, at(150));
    assert_eq!(wire.ack(at(190), 5, None).0, Step::Reduce(LossKind::Rack));
}

#[test]
fn what_was_lost_after_the_begin_of_an_episode_begins_the_next() {
    let mut wire = Wire::new(6);
    assert_eq!(wire.ack(at(45), 0, Some((1, 6))), (Step::Enter(LossKind::Rack), MSS));
    // Segments 6 to 9 leave in the episode; 6 is lost, and both are retransmitted.
    for (i, now) in (6..10).map(|i| (i, at(40 + i))) {
        let id = wire.board.push(i * MSS, MSS as u32, now);
        wire.rack.on_sent(&wire.board, id, now);
    }
    wire.nxt = 10 * MSS;
    wire.board.retransmit(0, at(50));
    wire.rack.on_sent(&wire.board, 0, at(50));
    assert_eq!(wire.ack(at(89), 0, Some((7, 10))), (Step::Stay, MSS));
    wire.board.retransmit(6, at(89));
    wire.rack.on_sent(&wire.board, 6, at(89));
    assert_eq!(wire.ack(at(91), 6, None), (Step::Enter(LossKind::Rack), 0));
    assert_eq!(wire.board.next_lost(), None);
}
