//! Y. Cheng, N. Cardwell, N. Dukkipati, P. Jha, "The RACK-TLP Loss Detection Algorithm for TCP", RFC 8985, 2021.
//!
//! RACK: a segment is lost when one sent later was delivered and a reordering window has passed; lost
//! retransmissions are found the same way. TLP: when nothing comes for two round trips, a probe turns a
//! tail loss into an ACK. The window shrinks by proportional rate reduction.
//!
//! Equations: reo_wnd = min(mult min_rtt / 4, SRTT), 0 until reordering was seen and a loss is likely;
//! PTO = 2 SRTT (+ the delayed-ACK time for a single segment). Of two segments sent at the same instant the
//! order of transmission decides which was later (the RFC, whose clock is real, compares their ends). Segments are examined in the order they were
//! sent, so an ACK examines only what it decides. The reordering timer waits for the latest possible moment
//! (RACK.xmit_ts + RACK.rtt + reo_wnd), which is the maximum of section 6.2 step 5 or a little later.

use std::collections::VecDeque;

use farlink_kernel::{Duration, Instant, config};

use super::prr::{Bound, Reduction};
use super::sack::Episode;
use super::scoreboard::{Scoreboard, SegmentId, Sent};
use super::{Acked, DUPLICATE_THRESHOLD, Phase, Recovery, Setup, Step};
use crate::congestion::LossKind;

pub(super) const SOURCE: &str = "RFC 8985, 2021";
pub(super) const NEEDS_TIMER: bool = false;

/// How many recoveries a widened reordering window lasts (section 6.2 step 4).
const REO_WND_PERSIST: u32 = 16;

