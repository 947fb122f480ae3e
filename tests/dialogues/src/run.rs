//! Plays a script: time passes from event to event, and with it the connection's timers.

mod assertions;
mod blocking;
mod calls;
mod connect;
mod exchange;
mod numbers;
mod options;
mod packets;
mod poll;
mod reports;
mod sockets;
mod transfer;

use farlink_conformance::threshold::Before;
use farlink_kernel::{Duration, Instant};
use farlink_tcp::connection::{Event as Notice, Transmit};
use farlink_tcp::{Connection, Flags};

use crate::host::{self, Host};
use crate::script::{Action, Event, Script, When};
use crate::{Mismatch, Refusal};
use blocking::Blocked;
use exchange::Exchange;
use numbers::Numbers;
use poll::Epoll;
use sockets::Socket;

/// More timers than this between two events are a connection that runs in circles.
const MOST_TIMERS: u32 = 1_000_000;

/// Plays `script`; the first thing that went another way, if any did.
pub fn run(script: &Script) -> Result<Option<Mismatch>, Refusal> {
    let mut player = Player::new(script);
    for (position, event) in script.events.iter().enumerate() {
        player.position = position;
        match player.play(event) {
            Ok(()) => {}
            Err(Stop::Failed(mismatch)) => return Ok(Some(mismatch)),
            Err(Stop::Refused(refusal)) => return Err(refusal),
        }
    }
    match player.end() {
        Ok(()) => Ok(None),
        Err(Stop::Failed(mismatch)) => Ok(Some(mismatch)),
        Err(Stop::Refused(refusal)) => Err(refusal),
    }
}

/// Why a dialogue ends before its script.
enum Stop {
    Refused(Refusal),
    Failed(Mismatch),
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

fn fail(line: usize, what: impl Into<String>) -> Stop {
    Stop::Failed(Mismatch { line, what: what.into() })
}

/// A packet the connection has sent and the script has not named yet.
#[derive(Clone, Copy, Debug)]
struct Sent {
    at: Instant,
    transmit: Transmit,
}

/// A dialogue under way.
struct Player<'a> {
    script: &'a Script,
    /// The place of the event under way.
    position: usize,
    host: Host,
    now: Instant,
    /// The time of the event before, which relative times count from.
    before: Instant,
    /// The connection that packets belong to, and those before.
    exchange: Exchange,
    past: Vec<Exchange>,
    sockets: Vec<Socket>,
    blocked: Vec<Blocked>,
    epolls: Vec<Epoll>,
}

impl<'a> Player<'a> {
    fn new(script: &'a Script) -> Self {
        let numbers = Numbers::new(&script.events, &script.setting.dialogue);
        Self {
            script,
            position: 0,
            host: Host::new(&script.setting),
            now: Instant::ZERO,
            before: Instant::ZERO,
            exchange: Exchange::new(0, script.setting.tcp.clone(), numbers),
            past: Vec::new(),
            sockets: Vec::new(),
            blocked: Vec::new(),
            epolls: Vec::new(),
        }
    }

    fn play(&mut self, event: &Event) -> Result<(), Stop> {
        let (from, to) = self.window(event.when);
        if matches!(event.when, When::At(_) | When::AtBetween(..)) && from < self.before {
            let construct = from.as_secs_f64().to_string();
            let why = format!("time goes back: the event before was at {}", self.before.as_secs_f64());
            return Err(Stop::Refused(Refusal { line: event.line, construct, why }));
        }
        if let Action::Expect(packet) = &event.action {
            let at = self.expect(event.line, packet, from, to)?;
            self.before = match event.when {
                When::At(_) | When::After(_) => from,
                When::AtBetween(..) | When::AfterBetween(..) | When::Any => at,
            };
            return Ok(());
        }
        self.advance(event.line, from)?;
        match &event.action {
            Action::Inject(packet) => self.inject(event.line, packet)?,
            Action::Icmp(icmp) => self.report_icmp(icmp),
            Action::Call(call) => self.call(event, call)?,
            Action::Command(command) => self.command(event.line, command)?,
            Action::Assert(assertions) => self.assert(assertions)?,
            Action::Expect(_) => {}
        }
        self.before = from;
        self.wake()
    }

