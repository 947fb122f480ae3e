//! cwnd: bandwidth times delay times the gain, with room for bursts, delayed and aggregated ACKs. Losses
//! leave the model alone; they cut the window to what is in flight for a round, and it comes back afterwards.

use super::{Bbr, Mode};
use crate::{congestion::Ack, window::Window};

/// What losses and dips do to the window.
#[derive(Clone, Copy, Debug, Default)]
pub struct Repair {
    /// The last window that nothing had cut, to come back to.
    pub saved: f64,
    /// A packet leaves only when one arrived: the first round of a recovery.
    pub conserves: bool,
    is_running: bool,
    acks_since: u32,
    /// In flight after the last ACK, and what it delivered.
    last: (f64, f64),
}

impl Repair {
    /// Begins; true when packets are conserved for a round. They are not when the last recovery ended with
    /// the ACK before: losses never ceased, and Linux sees one recovery there.
    pub(super) fn begin(&mut self, is_timeout: bool) -> bool {
        let goes_on = self.is_running || (self.saved > 0.0 && self.acks_since <= 1);
        self.is_running = true;
        self.conserves = !is_timeout && !goes_on;
        self.conserves
    }

    pub(super) fn conserved(&self) -> f64 {
        (self.last.0 + self.last.1).max(1.0)
    }

    /// Ends; gives the window to come back to, zero if none was cut.
    pub(super) fn end(&mut self) -> f64 {
        self.conserves = false;
        self.acks_since = 0;
        if std::mem::take(&mut self.is_running) { self.saved } else { 0.0 }
    }
}

impl Bbr {
    pub(super) fn min_cwnd(&self) -> f64 {
        self.config.min_cwnd
    }

    pub(super) fn save_cwnd(&mut self, window: &Window) {
        let is_cut = self.repair.is_running || self.mode == Mode::ProbeRtt;
        self.repair.saved = if is_cut { self.repair.saved.max(window.cwnd) } else { window.cwnd };
    }

    /// Whole segments of bandwidth times delay, the initial window before there is a sample.
    fn pipe(&self, rate: f64, gain: f64) -> f64 {
        match self.min_rtt.get() {
            Some(rtt) => (rate * rtt.as_secs_f64() * gain).min(self.max_window).ceil(),
            None => self.initial_window,
        }
    }

    /// Room for bursts at both ends, an even number for delayed ACKs, and an excess that the probe is seen.
    fn with_room(&self, segments: f64) -> f64 {
        let segments = segments + 3.0 * self.burst;
        let even = (segments / 2.0).ceil() * 2.0;
        if self.mode == Mode::ProbeBw && self.cycle.phase == 0 { even + 2.0 } else { even }
    }

    pub(super) fn inflight(&self, rate: f64, gain: f64) -> f64 {
        self.with_room(self.pipe(rate, gain))
    }

    /// Segments in the network when the next burst leaves, of `flight` now. While the rate is raised that burst counts, too
    /// (Linux, `bbr_packets_in_net_at_edt`).
    pub(super) fn in_network(&self, ack: &Ack, flight: f64) -> f64 {
        let delivered = (self.rate() * ack.pacing_wait.as_secs_f64()).floor();
        let burst = if self.pacing_gain > 1.0 { self.burst } else { 0.0 };
        (flight + burst - delivered).max(0.0)
    }

    pub(super) fn set_cwnd(&mut self, window: &mut Window, ack: &Ack) {
        self.repair.last = (ack.flight, ack.delivered);
        self.repair.acks_since = self.repair.acks_since.saturating_add(1);
        if ack.delivered > 0.0 {
            // An ACK releases at most twice what it delivered: what was lost goes off, growth comes on.
            let cwnd = (window.cwnd - ack.lost).max(1.0);
            window.cwnd = if self.repair.conserves {
                cwnd.max(ack.flight + ack.delivered)
            } else {
                self.approach_target(cwnd, ack.delivered)
            };
        }
        window.cwnd = window.cwnd.clamp(1.0, self.max_window);
        if self.mode == Mode::ProbeRtt {
            window.cwnd = window.cwnd.min(self.min_cwnd());
        }
    }

    fn approach_target(&self, cwnd: f64, delivered: f64) -> f64 {
        let pipe = self.pipe(self.rate(), self.cwnd_gain) + self.aggregation_room();
        let target = self.with_room(pipe);
        let grown = if self.full_pipe.reached {
            (cwnd + delivered).min(target)
        } else if cwnd < target || self.round.delivered < self.initial_window {
            cwnd + delivered
        } else {
            cwnd
        };
        grown.max(self.min_cwnd())
    }
}
