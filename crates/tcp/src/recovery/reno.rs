//! M. Allman, V. Paxson, E. Blanton, "TCP Congestion Control", RFC 5681, 2009, section 3.2: fast
//! retransmit and fast recovery.
//!
//! The third duplicate ACK retransmits the first segment; every duplicate ACK means that one segment has
//! left the network; the next new ACK ends the episode, even if more was lost.
//!
//! Equations: window = ssthresh + duplicates (artificial inflation). Left out: nothing.

use farlink_kernel::config;

use super::duplicate_acks::{AckRules, Duplicates, WithoutSack};
use super::scoreboard::Scoreboard;
use super::{Acked, Setup, Step};

pub(super) const SOURCE: &str = "RFC 5681, 2009, section 3.2";
pub(super) const NEEDS_TIMER: bool = true;

config! {
    /// Parameters of Reno recovery: none.
    pub struct Config {}
}

pub type Reno = WithoutSack<AnyNewAck>;

/// Any new ACK ends the episode.
#[derive(Clone, Debug)]
pub(crate) struct AnyNewAck;

impl Reno {
    pub(crate) fn new(_config: &Config, setup: &Setup) -> Self {
        Self::with(AnyNewAck, setup)
    }
}

impl AckRules for AnyNewAck {
    fn on_ack(&mut self, duplicates: &mut Duplicates, board: &mut Scoreboard, acked: &Acked) -> Step {
        if acked.una > acked.prior_una {
            return duplicates.on_new_ack(acked.una);
        }
        // RFC 5681 leaves a second fast retransmit in one window of data allowed.
        duplicates.on_duplicate(board, acked, true)
    }
}

#[cfg(test)]
mod tests {
    use farlink_kernel::{Duration, Instant};

    use super::super::Recovery;
    use super::super::testing::{Bench, MSS, SETUP};
    use super::*;
    use crate::congestion::{self, CongestionControl, Loss, LossKind};
    use crate::window::Window;

    /// The window of RFC 5681: what may be outstanding, of which duplicate ACKs have shown a part to have left.
    fn window(bench: &Bench<Reno>, ssthresh: f64) -> f64 {
        let left = bench.board.outstanding() - bench.recovery.in_flight(&bench.board);
        ssthresh + left as f64 / MSS as f64
    }

    fn loss(kind: LossKind, flight: f64) -> Loss {
        let rtt = Duration::from_millis(100);
        Loss { now: Instant::ZERO, kind, flight, srtt: rtt, min_rtt: rtt, latest_rtt: rtt, repeated: false }
    }

    /// RFC 5681 section 3.2 with eight segments in flight and a window of 8.49.
    #[test]
    fn duplicate_acks_inflate_the_window_until_a_new_ack_deflates_it() {
        let mut reno = congestion::Reno::with(congestion::arithmetic::WindowArithmetic::RFC);
        let mut cwnd = Window { ssthresh: 8.0, ..Window::new(8.488_801) };
        let mut bench = Bench::new(Reno::new(&Config {}, &SETUP), 8);
        for new in [8, 9] {
            assert_eq!(bench.ack(0, (0, 0)), Step::Stay);
            assert_eq!(bench.send(cwnd.cwnd as u64), [new]);
        }
        assert_eq!(bench.ack(0, (0, 0)), Step::Enter(LossKind::DuplicateAcks));
        let flight = (bench.board.outstanding() - bench.recovery.limited_transmit_bytes()) / MSS;
        reno.on_congestion(&mut cwnd, &loss(LossKind::DuplicateAcks, flight as f64));
        assert_eq!((window(&bench, cwnd.ssthresh), cwnd.ssthresh, flight), (7.0, 4.0, 8));
        for inflated in [8.0, 9.0] {
            assert_eq!(bench.ack(0, (0, 0)), Step::Stay);
            assert_eq!(window(&bench, cwnd.ssthresh), inflated);
        }
        assert_eq!(bench.ack(10, (0, 0)), Step::Exit { at_most: u64::MAX });
        assert_eq!((window(&bench, cwnd.cwnd), cwnd.ssthresh), (4.0, 4.0));
        reno.on_congestion(&mut cwnd, &loss(LossKind::Timeout, 4.0));
        assert_eq!((cwnd.cwnd, cwnd.ssthresh), (1.0, 2.0));
        reno.grow(&mut cwnd, 1.0);
        assert_eq!((cwnd.cwnd, cwnd.ssthresh), (2.0, 2.0));
    }
}
