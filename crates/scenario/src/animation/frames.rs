//! Frames in flight: on shared channels as they are sent, on links as they arrive.

use std::collections::BTreeMap;

use farlink_kernel::{Bytes, Duration, Instant};
use farlink_network::Blueprint;
use farlink_network::frame::{Frame, FrameKind};
use farlink_network::hop::{NextHop, Part};
use farlink_network::ids::{ChannelId, NodeId, PacketId};
use farlink_network::interface::link;
use farlink_network::observe::monitor::{FrameObserved, PacketObserved, View};
use farlink_network::packet::{Cause, Packets, Payload};
use serde_json::{Value, json};

use super::{Window, differences, or_none};

/// The limit on rows that are kept, which take some 6 MB.
const MOST: usize = 150_000;

/// What became of a frame at the neighbour it was for.
#[derive(Clone, Copy, Debug)]
enum Fate {
    Arrived,
    Broadcast,
    InFlight,
    Missed(Cause),
}

impl Fate {
    /// As its number in the document: -3 to -1, or a cause's place.
    fn code(self) -> i64 {
        match self {
            Self::Arrived => -1,
            Self::Broadcast => -2,
            Self::InFlight => -3,
            Self::Missed(cause) => cause as i64,
        }
    }
}

/// A frame and its receiver, or all neighbours. A frame for two receivers has two rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    begin: Instant,
    /// The transmission time, and the propagation delay to the neighbour.
    length: Duration,
    delay: Duration,
    from: NodeId,
    to: Option<NodeId>,
    /// None for a link.
    channel: Option<ChannelId>,
    kind: u8,
    /// Among the flows and, after them, the workloads.
    flow: Option<u32>,
    /// The number of the packet it carries, which copies of the packet share.
    packet: Option<u64>,
    offset: u64,
    fate: Fate,
}

/// A frame whose fate is not known yet: its number and kind, the neighbour, and its row.
type Open = (u32, u8, NodeId, usize);

#[derive(Debug)]
pub(super) struct Frames {
    window: Window,
    rows: Vec<Row>,
    open: BTreeMap<(ChannelId, NodeId), Vec<Open>>,
    left_out: u64,
    /// When the first row was left out.
    full_at: Option<Instant>,
}

impl Frames {
    pub(super) fn new(window: Window) -> Self {
        Self { window, rows: Vec::new(), open: BTreeMap::new(), left_out: 0, full_at: None }
    }

    pub(super) fn on_frame(&mut self, sighting: &FrameObserved<'_>) {
        let fate = match sighting.view {
            View::Sent(length) => return self.on_sent(sighting, length),
            View::Received(_) => Fate::Arrived,
            View::Missed(cause) => Fate::Missed(cause),
        };
        let FrameObserved { now, channel, node, frame, .. } = *sighting;
        let Some(open) = self.open.get_mut(&(channel, frame.sender)) else { return };
        let is_it = |each: &Open| (each.0, each.1, each.2) == (frame.number, kind(frame), node);
        if let Some(place) = open.iter().position(is_it) {
            let row = &mut self.rows[open.remove(place).3];
            row.fate = fate;
            row.delay = now.saturating_since(row.begin + row.length);
        }
    }

    fn on_sent(&mut self, sighting: &FrameObserved<'_>, length: Duration) {
        let FrameObserved { now, channel: number, node, frame, packets, .. } = *sighting;
        let (channel, kind) = (Some(number), kind(frame));
        let row = Row { channel, kind, fate: Fate::InFlight, ..Row::new(now, length, node) };
        let carries = frame.parts.iter().flatten().map(|&Part { packet, next_hop }| {
            let row = row.carrying(packet, packets);
            match next_hop {
                NextHop::Node(to) => Row { to: Some(to), ..row },
                NextHop::Everyone => Row { fate: Fate::Broadcast, ..row },
            }
        });
        let asks = frame.addressees().map(|to| Row { to: Some(to), ..row });
        let rows: Vec<_> = if frame.kind == FrameKind::Data { carries.collect() } else { asks.collect() };
        for row in rows {
            let Some(place) = self.add(row) else { continue };
            if let Some(to) = row.to {
                let open = self.open.entry((number, node)).or_default();
                open.push((frame.number, kind, to, place));
            }
        }
    }

