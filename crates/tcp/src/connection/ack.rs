//! Acknowledgements at the sender: what was delivered, losses, and the report to congestion control.

use farlink_kernel::Instant;

use super::accounts::Cause;
use super::{api::Event, ecn::Marks, endpoint::Connection, measure::Measured, timers::Timer};
use crate::config::TimerRestart;
use crate::congestion::arithmetic::RecoveryWindow;
use crate::congestion::{Ack, EcnFeedback, EcnResponse, LossKind};
use crate::recovery::scoreboard::Delivery;
use crate::recovery::{Acked, Phase, Step};
use crate::segment::{Flags, Segment};

#[derive(Debug)]
struct AckInfo {
    /// `SND.UNA` and the bytes in flight before it.
    prior_una: u64,
    prior_in_flight: u64,
    /// A duplicate ACK by RFC 5681 section 2.
    is_duplicate: bool,
    has_dsack: bool,
    delivery: Delivery,
}

/// What recovery lets an acknowledgement do to the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Growth {
    /// It may grow if it was full.
    Free,
    Held,
    /// It grows before the loss that the ACK shows reduces it (ns-2 TCP-Linux).
    Before(LossKind),
}

impl Connection {
    /// Takes in the acknowledgement of `segment`, which begins at the peer's offset `start`; false when it
    /// cannot be one and the segment is to be dropped.
    // All that a receiver does for the ACK of a data segment.
    #[inline(always)]
    pub(super) fn on_ack(&mut self, now: Instant, start: u64, segment: &Segment) -> bool {
        let Some(ack) = self.snd.acceptable_ack(segment.ack) else {
            self.rcv.acknowledge_now();
            return false;
        };
        self.accounts.acknowledged(now);
        let window_changed = if ack < self.snd.una() {
            self.on_overtaken(now);
            false
        } else {
            self.update_window(start, ack, segment)
        };
        if !self.snd.board().is_empty() || matters_without_flight(segment) {
            self.process_ack(now, ack, window_changed, segment);
        }
        true
    }

    /// The ACK may acknowledge outstanding data.
    #[inline(never)]
    pub(super) fn process_ack(&mut self, now: Instant, ack: u64, window_changed: bool, segment: &Segment) {
        if self.freeze.is_frozen {
            return self.on_ack_while_frozen(now, ack, window_changed, segment);
        }
        let (prior_una, prior_in_flight) = (self.snd.una(), self.snd.in_flight());
        let advanced = ack > prior_una;
        let mut info = AckInfo {
            prior_una,
            prior_in_flight,
            is_duplicate: ack == prior_una
                && segment.seq_len() == 0
                && !window_changed
                && !self.snd.board().is_empty(),
            has_dsack: false,
            delivery: Delivery::default(),
        };
        let reads_sack = self.negotiated.sack && self.recovery.reads_sack();
        if advanced {
            self.snd.acknowledge(ack, &mut info.delivery);
            if !reads_sack {
                info.delivery.set_apart_behind_hole();
            }
        }
        if reads_sack && !segment.options.sack.is_empty() {
            info.has_dsack = self.snd.take_sack_blocks(ack, &segment.options.sack, &mut info.delivery)
                && self.answers_retransmission();
        }
        let rtt = self.measure_rtt(now, segment, &info.delivery, advanced);
        let measured =
            Measured { one_way: self.one_way_delay(segment), ..self.measure_rate(now, &info.delivery, rtt) };
        let mut growth = if advanced && self.has_no_losses() && !self.may_refute_reduction(info.has_dsack) {
            self.snd.set_in_flight(self.snd.board().outstanding());
            Growth::Free
        } else {
            self.consult_recovery(now, segment, &mut info)
        };
        let mut marks = Marks::NONE;
        if self.negotiated.ecn != EcnFeedback::None {
            marks = self.on_ecn_feedback(now, segment, advanced, &info.delivery);
            if marks.hold_growth && growth == Growth::Free {
                growth = Growth::Held;
            }
        }
        self.report_to_congestion_control(now, &info, measured, growth, marks.packets);
        if marks.reduce {
            self.answer_marks_by_share(now, advanced, &info.delivery);
        }
        if let Growth::Before(kind) = growth {
            self.enter_recovery(now, kind);
        }
        if advanced {
            self.after_advance(now);
        } else if self.restarts_timer(&info.delivery) {
            self.restart_rto(now);
        }
    }

