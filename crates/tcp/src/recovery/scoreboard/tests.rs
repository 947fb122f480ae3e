use super::*;

const MSS: u64 = 1000;

/// Segments 0..n of 1000 bytes, all sent once.
fn board(n: u64) -> Scoreboard {
    let mut board = Scoreboard::new(MSS);
    for i in 0..n {
        board.push(i * MSS, MSS as u32, Instant::from_nanos(i));
    }
    board
}

fn sack(board: &mut Scoreboard, from: u64, to: u64) -> Delivery {
    let mut delivery = Delivery::default();
    board.sack(from * MSS, to * MSS, &mut delivery);
    board.mark_lost(3, &mut delivery);
    delivery
}

#[test]
fn a_hole_is_lost_when_three_segments_above_it_are_sacked() {
    let mut board = board(10);
    assert_eq!(sack(&mut board, 1, 3).lost, 0);
    assert_eq!((board.pipe(), board.next_lost()), (8 * MSS, None));
    assert_eq!(sack(&mut board, 1, 4).lost, MSS);
    assert_eq!((board.pipe(), board.next_lost()), (6 * MSS, Some(0)));
}

#[test]
fn three_short_runs_lose_what_is_below_them() {
    let mut board = Scoreboard::new(MSS);
    for i in 0..8 {
        board.push(i * 10, 10, Instant::ZERO);
    }
    let mut delivery = Delivery::default();
    for run in [1, 3, 5] {
        board.sack(run * 10, run * 10 + 10, &mut delivery);
        board.mark_lost(3, &mut delivery);
    }
    assert_eq!((delivery.lost, board.next_lost()), (10, Some(0)));
}

#[test]
fn a_retransmission_is_not_lost_by_the_same_sacks_again() {
    let mut board = board(10);
    sack(&mut board, 1, 4);
    board.retransmit(0, Instant::from_nanos(50));
    let delivery = sack(&mut board, 1, 9);
    assert_eq!((delivery.lost, board.next_lost(), board.pipe()), (0, None, 2 * MSS));
    assert_eq!(board.lose(0), MSS);
    assert_eq!(board.next_lost(), Some(0));
}

#[test]
fn repeated_blocks_deliver_nothing_new() {
    let mut board = board(100);
    assert_eq!(sack(&mut board, 10, 20).sacked, 10 * MSS);
    assert_eq!(sack(&mut board, 10, 21).sacked, MSS);
    assert_eq!(sack(&mut board, 5, 21).sacked, 5 * MSS);
    assert_eq!(board.sacked_bytes(), 16 * MSS);
}

#[test]
fn a_cumulative_ack_counts_what_sack_did_not() {
    let mut board = board(10);
    sack(&mut board, 2, 5);
    let mut delivery = Delivery::default();
    board.acknowledge(6 * MSS, &mut delivery);
    assert_eq!((delivery.acked, delivery.delivered), (6 * MSS, 3 * MSS));
    assert_eq!((board.outstanding(), board.pipe(), board.sacked_bytes()), (4 * MSS, 4 * MSS, 0));
}

#[test]
fn part_of_a_segment_can_be_acknowledged() {
    let mut board = board(2);
    let mut delivery = Delivery::default();
    board.acknowledge(300, &mut delivery);
    assert_eq!((delivery.acked, board.outstanding(), board.pipe()), (300, 1700, 1700));
    board.acknowledge(1000, &mut delivery);
    assert_eq!((delivery.acked, board.first().map(|sent| sent.start)), (1000, Some(1000)));
}

#[test]
fn after_a_timeout_everything_waits_for_retransmission_in_order() {
    let mut board = board(4);
    sack(&mut board, 2, 3);
    board.lose_all(true);
    let mut order = Vec::new();
    while let Some(id) = board.next_lost() {
        board.retransmit(id, Instant::from_nanos(9));
        order.push(id);
    }
    assert_eq!((order, board.pipe()), (vec![0, 1, 3], 3 * MSS));
}

#[test]
fn what_a_timeout_forgets_is_not_delivered_again() {
    let mut board = board(4);
    assert_eq!(sack(&mut board, 2, 4).delivered, 2 * MSS);
    board.lose_all(false);
    assert_eq!((board.sacked_bytes(), sack(&mut board, 2, 3).delivered), (0, 0));
    let mut delivery = Delivery::default();
    board.acknowledge(4 * MSS, &mut delivery);
    assert_eq!((delivery.acked, delivery.delivered), (4 * MSS, 2 * MSS));
}

