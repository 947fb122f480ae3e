//! [`Connection`]: one end of a TCP connection (RFC 9293), one file per concern.
//!
//! In a segment's order: `handshake` (SYN, options, states), `one_way` (data without one), `input` (what a segment
//! means), `ack` (what its acknowledgement means for the sender), `reduction` (what congestion does to the window),
//! `receiver` (what its data mean), `output` (what to send next), `transmit` (the way out), `rate` (how fast data are
//! delivered), `rtt` (round-trip time and timeout), `clock` (what timestamps show), `timers` (what happens when nothing
//! comes), `spurious` (reductions that were mistakes), `start` (how the first slow start ends), `accounts` (where the
//! time goes), `face` (what the outside sees), `events` (what the application is to know), `freeze` (standing still
//! while the route is broken).
//!
//! All inside counts in sequence-space offsets: the SYN is 0, stream byte k is 1 + k.

mod accounts;
mod ack;
mod clock;
mod events;
mod face;
mod freeze;
mod handshake;
mod input;
mod one_way;
mod output;
mod rate;
mod receiver;
mod reduction;
mod reset;
mod rtt;
mod spurious;
mod start;
mod timers;
mod transmit;

use farlink_kernel::{Bytes, Duration, Instant};

pub use accounts::LimitedBy;
pub use face::{Counters, Event, Role, Sample, State, Transmit};
pub use transmit::Outlet;

use crate::config::{Config, InitialSsthresh, MaxWindowOf, SlowStart};
use crate::congestion::{self, emulation};
use crate::notice::Notice;
use crate::recovery::{self, Phase, scoreboard::Scoreboard};
use crate::route_failure;
use crate::segment::Segment;
use crate::seq::SeqNumber;
use crate::window::Window;
use accounts::{Accounts, Cause};
use clock::Clock;
use events::Events;
use freeze::Freeze;
use rate::Rate;
use receiver::Receiver;
use rtt::{Rtt, Timed};
use timers::Timers;

/// One end of a connection.
#[derive(Debug)]
pub struct Connection {
    config: Config,
    role: Role,
    state: State,
    negotiated: Negotiated,
    snd: Sender,
    rcv: Receiver,
    window: Window,
    congestion: congestion::Any,
    recovery: recovery::Any,
    route_failure: route_failure::Any,
    freeze: Freeze,
    /// Recovery's phase as it was last told.
    phase: Phase,
    /// Recovery is at rest, as it last told.
    recovery_rests: bool,
    rtt: Rtt,
    timed: Timed,
    /// `None` when nobody wants to know it.
    rate: Option<Rate>,
    clock: Clock,
    timers: Timers,
    accounts: Accounts,
    counters: Counters,
    notices: Vec<Notice>,
    events: Events,
    peer_close_announced: bool,
    /// A reset is due.
    reset: Option<Segment>,
    /// The last reduction may have been a mistake.
    suspicion: Option<spurious::Suspicion>,
    start: start::Start,
    rtt_restart: Option<rtt::Restart>,
    /// A DSACK arrived on this connection.
    dsack_seen: bool,
}

/// What the two ends agreed on in the handshake.
#[derive(Clone, Copy, Debug, Default)]
struct Negotiated {
    timestamps: bool,
    sack: bool,
    ecn: bool,
    /// Windows are scaled; shift of those the peer advertises, and of ours.
    scaling: bool,
    peer_shift: u8,
    own_shift: u8,
}

/// The sending half, in own sequence-space offsets.
#[derive(Debug)]
struct Sender {
    iss: SeqNumber,
    /// `SND.UNA` and `SND.NXT`.
    una: u64,
    nxt: u64,
    board: Scoreboard,
    /// Right edge of the peer's window, the window itself, and the segment it came with (`SND.WL1`, `SND.WL2`).
    edge: u64,
    wnd: u64,
    wl1: u64,
    wl2: u64,
    /// The largest window the peer ever offered (`MAX.SND.WND` of RFC 5961).
    largest_wnd: u64,
    /// One past the last byte written.
    written: u64,
    closing: bool,
    /// Full segment in bytes and its inverse.
    segment_size: u64,
    per_byte: f64,
    /// The user's clamp in bytes, on what is not acknowledged.
    max_window: u64,
    /// The same on what is in flight; one of the two is infinite.
    max_in_flight: u64,
    initial_window: f64,
    /// When something was last sent, for idle restart.
    last_sent: Instant,
    /// A retransmission goes out whatever the window says: the first of an episode, or after a partial ACK.
    must_retransmit: bool,
    /// Bytes that counted against the window after the last input or transmission.
    in_flight: u64,
    /// Most that was in flight since the offset before this one was sent (Linux).
    fullest: (u64, u64),
    /// Bytes that may still be sent, if known since the last input.
    room: Option<u64>,
    /// A tail-loss probe is due.
    tail_probe_due: bool,
    /// ECN: CWR is due, and no further reduction before this offset is acknowledged.
    cwr_due: bool,
    ecn_recover: u64,
    /// A window probe is due.
    probe_due: bool,
    /// When pacing lets the next segment go.
    pace_next: Instant,
    /// Why the last poll sent nothing.
    blocked: Cause,
    /// The SYN was sent more than once.
    syn_was_lost: bool,
}

