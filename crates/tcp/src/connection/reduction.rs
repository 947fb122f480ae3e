//! Congestion and the window: the begin and end of a recovery episode, and what a reduction starts from.

use farlink_kernel::Instant;

use super::{endpoint::Connection, start::Start};
use crate::config::ReduceFrom;
use crate::congestion::arithmetic::RecoveryWindow;
use crate::congestion::{EcnFeedback, Loss, LossKind, LostPacket};
use crate::recovery::Phase;

impl Connection {
    pub(super) fn enter_recovery(&mut self, now: Instant, kind: LossKind) {
        self.counters.fast_retransmits += 1;
        let is_in_cwr = self.ecn.is_in_cwr();
        self.end_cwr();
        self.snd.force_retransmission(self.recovery.begins_at_once());
        // RFC 3168 section 6.1.2: one reduction answers all that was marked or dropped of one window of data. In Linux it lasts
        // until data beyond that window are acknowledged (`tcp_in_cwnd_reduction`).
        let is_answered = self.snd.una() < self.ecn.recover() || is_in_cwr;
        if !is_answered || self.congestion.controls_recovery() {
            self.reduce(now, kind, false);
        }
        let ssthresh = (self.window.ssthresh.min(1e15) as u64).max(1) * self.snd.segment_size();
        self.recovery.on_enter(self.snd.board_mut(), ssthresh);
    }

    /// Congestion control sees each segment that was just marked lost, where it reads the state of packets.
    pub(super) fn report_lost(&mut self, now: Instant) {
        if self.snd.board().has_lost_to_report() {
            self.report_each_lost(now);
        }
    }

    #[cold]
    fn report_each_lost(&mut self, now: Instant) {
        let mut losses = self.snd.board_mut().take_losses();
        for id in losses.drain(..) {
            let Some(sent) = self.snd.board().get(id).copied() else { continue };
            let Some(rate) = &mut self.rate else { continue };
            let Some((packet, continues)) = rate.on_lost(id, sent.start, sent.end()) else { continue };
            let segments = |bytes| self.snd.segments(bytes);
            let lost = LostPacket {
                now,
                size: segments(u64::from(sent.len)),
                state: packet.in_segments(segments),
                continues,
                has_sack: self.negotiated.sack && self.recovery.reads_sack(),
            };
            self.congestion.on_lost(&mut self.window, &lost);
        }
        self.snd.board_mut().return_losses(losses);
    }

    /// Congestion control reacts to a sign of congestion.
    pub(super) fn reduce(&mut self, now: Instant, kind: LossKind, repeated: bool) {
        if !self.allows_reduction(now, kind) {
            return;
        }
        if !repeated && kind != LossKind::Ecn {
            self.suspect(kind);
        }
        let loss = Loss {
            now,
            kind,
            flight: self.flight_for_reduction(kind),
            srtt: self.rtt.srtt(),
            min_rtt: self.rtt.min(),
            latest_rtt: self.rtt.latest(),
            repeated,
        };
        if self.negotiated.ecn != EcnFeedback::None {
            self.ecn.on_reduction(self.snd.nxt());
        }
        // A sign of congestion ends the first slow start.
        self.start = Start::default();
        self.congestion.on_congestion(&mut self.window, &loss);
    }

    /// What the reduction starts from, in segments: never more than the window, which bounds what is in the network.
    fn flight_for_reduction(&self, kind: LossKind) -> f64 {
        let largest = self.snd.segments_at_most(self.snd.clamp());
        let window = self.window.cwnd.min(largest);
        match self.config.reduce_from {
            ReduceFrom::Cwnd => window,
            // RFC 3168 section 6.1.2 halves the window: the ACK with the echo has reduced the flight already.
            ReduceFrom::FlightSize if kind == LossKind::Ecn => window,
            ReduceFrom::FlightSize => self.flight_size().min(window),
        }
    }

    /// `FlightSize`, "outstanding data in the network", without what limited transmit sent (RFC 5681 equation 4).
    ///
    /// While losses are repaired that counts what arrived above the hole, too. The loss of a retransmission would raise
    /// ssthresh, which it is to lower once more (section 4.3). A reduction therefore takes the window if that is less.
    pub(super) fn flight_size(&self) -> f64 {
        let board = self.snd.board();
        let bytes = if self.phase == Phase::Timeout {
            // Only retransmissions are in flight, as if SND.NXT had gone back; data of which two copies are count once.
            board.pipe().min(board.outstanding())
        } else {
            board.outstanding().saturating_sub(self.recovery.limited_transmit_bytes())
        };
        self.snd.segments(bytes)
    }

    /// The episode is over. True when that raised the window, which is growth enough for one ACK.
    pub(super) fn leave_recovery(&mut self, now: Instant, at_most: u64) -> bool {
        self.snd.force_retransmission(false);
        let before = self.window.cwnd;
        self.congestion.on_recovery_end(&mut self.window, now);
        let was_raised = self.window.cwnd > before;
        let is_bounded = was_raised || self.config.window_in_recovery != RecoveryWindow::MinCwnd;
        if is_bounded && !self.congestion.controls_recovery() {
            self.window.cwnd = self.window.cwnd.min(self.snd.segments_at_most(at_most));
        }
        was_raised
    }

    /// RFC 3168 section 6.1.2: at most one reduction per window of data.
    pub(super) fn on_ecn_echo(&mut self, now: Instant) {
        if self.snd.una() <= self.ecn.recover() || self.phase != Phase::Open {
            return;
        }
        let prior = self.window.cwnd;
        self.reduce(now, LossKind::Ecn, false);
        if prior < 2.0 && self.window.cwnd < 2.0 {
            // The retransmission timer paces what a window of one segment cannot reduce.
            self.pacer.hold_until(now + self.rtt.rto());
        }
        self.begin_cwr(prior);
        if !self.ecn.is_in_cwr() {
            // Nothing is to be repaired.
            self.congestion.on_recovery_end(&mut self.window, now);
        }
    }
}
