//! Segments that arrive (RFC 9293 section 3.10.7), in the order of the checks.

use farlink_kernel::Instant;

use super::api::{Role, State};
use super::endpoint::Connection;
use super::handshake::TIME_WAIT;
use super::timers::Timer;
use crate::congestion::EcnFeedback;
use crate::discard::Discard;
use crate::segment::{Ecn, Flags, Segment};

impl Connection {
    /// A segment arrived, its IP header marked `ecn`.
    #[inline]
    pub fn on_segment(&mut self, now: Instant, segment: &Segment, ecn: Ecn) {
        if !self.takes_as_predicted(now, segment) {
            self.on_any_segment(now, segment, ecn);
        }
    }

    #[inline(never)]
    fn on_any_segment(&mut self, now: Instant, segment: &Segment, ecn: Ecn) {
        match self.state {
            State::Closed | State::Listen | State::SynSent => self.on_first_segment(now, segment, ecn),
            _ => self.on_segment_when_synchronised(now, segment, ecn),
        }
    }

    #[cold]
    fn on_first_segment(&mut self, now: Instant, segment: &Segment, ecn: Ecn) {
        match self.state {
            State::SynSent if self.is_one_way() => self.on_first_answer(now, segment, ecn),
            State::Listen => self.on_segment_in_listen(now, segment, ecn),
            State::SynSent => self.on_segment_in_syn_sent(now, segment, ecn),
            _ => {
                self.rcv.discard(Discard::NoConnection);
                self.refuse(segment);
            }
        }
    }

    fn on_segment_when_synchronised(&mut self, now: Instant, segment: &Segment, ecn: Ecn) {
        let Some(start) = self.rcv.offset_of(segment.seq) else {
            return self.rcv.discard(Discard::OutsideWindow);
        };
        if segment.flags.only(Flags::RST | Flags::SYN | Flags::ACK) != Flags::ACK {
            return self.on_control(now, start, segment, ecn);
        }
        if self.is_old_by_timestamps(segment) {
            return self.on_old(now, start, segment);
        }
        if !self.rcv.is_acceptable(start, segment.seq_len()) {
            return self.on_unacceptable(now, start, segment);
        }
        if self.state == State::SynReceived {
            if !self.acknowledges_syn(segment) {
                self.rcv.discard(Discard::InvalidAck);
                return self.refuse(segment);
            }
            self.established(now, segment);
        }
        if self.negotiated.ecn == EcnFeedback::Accurate {
            self.count_mark(segment, ecn);
        }
        if !self.on_ack(now, start, segment) {
            return self.rcv.discard(Discard::InvalidAck);
        }
        // Not for a segment with an impossible ACK.
        if let Some(timestamps) = segment.options.timestamps {
            self.rcv.take_timestamp(start, timestamps);
        }
        if segment.seq_len() > 0 {
            self.on_data(now, start, segment, ecn);
        }
        if self.snd.is_closing() || self.rcv.is_finished() {
            self.advance_close(now);
        }
    }

    /// Why the segment that arrived last was discarded, if it was; asked for once.
    #[inline]
    pub fn take_discard(&mut self) -> Option<Discard> {
        self.rcv.take_discard()
    }

    /// PAWS: not acceptable, so answered by an ACK (RFC 7323 section 5.3, rule R1). Data that were there are reported
    /// as such in it (RFC 2883; Linux, `tcp_send_dupack`): the sender learns that it retransmitted too early.
    #[cold]
    fn on_old(&mut self, now: Instant, start: u64, segment: &Segment) {
        if segment.options.timestamps.is_none() {
            // RFC 7323 section 3.2: dropped without an answer.
            return self.rcv.discard(Discard::NoTimestamp);
        }
        self.rcv.acknowledge_now();
        let end = start + segment.seq_len();
        if self.rcv.has_all(start, end) {
            self.rcv.on_duplicate_data(start, end);
        } else {
            self.rcv.discard(Discard::OldTimestamp);
        }
        self.on_overtaken(now);
    }

    /// Outside the window: answered by an ACK. A shut window takes no data, but the ACK with what would be next
    /// counts (RFC 9293 section 3.10.7.4).
    #[cold]
    fn on_unacceptable(&mut self, now: Instant, start: u64, segment: &Segment) {
        self.rcv.on_duplicate_data(start, start + segment.seq_len());
        if start == self.rcv.nxt() && self.on_ack(now, start, segment) && self.snd.is_closing() {
            self.advance_close(now);
        }
        self.linger(now, segment);
    }