impl Connection {
    /// An end that has not begun. `initial_seq` is its ISN; `seed` feeds members that toss coins.
    pub fn new(config: &Config, role: Role, initial_seq: SeqNumber, seed: u64) -> Self {
        let congestion = emulation::build(&config.congestion_control, &congestion_setup(config, seed));
        Self::with_congestion_control(config, role, initial_seq, congestion)
    }

    /// Like [`Connection::new`] with a congestion control from outside the registry.
    pub fn with_congestion_control(
        config: &Config,
        role: Role,
        initial_seq: SeqNumber,
        congestion: congestion::Any,
    ) -> Self {
        let recovery = config.recovery.build(&recovery_setup(config));
        let measures_rate =
            congestion.uses_delivery_rate() || config.slow_start == SlowStart::HystartPlusPlus;
        Self {
            role,
            state: State::Closed,
            negotiated: Negotiated::default(),
            snd: Sender::new(config, initial_seq),
            rcv: Receiver::new(config),
            window: Window::new(config.initial_window.segments(config.segment_size)),
            congestion,
            recovery,
            route_failure: config.route_failure.build(&()),
            freeze: Freeze::default(),
            phase: Phase::Open,
            recovery_rests: false,
            rtt: Rtt::new(config),
            timed: Timed::default(),
            rate: measures_rate.then(Rate::default),
            clock: Clock::new(config.timestamp_clock),
            timers: Timers::default(),
            accounts: Accounts::new(),
            counters: Counters::default(),
            notices: Vec::new(),
            events: Events::default(),
            peer_close_announced: false,
            reset: None,
            suspicion: None,
            start: start::Start::new(config),
            rtt_restart: None,
            dsack_seen: false,
            config: config.clone(),
        }
    }

    /// The application has `bytes` more to send.
    pub fn write(&mut self, now: Instant, bytes: u64) {
        let _ = now;
        self.snd.written = self.snd.written.saturating_add(bytes);
    }

    /// The application has nothing more to send after what it wrote: FIN follows. An end that has not yet
    /// heard of a peer, nor has anything for it, is gone at once (RFC 9293 section 3.10.4).
    pub fn close(&mut self, now: Instant) {
        let _ = now;
        if self.state == State::Listen || (self.state == State::SynSent && self.snd.written == 0) {
            return self.gone();
        }
        self.snd.closing = true;
    }

    /// The application stops (true) or resumes (false) reading; a reader that has stopped fills the
    /// receive buffer. Readers read at once by default.
    pub fn pause_reading(&mut self, now: Instant, paused: bool) {
        let _ = now;
        self.rcv.pause_reading(paused);
    }

    /// A reader that has stopped takes so many bytes.
    pub fn read(&mut self, now: Instant, bytes: u64) {
        self.rcv.read(now, bytes, self.rtt.srtt);
    }

