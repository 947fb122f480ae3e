//! The delivery rate: one sample per ACK, and the count of round trips.
//!
//! Y. Cheng, N. Cardwell, S. Hassas Yeganeh, V. Jacobson, "Delivery Rate Estimation",
//! draft-cheng-iccrg-delivery-rate-estimation, 2022.

use farlink_kernel::{Duration, Instant, ring::Ring};

use crate::congestion::RateSample;
use crate::recovery::scoreboard::{Delivery, Scoreboard, SegmentId, Sent};

#[derive(Clone, Debug, Default)]
pub(super) struct Rate {
    /// What the next segment sent is stamped with.
    stamp: Stamp,
    /// What those in flight were stamped with when they were sent last.
    stamps: Ring<Stamp>,
    /// Delivered count up to which samples were limited by the application; 0 when not.
    app_limited_until: u64,
    /// A round trip ends when something sent at or after this delivered count is delivered.
    round_end: u64,
}

/// The connection's delivery state when a segment was sent.
#[derive(Clone, Copy, Debug, Default)]
struct Stamp {
    delivered: u64,
    delivered_at: Instant,
    /// When the first packet of the sampling flight was sent.
    flight_began: Instant,
    /// True when the application limited the sender.
    app_limited: bool,
}

/// A sample in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    delivered: u64,
    interval: Duration,
    prior_delivered: u64,
    app_limited: bool,
}

impl Sample {
    pub(super) fn in_segments(self, segments: impl Fn(u64) -> f64) -> RateSample {
        RateSample {
            delivered: segments(self.delivered),
            interval: self.interval,
            prior_delivered: segments(self.prior_delivered),
            app_limited: self.app_limited,
        }
    }
}

impl Rate {
    /// Segment `id`, the next new one or one in flight, is sent now, when `pipe` bytes are in flight already.
    pub(super) fn on_send(&mut self, now: Instant, pipe: u64, id: SegmentId) {
        if pipe == 0 {
            self.stamp.flight_began = now;
            self.stamp.delivered_at = now;
        }
        let stamp = Stamp { app_limited: self.app_limited_until > 0, ..self.stamp };
        if id == self.stamps.end() {
            self.stamps.push(stamp);
        } else {
            self.stamps[id] = stamp;
        }
    }

    /// The application had nothing more to send with room in the window (section 3.4).
    pub(super) fn on_app_limited(&mut self, pipe: u64) {
        self.app_limited_until = (self.stamp.delivered + pipe).max(1);
    }

    /// The sample of an ACK that delivered, the `newest` sent last, if it is valid, and whether a round trip ended.
    pub(super) fn on_ack(
        &mut self,
        now: Instant,
        board: &Scoreboard,
        delivery: &Delivery,
        min_rtt: Duration,
    ) -> (Option<Sample>, bool) {
        let Some((newest, sent)) = self.take_newest(board, delivery) else { return (None, false) };
        self.stamp.delivered += delivery.delivered;
        self.stamp.delivered_at = now;
        if self.app_limited_until > 0 && self.stamp.delivered > self.app_limited_until {
            self.app_limited_until = 0;
        }
        self.stamp.flight_began = newest.last_sent;
        let round_start = sent.delivered >= self.round_end;
        if round_start {
            self.round_end = self.stamp.delivered;
        }
        let send_elapsed = newest.last_sent.saturating_since(sent.flight_began);
        let ack_elapsed = now.saturating_since(sent.delivered_at);
        let interval = send_elapsed.max(ack_elapsed);
        // Section 3.3: an interval below the smallest round trip cannot be right.
        let valid = !interval.is_zero() && (min_rtt == Duration::MAX || interval >= min_rtt);
        let sample = Sample {
            delivered: self.stamp.delivered - sent.delivered,
            interval,
            prior_delivered: sent.delivered,
            app_limited: sent.app_limited,
        };
        (valid.then_some(sample), round_start)
    }

    /// The segment that was sent last of those just delivered, and its stamp. No later ACK needs the stamps of
    /// what is acknowledged by now.
    fn take_newest(&mut self, board: &Scoreboard, delivery: &Delivery) -> Option<(Sent, Stamp)> {
        let newest =
            board.newest(delivery).zip(delivery.newest).map(|(newest, (_, id))| (*newest, self.stamps[id]));
        self.stamps.skip_to(board.first_id());
        newest
    }
}
