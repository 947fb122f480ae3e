//! What holds for a connection after every step, and a ledger of what it sent.

use farlink_kernel::{Duration, Instant};
use farlink_tcp::config::MaxWindowOf;
use farlink_tcp::congestion::{EcnFeedback, EcnResponse};
use farlink_tcp::connection::{Sample, State, Transmit};
use farlink_tcp::recovery::Phase;
use farlink_tcp::{Config, Connection, Ecn, Flags, Segment, SeqNumber};

use crate::model;

/// More segments than RFC 7323 can announce bytes.
const LARGEST: f64 = (1u64 << 31) as f64;

/// What holds whatever happened: sums over the scoreboard equal a traversal of it, the window is a number of at
/// least one segment, times are finite, every moment is accounted, and something will happen next.
pub(super) fn connection(connection: &Connection, opened: Instant, now: Instant) -> Result<(), String> {
    let sample = connection.sample();
    let board = connection.scoreboard();
    model::check(board)?;
    let (una, nxt) = (sample.snd_una, sample.snd_nxt);
    if una > nxt {
        return Err(format!("SND.UNA {una} is above SND.NXT {nxt}"));
    }
    if is_synchronised(connection) && sample.flight_size.0 != nxt - una {
        return Err(format!("the flight is {} between {una} and {nxt}", sample.flight_size.0));
    }
    window(connection, &sample)?;
    if connection.limited_by(now).total() != now - opened {
        return Err(format!("{:?} are accounted of {:?}", connection.limited_by(now), now - opened));
    }
    if connection.rtt_range().is_some_and(|(least, mean, most)| least > mean || mean > most) {
        return Err(format!("round trips {:?}", connection.rtt_range()));
    }
    if is_synchronised(connection) && !board.is_empty() && connection.deadline() == Instant::NEVER {
        return Err("data are outstanding and no timer runs".into());
    }
    Ok(())
}

fn is_synchronised(connection: &Connection) -> bool {
    !matches!(connection.state(), State::Closed | State::Listen | State::SynSent | State::SynReceived)
}

fn window(connection: &Connection, sample: &Sample) -> Result<(), String> {
    let window = sample.window;
    if !(1.0..=LARGEST).contains(&window.cwnd) {
        return Err(format!("cwnd is {}", window.cwnd));
    }
    if window.ssthresh.is_nan() || window.ssthresh < 1.0 {
        return Err(format!("ssthresh is {}", window.ssthresh));
    }
    if window.pacing_rate.is_some_and(farlink_kernel::BitRate::is_zero) {
        return Err("the pacing rate is zero".into());
    }
    match connection.congestion().observe().into_iter().find(|(_, value)| !value.is_finite()) {
        Some((name, value)) => Err(format!("{name} is {value}")),
        None => Ok(()),
    }
}

/// Data are ECT(1) where marks are answered as RFC 9331 section 4.3 demands and fed back as RFC 9768 says, and nowhere else.
fn check_codepoint(connection: &Connection, sent: Ecn) -> Result<(), String> {
    let (feedback, response) = (connection.ecn_feedback(), connection.congestion().ecn_response());
    let is_l4s = feedback == EcnFeedback::Accurate && response == EcnResponse::L4s;
    let fits = match sent {
        Ecn::NotCapable => true,
        Ecn::Ect0 => !is_l4s && feedback != EcnFeedback::None,
        Ecn::Ect1 => is_l4s,
        Ecn::Experienced => false,
    };
    if fits {
        Ok(())
    } else {
        Err(format!("data leave as {sent:?} with {feedback:?} feedback and {response:?} response"))
    }
}

/// What the connection under test sent and received, kept by simple rules.
#[derive(Debug)]
pub(super) struct Ledger {
    iss: SeqNumber,
    max_window: u64,
    max_in_flight: u64,
    min_rto: Duration,
    max_rto: Duration,
    /// The peer's window follows from its last ACK alone (a model peer sends no data).
    knows_edge: bool,
    edge: u64,
    una: u64,
    ts_recent: Option<u32>,
    peer_shift: u32,
    /// One past the highest stream offset sent, FIN included.
    sent: u64,
    data_segments: u64,
    retransmissions: u64,
    /// A tail-loss probe may leave whatever the window says.
    probe_is_allowed: bool,
}

impl Ledger {
    pub(super) fn new(config: &Config, iss: SeqNumber, knows_edge: bool) -> Self {
        let most = |of: MaxWindowOf| match config.max_window {
            Some(most) if config.max_window_of == of => most.bytes(config.segment_size),
            _ => u64::MAX,
        };
        Self {
            iss,
            max_window: most(MaxWindowOf::Unacknowledged),
            max_in_flight: most(MaxWindowOf::InFlight),
            min_rto: config.min_rto.min(config.initial_rto),
            max_rto: config.max_rto,
            knows_edge,
            edge: 0,
            una: 0,
            ts_recent: None,
            peer_shift: 0,
            sent: 0,
            data_segments: 0,
            retransmissions: 0,
            probe_is_allowed: false,
        }
    }

