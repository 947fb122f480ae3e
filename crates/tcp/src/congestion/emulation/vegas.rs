//! `tcp_vegas.c`. Today's Linux takes cwnd (RTT - baseRTT)/baseRTT for Diff, which is more when queues are long. Linux
//! 2.6.22 takes the amount that was acknowledged in the round instead of cwnd, and moves the window towards one more or
//! less than the round before began with, so that it moves in every other round only.

use farlink_kernel::Instant;

use super::rounds::Rounds;
use crate::congestion::delay::Round;
use crate::congestion::vegas::{Config, Vegas, grows};
use crate::congestion::{Ack, CongestionControl, Loss, Setup};
use crate::window::Window;

#[derive(Debug)]
pub(super) struct Module {
    vegas: Vegas,
    /// Rounds as Linux 2.6.22 takes them; none in today's Linux.
    rounds: Option<Rounds>,
    /// The window at the begin of the current round.
    began_with: f64,
}

impl Module {
    pub(super) fn new(config: &Config, setup: &Setup) -> Self {
        let rounds = setup.arithmetic.is_2_6_22().then(Rounds::default);
        Self { vegas: Vegas::new(config, setup), rounds, began_with: 0.0 }
    }

    fn decide(&mut self, window: &mut Window, ack: &Ack, round: &Round) {
        let samples = &self.vegas.rounds;
        if self.rounds.is_none() {
            let excess = round.rtt.saturating_sub(samples.base).as_nanos() as f64;
            let diff = (window.cwnd * excess / samples.base.as_nanos() as f64).floor();
            let target = samples.target(window.cwnd, round.rtt).floor();
            return self.vegas.decide(window, ack, (diff, target));
        }
        // Halves of a segment.
        let halves = 2.0 * round.acked.floor();
        let target = samples.target(halves, round.rtt).floor();
        self.decide_in_2_6_22(window, ack, ((halves - target) / 2.0, (target / 2.0).floor()));
    }

    fn decide_in_2_6_22(&mut self, window: &mut Window, ack: &Ack, (diff, target): (f64, f64)) {
        let began_with = window.cwnd;
        self.vegas.last_diff = diff;
        if !self.vegas.reno.in_slow_start(window) {
            let most = if grows(ack) { 1.0 } else { 0.0 };
            let towards = (self.began_with + self.vegas.step(diff) - window.cwnd).clamp(-1.0, most);
            window.cwnd = (window.cwnd + towards).max(2.0);
        } else if self.vegas.decide_in_slow_start(window, ack, (diff, target)) {
            window.ssthresh = 2.0;
        }
        self.began_with = began_with;
    }
}

impl CongestionControl for Module {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        let samples = &mut self.vegas.rounds;
        let round = match &mut self.rounds {
            Some(rounds) => rounds.on_ack(samples, ack),
            None => samples.on_ack(ack),
        };
        if let Some(round) = self.vegas.grow(window, ack, round) {
            self.decide(window, ack, &round);
        }
    }

    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        self.vegas.on_congestion(window, loss);
    }

    fn on_recovery_end(&mut self, window: &mut Window, now: Instant) {
        self.rounds.iter_mut().for_each(Rounds::restart);
        self.vegas.on_recovery_end(window, now);
    }

    fn on_idle(&mut self, window: &mut Window, restart: f64, now: Instant) {
        self.rounds.iter_mut().for_each(Rounds::restart);
        self.vegas.on_idle(window, restart, now);
    }

    fn observe(&self) -> Vec<(&'static str, f64)> {
        self.vegas.observe()
    }
}

#[cfg(test)]
mod tests {
    use farlink_kernel::Duration;

    use super::*;
    use crate::congestion::arithmetic::WindowArithmetic;
    use crate::congestion::testing::{Bench, setup};

    /// Diff and the window after a round with the given smallest sample on a path of 100 ms.
    fn decided(cwnd: f64, ssthresh: f64, rtt: u64) -> (f64, f64) {
        let mut module = Module::new(&Config::default(), &setup(WindowArithmetic::LINUX));
        module.vegas.rounds.base = Duration::from_millis(100);
        let mut window = Window { ssthresh, ..Window::new(cwnd) };
        let round = Round { rtt: Duration::from_millis(rtt), samples: 10, acked: cwnd };
        module.decide(&mut window, &Bench::new("reno", cwnd).ack(), &round);
        (module.vegas.last_diff, window.cwnd)
    }

    #[test]
    fn the_difference_decides_between_growing_staying_and_shrinking() {
        let cases = [
            (20.0, 5.0, 110, 2.0, 20.0),
            (20.0, 5.0, 105, 1.0, 21.0),
            (20.0, 5.0, 118, 3.0, 20.0),
            (20.0, 5.0, 130, 6.0, 19.0),
            (2.0, 2.0, 400, 6.0, 2.0),
        ];
        for (cwnd, ssthresh, rtt, diff, next) in cases {
            assert_eq!(decided(cwnd, ssthresh, rtt), (diff, next), "{cwnd} {rtt}");
        }
    }

    #[test]
    fn slow_start_goes_on_until_gamma_segments_queue() {
        for (rtt, diff, window) in [(100, 0.0, 11.0), (105, 0.0, 11.0), (115, 1.0, 11.0), (125, 2.0, 9.0)] {
            assert_eq!(decided(10.0, 64.0, rtt), (diff, window), "{rtt}");
        }
    }
}
