//! [`Competition`]: Copa's mode against flows that fill queues (section 2.2).
//!
//! The paper's receiver acknowledges every packet. One that delays ACKs times the second of two segments, which waited for
//! the first, so that the time of one segment counts as no queue.

use farlink_kernel::{Duration, Instant};

use crate::congestion::Ack;

/// Share of the range of round-trip times below which the queue is nearly empty.
const NEARLY_EMPTY: f64 = 0.1;
/// Round trips in which the queue is nearly empty once where only Copa flows use it.
const EMPTY_WITHIN: u32 = 5;

#[derive(Clone, Debug, Default)]
pub(super) struct Competition {
    /// 1/delta while others fill the queue.
    inverse: Option<f64>,
    /// Round trips since the queue was nearly empty.
    rounds_without_empty: u32,
    was_empty: bool,
    had_loss: bool,
    /// The largest round-trip time of this round trip, and of the three before.
    largest: [Duration; 4],
    last_ack: Option<Instant>,
    /// Seconds between segments by the closest ACKs of this round trip, and of the last.
    spacing: Option<f64>,
    last_spacing: f64,
}

impl Competition {
    pub(super) fn delta(&self, usual: f64) -> f64 {
        self.inverse.map_or(usual, |inverse| 1.0 / inverse)
    }

    pub(super) fn observe(&mut self, ack: &Ack, rtt: Duration, min_rtt: Duration, queueing: f64) {
        self.observe_spacing(ack);
        self.largest[0] = self.largest[0].max(rtt);
        let largest = self.largest.iter().copied().max().unwrap_or_default();
        let range = largest.saturating_sub(min_rtt).as_secs_f64();
        // A path on which nothing varies has no queue.
        self.was_empty |= queueing < NEARLY_EMPTY * range + self.last_spacing || range == 0.0;
    }

    fn observe_spacing(&mut self, ack: &Ack) {
        if ack.delivered < 1.0 {
            return;
        }
        if let Some(last) = self.last_ack.replace(ack.now) {
            let spacing = ack.now.saturating_since(last).as_secs_f64() / ack.delivered;
            self.spacing = Some(self.spacing.map_or(spacing, |least| least.min(spacing)));
        }
    }

    pub(super) fn on_loss(&mut self) {
        self.had_loss = true;
    }

    /// A round trip ended: the mode of the next, and 1/delta in it.
    pub(super) fn end_round(&mut self, usual: f64) {
        let was_empty = std::mem::take(&mut self.was_empty);
        let had_loss = std::mem::take(&mut self.had_loss);
        self.last_spacing = self.spacing.take().unwrap_or(0.0);
        self.largest.rotate_right(1);
        self.largest[0] = Duration::ZERO;
        self.rounds_without_empty = if was_empty { 0 } else { self.rounds_without_empty.saturating_add(1) };
        let least = 1.0 / usual;
        self.inverse = (self.rounds_without_empty >= EMPTY_WITHIN).then(|| match self.inverse {
            None => least,
            Some(inverse) if had_loss => (inverse / 2.0).max(least),
            Some(inverse) => inverse + 1.0,
        });
    }
}
