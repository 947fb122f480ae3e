//! The frames on shared channels, as a pcapng with an interface for each channel: 802.11 frames with Radiotap
//! headers; for other MACs, whose frames no tool dissects, the IP packets in them.

use std::io;
use std::sync::Arc;

use farlink_network::Blueprint;
use farlink_network::blueprint;
use farlink_network::channel::propagation::Carrier;
use farlink_network::frame::{FrameKind, Mode};
use farlink_network::hop::Part;
use farlink_network::ids::NodeId;
use farlink_network::observe::monitor::{FrameObserved, Monitor, View};
use farlink_network::packet::Packets;
use farlink_network::phy::power::Strength;
use farlink_network::phy::{Modulation, Phy};

use super::pcap::{LinkType, PcapNg};
use super::radiotap::{self, Channel, Header};
use super::{Format, Recorder, Sink, ieee80211, ip};

/// Bytes of a node's name; a DNS name has fewer.
const LONGEST_NAME: usize = 256;

/// The properties of a channel that the capture needs.
struct Interface {
    phy: Arc<dyn Phy>,
    is_wireless_lan: bool,
    carrier: Option<Channel>,
    sent_dbm: f64,
}

/// The file, and the frame that is being written.
pub(crate) struct Frames {
    file: PcapNg,
    interfaces: Vec<Interface>,
    packet: Vec<u8>,
    frame: Vec<u8>,
}

/// A capture of the channels of `blueprint` into `sink`.
pub(crate) fn recorder(sink: Sink, blueprint: &Blueprint) -> Recorder<Frames> {
    Recorder::new(Frames::begin(sink, blueprint))
}

impl Format for Frames {
    fn into_sink(self) -> Sink {
        self.file.sink
    }
}

impl Monitor for Recorder<Frames> {
    fn on_frame(&mut self, sighting: &FrameObserved<'_>) {
        self.write(|file| file.record(sighting));
    }
}

impl Interface {
    fn new(channel: &blueprint::Channel) -> Self {
        let radio = &channel.radio;
        let modulation = match radio.phy.modulation() {
            Modulation::Cck => radiotap::CCK,
            Modulation::Ofdm => radiotap::OFDM,
            Modulation::Any | Modulation::Acoustic => 0,
        };
        let carrier = match radio.propagation.parameters().carrier() {
            Carrier::Radio(frequency) => Channel::new(frequency.hertz, modulation),
            Carrier::Any | Carrier::Sound => None,
        };
        Self {
            phy: Arc::from(radio.phy.build(&())),
            is_wireless_lan: radio.mac_properties().is_ieee80211,
            carrier,
            sent_dbm: radio.antenna.power.as_dbm(),
        }
    }

    fn radiotap(&self, mode: Mode, strength: Option<Strength>) -> Header {
        let power = strength.map_or(radiotap::Power::Sent(self.sent_dbm), |strength| {
            radiotap::Power::Received(strength.power().as_dbm())
        });
        let is_preamble_short = self.phy.header_time(mode) < self.phy.header_time(Mode(0));
        Header { rate: self.phy.rate(mode), is_preamble_short, channel: self.carrier, power }
    }
}

/// The names of the nodes, so that tools show them beside or instead of addresses.
fn node_names(nodes: &[blueprint::Node]) -> impl Iterator<Item = ([u8; 4], &str)> {
    nodes.iter().zip(0..).filter_map(|(node, number)| {
        // A record ends a name with a zero and has 16 bits for its length.
        let name = node.name.as_str();
        let is_writable = !name.contains('\0') && name.len() < LONGEST_NAME;
        is_writable.then(|| (ip::address(NodeId(number)), name))
    })
}

impl Frames {
    fn begin(sink: Sink, blueprint: &Blueprint) -> io::Result<Self> {
        let channels = &blueprint.channels;
        let mut file = PcapNg::begin(sink)?;
        let interfaces: Vec<_> = channels.iter().map(Interface::new).collect();
        for (channel, interface) in channels.iter().zip(&interfaces) {
            let link_type =
                if interface.is_wireless_lan { LinkType::Ieee80211Radiotap } else { LinkType::Ipv4 };
            file.interface(&channel.name, link_type)?;
        }
        file.names(node_names(&blueprint.nodes))?;
        Ok(Self { file, interfaces, packet: Vec::new(), frame: Vec::new() })
    }

    fn record(&mut self, sighting: &FrameObserved<'_>) -> Result<(), String> {
        let FrameObserved { channel, frame, packets, .. } = *sighting;
        let level = match sighting.view {
            View::Sent(_) => None,
            View::Received(strength) => Some(strength),
            View::Missed(_) => return Ok(()),
        };
        if self.interfaces[channel].is_wireless_lan {
            let kind = match (frame.kind, &frame.parts) {
                (FrameKind::Data, [Some(part), _]) => self.encode_packet(part, packets)?,
                _ => ieee80211::IPV4,
            };
            return self.record_wireless_lan(sighting, kind, level);
        }
        let is_ip = |part: &&Part| ip::arp(part, packets).is_none();
        for part in frame.parts.iter().flatten().filter(is_ip) {
            ip::encode(part, packets, &mut self.frame)?;
            self.put(sighting)?;
        }
        Ok(())
    }

    /// Encodes the packet of a frame; returns its EtherType.
    fn encode_packet(&mut self, part: &Part, packets: &Packets) -> Result<u16, String> {
        if let Some(message) = ip::arp(part, packets) {
            self.packet = message.to_bytes(ieee80211::address, ip::address);
            return Ok(ieee80211::ARP);
        }
        ip::encode(part, packets, &mut self.packet).map(|()| ieee80211::IPV4)
    }

    fn record_wireless_lan(
        &mut self,
        sighting: &FrameObserved<'_>,
        kind: u16,
        strength: Option<Strength>,
    ) -> Result<(), String> {
        let frame = sighting.frame;
        self.frame.clear();
        self.interfaces[sighting.channel].radiotap(frame.mode, strength).encode(&mut self.frame);
        ieee80211::encode(frame, (kind, &self.packet), sighting.channel.0, &mut self.frame);
        self.put(sighting)
    }

    fn put(&mut self, sighting: &FrameObserved<'_>) -> Result<(), String> {
        let written = self.file.packet(sighting.channel.0, sighting.now, &self.frame);
        written.map_err(|fault| fault.to_string())
    }
}
