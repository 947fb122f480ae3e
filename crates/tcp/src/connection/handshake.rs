//! Opening and closing: SYN and its options, and the states of RFC 9293 section 3.10.

use farlink_kernel::{Duration, Instant};

use super::api::{Event, Role, State};
use super::endpoint::{Connection, Freeze, initial_ssthresh, recovery_setup};
use super::timers::{Timer, Timers};
use crate::config::Handshake;
use crate::congestion::EcnFeedback;
use crate::discard::Discard;
use crate::recovery;
use crate::segment::{Ecn, Flags, Options, Segment, Timestamps};
use crate::seq::SeqNumber;

/// How long TIME-WAIT lasts: twice a maximum segment lifetime of 30 s (RFC 9293 suggests 2 minutes each).
pub(super) const TIME_WAIT: Duration = Duration::from_secs(60);
/// Payload assumed when the peer's SYN names no MSS (RFC 9293 section 3.7.1).
const DEFAULT_MSS: u16 = 536;
/// What the timestamps option takes from a segment.
const TIMESTAMPS_LEN: u64 = 12;

impl Connection {
    /// Begins: the active end sends its SYN, the passive end listens.
    pub fn open(&mut self, now: Instant) {
        assert_eq!(self.state, State::Closed, "a connection opens once");
        self.accounts.open(now);
        self.state = match self.role {
            Role::Active => State::SynSent,
            Role::Passive => State::Listen,
        };
        if self.config.handshake == Handshake::OneWay {
            self.agree_beforehand();
        }
    }

    /// The options of our SYN or SYN/ACK; an answer offers only what the peer's SYN offered.
    pub(super) fn syn_options(&self) -> Options {
        let answering = self.is_answering();
        let (config, agreed) = (&self.config, &self.negotiated);
        let timestamps = if answering { agreed.timestamps } else { config.timestamps };
        let mss = self.config.segment_size.0 + if config.timestamps { TIMESTAMPS_LEN } else { 0 };
        Options {
            mss: Some(u16::try_from(mss).unwrap_or(u16::MAX)),
            window_scale: (config.window_scaling && (!answering || agreed.scaling))
                .then(|| self.rcv.window_shift()),
            sack_permitted: if answering { agreed.sack } else { config.sack && self.recovery.uses_sack() },
            timestamps: timestamps.then(Timestamps::default),
            ..Options::default()
        }
    }

    /// The SYN acknowledges the peer's.
    fn is_answering(&self) -> bool {
        self.state == State::SynReceived || self.fast_open.is_open_early
    }

    /// A segment in LISTEN (RFC 9293 section 3.10.7.2): a SYN makes us answer.
    pub(super) fn on_segment_in_listen(&mut self, now: Instant, segment: &Segment, ecn: Ecn) {
        if segment.flags.has(Flags::ACK) {
            self.rcv.discard(Discard::NoConnection);
            return self.refuse(segment);
        }
        if !segment.flags.has(Flags::SYN) || segment.flags.has(Flags::RST) {
            return self.rcv.discard(Discard::NoConnection);
        }
        self.take_syn(segment);
        self.answer_ecn(segment, ecn);
        self.state = State::SynReceived;
        self.answer_fast_open(now, segment);
    }

