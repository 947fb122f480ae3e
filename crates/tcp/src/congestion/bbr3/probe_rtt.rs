//! min_rtt and ProbeRTT (section "ProbeRTT"): half of the pipe for 200 ms and a round when no smaller delay was seen for 5 s.

use farlink_kernel::{Duration, Instant};

use super::probe_bw::AckPhase;
use super::{Bbr3, Sample, State};
use crate::{congestion::Ack, window::Window};

/// The smallest delays, and where ProbeRTT stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Delay {
    /// `min_rtt` and `min_rtt_stamp`; [`Duration::MAX`] before a sample.
    smallest: (Duration, Instant),
    /// `probe_rtt_min_delay` and `probe_rtt_min_stamp`.
    of_interval: (Duration, Instant),
    /// `probe_rtt_expired`.
    has_expired: bool,
    /// `probe_rtt_done_stamp`: when ProbeRTT may end, once little is in flight.
    pub(super) until: Option<Instant>,
    /// `probe_rtt_round_done`.
    had_round: bool,
}

impl Default for Delay {
    fn default() -> Self {
        let none = (Duration::MAX, Instant::ZERO);
        Self { smallest: none, of_interval: none, has_expired: false, until: None, had_round: false }
    }
}

impl Delay {
    pub(super) fn begin(&mut self, srtt: Duration, now: Instant) {
        let rtt = if srtt.is_zero() { Duration::MAX } else { srtt };
        (self.smallest, self.of_interval) = ((rtt, now), (rtt, now));
    }

    pub(super) fn min_rtt(&self) -> Option<Duration> {
        (self.smallest.0 != Duration::MAX).then_some(self.smallest.0)
    }
}

impl Bbr3 {
    /// `UpdateMinRTT`. In Linux an equal delay renews min_rtt, too.
    pub(super) fn update_min_rtt(&mut self, ack: &Ack) {
        let renews = self.is_linux();
        let delay = &mut self.delay;
        let is_older = |since: Instant, than: Duration| ack.now.saturating_since(since) > than;
        delay.has_expired = is_older(delay.of_interval.1, self.config.probe_rtt_interval);
        if let Some(rtt) = ack.rtt
            && (rtt < delay.of_interval.0 || delay.has_expired)
        {
            delay.of_interval = (rtt, ack.now);
        }
        let is_smaller =
            delay.of_interval.0 < delay.smallest.0 || (renews && delay.of_interval.0 == delay.smallest.0);
        if is_smaller || is_older(delay.smallest.1, self.config.min_rtt_window) {
            delay.smallest = delay.of_interval;
        }
    }

    /// `CheckProbeRTT`.
    pub(super) fn check_probe_rtt(&mut self, window: &mut Window, ack: &Ack, sample: &Sample) {
        if self.state != State::ProbeRtt && self.delay.has_expired && !self.restarts {
            self.state = State::ProbeRtt;
            self.save_cwnd(window);
            self.delay.until = None;
            self.cycle.ack_phase = AckPhase::Stopping;
            self.round.restart();
        }
        if self.state == State::ProbeRtt {
            self.dwell(window, ack);
        }
        if sample.delivered > 0.0 {
            self.restarts = false;
        }
    }

    /// `HandleProbeRTT`.
    fn dwell(&mut self, window: &mut Window, ack: &Ack) {
        // `MarkConnectionAppLimited`: the rates of so little in flight are not the path's.
        let delivered = self.round.delivered;
        let begins = self.limited.as_ref().filter(|limited| limited.contains(&delivered));
        let begins = begins.map_or(delivered, |limited| *limited.start());
        self.limited = Some(begins..=delivered + ack.flight);
        if self.delay.until.is_none() {
            if ack.flight <= self.probe_rtt_cwnd() {
                self.delay.until = Some(ack.now.saturating_add(self.config.probe_rtt_time));
                self.delay.had_round = false;
                self.round.restart();
            }
            return;
        }
        self.delay.had_round |= self.round.started;
        if self.delay.had_round {
            self.leave_probe_rtt_if_done(window, ack.now);
        }
    }

    /// `CheckProbeRTTDone` and `ExitProbeRTT`.
    pub(super) fn leave_probe_rtt_if_done(&mut self, window: &mut Window, now: Instant) {
        if self.delay.until.is_none_or(|until| now <= until) {
            return;
        }
        self.delay.of_interval.1 = now;
        window.cwnd = window.cwnd.max(self.episode.prior_cwnd);
        self.short_term.forget_bounds();
        if self.full_pipe.reached {
            self.start_down(now);
            self.start_cruise();
        } else {
            self.state = State::Startup;
        }
    }
}
