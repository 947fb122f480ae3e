use farlink_kernel::Bytes;

use super::*;

fn receiver() -> Receiver {
    let config = Config { segment_size: Bytes(1000), ..Config::default() };
    let mut receiver = Receiver::new(&config);
    receiver.on_syn(SeqNumber(100), None);
    receiver
}

/// Segment number `n` (from 0) of 1000 bytes.
fn arrive(receiver: &mut Receiver, n: u64) {
    let segment = Segment { len: 1000, ..Segment::default() };
    receiver.on_data(Instant::ZERO, 1 + n * 1000, &segment, Duration::ZERO);
}

/// The blocks as segment numbers.
fn blocks(receiver: &mut Receiver, room: usize) -> Vec<(u32, u32)> {
    let index = |number: SeqNumber| (number.0 - 101) / 1000;
    receiver.sack_blocks(room).as_slice().iter().map(|&(left, right)| (index(left), index(right))).collect()
}

#[test]
fn the_latest_run_is_reported_first_and_older_ones_repeated() {
    let mut receiver = receiver();
    for n in [2, 5, 8, 6] {
        arrive(&mut receiver, n);
    }
    assert_eq!(blocks(&mut receiver, 3), [(5, 7), (8, 9), (2, 3)]);
    arrive(&mut receiver, 11);
    assert_eq!(blocks(&mut receiver, 3), [(11, 12), (5, 7), (8, 9)]);
}

#[test]
fn runs_that_were_not_reported_lately_fill_the_room_if_configured() {
    for (sack_fill, expected) in [(true, vec![(11, 18), (1, 2), (3, 4)]), (false, vec![(11, 18)])] {
        let config = Config { segment_size: Bytes(1000), sack_fill, ..Config::default() };
        let mut receiver = Receiver::new(&config);
        receiver.on_syn(SeqNumber(100), None);
        // All that changed lately became one run.
        for n in [1, 3, 11, 13, 15, 17, 12, 14, 16] {
            arrive(&mut receiver, n);
        }
        assert_eq!(blocks(&mut receiver, 3), expected);
    }
}

#[test]
fn a_byte_is_delivered_once_when_it_arrives_whatever_its_order() {
    let mut receiver = receiver();
    let mut counts = Vec::new();
    for n in [0, 2, 3, 2, 5, 1, 0, 4] {
        arrive(&mut receiver, n);
        counts.push((receiver.in_order(), receiver.delivered()));
    }
    let expected =
        [(1, 1), (1, 2), (1, 3), (1, 3), (1, 4), (4, 5), (4, 5), (6, 6)].map(|(a, b)| (a * 1000, b * 1000));
    assert_eq!(counts, expected);
    // A FIN is no byte, neither ahead of a gap nor after it.
    let fin = Segment { len: 1000, flags: Flags::FIN, ..Segment::default() };
    receiver.on_data(Instant::ZERO, 7001, &fin, Duration::ZERO);
    assert_eq!((receiver.in_order(), receiver.delivered()), (6000, 7000));
    arrive(&mut receiver, 6);
    assert_eq!((receiver.in_order(), receiver.delivered()), (8000, 8000));
}

#[test]
fn filling_a_gap_moves_over_everything_behind_it_and_is_acknowledged_at_once() {
    let mut receiver = receiver();
    for n in [1, 2, 4] {
        arrive(&mut receiver, n);
    }
    receiver.on_ack_sent();
    arrive(&mut receiver, 0);
    assert_eq!((receiver.nxt, receiver.in_order()), (3001, 3000));
    assert!(receiver.acks().is_due());
    assert_eq!(blocks(&mut receiver, 4), [(4, 5)]);
}

#[test]
fn a_duplicate_is_reported_once_as_dsack() {
    let mut receiver = receiver();
    arrive(&mut receiver, 0);
    receiver.on_ack_sent();
    arrive(&mut receiver, 0);
    assert!(receiver.acks().is_due());
    assert_eq!(blocks(&mut receiver, 4), [(0, 1)]);
    assert_eq!(blocks(&mut receiver, 4), []);
}

