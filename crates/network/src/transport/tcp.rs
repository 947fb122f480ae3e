//! The two connections of a flow, joined to the world: segments become packets, deadlines events.

use farlink_kernel::{Bytes, Instant, Phase};
use farlink_tcp::config::Handshake;
use farlink_tcp::connection::{Event as ConnectionEvent, Outlet, Role, Transmit};
use farlink_tcp::fast_open::FastOpen;
use farlink_tcp::{Connection, Notice, SeqNumber, congestion};

use super::Io;
use super::stored::Stored;
use crate::app::{Action, ENDLESS, Length};
use crate::blueprint;
use crate::context::Effect;
use crate::event::Event;
use crate::ids::{End, FlowId, PacketId};
use crate::metrics::arrivals::arrived;
use crate::metrics::repeats::Taken;
use crate::observe::capture::{Captured, Content};
use crate::packet::{Class, Discard, Packet, Payload, Place};
use crate::payload;
use crate::routing::notice as notice_packet;
use crate::timer::Timer;

#[derive(Debug)]
struct Side {
    connection: Connection,
    timer: Timer,
}

/// An endless stream that will be stopped is written a little ahead of what was sent, so that nothing is left
/// to send when it stops.
const AHEAD: u64 = 64;

#[derive(Debug)]
pub struct Tcp {
    sides: [Side; 2],
    config: farlink_tcp::Config,
    initial: [SeqNumber; 2],
    stored: Option<Stored>,
    /// True when the flow has an end set.
    will_stop: bool,
    /// Bytes written to an endless stream that will be stopped.
    written: Option<u64>,
    is_closed: bool,
    /// Bytes the receiver's application took, where it takes them one by one.
    taken: u64,
    /// Bytes this flow passed on for another one.
    passed_on: u64,
    is_open: bool,
    /// The SYN waits for the first data, which may go with it (RFC 7413).
    puts_off: bool,
    /// The sender has closed, and everything before that has arrived.
    has_ended: bool,
}

impl Tcp {
    pub fn new(flow: FlowId, config: &blueprint::Flow, initial: [SeqNumber; 2], seed: u64) -> Self {
        // Without a handshake both ends count from the same number.
        let initial = if config.tcp.handshake == Handshake::OneWay { [initial[0]; 2] } else { initial };
        let side = |role, initial| Side {
            connection: Connection::new(&config.tcp, role, initial, seed),
            timer: Timer::default(),
        };
        let stored = match (config.application.parameters().traffic().length, config.payload) {
            (Length::Bytes(size), payload::Payload::Stored) => Some(Stored::file(flow, size.0)),
            (Length::Relayed { .. }, payload::Payload::Stored) => Some(Stored::relay()),
            (Length::Endless, _) | (_, payload::Payload::Pattern) => None,
        };
        Self {
            sides: [side(Role::Active, initial[0]), side(Role::Passive, initial[1])],
            config: config.tcp.clone(),
            initial,
            stored,
            will_stop: config.stop.is_some(),
            written: None,
            is_closed: false,
            taken: 0,
            passed_on: 0,
            is_open: false,
            puts_off: config.tcp.fast_open != FastOpen::Off,
            has_ended: false,
        }
    }

    pub fn set_congestion_control(&mut self, member: congestion::Any) {
        self.sides[0].connection =
            Connection::with_congestion_control(&self.config, Role::Active, self.initial[0], member);
    }

    /// Takes the place of another flow, whose pending events are stale from now on.
    pub fn follow(&mut self, other: &Self) {
        for (side, other) in self.sides.iter_mut().zip(&other.sides) {
            side.timer = Timer::after(&other.timer);
        }
    }

    pub fn connection(&self, end: End) -> &Connection {
        &self.sides[end as usize].connection
    }

    /// What the receiver put together, of stored payload.
    pub fn stored(&self) -> Option<&Stored> {
        self.stored.as_ref()
    }

    pub fn open(&mut self, io: &mut Io<'_>) {
        self.is_open = true;
        for end in [End::Receiver, End::Sender] {
            if end == End::Sender && self.puts_off {
                continue;
            }
            self.sides[end as usize].connection.open(io.cx.now);
            self.settle(end, io);
        }
    }

    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// The receiver's application takes bytes one by one from now on ([`Tcp::take`]).
    pub fn read_on_demand(&mut self) {
        self.sides[1].connection.pause_reading(Instant::ZERO, true);
    }

    pub fn readable(&self) -> u64 {
        self.sides[1].connection.received() - self.taken
    }

    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// True when there is nothing to take and never will be.
    pub fn is_over(&self) -> bool {
        self.has_ended && self.readable() == 0
    }

    /// The receiver's application takes bytes; the window opens.
    pub fn take(&mut self, bytes: u64, io: &mut Io<'_>) {
        self.taken += bytes;
        self.sides[1].connection.read(io.cx.now, bytes);
        self.settle(End::Receiver, io);
    }

