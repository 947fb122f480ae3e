//! The circumstances of a sequence: how windows are counted, and how long round trips and silences are.

use farlink_kernel::Duration;
use farlink_kernel::random::Stream;
use farlink_tcp::congestion::arithmetic::{RecoveryWindow, WindowArithmetic, WindowCounting};

pub(super) fn arithmetic(rng: &mut Stream) -> WindowArithmetic {
    let counting = [WindowCounting::Real, WindowCounting::Linux, WindowCounting::Linux2622];
    let in_recovery = [RecoveryWindow::Ssthresh, RecoveryWindow::MinCwnd];
    let limit = [1.0, 8.0, f64::INFINITY];
    WindowArithmetic {
        counting: counting[rng.below(3) as usize],
        in_recovery: in_recovery[rng.below(2) as usize],
        slow_start_limit: limit[rng.below(3) as usize],
    }
}

/// Round-trip times from a nanosecond over LANs and satellites to absurd.
pub(super) fn wild_time(rng: &mut Stream) -> Duration {
    let times = [1, 1_000, 500_000, 25_000_000, 600_000_000, 10_000_000_000, 3_600_000_000_000];
    Duration::from_nanos(times[rng.below(times.len() as u64) as usize]).mul_f64(0.5 + rng.uniform())
}
