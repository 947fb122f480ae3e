//! Header prediction: the two segments that nearly all are, in a few steps (V. Jacobson, "4BSD header prediction", 1990).
//!
//! A receiver expects the next data, a sender an ACK of its oldest segments. What is so takes a short path beside the full one
//! of [`input`](super::input), [`ack`](super::ack) and [`output`](super::output), with the same state after it: a test runs
//! both side by side. Whatever is unusual is left to the full path.

use farlink_kernel::Instant;

use super::accounts::Cause;
use super::api::State;
use super::endpoint::Connection;
use super::timers::Timer;
use super::transmit::Outlet;
use crate::congestion::EcnFeedback;
use crate::recovery::Phase;
use crate::segment::{Flags, Segment};

impl Connection {
    /// Takes in a segment that is as predicted; false, without effect, when it is not.
    #[inline(always)]
    pub(super) fn takes_as_predicted(&mut self, now: Instant, segment: &Segment) -> bool {
        if !self.predicts
            || self.state != State::Established
            || segment.flags.without(Flags::PSH) != Flags::ACK
            || self.negotiated.ecn != EcnFeedback::None
            || !segment.options.sack.is_empty()
            || !self.rcv.is_next(segment)
            || !self.has_timely_timestamp(segment)
        {
            return false;
        }
        if segment.len > 0 { self.takes_next_data(now, segment) } else { self.takes_next_ack(now, segment) }
    }

    /// RFC 7323 section 5: what was agreed on, and not from before the latest.
    #[inline(always)]
    fn has_timely_timestamp(&self, segment: &Segment) -> bool {
        match segment.options.timestamps {
            Some(timestamps) => !self.rcv.is_old(timestamps),
            None => !self.negotiated.timestamps,
        }
    }

    /// The next data reach an end that has sent nothing itself, or to which all is acknowledged.
    #[inline(always)]
    fn takes_next_data(&mut self, now: Instant, segment: &Segment) -> bool {
        let is_predicted = self.rcv.is_plain()
            && self.snd.board().is_empty()
            && segment.ack == self.snd.number_of(self.snd.una())
            && !self.snd.is_closing();
        if !is_predicted {
            return false;
        }
        let start = self.rcv.nxt();
        self.accounts.acknowledged(now);
        self.update_window(start, self.snd.una(), segment);
        if let Some(timestamps) = segment.options.timestamps {
            self.rcv.take_timestamp(start, timestamps);
        }
        self.measure_rtt_of_receiver(now, segment);
        self.rcv.on_next_data(now, segment, self.rtt.srtt());
        true
    }

    /// An ACK of whole segments that were sent once reaches a sender that repairs and suspects nothing.
    #[inline(always)]
    fn takes_next_ack(&mut self, now: Instant, segment: &Segment) -> bool {
        let is_predicted = self.recovery_at_rest
            && !self.may_refute_reduction(false)
            && !self.freeze.is_frozen
            && !self.rcv.is_finished();
        let Some(ack) = self.snd.advancing_ack(segment.ack).filter(|_| is_predicted) else { return false };
        let start = self.rcv.nxt();
        if !self.process_plain_ack(now, start, ack, segment) {
            return false;
        }
        if let Some(timestamps) = segment.options.timestamps {
            self.rcv.take_timestamp(start, timestamps);
        }
        if self.snd.is_closing() {
            self.advance_close(now);
        }
        true
    }

    /// Sends the full segments that the windows let go; true when it is known why no more do.
    #[inline(always)]
    pub(super) fn transmits_as_predicted(&mut self, now: Instant, outlet: &mut impl Outlet) -> bool {
        if !self.sends_plainly(now) {
            return false;
        }
        let mut room = self.room();
        let segment = self.snd.segment_size();
        while self.snd.unsent() >= segment && !self.snd.board().is_empty() {
            if let Some(cause) = self.holds_back(segment, room) {
                self.accounts.block(cause);
                return true;
            }
            let piece = self.take_new(now, segment);
            self.snd.restart_idle_time(now);
            if self.timers.at(Timer::Retransmission) == Instant::NEVER {
                self.restart_rto(now);
            }
            outlet.send(&self.data(now, &piece));
            room -= segment;
        }
        false
    }

    /// True while new data are all there is to send, in segments without more options, and no rate spaces them.
    #[inline(always)]
    fn sends_plainly(&self, now: Instant) -> bool {
        self.predicts
            && self.state == State::Established
            && self.phase == Phase::Open
            && self.has_no_losses()
            && !self.snd.board().is_empty()
            && !self.snd.is_special()
            && !self.freeze.is_frozen
            && self.negotiated.ecn == EcnFeedback::None
            && !self.has_blocks_to_add()
            && !self.config.pacing
            && self.window.pacing_rate.is_none()
            && self.pacer.wait(now).is_zero()
    }

    /// What holds back a full segment behind others, in the order of [`Connection::next_new`].
    #[inline(always)]
    fn holds_back(&self, segment: u64, room: u64) -> Option<Cause> {
        let end = self.snd.nxt() + segment;
        if end > self.snd.window().edge() {
            Some(Cause::ReceiveWindow)
        } else if end > self.snd.clamp_edge() {
            Some(Cause::MaxWindow)
        } else if segment > room {
            Some(self.full_window())
        } else {
            None
        }
    }
}
