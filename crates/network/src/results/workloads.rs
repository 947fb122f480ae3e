//! [`WorkloadResult`]: what happened to flows that arrived.

use farlink_kernel::{Bytes, Duration, Instant};

use super::DropsAt;
use crate::ids::NodeId;

/// What happened to the flows of one workload.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkloadResult {
    /// Its name.
    pub label: String,
    /// By size: all flows first, then each class in ascending order, if there are several.
    pub classes: Vec<SizeClass>,
    /// Each flow in the order of arrival, if asked for.
    pub flows: Vec<ArrivedFlow>,
    /// Dropped packets of its flows in both directions, by cause; absent causes are left out.
    pub drops: Vec<(&'static str, u64)>,
    /// The same by place.
    pub drops_by_place: Vec<DropsAt>,
}

/// The flows of one class of sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct SizeClass {
    /// They are larger than this.
    pub above: Bytes,
    /// They are not larger than this; `None`: however large.
    pub most: Option<Bytes>,
    /// Flows that arrived.
    pub arrivals: u64,
    /// Their payload.
    pub bytes: Bytes,
    /// The payload that their receivers have in order.
    pub received: Bytes,
    /// Those of them that were delivered and acknowledged until the end of the run.
    pub completed: u64,
    /// Packets retransmitted: data, and SYN and FIN without data.
    pub retransmissions: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// From the arrival to the last acknowledgement, in seconds, of completed flows; `None` without any.
    pub completion: Option<Times>,
    /// The same over the time that the flow would take alone on an empty path
    /// ([`World`](crate::World)); `None` where that is not known.
    pub slowdown: Option<Times>,
}

/// The mean of completed flows, and percentiles of all flows that arrived.
///
/// Unfinished flows are above all others: a percentile is `None` where it is one of them. Percentiles are exact to 1/128 of their
/// values (fixed logarithmic bins).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Times {
    /// The mean.
    pub mean: f64,
    /// The median.
    pub p50: Option<f64>,
    /// The 95th percentile.
    pub p95: Option<f64>,
    /// The 99th percentile.
    pub p99: Option<f64>,
}

/// A flow of a workload.
#[derive(Clone, Debug, PartialEq)]
pub struct ArrivedFlow {
    /// Its number among the arrivals of its workload; of a closed loop, equal for one user modulo their number.
    pub number: u32,
    /// Its sender and its receiver.
    pub between: [NodeId; 2],
    /// Its payload.
    pub size: Bytes,
    /// When it arrived.
    pub start: Instant,
    /// From then to the last acknowledgement; `None` when it was not complete at the end of the run.
    pub completion: Option<Duration>,
    /// The same over the time alone on an empty path.
    pub slowdown: Option<f64>,
    /// Packets retransmitted.
    pub retransmissions: u64,
}
