//! What to send next: retransmissions, then new data; and if nothing, why not.

use farlink_kernel::{BitRate, Instant};

use super::rate::Rate;
use super::send_buffer::{Flight, Leaving, payload_of_waiting};
use super::{accounts::Cause, api::State, endpoint::Connection, timers::Timer};
use crate::recovery::Phase;
use crate::recovery::scoreboard::{SegmentId, Sent};

/// Pacing without a rate from congestion control spreads a window over this part of a round trip (Linux).
const PACING_SLOW_START: f64 = 2.0;
const PACING_AVOIDANCE: f64 = 1.2;

/// A piece of the sequence space to send now, and when it was first sent if it is a retransmission.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub(super) start: u64,
    pub(super) len: u64,
    pub(super) first_sent: Option<Instant>,
}

impl Piece {
    pub(super) fn retransmission(sent: &Sent) -> Self {
        Self { start: sent.start, len: u64::from(sent.len), first_sent: Some(sent.first_sent) }
    }
}

impl Connection {
    /// False for an end with nothing outstanding and nothing to send, such as a pure receiver.
    pub(super) fn has_anything_to_send(&self) -> bool {
        !self.snd.board().is_empty() || self.snd.unsent() > 0
    }

    /// The piece of the sequence space to send now; the scoreboard records it as sent.
    #[inline]
    pub(super) fn next_piece(&mut self, now: Instant) -> Option<Piece> {
        if self.freeze.is_frozen {
            return self.next_piece_while_frozen(now);
        }
        let room = self.room();
        if self.snd.take_tail_probe_due()
            && let Some(piece) = self.take_tail_probe(now)
        {
            return Some(piece);
        }
        if let Some(id) = self.next_retransmission(now, room) {
            return Some(Piece::retransmission(&self.take_retransmission(now, id)));
        }
        self.next_new(now, room).map(|len| self.take_new(now, len))
    }

    /// Bytes that may still enter the network. Outside of fast recovery a transmission takes its length from
    /// it; in fast recovery the member is asked each time, unless congestion control took recovery on itself.
    #[inline]
    pub(super) fn room(&mut self) -> u64 {
        if let Some(room) = self.snd.room() {
            return room;
        }
        let mut cwnd = self.cwnd_bytes();
        if self.snd.una() == 0 {
            // The SYN/ACK of an early server is not counted.
            cwnd += u64::from(self.fast_open.is_open_early);
        }
        if self.phase == Phase::Fast {
            return if self.congestion.controls_recovery() {
                cwnd.saturating_sub(self.snd.in_flight())
            } else {
                self.recovery.room(self.snd.board(), cwnd)
            };
        }
        let room = if self.has_no_losses() {
            cwnd.saturating_sub(self.snd.board().outstanding())
        } else {
            self.recovery.room(self.snd.board(), cwnd)
        };
        self.snd.remember_room(room);
        room
    }

    /// Segment `id` of `len` bytes enters the network.
    fn on_sent(&mut self, now: Instant, id: SegmentId, len: u64) {
        let in_flight = if self.has_no_losses() {
            self.snd.board().outstanding()
        } else {
            let status = self.recovery.take_sent(self.snd.board(), id, now);
            self.remember_phase(&status);
            status.in_flight
        };
        self.snd.enter_network(len, in_flight);
    }

    fn next_retransmission(&mut self, now: Instant, room: u64) -> Option<SegmentId> {
        let has_repairs = self.phase == Phase::Fast || self.snd.board().has_lost();
        if !has_repairs && !self.snd.must_retransmit() {
            return None;
        }
        if room == 0 && !self.snd.must_retransmit() {
            return None;
        }
        if self.holds_retransmissions() {
            return None;
        }
        let no_new_data = self.snd.unsent() == 0;
        let id = self.recovery.next_retransmission(self.snd.board_mut(), no_new_data)?;
        let len = u64::from(self.snd.board().get(id).map_or(0, |sent| sent.len)).min(self.snd.segment_size());
        let forced = self.snd.must_retransmit() || self.snd.board().pipe() == 0;
        if (!forced && len > room) || !self.pacing_allows(now) {
            return None;
        }
        self.snd.force_retransmission(false);
        Some(id)
    }

    /// A tail-loss probe (RFC 8985 section 7.3): new data if the peer's window allows, else the last segment. The
    /// retransmission timer restarts.
    #[cold]
    fn take_tail_probe(&mut self, now: Instant) -> Option<Piece> {
        let id = if self.snd.may_send_new() { None } else { Some(self.snd.board().last_unsacked()?) };
        let probe = match id {
            None => self.take_new(now, self.snd.next_len()),
            Some(id) => Piece::retransmission(&self.take_retransmission(now, id)),
        };
        self.recovery.on_probe_sent(self.snd.nxt(), id.is_some());
        self.follow_recovery();
        self.restart_rto(now);
        Some(probe)
    }

