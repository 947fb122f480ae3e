//! The frozen state while the route is broken ([`route_failure`](crate::route_failure)): nothing is sent, timers do
//! not run, window and estimates stay as they are.

use farlink_kernel::{Duration, Instant};

use super::accounts::Cause;
use super::api::Role;
use super::endpoint::{Connection, Freeze};
use super::output::Piece;
use super::rtt::{Restart, Restarted};
use super::timers::Timer;
use crate::congestion::LossKind;
use crate::notice::Notice;
use crate::route_failure::{Answer, Failed, Overtaken, Reduction, Resume, Step};
use crate::segment::Segment;
use crate::seq::SeqNumber;
use crate::window::Window;

impl Connection {
    /// A router's notice arrived.
    pub fn on_notice(&mut self, now: Instant, notice: Notice) {
        self.notices.push(notice);
        match notice {
            Notice::RouteFailed { seq } => self.on_route_failed(now, seq),
            Notice::RouteRestored => self.on_route_restored(now),
        }
    }

    /// True when the peer is to be notified that the route is restored. Called after every notice.
    pub fn take_announcement(&mut self) -> bool {
        std::mem::take(&mut self.freeze.notification_due)
    }

    /// Ignores notices about segments of the peer, and those that arrive when nothing is outstanding.
    fn on_route_failed(&mut self, now: Instant, seq: Option<SeqNumber>) {
        let offset = seq.map_or(Some(self.snd.una()), |seq| self.snd.offset_of(seq));
        let is_own =
            |offset: &u64| self.snd.una() > 0 && (self.snd.oldest()..self.snd.nxt()).contains(offset);
        if let Some(offset) = offset.filter(is_own)
            && !self.snd.board().is_empty()
        {
            let failed = Failed { now, offset: offset.max(self.snd.una()), srtt: self.rtt.srtt() };
            let step = self.route_failure.on_failed(&failed);
            self.follow_route_failure(now, step);
        }
    }

    fn on_route_restored(&mut self, now: Instant) {
        if self.freeze.is_frozen {
            let step = self.route_failure.on_restored();
            self.follow_route_failure(now, step);
        }
        if self.role == Role::Passive && self.rcv.in_order() > 0 {
            match self.route_failure.answer() {
                Answer::Nothing => {}
                Answer::Acknowledge => self.rcv.acknowledge_now(),
                Answer::Notify => self.freeze.notification_due = true,
            }
        }
    }

    fn follow_route_failure(&mut self, now: Instant, step: Step) {
        match step {
            Step::Stay => {}
            Step::Freeze => {
                self.counters.freezes += u64::from(!self.freeze.is_frozen);
                self.freeze.is_frozen = true;
            }
            Step::Probe => self.freeze.probe_due = true,
            Step::Resume(resume) => {
                self.unfreeze(now);
                self.resume(now, resume);
            }
        }
        if self.freeze.is_frozen {
            self.timers.freeze(self.route_failure.deadline());
        }
    }

    /// Timers run again; the retransmission timer starts with the timeout it had.
    fn unfreeze(&mut self, now: Instant) {
        // The time spent frozen does not count as waiting for a later timeout.
        self.accounts.acknowledged(now);
        self.freeze =
            Freeze { resumed_at: now, notification_due: self.freeze.notification_due, ..Freeze::default() };
        self.restart_rto_if_needed(now);
        self.follow_recovery();
        self.timed.cancel();
        self.snd.board_mut().time_no_more();
        self.snd.forget_room();
        if self.config.rescale_window && !self.rtt.srtt().is_zero() {
            let of = Restarted::Window { srtt: self.rtt.srtt() };
            self.rtt_restart = Some(Restart { after: self.snd.nxt(), of });
        }
    }