    /// A segment in SYN-SENT (RFC 9293 section 3.10.7.3).
    pub(super) fn on_segment_in_syn_sent(&mut self, now: Instant, segment: &Segment, ecn: Ecn) {
        let has_ack = segment.flags.has(Flags::ACK);
        let acks_our_syn = has_ack && self.acknowledges_syn(segment);
        if has_ack && (!acks_our_syn || self.echoes_nothing_of_ours(now, segment)) {
            self.rcv.discard(Discard::InvalidAck);
            return self.refuse(segment);
        }
        if segment.flags.has(Flags::RST) {
            return if acks_our_syn { self.delete() } else { self.rcv.discard(Discard::InvalidReset) };
        }
        if !segment.flags.has(Flags::SYN) {
            return self.rcv.discard(Discard::NoConnection);
        }
        self.take_syn(segment);
        self.rcv.acknowledge_now();
        if acks_our_syn {
            let was_marked = self.take_ecn_answer(segment, ecn);
            self.established(now, segment);
            if was_marked {
                self.on_ecn_echo(now);
            }
            self.conclude_fast_open(now, segment);
            self.take_syn_payload(now, segment);
            self.advance_close(now);
        } else {
            // Simultaneous open: our SYN is retransmitted with an acknowledgement.
            if self.ecn_wanted() == EcnFeedback::Accurate {
                // RFC 9768 section 3.1.2: in the mode of an end that responds.
                self.answer_ecn(segment, ecn);
            }
            self.state = State::SynReceived;
            self.lose_syn();
        }
    }

    /// The timestamp that a SYN/ACK echoes is none that a SYN carried (Linux, `tcp_rcv_synsent_state_process`).
    fn echoes_nothing_of_ours(&self, now: Instant, segment: &Segment) -> bool {
        let (Some(timestamps), Some(syn)) = (segment.options.timestamps, self.snd.board().first()) else {
            return false;
        };
        let most = self.clock.at(now).wrapping_sub(self.clock.at(syn.first_sent));
        self.config.timestamps
            && timestamps.echo != 0
            && self.clock.at(now).wrapping_sub(timestamps.echo) > most
    }

    /// Turns what would be a segment with data into our SYN or SYN/ACK.
    #[cold]
    pub(super) fn make_syn(&mut self, now: Instant, segment: &mut Segment) {
        // Without a handshake nothing is to be agreed on.
        let mut options = if self.is_one_way() { Options::default() } else { self.syn_options() };
        let mut flags = Flags::SYN;
        let mut ack = SeqNumber(0);
        if let Some(answer) = self.fast_open_answer() {
            options.set_fast_open(answer);
        }
        if self.is_answering() {
            flags |= Flags::ACK;
            flags |= self.ecn_flags_of_syn_ack(&mut options);
            ack = self.rcv.ack();
            self.rcv.on_ack_sent();
        } else {
            flags |= self.ecn_flags_of_syn();
        }
        if let Some(timestamps) = &mut options.timestamps {
            *timestamps = Timestamps { value: self.clock.at(now), echo: self.rcv.ts_recent() };
        }
        let window = if self.rcv.nxt() > 0 { self.rcv.offer_window() } else { self.config.receive_buffer.0 };
        *segment =
            Segment { seq: segment.seq, ack, flags, window: window.min(65_535) as u16, len: 0, options };
    }

    /// The handshake is complete: `segment` acknowledged our SYN.
    pub(super) fn established(&mut self, now: Instant, segment: &Segment) {
        self.state = State::Established;
        let mut delivery = recovery::scoreboard::Delivery::default();
        self.snd.acknowledge(1, &mut delivery);
        self.timers.set(Timer::Retransmission, Instant::NEVER);
        if let (Some(sent), true) = (delivery.oldest_sent, self.config.syn_rtt_sample) {
            self.rtt.observe(now - sent);
            self.rtt.update(now - sent, 1);
        }
        if self.syn_timeouts > 0 {
            self.rtt.syn_was_lost();
        }
        self.rcv.on_established(self.rtt.srtt(), self.rtt.rto(), self.negotiated.sack);
        let was_marked = self.take_ecn_reflection(segment);
        if self.fast_open.is_open_early {
            // Data are on their way already.
            self.restart_rto_if_needed(now);
            self.follow_recovery();
        } else {
            self.events.push(Event::Established);
            self.begin_sending(now);
        }
        let shift = if segment.flags.has(Flags::SYN) { 0 } else { self.negotiated.peer_shift };
        self.snd.open_window(u64::from(segment.window) << shift);
        self.snd.restart_idle_time(now);
        if was_marked {
            self.on_ecn_echo(now);
        }
    }