    /// Not what every segment of a synchronised connection is: RST, SYN, or without ACK.
    #[cold]
    pub(super) fn on_control(&mut self, now: Instant, start: u64, segment: &Segment, ecn: Ecn) {
        if segment.flags.has(Flags::RST) {
            self.on_reset(start);
        } else if segment.flags.has(Flags::SYN) && self.is_one_way() {
            self.on_syn_of_one_way(now, start, segment);
        } else if segment.flags.has(Flags::SYN) {
            self.on_duplicate_syn(now, segment, ecn);
        } else {
            self.rcv.discard(Discard::NoAck);
        }
    }

    /// RFC 5961 section 3.2: only an exact match resets; another one in the window is asked back, by an ACK.
    fn on_reset(&mut self, start: u64) {
        let listened = self.role == Role::Passive && !self.fast_open.is_open_early;
        if start == self.rcv.nxt() && self.state == State::SynReceived && listened {
            self.return_to_listen();
        } else if start == self.rcv.nxt() {
            self.delete();
        } else {
            self.rcv.discard(Discard::InvalidReset);
            if start > self.rcv.nxt() && self.rcv.is_acceptable(start, 0) {
                self.rcv.acknowledge_now();
            }
        }
    }

    /// A SYN on a synchronised connection: our SYN/ACK or the last ACK was lost (RFC 5961 section 4), or
    /// both ends opened at once.
    fn on_duplicate_syn(&mut self, now: Instant, segment: &Segment, ecn: Ecn) {
        if !self.accepts_ecn_of_duplicate_syn(segment, ecn) {
            self.refuse(segment);
            return self.delete();
        }
        if self.state != State::SynReceived {
            self.counters.duplicate_syns += 1;
            self.rcv.acknowledge_now();
            self.rcv.discard(Discard::RepeatedSyn);
        } else if segment.flags.has(Flags::ACK) && self.acknowledges_syn(segment) {
            self.established(now, segment);
            self.conclude_fast_open(now, segment);
            self.rcv.acknowledge_now();
        } else {
            self.rcv.discard(Discard::RepeatedSyn);
            self.lose_syn();
        }
    }

    pub(super) fn acknowledges_syn(&self, segment: &Segment) -> bool {
        self.snd.offset_of(segment.ack).is_some_and(|ack| ack > 0 && ack <= self.snd.nxt())
    }

    /// RFC 9293 section 3.10.7.4, eighth check: a duplicate FIN in TIME-WAIT restarts its timer.
    fn linger(&mut self, now: Instant, segment: &Segment) {
        if self.state == State::TimeWait && segment.flags.has(Flags::FIN) {
            self.timers.set(Timer::TimeWait, now + TIME_WAIT);
        }
    }

    /// Protection against wrapped sequence numbers (RFC 7323 section 5); true for what is to be dropped.
    fn is_old_by_timestamps(&self, segment: &Segment) -> bool {
        if !self.negotiated.timestamps {
            return false;
        }
        // RFC 7323 section 3.2: once agreed to, every segment has them.
        let Some(timestamps) = segment.options.timestamps else { return self.config.require_timestamps };
        self.rcv.is_old(timestamps)
    }

    fn on_data(&mut self, now: Instant, start: u64, segment: &Segment, ecn: Ecn) {
        if self.negotiated.ecn == EcnFeedback::Classic {
            self.take_mark(now, segment, ecn);
        }
        self.measure_rtt_of_receiver(now, segment);
        self.rcv.on_data(now, start, segment, self.rtt.srtt());
    }

    /// A receiver that tunes its buffer takes the age of what data echo.
    #[inline(always)]
    pub(super) fn measure_rtt_of_receiver(&mut self, now: Instant, segment: &Segment) {
        if self.config.receive_autotuning
            && let Some(timestamps) = segment.options.timestamps
            && let Some(age) = self.clock.age_of_echo(now, timestamps)
        {
            self.rcv.measure_rtt(timestamps.echo, age, u64::from(segment.len));
        }
    }
}
