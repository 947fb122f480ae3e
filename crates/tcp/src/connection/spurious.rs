//! Reductions that were mistakes: found by F-RTO, Eifel or DSACK, and taken back.
//!
//! - F-RTO (RFC 5682 section 2.1): after a timeout, if the ACKs of the retransmission and of two new
//!   segments go on advancing, the originals were only late.
//! - Eifel detection (RFC 3522 section 3.2): the ACK that first advances echoes a timestamp older than the
//!   first retransmission.
//! - DSACK (RFC 3708): every retransmission of the episode was reported as a duplicate.
//!
//! The answer is that of RFC 4015 section 3.2. Each detection is an option; all start from one
//! [`Suspicion`] per episode.

use farlink_kernel::{Duration, Instant};

use super::{Connection, rtt};
use crate::congestion::{LossKind, Saved};
use crate::recovery::{Acked, Phase};
use crate::segment::Segment;

/// An episode that may turn out to be a mistake.
#[derive(Clone, Copy, Debug)]
pub(super) struct Suspicion {
    by_timeout: bool,
    /// Window and estimator before the reduction (RFC 4015 steps 0 and `SRTT_prev`).
    saved: Saved,
    pipe_prev: f64,
    srtt_prev: Duration,
    rttvar_prev: Duration,
    /// Timestamp of the first retransmission (`RetransmitTS`); gone after the first acceptable ACK.
    first_retransmission: Option<u32>,
    /// Retransmissions not yet reported as duplicates.
    unreported: u32,
    retransmitted: bool,
    forward: Forward,
}

/// Where F-RTO stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Forward {
    Off,
    /// Step 2: the first ACK after the timeout is awaited.
    First,
    /// Step 3: new segments were sent instead of retransmissions; the second ACK is awaited.
    Second,
}

impl Connection {
    /// A reduction is about to happen.
    pub(super) fn suspect(&mut self, kind: LossKind) {
        let by_timeout = kind == LossKind::Timeout;
        let flight = self.segments(self.snd.board.outstanding());
        let may_go_forward = by_timeout && self.config.f_rto && self.phase == Phase::Open;
        self.suspicion = Some(Suspicion {
            by_timeout,
            saved: Saved { cwnd: self.window.cwnd, ssthresh: self.window.ssthresh },
            pipe_prev: if self.window.ssthresh.is_finite() {
                flight.max(self.window.ssthresh)
            } else {
                f64::INFINITY
            },
            srtt_prev: self.rtt.srtt + self.config.clock_granularity * 2,
            rttvar_prev: self.rtt.rttvar(),
            first_retransmission: None,
            unreported: 0,
            retransmitted: false,
            forward: if may_go_forward { Forward::First } else { Forward::Off },
        });
    }

    /// A segment was sent again.
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

    /// The timer expired: what new segments were to bring did not come, so F-RTO is over.
    pub(super) fn stop_looking_forward(&mut self) {
        if let Some(suspicion) = &mut self.suspicion
            && suspicion.forward == Forward::Second
        {
            suspicion.forward = Forward::Off;
        }
    }

    /// True while F-RTO wants to see what new segments bring before anything more is sent again.
    pub(super) fn holds_retransmissions(&self) -> bool {
        self.suspicion.is_some_and(|suspicion| suspicion.forward == Forward::Second)
    }

    /// An ACK arrived: was the last reduction a mistake?
    pub(super) fn judge_reduction(&mut self, segment: &Segment, acked: &Acked) {
        let Some(mut suspicion) = self.suspicion else { return };
        let by_forward = self.judge_forward(&mut suspicion, acked);
        let by_eifel = self.config.eifel && self.judge_eifel(&mut suspicion, segment, acked);
        if acked.has_dsack {
            self.dsack_seen = true;
            suspicion.unreported = suspicion.unreported.saturating_sub(1);
        }
        let by_dsack =
            self.config.dsack_undo && acked.has_dsack && suspicion.retransmitted && suspicion.unreported == 0;
        self.suspicion = Some(suspicion);
        if by_forward || by_eifel || by_dsack {
            self.take_back(&suspicion, acked);
        }
    }

    /// RFC 5682 section 2.1, steps 2 and 3.
    fn judge_forward(&self, suspicion: &mut Suspicion, acked: &Acked) -> bool {
        let advanced = acked.una > acked.prior_una;
        match suspicion.forward {
            Forward::Off => false,
            Forward::First => {
                let below_recover = acked.una < acked.nxt;
                suspicion.forward = if advanced && below_recover && self.may_send_new() {
                    Forward::Second
                } else {
                    Forward::Off
                };
                false
            }
            Forward::Second => {
                suspicion.forward = Forward::Off;
                advanced
            }
        }
    }

    /// True when there is new data and both windows let it go.
    fn may_send_new(&self) -> bool {
        let snd = &self.snd;
        let new = snd.end().saturating_sub(snd.nxt).min(snd.segment_size);
        new > 0 && snd.nxt + new <= snd.edge.min(snd.una.saturating_add(snd.max_window))
    }

    /// RFC 3522 section 3.2, steps 3 to 6: only the first acceptable ACK of the episode tells.
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
    fn take_back(&mut self, suspicion: &Suspicion, acked: &Acked) {
        self.suspicion = None;
        self.counters.spurious += 1;
        self.recovery.on_spurious(&mut self.snd.board, self.snd.una);
        self.follow_recovery();
        self.snd.must_retransmit = false;
        // A reduction that does not stand keeps no mark from being heeded.
        self.snd.ecn_recover = 0;
        self.congestion.on_spurious(&mut self.window, &suspicion.saved);
        if suspicion.by_timeout {
            let flight = self.segments(self.snd.board.outstanding());
            let fresh = self.segments(acked.delivery.acked).min(self.snd.initial_window);
            self.window.cwnd = (flight + fresh).max(1.0);
            self.window.ssthresh = suspicion.pipe_prev;
            let of = rtt::Restarted::Estimator { srtt: suspicion.srtt_prev, rttvar: suspicion.rttvar_prev };
            self.rtt_restart = Some(rtt::Restart { after: self.snd.nxt, of });
        }
    }
}
