//! [`Connection`]: its state, how it begins, and what can be read of it.

use farlink_kernel::{Bytes, Duration, Instant};

use super::accounts::{Accounts, LimitedBy};
use super::accurate_ecn::AccEcn;
use super::api::{Counters, Event, Role, Sample, State, Transmit};
use super::burst::Burst;
use super::clock::Clock;
use super::cwr::EcnReaction;
use super::early::FastOpen;
use super::events::Events;
use super::pacer::Pacer;
use super::rate::Rate;
use super::receiver::Receiver;
use super::rtt::{Restart, Rtt, Timed};
use super::send_buffer::SendBuffer;
use super::sender::Sender;
use super::start::Start;
use super::suspicion::Suspicion;
use super::timers::Timers;
use crate::config::{Config, InitialSsthresh, SlowStart, WindowRules};
use crate::congestion::{self, EcnFeedback, EcnResponse, emulation};
use crate::notice::Notice;
use crate::recovery::{self, Phase, scoreboard::Scoreboard};
use crate::route_failure;
use crate::segment::Segment;
use crate::seq::SeqNumber;
use crate::window::Window;

/// One end of a connection.
#[derive(Debug)]
pub struct Connection {
    pub(super) config: Config,
    pub(super) role: Role,
    pub(super) state: State,
    pub(super) negotiated: Negotiated,
    /// How often the SYN or SYN/ACK timed out, and after how many retransmissions it is given up.
    pub(super) syn_timeouts: u32,
    pub(super) syn_retries: u32,
    pub(super) snd: Sender,
    pub(super) send_buffer: Option<SendBuffer>,
    pub(super) pacer: Pacer,
    pub(super) burst: Burst,
    pub(super) ecn: EcnReaction,
    pub(super) ecn_response: EcnResponse,
    /// In AccECN mode.
    pub(super) acc_ecn: Option<Box<AccEcn>>,
    /// The next ACK is to have an AccECN option.
    pub(super) is_acc_ecn_due: bool,
    /// An ACK of what arrived before the CE state changed (RFC 8257 section 3.2).
    pub(super) ack_before_change: Option<Box<Transmit>>,
    pub(super) rcv: Receiver,
    pub(super) window: Window,
    pub(super) congestion: congestion::Any,
    pub(super) recovery: recovery::Any,
    pub(super) route_failure: route_failure::Any,
    pub(super) fast_open: FastOpen,
    pub(super) freeze: Freeze,
    pub(super) phase: Phase,
    /// Recovery was at rest after the last input.
    pub(super) recovery_at_rest: bool,
    /// Segments that are as predicted take the short path.
    pub(super) predicts: bool,
    pub(super) rtt: Rtt,
    pub(super) timed: Timed,
    /// `None` when no member reads it.
    pub(super) rate: Option<Rate>,
    pub(super) measures_one_way: bool,
    pub(super) clock: Clock,
    pub(super) timers: Timers,
    pub(super) accounts: Accounts,
    pub(super) counters: Counters,
    pub(super) notices: Vec<Notice>,
    pub(super) events: Events,
    pub(super) peer_close_announced: bool,
    pub(super) reset: Option<Segment>,
    /// The last reduction may have been spurious.
    pub(super) suspicion: Option<Suspicion>,
    pub(super) start: Start,
    pub(super) rtt_restart: Option<Restart>,
    pub(super) dsack_seen: bool,
    /// DSACKs received (`dsack_dups`).
    pub(super) dsacks: u64,
}

/// What the two ends agreed on in the handshake.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Negotiated {
    pub(super) timestamps: bool,
    pub(super) sack: bool,
    pub(super) ecn: EcnFeedback,
    /// Windows are scaled; shift of those the peer advertises, and of ours.
    pub(super) scaling: bool,
    pub(super) peer_shift: u8,
    pub(super) own_shift: u8,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Freeze {
    pub(super) is_frozen: bool,
    /// The first unacknowledged segment is to be sent, as a probe.
    pub(super) probe_due: bool,
    /// When it resumed last: segments sent before give no round-trip samples.
    pub(super) resumed_at: Instant,
    /// The peer is to be notified that the route is restored.
    pub(super) notification_due: bool,
}

