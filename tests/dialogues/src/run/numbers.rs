//! Sequence numbers and timestamps: the script's and those in segments.

use std::fmt::Write;

use farlink_tcp::accurate_ecn::Order;
use farlink_tcp::connection::Transmit;
use farlink_tcp::fast_open::{Cookie, FastOpenOption};
use farlink_tcp::segment::{Ecn, Options, Segment, Timestamps};
use farlink_tcp::{Flags, SeqNumber};

use crate::header::Dialogue;
use crate::script::{Action, Event, Packet};

/// A number in the script and the one in segments that it stands for.
#[derive(Clone, Copy, Debug)]
struct Pair {
    script: u32,
    wire: u32,
}

impl Pair {
    fn to_wire(self, number: u32) -> u32 {
        number.wrapping_sub(self.script).wrapping_add(self.wire)
    }

    fn to_script(self, number: u32) -> u32 {
        number.wrapping_sub(self.wire).wrapping_add(self.script)
    }

    /// SYNs show numbers as they are, all other segments as if the initial ones were 0.
    fn of(self, flags: Flags) -> Self {
        if flags.has(Flags::SYN) { self } else { Self { script: 0, ..self } }
    }
}

/// The relation of the script's numbers to those in segments.
#[derive(Clone, Debug)]
pub(super) struct Numbers {
    own: Pair,
    peer: Pair,
    /// The connection's timestamps that the script has named.
    stamps: Vec<Pair>,
}

impl Numbers {
    /// Each side's first SYN in the script has its initial number.
    pub(super) fn new(events: &[Event], dialogue: &Dialogue) -> Self {
        let syn = |packet: &Packet| packet.flags.has(Flags::SYN).then_some(packet.seq);
        let another = |event: &&Event| matches!(&event.action, Action::Call(call) if call.name == "socket");
        let events = || events.iter().skip(1).take_while(|event| !another(event));
        let own = events().find_map(|event| match &event.action {
            Action::Expect(packet) => syn(packet),
            _ => None,
        });
        let peer = events().find_map(|event| match &event.action {
            Action::Inject(packet) => syn(packet),
            _ => None,
        });
        Self {
            own: Pair { script: own.unwrap_or(0), wire: dialogue.initial_seq },
            peer: Pair { script: peer.unwrap_or(0), wire: dialogue.peer_initial_seq },
            stamps: Vec::new(),
        }
    }

    /// The connection's initial number.
    pub(super) fn initial(&self) -> SeqNumber {
        SeqNumber(self.own.wire)
    }

    /// A packet of the script as the peer's segment.
    pub(super) fn to_segment(&self, packet: &Packet) -> Segment {
        let mut options = packet.options.unwrap_or_default();
        let (own, peer) = (self.own.of(packet.flags), self.peer.of(packet.flags));
        map_blocks(&mut options, |edge| own.to_wire(edge));
        if let Some(timestamps) = &mut options.timestamps {
            timestamps.echo = self.echo_to_wire(timestamps.echo);
        }
        Segment {
            seq: SeqNumber(peer.to_wire(packet.seq)),
            ack: SeqNumber(packet.ack.map_or(0, |ack| own.to_wire(ack))),
            flags: packet.flags,
            window: packet.window.unwrap_or(0),
            len: packet.len,
            options,
        }
    }

    /// What the peer echoes: a timestamp the script has named, or one as far from the first as it says.
    fn echo_to_wire(&self, echo: u32) -> u32 {
        if echo == 0 {
            return 0;
        }
        let named = self.stamps.iter().rev().find(|pair| pair.script == echo);
        named.or(self.stamps.first()).map_or(echo, |pair| pair.to_wire(echo))
    }

    /// A number of ours, as segments other than SYNs show it.
    pub(super) fn own_to_wire(&self, number: u32) -> SeqNumber {
        SeqNumber(self.own.of(Flags(0)).to_wire(number))
    }

    /// True until the script has named a timestamp of the connection.
    pub(super) fn has_no_stamp(&self) -> bool {
        self.stamps.is_empty()
    }

    /// The script says that the connection's timestamp in segments reads `script`.
    pub(super) fn name_stamp(&mut self, script: u32, wire: u32) {
        self.stamps.push(Pair { script, wire });
    }