#[test]
fn the_first_block_is_the_one_around_a_duplicate_that_triggered_the_ack() {
    for report_duplicates in [false, true] {
        let mut receiver = receiver();
        receiver.report_duplicates = report_duplicates;
        for n in [1, 3, 5] {
            arrive(&mut receiver, n);
        }
        assert_eq!(blocks(&mut receiver, 3), [(5, 6), (3, 4), (1, 2)]);
        arrive(&mut receiver, 1);
        let expected: &[_] =
            if report_duplicates { &[(1, 2), (1, 2), (5, 6)] } else { &[(1, 2), (5, 6), (3, 4)] };
        assert_eq!(blocks(&mut receiver, 3), expected);
    }
}

#[test]
fn an_empty_segment_from_the_past_is_answered_but_is_no_duplicate() {
    let mut receiver = receiver();
    arrive(&mut receiver, 0);
    receiver.on_ack_sent();
    receiver.on_duplicate_data(1, 1);
    assert!(receiver.acks().is_due());
    assert_eq!(blocks(&mut receiver, 4), []);
}

#[test]
fn every_second_segment_is_acknowledged_at_once_and_a_single_one_after_200_ms() {
    let mut receiver = receiver();
    arrive(&mut receiver, 0);
    assert!(!receiver.acks().is_due());
    assert_eq!(receiver.acks().deadline(), Instant::ZERO + Duration::from_millis(200));
    arrive(&mut receiver, 1);
    assert!(receiver.acks().is_due());
}

#[test]
fn the_window_closes_when_reading_pauses_and_opens_when_it_resumes() {
    let config = Config { segment_size: Bytes(1000), receive_buffer: Bytes(3000), ..Config::default() };
    let mut receiver = Receiver::new(&config);
    receiver.on_syn(SeqNumber(0), None);
    receiver.pause_reading(true);
    for n in 0..3 {
        arrive(&mut receiver, n);
    }
    assert_eq!(receiver.offer_window(), 0);
    receiver.on_ack_sent();
    receiver.pause_reading(false);
    assert!(receiver.acks().is_due());
    assert_eq!(receiver.offer_window(), 3000);
}

#[test]
fn the_window_opens_by_what_is_read_and_small_steps_are_not_advertised() {
    let config = Config { segment_size: Bytes(1000), receive_buffer: Bytes(4000), ..Config::default() };
    let mut receiver = Receiver::new(&config);
    receiver.on_syn(SeqNumber(0), None);
    receiver.pause_reading(true);
    for n in 0..4 {
        arrive(&mut receiver, n);
    }
    for (read, advertised, window) in [(600, false, 0), (400, true, 1000), (2500, true, 3500)] {
        receiver.on_ack_sent();
        receiver.read(Instant::ZERO, read, Duration::ZERO);
        assert_eq!((receiver.acks().is_due(), receiver.offer_window()), (advertised, window), "{read}");
    }
}

#[test]
fn what_lies_beyond_the_window_is_cut_off() {
    let config = Config { segment_size: Bytes(1000), receive_buffer: Bytes(1500), ..Config::default() };
    let mut receiver = Receiver::new(&config);
    receiver.on_syn(SeqNumber(0), None);
    arrive(&mut receiver, 0);
    receiver.pause_reading(true);
    arrive(&mut receiver, 1);
    assert_eq!(receiver.nxt, 1501);
}

#[test]
fn a_fin_counts_only_when_everything_before_it_arrived() {
    let mut receiver = receiver();
    let fin = Segment { len: 500, flags: Flags::FIN, ..Segment::default() };
    receiver.on_data(Instant::ZERO, 1001, &fin, Duration::ZERO);
    assert!(!receiver.is_finished());
    arrive(&mut receiver, 0);
    assert!(receiver.is_finished());
    assert_eq!(receiver.nxt, 1502);
}
