//! A whole connection over a link that does anything to its segments, against a peer that does anything
//! RFC 9293 allows.
//!
//! The options are those of any preset with some of them changed, the congestion control any; sequence
//! numbers and timestamps wrap early. After every step hold the invariants of [`checks`]; after the last one
//! the link and the peer behave, and everything written must arrive.
//!
//! For reactions to route failures routers send both ends any notification ([`notices`]); afterwards no end stays
//! frozen.

mod checks;
mod circumstances;
mod notices;
mod operation;
mod prediction;
mod receiver;
mod wire;

use farlink_kernel::random::Stream;
use farlink_kernel::{Bytes, Duration, Instant};
use farlink_tcp::connection::{Role, Transmit};
use farlink_tcp::{Config, Connection, Ecn, Flags, recovery, route_failure};

use crate::sequence::Harness;
use crate::threshold::Before;
use checks::Ledger;
use circumstances::{Plugged, delay, initial_number, once_in, one_of, opening, options};
pub use notices::Routing;
pub use operation::Operation;
pub use prediction::predicted_and_not;
use receiver::Receiver;
use wire::Wire;

/// Segments one operation may make a connection send; more is a loop without end.
const BURST: usize = 100_000;
/// Steps within which a connection over a link that behaves makes progress.
const PATIENCE: u32 = 5_000;

/// The harness of connections with one member.
pub struct Whole {
    plugged: Plugged,
    /// Some: with header prediction or without, and segments leave as [`Connection::transmit`] hands them out.
    predicts: Option<bool>,
}

/// Connections that repair losses by `recovery`; no router says anything.
pub fn with_recovery(recovery: recovery::Config) -> Whole {
    Whole { plugged: Plugged::Recovery(recovery), predicts: None }
}

/// Connections that answer route failures by `route_failure`, with any recovery.
pub fn with_route_failure(route_failure: route_failure::Config) -> Whole {
    Whole { plugged: Plugged::RouteFailure(route_failure), predicts: None }
}

/// The other end.
#[derive(Debug)]
enum Peer {
    Model(Box<Receiver>),
    Real(Box<Connection>),
}

/// A connection, its peer, and what is between them.
#[derive(Debug)]
pub struct State {
    config: Config,
    connection: Connection,
    peer: Peer,
    /// Segments leave by [`Connection::transmit`], not one by one.
    at_once: bool,
    wire: Wire,
    now: Instant,
    opened: Instant,
    /// How long the ends had been frozen before nothing was lost any more.
    frozen_before: Duration,
    delay: Duration,
    ledger: Ledger,
    segment_size: u64,
    written: u64,
    closed: bool,
    peer_written: u64,
    /// In-order bytes announced to the peer's application and to ours.
    peer_received: u64,
    received: u64,
}

impl Harness for Whole {
    type Operation = Operation;
    type State = State;

    fn begin(&self, rng: &mut Stream) -> State {
        let segment_size = Bytes(one_of(rng, &[1, 7, 64, 536, 1000, 1448, 8948]));
        let config = options(rng, &self.plugged, segment_size);
        let (iss, now) = (initial_number(rng), opening(rng));
        let mut connection = Connection::new(&config, Role::Active, iss, rng.bits());
        connection.predict(self.predicts.unwrap_or(true));
        connection.open(now);
        let peer = if once_in(rng, 3) {
            let config = options(rng, &self.plugged, segment_size);
            let mut peer = Connection::new(&config, Role::Passive, initial_number(rng), rng.bits());
            peer.predict(self.predicts.unwrap_or(true));
            peer.open(now);
            Peer::Real(Box::new(peer))
        } else {
            Peer::Model(Box::new(Receiver::new(rng)))
        };
        State {
            ledger: Ledger::new(&config, iss, matches!(peer, Peer::Model(_))),
            connection,
            peer,
            at_once: self.predicts.is_some(),
            wire: Wire::default(),
            now,
            opened: now,
            frozen_before: Duration::ZERO,
            delay: delay(rng),
            config,
            segment_size: segment_size.0,
            written: 0,
            closed: false,
            peer_written: 0,
            peer_received: 0,
            received: 0,
        }
    }

    fn operation(&self, rng: &mut Stream) -> Operation {
        operation::any(rng, matches!(self.plugged, Plugged::RouteFailure(_)))
    }

    fn step(&self, state: &mut State, operation: &Operation) -> Result<(), String> {
        state
            .happen(operation)
            .and_then(|()| state.check())
            .map_err(|broken| format!("{broken} after {operation:?}"))
    }

