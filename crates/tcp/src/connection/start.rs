//! How the first slow start ends before a loss: options that belong to no congestion control.

use super::Connection;
use crate::config::{Config, InitialSsthresh, SlowStart};
use crate::congestion::Ack;
use crate::congestion::hoe::PacketPair;
use crate::congestion::hystart::HystartPlusPlus;

/// What watches over the first slow start; nothing once it is over.
#[derive(Clone, Debug, Default)]
pub(super) struct Start {
    hystart: Option<HystartPlusPlus>,
    packet_pair: Option<PacketPair>,
}

impl Start {
    pub(super) fn new(config: &Config) -> Self {
        Self {
            hystart: (config.slow_start == SlowStart::HystartPlusPlus).then(HystartPlusPlus::default),
            packet_pair: (config.initial_ssthresh == InitialSsthresh::Hoe).then(PacketPair::default),
        }
    }

    fn is_over(&self) -> bool {
        self.hystart.is_none() && self.packet_pair.is_none()
    }
}

impl Connection {
    /// Congestion control sees the ACK; in the first slow start its growth is bounded by the options.
    // The other callers are rare.
    #[inline(always)]
    pub(super) fn grow(&mut self, ack: &Ack) {
        if self.start.is_over() || self.congestion.controls_recovery() {
            self.congestion.on_ack(&mut self.window, ack);
            return;
        }
        let before = self.window.cwnd;
        self.congestion.on_ack(&mut self.window, ack);
        self.bound_by_packet_pair(ack, before);
        self.bound_by_hystart(ack, before);
    }

    /// A sign of congestion ends the first slow start.
    pub(super) fn end_start(&mut self) {
        self.start = Start::default();
    }

    /// Until the estimate is known (the ACKs of the initial window) no algorithm grows faster than standard
    /// slow start: Hybla at a satellite's round-trip time would have left before.
    fn bound_by_packet_pair(&mut self, ack: &Ack, before: f64) {
        let Some(pair) = &mut self.start.packet_pair else { return };
        self.window.cwnd = self.window.cwnd.min(before + ack.acked);
        if let Some(ssthresh) = pair.on_ack(ack) {
            self.window.ssthresh = ssthresh;
            self.start.packet_pair = None;
        }
    }

    /// RFC 9406 section 4.2.
    fn bound_by_hystart(&mut self, ack: &Ack, before: f64) {
        let Some(hystart) = &mut self.start.hystart else { return };
        let advice = hystart.on_ack(ack);
        if self.window.cwnd > before {
            self.window.cwnd = before + (self.window.cwnd - before) / advice.growth_divisor;
        }
        if advice.exits {
            self.window.ssthresh = self.window.cwnd;
        }
        if advice.exits || !self.window.in_slow_start() {
            self.start.hystart = None;
        }
    }
}
