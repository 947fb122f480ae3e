//! Events of packets and frames, a line each, in ns-2's old wireless trace format (ns-2.35, trace/cmu-trace.cc), for
//! scripts that read it: `s` sent, `r` received, `f` forwarded, `D` dropped, at AGT (transport), RTR
//! (routing), IFQ (queue) or MAC.

use std::fmt::{self, Write as _};
use std::io::Write as _;

use farlink_kernel::Instant;
use farlink_network::Blueprint;
use farlink_network::frame::{Frame, FrameKind, LinkFailure};
use farlink_network::hop::NextHop;
use farlink_network::ids::{End, NodeId, PacketId};
use farlink_network::observe::monitor::{FrameObserved, Monitor, PacketObserved, Step, View};
use farlink_network::packet::{Cause, Packet, Packets, Payload};
use farlink_network::wire::{Message, aodv};
use farlink_tcp::SeqNumber;
use farlink_tcp::segment::Flags;

use super::ns2_routing::RoutingMessage;
use super::{Format, Recorder, Sink};

/// The MAC header in a trace line: duration field, receiver, sender, and the protocol carried.
#[derive(Clone, Copy, Debug, Default)]
struct MacHeader {
    micros: u64,
    receiver: NodeId,
    sender: NodeId,
    carries: u32,
}

const BROADCAST: NodeId = NodeId::MAX;
const IP: u32 = 0x800;
const ARP: u32 = 0x806;

/// What the trace keeps of a packet.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    number: u64,
    next_hop: NodeId,
    header: MacHeader,
}

/// What the trace keeps of a node.
#[derive(Clone, Copy, Debug, Default)]
struct Station {
    /// The RTS of its present attempt, until the data frame is sent, and its size.
    rts: Option<(MacHeader, u32)>,
    /// When it received an RREP that it may forward.
    replied: Option<Instant>,
}

/// The file, and the state that lines are made from.
pub(crate) struct Lines {
    sink: Sink,
    line: String,
    /// Of flows and, after them, of workloads.
    segment_sizes: Vec<u64>,
    /// Of each flow that has begun, by its id.
    initial: Vec<SeqNumber>,
    known: Vec<Known>,
    stations: Vec<Station>,
    /// The duration field of the last unicast data frame of any node, in µs.
    micros: u64,
}

#[derive(Clone, Copy)]
struct Mark {
    event: char,
    now: Instant,
    node: NodeId,
    level: &'static str,
    why: &'static str,
}

pub(crate) fn recorder(sink: Sink, blueprint: &Blueprint) -> Recorder<Lines> {
    let configs = blueprint.flows.iter().map(|flow| &flow.tcp);
    let configs = configs.chain(blueprint.workloads.iter().map(|workload| &workload.tcp));
    let segment_sizes = configs.map(|tcp| tcp.segment_size.0.max(1)).collect();
    let initial = vec![SeqNumber(0); blueprint.flows.len()];
    let stations = vec![Station::default(); blueprint.nodes.len()];
    Recorder::new(Ok(Lines {
        sink,
        line: String::new(),
        segment_sizes,
        initial,
        known: Vec::new(),
        stations,
        micros: 0,
    }))
}

impl Format for Lines {
    fn into_sink(self) -> Sink {
        self.sink
    }
}

impl Monitor for Recorder<Lines> {
    fn on_frame(&mut self, sighting: &FrameObserved<'_>) {
        self.write(|lines| lines.on_frame(sighting));
    }

    fn on_packet(&mut self, passage: &PacketObserved<'_>) {
        self.write(|lines| lines.on_packet(passage));
    }
}

impl Lines {
    fn on_frame(&mut self, sighting: &FrameObserved<'_>) -> Result<(), String> {
        let FrameObserved { now, node, frame, packets, view, .. } = *sighting;
        let mark = |event, why| Mark { event, now, node, level: "MAC", why };
        let (mark, is_whole) = match view {
            View::Sent(_) => (mark('s', "---"), true),
            View::Received(_) if frame.is_for(node) => (mark('r', "---"), false),
            View::Missed(Cause::Collision) => (mark('D', "COL"), true),
            View::Missed(Cause::BitError) => (mark('D', "ERR"), true),
            // ns-2 does not trace signals that are too weak, lost to capture, or received while sending.
            View::Received(_) | View::Missed(_) => return Ok(()),
        };
        if let View::Sent(_) = view {
            self.note_sent(node, frame);
        }
        if frame.kind != FrameKind::Data {
            return self.control(mark, frame);
        }
        for part in frame.parts.iter().flatten().filter(|part| is_whole || part.next_hop.is(node)) {
            let mut header = header(frame, part.next_hop);
            if let Some(Message::Arp(_)) = packets.message(part.packet) {
                header.carries = ARP;
            }
            let known = self.know(part.packet, packets);
            known.header = header;
            known.next_hop = if let NextHop::Node(next) = part.next_hop { next } else { NodeId(0) };
            let size = if is_whole { frame.size } else { packets[part.packet].size };
            self.packet(mark, part.packet, packets, size)?;
        }
        Ok(())
    }