    /// The same for an ACK that advances over segments that were sent once, while nothing is repaired or suspected.
    #[inline(always)]
    pub(super) fn process_plain_ack(
        &mut self,
        now: Instant,
        start: u64,
        ack: u64,
        segment: &Segment,
    ) -> bool {
        let (prior_una, prior_in_flight) = (self.snd.una(), self.snd.in_flight());
        let Some(sent) = self.snd.board_mut().acknowledge_untouched(ack) else { return false };
        self.accounts.acknowledged(now);
        self.update_window(start, ack, segment);
        let info = AckInfo {
            prior_una,
            prior_in_flight,
            is_duplicate: false,
            has_dsack: false,
            delivery: sent.delivery(),
        };
        let rtt = Some(self.measure_rtt_of_untouched(now, segment, &sent));
        let mut measured = if self.rate.is_some() {
            self.measure_rate(now, &sent.delivery(), rtt)
        } else {
            Measured::without_rate(rtt)
        };
        measured.one_way = self.one_way_delay(segment);
        self.snd.set_in_flight(self.snd.board().outstanding());
        self.report_to_congestion_control(now, &info, measured, Growth::Free, 0.0);
        self.after_advance(now);
        true
    }

    /// True when an ACK that does not advance restarts the retransmission timer.
    fn restarts_timer(&self, delivery: &Delivery) -> bool {
        let board = self.snd.board();
        match self.config.timer_restart {
            TimerRestart::NewData => false,
            TimerRestart::EveryAck => !board.is_empty(),
            TimerRestart::EarlierSacks => board
                .get(board.first_id())
                .zip(delivery.oldest_sent)
                .is_some_and(|(first, sacked_at)| sacked_at < first.last_sent),
        }
    }

    #[inline(always)]
    fn report_to_congestion_control(
        &mut self,
        now: Instant,
        info: &AckInfo,
        measured: Measured,
        growth: Growth,
        marked: f64,
    ) {
        let in_recovery = self.phase == Phase::Fast && !matches!(growth, Growth::Before(_));
        let delivery = &info.delivery;
        let grows_by_delivered = self.config.window_rules().grows_by_delivered;
        let ack = Ack {
            now,
            acked: self.snd.segments(if grows_by_delivered { delivery.delivered } else { delivery.acked }),
            delivered: self.snd.segments(delivery.delivered),
            rtt: measured.rtt,
            srtt: self.rtt.srtt(),
            min_rtt: self.rtt.min(),
            flight: self.snd.segments(self.snd.in_flight()),
            prior_flight: self.snd.segments(info.prior_in_flight),
            may_grow: delivery.acked > 0
                && !in_recovery
                && growth != Growth::Held
                && self.window_limited(info.prior_una, info.prior_in_flight),
            in_recovery,
            round_start: measured.round_start,
            one_way: measured.one_way,
            rate: measured.rate,
            lost: self.snd.segments(delivery.lost),
            pacing_wait: self.pacer.wait(now),
            marked,
            packet: measured.packet,
        };
        self.start.on_ack(&mut self.congestion, &mut self.window, &ack);
    }

    /// True while recovery need not see ACKs and new data ([`Recovery::is_at_rest`]).
    ///
    /// [`Recovery::is_at_rest`]: crate::recovery::Recovery::is_at_rest
    pub(super) fn has_no_losses(&self) -> bool {
        self.recovery_at_rest && self.snd.board().is_untouched()
    }

    /// The peer's window (RFC 9293 section 3.10.7.4); true when it changed.
    #[inline(always)]
    pub(super) fn update_window(&mut self, start: u64, ack: u64, segment: &Segment) -> bool {
        let wnd = u64::from(segment.window) << self.negotiated.peer_shift;
        let Some(is_changed) = self.snd.update_window(start, ack, wnd) else { return false };
        if wnd > 0 {
            self.timers.stop_persist();
        }
        is_changed
    }

    /// True when the echoed timestamp is older than the newest delivered segment's retransmission: the ACK
    /// answers an earlier copy.
    fn echoes_original(&self, segment: &Segment, delivery: &Delivery) -> bool {
        match (segment.options.timestamps, self.snd.board().newest(delivery)) {
            (Some(timestamps), Some(newest))
                if self.negotiated.timestamps && newest.was_ever_retransmitted() =>
            {
                timestamps.echo.wrapping_sub(self.clock.at(newest.last_sent)).cast_signed() < 0
            }
            _ => false,
        }
    }

