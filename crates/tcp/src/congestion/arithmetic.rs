//! Window arithmetic: RFC 5681 counts windows in real numbers, Linux in whole segments.
//!
//! [`WholeWindow`] is `net/ipv4/tcp_cong.c` of today's Linux and of Linux 2.6.22, which ns-2.35's TCP-Linux runs. What
//! their modules compute otherwise than the papers stands in [`super::emulation`].

use farlink_kernel::{Bytes, Duration, choice};

use crate::window::Window;

choice! {
    /// How a window grows by parts of a segment.
    pub enum WindowCounting {
        /// Real-valued windows, at most one segment counted per ACK (RFC 5681).
        Real = "real",
        /// Whole windows: one segment more after so many acknowledged segments (today's Linux). Data grow the window when they
        /// are delivered, SACKed or not, and the ACK that ends a recovery grows it, too. A window that was full once in a
        /// round trip counts as full. An ECN echo reduces it over a round trip.
        Linux = "linux",
        /// Whole windows: one segment more on the ACK after so many ACKs (Linux 2.6.22, which ns-2.35 runs);
        /// slow start continues while cwnd equals ssthresh.
        Linux2622 = "linux_2_6_22",
    }
}

choice! {
    /// What cwnd is while a loss is repaired.
    pub enum RecoveryWindow {
        /// ssthresh.
        Ssthresh = "ssthresh",
        /// The module's `min_cwnd` (half of ssthresh unless the algorithm has its own), raised to ssthresh
        /// when all is repaired, after a timeout too, and bounded by the flight only then; an ACK that advances and
        /// shows a loss makes the window grow before it is reduced (ns-2 TCP-Linux).
        MinCwnd = "min_cwnd",
    }
}

/// The arithmetic that every algorithm of a connection shares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindowArithmetic {
    /// How a window grows by parts of a segment.
    pub counting: WindowCounting,
    /// What cwnd is while a loss is repaired.
    pub in_recovery: RecoveryWindow,
    /// Most segments of growth per ACK in slow start, L of RFC 3465: 1 (RFC 5681), 8 with HyStart++ or
    /// infinite when it is paced (RFC 9406 section 4.3), infinite for today's Linux.
    pub slow_start_limit: f64,
}

impl WindowArithmetic {
    /// RFC 5681.
    pub const RFC: Self =
        Self { counting: WindowCounting::Real, in_recovery: RecoveryWindow::Ssthresh, slow_start_limit: 1.0 };
    /// Today's Linux.
    pub const LINUX: Self =
        Self { counting: WindowCounting::Linux, slow_start_limit: f64::INFINITY, ..Self::RFC };
    /// TCP-Linux of ns-2.35.
    pub const NS2_LINUX: Self =
        Self { counting: WindowCounting::Linux2622, in_recovery: RecoveryWindow::MinCwnd, ..Self::RFC };

    /// True when windows are whole numbers.
    pub fn is_whole(&self) -> bool {
        self.counting != WindowCounting::Real
    }

    /// True for Linux 2.6.22.
    pub fn is_2_6_22(&self) -> bool {
        self.counting == WindowCounting::Linux2622
    }

    /// Segments, rounded down where windows are whole.
    pub fn round(&self, segments: f64) -> f64 {
        if self.is_whole() { segments.floor() } else { segments }
    }

    /// A time in whole milliseconds where windows are whole: the clock of Linux's modules.
    pub fn ticks(&self, time: Duration) -> Duration {
        if self.is_whole() { Duration::from_millis(time.as_millis()) } else { time }
    }

    /// What rates are counted in: units per segment and nanoseconds. Segments per second, or bytes per millisecond where
    /// windows are whole.
    pub fn rate_units(&self, segment_size: Bytes) -> (f64, f64) {
        if self.is_whole() { (segment_size.0.max(1) as f64, 1e6) } else { (1.0, 1e9) }
    }

    /// True for the `min_cwnd` of ns-2's TCP-Linux.
    pub fn has_min_cwnd(&self) -> bool {
        self.in_recovery == RecoveryWindow::MinCwnd
    }
}

#[derive(Clone, Debug)]
pub(super) struct WholeWindow {
    is_2_6_22: bool,
    /// `snd_cwnd_cnt`: ACKs counted towards the next segment.
    counted: f64,
    /// `bytes_acked` of ns-2's TCP-Linux, in segments: it runs Linux 2.6.22 with byte counting (RFC 3465) on.
    acknowledged: f64,
}

impl WholeWindow {
    /// None where windows are real numbers.
    pub(super) fn new(arithmetic: &WindowArithmetic) -> Option<Self> {
        let is_2_6_22 = arithmetic.is_2_6_22();
        arithmetic.is_whole().then_some(Self { is_2_6_22, counted: 0.0, acknowledged: 0.0 })
    }

