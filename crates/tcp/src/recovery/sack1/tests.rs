use super::super::testing::{Bench, MSS, SETUP};
use super::*;
use crate::congestion::LossKind;

fn bench(flight: u64) -> Bench<Sack1> {
    Bench::new(Sack1::new(&Config::default(), &SETUP), flight)
}

/// The third duplicate ACK of a window of 20, of which the segments below `lost` are lost; then no segment
/// has left until the window is halved.
fn episode(lost: u64) -> Bench<Sack1> {
    let mut bench = bench(20);
    for highest in 1..3 {
        assert_eq!(bench.ack(0, (lost, lost + highest)), Step::Stay);
    }
    assert_eq!(bench.ack(0, (lost, lost + 3)), Step::Enter(LossKind::DuplicateAcks));
    bench
}

#[test]
fn the_first_retransmission_stands_for_the_segment_that_is_known_to_be_lost() {
    let mut bench = episode(1);
    assert_eq!(bench.recovery.in_flight(&bench.board), 16 * MSS);
    assert_eq!(bench.send(17), [0]);
    assert_eq!(bench.recovery.in_flight(&bench.board), 17 * MSS);
}

#[test]
fn an_ack_takes_one_from_the_pipe_and_a_partial_ack_two() {
    let mut bench = episode(2);
    assert_eq!(bench.send(17), [0]);
    bench.ack(0, (2, 6));
    assert_eq!(bench.send(17), [1]);
    bench.ack(1, (2, 7));
    assert_eq!(bench.send(17), [20, 21]);
}

#[test]
fn holes_go_before_new_data_and_each_once() {
    let mut bench = bench(20);
    bench.ack(0, (3, 4));
    bench.ack(0, (5, 6));
    assert_eq!(bench.ack(0, (7, 8)), Step::Enter(LossKind::DuplicateAcks));
    assert_eq!(bench.send(22), [0, 1, 2, 4, 6, 20]);
    bench.ack(0, (9, 11));
    assert_eq!(bench.send(22), [8]);
    bench.ack(0, (11, 12));
    assert_eq!(bench.send(22), [21]);
}

#[test]
fn nothing_is_sent_when_more_than_half_of_the_window_is_lost() {
    let mut bench = episode(12);
    bench.recovery.pipe += MSS;
    for highest in 4..=8 {
        assert_eq!(bench.ack(0, (12, 12 + highest)), Step::Stay);
        assert_eq!(bench.send(10), []);
    }
    bench.time_out();
    assert_eq!(bench.send(1), [0]);
}

#[test]
fn after_a_timeout_all_is_retransmitted_and_no_episode_begins_until_it_is_acknowledged() {
    let mut bench = episode(1);
    bench.time_out();
    assert_eq!(bench.send(2), [0, 1]);
    assert_eq!(bench.ack(1, (3, 10)), Step::Stay);
    assert_eq!(bench.send(3), [2, 3]);
    for highest in 4..10 {
        assert_eq!(bench.ack(1, (3, highest)), Step::Stay);
    }
    assert_eq!(bench.board.sacked_bytes(), 0);
    assert_eq!(bench.ack(20, (0, 0)), Step::Exit { at_most: u64::MAX });
}

#[test]
fn an_ack_for_new_data_forgets_what_the_receiver_reported() {
    let mut bench = bench(20);
    bench.ack(0, (3, 5));
    assert_eq!(bench.board.sacked_bytes(), 2 * MSS);
    bench.ack(2, (3, 5));
    assert_eq!(bench.board.sacked_bytes(), 0);
}
