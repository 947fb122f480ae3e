//! [`Machine`]: what the algorithms run on. Papers were measured on real-valued windows, on kernels that
//! count ACKs in integers, and on ns-2 with a kernel of 2007 inside; these are options, never copies of code.

use farlink_kernel::choice;

choice! {
    /// How a window grows by parts of a segment.
    pub enum Counting {
        /// Real-valued windows, at most one segment counted per ACK (RFC 5681).
        Real = "real",
        /// Whole windows: one segment more after so many acknowledged segments (today's Linux).
        Linux = "linux",
        /// Whole windows: one segment more on the ACK after so many ACKs (Linux 2.6.22, which ns-2.35 runs);
        /// slow start goes on while cwnd equals ssthresh.
        Linux2622 = "linux_2_6_22",
    }
}

choice! {
    /// What cwnd is while a loss is repaired.
    pub enum RepairWindow {
        /// ssthresh.
        Ssthresh = "ssthresh",
        /// The module's `min_cwnd` (half of ssthresh unless the algorithm has its own), raised to ssthresh
        /// when all is repaired, after a timeout too, and bounded by the flight only then; an ACK that advances and
        /// shows a loss makes the window grow before it is reduced (ns-2 TCP-Linux).
        MinCwnd = "min_cwnd",
    }
}

/// The options every algorithm shares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Machine {
    /// How a window grows by parts of a segment.
    pub counting: Counting,
    /// What cwnd is while a loss is repaired.
    pub repair: RepairWindow,
    /// Most segments of growth per ACK in slow start, L of RFC 3465: 1 (RFC 5681), 8 with HyStart++ or
    /// infinite when it is paced (RFC 9406 section 4.3), infinite for today's Linux.
    pub slow_start_limit: f64,
}

impl Machine {
    /// RFC 5681.
    pub const RFC: Self =
        Self { counting: Counting::Real, repair: RepairWindow::Ssthresh, slow_start_limit: 1.0 };
    /// Today's Linux.
    pub const LINUX: Self =
        Self { counting: Counting::Linux, repair: RepairWindow::Ssthresh, slow_start_limit: f64::INFINITY };
    /// TCP-Linux of ns-2.35.
    pub const NS2_LINUX: Self =
        Self { counting: Counting::Linux2622, repair: RepairWindow::MinCwnd, slow_start_limit: 1.0 };

    /// True when windows are whole numbers.
    pub fn is_whole(&self) -> bool {
        self.counting != Counting::Real
    }

    /// A window in the machine's numbers: rounded down where windows are whole.
    pub fn round(&self, segments: f64) -> f64 {
        if self.is_whole() { segments.floor() } else { segments }
    }
}
