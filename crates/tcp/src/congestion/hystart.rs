//! S. Ha, I. Rhee, "Taming the Elephants: New TCP Slow Start", Computer Networks 55(9), 2011: HyStart, as Linux's
//! `tcp_cubic.c` has it today.
//!
//! Slow start sends in bursts. The path is full when the ACKs of a burst, one close after the other, take half of the
//! smallest round-trip time to arrive (a whole one, where pacing spreads the burst), or when all round-trip times of a
//! round are above the smallest ever. Slow start then ends at once: ssthresh becomes cwnd.
//!
//! Linux, not the paper: the delay is compared with the smallest ever and not with the round before, the first eight
//! samples of a round only count, and ACKs may be late by the time that the largest burst takes.

use farlink_kernel::{Duration, Instant};

use super::{Ack, Setup};
use crate::window::Window;

/// Below this window a round has too few ACKs (`hystart_low_window`).
const LOW_WINDOW: f64 = 16.0;
/// ACKs further apart are of different bursts (`hystart_ack_delta_us`).
const ACK_SPACING: Duration = Duration::from_millis(2);
/// Samples of a round before its smallest is judged (`HYSTART_MIN_SAMPLES`).
const MIN_SAMPLES: u32 = 8;
/// Bounds of the rise in delay that ends slow start (`HYSTART_DELAY_MIN`, `HYSTART_DELAY_MAX`).
const MIN_RISE: Duration = Duration::from_millis(4);
const MAX_RISE: Duration = Duration::from_millis(16);
const RISE_DIVISOR: u64 = 8;
/// What delays ACKs at most besides the path (`hystart_ack_delay`): four bursts of the largest size, at most 1 ms.
const LARGEST_BURST_BYTES: f64 = 65_536.0;
const MAX_ACK_DELAY: Duration = Duration::from_millis(1);

/// Watches the ACKs of a slow start.
#[derive(Clone, Debug)]
pub(super) struct Hystart {
    /// Smallest sample since the connection began or the timer expired.
    delay_min: Duration,
    /// Segments delivered since the connection began, and at the end of the round.
    delivered: f64,
    round_end: f64,
    round_began: Instant,
    /// The last ACK of the burst with which the round began.
    last_ack: Instant,
    round_min: Duration,
    samples: u32,
    /// It ended a slow start, and does not end another before the timer expires.
    found: bool,
    is_paced: bool,
    segment_bytes: f64,
}

impl Hystart {
    pub(super) fn new(setup: &Setup) -> Self {
        Self {
            delay_min: Duration::MAX,
            delivered: 0.0,
            round_end: 0.0,
            round_began: Instant::ZERO,
            last_ack: Instant::ZERO,
            round_min: Duration::MAX,
            samples: 0,
            found: false,
            is_paced: setup.is_paced,
            segment_bytes: setup.segment_size.0 as f64,
        }
    }

