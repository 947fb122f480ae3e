//! Directions of links, numbered as their interfaces: twice the link's number, and one more for its reverse.

use farlink_kernel::Bytes;
use farlink_network::Blueprint;
use farlink_network::blueprint::Flow;
use farlink_network::interface::link::Config;

/// The headers of IP and TCP without options, in bytes.
pub(super) const TCP_HEADERS: u64 = 40;

/// The key of a property of a direction; one that both directions have in common is written once.
pub(super) fn key<T: PartialEq>(
    number: usize,
    name: &str,
    of: impl Fn(&Config) -> &T,
    blueprint: &Blueprint,
) -> String {
    let link = &blueprint.links[number / 2];
    let is_common = of(&link.forward) == of(&link.reverse);
    if is_common || number.is_multiple_of(2) { name.into() } else { format!("reverse.{name}") }
}

/// The size of a flow's first packet with data, without options.
pub(super) fn first_packet(flow: &Flow) -> Bytes {
    let write = flow.application.parameters().traffic().write;
    if flow.is_tcp() {
        return Bytes(write.min(flow.tcp.segment_size).0 + TCP_HEADERS);
    }
    Bytes(write.0 + u64::from(Flow::UDP_HEADERS))
}