    /// The congestion window begins.
    pub(super) fn begin_sending(&mut self, now: Instant) {
        let is_reduced = self.syn_timeouts >= self.config.syn_losses_reduce;
        self.window.cwnd = if is_reduced { 1.0 } else { self.snd.initial_window() };
        self.window.ssthresh = initial_ssthresh(&self.config);
        self.congestion.on_start(&mut self.window, now, self.rtt.srtt());
        self.snd.forget_room();
    }

    /// Reads the peer's SYN: its number and what it offers.
    pub(super) fn take_syn(&mut self, segment: &Segment) {
        let (config, options) = (&self.config, &segment.options);
        self.rcv.on_syn(segment.seq, options.timestamps);
        let agreed = &mut self.negotiated;
        agreed.timestamps = config.timestamps && options.timestamps.is_some();
        agreed.sack = config.sack && self.recovery.uses_sack() && options.sack_permitted;
        agreed.scaling = config.window_scaling && options.window_scale.is_some();
        (agreed.peer_shift, agreed.own_shift) = match options.window_scale {
            Some(shift) if agreed.scaling => (shift.min(14), self.rcv.window_shift()),
            _ => (0, 0),
        };
        if !agreed.scaling {
            self.rcv.stay_unscaled();
        }
        if !agreed.sack && self.recovery.uses_sack() {
            // Without SACK holes are unknown: RFC 6582 is used (its section 1).
            let newreno = recovery::Config::NewReno(recovery::newreno::Config::default());
            self.recovery = newreno.build(&recovery_setup(config));
        }
        let peer_mss = u64::from(options.mss.unwrap_or(DEFAULT_MSS));
        let payload = peer_mss.saturating_sub(if agreed.timestamps { TIMESTAMPS_LEN } else { 0 }).max(1);
        // Options that the peer declined leave their room to data.
        let declined = if config.timestamps && !agreed.timestamps { TIMESTAMPS_LEN } else { 0 };
        self.snd.set_segment_size((config.segment_size.0 + declined).min(payload));
    }

    /// Our FIN is acknowledged, the peer's FIN arrived, or both: move on.
    pub(super) fn advance_close(&mut self, now: Instant) {
        let fin_acked = self.snd.is_closing() && self.snd.is_all_acknowledged();
        let fin_sent = self.snd.is_closing() && self.snd.unsent() == 0;
        let peer_finished = self.rcv.is_finished();
        let next = match self.state {
            State::Established if peer_finished => State::CloseWait,
            State::Established | State::SynReceived if fin_sent => State::FinWait1,
            State::FinWait1 if fin_acked && peer_finished => State::TimeWait,
            State::FinWait1 if fin_acked => State::FinWait2,
            State::FinWait1 if peer_finished => State::Closing,
            State::FinWait2 if peer_finished => State::TimeWait,
            State::Closing if fin_acked => State::TimeWait,
            State::CloseWait if fin_sent => State::LastAck,
            State::LastAck if fin_acked => return self.delete(),
            _ => return,
        };
        if next == State::CloseWait || (peer_finished && matches!(next, State::TimeWait | State::Closing)) {
            self.announce_peer_closed();
        }
        self.state = next;
        if next == State::TimeWait {
            self.timers.set(Timer::TimeWait, now + TIME_WAIT);
        }
        self.advance_close(now);
    }

    fn announce_peer_closed(&mut self) {
        if !self.peer_close_announced {
            self.peer_close_announced = true;
            self.counters.late_fins += u64::from(self.snd.window().offered_at() >= self.rcv.nxt());
            self.events.push(Event::PeerClosed);
        }
    }

    pub(super) fn delete(&mut self) {
        self.state = State::Closed;
        self.timers = Timers::default();
        self.freeze = Freeze::default();
        self.events.push(Event::Closed);
    }
}