    /// True in slow start; Linux 2.6.22 is in it at the threshold, too.
    pub(super) fn in_slow_start(&self, window: &Window) -> bool {
        window.in_slow_start() || (self.is_2_6_22 && window.cwnd <= window.ssthresh)
    }

    /// Slow start of Linux 2.6.22: a segment per ACK. False where RFC 5681's rule holds.
    pub(super) fn slow_start(&mut self, window: &mut Window) -> bool {
        if self.is_2_6_22 {
            self.acknowledged = 0.0;
            window.cwnd += 1.0;
        }
        self.is_2_6_22
    }

    /// `tcp_cong_avoid_ai`: a segment per so many acknowledged segments, or on the ACK after so many ACKs.
    pub(super) fn increase(&mut self, window: &mut Window, acked: f64, acks_per_segment: f64) {
        let is_due = self.counted >= acks_per_segment;
        if is_due {
            self.counted = 0.0;
            window.cwnd += 1.0;
        }
        if !self.is_2_6_22 {
            self.counted += acked;
            let whole = (self.counted / acks_per_segment).floor();
            self.counted -= whole * acks_per_segment;
            window.cwnd += whole;
        } else if !is_due {
            self.counted += 1.0;
        }
    }

    /// Adds to what byte counting has seen acknowledged.
    pub(super) fn count(&mut self, acked: f64) {
        self.acknowledged += acked;
    }

    /// Congestion avoidance of Linux 2.6.22 with byte counting: a segment per window acknowledged (RFC 3465
    /// section 2.1). False where Reno's increase holds.
    pub(super) fn increase_by_bytes(&mut self, window: &mut Window) -> bool {
        // The smallest part of a segment keeps whole sums whole.
        if self.is_2_6_22 && self.acknowledged + 1e-6 >= window.cwnd {
            self.acknowledged -= window.cwnd;
            window.cwnd += 1.0;
        }
        self.is_2_6_22
    }

    pub(super) fn reset(&mut self) {
        self.counted = 0.0;
        self.acknowledged = 0.0;
    }
}

/// Segments per ACK times 16, as the modules of BIC and CUBIC estimate it, for receivers that delay ACKs.
///
/// The integer arithmetic never gets from its start at 2 down to 1: it stays at 31/16, so the modules grow
/// almost twice as fast as they say when every segment is acknowledged.
#[derive(Clone, Debug)]
pub(super) struct AckRatio {
    /// None where windows are real numbers: nothing is corrected.
    sixteenths: Option<i64>,
    /// An ACK that repairs the losses of a timeout acknowledges what was delivered long before.
    is_repairing: bool,
}

impl AckRatio {
    const START: i64 = 32;

    pub(super) fn new(arithmetic: &WindowArithmetic) -> Self {
        Self { sixteenths: arithmetic.is_whole().then_some(Self::START), is_repairing: false }
    }

    pub(super) fn on_ack(&mut self, acked: f64) {
        if let Some(sixteenths) = self.sixteenths.as_mut().filter(|_| !self.is_repairing) {
            let sample = acked.ceil().clamp(0.0, 1e9) as i64;
            *sixteenths = (*sixteenths + sample - (*sixteenths >> 4)).max(1);
        }
    }

    /// ACKs per segment of growth, from acknowledged segments per segment of growth.
    pub(super) fn correct(&self, segments: f64) -> f64 {
        self.sixteenths.map_or(segments, |ratio| (segments * 16.0 / ratio as f64).floor()).max(1.0)
    }

    /// ACKs do not count until the losses of a timeout are repaired (`bictcp_acked`: in `TCP_CA_Open` only).
    pub(super) fn on_timeout(&mut self) {
        self.sixteenths = self.sixteenths.map(|_| Self::START);
        self.is_repairing = true;
    }

    pub(super) fn on_repaired(&mut self) {
        self.is_repairing = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acks_that_repair_the_losses_of_a_timeout_do_not_count() {
        let mut ratio = AckRatio::new(&WindowArithmetic::LINUX);
        ratio.on_timeout();
        ratio.on_ack(300.0);
        assert_eq!(ratio.correct(32.0), 16.0);
        ratio.on_repaired();
        ratio.on_ack(300.0);
        assert_eq!(ratio.correct(32.0), 1.0);
    }

    #[test]
    fn the_ack_ratio_sticks_just_below_two() {
        let mut ratio = AckRatio::new(&WindowArithmetic::LINUX);
        (0..1000).for_each(|_| ratio.on_ack(1.0));
        assert_eq!((ratio.sixteenths, ratio.correct(100.0)), (Some(31), 51.0));
    }
}