    fn on_packet(&mut self, passage: &PacketObserved<'_>) -> Result<(), String> {
        let PacketObserved { now, node, packet: id, packets, step } = *passage;
        let packet = &packets[id];
        let mark = |event, level, why| Mark { event, now, node, level, why };
        if matches!(packets.message(id), Some(Message::Arp(_))) && !matches!(step, Step::GivenBack(_)) {
            return Ok(());
        }
        let is_flows = matches!(packet.payload, Payload::Segment(_) | Payload::Datagram(_));
        let mark = match step {
            Step::Originated => {
                *self.know(id, packets) = Known { number: packet.number, ..Known::default() };
                if let Payload::Segment(segment) = &packet.payload
                    && segment.flags.has(Flags::SYN)
                    && !segment.flags.has(Flags::ACK)
                {
                    let flow = packet.flow.as_index();
                    self.initial.resize(self.initial.len().max(flow + 1), SeqNumber(0));
                    self.initial[flow] = segment.seq;
                }
                if is_flows {
                    self.packet(mark('s', "AGT", "---"), id, packets, packet.size)?;
                }
                mark('r', "RTR", "---")
            }
            Step::Arrived { .. } if is_flows && packet.destination == node => return Ok(()),
            Step::Arrived { .. } => {
                if is_reply(packets, id) {
                    self.stations[node].replied = Some(now);
                }
                mark('r', "RTR", "---")
            }
            Step::Delivered if is_flows => mark('r', "AGT", "---"),
            Step::Routed(hop) => {
                self.know(id, packets).next_hop =
                    if let NextHop::Node(next) = hop.next_hop { next } else { NodeId(0) };
                // AODV makes a new RREP at every hop.
                let is_forwarded = is_reply(packets, id) && self.stations[node].replied == Some(now);
                mark(if packet.source == node && !is_forwarded { 's' } else { 'f' }, "RTR", "---")
            }
            Step::GivenBack(LinkFailure::NoResponse) => {
                let mark = mark('D', "MAC", "RET");
                self.give_up(mark, id, packets)?;
                mark
            }
            Step::GivenBack(_) => {
                self.address(node, id, packets, 0);
                return Ok(());
            }
            Step::Delivered => return Ok(()),
            Step::Dropped(cause) => match reason(cause).filter(|_| !packet.is_attempt) {
                Some((level, why)) => mark('D', level, why),
                None => return Ok(()),
            },
        };
        self.packet(mark, id, packets, packet.size)
    }

    /// Keeps what a later drop of the packet needs from a frame that its sender transmits.
    fn note_sent(&mut self, node: NodeId, frame: &Frame) {
        let station = &mut self.stations[node];
        match frame.kind {
            FrameKind::RequestToSend { to } => {
                station.rts = Some((control_header(frame, frame.sender, to), frame.size));
            }
            FrameKind::Data => {
                station.rts = None;
                if !frame.duration.is_zero() {
                    self.micros = header(frame, NextHop::Everyone).micros;
                }
            }
            _ => {}
        }
    }

    /// The last attempt failed: a line for the RTS, if no CTS followed it, and for the packet the header of its frame.
    fn give_up(&mut self, mark: Mark, id: PacketId, packets: &Packets) -> Result<(), String> {
        if let Some((header, size)) = self.stations[mark.node].rts {
            self.put(|line| writeln!(line, "{mark} 0 RTS {size} {header} "))?;
        }
        self.address(mark.node, id, packets, self.micros);
        Ok(())
    }

    /// Gives a packet that is not sent the header of the frame it was meant for.
    fn address(&mut self, sender: NodeId, id: PacketId, packets: &Packets, micros: u64) {
        let known = self.know(id, packets);
        known.header = MacHeader { micros, receiver: known.next_hop, sender, carries: IP };
    }

    /// What the trace keeps of a packet; nothing, if its id belonged to another one.
    fn know(&mut self, id: PacketId, packets: &Packets) -> &mut Known {
        let (place, number) = (id.as_index(), packets[id].number);
        self.known.resize(self.known.len().max(place + 1), Known::default());
        let known = &mut self.known[place];
        if known.number != number {
            *known = Known { number, ..Known::default() };
        }
        known
    }

    fn control(&mut self, mark: Mark, frame: &Frame) -> Result<(), String> {
        let (name, to) = match frame.kind {
            FrameKind::RequestToSend { to } => ("RTS", to),
            FrameKind::ClearToSend { to } => ("CTS", to),
            FrameKind::Acknowledgement { to, .. } => ("ACK", to),
            FrameKind::Data | FrameKind::Tone => return Ok(()),
        };
        let sender = if name == "RTS" { frame.sender } else { NodeId(0) };
        let header = control_header(frame, sender, to);
        let size = frame.size;
        self.put(|line| writeln!(line, "{mark} 0 {name} {size} {header} "))
    }

