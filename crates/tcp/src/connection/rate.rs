//! The delivery rate: one sample per ACK, and the count of round trips.
//!
//! Y. Cheng, N. Cardwell, S. Hassas Yeganeh, V. Jacobson, "Delivery Rate Estimation",
//! draft-cheng-iccrg-delivery-rate-estimation, 2022; now the section "Delivery Rate Samples" of draft-ietf-ccwg-bbr, which adds
//! the state of packets that are lost.

use farlink_kernel::{Duration, Instant, ring::Ring};

use crate::congestion::{PacketState, RateSample};
use crate::recovery::scoreboard::{Delivery, Scoreboard, SegmentId};

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
    /// What a member that reads packets' states adds.
    packets: Option<Packets>,
}

/// The state of packets beyond what the rate needs.
#[derive(Clone, Debug, Default)]
struct Packets {
    /// Bytes marked lost so far.
    lost: u64,
    /// Where the packet marked lost last ends.
    lost_end: u64,
    /// In step with the stamps: the bytes marked lost and those in flight when each was sent.
    sent: Ring<(u64, u64)>,
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

/// A [`PacketState`] in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packet {
    prior_delivered: u64,
    delivered: u64,
    tx_in_flight: u64,
    lost: u64,
    app_limited: bool,
}

impl Packet {
    pub(super) fn in_segments(self, segments: impl Fn(u64) -> f64) -> PacketState {
        PacketState {
            prior_delivered: segments(self.prior_delivered),
            delivered: segments(self.delivered),
            tx_in_flight: segments(self.tx_in_flight),
            lost: segments(self.lost),
            app_limited: self.app_limited,
        }
    }
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

/// What an ACK measured.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Measurement {
    /// The delivery rate, if it is valid.
    pub(super) rate: Option<Sample>,
    pub(super) round_start: bool,
    /// The newest segment delivered, where packets' states are kept.
    pub(super) packet: Option<Packet>,
}

impl Rate {
    /// With the state of each packet where a member reads it.
    pub(super) fn new(keeps_packets: bool) -> Self {
        Self { packets: keeps_packets.then(Packets::default), ..Self::default() }
    }

    pub(super) fn keeps_packets(&self) -> bool {
        self.packets.is_some()
    }

    pub(super) fn is_app_limited(&self) -> bool {
        self.app_limited_until > 0
    }

    /// Segment `id` of `len` bytes, the next new one or one in flight, is sent now, when `pipe` bytes are in flight already.
    pub(super) fn on_send(&mut self, now: Instant, pipe: u64, id: SegmentId, len: u64) {
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
        if let Some(packets) = &mut self.packets {
            packets.on_send(id, pipe + len);
        }
    }

    /// The state of a segment of the bytes from `start` to `end` that was just marked lost, and whether it continues the one
    /// before it.
    pub(super) fn on_lost(&mut self, id: SegmentId, start: u64, end: u64) -> Option<(Packet, bool)> {
        let packets = self.packets.as_mut()?;
        packets.lost += end - start;
        let continues = std::mem::replace(&mut packets.lost_end, end) == start;
        Some((self.packet(id)?, continues))
    }

    fn packet(&self, id: SegmentId) -> Option<Packet> {
        let packets = self.packets.as_ref()?;
        let (stamp, (lost, tx_in_flight)) = (&self.stamps[id], packets.sent[id]);
        Some(Packet {
            prior_delivered: stamp.delivered,
            delivered: self.stamp.delivered,
            tx_in_flight,
            lost: packets.lost - lost,
            app_limited: stamp.app_limited,
        })
    }

    /// The application had nothing more to send with room in the window (section 3.4).
    pub(super) fn on_app_limited(&mut self, pipe: u64) {
        self.app_limited_until = (self.stamp.delivered + pipe).max(1);
    }

    /// What an ACK that delivered measures, by the segment sent last.
    pub(super) fn on_ack(
        &mut self,
        now: Instant,
        board: &Scoreboard,
        delivery: &Delivery,
        min_rtt: Duration,
    ) -> Measurement {
        let Some((newest, id)) =
            board.newest(delivery).zip(delivery.newest).map(|(newest, (_, id))| (*newest, id))
        else {
            self.forget_before(board.first_id());
            return Measurement::default();
        };
        let sent = self.stamps[id];
        self.stamp.delivered += delivery.delivered;
        // The state is read before the stamps of what is acknowledged are forgotten.
        let packet = self.packet(id);
        self.forget_before(board.first_id());
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
        Measurement { rate: valid.then_some(sample), round_start, packet }
    }

    /// No later ACK needs the stamps of what is acknowledged by now.
    fn forget_before(&mut self, first: SegmentId) {
        self.stamps.skip_to(first);
        if let Some(packets) = &mut self.packets {
            packets.sent.skip_to(first);
        }
    }
}

impl Packets {
    fn on_send(&mut self, id: SegmentId, tx_in_flight: u64) {
        let state = (self.lost, tx_in_flight);
        if id == self.sent.end() {
            self.sent.push(state);
        } else {
            self.sent[id] = state;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 30 segments of 1500 B are sent within 40 ms and acknowledged 48 ms after the first was sent.
    fn sample(min_rtt: Duration) -> Option<Sample> {
        let at = |millis: u64| Instant::ZERO + Duration::from_millis(millis);
        let (mut rate, mut board) = (Rate::new(false), Scoreboard::new(1500));
        for segment in 0..30 {
            let (now, pipe) = (at(40 * segment / 29), board.outstanding());
            let id = board.push(1500 * segment, 1500, now);
            rate.on_send(now, pipe, id, 1500);
        }
        let mut delivery = Delivery::default();
        board.acknowledge(45_000, &mut delivery);
        rate.on_ack(at(48), &board, &delivery, min_rtt).rate
    }

    #[test]
    fn the_longer_of_sending_and_acknowledging_gives_the_rate_unless_it_is_below_a_round_trip() {
        let taken = sample(Duration::from_millis(48)).expect("no less than the smallest round trip");
        assert_eq!(
            (taken.delivered, taken.interval, taken.prior_delivered),
            (45_000, Duration::from_millis(48), 0)
        );
        assert_eq!(taken.delivered as f64 * 8.0 / taken.interval.as_secs_f64(), 7.5e6);
        assert!(sample(Duration::from_micros(48_001)).is_none());
    }
}
