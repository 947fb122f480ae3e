//! The end of the first slow start before a loss: options that belong to no congestion control.

use crate::config::{Config, InitialSsthresh, SlowStart};
use crate::congestion::hoe::PacketPair;
use crate::congestion::hystart_plus_plus::HystartPlusPlus;
use crate::congestion::{Ack, Any};
use crate::window::Window;

/// The options in force; none once the first slow start is over.
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

    /// Congestion control sees the ACK; in the first slow start its growth is bounded by the options.
    // The other callers are rare.
    #[inline(always)]
    pub(super) fn on_ack(&mut self, congestion: &mut Any, window: &mut Window, ack: &Ack) {
        if self.is_over() || congestion.controls_recovery() {
            congestion.on_ack(window, ack);
            return;
        }
        let before = window.cwnd;
        congestion.on_ack(window, ack);
        self.bound_by_packet_pair(window, ack, before);
        self.bound_by_hystart(window, ack, before);
    }

    /// Until the estimate is known (the ACKs of the initial window) no algorithm grows faster than standard
    /// slow start: Hybla at a satellite's round-trip time would have left before.
    fn bound_by_packet_pair(&mut self, window: &mut Window, ack: &Ack, before: f64) {
        let Some(pair) = &mut self.packet_pair else { return };
        window.cwnd = window.cwnd.min(before + ack.acked);
        if let Some(ssthresh) = pair.on_ack(ack) {
            window.ssthresh = ssthresh;
            self.packet_pair = None;
        }
    }

    /// RFC 9406 section 4.2.
    fn bound_by_hystart(&mut self, window: &mut Window, ack: &Ack, before: f64) {
        let Some(hystart) = &mut self.hystart else { return };
        let advice = hystart.on_ack(ack);
        if window.cwnd > before {
            window.cwnd = before + (window.cwnd - before) / advice.growth_divisor;
        }
        if advice.exits {
            window.ssthresh = window.cwnd;
        }
        if advice.exits || !window.in_slow_start() {
            self.hystart = None;
        }
    }
}