    /// Keeps a row, if there is room for it, and returns its index.
    pub(super) fn add(&mut self, row: Row) -> Option<usize> {
        if row.begin < self.window.start || row.begin > self.window.end {
            return None;
        }
        if self.rows.len() == MOST {
            self.left_out += 1;
            self.full_at = self.full_at.or(Some(row.begin));
            return None;
        }
        self.rows.push(row);
        Some(self.rows.len() - 1)
    }

    pub(super) fn to_json(&self) -> Value {
        let mut rows: Vec<&Row> = self.rows.iter().collect();
        rows.sort_by_key(|row| row.begin);
        let column = |of: fn(&Row) -> i64| rows.iter().map(|row| of(row)).collect::<Vec<_>>();
        json!({
            "left_out": self.left_out,
            "full_at_ns": self.full_at.map(Instant::as_nanos),
            "begin_ns": differences(rows.iter().map(|row| row.begin)),
            "length": column(|row| row.length.as_nanos().cast_signed()),
            "delay": column(|row| row.delay.as_nanos().cast_signed()),
            "from": column(|row| i64::from(row.from)),
            "to": column(|row| or_none(row.to.map(|to| to.0))),
            "channel": column(|row| or_none(row.channel.map(|channel| channel.0))),
            "kind": column(|row| row.kind.into()),
            "flow": column(|row| or_none(row.flow)),
            "packet": column(|row| row.packet.map_or(-1, u64::cast_signed)),
            "offset": column(|row| row.offset.cast_signed()),
            "fate": column(|row| row.fate.code()),
        })
    }
}

impl Row {
    /// The row of what arrives over a link, without its packet.
    fn new(begin: Instant, length: Duration, from: NodeId) -> Self {
        let (channel, flow, packet, fate) = (None, None, None, Fate::Arrived);
        Self {
            begin,
            length,
            delay: Duration::ZERO,
            from,
            to: None,
            channel,
            kind: 0,
            flow,
            packet,
            offset: 0,
            fate,
        }
    }

    fn carrying(self, packet: PacketId, packets: &Packets) -> Self {
        let packet = &packets[packet];
        let flow = (!matches!(packet.payload, Payload::Message(_))).then(|| packets.owner(packet.flow));
        let (kind, offset) = (packet.class as u8, packet.offset);
        Self { kind, flow, packet: Some(packet.number), offset, ..self }
    }
}

/// Which of [`KINDS`](super::KINDS) a frame is; a data frame takes the class of its packet later.
fn kind(frame: &Frame) -> u8 {
    match frame.kind {
        FrameKind::Data => 0,
        FrameKind::RequestToSend { .. } => 3,
        FrameKind::ClearToSend { .. } => 4,
        FrameKind::Acknowledgement { .. } => 5,
        FrameKind::Tone => 6,
    }
}

/// The directions of all links, by their ends.
#[derive(Debug)]
pub(super) struct Links(BTreeMap<(NodeId, NodeId), link::Config>);

impl Links {
    pub(super) fn new(blueprint: &Blueprint) -> Self {
        let directions = blueprint.links.iter().flat_map(|link| {
            let [one, other] = link.between;
            [((one, other), link.forward.clone()), ((other, one), link.reverse.clone())]
        });
        Self(directions.collect())
    }

    /// The row of a packet that arrived over a link: its transmission began one transmission time and delay earlier.
    pub(super) fn row(&self, passage: &PacketObserved<'_>, from: NodeId) -> Row {
        let PacketObserved { now, node, packet, packets, .. } = *passage;
        let size = packets[packet].size;
        let (length, delay) = self.0.get(&(from, node)).map_or_else(Default::default, |direction| {
            let rate = direction.rate.at(now).0;
            let length =
                if rate.is_zero() { Duration::ZERO } else { rate.time_to_send(Bytes(u64::from(size))) };
            (length, direction.delay.at(now).0)
        });
        let begin = Instant::ZERO + (now - Instant::ZERO).saturating_sub(length + delay);
        Row { delay, to: Some(node), ..Row::new(begin, length, from) }.carrying(packet, packets)
    }
}
