//! [`Path`]: two connections, the sender's with BBR, and a bottleneck between them, in virtual time.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};

use farlink_kernel::{Bytes, Duration, Instant};

use super::super::*;
use crate::amount::Amount;
use crate::config::{self, DelayedAck, InitialWindow};
use crate::congestion::CongestionControl;
use crate::connection::{Connection, Role, Transmit};
use crate::recovery;
use crate::segment::Ecn;
use crate::seq::SeqNumber;

pub(super) const SEGMENT: u64 = 1500;

/// BBR that the test sees, too.
#[derive(Debug)]
struct Shared(Arc<Mutex<Bbr3>>);

impl Shared {
    fn get(&self) -> MutexGuard<'_, Bbr3> {
        self.0.try_lock().expect("no guard of the test is held")
    }
}

impl CongestionControl for Shared {
    fn on_start(&mut self, window: &mut Window, now: Instant, srtt: Duration) {
        self.get().on_start(window, now, srtt);
    }
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        self.get().on_ack(window, ack);
    }
    fn on_lost(&mut self, window: &mut Window, lost: &LostPacket) {
        self.get().on_lost(window, lost);
    }
    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        self.get().on_congestion(window, loss);
    }
    fn on_recovery_end(&mut self, window: &mut Window, now: Instant) {
        self.get().on_recovery_end(window, now);
    }
    fn on_spurious(&mut self, window: &mut Window, saved: &Saved) {
        self.get().on_spurious(window, saved);
    }
    fn on_idle(&mut self, window: &mut Window, restart: f64, now: Instant) {
        self.get().on_idle(window, restart, now);
    }
    fn on_flight_start(&mut self, window: &mut Window, now: Instant, app_limited: bool) {
        self.get().on_flight_start(window, now, app_limited);
    }
    fn controls_recovery(&self) -> bool {
        true
    }
    fn uses_packet_state(&self) -> bool {
        true
    }
}

/// What the application writes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Application {
    /// There is always more.
    Bulk,
    /// So many bits per second, in pieces of a segment.
    Rate(f64),
    /// Nothing.
    Silent,
}

/// A token bucket that drops what exceeds it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Policer {
    pub(super) bits_per_second: f64,
    pub(super) burst: f64,
    pub(super) tokens: f64,
    pub(super) filled: Instant,
}

pub(super) struct Path {
    pub(super) client: Connection,
    server: Connection,
    bbr: Arc<Mutex<Bbr3>>,
    pub(super) now: Instant,
    pub(super) mbps: f64,
    pub(super) one_way: Duration,
    /// Segments that wait at most.
    pub(super) room: usize,
    pub(super) policer: Option<Policer>,
    /// Of so many data segments one is lost; 0: none.
    pub(super) one_lost_in: u64,
    /// The next data segments are late by so much.
    pub(super) late: (u64, Duration),
    /// No data segment arrives before.
    pub(super) stalled_until: Instant,
    /// ACKs arrive at multiples of this, one for all that came since the last.
    pub(super) ack_interval: Duration,
    pub(super) application: Application,
    written: u64,
    next_write: Instant,
    queue: VecDeque<Transmit>,
    departs: Instant,
    wire: BTreeMap<(Instant, u64), (bool, Transmit)>,
    order: u64,
    data_sent: u64,
    pub(super) dropped: u64,
    pub(super) states: Vec<(Instant, State)>,
    pub(super) least_cwnd: f64,
}

/// The options of both ends.
pub(super) fn options(recovery: &str) -> config::Config {
    config::Config {
        segment_size: Bytes(SEGMENT),
        initial_window: InitialWindow::Fixed(Amount::Packets(10)),
        delayed_ack: DelayedAck::Off,
        recovery: recovery::Config::named(recovery).expect("a registered recovery"),
        receive_buffer: Bytes(20 << 20),
        ..config::Config::default()
    }
}

impl Path {
    /// A path of so many Mbit/s and a round trip of 40 ms, with a queue without bound.
    pub(super) fn new(mbps: f64) -> Self {
        Self::with(mbps, &options("sack"), &Config::default())
    }

