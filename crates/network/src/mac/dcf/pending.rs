//! [`PendingFrame`]: the data frame a station contends for, and its retry counts (IEEE 802.11-1999, 9.2.5.3).

use farlink_kernel::Duration;

use crate::hop::Part;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Response {
    Cts,
    Ack,
}

/// A data frame, and how often it was attempted.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingFrame {
    pub(super) part: Part,
    /// With the MAC header.
    pub(super) size: u32,
    /// How long it lasts, if it is for one neighbour.
    pub(super) length: Duration,
    /// The Retry field: an earlier copy may have arrived.
    pub(super) is_retry: bool,
    /// Attempts of a short frame or an RTS since the last CTS.
    short_retry_count: u32,
    /// Attempts of a frame above the RTS threshold.
    long_retry_count: u32,
}

impl PendingFrame {
    pub(super) fn new(part: Part, size: u32, length: Duration) -> Self {
        Self { part, size, length, is_retry: false, short_retry_count: 0, long_retry_count: 0 }
    }

    pub(super) fn on_cts(&mut self) {
        self.short_retry_count = 0;
    }

    /// The response timed out. Returns the retry count that applies.
    pub(super) fn on_timeout(&mut self, missing: Response, is_long: bool) -> u32 {
        // Without a CTS no data was sent that may have arrived.
        self.is_retry |= missing == Response::Ack;
        let count = if is_long { &mut self.long_retry_count } else { &mut self.short_retry_count };
        *count += 1;
        *count
    }
}
