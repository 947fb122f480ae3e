//! 802.11 frames as bytes (IEEE 802.11-1999, clause 7), with IP packets in LLC and SNAP (RFC 1042).

use farlink_network::frame::{Frame, FrameKind};
use farlink_network::hop::{NextHop, Part};
use farlink_network::ids::NodeId;

/// Frame control, first byte: type and subtype.
const RTS: u8 = 0xb4;
const CTS: u8 = 0xc4;
const ACK: u8 = 0xd4;
const DATA: u8 = 0x08;
/// Frame control, second byte; set in data frames only.
const RETRY: u8 = 0x08;
/// The largest duration field, in µs.
const LONGEST_US: u64 = 32_767;
/// LLC and SNAP before a packet; the EtherType follows.
const SNAP: [u8; 6] = [0xaa, 0xaa, 0x03, 0, 0, 0];

pub(super) const IPV4: u16 = 0x0800;
pub(super) const ARP: u16 = 0x0806;

type Address = [u8; 6];
const BROADCAST: Address = [0xff; 6];

/// A locally administered address; the last four bytes count from 1, like those of the IP address.
pub(super) fn address(node: NodeId) -> Address {
    let [a, b, c, d] = (node.0 + 1).to_be_bytes();
    [0x02, 0, a, b, c, d]
}

/// The BSSID: the stations of a channel are an independent BSS (7.2.2: neither to nor from a distribution system).
fn network(channel: u32) -> Address {
    let [a, b, c, d] = (channel + 1).to_be_bytes();
    [0x06, 0, a, b, c, d]
}

/// Appends a frame to `out`; a data frame carries the packet with its EtherType.
pub(super) fn encode(frame: &Frame, (kind, packet): (u16, &[u8]), channel: u32, out: &mut Vec<u8>) {
    let start = out.len();
    let micros = frame.duration.as_nanos().div_ceil(1000).min(LONGEST_US) as u16;
    let mut head = |control: u8, flags: u8, receiver: Address| {
        out.extend_from_slice(&[control, flags]);
        out.extend_from_slice(&micros.to_le_bytes());
        out.extend_from_slice(&receiver);
    };
    match frame.kind {
        FrameKind::ClearToSend { to } => head(CTS, 0, address(to)),
        FrameKind::Acknowledgement { to, .. } => head(ACK, 0, address(to)),
        // 802.11 has no tones: one is shown as a broadcast CTS.
        FrameKind::Tone => head(CTS, 0, BROADCAST),
        FrameKind::RequestToSend { to } => {
            head(RTS, 0, address(to));
            out.extend_from_slice(&address(frame.sender));
        }
        FrameKind::Data => {
            let receiver = match frame.parts[0] {
                Some(Part { next_hop: NextHop::Node(node), .. }) => address(node),
                _ => BROADCAST,
            };
            head(DATA, if frame.is_retry { RETRY } else { 0 }, receiver);
            out.extend_from_slice(&address(frame.sender));
            out.extend_from_slice(&network(channel));
            // Twelve bits of sequence number above four of the fragment's.
            out.extend_from_slice(&((frame.number as u16) << 4).to_le_bytes());
            out.extend_from_slice(&SNAP);
            out.extend_from_slice(&kind.to_be_bytes());
            out.extend_from_slice(packet);
        }
    }
    let check = crc32fast::hash(&out[start..]);
    out.extend_from_slice(&check.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use farlink_kernel::Duration;
    use farlink_network::frame::Mode;
    use farlink_network::ids::PacketId;

    fn bytes(frame: &Frame, packet: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        encode(frame, (IPV4, packet), 0, &mut out);
        out
    }

    #[test]
    fn control_frames_are_laid_out_as_in_section_7_2_1() {
        let duration = Duration::from_nanos(313_500);
        let frame = |kind| Frame { duration, ..Frame::new(NodeId(0), 5, kind, 14, Mode(0)) };
        let rts = bytes(&frame(FrameKind::RequestToSend { to: NodeId(1) }), &[]);
        assert_eq!(rts[..16], [0xb4, 0, 58, 1, 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1]);
        assert_eq!(rts.len(), 20);
        let cts = bytes(&frame(FrameKind::ClearToSend { to: NodeId(1) }), &[]);
        assert_eq!((cts[0], &cts[4..10], cts.len()), (0xc4, &address(NodeId(1))[..], 14));
        let ack = bytes(&frame(FrameKind::Acknowledgement { to: NodeId(1), number: 5, part: 0 }), &[]);
        assert_eq!((ack[0], ack.len()), (0xd4, 14));
    }

    #[test]
    fn data_carry_addresses_number_and_packet() {
        let part = Part { packet: PacketId(0), next_hop: NextHop::Node(NodeId(1)) };
        let frame = Frame::new(NodeId(0), 0x1_0123, FrameKind::Data, 100, Mode(0));
        let frame = Frame { parts: [Some(part), None], is_retry: true, ..frame };
        let data = bytes(&frame, &[0x45; 20]);
        assert_eq!(data.len(), 24 + 8 + 20 + 4);
        assert_eq!((data[..2].to_vec(), &data[22..24]), (vec![0x08, 0x08], &[0x30, 0x12][..]));
        assert_eq!(data[4..22], [address(NodeId(1)), address(NodeId(0)), [0x06, 0, 0, 0, 0, 1]].concat());
        assert_eq!(data[24..32], [0xaa, 0xaa, 0x03, 0, 0, 0, 0x08, 0x00]);
        // Over a frame with its check sequence the remainder is always the same.
        assert_eq!(crc32fast::hash(&data), 0x2144_df1c);
        let to_all = Frame { parts: [Some(Part { next_hop: NextHop::Everyone, ..part }), None], ..frame };
        assert_eq!(bytes(&to_all, &[])[4..10], BROADCAST);
    }
}
