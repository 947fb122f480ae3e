//! PROBE_RTT: when RTprop was not seen for ten seconds, a window of four for 200 ms and a round, so that
//! queues drain and the delay of the path shows.

use farlink_kernel::Instant;

use super::{Bbr, Mode};
use crate::{congestion::Ack, window::Window};

#[derive(Clone, Copy, Debug, Default)]
pub struct Dip {
    /// Segments delivered when it began.
    begins_at: f64,
    /// When it may end; set once the flight is small.
    until: Option<Instant>,
    /// A round passed with the small flight.
    had_round: bool,
}

impl Bbr {
    pub(super) fn check_probe_rtt(&mut self, window: &mut Window, ack: &Ack) {
        let is_old = self.min_rtt.is_old(ack.now, self.config.min_rtt_window);
        if let Some(rtt) = ack.rtt {
            self.min_rtt.update(rtt, ack.now, is_old);
        }
        if is_old && !self.restarts && self.mode != Mode::ProbeRtt {
            self.save_cwnd(window);
            self.mode = Mode::ProbeRtt;
            self.dip = Dip { begins_at: self.round.delivered, ..Dip::default() };
        }
        if self.mode == Mode::ProbeRtt {
            self.dip(window, ack);
        }
        if ack.delivered > 0.0 {
            self.restarts = false;
        }
    }

    fn dip(&mut self, window: &mut Window, ack: &Ack) {
        // Rates seen with so little in flight are not the path's. What was sent before has the path's.
        self.round.limited = Some(self.dip.begins_at..=self.round.delivered + ack.flight);
        if self.dip.until.is_none() {
            if ack.flight <= self.min_cwnd() {
                self.dip.until = Some(ack.now.saturating_add(self.config.probe_rtt_time));
                self.round.restart();
            }
            return;
        }
        self.dip.had_round |= self.round.started;
        if self.dip.had_round {
            self.leave_probe_rtt_if_done(window, ack.now);
        }
    }

    pub(super) fn leave_probe_rtt_if_done(&mut self, window: &mut Window, now: Instant) {
        if self.dip.until.is_some_and(|until| now > until) {
            self.min_rtt.renew(now);
            window.cwnd = window.cwnd.max(self.repair.saved);
            self.resume();
            self.cycle.start = now;
        }
    }
}
