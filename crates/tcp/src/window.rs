//! [`Window`]: the three numbers congestion control owns.
//!
//! Windows are `f64` in segments of the full size, floored in one place when sending (docs/architecture.md,
//! numbers). Recovery owns what may be sent while it repairs; it never writes here.

use farlink_kernel::BitRate;

/// What congestion control steers with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Congestion window in segments.
    pub cwnd: f64,
    /// Slow-start threshold in segments; infinite when unknown.
    pub ssthresh: f64,
    /// The rate packets are spaced at, in payload (as delivery rates are measured); `None`: the connection's own choice.
    pub pacing_rate: Option<BitRate>,
}

impl Window {
    /// A window of `cwnd` segments with an unknown threshold.
    pub fn new(cwnd: f64) -> Self {
        Self { cwnd, ssthresh: f64::INFINITY, pacing_rate: None }
    }

    /// True below the threshold.
    pub fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }
}
