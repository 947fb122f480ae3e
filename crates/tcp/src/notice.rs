//! [`Notice`]: what the network tells a transport about a route.

/// A router's word about the route of one flow; it reaches `Connection::on_notice` on both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// A link on the route broke.
    RouteFailed {
        /// Sequence number of the segment that could not be forwarded; `None` when routing does not know of one:
        /// it may be any that is outstanding.
        seq: Option<crate::seq::SeqNumber>,
    },
    /// The flow has a route again.
    RouteRestored,
}