    /// Recovery processes the ACK: an episode begins, continues or ends.
    #[inline(never)]
    fn consult_recovery(&mut self, now: Instant, segment: &Segment, info: &mut AckInfo) -> Growth {
        let mut acked = Acked {
            now,
            una: self.snd.una(),
            prior_una: info.prior_una,
            nxt: self.snd.nxt(),
            is_duplicate: info.is_duplicate,
            has_dsack: info.has_dsack,
            delivery: info.delivery,
            srtt: self.rtt.srtt(),
            min_rtt: self.rtt.min(),
            cwnd: self.cwnd_bytes(),
            echoes_original: self.echoes_original(segment, &info.delivery),
        };
        self.judge_reduction(segment, &acked);
        let mut growth = if self.phase == Phase::Fast { Growth::Held } else { Growth::Free };
        let (step, status) = self.recovery.take_ack(self.snd.board_mut(), &mut acked);
        info.delivery = acked.delivery;
        self.remember(&status);
        self.report_lost(now);
        match step {
            Step::Stay => {}
            Step::Retransmit => self.snd.force_retransmission(true),
            Step::Reduce(kind) => self.reduce(now, kind, false),
            Step::Probe => self.snd.probe_tail(),
            Step::Enter(kind) => {
                if self.config.window_in_recovery == RecoveryWindow::MinCwnd && growth == Growth::Free {
                    return Growth::Before(kind);
                }
                self.enter_recovery(now, kind);
            }
            Step::Exit { at_most } => {
                if self.leave_recovery(now, at_most) {
                    growth = Growth::Held;
                } else if self.config.window_rules().grows_on_exit {
                    growth = Growth::Free;
                }
            }
        }
        growth
    }

    /// True when the window was what limited the sender: it was full before this ACK, or, in slow start,
    /// more than half full (RFC 7661 section 4.3).
    #[inline(always)]
    fn window_limited(&mut self, prior_una: u64, prior_in_flight: u64) -> bool {
        if !self.config.grow_only_when_limited {
            return true;
        }
        if self.config.window_rules().is_full_for_a_round {
            return self.window_limited_for_a_round(prior_una, prior_in_flight);
        }
        let used = self.snd.segments(prior_in_flight);
        if self.window.in_slow_start() {
            2.0 * used >= self.window.cwnd
        } else {
            used + 1.0 >= self.window.cwnd.floor() || self.is_held_by_pace()
        }
    }

    /// An L4S sender's pace follows its window, and is what limits it. Linux counts what its `fq` queue holds back as in flight.
    fn is_held_by_pace(&self) -> bool {
        self.ecn_response == EcnResponse::L4s
            && self.window.pacing_rate.is_some()
            && self.accounts.blocked() == Cause::Pacing
    }

    /// By the fullest moment of the last window of data (`tcp_cwnd_validate`).
    fn window_limited_for_a_round(&mut self, prior_una: u64, prior_in_flight: u64) -> bool {
        let fullest = self.snd.fullest(prior_una, prior_in_flight);
        let used = self.snd.segments(fullest);
        if self.window.in_slow_start() {
            2.0 * used > self.window.cwnd
        } else {
            used + 1.0 > self.window.cwnd || self.is_held_by_pace()
        }
    }

    /// An ACK that advances while the connection is frozen: what it acknowledges need not be retransmitted, and it may end
    /// the recovery episode; the window does not grow by it.
    #[cold]
    pub(super) fn absorb(&mut self, now: Instant, ack: u64, segment: &Segment) {
        let mut info = AckInfo {
            prior_una: self.snd.una(),
            prior_in_flight: self.snd.in_flight(),
            is_duplicate: false,
            has_dsack: false,
            delivery: Delivery::default(),
        };
        self.snd.acknowledge(ack, &mut info.delivery);
        if let Growth::Before(kind) = self.consult_recovery(now, segment, &mut info) {
            self.enter_recovery(now, kind);
        }
        self.after_advance(now);
    }

    /// `SND.UNA` moved: timers and the application.
    #[inline(always)]
    fn after_advance(&mut self, now: Instant) {
        if self.snd.is_shaped() {
            self.refill_send_buffer();
        }
        if self.snd.board().is_empty() {
            self.timers.set(Timer::Retransmission, Instant::NEVER);
        } else if self.phase != Phase::Fast || self.recovery.restarts_timer() {
            self.restart_rto(now);
        }
        if self.snd.is_all_acknowledged() {
            self.events.push(Event::AllAcknowledged);
        }
    }
}

/// With nothing outstanding, as at a pure receiver, the ACK of a data segment carries the window only, unless it has
/// DSACK blocks or an ECN echo.
fn matters_without_flight(segment: &Segment) -> bool {
    segment.seq_len() == 0 || !segment.options.sack.is_empty() || segment.flags.has(Flags::ECE)
}
