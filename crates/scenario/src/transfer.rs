//! How much a flow transfers in all, and whether another one passes it on.

use farlink_kernel::Bytes;
use farlink_network::app::Length;
use farlink_network::blueprint::Flow;

/// The size of what one of `flows` transfers; `None` where it has no end.
///
/// A relay transfers what the flow that it passes on does, which may be a relay itself.
pub(crate) fn transfer_size<'a>(flows: &'a [Flow], mut flow: &'a Flow) -> Option<Bytes> {
    for _ in flows {
        match flow.application.parameters().traffic().length {
            Length::Endless => return None,
            Length::Bytes(size) => return Some(size),
            Length::Relayed { flow: label, .. } => flow = flows.iter().find(|other| other.label == label)?,
        }
    }
    None
}

/// Whether one of `flows` is a relay of `flow`.
pub(crate) fn is_relayed(flows: &[Flow], flow: &Flow) -> bool {
    let of = |other: &Flow| matches!(other.application.parameters().traffic().length, Length::Relayed { flow: label, .. } if label == flow.label);
    flows.iter().any(of)
}