    /// Length of the next new piece of sequence space, if it may be sent now.
    #[inline(always)]
    fn next_new(&mut self, now: Instant, room: u64) -> Option<u64> {
        if matches!(self.state, State::SynSent | State::SynReceived) && self.must_shake_hands() {
            self.accounts.block(Cause::Handshake);
            return (self.snd.nxt() == 0).then_some(1);
        }
        let snd = &self.snd;
        let mut wanted = snd.next_len();
        if wanted == 0 {
            self.accounts.run_out_of_data();
            self.note_app_limit(room);
            return None;
        }
        if snd.is_shaped() {
            wanted = self.shorten(wanted, room)?;
        }
        let snd = &self.snd;
        let offered = snd.window().edge().saturating_sub(snd.nxt());
        if offered < wanted && (offered == 0 || !snd.board().is_empty()) {
            // Silly window avoidance (RFC 9293 section 3.8.6.2.1): wait for room for a full segment.
            self.accounts.block(Cause::ReceiveWindow);
            if self.snd.board().is_empty() {
                self.timers.start_persist(now, self.rtt.rto(), self.config.max_rto);
            }
            return None;
        }
        let len = wanted.min(offered);
        if snd.nxt() + len > snd.clamp_edge() {
            self.accounts.block(Cause::MaxWindow);
            return None;
        }
        if snd.board().is_empty() {
            return self.next_new_of_idle(now, len, room);
        }
        self.fits(now, len, room).then(|| self.snd.with_fin(len, room))
    }

    /// The application has nothing more to send, or found no room to write it: samples are limited by it, unless the window
    /// is full or a lost segment waits, which pacing may hold back (section 3.4; Linux, `tcp_rate_check_app_limited`).
    #[inline(never)]
    fn note_app_limit(&mut self, room: u64) {
        if let Some(rate) = self.rate.as_mut().filter(|_| room > 0 && !self.snd.board().has_lost()) {
            rate.on_app_limited(self.snd.board().pipe());
        }
    }

    /// What of `wanted` bytes the record under way has, if the send buffer holds them.
    #[inline(never)]
    fn shorten(&mut self, wanted: u64, room: u64) -> Option<u64> {
        let wanted = self.snd.up_to_record(wanted);
        (self.send_buffer.is_none() || self.buffer_holds(wanted, room)).then_some(wanted)
    }

    /// True when the application has written `wanted` more bytes, or the window holds them back.
    fn buffer_holds(&mut self, wanted: u64, room: u64) -> bool {
        if room < wanted || self.is_written(self.snd.nxt() + wanted) {
            return true;
        }
        self.accounts.block(Cause::MaxWindow);
        false
    }

    /// Room came free in the send buffer, which the application fills. Had it run out of data, samples are limited by it: the
    /// kernel looks when the application writes, which is after all that was written has left.
    #[inline(never)]
    pub(super) fn refill_send_buffer(&mut self) {
        let flight = Flight { una: self.snd.una(), nxt: self.snd.nxt(), segment: self.snd.segment_size() };
        let Some(buffer) = &mut self.send_buffer else { return };
        buffer.acknowledge(flight.una, flight.nxt);
        if buffer.is_writable(&flight) {
            if !buffer.holds(flight.nxt + flight.segment) {
                self.note_app_limit(self.cwnd_bytes().saturating_sub(self.snd.board().pipe()));
            }
            let leaving = self.leaving();
            if let Some(buffer) = &mut self.send_buffer {
                buffer.write(&flight, &leaving);
            }
        }
    }

    /// What would leave at once if it were written: nothing of a sender that is paced, or whose packets are single segments.
    fn leaving(&self) -> Leaving {
        let snd = &self.snd;
        let segment = snd.segment_size();
        if !self.config.segmentation_offload {
            return Leaving { edge: snd.nxt(), burst: segment, waiting: segment };
        }
        let window = if self.pacing_rate().is_some() { 0 } else { self.cwnd_bytes() };
        let edge = snd.una().saturating_add(window).min(snd.window().edge()).max(snd.nxt());
        let waiting = payload_of_waiting(segment, snd.window().largest());
        Leaving { edge, burst: self.burst_segments() * segment, waiting }
    }

    /// True when the application has written the data before `end`, which the window would let go.
    fn is_written(&mut self, end: u64) -> bool {
        self.expand_send_buffer(end);
        self.send_buffer.as_ref().is_none_or(|buffer| buffer.holds(end))
    }

    /// Less is in flight than the window allows: the send buffer grows if the application has not written the data before
    /// `end` (`tcp_new_space`).
    pub(super) fn expand_send_buffer(&mut self, end: u64) {
        let segments = self.window.cwnd as u64;
        if let Some(buffer) = self.send_buffer.as_mut().filter(|buffer| !buffer.holds(end)) {
            buffer.grow(segments);
            self.refill_send_buffer();
        }
    }

