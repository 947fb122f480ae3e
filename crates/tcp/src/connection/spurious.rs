//! Spurious reductions: detected by F-RTO, Eifel or DSACK, and undone.
//!
//! - F-RTO (RFC 5682 section 2.1): after a timeout, if the ACKs of the retransmission and of two new
//!   segments go on advancing, the originals were only late.
//! - Eifel detection (RFC 3522 section 3.2): the ACK that first advances echoes a timestamp older than the
//!   first retransmission.
//! - DSACK (RFC 3708): every retransmission of the episode was reported as a duplicate.
//!
//! The answer is that of RFC 4015 section 3.2. Each detection is an option; all start from one
//! [`Suspicion`] per episode.

use farlink_kernel::Instant;

use super::endpoint::Connection;
use super::rtt::{Restart, Restarted};
use super::suspicion::{FRto, Suspicion};
use crate::congestion::{LossKind, Saved};
use crate::recovery::scoreboard::Sent;
use crate::recovery::{Acked, Phase};
use crate::segment::Segment;

impl Connection {
    pub(super) fn suspect(&mut self, kind: LossKind) {
        let by_timeout = kind == LossKind::Timeout;
        let flight = self.flight_size().min(self.window.cwnd);
        // What the last episode retransmitted may answer, and be reported as a duplicate, in this one.
        let retransmitted = self.retransmissions_in_flight();
        let may_be_spurious = by_timeout && self.config.f_rto && self.phase == Phase::Open;
        self.suspicion = Some(Suspicion {
            by_timeout,
            saved: Saved { cwnd: self.window.cwnd, ssthresh: self.window.ssthresh },
            pipe_prev: if self.window.ssthresh.is_finite() {
                flight.max(self.window.ssthresh)
            } else {
                f64::INFINITY
            },
            srtt_prev: self.rtt.srtt() + self.config.clock_granularity * 2,
            rttvar_prev: self.rtt.rttvar(),
            first_retransmission: None,
            unreported: retransmitted,
            retransmitted: retransmitted > 0,
            f_rto: if may_be_spurious { FRto::First } else { FRto::Off },
        });
    }

    /// Retransmissions that are not acknowledged, where the first outstanding segment is one; zero elsewhere.
    fn retransmissions_in_flight(&self) -> u32 {
        let board = self.snd.board();
        let is_out = |sent: &Sent| sent.is_retransmitted() && !sent.is_sacked();
        if !board.first().is_some_and(is_out) {
            return 0;
        }
        (board.first_id()..board.next_id())
            .filter_map(|id| board.get(id))
            .filter(|&sent| is_out(sent))
            .count() as u32
    }

    pub(super) fn suspect_retransmission(&mut self, now: Instant) {
        let clock = self.clock.at(now);
        if let Some(suspicion) = &mut self.suspicion {
            if !suspicion.retransmitted {
                suspicion.first_retransmission = Some(clock);
            }
            suspicion.retransmitted = true;
            suspicion.unreported += 1;
        }
    }

    /// The timer expired before the second ACK: F-RTO is over.
    pub(super) fn stop_f_rto(&mut self) {
        if let Some(suspicion) = &mut self.suspicion
            && suspicion.f_rto == FRto::Second
        {
            suspicion.f_rto = FRto::Off;
        }
    }

    /// True while F-RTO waits for the ACKs of new segments before it retransmits more.
    pub(super) fn holds_retransmissions(&self) -> bool {
        self.suspicion.is_some_and(|suspicion| suspicion.f_rto == FRto::Second)
    }

    /// True while an ACK that advances may show that the last reduction was spurious.
    #[inline(always)]
    pub(super) fn may_refute_reduction(&self, has_dsack: bool) -> bool {
        self.suspicion.as_ref().is_some_and(|suspicion| {
            has_dsack
                || suspicion.f_rto != FRto::Off
                || (self.config.eifel && suspicion.first_retransmission.is_some())
        })
    }

    /// Decides on each ACK whether the last reduction was spurious.
    pub(super) fn judge_reduction(&mut self, segment: &Segment, acked: &Acked) {
        let Some(mut suspicion) = self.suspicion else { return };
        let by_f_rto = self.judge_f_rto(&mut suspicion, acked);
        let by_eifel = self.config.eifel && self.judge_eifel(&mut suspicion, segment, acked);
        if acked.has_dsack {
            self.dsack_seen = true;
            suspicion.unreported = suspicion.unreported.saturating_sub(1);
        }
        let by_dsack =
            self.config.dsack_undo && acked.has_dsack && suspicion.retransmitted && suspicion.unreported == 0;
        self.suspicion = Some(suspicion);
        if by_f_rto || by_eifel || by_dsack {
            self.undo_reduction(&suspicion, acked);
        }
    }

    /// A DSACK came. Of more of them than retransmissions the network makes some, which refute no reduction (`tcp_dsack_seen`).
    pub(super) fn answers_retransmission(&mut self) -> bool {
        self.dsacks += 1;
        !self.config.dsack_undo || self.dsacks <= self.counters.retransmissions
    }

    /// RFC 5682 section 2.1, steps 2 and 3.
    fn judge_f_rto(&self, suspicion: &mut Suspicion, acked: &Acked) -> bool {
        let advanced = acked.una > acked.prior_una;
        match suspicion.f_rto {
            FRto::Off => false,
            FRto::First => {
                let below_recover = acked.una < acked.nxt;
                suspicion.f_rto = if advanced && below_recover && self.snd.may_send_new() {
                    FRto::Second
                } else {
                    FRto::Off
                };
                false
            }
            FRto::Second => {
                suspicion.f_rto = FRto::Off;
                advanced
            }
        }
    }

    /// RFC 3522 section 3.2, steps 3 to 6: only the first acceptable ACK of the episode decides.
    fn judge_eifel(&self, suspicion: &mut Suspicion, segment: &Segment, acked: &Acked) -> bool {
        if acked.una == acked.prior_una {
            return false;
        }
        let (Some(first), Some(timestamps)) =
            (suspicion.first_retransmission.take(), segment.options.timestamps)
        else {
            return false;
        };
        let answers_original = timestamps.echo.wrapping_sub(first).cast_signed() < 0;
        answers_original && !acked.has_dsack && (self.dsack_seen || acked.una < acked.nxt)
    }

    /// RFC 4015 section 3.2: nothing was lost; continue as if nothing had happened, without a burst.
    fn undo_reduction(&mut self, suspicion: &Suspicion, acked: &Acked) {
        self.suspicion = None;
        self.counters.spurious += 1;
        self.recovery.on_spurious(self.snd.board_mut());
        self.follow_recovery();
        self.snd.force_retransmission(false);
        self.ecn.undo();
        self.congestion.on_spurious(&mut self.window, &suspicion.saved);
        if suspicion.by_timeout {
            // What the receiver has but cannot acknowledge is outstanding, too, and was in no window.
            let flight = self.snd.segments(self.snd.board().outstanding()).min(suspicion.saved.cwnd);
            let fresh = self.snd.segments(acked.delivery.acked).min(self.snd.initial_window());
            self.window.cwnd = (flight + fresh).max(1.0);
            self.window.ssthresh = suspicion.pipe_prev;
            let of = Restarted::Estimator { srtt: suspicion.srtt_prev, rttvar: suspicion.rttvar_prev };
            self.rtt_restart = Some(Restart { after: self.snd.nxt(), of });
        }
    }
}