    pub(super) fn with(mbps: f64, options: &config::Config, config: &Config) -> Self {
        let setup = crate::connection::congestion_setup(options, 1);
        let bbr = Arc::new(Mutex::new(Bbr3::new(config, &setup)));
        let (from, back) = (SeqNumber(1), SeqNumber(7));
        let member = Box::new(Shared(Arc::clone(&bbr)));
        let mut client = Connection::with_congestion_control(options, Role::Active, from, member);
        let mut server = Connection::new(options, Role::Passive, back, 2);
        server.open(Instant::ZERO);
        client.open(Instant::ZERO);
        Self {
            client,
            server,
            bbr,
            now: Instant::ZERO,
            mbps,
            one_way: Duration::from_millis(20),
            room: usize::MAX,
            policer: None,
            one_lost_in: 0,
            late: (0, Duration::ZERO),
            stalled_until: Instant::ZERO,
            ack_interval: Duration::ZERO,
            application: Application::Bulk,
            written: 0,
            next_write: Instant::ZERO,
            queue: VecDeque::new(),
            departs: Instant::NEVER,
            wire: BTreeMap::new(),
            order: 0,
            data_sent: 0,
            dropped: 0,
            states: vec![(Instant::ZERO, State::Startup)],
            least_cwnd: f64::INFINITY,
        }
    }