config! {
    /// Parameters of RACK-TLP.
    pub struct Config {
        /// Tail-loss probes.
        pub tail_loss_probe: bool = true,
        /// The longest the peer delays an ACK (section 7.2: 200 ms).
        pub max_ack_delay: Duration = Duration::from_millis(200),
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Rack {
    config: Config,
    episode: Episode,
    reduction: Reduction,
    /// The most recently sent segment that was delivered: when it was sent, as which transmission, and its
    /// round-trip time.
    newest: (Instant, u64),
    rtt: Duration,
    reordering_seen: bool,
    reo_wnd_mult: u64,
    reo_wnd_persist: u32,
    /// `dsack_round`: the window is widened once until this offset is acknowledged.
    dsack_round: Option<u64>,
    sent: VecDeque<(Instant, SegmentId)>,
    srtt: Duration,
    min_rtt: Duration,
    reordering_timer: Instant,
    probe: Probe,
}

/// The tail-loss probe's state (section 7).
#[derive(Clone, Debug)]
struct Probe {
    timer: Instant,
    /// `TLP.end_seq`, while a probe is outstanding, and `TLP.is_retrans`.
    outstanding: Option<(u64, bool)>,
    /// A round-trip sample was taken since the last probe.
    sampled: bool,
}

impl Rack {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        Self {
            config: config.clone(),
            episode: Episode::new(setup),
            reduction: Reduction::new(Bound::Rfc9937, setup.reduces_packets),
            newest: (Instant::ZERO, 0),
            rtt: Duration::ZERO,
            reordering_seen: false,
            reo_wnd_mult: 1,
            reo_wnd_persist: REO_WND_PERSIST,
            dsack_round: None,
            sent: VecDeque::new(),
            srtt: Duration::ZERO,
            min_rtt: Duration::MAX,
            reordering_timer: Instant::NEVER,
            probe: Probe { timer: Instant::NEVER, outstanding: None, sampled: true },
        }
    }

    /// Section 6.2 steps 1 and 2.
    fn update(&mut self, board: &Scoreboard, acked: &Acked) {
        self.srtt = acked.srtt;
        self.min_rtt = acked.min_rtt;
        let delivery = &acked.delivery;
        let by_any = board.newest(delivery).filter(|sent| {
            let too_soon = acked.now - sent.last_sent < self.min_rtt;
            !(sent.was_ever_retransmitted() && (acked.echoes_original || too_soon))
        });
        let sent_once = delivery.newest_sent.max(delivery.newest_behind_hole);
        let newest = by_any.map(|sent| (sent.last_sent, sent.nth)).max(sent_once);
        if let Some(newest) = newest {
            self.rtt = acked.now - newest.0;
            self.newest = self.newest.max(newest);
            self.probe.sampled = true;
        }
    }

    /// Section 6.2 steps 3 and 4: how long a segment may be late.
    fn update_reordering(&mut self, acked: &Acked, leaving: bool) {
        self.reordering_seen |= acked.delivery.reordering;
        if self.dsack_round.is_some_and(|round| acked.una >= round) {
            self.dsack_round = None;
        }
        if acked.has_dsack && self.dsack_round.is_none() {
            self.dsack_round = Some(acked.nxt);
            self.reo_wnd_mult += 1;
            self.reo_wnd_persist = REO_WND_PERSIST;
        } else if leaving {
            self.reo_wnd_persist = self.reo_wnd_persist.saturating_sub(1);
            if self.reo_wnd_persist == 0 {
                self.reo_wnd_mult = 1;
            }
        }
    }

    fn reo_wnd(&self, board: &Scoreboard) -> Duration {
        // `RACK.segs_sacked`: a short one counts, too.
        let sacked = board.sacked_bytes().div_ceil(board.segment_size()) >= u64::from(DUPLICATE_THRESHOLD);
        if !self.reordering_seen && (self.episode.phase != Phase::Open || sacked) {
            return Duration::ZERO;
        }
        if self.min_rtt == Duration::MAX {
            return self.srtt;
        }
        (self.min_rtt / 4).saturating_mul(self.reo_wnd_mult).min(self.srtt)
    }

    /// Section 6.2 step 5: returns the bytes newly lost and arms the reordering timer.
    fn detect(&mut self, board: &mut Scoreboard, now: Instant) -> u64 {
        let patience = self.rtt.saturating_add(self.reo_wnd(board));
        let mut lost = 0;
        self.reordering_timer = Instant::NEVER;
        while let Some(&(at, id)) = self.sent.front() {
            let Some(sent) = board.get(id).filter(|sent| is_current(sent, at)) else {
                self.sent.pop_front();
                continue;
            };
            if sent.nth >= self.newest.1 {
                break;
            }
            if at.saturating_add(patience) > now {
                self.reordering_timer = self.newest.0.saturating_add(patience).max(now);
                break;
            }
            lost += board.lose(id);
            if board.get(id).is_some_and(Sent::is_retransmitted) {
                // A probe's copy: the clock says that both are gone.
                board.lose(id);
            }
            self.sent.pop_front();
        }
        lost
    }

    /// Section 7.4: what an ACK says about an outstanding probe.
    fn judge_probe(&mut self, acked: &Acked) -> Step {
        let Some((end, is_retransmission)) = self.probe.outstanding else { return Step::Stay };
        if acked.una < end {
            return Step::Stay;
        }
        let superfluous = acked.has_dsack || (acked.una == end && acked.is_duplicate);
        if !is_retransmission || superfluous {
            self.probe.outstanding = None;
        } else if acked.una > end {
            self.probe.outstanding = None;
            return Step::Reduce(LossKind::Rack);
        }
        Step::Stay
    }

    /// Section 7.2: when the probe goes out if nothing comes.
    fn arm_probe(&mut self, board: &Scoreboard, now: Instant) {
        let allowed =
            self.config.tail_loss_probe && self.episode.phase == Phase::Open && board.sacked_bytes() == 0;
        if !allowed || board.is_empty() || self.probe.outstanding.is_some() {
            self.probe.timer = Instant::NEVER;
            return;
        }
        let wait = match self.srtt {
            Duration::ZERO => Duration::from_secs(1),
            srtt if board.outstanding() <= board.segment_size() => srtt * 2 + self.config.max_ack_delay,
            srtt => srtt * 2,
        };
        self.probe.timer = now + wait;
    }

    fn stop_probing(&mut self) {
        self.probe = Probe { timer: Instant::NEVER, outstanding: None, sampled: true };
    }
}

/// True when an episode is due: something was lost just now, or the first outstanding segment was lost in the episode that
/// just ended, after its begin. Losses of two windows of data are two signs of congestion, also where the second was
/// retransmitted along with the first (RFC 5681 section 4.3; Linux, `tcp_time_to_recover`).
fn shows_loss(board: &mut Scoreboard, acked: &Acked) -> bool {
    let is_new = acked.delivery.lost > 0 && board.next_lost().is_some();
    is_new || board.first().is_some_and(Sent::is_lost)
}

/// True when `sent` is in the network and its newest transmission is the one at `at`.
fn is_current(sent: &Sent, at: Instant) -> bool {
    !sent.is_sacked() && sent.last_sent == at && (!sent.is_lost() || sent.is_retransmitted())
}

impl Recovery for Rack {
    fn phase(&self) -> Phase {
        self.episode.phase
    }

    fn on_ack(&mut self, board: &mut Scoreboard, acked: &mut Acked) -> Step {
        self.update(board, acked);
        let exit = self.episode.on_advance(acked);
        self.update_reordering(acked, exit.is_some());
        let verdict = self.judge_probe(acked);
        acked.delivery.lost += self.detect(board, acked.now);
        let step = match exit {
            _ if self.episode.phase == Phase::Open && shows_loss(board, acked) => {
                self.stop_probing();
                self.episode.enter(acked.nxt, LossKind::Rack)
            }
            Some(exit) => exit,
            None => verdict,
        };
        self.reduction.on_ack(board, acked, self.episode.phase == Phase::Fast && step == Step::Stay);
        if acked.una > acked.prior_una || board.sacked_bytes() > 0 {
            self.arm_probe(board, acked.now);
        }
        step
    }

    fn on_enter(&mut self, board: &mut Scoreboard, ssthresh: u64) {
        self.reduction.on_enter(board, ssthresh);
    }

    fn on_timeout(&mut self, board: &mut Scoreboard, now: Instant) {
        self.stop_probing();
        self.reordering_timer = Instant::NEVER;
        self.episode.begin_timeout(board.nxt());
        if board.shows_reneging() {
            return board.lose_all(false);
        }
        // Section 6.3: the first segment, and of the others those that are late.
        let first = board.first_id();
        board.lose(first);
        board.lose(first);
        let patience = self.rtt.saturating_add(self.reo_wnd(board));
        let late: Vec<_> =
            self.sent.iter().take_while(|(at, _)| at.saturating_add(patience) <= now).copied().collect();
        for (at, id) in late {
            if board.get(id).is_some_and(|sent| is_current(sent, at)) {
                board.lose(id);
                if board.get(id).is_some_and(Sent::is_retransmitted) {
                    board.lose(id);
                }
            }
        }
    }

    fn on_spurious(&mut self, board: &mut Scoreboard) {
        self.episode.on_spurious(board);
    }

    fn window(&self) -> Option<u64> {
        (self.episode.phase == Phase::Fast).then_some(self.reduction.window)
    }

    fn next_retransmission(&mut self, board: &mut Scoreboard, _no_new_data: bool) -> Option<SegmentId> {
        board.next_lost()
    }

    fn on_sent(&mut self, board: &Scoreboard, id: SegmentId, now: Instant) {
        self.sent.push_back((now, id));
        self.reduction.on_sent(board, id);
        if board.get(id).is_some_and(|sent| !sent.was_ever_retransmitted()) {
            self.arm_probe(board, now);
        }
    }

    fn deadline(&self) -> Instant {
        self.reordering_timer.min(self.probe.timer)
    }

    fn on_deadline(&mut self, board: &mut Scoreboard, now: Instant) -> Step {
        if self.reordering_timer <= now {
            let lost = self.detect(board, now);
            if lost > 0 && self.episode.phase == Phase::Open {
                self.stop_probing();
                self.reduction.on_timer();
                return self.episode.enter(board.nxt(), LossKind::Rack);
            }
        }
        if self.probe.timer <= now {
            self.probe.timer = Instant::NEVER;
            if self.probe.outstanding.is_none() && self.probe.sampled && !board.is_empty() {
                return Step::Probe;
            }
        }
        Step::Stay
    }

    fn on_probe_sent(&mut self, nxt: u64, is_retransmission: bool) {
        self.probe =
            Probe { timer: Instant::NEVER, outstanding: Some((nxt, is_retransmission)), sampled: false };
    }

    fn probes_instead_of_timeout(&mut self) -> bool {
        // Section 7.2: a probe that would come after the timeout takes its place.
        let armed = self.probe.timer != Instant::NEVER && self.probe.sampled;
        self.probe.timer = Instant::NEVER;
        armed
    }
}

#[cfg(test)]
mod tests;
