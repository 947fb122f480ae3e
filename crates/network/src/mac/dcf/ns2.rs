//! What stations of ns-2.35 (mac/mac-802_11.cc) do otherwise than the standard.
//!
//! A backoff is drawn before every frame, from 0 to CW - 1; after a failure DIFS pass before it counts; the wait for an
//! answer is as long as the whole answer and 4 us of propagation; a signal that was not made out, also one that was
//! captured away or missed while sending, reserves the medium for EIFS, after which DIFS must pass (all this is in
//! `contention.rs` and `exchange.rs`). A request is answered only if the medium is idle and not reserved when the answer is due,
//! and a frame that was allowed goes only then: otherwise its station doubles its window and asks again. Who has given a clearance
//! keeps still until the frame should be over, even when it does not come, and takes frames above the threshold
//! only then. Its frames have headers of 34 bytes and its threshold is 0: `header = "34 B"`, `rts_threshold = "0 B"`.

use farlink_kernel::Instant;

use super::{Dcf, Rules, Stage};
use crate::frame::{Frame, FrameKind};
use crate::mac::Io;
use crate::packet::Discard;

impl Dcf {
    /// In ns-2 the medium must be free for the answer to a request, and for the frame that was allowed.
    pub(super) fn withholds(&self, frame: &Frame, io: &Io<'_>) -> bool {
        let is_free = !io.carrier.is_busy && !self.contention.is_reserved(io.cx.now, &io.carrier);
        let is_acknowledgement = matches!(frame.kind, FrameKind::Acknowledgement { .. });
        self.config.rules == Rules::Ns2 && !is_acknowledgement && !is_free
    }

    /// The own frame was allowed but is not sent: the station asks again.
    pub(super) fn withdraw(&mut self, frame: &Frame, io: &mut Io<'_>) {
        frame.parts.iter().flatten().for_each(|part| io.cx.packets.discard(part.packet, Discard::Withdrawn));
        self.stage = Stage::Contending;
        self.contention.on_failure(io.cx.now, &io.carrier);
    }

    /// In ns-2 who gives a clearance keeps still until the frame should be over.
    pub(super) fn promise(&mut self, clearance: &Frame, now: Instant) {
        self.promised_until = self.exchange.allows_until(clearance, now);
        self.contention.promise(self.promised_until);
    }

    /// In ns-2 a frame above the threshold must have been allowed.
    pub(super) fn expects(&mut self, frame: &Frame, now: Instant) -> bool {
        let needs_none = self.config.rules != Rules::Ns2 || !self.exchange.asks(frame.size);
        needs_none || std::mem::take(&mut self.promised_until) >= now
    }
}
