//! R. Pan, P. Natarajan, F. Baker, G. White, "Proportional Integral Controller Enhanced (PIE): A Lightweight Control
//! Scheme to Address the Bufferbloat Problem", RFC 8033, 2017.
//!
//! Packets are dropped when they arrive, with a probability that a proportional-integral controller of the queueing
//! delay updates at fixed intervals. Its steps are the smaller, the smaller the probability is. After a quiet time a
//! burst passes without drops.
//!
//! Equations: p += (alpha (q - target) + beta (q - q_old)) / scale(p), with a scale from 2048 below 10^-6 to 1 above
//! 0.1 (section 4.2); q is the delay of the packet that left last (section 4.3 and appendix A). From section 5: marks
//! (5.1), sums of probabilities in place of independent draws (5.4), at most 0.02 more at a time (5.5). Left out:
//! estimates of the departure rate (5.2), activation by length (5.3), probabilities by size (appendix B).
//!
//! Open in the RFC: a queue that a departure leaves empty has no delay (`net/sched/sch_pie.c`); a mark ends a sum as a
//! drop does. Linux counts the burst allowance at departures and not at updates, compares the newest delay with half
//! of the target, and scales nothing by 0.98 while it has no sample: left out.

use farlink_kernel::config::{Fraction, above};
use farlink_kernel::random::{draw_uniform, name_key};
use farlink_kernel::{Bytes, Duration, Instant, config};
use farlink_tcp::Amount;

use super::fifo::{Fifo, fits, of_store};
use super::{Backlog, Entry, Offer, Parameters, Preset, Queue, Setup, Verdict};
use crate::context::Context;
use crate::packet::Cause;

pub(super) const SOURCE: &str = "RFC 8033, 2017";

config! {
    /// Parameters of PIE.
    pub struct Config {
        /// The default values: `rfc` or `linux`.
        pub preset: Preset = Preset::Rfc,
        /// How much may wait at all. Linux: 1000 packets.
        pub limit: Amount = Amount::Packets(1000),
        /// Acceptable delay (section 4.2: QDELAY_REF, 15 ms).
        pub target: Duration = Duration::from_millis(15); in above(Duration::ZERO),
        /// Time between two updates of the probability (T_UPDATE, 15 ms).
        pub update_interval: Duration = Duration::from_millis(15); in Duration::from_micros(10)..,
        /// Integral gain in Hz (appendix A: 1/8).
        pub alpha: f64 = 0.125,
        /// Proportional gain in Hz (appendix A: 1 + 1/4).
        pub beta: f64 = 1.25,
        /// How long a burst passes without drops (section 4.4: MAX_BURST, 150 ms).
        pub max_burst: Duration = Duration::from_millis(150),
        /// Nothing is dropped while no more than twice that waits (section 4.1: MEAN_PKTSIZE, without a value).
        pub mean_packet_size: Bytes = Bytes(1500),
        /// Drops keep a distance (section 5.4).
        pub derandomize: bool = true,
        /// Most that a probability of 0.1 or more rises by in one update (section 5.5).
        pub max_increase: Fraction = Fraction(0.02),
        /// Factor of the probability in an update that follows one without a delay and has none (section 4.2: 0.98; Linux: 63/64).
        pub decay: Fraction = Fraction(0.98); with Linux = Fraction(63.0 / 64.0),
        /// Delay above which the probability rises by 0.02 more in an update, if there is one. Linux: 250 ms.
        pub steep_above: Option<Duration> = None; with Linux = Some(Duration::from_millis(250)),
        /// Packets that can be marked are marked instead of dropped.
        pub ecn: bool = false,
        /// At and above this probability they are dropped, too (section 5.1: mark_ecnth, 0.1).
        pub mark_below: Fraction = Fraction(0.1),
    }
    preset Preset
}

impl Parameters for Config {
    fn marks(&self) -> bool {
        self.ecn
    }
}

/// The parameters of a controller, and what its draws depend on.
#[derive(Clone, Debug)]
pub(super) struct Law {
    pub(super) config: Config,
    pub(super) seed: u64,
    pub(super) channel: u64,
}

impl Law {
    pub(super) fn new(config: &Config, name: &str, setup: &Setup) -> Self {
        Self { config: config.clone(), seed: setup.seed, channel: name_key(name) ^ setup.interface }
    }
}

/// The controller, apart from what it controls; its names are the RFC's.
#[derive(Clone, Debug)]
pub(super) struct Controller {
    drop_prob: f64,
    accu_prob: f64,
    /// Delay of the packet that left last.
    current_qdelay: Duration,
    qdelay_old: Duration,
    burst_allowance: Duration,
    /// Updates up to this instant, without it, are made. They are made up for when a packet comes or goes: between two of these
    /// nothing changes that an update reads, so that a timer would give the same.
    next_update: Instant,
}

impl Controller {
    pub(super) fn new(config: &Config) -> Self {
        Self {
            drop_prob: 0.0,
            accu_prob: 0.0,
            current_qdelay: Duration::ZERO,
            qdelay_old: Duration::ZERO,
            burst_allowance: config.max_burst,
            next_update: Instant::ZERO + config.update_interval,
        }
    }