    /// A timer is about to expire.
    pub(super) fn on_deadline(&mut self, connection: &Connection, now: Instant) {
        self.probe_is_allowed |= connection.deadline() <= now;
    }

    /// `segment` is about to arrive: what it says about the peer's window (RFC 9293 section 3.10.7.4).
    pub(super) fn on_arrival(&mut self, connection: &Connection, segment: &Segment) {
        let Some(ack) = segment.ack.to_offset(self.iss, self.una) else { return };
        let is_syn = segment.flags.has(Flags::SYN);
        let timestamp = segment.options.timestamps.map(|timestamps| timestamps.value);
        if is_syn && connection.state() == State::SynSent {
            self.peer_shift = segment.options.window_scale.map_or(0, u32::from);
            self.ts_recent = timestamp;
        } else if is_syn || !is_synchronised(connection) {
            return;
        }
        let is_old =
            |value: u32| self.ts_recent.is_some_and(|recent| value.wrapping_sub(recent).cast_signed() < 0);
        if ack < self.una || timestamp.is_some_and(is_old) {
            return;
        }
        self.ts_recent = self.ts_recent.and(timestamp);
        self.una = ack;
        let shift = if is_syn { 0 } else { self.peer_shift };
        let edge = ack + (u64::from(segment.window) << shift);
        self.edge = if self.knows_edge { edge } else { self.edge.max(edge) };
    }

    /// `transmit` leaves.
    pub(super) fn on_transmit(&mut self, connection: &Connection, transmit: &Transmit) -> Result<(), String> {
        let segment = &transmit.segment;
        let len = u64::from(segment.len) + u64::from(segment.flags.has(Flags::FIN));
        self.retransmissions += u64::from(transmit.is_retransmission);
        if segment.flags.has(Flags::SYN) || len == 0 {
            return Ok(());
        }
        self.data_segments += u64::from(segment.len > 0);
        check_codepoint(connection, transmit.ecn)?;
        if segment.seq != SeqNumber::from_offset(self.iss, 1 + transmit.offset) {
            return Err(format!("number {} at offset {}", segment.seq, transmit.offset));
        }
        let end = transmit.offset + len;
        if transmit.is_retransmission {
            return self.check_again(connection, transmit.offset, end);
        }
        if transmit.offset != self.sent {
            return Err(format!("new data from {} where {} is next", transmit.offset, self.sent));
        }
        self.sent = end;
        self.check_new(connection, end, len, segment.len == 0)
    }

    /// Only outstanding data that are not SACKed are retransmitted.
    fn check_again(&self, connection: &Connection, offset: u64, end: u64) -> Result<(), String> {
        let una = connection.sample().snd_una;
        if end > self.sent || offset < una {
            return Err(format!("{offset}..{end} is retransmitted, {una} to {} is outstanding", self.sent));
        }
        let board = connection.scoreboard();
        match model::segments(board).find(|sent| sent.start == offset + 1) {
            Some(sent) if !sent.is_sacked() => Ok(()),
            sent => Err(format!("retransmitted: {sent:?}")),
        }
    }

    /// New data fit into the peer's window, into the user's (at least a segment) and, outside of recovery, into the congestion
    /// window, which a bare FIN need not.
    fn check_new(
        &mut self,
        connection: &Connection,
        end: u64,
        len: u64,
        is_bare_fin: bool,
    ) -> Result<(), String> {
        let end = 1 + end;
        if end > self.edge {
            return Err(format!("sent up to {end}, the peer's window ends at {}", self.edge));
        }
        let una = 1 + connection.sample().snd_una;
        let size = connection.scoreboard().segment_size();
        if end - una > self.max_window.max(size) {
            return Err(format!("{una} to {end} is more than the largest window {}", self.max_window));
        }
        let is_probe = std::mem::take(&mut self.probe_is_allowed);
        if connection.phase() != Phase::Open || is_probe || is_bare_fin {
            return Ok(());
        }
        let board = connection.scoreboard();
        // Limited transmit lets two segments more out (RFC 3042).
        let flight = model::pipe(board).min(board.outstanding().saturating_sub(2 * size));
        let cwnd = connection.sample().window.cwnd;
        if flight > (cwnd as u64).max(1).saturating_mul(size).min(self.max_in_flight.max(size)) {
            return Err(format!(
                "{flight} bytes in flight after {len} new ones, cwnd {cwnd} segments of {size}"
            ));
        }
        Ok(())
    }

    /// What the connection counted is what was seen.
    pub(super) fn check(&self, connection: &Connection) -> Result<(), String> {
        let counters = connection.counters();
        if (counters.data_segments_sent, counters.retransmissions)
            != (self.data_segments, self.retransmissions)
        {
            return Err(format!("{} sent, {} again, {counters:?}", self.data_segments, self.retransmissions));
        }
        let rto = connection.sample().rto;
        if rto < self.min_rto || rto > self.max_rto {
            return Err(format!("RTO {rto:?} is outside of {:?} to {:?}", self.min_rto, self.max_rto));
        }
        Ok(())
    }
}