    /// The first and the last moment an event may happen at.
    fn window(&self, when: When) -> (Instant, Instant) {
        let at = |length: Duration| Instant::ZERO.saturating_add(length);
        let after = |length: Duration| self.before.saturating_add(length);
        match when {
            When::At(time) => (at(time), at(time)),
            When::After(time) => (after(time), after(time)),
            When::AtBetween(from, to) => (at(from), at(to)),
            When::AfterBetween(from, to) => (after(from), after(to)),
            When::Any => (Instant::ZERO, Instant::NEVER),
        }
    }

    /// Time passes until `until`; a call that should have returned before has not.
    fn advance(&mut self, line: usize, until: Instant) -> Result<(), Stop> {
        self.pass(line, until)?;
        self.overdue(until)
    }

    /// Timers run out until `until`.
    fn pass(&mut self, line: usize, until: Instant) -> Result<(), Stop> {
        for _ in 0..MOST_TIMERS {
            let deadline = self.exchange.connection.as_ref().map_or(Instant::NEVER, Connection::deadline);
            if deadline > until || deadline == Instant::NEVER {
                self.now = self.now.max(until);
                return Ok(());
            }
            self.run_timer(deadline);
            self.wake()?;
        }
        Err(fail(line, "the connection's timers run in circles"))
    }

    fn run_timer(&mut self, deadline: Instant) {
        self.now = self.now.max(deadline);
        let was_gone = self.exchange.application.gone;
        if let Some(connection) = &mut self.exchange.connection {
            let before = Before::of(connection, &self.exchange.tcp);
            connection.on_deadline(self.now);
            before.check(connection, false).unwrap_or_else(|broken| panic!("{broken}"));
        }
        self.drain();
        if !was_gone {
            self.note_error("ETIMEDOUT");
        }
    }

    /// Takes what the connection sends and tells after an input.
    fn drain(&mut self) {
        let now = self.now;
        let Exchange { connection: Some(connection), application, sent, syn_data, last_data, busy, .. } =
            &mut self.exchange
        else {
            return;
        };
        let before = application.clone();
        while let Some(transmit) = connection.poll_transmit(now) {
            application.reports.on_sent(now, &transmit);
            if transmit.segment.flags.has(Flags::SYN) && !transmit.is_retransmission {
                *syn_data = u64::from(transmit.segment.len);
            }
            sent.push_back(Sent { at: now, transmit });
        }
        application.received = connection.received();
        while let Some(notice) = connection.poll_event() {
            match notice {
                Notice::Established => application.established = true,
                Notice::PeerClosed => application.peer_closed = true,
                Notice::Closed => application.gone = true,
                Notice::AllAcknowledged => {}
            }
        }
        if application.established && !before.established {
            self.host.fast_open.memory = connection.path_memory();
        }
        let sample = connection.sample();
        application.reports.on_acknowledged(now, sample.snd_una, application.gone);
        let is_busy = application.established && !application.gone && sample.snd_una < application.written;
        busy.turn(now, is_busy);
        if application.received > before.received || application.established != before.established {
            *last_data = now;
        }
        let has_changed = application.received > before.received
            || application.established != before.established
            || application.peer_closed != before.peer_closed
            || application.gone != before.gone
            || application.reports.made() != before.reports.made();
        if has_changed {
            let id = self.exchange.id;
            self.notify(id);
        }
    }

    fn command(&mut self, line: usize, command: &str) -> Result<(), Stop> {
        let shown = command.trim().lines().next().unwrap_or("").to_owned();
        host::command(command, &mut self.host).map_err(|why| Refusal::new(line, shown, why).into())
    }

    /// Nothing may be left over that the script has not named.
    fn end(&mut self) -> Result<(), Stop> {
        let line = self.script.events.last().map_or(1, |event| event.line);
        let last = self.blocked.iter().map(|blocked| blocked.until).max();
        if let Some(until) = last {
            self.advance(line, until)?;
            self.overdue(Instant::NEVER)?;
        }
        match self.exchange.sent.front() {
            Some(sent) if !self.script.setting.is_foreign => {
                let shown = self.exchange.numbers.show(&sent.transmit);
                Err(fail(line, format!("at {}: `> {shown}` stands nowhere in the script", clock(sent.at))))
            }
            _ => Ok(()),
        }
    }
}

/// A time as scripts write it.
fn clock(at: Instant) -> String {
    format!("{} s", at.as_secs_f64())
}
