//! One connection of a script, and what the script knows of it.

use std::collections::VecDeque;

use farlink_kernel::{Duration, Instant};
use farlink_tcp::{Config, Connection};

use super::numbers::Numbers;
use super::reports::Reports;
use super::{Player, Sent};

/// A connection and its application. A script has one after the other; it speaks with the latest.
#[derive(Debug)]
pub(super) struct Exchange {
    pub(super) id: usize,
    pub(super) connection: Option<Connection>,
    /// The options it was made with.
    pub(super) tcp: Config,
    pub(super) numbers: Numbers,
    pub(super) sent: VecDeque<Sent>,
    pub(super) application: Application,
    /// The MSS option of the peer's SYN and whether it offers timestamps.
    pub(super) peer_offers: Option<(Option<u16>, bool)>,
    /// Bytes of data in our SYN.
    pub(super) syn_data: u64,
    /// With data that are not acknowledged.
    pub(super) busy: Busy,
    /// When data arrived last, or the handshake was complete.
    pub(super) last_data: Instant,
}

/// What the application knows.
#[derive(Clone, Debug, Default)]
pub(super) struct Application {
    pub(super) established: bool,
    pub(super) received: u64,
    pub(super) read: u64,
    pub(super) written: u64,
    pub(super) peer_closed: bool,
    pub(super) gone: bool,
    /// Why it is gone, until a call has returned it.
    pub(super) error: Option<&'static str>,
    /// The error queue.
    pub(super) reports: Reports,
}

/// How long something was so.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Busy {
    before: Duration,
    since: Option<Instant>,
}

impl Busy {
    pub(super) fn turn(&mut self, now: Instant, is_so: bool) {
        self.before = self.until(now);
        self.since = is_so.then_some(now);
    }

    pub(super) fn until(&self, now: Instant) -> Duration {
        self.before + self.since.map_or(Duration::ZERO, |since| now - since)
    }
}

impl Application {
    pub(super) fn unread(&self) -> u64 {
        self.received - self.read
    }
}

impl Exchange {
    pub(super) fn new(id: usize, tcp: Config, numbers: Numbers) -> Self {
        Self {
            id,
            connection: None,
            tcp,
            numbers,
            sent: VecDeque::new(),
            application: Application::default(),
            peer_offers: None,
            syn_data: 0,
            busy: Busy::default(),
            last_data: Instant::ZERO,
        }
    }
}

impl Player<'_> {
    /// The script turns to another connection; the timers of the one before run no more.
    pub(super) fn begin_exchange(&mut self, tcp: Config) {
        let numbers = Numbers::new(&self.script.events[self.position..], &self.script.setting.dialogue);
        let id = self.exchange.id + usize::from(self.exchange.connection.is_some());
        let fresh = Exchange::new(self.past.len().max(id), tcp, numbers);
        let before = std::mem::replace(&mut self.exchange, fresh);
        if before.connection.is_some() {
            self.past.push(before);
        }
    }

    /// Makes the connection numbered `id` the one that calls are about; the number of the one before.
    pub(super) fn turn_to(&mut self, id: usize) -> usize {
        let before = self.exchange.id;
        if let Some(other) = self.past.iter_mut().find(|other| other.id == id) {
            std::mem::swap(other, &mut self.exchange);
        }
        before
    }
}
