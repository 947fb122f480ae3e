//! [`Suspicion`]: what is remembered of a reduction that may turn out to be spurious.

use farlink_kernel::Duration;

use crate::congestion::Saved;

/// An episode that may turn out to be spurious.
#[derive(Clone, Copy, Debug)]
pub(super) struct Suspicion {
    pub(super) by_timeout: bool,
    /// Window and estimator before the reduction (RFC 4015 steps 0 and `SRTT_prev`).
    pub(super) saved: Saved,
    pub(super) pipe_prev: f64,
    pub(super) srtt_prev: Duration,
    pub(super) rttvar_prev: Duration,
    /// Timestamp of the first retransmission (`RetransmitTS`); gone after the first acceptable ACK.
    pub(super) first_retransmission: Option<u32>,
    /// Retransmissions not yet reported as duplicates.
    pub(super) unreported: u32,
    pub(super) retransmitted: bool,
    pub(super) f_rto: FRto,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FRto {
    Off,
    /// Step 2: the first ACK after the timeout is awaited.
    First,
    /// Step 3: new segments were sent instead of retransmissions; the second ACK is awaited.
    Second,
}