    /// Takes in an ACK before the window grows by it; ends slow start where the path is full.
    pub(super) fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        self.delivered += ack.delivered;
        let Some(delay) = ack.rtt else { return };
        self.delay_min = self.delay_min.min(delay);
        if self.found || !window.in_slow_start() {
            return;
        }
        // The parts of a segment that were added up may be a little less than a whole one.
        if self.delivered > self.round_end + 1e-6 {
            self.begin_round(ack);
        }
        if window.cwnd >= LOW_WINDOW && (self.has_long_train(window, ack) | self.has_risen(delay)) {
            self.found = true;
            window.ssthresh = window.cwnd;
        }
    }

    /// The timer expired: the next slow start is watched, too.
    pub(super) fn reset(&mut self) {
        self.found = false;
        self.delay_min = Duration::MAX;
        self.round_end = self.delivered;
    }

    fn begin_round(&mut self, ack: &Ack) {
        self.round_end = self.delivered + ack.flight;
        (self.round_began, self.last_ack) = (ack.now, ack.now);
        (self.round_min, self.samples) = (Duration::MAX, 0);
    }

    fn has_long_train(&mut self, window: &Window, ack: &Ack) -> bool {
        if ack.now.saturating_since(self.last_ack) > ACK_SPACING {
            return false;
        }
        self.last_ack = ack.now;
        let whole = self.delay_min.saturating_add(self.ack_delay(window, ack));
        let threshold = if self.is_paced { whole } else { whole / 2 };
        ack.now.saturating_since(self.round_began) > threshold
    }

    fn ack_delay(&self, window: &Window, ack: &Ack) -> Duration {
        // The kernel's estimate of the rate in slow start: two windows per round trip.
        let bytes_per_rtt = 2.0 * window.cwnd * self.segment_bytes;
        ack.srtt.mul_f64(4.0 * LARGEST_BURST_BYTES / bytes_per_rtt.max(1.0)).min(MAX_ACK_DELAY)
    }

    fn has_risen(&mut self, delay: Duration) -> bool {
        self.round_min = self.round_min.min(delay);
        if self.samples < MIN_SAMPLES {
            self.samples += 1;
            return false;
        }
        let rise = (self.delay_min / RISE_DIVISOR).clamp(MIN_RISE, MAX_RISE);
        self.round_min > self.delay_min.saturating_add(rise)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::arithmetic::WindowArithmetic;
    use crate::congestion::testing::{Bench, setup};

    const MS: fn(u64) -> Duration = Duration::from_millis;

    /// A round of `count` ACKs of a segment each, `spacing` apart; the index of the ACK that ends slow start.
    fn round(hystart: &mut Hystart, bench: &mut Bench, count: u32, spacing: Duration) -> Option<u32> {
        bench.now += bench.rtt;
        for index in 0..count {
            let ack = Ack { flight: f64::from(count - 1), ..bench.ack() };
            hystart.on_ack(&mut bench.window, &ack);
            if !bench.window.in_slow_start() {
                return Some(index);
            }
            bench.now += spacing;
        }
        None
    }

    fn after_a_round_of_16(is_paced: bool) -> (Hystart, Bench) {
        let setup = Setup { is_paced, ..setup(WindowArithmetic::LINUX) };
        let (mut hystart, mut bench) = (Hystart::new(&setup), Bench::new("reno", 64.0));
        assert_eq!(round(&mut hystart, &mut bench, 16, MS(1)), None);
        (hystart, bench)
    }

    #[test]
    fn a_train_of_half_the_smallest_round_trip_ends_slow_start() {
        // 100 ms and 1 ms of delay: the train must be longer than 50.5 ms, paced 101 ms.
        for (is_paced, expected) in [(false, Some(51)), (true, Some(102))] {
            let (mut hystart, mut bench) = after_a_round_of_16(is_paced);
            assert_eq!(round(&mut hystart, &mut bench, 200, MS(1)), expected);
            assert_eq!(bench.window.ssthresh, 64.0);
        }
    }

    #[test]
    fn a_pause_between_acks_ends_the_train() {
        let (mut hystart, mut bench) = after_a_round_of_16(false);
        assert_eq!(round(&mut hystart, &mut bench, 200, MS(3)), None);
    }

    #[test]
    fn the_ninth_sample_ends_slow_start_where_all_of_a_round_are_above_the_smallest_by_an_eighth() {
        for (rtt, expected) in [(112, None), (113, Some(8))] {
            let (mut hystart, mut bench) = after_a_round_of_16(false);
            bench.rtt = MS(rtt);
            assert_eq!(round(&mut hystart, &mut bench, 20, Duration::ZERO), expected, "{rtt}");
        }
    }

    #[test]
    fn windows_below_16_are_not_watched() {
        let (mut hystart, mut bench) = after_a_round_of_16(false);
        bench.window.cwnd = 15.0;
        assert_eq!(round(&mut hystart, &mut bench, 200, MS(1)), None);
    }

    #[test]
    fn one_slow_start_is_ended_until_the_timer_expires() {
        let (mut hystart, mut bench) = after_a_round_of_16(false);
        assert!(round(&mut hystart, &mut bench, 200, MS(1)).is_some());
        bench.window.ssthresh = f64::INFINITY;
        assert_eq!(round(&mut hystart, &mut bench, 200, MS(1)), None);
        hystart.reset();
        assert!(round(&mut hystart, &mut bench, 200, MS(1)).is_some());
    }
}
