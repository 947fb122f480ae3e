//! What a segment means (RFC 9293 section 3.10.7), in the order of its checks.

use farlink_kernel::Instant;

use super::{Connection, Event, State};
use crate::segment::{Ecn, Flags, Segment};

impl Connection {
    /// A segment arrived, its IP header marked `ecn`.
    pub fn on_segment(&mut self, now: Instant, segment: &Segment, ecn: Ecn) {
        match self.state {
            State::Closed => {}
            State::Listen => self.on_segment_in_listen(segment),
            State::SynSent => self.on_segment_in_syn_sent(now, segment),
            _ => self.on_segment_when_synchronised(now, segment, ecn),
        }
    }

    fn on_segment_when_synchronised(&mut self, now: Instant, segment: &Segment, ecn: Ecn) {
        let Some(start) = segment.seq.to_offset(self.rcv.irs, self.rcv.nxt) else { return };
        if segment.flags.has(Flags::RST) {
            // RFC 5961 section 3.2: only an exact match resets.
            if start == self.rcv.nxt {
                self.gone();
            }
            return;
        }
        if segment.flags.has(Flags::SYN) {
            return self.on_syn_again();
        }
        if !segment.flags.has(Flags::ACK) || self.is_old_by_timestamps(segment) {
            return;
        }
        if let Some(timestamps) = segment.options.timestamps
            && start <= self.rcv.last_ack_sent
            && timestamps.value.wrapping_sub(self.rcv.ts_recent).cast_signed() >= 0
        {
            self.rcv.ts_recent = timestamps.value;
        }
        if self.state == State::SynReceived {
            if segment.ack.to_offset(self.snd.iss, 0).is_none_or(|ack| ack == 0 || ack > self.snd.nxt) {
                return;
            }
            self.established(now, segment);
        }
        self.on_ack(now, start, segment);
        if segment.seq_len() > 0 {
            self.on_data(now, start, segment, ecn);
        }
        if self.snd.closing || self.rcv.is_finished() {
            self.advance_close(now);
        }
    }

    /// A SYN on a synchronised connection: our SYN/ACK or the last ACK was lost (RFC 5961 section 4).
    fn on_syn_again(&mut self) {
        if self.state == State::SynReceived {
            self.snd.board.lose_all(false);
        } else {
            self.rcv.ack_now = true;
        }
    }

    /// Protection against wrapped sequence numbers (RFC 7323 section 5).
    fn is_old_by_timestamps(&mut self, segment: &Segment) -> bool {
        let Some(timestamps) = segment.options.timestamps else { return false };
        if !self.negotiated.timestamps {
            return false;
        }
        let is_old = timestamps.value.wrapping_sub(self.rcv.ts_recent).cast_signed() < 0;
        if is_old {
            self.rcv.ack_now = true;
        }
        is_old
    }

    fn on_data(&mut self, now: Instant, start: u64, segment: &Segment, ecn: Ecn) {
        if self.negotiated.ecn {
            // RFC 3168 section 6.1.3: echo until the sender says that it reduced its window.
            if segment.flags.has(Flags::CWR) {
                self.rcv.echo_congestion = false;
            }
            if ecn == Ecn::Experienced {
                self.rcv.echo_congestion = true;
            }
        }
        let arrival = self.rcv.on_data(now, start, segment, self.rtt.srtt);
        let finished = u64::from(self.rcv.is_finished());
        let (from, to) =
            (arrival.from - 1, arrival.to - 1 - if arrival.to > arrival.from { finished } else { 0 });
        if to > from {
            self.events.push_back(Event::Received { start: from, len: to - from });
        }
    }
}
