//! Resets: the answer to what belongs to no connection (RFC 9293 section 3.10.7.1).

use farlink_kernel::Instant;

use super::{Connection, Transmit};
use crate::segment::{Ecn, Flags, Segment};
use crate::seq::SeqNumber;

impl Connection {
    /// Answers `segment`, which cannot be the connection's, with a reset. Resets are never answered.
    pub(super) fn refuse(&mut self, segment: &Segment) {
        if segment.flags.has(Flags::RST) {
            return;
        }
        self.reset = Some(if segment.flags.has(Flags::ACK) {
            Segment { seq: segment.ack, flags: Flags::RST, ..Segment::default() }
        } else {
            let ack = SeqNumber::from_offset(segment.seq, segment.seq_len());
            Segment { ack, flags: Flags::RST | Flags::ACK, ..Segment::default() }
        });
    }

    /// The reset that is due, if one is.
    pub(super) fn take_reset(&mut self, now: Instant) -> Option<Transmit> {
        let segment = self.reset.take()?;
        Some(Transmit { segment, ecn: Ecn::NotCapable, offset: 0, first_sent: now, is_retransmission: false })
    }
}