    /// The notices that arrived.
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// The next thing the application should know. Called after every input until it gives `None`.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.pop()
    }

    /// True when [`Connection::poll_event`] has something.
    pub fn has_events(&self) -> bool {
        !self.events.is_empty()
    }

    /// Bytes of the peer's stream that arrived in order.
    pub fn received(&self) -> u64 {
        self.rcv.in_order()
    }

    /// The state of the machine.
    pub fn state(&self) -> State {
        self.state
    }

    /// What was counted so far.
    pub fn counters(&self) -> Counters {
        let Receiver { duplicates_received, new_data_received, .. } = self.rcv;
        Counters { duplicates_received, new_data_received, ..self.counters }
    }

    /// Where the time went until `now`.
    pub fn limited_by(&self, now: Instant) -> LimitedBy {
        self.accounts.until(now)
    }

    /// Smallest, mean and largest round-trip sample; `None` before the first.
    pub fn rtt_range(&self) -> Option<(Duration, Duration, Duration)> {
        self.rtt.range()
    }

    /// A look inside.
    pub fn sample(&self) -> Sample {
        Sample {
            window: self.window,
            phase: self.phase,
            is_frozen: self.freeze.is_frozen,
            srtt: self.rtt.srtt,
            rto: self.rtt.rto(),
            flight_size: Bytes(self.snd.board.outstanding()),
            snd_una: self.snd.una.saturating_sub(1),
            snd_nxt: self.snd.nxt.saturating_sub(1),
            rcv_nxt: self.rcv.nxt.saturating_sub(1),
        }
    }

    /// The congestion control at work, for its [`congestion::CongestionControl::observe`].
    pub fn congestion(&self) -> &congestion::Any {
        &self.congestion
    }

    /// What is in flight, as recovery sees it.
    pub fn scoreboard(&self) -> &Scoreboard {
        &self.snd.board
    }

    /// Where recovery's episode stands.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// Segments that `bytes` make.
    fn segments(&self, bytes: u64) -> f64 {
        // A signed conversion is one instruction, an unsigned one a dozen.
        bytes.cast_signed() as f64 * self.snd.per_byte
    }

    /// Like [`Self::segments`], for a bound; `u64::MAX`, which stands for none, stays out of reach.
    fn segments_at_most(&self, bytes: u64) -> f64 {
        self.segments(bytes.min(i64::MAX.cast_unsigned()))
    }

    /// The window in whole segments, as bytes: the one place where it is floored.
    fn cwnd_bytes(&self) -> u64 {
        let cwnd = (self.window.cwnd as i64).max(1).cast_unsigned().saturating_mul(self.snd.segment_size);
        cwnd.min(self.snd.max_in_flight)
    }
}

/// What a congestion control is told when a connection with `config` begins.
pub fn congestion_setup(config: &Config, seed: u64) -> congestion::Setup {
    congestion::Setup {
        segment_size: config.segment_size,
        max_window: config.max_window.map_or(f64::INFINITY, |most| most.segments(config.segment_size)),
        initial_window: config.initial_window.segments(config.segment_size),
        seed,
        arithmetic: config.window_arithmetic(),
    }
}

fn recovery_setup(config: &Config) -> recovery::Setup {
    recovery::Setup {
        limited_transmit: config.limited_transmit,
        keep_sacked_on_timeout: config.keep_sacked_on_timeout,
    }
}

impl Sender {
    fn new(config: &Config, iss: SeqNumber) -> Self {
        let segment_size = config.segment_size.0;
        let most = config.max_window.map_or(u64::MAX, |most| most.bytes(config.segment_size));
        let (max_window, max_in_flight) = match config.max_window_of {
            MaxWindowOf::Unacknowledged => (most, u64::MAX),
            MaxWindowOf::InFlight => (u64::MAX, most),
        };
        Self {
            iss,
            una: 0,
            nxt: 0,
            board: Scoreboard::new(segment_size),
            // The SYN needs no window.
            edge: 1,
            wnd: 0,
            wl1: 0,
            wl2: 0,
            largest_wnd: 0,
            written: 0,
            closing: false,
            segment_size,
            per_byte: 1.0 / segment_size as f64,
            max_window,
            max_in_flight,
            initial_window: config.initial_window.segments(config.segment_size),
            last_sent: Instant::ZERO,
            must_retransmit: false,
            in_flight: 0,
            fullest: (0, 0),
            room: None,
            tail_probe_due: false,
            cwr_due: false,
            ecn_recover: 0,
            probe_due: false,
            pace_next: Instant::ZERO,
            blocked: Cause::Handshake,
            syn_was_lost: false,
        }
    }

    /// One past the last offset there is to send, FIN included.
    fn end(&self) -> u64 {
        1 + self.written + u64::from(self.closing)
    }
}

/// The threshold slow start begins with, in segments.
fn initial_ssthresh(config: &Config) -> f64 {
    let infinite = f64::INFINITY;
    match config.initial_ssthresh {
        InitialSsthresh::Infinite | InitialSsthresh::Hoe => infinite,
        InitialSsthresh::MaxWindow => {
            config.max_window.map_or(infinite, |most| most.segments(config.segment_size))
        }
        InitialSsthresh::Fixed(amount) => amount.segments(config.segment_size),
    }
}

#[cfg(test)]
mod tests;
