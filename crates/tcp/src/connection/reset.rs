//! Resets: the answer to what belongs to no connection (RFC 9293 section 3.10.7.1), and the way back to LISTEN.

use farlink_kernel::Instant;

use super::api::{State, Transmit};
use super::burst::Burst;
use super::cwr::EcnReaction;
use super::endpoint::{Connection, Negotiated, recovery_setup};
use super::pacer::Pacer;
use super::receiver::Receiver;
use super::rtt::{Rtt, Timed};
use super::send_buffer::SendBuffer;
use super::timers::Timers;
use crate::segment::{Ecn, Flags, Options, Segment};
use crate::seq::SeqNumber;

impl Connection {
    /// Answers `segment`, which cannot be the connection's, with a reset. Resets are never answered.
    pub(super) fn refuse(&mut self, segment: &Segment) {
        if segment.flags.has(Flags::RST) {
            return;
        }
        self.reset = Some(if segment.flags.has(Flags::ACK) {
            Segment { seq: segment.ack, flags: Flags::RST, ..Segment::default() }
        } else {
            let ack = SeqNumber::from_offset(segment.seq, segment.seq_len());
            Segment { ack, flags: Flags::RST | Flags::ACK, ..Segment::default() }
        });
    }

    /// RFC 9293 section 3.10.7.4, second check: a reset of the handshake takes the passive end back to where
    /// it listened.
    pub(super) fn return_to_listen(&mut self) {
        self.snd.restart(&self.config);
        self.send_buffer = SendBuffer::new(&self.config, self.congestion.controls_recovery());
        self.pacer = Pacer::new(self.config.pacing_credit);
        self.burst = Burst::default();
        self.ecn = EcnReaction::default();
        self.acc_ecn = None;
        self.is_acc_ecn_due = false;
        self.syn_timeouts = 0;
        self.rcv = Receiver::new(&self.config);
        self.recovery = self.config.recovery.build(&recovery_setup(&self.config));
        self.rtt = Rtt::new(&self.config);
        self.timed = Timed::default();
        self.timers = Timers::default();
        self.negotiated = Negotiated::default();
        self.state = State::Listen;
        self.follow_recovery();
    }

    /// The user aborts (RFC 9293 section 3.10.5): a reset tells a peer that is there.
    pub fn abort(&mut self, now: Instant) {
        if !matches!(self.state, State::Closed | State::Listen | State::SynSent | State::TimeWait) {
            self.reset = Some(Segment {
                seq: self.snd.number_of(self.snd.nxt()),
                ack: self.rcv.ack(),
                flags: Flags::RST | Flags::ACK,
                options: Options { timestamps: self.timestamps(now), ..Options::default() },
                ..Segment::default()
            });
        }
        self.delete();
    }

    /// The reset that is due, if one is.
    #[cold]
    pub(super) fn take_reset(&mut self, now: Instant) -> Option<Transmit> {
        let segment = self.reset.take()?;
        Some(Transmit { segment, ecn: Ecn::NotCapable, offset: 0, first_sent: now, is_retransmission: false })
    }
}