    /// What happens to an arrival, the `number`th; `bytes` wait before it.
    pub(super) fn on_arrival(
        &mut self,
        law: &Law,
        now: Instant,
        number: u64,
        bytes: u64,
        can_be_marked: bool,
    ) -> Verdict {
        self.catch_up(&law.config, now);
        let half = law.config.target / 2;
        if self.drop_prob == 0.0 && self.current_qdelay < half && self.qdelay_old < half {
            self.burst_allowance = law.config.max_burst;
        }
        if !self.burst_allowance.is_zero() || !self.drops_early(law, number, bytes) {
            return Verdict::Accept;
        }
        self.accu_prob = 0.0;
        let marks = law.config.ecn && can_be_marked && self.drop_prob < law.config.mark_below.0;
        if marks { Verdict::Mark } else { Verdict::Drop(Cause::EarlyDrop) }
    }

    /// An arrival was dropped because there was no room (appendix B).
    pub(super) fn on_refused(&mut self) {
        self.accu_prob = 0.0;
    }

    /// A packet leaves that arrived at `arrived`; `bytes` wait behind it.
    pub(super) fn on_departure(&mut self, law: &Law, now: Instant, arrived: Instant, bytes: u64) {
        self.catch_up(&law.config, now);
        self.current_qdelay = if bytes == 0 { Duration::ZERO } else { now - arrived };
    }

    /// `drop_early` of appendix B.
    fn drops_early(&mut self, law: &Law, number: u64, bytes: u64) -> bool {
        let config = &law.config;
        let is_calm = self.qdelay_old < config.target / 2 && self.drop_prob < 0.2;
        if is_calm || bytes <= config.mean_packet_size.0.saturating_mul(2) {
            return false;
        }
        if config.derandomize {
            self.accu_prob = if self.drop_prob == 0.0 { 0.0 } else { self.accu_prob + self.drop_prob };
            if self.accu_prob < 0.85 {
                return false;
            }
            if self.accu_prob >= 8.5 {
                return true;
            }
        }
        draw_uniform(law.seed, law.channel, number, 0) < self.drop_prob
    }

    /// Makes the updates that were due by `now`.
    fn catch_up(&mut self, config: &Config, now: Instant) {
        while self.next_update <= now {
            let is_at_rest = self.drop_prob == 0.0
                && self.burst_allowance.is_zero()
                && self.current_qdelay.is_zero()
                && self.qdelay_old.is_zero();
            self.update(config);
            self.next_update = self.next_update.saturating_add(config.update_interval);
            if is_at_rest {
                let more = now.saturating_since(self.next_update) / config.update_interval;
                self.next_update += config.update_interval * more;
            }
        }
    }

    /// `calculate_drop_prob` of appendix B.
    fn update(&mut self, config: &Config) {
        let [now, target, before] =
            [self.current_qdelay, config.target, self.qdelay_old].map(Duration::as_secs_f64);
        let mut change = config.alpha * (now - target) + config.beta * (now - before);
        change /= scale(self.drop_prob);
        if self.drop_prob >= 0.1 {
            change = change.min(config.max_increase.0);
        }
        if config.steep_above.is_some_and(|delay| self.current_qdelay > delay) {
            change += 0.02;
        }
        self.drop_prob += change;
        if self.current_qdelay.is_zero() && self.qdelay_old.is_zero() {
            self.drop_prob *= config.decay.0;
        }
        self.drop_prob = self.drop_prob.clamp(0.0, 1.0);
        self.qdelay_old = self.current_qdelay;
        self.burst_allowance = self.burst_allowance.saturating_sub(config.update_interval);
    }
}

/// The divisor of a step from the probability `p` (section 4.2).
fn scale(p: f64) -> f64 {
    let scales =
        [(0.000_001, 2048.0), (0.000_01, 512.0), (0.000_1, 128.0), (0.001, 32.0), (0.01, 8.0), (0.1, 2.0)];
    scales.iter().find(|(below, _)| p < *below).map_or(1.0, |(_, scale)| *scale)
}

#[derive(Clone, Debug)]
pub(crate) struct Pie {
    law: Law,
    controller: Controller,
    arrivals: u64,
    store: Fifo,
}

impl Pie {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        Self {
            law: Law::new(config, "pie", setup),
            controller: Controller::new(config),
            arrivals: 0,
            store: Fifo::default(),
        }
    }
}

impl Queue for Pie {
    fn on_arrival(&mut self, offer: &Offer, backlog: &Backlog) -> Verdict {
        self.arrivals += 1;
        if !fits(self.law.config.limit, backlog, offer.size) {
            self.controller.on_refused();
            return Verdict::Drop(Cause::QueueFull);
        }
        let Offer { now, can_be_marked, .. } = *offer;
        self.controller.on_arrival(&self.law, now, self.arrivals, backlog.bytes, can_be_marked)
    }

    fn decides_on_arrival(&self) -> bool {
        false
    }

    fn pop(&mut self, cx: &mut Context) -> Option<Entry> {
        let entry = self.store.pop(cx.now)?;
        self.controller.on_departure(&self.law, cx.now, entry.arrived, self.store.backlog().bytes);
        Some(entry)
    }

    of_store!(push, take_for, backlog, waiting);
}

#[cfg(test)]
mod tests;