impl Connection {
    /// An end that is not open yet. `initial_seq` is its ISN; `seed` feeds members that draw random numbers.
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
        let measures_rate = congestion.uses_delivery_rate()
            || congestion.uses_packet_state()
            || config.slow_start == SlowStart::HystartPlusPlus;
        let keeps_packets = congestion.uses_packet_state();
        let measures_one_way = congestion.uses_one_way_delay();
        Self {
            role,
            state: State::Closed,
            negotiated: Negotiated::default(),
            syn_timeouts: 0,
            syn_retries: u32::MAX,
            snd: Sender::new(config, initial_seq).recording_losses(keeps_packets),
            send_buffer: SendBuffer::new(config, congestion.controls_recovery()),
            pacer: Pacer::new(config.pacing_credit),
            burst: Burst::default(),
            ecn: EcnReaction::default(),
            ecn_response: congestion.ecn_response(),
            acc_ecn: None,
            is_acc_ecn_due: false,
            ack_before_change: None,
            rcv: Receiver::new(config),
            window: Window::new(config.initial_window.segments(config.segment_size)),
            congestion,
            recovery,
            route_failure: config.route_failure.build(&()),
            fast_open: FastOpen::new(config.fast_open),
            freeze: Freeze::default(),
            phase: Phase::Open,
            recovery_at_rest: false,
            predicts: true,
            rtt: Rtt::new(config),
            timed: Timed::default(),
            rate: measures_rate.then(|| Rate::new(keeps_packets)),
            measures_one_way,
            clock: Clock::new(config.timestamp_clock),
            timers: Timers::default(),
            accounts: Accounts::new(),
            counters: Counters::default(),
            notices: Vec::new(),
            events: Events::default(),
            peer_close_announced: false,
            reset: None,
            suspicion: None,
            start: Start::new(config),
            rtt_restart: None,
            dsack_seen: false,
            dsacks: 0,
            config: config.clone(),
        }
    }

    /// The application has `bytes` more to send.
    pub fn write(&mut self, now: Instant, bytes: u64) {
        let _ = now;
        self.snd.write(bytes);
    }

    /// The handshake is given up when its SYN timed out after so many retransmissions (R2 of RFC 9293 section 3.8.3; Linux,
    /// TCP_SYNCNT). By default it never is.
    pub fn limit_syn_retries(&mut self, retries: u32) {
        self.syn_retries = retries;
    }

    /// Without header prediction every segment takes the full path: for tests, as the state after it is the same.
    pub fn predict(&mut self, predicts: bool) {
        self.predicts = predicts;
    }

    /// What was written ends a record: no segment holds bytes of before and after (Linux, MSG_EOR).
    pub fn end_record(&mut self) {
        self.snd.end_record();
    }

    /// The application has nothing more to send after what it wrote: FIN follows. An end without a peer
    /// and without data is deleted at once (RFC 9293 section 3.10.4).
    pub fn close(&mut self, now: Instant) {
        let _ = now;
        if self.state == State::Listen || (self.state == State::SynSent && self.snd.data_end() == 1) {
            return self.delete();
        }
        self.snd.close();
    }

    /// The application pauses (true) or resumes (false) reading; while paused, data fill the receive buffer. By default
    /// all is read at once.
    pub fn pause_reading(&mut self, now: Instant, paused: bool) {
        let _ = now;
        self.rcv.pause_reading(paused);
    }

    /// A paused reader takes so many bytes.
    pub fn read(&mut self, now: Instant, bytes: u64) {
        self.rcv.read(now, bytes, self.rtt.srtt());
    }

    /// The notices that arrived.
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// The next event for the application. Called after every input until it gives `None`.
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

    /// The state of RFC 9293.
    pub fn state(&self) -> State {
        self.state
    }

    /// True when the connection will send nothing unless a segment or a notice comes: no timer runs but that of
    /// TIME-WAIT, which deletes it.
    pub fn is_at_rest(&self) -> bool {
        self.state == State::TimeWait || self.deadline() == Instant::NEVER
    }

    /// The counters so far.
    pub fn counters(&self) -> Counters {
        let (duplicates_received, new_data_received) = self.rcv.segments_received();
        Counters { duplicates_received, new_data_received, ..self.counters }
    }

    /// The time of [`Connection::limited_by`] begins now: what was before does not belong to the flow.
    pub fn restart_accounts(&mut self, now: Instant) {
        self.accounts.restart(now);
    }

    /// The time by what limited the sender, until `now`.
    pub fn limited_by(&self, now: Instant) -> LimitedBy {
        self.accounts.until(now)
    }

    /// Smallest, mean and largest round-trip sample; `None` before the first.
    pub fn rtt_range(&self) -> Option<(Duration, Duration, Duration)> {
        self.rtt.range()
    }

    /// Largest round-trip sample of the retransmission timer; `None` before the first.
    pub fn timer_rtt_max(&self) -> Option<Duration> {
        self.rtt.timer_max()
    }

    /// The state at this moment.
    pub fn sample(&self) -> Sample {
        Sample {
            window: self.window_in_force(),
            phase: self.phase,
            is_frozen: self.freeze.is_frozen,
            latest_rtt: self.rtt.latest(),
            srtt: self.rtt.srtt(),
            rto: self.rtt.rto(),
            flight_size: Bytes(self.snd.board().outstanding()),
            snd_una: self.snd.una().saturating_sub(1),
            snd_nxt: self.snd.nxt().saturating_sub(1),
            rcv_nxt: self.rcv.nxt().saturating_sub(1),
            delivered: self.rcv.delivered(),
        }
    }

    /// The window that bounds what is sent: recovery may lead it from the one before the loss to the threshold.
    fn window_in_force(&self) -> Window {
        let led = self.recovery.window().filter(|_| !self.congestion.controls_recovery());
        // A segment that is not full counts as one.
        let cwnd = led.map_or(self.window.cwnd, |bytes| self.snd.segments(bytes).max(1.0));
        Window { cwnd, ..self.window }
    }

    /// The congestion control, for its [`congestion::CongestionControl::observe`].
    pub fn congestion(&self) -> &congestion::Any {
        &self.congestion
    }

    /// The feedback of marks that the handshake agreed on.
    pub fn ecn_feedback(&self) -> EcnFeedback {
        self.negotiated.ecn
    }

    /// The scoreboard of recovery.
    pub fn scoreboard(&self) -> &Scoreboard {
        self.snd.board()
    }

    /// The phase of recovery.
    pub fn phase(&self) -> Phase {
        self.phase
    }

    /// The window in whole segments, as bytes.
    pub(super) fn cwnd_bytes(&self) -> u64 {
        self.snd.window_bytes(self.window.cwnd)
    }
}

