//! The rules of ns-2.35 (mac/mac-802_11.cc) that depart from the standard. No other file of [`super`] has any.
//!
//! | clause | the standard | ns-2 |
//! |---|---|---|
//! | 9.2.3.4 | EIFS replaces DIFS after a reception with errors | each signal that is not received sets the NAV for EIFS, also one captured away or missed while sending; DIFS follows |
//! | 9.2.4 | a backoff is drawn from 0 to CW | from 0 to CW - 1 |
//! | 9.2.5.1 | no backoff on a medium idle for DIFS | a backoff before every frame |
//! | 9.2.5.2 | a backoff counts from the failure on | DIFS later |
//! | 9.2.5.7 | the NAV is checked when the RTS arrives | NAV and carrier are checked when the CTS is due, and again before the data; if the medium is busy then, the CTS is omitted, or the RTS repeated with a larger window |
//! | 9.2.5.7 | a CTS sets the NAV of other stations only | its sender, too, defers until the data would be over, and accepts data above the RTS threshold until then only |
//! | 9.2.8 | a response must begin within the timeout | it must end within it: its length and 4 us of propagation |
//!
//! Headers of 34 bytes and a threshold of 0 are parameters: `header = "34 B"`, `rts_threshold = "0 B"`.

use farlink_kernel::{Duration, Instant};

use super::contention::Contention;
use super::exchange::Exchange;
use super::{Dcf, Rules, Stage};
use crate::frame::{Frame, FrameKind};
use crate::mac::Io;
use crate::packet::Discard;
use crate::phy::antenna::Carrier;

/// Propagation of 2 us each way.
const ROUND_TRIP: Duration = Duration::from_micros(4);

impl Rules {
    /// True when EIFS replaces DIFS (9.2.3.4).
    pub(super) fn uses_eifs(self, carrier: &Carrier) -> bool {
        self == Self::Standard && carrier.last_reception_failed
    }

    /// The end of the NAV that the last signal has set which was not received.
    pub(super) fn nav_after_error(self, carrier: &Carrier, eifs: Duration) -> Instant {
        match self {
            Self::Ns2 if carrier.last_error_at > Instant::ZERO => carrier.last_error_at + eifs,
            _ => Instant::ZERO,
        }
    }

    /// How many values a backoff may have (9.2.4).
    pub(super) fn backoff_values(self, cw: u32) -> u64 {
        u64::from(cw) + u64::from(self == Self::Standard)
    }

    /// How long after an exchange its backoff begins to count (9.2.5.2).
    pub(super) fn backoff_delay(self, difs: Duration) -> Duration {
        if self == Self::Ns2 { difs } else { Duration::ZERO }
    }

    /// How long after SIFS a response times out that would begin by `start` and last `length` (9.2.8).
    pub(super) fn response_wait(self, start: Duration, length: Duration) -> Duration {
        if self == Self::Ns2 { length + ROUND_TRIP } else { start }
    }

    /// True when a reception that begins within the timeout extends it to its end, and any frame but the response ends it
    /// (9.2.5.7, 9.2.8).
    pub(super) fn awaits_reception(self) -> bool {
        self == Self::Standard
    }

    /// True when an RTS is answered although the NAV is set.
    pub(super) fn ignores_nav_at_rts(self) -> bool {
        self == Self::Ns2
    }
}

impl Contention {
    /// A frame is pending on an idle medium: ns-2 draws a backoff nevertheless.
    pub(super) fn draw_although_idle(&mut self, now: Instant) {
        if self.rules == Rules::Ns2 {
            self.counts_from = now + self.spaces.difs;
            self.backoff = Some(self.draw());
        }
    }
}

impl Exchange {
    /// When the data ends that a CTS sent now allows.
    fn data_ends(&self, cts: &Frame, now: Instant) -> Instant {
        let data = cts.duration.saturating_sub(self.sifs + self.ack);
        now + self.cts + data + ROUND_TRIP
    }
}

impl Dcf {
    /// True when a CTS, or data after one, is due on a busy medium.
    pub(super) fn is_blocked(&self, frame: &Frame, io: &Io<'_>) -> bool {
        let is_idle = !io.carrier.is_busy && !self.contention.is_nav_set(io.cx.now, &io.carrier);
        let is_ack = matches!(frame.kind, FrameKind::Acknowledgement { .. });
        self.config.rules == Rules::Ns2 && !is_ack && !is_idle
    }

    /// The data is not sent; the station contends again with an RTS.
    pub(super) fn repeat_rts(&mut self, data: &Frame, io: &mut Io<'_>) {
        data.parts.iter().flatten().for_each(|part| io.cx.packets.discard(part.packet, Discard::Withdrawn));
        self.stage = Stage::Contending;
        self.contention.on_failure(io.cx.now, &io.carrier);
    }

    /// A CTS sets the NAV of its own sender.
    pub(super) fn defer_after_cts(&mut self, frame: &Frame, now: Instant) {
        if self.config.rules == Rules::Ns2 && matches!(frame.kind, FrameKind::ClearToSend { .. }) {
            self.data_expected_until = self.exchange.data_ends(frame, now);
            self.contention.set_nav(self.data_expected_until);
        }
    }

    /// True unless the data frame needed a CTS and none allowed it.
    pub(super) fn accepts(&mut self, data: &Frame, now: Instant) -> bool {
        let needs_no_cts = self.config.rules != Rules::Ns2 || !self.exchange.uses_rts(data.size);
        needs_no_cts || std::mem::take(&mut self.data_expected_until) >= now
    }
}
