//! `tcp_htcp.c`: whole 128ths, a clock of milliseconds, growth in whole steps of alpha(Delta). The throughput is the largest of
//! an averaged one since the last loss, whose time is the end of its repair. The largest round-trip time fades.

use farlink_kernel::{Duration, Instant};

use crate::congestion::htcp::Config;
use crate::congestion::reno::{LARGEST_WINDOW, Reno};
use crate::congestion::{Ack, CongestionControl, Loss, LossKind, Saved, Setup};
use crate::window::Window;

/// 1 in the module's fixed point.
const ONE: u64 = 1 << 7;
/// Paths with a shorter round trip keep half, in milliseconds.
const LEAST_RTT: u64 = 10;

/// Times are milliseconds, rates segments per second.
#[derive(Clone, Copy, Debug)]
struct State {
    last_loss: u64,
    max_rtt: u64,
    old_max_rate: u64,
}

#[derive(Debug)]
pub(super) struct Module {
    config: Config,
    reno: Reno,
    /// In 128ths.
    alpha: u64,
    beta: u64,
    /// `modeswitch`: a loss was seen since the throughput changed.
    is_adaptive: bool,
    min_rtt: u64,
    state: State,
    before: Option<State>,
    rate: u64,
    max_rate: u64,
    packets: f64,
    packets_since: u64,
    /// `snd_cwnd_cnt`.
    counted: f64,
    repairing: bool,
}

fn millis(now: Instant) -> u64 {
    now.as_nanos() / 1_000_000
}

impl Module {
    pub(super) fn new(config: &Config, setup: &Setup) -> Self {
        let beta = in_128ths(config.beta_min.0);
        Self {
            config: config.clone(),
            reno: Reno::with(setup.arithmetic),
            alpha: ONE,
            beta,
            is_adaptive: false,
            min_rtt: 0,
            state: State { last_loss: 0, max_rtt: 0, old_max_rate: 0 },
            before: None,
            rate: 0,
            max_rate: 0,
            packets: 0.0,
            packets_since: 0,
            counted: 0.0,
            repairing: false,
        }
    }

    fn measure_rtt(&mut self, rtt: Duration) {
        // `usecs_to_jiffies` rounds up.
        let rtt = rtt.as_nanos().div_ceil(1_000_000).max(1);
        self.min_rtt = if self.min_rtt == 0 { rtt } else { self.min_rtt.min(rtt) };
        if !self.repairing {
            let max = self.state.max_rtt.max(self.min_rtt);
            self.state.max_rtt = if max < rtt && rtt <= max + 20 { rtt } else { max };
        }
    }

    /// `measure_achieved_throughput`.
    fn measure(&mut self, cwnd: f64, ack: &Ack) {
        if let Some(rtt) = ack.rtt {
            self.measure_rtt(rtt);
        }
        if !self.config.adaptive_backoff {
            return;
        }
        let now = millis(ack.now);
        if self.repairing {
            (self.packets, self.packets_since) = (0.0, now);
            return;
        }
        self.packets += ack.delivered;
        let elapsed = now - self.packets_since;
        let is_round = self.packets >= cwnd - (self.alpha / ONE).max(1) as f64;
        if !is_round || self.min_rtt == 0 || elapsed < self.min_rtt {
            return;
        }
        let rate = (self.packets * 1000.0) as u64 / elapsed;
        if now.saturating_sub(self.state.last_loss) / self.min_rtt <= 3 {
            (self.rate, self.max_rate) = (rate, rate);
        } else {
            self.rate = (3 * self.rate + rate) / 4;
            self.max_rate = self.max_rate.max(self.rate);
        }
        (self.packets, self.packets_since) = (0.0, now);
    }

    fn update_beta(&mut self) {
        let least = in_128ths(self.config.beta_min.0);
        self.beta = least;
        if self.config.adaptive_backoff {
            let (max, old) = (self.max_rate, std::mem::replace(&mut self.state.old_max_rate, self.max_rate));
            // `between(5 * maxB, 4 * old_maxB, 6 * old_maxB)`.
            if max.abs_diff(old) as f64 > self.config.delta_b * old as f64 {
                self.is_adaptive = false;
                return;
            }
        }
        if self.is_adaptive && self.min_rtt > LEAST_RTT && self.state.max_rtt > 0 {
            let ratio = ONE * self.min_rtt / self.state.max_rtt;
            self.beta = ratio.clamp(least, in_128ths(self.config.beta_max.0).max(least));
        } else {
            self.is_adaptive = true;
        }
    }

    fn update_alpha(&mut self, now: u64) {
        let elapsed = now.saturating_sub(self.state.last_loss);
        let mut factor = 1;
        let delta_l = self.config.delta_l.as_millis();
        if elapsed > delta_l {
            let beyond = (elapsed - delta_l).min(1 << 31);
            factor = 1 + (10 * beyond + (beyond / 2) * (beyond / 2) / 1000) / 1000;
        }
        if self.config.rtt_scaling && self.min_rtt > 0 {
            // In eighths, within 0.5 to 10.
            let scale = ((1000 << 3) / (10 * self.min_rtt)).clamp(4, 80);
            factor = ((factor << 3) / scale).max(1);
        }
        self.alpha = 2 * factor * (ONE - self.beta);
        if self.alpha == 0 {
            self.alpha = ONE;
        }
    }
}

