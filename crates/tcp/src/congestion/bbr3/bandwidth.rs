//! Rate samples, rounds and the largest bandwidth (sections "Delivery Rate Samples", "BBR.round_count", "BBR.max_bw").

use farlink_kernel::Instant;

use super::Bbr3;
use crate::congestion::{Ack, PacketState};

/// The rate sample of an ACK (`RS`).
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub(super) now: Instant,
    /// The delivery rate in segments per second, zero if there is none.
    pub(super) rate: f64,
    /// Segments delivered since the newest of the acknowledged segments was sent, and before that.
    pub(super) delivered: f64,
    pub(super) prior_delivered: f64,
    pub(super) tx_in_flight: f64,
    pub(super) lost: f64,
    pub(super) app_limited: bool,
    pub(super) newly_acked: f64,
    /// In flight now, as far as the decisions of the cycle see it.
    pub(super) in_flight: f64,
    /// The ACK gave a valid sample: the other fields mean something.
    pub(super) has_data: bool,
}

/// Rounds counted by packets.
#[derive(Clone, Debug, Default)]
pub(super) struct Round {
    pub(super) count: u32,
    /// Segments delivered so far (`C.delivered`).
    pub(super) delivered: f64,
    /// The round ends when a segment sent after this many were delivered is delivered.
    pub(super) ends_after: f64,
    /// The present ACK began a round.
    pub(super) started: bool,
    /// The window was full in this round, and in the one before it.
    pub(super) was_full: [bool; 2],
}

impl Round {
    /// `StartRound`.
    pub(super) fn restart(&mut self) {
        self.ends_after = self.delivered;
    }

    /// `C.is_cwnd_limited`.
    pub(super) fn is_cwnd_limited(&self) -> bool {
        self.was_full[0] || self.was_full[1]
    }
}

impl Bbr3 {
    /// `max_bw`.
    pub(super) fn max_bw(&self) -> f64 {
        self.max_bw[0].max(self.max_bw[1])
    }

    /// `GenerateRateSample`.
    pub(super) fn sample(&self, ack: &Ack) -> Sample {
        let rate = ack.rate.filter(|rate| rate.delivered > 0.0 && !rate.interval.is_zero());
        let packet = ack.packet.as_ref();
        let of_packet = |count: fn(&PacketState) -> f64| packet.map_or(0.0, count);
        let prior_delivered = of_packet(|packet| packet.prior_delivered);
        let is_limited = self.limited.as_ref().is_some_and(|limited| limited.contains(&prior_delivered));
        Sample {
            now: ack.now,
            rate: rate.map_or(0.0, |rate| rate.delivered / rate.interval.as_secs_f64()),
            delivered: of_packet(|packet| packet.delivered - packet.prior_delivered),
            prior_delivered,
            tx_in_flight: of_packet(|packet| packet.tx_in_flight),
            lost: of_packet(|packet| packet.lost),
            app_limited: is_limited || packet.is_some_and(|packet| packet.app_limited),
            newly_acked: ack.delivered,
            in_flight: self.in_network(ack),
            has_data: packet.is_some() && rate.is_some(),
        }
    }

    /// `UpdateRound` and `UpdateMaxBw`.
    pub(super) fn update_max_bw(&mut self, sample: &Sample) {
        self.round.started = sample.has_data && sample.prior_delivered >= self.round.ends_after;
        if self.round.started {
            self.round.restart();
            self.round.count = self.round.count.wrapping_add(1);
            self.round.was_full = [false, self.round.was_full[0]];
            self.cycle.rounds = self.cycle.rounds.saturating_add(1);
        }
        if sample.rate > 0.0 && (sample.rate >= self.max_bw() || !sample.app_limited) {
            self.max_bw[1] = self.max_bw[1].max(sample.rate);
        }
    }

    /// `AdvanceMaxBwFilter`. Without a sample in this cycle the last one's stay (Linux).
    pub(super) fn advance_max_bw(&mut self) {
        if self.max_bw[1] > 0.0 {
            self.max_bw = [self.max_bw[1], 0.0];
        }
    }
}