    /// Bytes passed on that were not acknowledged.
    pub fn unacknowledged(&self) -> u64 {
        // The FIN counts there, too.
        self.passed_on.saturating_sub(self.sides[0].connection.sample().snd_una)
    }

    /// The buffer of what is passed on is full, or no longer.
    pub fn note_full_buffer(&mut self, now: Instant, is_full: bool) {
        self.sides[0].connection.note_full_buffer(now, is_full);
    }

    /// The time of the sender's limits begins now.
    pub fn restart_accounts(&mut self, now: Instant) {
        self.sides[0].connection.restart_accounts(now);
    }

    /// What is written next are the bytes that another flow's receiver has from `start` on.
    pub fn carry(&mut self, from: Option<&Stored>, start: u64, bytes: u64) {
        self.passed_on += bytes;
        if let (Some(stored), Some(from)) = (&mut self.stored, from) {
            stored.add(&from.received()[start as usize..][..bytes as usize]);
        }
    }

    pub fn act(&mut self, action: Action, io: &mut Io<'_>) {
        let now = io.cx.now;
        let sender = &mut self.sides[0].connection;
        let bytes = match action.send {
            ENDLESS if self.will_stop => *self.written.insert(AHEAD * self.config.segment_size.0),
            Bytes(bytes) => {
                self.written = None;
                bytes
            }
        };
        if bytes > 0 {
            sender.write(now, bytes);
        }
        if action.close && !self.is_closed {
            self.is_closed = true;
            sender.close(now);
        }
        if self.puts_off && (bytes > 0 || action.close) {
            self.puts_off = false;
            sender.open(now);
        }
        if !self.puts_off {
            self.settle(End::Sender, io);
        }
    }

    /// A segment arrived at the end it is for, and ends here.
    #[inline(always)]
    pub fn on_packet(&mut self, packet: PacketId, io: &mut Io<'_>) {
        let now = io.cx.now;
        let Packet { number, to, ecn, size, first_sent, offset, ref payload, .. } = io.cx.packets[packet];
        let is_marked = io.cx.packets[packet].is_retransmission | io.cx.packets[packet].is_copied;
        let Payload::Segment(segment) = payload else { unreachable!("notices and datagrams go elsewhere") };
        let mut connection = &mut self.sides[to as usize].connection;
        if let (Some(capture), End::Sender) = (io.capture.as_mut(), to) {
            let [from, to] = io.identity.direction(to.other());
            let flow = io.identity.flow;
            let content = Content::Segment(segment);
            capture.on_packet(&Captured { now, flow, from, to, from_opener: false, content, ecn, offset });
        }
        let carries_data = to == End::Receiver && segment.len > 0;
        if carries_data {
            io.measured.on_data(number, size);
            if let Some(stored) = &mut self.stored {
                stored.on_segment(segment, self.initial[0], offset);
            }
        }
        connection.on_segment(now, segment, ecn);
        let is_new = carries_data && io.measured.is_new(connection.counters().new_data_received);
        if is_new {
            io.measured.on_first_arrival(now - first_sent);
            let (packets, delays) = (&io.cx.packets, &io.measured.delays);
            let [sender, receiver] = &self.sides;
            let copy = || arrived([&sender.connection, &receiver.connection], &packets[packet], now, delays);
            io.measured.arrivals.on_arrival(now, copy);
            connection = &mut self.sides[End::Receiver as usize].connection;
        }
        // A SYN that comes late may be all that data were waiting for.
        if to == End::Receiver {
            let (before, received) = (io.measured.received(), connection.received());
            if received > before {
                io.measured.on_received(received - before);
                if let Some(stored) = &mut self.stored {
                    stored.on_received(before, received - before);
                }
            }
        }
        match connection.take_discard() {
            None if !is_marked => io.cx.packets.deliver(packet),
            why => end_marked(packet, why, is_new, io),
        }
        self.settle(to, io);
    }

    pub fn on_notice(&mut self, end: End, notice: Notice, io: &mut Io<'_>) {
        let connection = &mut self.sides[end as usize].connection;
        connection.on_notice(io.cx.now, notice);
        if connection.take_announcement() {
            let [from, to] = io.identity.direction(end);
            notice_packet::send(notice, (io.identity.flow, end.other()), from, to, io.cx);
        }
        self.settle(end, io);
    }

    /// The pending event of one end came: too early when the deadline has moved.
    pub fn on_deadline(&mut self, end: End, generation: u32, io: &mut Io<'_>) {
        let side = &mut self.sides[end as usize];
        if !side.timer.is_due(generation) {
            return;
        }
        if side.connection.deadline() <= io.cx.now {
            side.connection.on_deadline(io.cx.now);
        }
        self.settle(end, io);
    }