fn in_128ths(fraction: f64) -> u64 {
    (fraction * ONE as f64) as u64
}

impl CongestionControl for Module {
    fn on_start(&mut self, _window: &mut Window, now: Instant, _srtt: Duration) {
        self.state.last_loss = millis(now);
    }

    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        self.measure(window.cwnd, ack);
        if !ack.may_grow {
            return;
        }
        if self.reno.in_slow_start(window) {
            self.reno.slow_start(window, ack.acked);
        } else if (self.counted * self.alpha as f64 / ONE as f64).floor() >= window.cwnd {
            window.cwnd = (window.cwnd + 1.0).min(LARGEST_WINDOW);
            self.counted = 0.0;
            self.update_alpha(millis(ack.now));
        } else {
            self.counted += if self.repairing { 1.0 } else { ack.delivered };
        }
    }

    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        let now = millis(loss.now);
        // A further expiry of the timer asks for no new threshold (`tcp_enter_loss`).
        if !loss.repeated {
            self.update_beta();
            self.update_alpha(now);
            let State { max_rtt, .. } = self.state;
            if self.min_rtt > 0 && max_rtt > self.min_rtt {
                self.state.max_rtt = self.min_rtt + (max_rtt - self.min_rtt) * 95 / 100;
            }
        }
        // What `htcp_reset` saves comes after `htcp_recalc_ssthresh`: only the time of the loss is of before.
        self.before = Some(self.state);
        self.state.last_loss = now;
        self.repairing = loss.kind != LossKind::Ecn;
        self.counted = 0.0;
        self.reno.reduce(window, loss, (loss.flight * self.beta as f64 / ONE as f64).floor());
    }

    fn on_recovery_end(&mut self, window: &mut Window, now: Instant) {
        self.repairing = false;
        if self.before.take().is_some() {
            self.state.last_loss = millis(now);
        }
        self.reno.end_recovery(window);
    }

    fn on_spurious(&mut self, window: &mut Window, saved: &Saved) {
        self.repairing = false;
        if let Some(before) = self.before.take() {
            self.state = before;
        }
        window.cwnd = window.cwnd.max(saved.cwnd);
        window.ssthresh = window.ssthresh.max(saved.ssthresh);
    }

    fn observe(&self) -> Vec<(&'static str, f64)> {
        vec![("alpha", self.alpha as f64 / ONE as f64), ("beta", self.beta as f64 / ONE as f64)]
    }

    fn uses_delivery_rate(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::arithmetic::WindowArithmetic;
    use crate::congestion::testing::{loss, setup};

    fn module(rtt_scaling: bool) -> Module {
        let config = Config { rtt_scaling, ..Config::default() };
        let mut module = Module::new(&config, &setup(WindowArithmetic::LINUX));
        module.min_rtt = 100;
        module
    }

    #[test]
    fn alpha_is_of_whole_steps() {
        // 1 + floor((10 d + floor((d/2)^2/1000))/1000), d in ms beyond a second, with half kept.
        for (elapsed, alpha) in [(1000, 1), (1099, 1), (1100, 2), (1500, 6), (2000, 11), (3000, 22)] {
            let mut module = module(false);
            module.update_alpha(elapsed);
            assert_eq!(module.alpha, alpha * ONE, "{elapsed}");
        }
    }

    #[test]
    fn alpha_is_scaled_by_the_round_trip_time_over_100_ms() {
        // 8000/(10 RTT) eighths within 4 to 80: 8 at 100 ms, 16 at 50 ms, 4 at 200 ms and above, 80 at 10 ms and below.
        for (rtt, alpha) in [(100, 22), (50, 11), (200, 44), (600, 44), (10, 2), (1, 2)] {
            let mut module = module(true);
            module.min_rtt = rtt;
            module.update_alpha(3000);
            assert_eq!(module.alpha, alpha * ONE, "{rtt}");
        }
    }

    #[test]
    fn a_loss_after_another_at_the_same_rate_keeps_the_ratio_in_128ths() {
        let mut module = module(false);
        (module.max_rate, module.state.max_rtt) = (1000, 150);
        let mut window = Window::new(200.0);
        let mut lose = |module: &mut Module, cwnd| {
            module.on_congestion(&mut window, &loss(LossKind::DuplicateAcks, cwnd));
            window.cwnd
        };
        assert_eq!(lose(&mut module, 200.0), 100.0, "the rate was 0 before");
        assert_eq!(lose(&mut module, 200.0), 100.0, "the first at this rate");
        module.state.max_rtt = 150;
        // floor(128 100/150) = 85, floor(200 85/128) = 132.
        assert_eq!((lose(&mut module, 200.0), module.beta), (132.0, 85));
        assert_eq!(module.state.max_rtt, 100 + 50 * 95 / 100);
        module.max_rate = 1300;
        assert_eq!(lose(&mut module, 200.0), 100.0);
    }
}
