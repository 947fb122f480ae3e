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
