//! Packets in and out.

use farlink_conformance::threshold::Before;
use farlink_kernel::{Bytes, Duration, Instant};
use farlink_tcp::connection::State;
use farlink_tcp::segment::{self, Segment};
use farlink_tcp::{Connection, Flags};

use super::numbers::{show_flags, show_options};
use super::{Player, Sent, Stop, clock, fail};
use crate::script::{Ecn, Icmp, Packet};
use crate::{Mismatch, Refusal};

impl Player<'_> {
    /// The peer's packet arrives.
    pub(super) fn inject(&mut self, line: usize, packet: &Packet) -> Result<(), Stop> {
        let segment = self.exchange.numbers.to_segment(packet);
        if segment.flags.has(Flags::SYN) && self.exchange.peer_offers.is_none() {
            self.exchange.peer_offers = Some((segment.options.mss, segment.options.timestamps.is_some()));
        }
        let Some(connection) = &mut self.exchange.connection else {
            let why = "no connection is there to take it; a host would answer, but there is none";
            return Err(Refusal::new(line, "<", why).into());
        };
        let ecn = match packet.ecn {
            None | Some(Ecn::None) => segment::Ecn::NotCapable,
            Some(Ecn::Ect0 | Ecn::Ect) => segment::Ecn::Ect0,
            Some(Ecn::Ect1) => segment::Ecn::Ect1,
            Some(Ecn::Ce) => segment::Ecn::Experienced,
        };
        let state = connection.state();
        let before = Before::of(connection, &self.exchange.tcp);
        connection.on_segment(self.now, &segment, ecn);
        let has_echo = segment.flags.has(Flags::ECE);
        before.check(connection, has_echo).unwrap_or_else(|broken| panic!("{broken}"));
        self.drain();
        if segment.flags.has(Flags::RST) && state != State::Closed {
            self.note_error(match state {
                State::SynSent => "ECONNREFUSED",
                State::CloseWait => "EPIPE",
                _ => "ECONNRESET",
            });
        }
        Ok(())
    }

    /// A router's message arrives.
    pub(super) fn report_icmp(&mut self, icmp: &Icmp) {
        let Some(connection) = &mut self.exchange.connection else { return };
        if connection.state() == State::Closed {
            return;
        }
        let oldest = connection.sample().snd_una as u32;
        let seq = self.exchange.numbers.own_to_wire(icmp.seq.unwrap_or(oldest));
        connection.on_icmp(
            icmp.mtu.map_or(farlink_tcp::connection::Icmp::Unreachable, |mtu| {
                farlink_tcp::connection::Icmp::FragmentationNeeded { mtu: Bytes(mtu) }
            }),
            seq,
        );
        self.drain();
        self.note_error(icmp.errno);
    }

    /// If the connection is gone, this is why.
    pub(super) fn note_error(&mut self, errno: &'static str) {
        let application = &mut self.exchange.application;
        if application.gone && application.error.is_none() {
            application.error = Some(errno);
        }
    }

    /// The next packet sent must be this one, sent between `from` and `to`; when it was sent.
    pub(super) fn expect(
        &mut self,
        line: usize,
        packet: &Packet,
        from: Instant,
        to: Instant,
    ) -> Result<Instant, Stop> {
        let tolerance = self.script.setting.tolerance;
        let latest = to.saturating_add(tolerance);
        self.wait_for_packet(line, latest)?;
        let Some(sent) = self.exchange.sent.pop_front().map(|first| self.rejoin(first, packet)) else {
            return Err(fail(line, format!("nothing was sent by {}", clock(latest))));
        };
        if sent.at + tolerance < from || sent.at > latest {
            let shown = self.exchange.numbers.show(&sent.transmit);
            let when = if from == to { clock(from) } else { format!("{} to {}", clock(from), clock(to)) };
            return Err(fail(line, format!("sent at {}, not at {when}: `> {shown}`", clock(sent.at))));
        }
        let wire = sent.transmit.segment.options.timestamps.map(|timestamps| timestamps.value);
        let named = packet.options.and_then(|options| options.timestamps).map(|timestamps| timestamps.value);
        if let (Some(wire), Some(named)) = (wire, named)
            && (self.script.setting.is_foreign || self.exchange.numbers.has_no_stamp())
        {
            self.exchange.numbers.name_stamp(named, wire);
        }
        self.compare(line, packet, &sent)?;
        Ok(sent.at)
    }

    /// Time passes until something is sent, at most until `latest`.
    fn wait_for_packet(&mut self, line: usize, latest: Instant) -> Result<(), Stop> {
        while self.exchange.sent.is_empty() {
            let deadline = self.exchange.connection.as_ref().map_or(Instant::NEVER, Connection::deadline);
            if deadline > latest || deadline == Instant::NEVER {
                return Ok(());
            }
            self.advance(line, deadline)?;
        }
        Ok(())
    }

    /// Kernels hand several segments down as one packet, and foreign scripts name that: it is put together
    /// again from segments sent at once. Whether PSH is set on such a packet is the business of its maker.
    fn rejoin(&mut self, first: Sent, packet: &Packet) -> Sent {
        let mut whole = first;
        while self.script.setting.is_foreign && whole.transmit.segment.len < packet.len {
            let Some(next) = self.exchange.sent.front() else { break };
            let (segment, more) = (&mut whole.transmit.segment, &next.transmit.segment);
            let follows = more.seq.0 == segment.seq.0.wrapping_add(segment.len) && more.ack == segment.ack;
            if !follows || next.at - whole.at > Duration::ZERO || segment.len + more.len > packet.len {
                break;
            }
            segment.len += more.len;
            segment.flags |= more.flags;
            segment.flags.0 = (segment.flags.0 & !Flags::PSH.0) | (packet.flags.0 & Flags::PSH.0);
            self.exchange.sent.pop_front();
        }
        whole
    }

    fn compare(&self, line: usize, packet: &Packet, sent: &Sent) -> Result<(), Stop> {
        let actual = self.exchange.numbers.to_script(&sent.transmit.segment);
        match difference(packet, &actual, sent.transmit.ecn, self.script.setting.is_foreign) {
            None => Ok(()),
            Some(what) => {
                let shown = self.exchange.numbers.show(&sent.transmit);
                Err(Stop::Failed(Mismatch { line, what: format!("{what}: `> {shown}`") }))
            }
        }
    }
}