/// The setup of the congestion control of a connection with `config`.
pub fn congestion_setup(config: &Config, seed: u64) -> congestion::Setup {
    congestion::Setup {
        segment_size: config.segment_size,
        max_window: config.max_window.map_or(f64::INFINITY, |most| most.segments(config.segment_size)),
        initial_window: config.initial_window.segments(config.segment_size),
        seed,
        is_paced: config.pacing,
        arithmetic: config.window_arithmetic(),
    }
}

pub(super) fn recovery_setup(config: &Config) -> recovery::Setup {
    let WindowRules { duplicates_deliver, reduces_packets, .. } = config.window_rules();
    recovery::Setup {
        limited_transmit: config.limited_transmit,
        keep_sacked_on_timeout: config.keep_sacked_on_timeout,
        duplicates_deliver,
        reduces_packets,
    }
}

/// The threshold slow start begins with, in segments.
pub(super) fn initial_ssthresh(config: &Config) -> f64 {
    let infinite = f64::INFINITY;
    match config.initial_ssthresh {
        InitialSsthresh::Infinite | InitialSsthresh::Hoe => infinite,
        InitialSsthresh::MaxWindow => {
            config.max_window.map_or(infinite, |most| most.segments(config.segment_size))
        }
        InitialSsthresh::Fixed(amount) => amount.segments(config.segment_size),
    }
}
