//! Routing and ARP messages in ns-2's trace format.

use farlink_network::ids::NodeId;
use farlink_network::packet::Packet;
use farlink_network::wire::Message;
use farlink_network::wire::aodv::{Message as Aodv, Reply, Request, RouteError};
use farlink_network::wire::arp::{Message as Arp, Operation};
use farlink_network::wire::dsr::{Error, Message as Dsr, Reply as RouteReply, SourceRoute};

/// Numbers of messages in ns-2's AODV.
const HELLO: u8 = 1;
const REQUEST: u8 = 2;
const REPLY: u8 = 4;
const ERROR: u8 = 8;
const REPLY_ACKNOWLEDGEMENT: u8 = 16;

const PORT: u16 = 255;

pub(super) struct RoutingMessage {
    pub(super) name: &'static str,
    /// The destination of its IP packet, -1 for a broadcast, and the port at both ends; `None` for ARP.
    pub(super) to: Option<(i64, u16)>,
    pub(super) text: String,
}

impl RoutingMessage {
    pub(super) fn new(message: &Message, packet: &Packet) -> Self {
        match message {
            Message::Arp(message) => arp(message),
            Message::Aodv(message) => aodv(message, packet),
            Message::Dsr(message) => dsr(message),
            _ => Self { name: message.name(), to: Some((-1, PORT)), text: String::new() },
        }
    }
}

/// ns-2 counts hops from 1.
fn aodv(message: &Aodv, packet: &Packet) -> RoutingMessage {
    let (to, text) = match message {
        Aodv::Request(request) => {
            let Request { hop_count, id, destination, originator, originator_sequence, .. } = *request;
            let (hops, wanted) = (u16::from(hop_count) + 1, request.destination_sequence.map_or(0, |s| s.0));
            let of = originator_sequence.0;
            (
                -1,
                format!("[0x{REQUEST:x} {hops} {id} [{destination} {wanted}] [{originator} {of}]] (REQUEST)"),
            )
        }
        Aodv::Reply(reply) => {
            let Reply { hop_count, destination, originator, lifetime_ms, .. } = *reply;
            let (hops, sequence) = (u16::from(hop_count) + 1, reply.destination_sequence.0);
            let is_hello = destination == originator && destination == packet.source;
            let (kind, word, to) =
                if is_hello { (HELLO, "HELLO", -1) } else { (REPLY, "REPLY", originator.into()) };
            let (seconds, rest) = (lifetime_ms / 1000, lifetime_ms % 1000);
            (to, format!("[0x{kind:x} {hops} [{destination} {sequence}] {seconds}.{rest:03}000] ({word})"))
        }
        Aodv::Error(RouteError { unreachable, .. }) => {
            let (count, first) = (unreachable.len(), unreachable.first());
            let (destination, sequence) = first.map_or((0, 0), |(node, sequence)| (node.0, sequence.0));
            (-1, format!("[0x{ERROR:x} {count} [{destination} {sequence}] 0.000000] (ERROR)"))
        }
        Aodv::ReplyAcknowledgement => {
            (-1, format!("[0x{REPLY_ACKNOWLEDGEMENT:x} 0 [0 0] 0.000000] (REPLY_ACK)"))
        }
    };
    RoutingMessage { name: "AODV", to: Some((to, PORT)), text }
}

/// The number of nodes passed; then the fields of request, reply and error, each after a flag.
fn dsr(message: &Dsr) -> RoutingMessage {
    let last = |path: &[NodeId]| path.last().map_or(0, |&node| i64::from(node));
    let (mut request, mut reply, mut error) = ((0, 0), (0, 0, 0, 0), (0, 0, 0, 0));
    let (to, passed) = match message {
        Dsr::Request(sent) => {
            request = (1, sent.id);
            (i64::from(sent.target), sent.path.len())
        }
        Dsr::Reply(RouteReply { route, path, .. }) => {
            reply = (1, path.len(), path[0].0, last(path));
            (last(&route.path), route.path.len())
        }
        Dsr::Error(Error { route, broken, enclosed, .. }) => {
            error = (1 + enclosed.len(), last(&route.path), broken.from.0, broken.to.0);
            (last(&route.path), route.path.len())
        }
        Dsr::Route(SourceRoute { path, .. }) => (last(path), path.len()),
    };
    let id = request.1;
    let text = format!(
        "{passed} [{} {id}] [{} {id} {} {}->{}] [{} {} {} {}->{}]",
        request.0,
        reply.0,
        reply.1,
        reply.2,
        reply.3,
        error.0.min(1),
        error.0,
        error.1,
        error.2,
        error.3
    );
    RoutingMessage { name: "DSR", to: Some((to, PORT)), text }
}

fn arp(message: &Arp) -> RoutingMessage {
    let Arp { operation, sender, target } = *message;
    let (word, hardware) = match operation {
        Operation::Request => ("REQUEST", 0),
        Operation::Reply => ("REPLY", target.0),
    };
    RoutingMessage { name: "ARP", to: None, text: format!("[{word} {sender}/{sender} {hardware}/{target}]") }
}
