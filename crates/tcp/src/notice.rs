//! [`Notice`]: a notification from routing to the transport layer.

use crate::seq::SeqNumber;

/// A notification about the route of one flow, for `Connection::on_notice` on both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A link on the route broke.
    RouteFailed {
        /// Sequence number of the segment that could not be forwarded; `None` when it may be any outstanding one.
        seq: Option<SeqNumber>,
    },
    /// The flow has a route again.
    RouteRestored,
}
