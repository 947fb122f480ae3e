//! Plays a script: time passes from event to event, and with it the connection's timers.

mod assertions;
mod blocking;
mod calls;
mod numbers;
mod options;
mod packets;

use std::collections::VecDeque;

use farlink_kernel::{Duration, Instant};
use farlink_tcp::Connection;
use farlink_tcp::connection::{Event as Notice, Transmit};

use crate::host::{self, Host};
use crate::script::{Action, Event, Script, When};
use crate::{Mismatch, Refusal, header};
use blocking::Blocked;
use calls::Socket;
use numbers::Numbers;

/// More timers than this between two events are a connection that runs in circles.
const MOST_TIMERS: u32 = 1_000_000;

/// Plays `script`; the first thing that went another way, if any did.
pub fn run(script: &Script) -> Result<Option<Mismatch>, Refusal> {
    let mut player = Player::new(script);
    for event in &script.events {
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

/// What the application knows.
#[derive(Clone, Copy, Debug, Default)]
struct Application {
    established: bool,
    received: u64,
    read: u64,
    peer_closed: bool,
    gone: bool,
}

/// A dialogue under way.
struct Player<'a> {
    script: &'a Script,
    host: Host,
    connection: Option<Connection>,
    now: Instant,
    /// The time of the event before, which relative times count from.
    before: Instant,
    numbers: Numbers,
    sent: VecDeque<Sent>,
    application: Application,
    sockets: Vec<Socket>,
    blocked: Vec<Blocked>,
    /// The MSS option of the peer's SYN and whether it offers timestamps.
    peer_offers: Option<(Option<u16>, bool)>,
}

impl<'a> Player<'a> {
    fn new(script: &'a Script) -> Self {
        Self {
            script,
            host: Host { tcp: script.setting.tcp.clone(), mss: header::MSS, only_answers_ecn: false },
            connection: None,
            now: Instant::ZERO,
            before: Instant::ZERO,
            numbers: Numbers::new(script),
            sent: VecDeque::new(),
            application: Application::default(),
            sockets: Vec::new(),
            blocked: Vec::new(),
            peer_offers: None,
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
            let deadline = self.connection.as_ref().map_or(Instant::NEVER, Connection::deadline);
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
        if let Some(connection) = &mut self.connection {
            connection.on_deadline(self.now);
        }
        self.drain();
    }

    /// Takes what the connection sends and tells after an input.
    fn drain(&mut self) {
        let Some(connection) = &mut self.connection else { return };
        while let Some(transmit) = connection.poll_transmit(self.now) {
            self.sent.push_back(Sent { at: self.now, transmit });
        }
        let application = &mut self.application;
        application.received = connection.received();
        while let Some(notice) = connection.poll_event() {
            match notice {
                Notice::Established => application.established = true,
                Notice::PeerClosed => application.peer_closed = true,
                Notice::Closed => application.gone = true,
                Notice::AllAcknowledged => {}
            }
        }
    }

    fn command(&mut self, line: usize, command: &str) -> Result<(), Stop> {
        let shown = command.trim().lines().next().unwrap_or("").to_owned();
        if self.connection.is_some() && self.script.events.last().is_some_and(|last| last.line != line) {
            return Err(Refusal::new(line, shown, "a connection's options cannot change under way").into());
        }
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
        match self.sent.front() {
            Some(sent) if !self.script.setting.is_foreign => {
                let shown = self.numbers.show(&sent.transmit);
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