    /// After every input: what is to be sent, which events there are, when to wake up.
    #[inline(always)]
    fn settle(&mut self, end: End, io: &mut Io<'_>) {
        loop {
            let connection = &mut self.sides[end as usize].connection;
            connection.transmit(io.cx.now, &mut Down { end, io });
            let may_ask = self.written.is_some() || connection.has_events();
            if !may_ask || !self.asks_for_more(end, io) {
                break;
            }
        }
        let side = &mut self.sides[end as usize];
        let deadline = side.connection.deadline();
        if let Some(generation) = side.timer.want(deadline) {
            let flow = io.identity.flow;
            io.cx.push(Effect::Arm {
                at: deadline.max(io.cx.now),
                phase: Phase::Timer,
                target: flow.0,
                event: Event::Deadline { flow, end, generation },
            });
        }
    }

    /// Keeps an endless stream that will be stopped ahead of what was sent; true when it wrote.
    fn write_ahead(&mut self, io: &Io<'_>) -> bool {
        let Some(written) = &mut self.written else { return false };
        let ahead = AHEAD * self.config.segment_size.0;
        let sender = &mut self.sides[0].connection;
        let is_behind = sender.sample().snd_nxt + ahead / 2 > *written;
        if is_behind {
            *written += ahead;
            sender.write(io.cx.now, ahead);
        }
        is_behind
    }

    /// The application writes ahead and gets the connection's events; true when the connection may have something to send
    /// because of it.
    #[inline(never)]
    fn asks_for_more(&mut self, end: End, io: &mut Io<'_>) -> bool {
        let mut again = end == End::Sender && self.write_ahead(io);
        while let Some(event) = self.sides[end as usize].connection.poll_event() {
            if let (ConnectionEvent::AllAcknowledged, End::Sender, true) = (event, end, self.is_closed) {
                let now = io.cx.now;
                io.measured.on_complete(now, self.sides[0].connection.limited_by(now));
                io.cx.push(Effect::Complete { flow: io.identity.flow });
            }
            again |= self.on_connection_event(event, end, io.cx.now);
        }
        again
    }

    /// True when the connection may have something to send because of it.
    fn on_connection_event(&mut self, event: ConnectionEvent, end: End, now: Instant) -> bool {
        let has_ended = (event, end) == (ConnectionEvent::PeerClosed, End::Receiver);
        if has_ended {
            self.has_ended = true;
            self.sides[1].connection.close(now);
        }
        has_ended
    }
}

/// The end of a packet that the connection discarded, or that may have been needless.
#[cold]
#[inline(never)]
fn end_marked(id: PacketId, why: Option<farlink_tcp::Discard>, is_new: bool, io: &mut Io<'_>) {
    let packet = &io.cx.packets[id];
    let is_duplicate = why == Some(farlink_tcp::Discard::DuplicateData);
    let taken = match (is_new, is_duplicate) {
        (true, _) => Taken::New,
        (false, true) => Taken::Duplicate,
        (false, false) => Taken::No,
    };
    let carries_data = packet.class == Class::Data && packet.to == End::Receiver;
    let is_copy = carries_data && io.measured.repeats.on_arrival(packet, taken);
    match why {
        None => io.cx.packets.deliver(id),
        Some(_) if is_copy && is_duplicate => io.cx.packets.discard(id, Discard::DuplicatedByLink),
        Some(why) => io.cx.packets.discard(id, why.into()),
    }
}

/// The way of segments down from their connection.
struct Down<'a, 'b> {
    end: End,
    io: &'a mut Io<'b>,
}

impl Outlet for Down<'_, '_> {
    // The packet is then written where it stays.
    #[inline(always)]
    fn send(&mut self, transmit: &Transmit) {
        let Transmit { ref segment, ecn, offset, first_sent, is_retransmission } = *transmit;
        let (end, identity) = (self.end, self.io.identity);
        let [source, destination] = identity.direction(end);
        let packet = self.io.cx.packets.originate(Packet {
            number: 0,
            flow: identity.flow,
            source,
            destination,
            to: end.other(),
            class: if segment.len > 0 { Class::Data } else { Class::Ack },
            ecn,
            hop_limit: Packet::HOP_LIMIT,
            attempt: 0,
            is_attempt: false,
            is_retransmission,
            is_copied: false,
            place: Place::node(source),
            size: segment.ip_size().0 as u32,
            first_sent,
            offset,
            header: None,
            payload: Payload::Segment(*segment),
        });
        if end == End::Sender && self.io.capture.is_some() {
            self.capture(packet);
        }
        self.io.cx.push(Effect::Out { node: source, packet });
    }
}

impl Down<'_, '_> {
    /// The packet is seen on its way out.
    #[cold]
    fn capture(&mut self, packet: PacketId) {
        let Io { cx, capture, .. } = &mut *self.io;
        let &Packet { flow, source: from, destination: to, ecn, offset, ref payload, .. } =
            &cx.packets[packet];
        if let (Some(capture), Payload::Segment(segment)) = (capture, payload) {
            let (now, content) = (cx.now, Content::Segment(segment));
            capture.on_packet(&Captured { now, flow, from, to, from_opener: true, content, ecn, offset });
        }
    }
}