    /// The connection's segment with the script's numbers.
    pub(super) fn to_script(&self, segment: &Segment) -> Segment {
        let mut options = segment.options;
        let (own, peer) = (self.own.of(segment.flags), self.peer.of(segment.flags));
        map_blocks(&mut options, |edge| peer.to_script(edge));
        if let (Some(timestamps), Some(first)) = (&mut options.timestamps, self.stamps.first()) {
            timestamps.value = first.to_script(timestamps.value);
        }
        let ack = if segment.flags.has(Flags::ACK) { peer.to_script(segment.ack.0) } else { 0 };
        Segment { seq: SeqNumber(own.to_script(segment.seq.0)), ack: SeqNumber(ack), options, ..*segment }
    }

    /// The packet as a script would write it.
    pub(super) fn show(&self, transmit: &Transmit) -> String {
        let segment = self.to_script(&transmit.segment);
        let ecn = match transmit.ecn {
            Ecn::NotCapable => "",
            Ecn::Ect0 => "[ect0] ",
            Ecn::Ect1 => "[ect1] ",
            Ecn::Experienced => "[ce] ",
        };
        let mut shown = format!("{ecn}{} {}", show_flags(segment.flags), show_range(&segment));
        if segment.flags.has(Flags::ACK) {
            let _ = write!(shown, " ack {}", segment.ack);
        }
        let _ = write!(shown, " win {}{}", segment.window, show_options(&segment.options));
        shown
    }
}

fn map_blocks(options: &mut Options, number: impl Fn(u32) -> u32) {
    if options.sack.is_empty() {
        return;
    }
    let blocks = options.sack;
    options.sack.clear();
    for &(left, right) in blocks.as_slice() {
        options.sack.push(SeqNumber(number(left.0)), SeqNumber(number(right.0)));
    }
}

pub(super) fn show_flags(flags: Flags) -> String {
    let letters = [
        (Flags::SYN, 'S'),
        (Flags::FIN, 'F'),
        (Flags::RST, 'R'),
        (Flags::PSH, 'P'),
        (Flags::ECE, 'E'),
        (Flags::CWR, 'W'),
        (Flags::AE, 'A'),
        (Flags::ACK, '.'),
    ];
    let set: String = letters.iter().filter(|(flag, _)| flags.has(*flag)).map(|(_, letter)| letter).collect();
    if set.is_empty() { "-".to_owned() } else { set }
}

fn show_range(segment: &Segment) -> String {
    let end = segment.seq.0.wrapping_add(segment.len);
    format!("{}:{end}({})", segment.seq, segment.len)
}

pub(super) fn show_options(options: &Options) -> String {
    let mut shown = Vec::new();
    if let Some(mss) = options.mss {
        shown.push(format!("mss {mss}"));
    }
    if options.sack_permitted {
        shown.push("sackOK".to_owned());
    }
    if let Some(Timestamps { value, echo }) = options.timestamps {
        shown.push(format!("TS val {value} ecr {echo}"));
    }
    if let Some(shift) = options.window_scale {
        shown.push(format!("wscale {shift}"));
    }
    if !options.sack.is_empty() {
        let blocks: Vec<_> =
            options.sack.as_slice().iter().map(|(left, right)| format!("{left}:{right}")).collect();
        shown.push(format!("sack {}", blocks.join(" ")));
    }
    if let Some(option) = options.acc_ecn() {
        let names = if option.order() == Order::One { ["e1b", "ceb", "e0b"] } else { ["e0b", "ceb", "e1b"] };
        let mut words = "ECN".to_owned();
        for (name, &[high, middle, low]) in names.iter().zip(option.fields()) {
            let _ = write!(words, " {name} {}", u32::from_be_bytes([0, high, middle, low]));
        }
        shown.push(words);
    }
    if let Some(FastOpenOption { cookie, experimental }) = options.fast_open() {
        let mut digits = String::new();
        for byte in cookie.iter().flat_map(Cookie::as_slice) {
            let _ = write!(digits, "{byte:02x}");
        }
        shown.push(format!("{} {digits}", if experimental { "FOEXP" } else { "FO" }).trim_end().to_owned());
    }
    if shown.is_empty() { String::new() } else { format!(" <{}>", shown.join(",")) }
}