    pub(super) fn bbr(&self) -> MutexGuard<'_, Bbr3> {
        self.bbr.try_lock().expect("no other guard is held")
    }

    pub(super) fn state(&self) -> State {
        self.bbr().state
    }

    pub(super) fn cwnd(&self) -> f64 {
        self.client.sample().window.cwnd
    }

    /// Segments in flight.
    pub(super) fn flight(&self) -> f64 {
        self.client.scoreboard().pipe() as f64 / SEGMENT as f64
    }

    /// Bandwidth times delay in segments.
    pub(super) fn bdp(&self) -> f64 {
        self.mbps * 1e6 * 2.0 * self.one_way.as_secs_f64() / (8.0 * SEGMENT as f64)
    }

    /// `max_bw` in Mbit/s.
    pub(super) fn max_bw(&self) -> f64 {
        self.bbr().max_bw() * 8.0 * SEGMENT as f64 / 1e6
    }

    pub(super) fn delivered(&self) -> u64 {
        self.server.received()
    }

    /// Goodput in Mbit/s over the next seconds.
    pub(super) fn goodput(&mut self, seconds: f64) -> f64 {
        let before = self.delivered();
        self.run_for(seconds);
        8.0 * (self.delivered() - before) as f64 / seconds / 1e6
    }

    pub(super) fn run_for(&mut self, seconds: f64) {
        let end = self.now + Duration::from_secs_f64(seconds);
        while self.step(end) {}
    }

    /// Runs until the condition holds, for 60 s at most.
    #[track_caller]
    pub(super) fn run_until(&mut self, what: &str, mut holds: impl FnMut(&Self) -> bool) {
        let end = self.now + Duration::from_secs(60);
        while !holds(self) {
            assert!(self.step(end), "{what}: not within 60 s, in {:?}", self.states.last());
        }
    }

    #[track_caller]
    pub(super) fn run_until_state(&mut self, state: State) {
        self.run_until(&format!("{state:?}"), |path| path.state() == state);
    }

    /// The states passed since the first of so many, without their times.
    pub(super) fn states_since(&self, from: Instant) -> Vec<State> {
        self.states.iter().filter(|(at, _)| *at >= from).map(|(_, state)| *state).collect()
    }

    /// The next event; false when the end comes first.
    fn step(&mut self, end: Instant) -> bool {
        self.write();
        self.flush();
        let arrival = self.wire.keys().next().map_or(Instant::NEVER, |&(at, _)| at);
        let writes = match self.application {
            Application::Rate(_) => self.next_write,
            _ => Instant::NEVER,
        };
        let deadline = self.client.deadline().min(self.server.deadline());
        let next = arrival.min(self.departs).min(writes).min(deadline);
        if next > end {
            self.now = end;
            return false;
        }
        self.now = self.now.max(next);
        if self.departs == next {
            self.depart();
        } else if arrival == next {
            let (_, (to_server, transmit)) = self.wire.pop_first().expect("an arrival");
            let end = if to_server { &mut self.server } else { &mut self.client };
            end.on_segment(next, &transmit.segment, transmit.ecn);
        }
        self.client.on_deadline(self.now);
        self.server.on_deadline(self.now);
        self.note();
        true
    }

    fn note(&mut self) {
        let state = self.state();
        if self.states.last().is_some_and(|&(_, last)| last != state) {
            self.states.push((self.now, state));
        }
        if self.bbr().full_pipe.reached {
            self.least_cwnd = self.least_cwnd.min(self.cwnd());
        }
    }

    fn write(&mut self) {
        match self.application {
            Application::Bulk => {
                let wanted = self.client.sample().snd_nxt + 4 * SEGMENT;
                if wanted > self.written {
                    self.client.write(self.now, wanted - self.written);
                    self.written = wanted;
                }
            }
            Application::Rate(bits_per_second) => {
                self.next_write = self.next_write.max(self.now);
                if self.next_write <= self.now {
                    self.client.write(self.now, SEGMENT);
                    self.written += SEGMENT;
                    let pause = 8.0 * SEGMENT as f64 / bits_per_second;
                    self.next_write = self.now + Duration::from_secs_f64(pause);
                }
            }
            Application::Silent => {}
        }
    }

    fn flush(&mut self) {
        while let Some(transmit) = self.client.poll_transmit(self.now) {
            if transmit.segment.len == 0 {
                self.carry(true, self.now + self.one_way, transmit);
            } else {
                self.offer(transmit);
            }
            self.write();
        }
        while let Some(transmit) = self.server.poll_transmit(self.now) {
            let interval = self.ack_interval.as_nanos().max(1);
            let arrives = (self.now + self.one_way).saturating_since(Instant::ZERO).as_nanos();
            let at = Instant::ZERO + Duration::from_nanos(arrives.div_ceil(interval) * interval);
            if !self.ack_interval.is_zero() {
                self.wire.retain(|&(arrives, _), (to_server, _)| *to_server || arrives != at);
            }
            self.carry(false, at, transmit);
        }
        while self.client.poll_event().is_some() {}
        while self.server.poll_event().is_some() {}
    }

    fn carry(&mut self, to_server: bool, at: Instant, transmit: Transmit) {
        self.order += 1;
        self.wire.insert((at, self.order), (to_server, Transmit { ecn: Ecn::NotCapable, ..transmit }));
    }

    /// A data segment reaches the bottleneck.
    fn offer(&mut self, transmit: Transmit) {
        self.data_sent += 1;
        let is_lost = self.one_lost_in > 0 && self.data_sent.is_multiple_of(self.one_lost_in);
        if is_lost || !self.passes_policer(&transmit) || self.queue.len() >= self.room {
            self.dropped += 1;
            return;
        }
        self.queue.push_back(transmit);
        if self.queue.len() == 1 {
            self.departs = self.now + self.time_of(&transmit);
        }
    }

    fn passes_policer(&mut self, transmit: &Transmit) -> bool {
        let Some(policer) = &mut self.policer else { return true };
        let passed = self.now.saturating_since(policer.filled).as_secs_f64();
        policer.filled = self.now;
        policer.tokens = (policer.tokens + passed * policer.bits_per_second / 8.0).min(policer.burst);
        let size = f64::from(transmit.segment.len);
        let passes = policer.tokens >= size;
        policer.tokens -= if passes { size } else { 0.0 };
        passes
    }

    fn time_of(&self, transmit: &Transmit) -> Duration {
        Duration::from_secs_f64(f64::from(transmit.segment.len) * 8.0 / (self.mbps * 1e6))
    }

    fn depart(&mut self) {
        let transmit = self.queue.pop_front().expect("one departs");
        let late = if self.late.0 > 0 { self.late.1 } else { Duration::ZERO };
        self.late.0 = self.late.0.saturating_sub(1);
        let arrives = (self.now + self.one_way + late).max(self.stalled_until);
        self.carry(true, arrives, transmit);
        self.departs = self.queue.front().map_or(Instant::NEVER, |next| self.now + self.time_of(next));
    }
}
