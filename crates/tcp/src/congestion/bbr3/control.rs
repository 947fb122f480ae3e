//! The control parameters: pacing rate, send quantum, cwnd (section "Updating Control Parameters").

use farlink_kernel::{BitRate, Duration};

use super::{Bbr3, State};
use crate::{congestion::Ack, window::Window};

/// Bytes of a quantum at most.
const LARGEST_QUANTUM: f64 = 65_536.0;
/// In Linux a path with a round trip below a power of two times this has larger quanta.
const MICROSECONDS_PER_HALVING: u64 = 512;

impl Bbr3 {
    /// `InitPacingRate`: the initial window per round trip, or per millisecond without a sample.
    pub(super) fn begin_pacing(&mut self, window: &mut Window, srtt: Duration) {
        self.has_paced_by_rtt = !srtt.is_zero();
        let seconds = if srtt.is_zero() { 1e-3 } else { srtt.as_secs_f64() };
        let margin = if self.is_linux() { self.config.pacing_margin.0 } else { 0.0 };
        let rate = self.config.startup_pacing_gain * window.cwnd / seconds;
        window.pacing_rate = Some(self.bit_rate(rate, margin));
    }

    /// `SetPacingRate` and `SetSendQuantum`.
    pub(super) fn pace(&mut self, window: &mut Window, srtt: Duration) {
        if !self.has_paced_by_rtt && !srtt.is_zero() {
            self.begin_pacing(window, srtt);
        }
        self.pace_at(window, self.gains().0);
        self.quantum = self.quantum_at(window.pacing_rate.unwrap_or_default());
    }

    /// `SetPacingRateWithGain`. The rate falls only once the pipe was found full: early samples are too small.
    pub(super) fn pace_at(&mut self, window: &mut Window, gain: f64) {
        if self.bw <= 0.0 {
            return;
        }
        let rate = self.bit_rate(gain * self.bw, self.config.pacing_margin.0);
        if self.full_pipe.reached || window.pacing_rate.is_none_or(|current| rate > current) {
            window.pacing_rate = Some(rate);
        }
    }

    /// Segments per second as a rate, at least one segment per second.
    fn bit_rate(&self, segments_per_second: f64, margin: f64) -> BitRate {
        let bits = segments_per_second * (1.0 - margin) * self.segment_bits;
        BitRate::from_bps(bits.max(self.segment_bits) as u64)
    }

    /// `SetSendQuantum` in segments.
    pub(super) fn quantum_at(&self, rate: BitRate) -> f64 {
        let (milliseconds, short_path) = if self.is_linux() {
            let halvings =
                self.delay.min_rtt().map_or(63, |rtt| rtt.as_nanos() / 1000 / MICROSECONDS_PER_HALVING);
            (1000.0 / 1024.0, LARGEST_QUANTUM / (1_u64 << halvings.min(63)) as f64)
        } else {
            (1.0, 0.0)
        };
        let bytes = rate.as_bps() as f64 / 8e3 * milliseconds + short_path;
        self.whole(bytes.min(LARGEST_QUANTUM) * 8.0 / self.segment_bits).max(2.0)
    }

    /// `BDPMultiple`.
    pub(super) fn bdp_multiple(&self, bw: f64, gain: f64) -> f64 {
        let Some(rtt) = self.delay.min_rtt() else { return self.initial_window };
        let inflight = (gain * bw * rtt.as_secs_f64()).min(self.max_window);
        if self.is_linux() { inflight.ceil() } else { inflight }
    }

    /// `QuantizationBudget`.
    fn quantized(&self, inflight: f64) -> f64 {
        let least = (self.config.offload_quanta * self.quantum).max(self.config.min_cwnd);
        inflight.max(least) + if self.state == State::Up { 2.0 } else { 0.0 }
    }

    /// `Inflight`.
    pub(super) fn inflight(&self, bw: f64, gain: f64) -> f64 {
        self.quantized(self.bdp_multiple(bw, gain))
    }

    /// `TargetInflight`.
    pub(super) fn target_inflight(&self, window: &Window) -> f64 {
        let pipe =
            if self.is_linux() { self.inflight(self.bw, 1.0) } else { self.bdp_multiple(self.bw, 1.0) };
        pipe.min(window.cwnd)
    }

    /// `UpdateMaxInflight`.
    pub(super) fn max_inflight(&self) -> f64 {
        self.quantized(self.bdp_multiple(self.bw, self.gains().1) + self.extra_acked())
    }

    /// `ProbeRTTCwnd`.
    pub(super) fn probe_rtt_cwnd(&self) -> f64 {
        self.bdp_multiple(self.bw, self.config.probe_rtt_cwnd_gain).max(self.config.min_cwnd)
    }

    /// What the cycle takes for in flight: what is after the ACK, or in Linux what was before it and will be when the next
    /// quantum leaves.
    pub(super) fn in_network(&self, ack: &Ack) -> f64 {
        if self.is_linux() { self.in_network_of(ack, ack.prior_flight) } else { ack.flight }
    }

    /// `bbr_packets_in_net_at_edt`.
    pub(super) fn in_network_of(&self, ack: &Ack, flight: f64) -> f64 {
        let delivered = (self.bw * ack.pacing_wait.as_secs_f64()).floor();
        let next = if self.gains().0 > 1.0 { self.quantum } else { 0.0 };
        (flight + next - delivered).max(0.0)
    }

    /// `SetCwnd`.
    pub(super) fn set_cwnd(&self, window: &mut Window, ack: &Ack) {
        let max_inflight = self.max_inflight();
        let is_early = if self.is_linux() {
            window.cwnd < 2.0 * self.initial_window
        } else {
            self.round.delivered < self.initial_window
        };
        let mut cwnd = window.cwnd;
        if ack.delivered > 0.0 || !self.is_linux() {
            if self.full_pipe.reached {
                cwnd = (cwnd + ack.delivered).min(max_inflight);
            } else if cwnd < max_inflight || is_early {
                cwnd += ack.delivered;
            }
            cwnd = cwnd.max(self.config.min_cwnd);
        }
        if self.state == State::ProbeRtt {
            cwnd = cwnd.min(self.probe_rtt_cwnd());
        }
        window.cwnd = cwnd.min(self.bound()).clamp(1.0, self.max_window);
    }

    /// `BoundCwndForModel`.
    pub(super) fn bound(&self) -> f64 {
        let long_term = match self.state {
            State::Down | State::Refill | State::Up => self.long_term.inflight,
            State::ProbeRtt | State::Cruise => self.inflight_with_headroom(),
            State::Startup | State::Drain => f64::INFINITY,
        };
        long_term.min(self.short_term.inflight).max(self.config.min_cwnd)
    }
}
