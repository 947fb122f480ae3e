//! The default of a channel's `arp` in scenarios with flows, or workloads, of TCP preset `ns2` or `ns2_linux`.

use farlink_network::blueprint::Arp;
use farlink_tcp::config::Preset;

use crate::document::{Channel, Document};
use crate::located::Located;

/// Channels without an `arp` of their own resolve addresses as ns-2 does, if a flow has one of its presets: ns-2.35
/// gives every node with a radio an ARP table (tcl/lib/ns-mobilenode.tcl, `add-interface`).
pub(crate) fn set_default(document: &mut Document) {
    let is_of_ns2 = |preset| matches!(preset, Preset::Ns2 | Preset::Ns2Linux);
    let flows = document.flows.iter().map(|flow| &flow.tcp.0);
    let mut carried = flows.chain(document.workloads.iter().map(|workload| &workload.tcp.0));
    if carried.any(|tcp| is_of_ns2(tcp.preset)) {
        for channel in document.channels.iter_mut().filter(|channel| leaves_it_open(channel)) {
            channel.radio.arp = Arp::OneSlot;
        }
    }
}

fn leaves_it_open(channel: &Located<Channel>) -> bool {
    !channel.has("arp") && channel.radio.mac_properties().has_addresses
}
