//! Packets that no frame of IEEE 802.11 holds.

use farlink_kernel::config::Diagnostic;
use farlink_network::Blueprint;
use farlink_network::blueprint::{Channel, Flow};

use super::senders::senders;
use crate::document::Document;
use crate::paths::{Leg, Network};

/// The longest MSDU (IEEE 802.11-2020, table 9-25), in octets, and its LLC and SNAP headers.
const MSDU: u32 = 2304;
const LLC_AND_SNAP: u32 = 8;

pub(super) fn find(document: &Document, blueprint: &Blueprint) -> Vec<Diagnostic> {
    let is_80211 = |channel: &Channel| channel.radio.mac_properties().is_ieee80211;
    if !blueprint.channels.iter().any(is_80211) {
        return Vec::new();
    }
    let most = MSDU - LLC_AND_SNAP;
    let network = Network::new(blueprint);
    let mut found = Vec::new();
    for sender in senders(document, blueprint) {
        let size = sender.packet_size;
        let is_over_80211 =
            |leg: &Leg| matches!(*leg, Leg::Channel { number, .. } if is_80211(&blueprint.channels[number]));
        if size <= most || !sender.legs(&network).iter().any(is_over_80211) {
            continue;
        }
        let (key, payload) = match sender.tcp {
            Some(tcp) => ("tcp.segment_size", tcp.segment_size.0 as u32),
            None => ("application.packet_size", size - Flow::UDP_HEADERS),
        };
        let message = format!(
            "a packet of {size} B; a frame of IEEE 802.11 holds at most {most} B, its LLC and SNAP headers besides"
        );
        let remedy = format!("write at most \"{} B\"", most - (size - payload));
        found.push(sender.refuse_at(key, message, remedy));
    }
    found
}