    /// A new route has another round trip: the window scales with it at the same rate, up to the receiver's window.
    pub(super) fn rescale_window(&mut self, new: Duration, old: Duration) {
        let factor = new.as_secs_f64() / old.as_secs_f64();
        let largest = self.snd.segments_at_most(self.snd.largest_window());
        let Window { cwnd, ssthresh, .. } = self.window;
        self.window.cwnd = (cwnd * factor).min(largest.max(cwnd)).max(1.0);
        self.window.ssthresh = (ssthresh * factor).min(largest.max(ssthresh)).max(2.0);
        self.snd.forget_room();
    }

    fn resume(&mut self, now: Instant, resume: Resume) {
        if resume == Resume::SlowStart {
            self.window.cwnd = 1.0;
            self.snd.forget_room();
        }
        if self.snd.board().is_empty() {
            return;
        }
        match resume {
            Resume::Unchanged => return,
            Resume::From(offset) => self.snd.board_mut().lose_from(offset),
            // As after a timeout, but for the window.
            Resume::GoBack | Resume::SlowStart => {
                self.recovery.on_timeout(self.snd.board_mut(), now);
            }
        }
        self.follow_recovery();
        self.report_lost(now);
    }

    /// An acknowledgement arrived while frozen; it may end that.
    #[cold]
    pub(super) fn on_ack_while_frozen(
        &mut self,
        now: Instant,
        ack: u64,
        window_changed: bool,
        segment: &Segment,
    ) {
        let advances = ack > self.snd.una();
        match self.route_failure.on_ack() {
            Step::Resume(resume) => {
                self.unfreeze(now);
                if advances || self.route_failure.counts_duplicates() {
                    self.process_ack(now, ack, window_changed, segment);
                }
                self.resume(now, resume);
            }
            step => {
                if advances {
                    self.absorb(now, ack, segment);
                }
                self.follow_route_failure(now, step);
            }
        }
    }

    /// An acknowledgement is older than the latest.
    #[cold]
    pub(super) fn on_overtaken(&mut self, now: Instant) {
        let overtaken = Overtaken { now, srtt: self.rtt.srtt() };
        if let Some(before) = self.route_failure.on_overtaken(&overtaken) {
            self.window = before.window;
            self.rtt.back_off_to(before.backoff);
            if self.timers.at(Timer::Retransmission) != Instant::NEVER {
                self.restart_rto(now);
            }
            self.snd.forget_room();
        }
    }

    fn before(&self, now: Instant, kind: LossKind) -> Reduction {
        Reduction { at: now, kind, window: self.window, backoff: self.rtt.backoff() }
    }

    /// False when a sign of congestion is attributed to a route change.
    pub(super) fn allows_reduction(&mut self, now: Instant, kind: LossKind) -> bool {
        let before = self.before(now, kind);
        self.route_failure.allows_reduction(&before, self.rtt.srtt())
    }

    /// False when the expired timer does not double the timeout.
    pub(super) fn allows_backoff(&mut self, now: Instant) -> bool {
        let before = self.before(now, LossKind::Timeout);
        self.route_failure.allows_backoff(&before, self.rtt.srtt())
    }

    #[cold]
    pub(super) fn next_piece_while_frozen(&mut self, now: Instant) -> Option<Piece> {
        self.accounts.block(Cause::Frozen);
        if !std::mem::take(&mut self.freeze.probe_due) || self.snd.board().is_empty() {
            return None;
        }
        if self.snd.board().shows_reneging() {
            // RFC 2018 section 8: what was reported may be missing after all.
            self.snd.board_mut().lose_all(false);
        }
        self.counters.route_probes += 1;
        let probe = Piece::retransmission(&self.take_retransmission(now, self.snd.board().first_id()));
        // A retransmission starts timers.
        self.timers.freeze(self.route_failure.deadline());
        Some(probe)
    }

    #[cold]
    pub(super) fn on_deadline_while_frozen(&mut self, now: Instant) {
        let step = self.route_failure.on_deadline(now);
        self.follow_route_failure(now, step);
    }
}
