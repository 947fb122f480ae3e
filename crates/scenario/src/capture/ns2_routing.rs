//! What nodes say to their neighbours, as ns-2 traces it.

use farlink_network::packet::Packet;
use farlink_network::wire::Message;
use farlink_network::wire::aodv::{Message as Aodv, Reply, Request, RouteError};
use farlink_network::wire::arp::{Message as Arp, Operation};
use farlink_network::wire::dsr::{Error, Message as Dsr, Reply as Answer, SourceRoute};

/// Numbers of messages in ns-2's AODV.
const HELLO: u8 = 1;
const REQUEST: u8 = 2;
const REPLY: u8 = 4;
const ERROR: u8 = 8;
const REPLY_ACKNOWLEDGEMENT: u8 = 16;

/// The port of routing in ns-2.
const PORT: u16 = 255;

/// A message.
pub(super) struct Said {
    pub(super) name: &'static str,
    /// Where its IP packet goes in the end, and its port there and here; -1 is everyone. ARP has none.
    pub(super) to: Option<(i64, u16)>,
    pub(super) text: String,
}

impl Said {
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
fn aodv(message: &Aodv, packet: &Packet) -> Said {
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
            let (destination, sequence) = first.map_or((0, 0), |(node, sequence)| (*node, sequence.0));
            (-1, format!("[0x{ERROR:x} {count} [{destination} {sequence}] 0.000000] (ERROR)"))
        }
        Aodv::ReplyAcknowledgement => {
            (-1, format!("[0x{REPLY_ACKNOWLEDGEMENT:x} 0 [0 0] 0.000000] (REPLY_ACK)"))
        }
    };
    Said { name: "AODV", to: Some((to, PORT)), text }
}

/// Nodes passed; then request, answer and error, each whether it is one, and what it says.
fn dsr(message: &Dsr) -> Said {
    let last = |path: &[u32]| path.last().map_or(0, |&node| i64::from(node));
    let (mut request, mut answer, mut error) = ((0, 0), (0, 0, 0, 0), (0, 0, 0, 0));
    let (to, passed) = match message {
        Dsr::Request(asked) => {
            request = (1, asked.id);
            (i64::from(asked.target), asked.path.len())
        }
        Dsr::Reply(Answer { route, path }) => {
            answer = (1, path.len(), path[0], last(path));
            (last(&route.path), route.path.len())
        }
        Dsr::Error(Error { route, broken, .. }) => {
            error = (1, last(&route.path), broken.from, broken.to);
            (last(&route.path), route.path.len())
        }
        Dsr::Route(SourceRoute { path, .. }) => (last(path), path.len()),
    };
    let id = request.1;
    let text = format!(
        "{passed} [{} {id}] [{} {id} {} {}->{}] [{} {} {} {}->{}]",
        request.0, answer.0, answer.1, answer.2, answer.3, error.0, error.0, error.1, error.2, error.3
    );
    Said { name: "DSR", to: Some((to, PORT)), text }
}

fn arp(message: &Arp) -> Said {
    let Arp { operation, sender, target } = *message;
    let (word, hardware) = match operation {
        Operation::Request => ("REQUEST", 0),
        Operation::Reply => ("REPLY", target),
    };
    Said { name: "ARP", to: None, text: format!("[{word} {sender}/{sender} {hardware}/{target}]") }
}