/// The first field in which what was sent is not what the script says.
fn difference(packet: &Packet, actual: &Segment, ecn: segment::Ecn, is_foreign: bool) -> Option<String> {
    let differs = |what: &str, expected: &dyn std::fmt::Display| Some(format!("expected {what} {expected}"));
    if actual.flags != packet.flags {
        return differs("flags", &show_flags(packet.flags));
    }
    if (actual.seq.0, actual.len) != (packet.seq, packet.len) {
        return differs("bytes", &format!("{}:{}", packet.seq, packet.seq.wrapping_add(packet.len)));
    }
    if actual.ack.0 != packet.ack.unwrap_or(0) {
        return differs("ack", &packet.ack.unwrap_or(0));
    }
    if let Some(window) = packet.window.filter(|window| *window != actual.window) {
        return differs("win", &window);
    }
    let has_ecn = match packet.ecn {
        None => true,
        Some(Ecn::None) => ecn == segment::Ecn::NotCapable,
        Some(Ecn::Ect0) => ecn == segment::Ecn::Ect0,
        Some(Ecn::Ect1) => ecn == segment::Ecn::Ect1,
        Some(Ecn::Ect) => matches!(ecn, segment::Ecn::Ect0 | segment::Ecn::Ect1),
        Some(Ecn::Ce) => ecn == segment::Ecn::Experienced,
    };
    if !has_ecn {
        return Some("expected another ECN field".to_owned());
    }
    let mut expected = packet.options?;
    if is_foreign && let (Some(script), Some(sent)) = (&mut expected.timestamps, actual.options.timestamps) {
        // A kernel's clock is not ours.
        script.value = sent.value;
    }
    if expected == actual.options {
        return None;
    }
    Some(format!(
        "expected options{}",
        if expected == segment::Options::default() { " none".to_owned() } else { show_options(&expected) }
    ))
}
