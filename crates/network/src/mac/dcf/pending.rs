//! [`Own`]: the frame a station is about to deliver, and how often it was tried (IEEE 802.11-1999, 9.2.5.3).

use super::exchange::Answer;
use crate::hop::Part;

/// The frame and its counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Own {
    /// What it carries, and to whom.
    pub(super) part: Part,
    /// With header.
    pub(super) size: u32,
    /// It may have arrived before.
    pub(super) is_retry: bool,
    /// Attempts of a request or a short frame since one was answered, and of a long one.
    short_tries: u32,
    long_tries: u32,
}

impl Own {
    /// A frame that was not tried yet.
    pub(super) fn new(part: Part, size: u32) -> Self {
        Self { part, size, is_retry: false, short_tries: 0, long_tries: 0 }
    }

    /// Its request was answered.
    pub(super) fn on_clearance(&mut self) {
        self.short_tries = 0;
    }

    /// The answer did not come. Returns how often this was tried.
    pub(super) fn on_silence(&mut self, missing: Answer, is_long: bool) -> u32 {
        // A request that was not answered is not a frame that may have arrived.
        self.is_retry |= missing == Answer::Acknowledgement;
        let tries = if is_long { &mut self.long_tries } else { &mut self.short_tries };
        *tries += 1;
        *tries
    }
}
