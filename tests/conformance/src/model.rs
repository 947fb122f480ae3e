//! The running sums of a scoreboard, computed again as RFC 6675 section 4 defines them.

use farlink_tcp::recovery::scoreboard::{Scoreboard, Sent};

/// The outstanding segments.
pub(crate) fn segments(board: &Scoreboard) -> impl Iterator<Item = &Sent> {
    (board.first_id()..board.next_id()).filter_map(|id| board.get(id))
}

/// `SetPipe`: of what was not reported by SACK, what is not lost counts, and what was retransmitted counts.
pub(crate) fn pipe(board: &Scoreboard) -> u64 {
    let in_network = |sent: &Sent| u64::from(!sent.is_lost()) + u64::from(sent.is_retransmitted());
    segments(board).filter(|sent| !sent.is_sacked()).map(|sent| u64::from(sent.len) * in_network(sent)).sum()
}

/// The running sums against a traversal.
pub(crate) fn check(board: &Scoreboard) -> Result<(), String> {
    if board.pipe() != pipe(board) {
        return Err(format!("pipe is {} by the sum and {} by a traversal", board.pipe(), pipe(board)));
    }
    let sacked: u64 = segments(board).filter(|sent| sent.is_sacked()).map(|sent| u64::from(sent.len)).sum();
    if board.sacked_bytes() != sacked {
        return Err(format!(
            "{} bytes are SACKed by the sum and {sacked} by a traversal",
            board.sacked_bytes()
        ));
    }
    let mut expected = board.first().map(|first| first.start);
    for sent in segments(board) {
        if expected.replace(sent.end()) != Some(sent.start) || sent.len == 0 {
            return Err(format!("a gap or nothing before {sent:?}"));
        }
    }
    let outstanding: u64 = segments(board).map(|sent| u64::from(sent.len)).sum();
    if board.outstanding() != outstanding {
        return Err(format!(
            "{} bytes outstanding by the ends and {outstanding} by a traversal",
            board.outstanding()
        ));
    }
    Ok(())
}