    /// From now on nothing is lost and the peer behaves: what was written arrives.
    fn finish(&self, state: &mut State) -> Result<(), String> {
        if let Peer::Model(peer) = &mut state.peer {
            peer.behave(state.now);
        }
        state.frozen_before = state.frozen(state.now);
        state.happen(&Operation::Pause(false))?;
        let (mut waited, mut moved) = (0, state.moved());
        while !state.is_through() {
            state.round()?;
            state.check()?;
            waited = if state.moved() > moved { 0 } else { waited + 1 };
            moved = state.moved();
            if waited > PATIENCE {
                return Err(format!("{PATIENCE} steps without progress: {}", state.progress()));
            }
        }
        if matches!(self.plugged, Plugged::RouteFailure(_)) { state.comes_to_rest() } else { Ok(()) }
    }
}

impl State {
    fn happen(&mut self, operation: &Operation) -> Result<(), String> {
        match *operation {
            Operation::Forth(place) => self.forth(place)?,
            Operation::Back(place) => self.back(place)?,
            Operation::LoseForth(place) => drop(self.wire.forth.take(place)),
            Operation::LoseBack(place) => drop(self.wire.back.take(place)),
            Operation::CopyForth(place) => self.wire.forth.copy(place),
            Operation::CopyBack(place) => self.wire.back.copy(place),
            Operation::Mark(place) => self.wire.forth.mark(place),
            Operation::Smooth(rounds) => (0..rounds).try_for_each(|_| self.smooth_round())?,
            Operation::Write(segments, bytes) => self.write(segments, bytes),
            Operation::Close => self.close(),
            Operation::PeerWrites(segments) => self.peer_writes(segments),
            Operation::Pass(time) => self.pass(time)?,
            Operation::Expire => self.expire()?,
            Operation::Storm(times) => {
                for _ in 0..times {
                    self.expire()?;
                    self.wire.forth.clear();
                }
            }
            Operation::Renege => self.with_receiver(|peer, _| peer.renege()),
            Operation::Offer(window) => self.with_receiver(|peer, now| peer.offer(now, window)),
            Operation::PeerAcknowledges => self.with_receiver(Receiver::acknowledge),
            Operation::Notice(routing) => self.notify(routing),
            Operation::Pause(paused) => {
                if let Peer::Real(peer) = &mut self.peer {
                    peer.pause_reading(self.now, paused);
                }
            }
        }
        self.flush()
    }

    fn with_receiver(&mut self, act: impl FnOnce(&mut Receiver, Instant)) {
        if let Peer::Model(peer) = &mut self.peer {
            act(peer, self.now);
        }
    }

    fn write(&mut self, segments: u64, bytes: u64) {
        let bytes = segments * self.segment_size + bytes.min(self.segment_size);
        if !self.closed {
            self.connection.write(self.now, bytes);
            self.written += bytes;
        }
    }

    /// In SYN-SENT without data a close ends the play before it began (RFC 9293 section 3.10.4).
    fn close(&mut self) {
        if self.connection.state() == farlink_tcp::connection::State::SynSent {
            return;
        }
        self.closed = true;
        self.connection.close(self.now);
    }

    fn peer_writes(&mut self, segments: u64) {
        let bytes = segments * self.segment_size;
        if let Peer::Real(peer) = &mut self.peer {
            peer.write(self.now, bytes);
            self.peer_written += bytes;
        }
    }

    fn forth(&mut self, place: usize) -> Result<(), String> {
        let Some((segment, ecn)) = self.wire.forth.take(place) else { return Ok(()) };
        self.pass(self.delay)?;
        match &mut self.peer {
            Peer::Model(peer) => peer.on_segment(self.now, &segment, ecn),
            Peer::Real(peer) => peer.on_segment(self.now, &segment, ecn),
        }
        self.flush()
    }

    fn back(&mut self, place: usize) -> Result<(), String> {
        let Some((segment, ecn)) = self.wire.back.take(place) else { return Ok(()) };
        self.pass(self.delay)?;
        self.ledger.on_arrival(&self.connection, &segment);
        let before = Before::of(&self.connection, &self.config);
        self.connection.on_segment(self.now, &segment, ecn);
        before.check(&self.connection, segment.flags.has(Flags::ECE))?;
        self.flush()
    }

    /// What is under way arrives, then the answers.
    fn smooth_round(&mut self) -> Result<(), String> {
        let delay = std::mem::take(&mut self.delay);
        let result = self.arrivals(delay);
        self.delay = delay;
        result
    }

    fn arrivals(&mut self, delay: Duration) -> Result<(), String> {
        self.pass(delay)?;
        for _ in 0..self.wire.forth.len() {
            self.forth(0)?;
        }
        self.pass(delay)?;
        (0..self.wire.back.len()).try_for_each(|_| self.back(0))
    }