#[test]
fn a_receiver_that_reneged_is_not_believed_after_a_timeout() {
    let mut board = board(4);
    sack(&mut board, 2, 4);
    board.acknowledge(2 * MSS, &mut Delivery::default());
    assert!(board.shows_reneging());
    board.lose_all(true);
    assert_eq!((board.sacked_bytes(), board.next_lost()), (0, Some(2)));
}

#[test]
fn an_undone_timeout_puts_everything_back_into_the_network() {
    let mut board = board(4);
    sack(&mut board, 2, 3);
    board.lose_all(true);
    board.unlose_all();
    assert_eq!((board.pipe(), board.next_lost()), (3 * MSS, None));
    assert_eq!(sack(&mut board, 2, 4).lost, 0);
}

#[test]
fn an_undone_fast_retransmission_does_not_repeat_those_in_flight() {
    let mut board = board(8);
    assert_eq!(sack(&mut board, 3, 7).lost, 3 * MSS);
    let first = board.next_lost().unwrap();
    board.retransmit(first, Instant::from_nanos(9));
    board.unlose_waiting();
    assert_eq!((board.pipe(), board.next_lost()), (4 * MSS, None));
    // The SACKed segments show the holes again; the first was retransmitted.
    let mut delivery = Delivery::default();
    board.mark_lost(3, &mut delivery);
    assert_eq!((delivery.lost, board.next_lost()), (2 * MSS, Some(1)));
    check(&board);
}

/// The running sums against a traversal of the whole scoreboard, after random operations.
#[test]
fn the_running_sums_equal_a_traversal_of_the_scoreboard() {
    let mut stream = farlink_kernel::random::Stream::new(1, "scoreboard", 0);
    for _ in 0..200 {
        let mut board = board(30);
        let mut delivery = Delivery::default();
        let mut una = 0;
        for step in 0..60 {
            match stream.below(6) {
                0 => {
                    una = (una + stream.below(3)).min(30);
                    board.acknowledge(una * MSS, &mut delivery);
                }
                1 | 2 => {
                    let from = stream.below(30);
                    sack(&mut board, from, from + 1 + stream.below(4));
                }
                3 | 4 => {
                    if let Some(id) = board.next_lost() {
                        board.retransmit(id, Instant::from_nanos(100 + step));
                    }
                }
                _ => match stream.below(30) {
                    0..3 => board.lose_all(stream.below(2) == 0),
                    3 => board.unlose_all(),
                    4 => board.unlose_waiting(),
                    _ => {}
                },
            }
            check(&board);
        }
    }
}

fn check(board: &Scoreboard) {
    let ring = || board.ring.ids().map(|id| &board.ring[id]);
    let sum = |f: &dyn Fn(&Sent) -> bool| ring().filter(|s| f(s)).map(|s| u64::from(s.len)).sum::<u64>();
    let pipe: u64 = ring().map(|s| u64::from(s.len) * u64::from(s.copies)).sum();
    assert_eq!(board.pipe, pipe);
    assert_eq!(board.sacked_bytes, sum(&Sent::is_sacked));
    let above = &ring().skip((board.frontier - board.ring.begin()) as usize).collect::<Vec<_>>();
    let sacked_above: u64 = above.iter().filter(|s| s.is_sacked()).map(|s| u64::from(s.len)).sum();
    assert_eq!(board.sacked_above, sacked_above);
    let ends = above.iter().zip(above.iter().skip(1).map(Some).chain([None]));
    let runs = ends.filter(|(s, next)| s.is_sacked() && !next.is_some_and(|n| n.is_sacked())).count();
    assert_eq!(board.runs_above as usize, runs);
    for (id, sent) in board.ring.ids().map(|id| (id, board.ring[id])) {
        assert!(
            id >= board.frontier || sent.is_sacked() || sent.is_lost(),
            "a hole below the frontier is lost"
        );
        let waits = sent.is_lost() && !sent.is_sacked() && !sent.is_retransmitted();
        assert!(!waits || (id >= board.hint && id < board.lost_end), "no segment is forgotten");
    }
}
