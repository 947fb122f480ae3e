//! Directions of links, numbered as their interfaces: twice the link's number, and one more for its reverse.

use farlink_kernel::Bytes;
use farlink_network::Blueprint;
use farlink_network::app::{self, Protocol};
use farlink_network::blueprint::Flow;
use farlink_network::interface::link::Config;

use crate::estimate::UDP_HEADERS;

/// The headers of IP and TCP without options, in bytes.
pub(super) const TCP_HEADERS: u64 = 40;

pub(super) fn direction(number: usize, blueprint: &Blueprint) -> &Config {
    let link = &blueprint.links[number / 2];
    [&link.forward, &link.reverse][number % 2]
}

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
    let segment = flow.tcp.segment_size;
    let payload = match &flow.application {
        app::Config::File(file) => file.size.min(segment),
        app::Config::OnOff(source) if is_tcp(flow) => source.packet_size.min(segment),
        app::Config::OnOff(source) => source.packet_size,
        app::Config::ConstantBitRate(source) => source.packet_size,
        _ => segment,
    };
    Bytes(payload.0 + if is_tcp(flow) { TCP_HEADERS } else { u64::from(UDP_HEADERS) })
}

pub(super) fn is_tcp(flow: &Flow) -> bool {
    app::protocol(&flow.application) == Protocol::Tcp
}