    /// One step of a world that behaves: all under way arrives, or the next timer expires.
    fn round(&mut self) -> Result<(), String> {
        if !self.wire.is_empty() {
            return self.smooth_round();
        }
        if self.deadline() == Instant::NEVER {
            return Err(format!("nothing is under way and no timer runs: {}", self.progress()));
        }
        self.expire()
    }

    fn deadline(&self) -> Instant {
        let peer = match &self.peer {
            Peer::Model(_) => Instant::NEVER,
            Peer::Real(peer) => peer.deadline(),
        };
        self.connection.deadline().min(peer)
    }

    fn expire(&mut self) -> Result<(), String> {
        let deadline = self.deadline();
        if deadline == Instant::NEVER { Ok(()) } else { self.pass(deadline.saturating_since(self.now)) }
    }

    /// Time passes; timers expire on the way.
    fn pass(&mut self, time: Duration) -> Result<(), String> {
        let end = self.now + time;
        for _ in 0..BURST {
            let next = self.deadline().max(self.now);
            if next > end {
                self.now = end;
                return Ok(());
            }
            self.now = next;
            self.ledger.on_deadline(&self.connection, next);
            let before = Before::of(&self.connection, &self.config);
            self.connection.on_deadline(next);
            before.check(&self.connection, false)?;
            if let Peer::Real(peer) = &mut self.peer {
                peer.on_deadline(next);
            }
            self.flush()?;
        }
        Err("timers expire without end".into())
    }

    /// All that is to be sent goes onto the link.
    fn flush(&mut self) -> Result<(), String> {
        if self.at_once {
            self.flush_at_once();
            return self.take_events();
        }
        for _ in 0..BURST {
            let Some(transmit) = self.connection.poll_transmit(self.now) else {
                self.flush_peer();
                return self.take_events();
            };
            self.ledger.on_transmit(&self.connection, &transmit)?;
            self.wire.forth.push(transmit.segment, transmit.ecn);
        }
        Err("it sends without end".into())
    }

    fn flush_peer(&mut self) {
        loop {
            let answer = match &mut self.peer {
                Peer::Model(peer) => peer.poll().map(|segment| (segment, Ecn::NotCapable)),
                Peer::Real(peer) => {
                    peer.poll_transmit(self.now).map(|Transmit { segment, ecn, .. }| (segment, ecn))
                }
            };
            let Some((segment, ecn)) = answer else { return };
            self.wire.back.push(segment, ecn);
        }
    }

    fn take_events(&mut self) -> Result<(), String> {
        take_received(&mut self.connection, &mut self.received)?;
        match &mut self.peer {
            Peer::Real(peer) => take_received(peer, &mut self.peer_received),
            Peer::Model(peer) => {
                self.peer_received = peer.nxt.saturating_sub(1).min(self.written);
                Ok(())
            }
        }
    }

    fn is_through(&self) -> bool {
        let all = self.written + u64::from(self.closed);
        self.connection.sample().snd_una >= all
            && self.peer_received == self.written
            && self.received == self.peer_written
    }

    /// Bytes that were sent, arrived or were acknowledged, both ways.
    fn moved(&self) -> u64 {
        let of = |connection: &Connection| {
            let sample = connection.sample();
            sample.snd_nxt + sample.snd_una + sample.rcv_nxt
        };
        let peer = match &self.peer {
            Peer::Model(peer) => peer.nxt,
            Peer::Real(peer) => of(peer),
        };
        of(&self.connection) + peer
    }

    fn check(&self) -> Result<(), String> {
        checks::connection(&self.connection, self.opened, self.now)?;
        self.ledger.check(&self.connection)?;
        if let Peer::Real(peer) = &self.peer {
            checks::connection(peer, self.opened, self.now)
                .map_err(|broken| format!("at the peer: {broken}"))?;
        }
        if self.peer_received > self.written || self.received > self.peer_written {
            return Err("more arrived than was written".into());
        }
        Ok(())
    }

    fn progress(&self) -> String {
        let sample = self.connection.sample();
        format!(
            "{} bytes written, {} acknowledged, {} sent, {} arrived, {:?}",
            self.written,
            sample.snd_una,
            sample.snd_nxt,
            self.peer_received,
            self.connection.state()
        )
    }
}

/// What arrived in order stays so.
fn take_received(connection: &mut Connection, received: &mut u64) -> Result<(), String> {
    while connection.poll_event().is_some() {}
    let before = std::mem::replace(received, connection.received());
    if *received < before {
        return Err(format!("{before} bytes had arrived in order, now {received}"));
    }
    Ok(())
}