    /// Until the handshake is complete only the SYN is sent; without a handshake, data follow it.
    #[cold]
    fn must_shake_hands(&self) -> bool {
        self.snd.nxt() == 0 || !(self.is_one_way() || self.fast_open.is_open_early)
    }

    /// With nothing outstanding the window may restart, and the room is then computed again.
    #[cold]
    fn next_new_of_idle(&mut self, now: Instant, len: u64, room: u64) -> Option<u64> {
        if self.restart_after_idle(now) {
            let room = self.room();
            return self.next_new(now, room);
        }
        let room =
            if self.rate.as_ref().is_some_and(Rate::keeps_packets) { self.begin_flight(now) } else { room };
        self.fits(now, len, room).then(|| self.snd.with_fin(len, room))
    }

    /// Congestion control sees that a flight begins; the room after that.
    fn begin_flight(&mut self, now: Instant) -> u64 {
        let app_limited = self.rate.as_ref().is_some_and(Rate::is_app_limited);
        self.congestion.on_flight_start(&mut self.window, now, app_limited);
        self.snd.forget_room();
        self.room()
    }

    /// True when the congestion window and pacing let new data of `len` go.
    #[inline]
    fn fits(&mut self, now: Instant, len: u64, room: u64) -> bool {
        // A FIN without data causes no congestion.
        if len > room && self.snd.nxt() < self.snd.data_end() {
            self.accounts.block(self.full_window());
            return false;
        }
        if self.config.segmentation_offload { self.fits_in_burst(now, room) } else { self.pacing_allows(now) }
    }

    /// Which window is full when there is no room: that of congestion, or the user's clamp on it.
    pub(super) fn full_window(&self) -> Cause {
        if self.snd.is_clamped(self.cwnd_bytes()) { Cause::MaxWindow } else { Cause::CongestionWindow }
    }

    /// RFC 5681 section 4.1: when nothing was sent for longer than one RTO the window restarts; true when it did.
    fn restart_after_idle(&mut self, now: Instant) -> bool {
        if !self.config.idle_restart || self.snd.idle_time(now) <= self.rtt.rto() {
            return false;
        }
        let restart = self.snd.initial_window().min(self.window.cwnd);
        self.congestion.on_idle(&mut self.window, restart, now);
        self.snd.forget_room();
        self.snd.restart_idle_time(now);
        true
    }

    pub(super) fn pacing_allows(&mut self, now: Instant) -> bool {
        let wait = self.pacer.wait(now);
        if wait.is_zero() {
            return true;
        }
        self.timers.set(Timer::Pacing, now + wait);
        self.accounts.block(Cause::Pacing);
        false
    }

    pub(super) fn pacing_rate(&self) -> Option<BitRate> {
        if self.window.pacing_rate.is_some() {
            return self.window.pacing_rate;
        }
        if !self.config.pacing || self.rtt.srtt().is_zero() {
            return None;
        }
        let factor = if self.window.in_slow_start() { PACING_SLOW_START } else { PACING_AVOIDANCE };
        let bits = self.window.cwnd * self.snd.segment_size() as f64 * 8.0;
        // A rate of zero would never let a segment go.
        Some(BitRate::from_bps(((factor * bits / self.rtt.srtt().as_secs_f64()) as u64).max(1)))
    }

    // Its one frequent caller is the way of every new segment.
    #[inline(always)]
    pub(super) fn take_new(&mut self, now: Instant, len: u64) -> Piece {
        let start = self.snd.nxt();
        self.stamp(now, self.snd.board().next_id(), len);
        let id = self.snd.push(now, len);
        self.on_sent(now, id, len);
        if self.snd.is_shaped() {
            self.shorten_burst(start);
        }
        if start > 0 {
            self.timed.begin(start + len, now);
        }
        Piece { start, len, first_sent: None }
    }

    /// Segment `id` is about to be sent: the delivery rate records its state.
    #[inline]
    fn stamp(&mut self, now: Instant, id: SegmentId, len: u64) {
        if let Some(rate) = &mut self.rate {
            rate.on_send(now, self.snd.board().pipe(), id, len);
        }
    }

    #[cold]
    pub(super) fn take_retransmission(&mut self, now: Instant, id: SegmentId) -> Sent {
        let len = self.snd.board().get(id).map_or(0, |sent| u64::from(sent.len));
        self.stamp(now, id, len);
        self.snd.board_mut().retransmit(id, now);
        self.suspect_retransmission(now);
        let sent = *self.snd.board().get(id).expect("a retransmitted segment is on the scoreboard");
        self.on_sent(now, id, u64::from(sent.len));
        self.timed.on_retransmission(sent.end());
        if id == self.snd.board().first_id() && (self.phase != Phase::Fast || self.recovery.restarts_timer())
        {
            // A segment is never retransmitted earlier than one RTO after its last transmission (RFC 6298 section
            // 5; RFC 6675 section 5.1 allows the timer to start with each retransmission).
            self.restart_rto(now);
        }
        sent
    }
}
