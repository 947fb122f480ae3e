//! How much a flow transfers in all.

use farlink_kernel::Bytes;
use farlink_network::app;
use farlink_network::blueprint::Flow;

/// The size of what an application of one of `flows` sends; `None` where it has no end.
///
/// A relay transfers what the flow that it passes on does, which may be a relay itself.
pub(crate) fn transfer_size<'a>(flows: &'a [Flow], mut application: &'a app::Config) -> Option<Bytes> {
    for _ in flows {
        match application {
            app::Config::File(file) => return Some(file.size),
            app::Config::Relay(relay) => {
                application = &flows.iter().find(|flow| flow.label == relay.flow)?.application;
            }
            _ => return None,
        }
    }
    None
}