    fn packet(&mut self, mark: Mark, id: PacketId, packets: &Packets, size: u32) -> Result<(), String> {
        let packet = &packets[id];
        let Known { next_hop, header, .. } = *self.know(id, packets);
        let Packet { number, source, hop_limit, flow, .. } = *packet;
        let hops = u64::from(Packet::HOP_LIMIT.saturating_sub(hop_limit));
        // A received packet has one hop more than it was forwarded.
        let hops = hops + u64::from(mark.event == 'r' && source != mark.node);
        let (name, end) = match &packet.payload {
            Payload::Segment(segment) => {
                let segment_size = self.segment_sizes[packets.owner(flow) as usize];
                let initial = self.initial.get(flow.as_index()).copied().unwrap_or(SeqNumber(0));
                let (name, seen) = if packet.to == End::Receiver {
                    let is_syn = segment.flags.has(Flags::SYN);
                    ("tcp", if is_syn { 0 } else { packet.offset / segment_size + 1 })
                } else {
                    let bytes = segment.ack.0.wrapping_sub(initial.0).saturating_sub(1);
                    ("ack", u64::from(bytes).div_ceil(segment_size))
                };
                (name, format!("[{seen} 0] {hops} 0"))
            }
            Payload::Datagram(length) => {
                ("cbr", format!("[{}] {hops} 0", packet.offset / u64::from(*length).max(1)))
            }
            Payload::Notice(_) => ("message", String::new()),
            Payload::Message(_) => {
                let message = packets.message(id).expect("the payload is a message");
                let RoutingMessage { name, to, text } = RoutingMessage::new(message, packet);
                let ends = to.map_or_else(String::new, |(to, port)| {
                    format!("[{source}:{port} {to}:{port} {hop_limit} {next_hop}] ")
                });
                return self.put(|line| {
                    writeln!(line, "{mark} {number} {name} {size} {header} ------- {ends}{text}")
                });
            }
        };
        let destination = packet.destination;
        let ends = format!("[{source}:{flow} {destination}:{flow} {hop_limit} {next_hop}]");
        self.put(|line| writeln!(line, "{mark} {number} {name} {size} {header} ------- {ends} {end}"))
    }

    fn put(&mut self, write: impl FnOnce(&mut String) -> fmt::Result) -> Result<(), String> {
        self.line.clear();
        write(&mut self.line).expect("a string takes all");
        self.sink.write_all(self.line.as_bytes()).map_err(|fault| fault.to_string())
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { event, now, node, level, why } = *self;
        let (seconds, rest) = (now.as_nanos() / 1_000_000_000, now.as_nanos() % 1_000_000_000);
        write!(f, "{event} {seconds}.{rest:09} _{node}_ {level:>3} {why:>4}")
    }
}

impl fmt::Display for MacHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { micros, receiver, sender, carries } = *self;
        write!(f, "[{micros:x} {:x} {:x} {carries:x}]", receiver.0, sender.0)
    }
}

fn header(frame: &Frame, next_hop: NextHop) -> MacHeader {
    let receiver = if let NextHop::Node(next) = next_hop { next } else { BROADCAST };
    let micros = frame.duration.as_nanos().div_ceil(1000);
    MacHeader { micros, receiver, sender: frame.sender, carries: IP }
}

fn control_header(frame: &Frame, sender: NodeId, receiver: NodeId) -> MacHeader {
    MacHeader { receiver, sender, carries: 0, ..header(frame, NextHop::Node(receiver)) }
}

fn is_reply(packets: &Packets, id: PacketId) -> bool {
    matches!(packets.message(id), Some(Message::Aodv(aodv::Message::Reply(_))))
}

/// Level and reason of a drop, in ns-2's words; `None` for losses on a shared channel, which are events of frames.
fn reason(cause: Cause) -> Option<(&'static str, &'static str)> {
    match cause {
        Cause::QueueFull => Some(("IFQ", "IFQ")),
        Cause::EarlyDrop | Cause::Policed => Some(("IFQ", "---")),
        Cause::LinkError | Cause::Corrupted => Some(("MAC", "ERR")),
        Cause::LinkDown => Some(("MAC", "---")),
        Cause::LinkFailure => Some(("RTR", "CBK")),
        Cause::Lifetime => Some(("IFQ", "TOUT")),
        Cause::SendBufferFull => Some(("RTR", "IFQ")),
        Cause::SendBufferTimeout => Some(("RTR", "TOUT")),
        Cause::Arp => Some(("IFQ", "ARP")),
        Cause::NoRoute => Some(("RTR", "NRTE")),
        Cause::HopLimit => Some(("RTR", "TTL")),
        Cause::PortUnreachable => Some(("AGT", "---")),
        Cause::Collision
        | Cause::ReceiverTransmitting
        | Cause::OutOfRange
        | Cause::CaptureLost
        | Cause::BelowThreshold
        | Cause::ReceiverBusy
        | Cause::BitError
        | Cause::NoResponse => None,
    }
}
