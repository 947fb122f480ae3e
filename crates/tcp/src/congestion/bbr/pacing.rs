//! Pacing: packets leave at the gain times the bandwidth, a little below it so that queues shrink.

use farlink_kernel::{BitRate, Duration};

use super::Bbr;
use crate::window::Window;

/// Below this rate a burst is one segment (Linux).
const SLOW: u64 = 1_200_000;
/// Bytes of a burst at most.
const LARGEST_BURST: u64 = 64 * 1024;

impl Bbr {
    /// Before there is a bandwidth: the initial window per round trip, or per millisecond without a sample.
    pub(super) fn begin_pacing(&mut self, window: &mut Window, srtt: Duration) {
        self.has_paced_by_rtt = !srtt.is_zero();
        let seconds = if srtt.is_zero() { 1e-3 } else { srtt.as_secs_f64() };
        window.pacing_rate = Some(self.bit_rate(self.config.high_gain * window.cwnd / seconds));
    }

    pub(super) fn pace(&mut self, window: &mut Window, srtt: Duration) {
        if !self.has_paced_by_rtt && !srtt.is_zero() {
            self.begin_pacing(window, srtt);
        }
        self.pace_at(window, self.pacing_gain);
    }

    /// The rate falls only once the pipe was found full: early samples are too small.
    pub(super) fn pace_at(&mut self, window: &mut Window, gain: f64) {
        let rate = self.bit_rate(gain * self.rate());
        if self.full_pipe.reached || window.pacing_rate.is_none_or(|current| rate > current) {
            window.pacing_rate = Some(rate);
        }
        self.burst = self.burst_at(window.pacing_rate.unwrap_or_default());
    }

    /// Segments per second as a rate, at least one segment per second.
    fn bit_rate(&self, segments_per_second: f64) -> BitRate {
        let margin = 1.0 - self.config.pacing_margin.0;
        BitRate::from_bps((segments_per_second * margin * self.segment_bits).max(self.segment_bits) as u64)
    }

    /// Segments of a burst: a millisecond's worth, two at least unless the rate is low.
    fn burst_at(&self, rate: BitRate) -> f64 {
        let bytes = rate.bytes_in(Duration::from_millis(1)).0.min(LARGEST_BURST);
        let least = if rate.as_bps() < SLOW { 1.0 } else { 2.0 };
        (bytes as f64 * 8.0 / self.segment_bits).floor().max(least)
    }
}
