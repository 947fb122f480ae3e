//! K. De Schepper, B. Briscoe, G. White, "Dual-Queue Coupled Active Queue Management (AQM) for Low Latency, Low
//! Loss, and Scalable Throughput (L4S)", RFC 9332, 2023, appendix A.
//!
//! L4S packets (ECT(1) and CE) and classic ones wait in a queue each. A proportional-integral controller of the delay
//! gives a base probability p': classic packets are dropped or marked with its square, L4S packets are marked with k
//! times it, so that a classic and a scalable flow get about equal rates. A shallow threshold of its own marks L4S
//! packets, too, and a weighted round robin serves the L4S queue almost always first.
//!
//! Equations: p' += alpha (curq - target) + beta (curq - prevq) every Tupdate, p_C = p'^2, p_CL = k p' (figure 8);
//! p'_L = (q - minTh) / range, p_L = max(p'_L, p_CL) (figures 5 and 7); a packet is chosen when the sum of the
//! likelihoods exceeds 1 (`recur`, figure 4). When p_CL reaches 1, p_C drops packets of both queues (section A.2).
//! The scheduler is that of Linux (`net/sched/sch_dualpi2.c`), which section A.1 describes.
//!
//! Open in the RFC: the sum of `recur` must not grow without bound in overload, so p_CL counts as at most 1; the
//! packet that leaves counts in the length that Th_len is compared with. Linux keeps its limit in bytes of memory,
//! classifies by filters, tests the length when a packet arrives, and its p' wraps where it saturates here: left out.

use std::collections::VecDeque;

use farlink_kernel::config::above;
use farlink_kernel::random::{draw_uniform, name_key};
use farlink_kernel::{Bytes, Duration, Instant, choice, config};
use farlink_tcp::{Amount, Ecn};

use super::fifo::{Fifo, fits};
use super::{Backlog, Entry, Offer, Parameters, Preset, Queue, Setup, Verdict};
use crate::context::Context;
use crate::ids::PacketId;
use crate::packet::Cause;
use base::Base;

mod base;

pub(super) const SOURCE: &str = "RFC 9332, 2023";

choice! {
    /// The AQM of the L4S queue alone.
    pub enum LAqm {
        /// The likelihood of a mark rises over a range of delays (figure 5).
        Ramp = "ramp",
        /// Every packet that waited longer than a threshold is marked (Linux).
        Step = "step",
    }
}

choice! {
    /// How a likelihood chooses packets.
    pub enum Recur {
        /// At even distances (`recur`, figure 4).
        Deterministic = "deterministic",
        /// By random draws (Linux).
        Random = "random",
    }
}

choice! {
    /// The arithmetic of the base probability.
    pub enum Arithmetic {
        /// Real numbers.
        Real = "real",
        /// Integers of 32 bits and gains in steps of 1/256 Hz, as in Linux.
        Linux = "linux",
    }
}

choice! {
    /// What happens when all L4S packets are marked already (section 4.2.3).
    pub enum Overload {
        /// The classic drop probability applies to both queues, also to ECN-capable packets (section A.2).
        Drop = "drop",
        /// The L4S queue grows up to the limit; p' is at most 1/k.
        Overflow = "overflow",
    }
}

config! {
    /// Parameters of DualPI2.
    pub struct Config {
        /// The default values: `rfc` or `linux`.
        pub preset: Preset = Preset::Rfc,
        /// How much may wait in both queues together. RFC 9332: 250 ms at the highest rate of the link; Linux: 10,000 packets.
        pub limit: Amount = Amount::Packets(10_000),
        /// Acceptable delay of the classic queue (figure 2).
        pub target: Duration = Duration::from_millis(15),
        /// Time between two updates of p' (Tupdate; section A.1: 16 ms).
        pub update_interval: Duration = Duration::from_millis(16); in Duration::from_micros(10)..,
        /// Integral gain in Hz: 0.1 Tupdate / RTT_max^2 with an RTT_max of 100 ms (section A.1).
        pub alpha: f64 = 0.16,
        /// Proportional gain in Hz: 0.3 / RTT_max, rounded up (section A.1).
        pub beta: f64 = 3.2,
        /// Coupling factor k: a scalable flow is marked with k p', a classic one with p'^2.
        pub coupling: f64 = 2.0; in above(0.0),
        /// The AQM of the L4S queue alone.
        pub l_aqm: LAqm = LAqm::Ramp; with Linux = LAqm::Step,
        /// Delay at which the ramp begins (minTh).
        pub min_threshold: Duration = Duration::from_micros(800),
        /// Length of the ramp in time (range).
        pub range: Duration = Duration::from_micros(400),
        /// Delay above which the step marks. Linux: 1 ms.
        pub step_threshold: Duration = Duration::from_millis(1),
        /// The ramp marks only while more packets than that are in the L4S queue (Th_len). The step marks only packets
        /// that found at least so many there (`min_qlen_step` of Linux 6.17; always 2 in the module for 5.15).
        pub threshold_packets: u64 = 1; with Linux = 0,
        /// Per cent of the rate that classic traffic has at least when both queues wait. Linux: 10; section A.2: a
        /// small number such as 1/16.
        pub classic_weight: u32 = 10; in ..=100,
        /// Largest packet: it has room at the limit, and is the unit of the scheduler's first credit.
        pub mtu: Bytes = Bytes(1514); in Bytes(1)..,
        /// How likelihoods choose packets.
        pub recur: Recur = Recur::Deterministic; with Linux = Recur::Random,
        /// The arithmetic of p'.
        pub arithmetic: Arithmetic = Arithmetic::Real; with Linux = Arithmetic::Linux,
        /// What happens when all L4S packets are marked already.
        pub overload: Overload = Overload::Drop,
        /// p' has no effect while fewer bytes wait (section A.1; Linux: two of the largest packets).
        pub min_backlog: Bytes = Bytes(0); with Linux = Bytes(3028),
    }
    preset Preset
}

impl Parameters for Config {
    fn marks(&self) -> bool {
        true
    }
}

/// One of the two queues.
#[derive(Clone, Debug, Default)]
struct Line {
    store: Fifo,
    /// Sum of likelihoods since a packet was chosen (`q.count`).
    count: f64,
}

impl Line {
    fn is_empty(&self) -> bool {
        self.store.front().is_none()
    }

    /// Age of the first packet, 0 when none waits.
    fn delay(&self, at: Instant) -> Duration {
        self.store.front().map_or(Duration::ZERO, |entry| at.saturating_since(entry.arrived))
    }
}

/// What the AQM decides about a packet that would leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Pass,
    Mark,
    Drop,
}

#[derive(Clone, Debug)]
pub(crate) struct DualPi2 {
    config: Config,
    seed: u64,
    channel: u64,
    l4s: Line,
    /// Whether each L4S packet found enough of them before it for the step.
    may_step: VecDeque<bool>,
    classic: Line,
    base: Base,
    /// Updates up to this instant, without it, are made. They are made up for when a packet comes or goes: between
    /// two of these nothing else changes than the age of the first packets, so that a timer would give the same.
    next_update: Instant,
    /// Above 0 it is the turn of the classic queue.
    credit: i64,
    draws: u64,
    empty_since: Instant,
}

impl DualPi2 {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        Self {
            seed: setup.seed,
            channel: name_key("dualpi2") ^ setup.interface,
            l4s: Line::default(),
            may_step: VecDeque::new(),
            classic: Line::default(),
            base: Base::new(config),
            next_update: Instant::ZERO + config.update_interval,
            credit: first_credit(config),
            draws: 0,
            empty_since: Instant::ZERO,
            config: config.clone(),
        }
    }

    /// Makes the updates of p' that were due by `now`.
    fn catch_up(&mut self, now: Instant) {
        while self.next_update <= now {
            let delay = self.classic.delay(self.next_update).max(self.l4s.delay(self.next_update));
            self.base.update(delay);
            self.next_update = self.next_update.saturating_add(self.config.update_interval);
            if self.base.is_at_rest() && self.classic.is_empty() && self.l4s.is_empty() {
                let more = now.saturating_since(self.next_update) / self.config.update_interval;
                self.next_update += self.config.update_interval * more;
            }
        }
    }

    /// The next packet by weighted round robin, whether it is of the L4S queue, and how its departure changes the credit.
    fn take(&mut self, now: Instant) -> Option<(Entry, bool, i64)> {
        let is_contended = !self.l4s.is_empty() && !self.classic.is_empty();
        let is_l4s = !self.l4s.is_empty() && (self.classic.is_empty() || self.credit <= 0);
        let line = if is_l4s { &mut self.l4s } else { &mut self.classic };
        let entry = line.store.pop(now)?;
        let classic_weight = i64::from(self.config.classic_weight);
        let weight = if is_l4s { classic_weight } else { classic_weight - 100 };
        let change = if is_contended { weight * i64::from(entry.size) } else { 0 };
        Some((entry, is_l4s, change))
    }

    /// True for a share `likelihood` of the packets of a queue.
    fn chooses(&mut self, is_l4s: bool, likelihood: f64) -> bool {
        if self.config.recur == Recur::Random {
            self.draws += 1;
            return draw_uniform(self.seed, self.channel, self.draws, 0) < likelihood;
        }
        let line = if is_l4s { &mut self.l4s } else { &mut self.classic };
        line.count += likelihood;
        let is_chosen = line.count > 1.0;
        line.count -= if is_chosen { 1.0 } else { 0.0 };
        is_chosen
    }

    /// The fate of an L4S packet that waited for `delay` in a queue long enough for a threshold of its own, or not
    /// (figure 7, lines 4b to 8i).
    fn l4s_fate(&mut self, delay: Duration, has_native: bool, base: f64) -> Fate {
        let coupled = self.config.coupling * base;
        if self.config.overload == Overload::Drop && coupled >= 1.0 {
            if self.chooses(true, base * base) {
                return Fate::Drop;
            }
            return if self.chooses(true, coupled.min(1.0)) { Fate::Mark } else { Fate::Pass };
        }
        let likelihood = match self.config.l_aqm {
            LAqm::Step if has_native && delay > self.config.step_threshold => return Fate::Mark,
            LAqm::Ramp if has_native => self.ramp(delay).max(coupled),
            LAqm::Step | LAqm::Ramp => coupled,
        };
        if self.chooses(true, likelihood) { Fate::Mark } else { Fate::Pass }
    }

    /// The fate of a classic packet (figure 7, lines 11 to 16).
    fn classic_fate(&mut self, ecn: Ecn, base: f64) -> Fate {
        if !self.chooses(false, base * base) {
            return Fate::Pass;
        }
        // p_C has reached p_Cmax = min(1/k^2, 1), which for k of at least 1 is when all L4S packets are marked.
        let is_overloaded =
            self.config.overload == Overload::Drop && base >= (1.0 / self.config.coupling).min(1.0);
        if ecn == Ecn::NotCapable || is_overloaded { Fate::Drop } else { Fate::Mark }
    }

    /// p'_L of figure 5.
    fn ramp(&self, delay: Duration) -> f64 {
        let Config { min_threshold, range, .. } = self.config;
        let over = delay.saturating_sub(min_threshold);
        if delay >= min_threshold.saturating_add(range) {
            1.0
        } else if over.is_zero() {
            0.0
        } else {
            over.as_secs_f64() / range.as_secs_f64()
        }
    }
}

/// The credit in favour of the L4S queue when nothing waits.
fn first_credit(config: &Config) -> i64 {
    let mtu = i64::try_from(config.mtu.0).unwrap_or(i64::MAX);
    mtu.saturating_mul(2 * i64::from(config.classic_weight) - 100)
}

impl Queue for DualPi2 {
    fn on_arrival(&mut self, offer: &Offer, backlog: &Backlog) -> Verdict {
        // Figure 3: the largest packet has room, so that large packets are at no disadvantage.
        let size = offer.size.max(u32::try_from(self.config.mtu.0).unwrap_or(u32::MAX));
        if fits(self.config.limit, backlog, size) { Verdict::Accept } else { Verdict::Drop(Cause::QueueFull) }
    }

    fn decides_on_arrival(&self) -> bool {
        false
    }

    fn push(&mut self, entry: Entry, cx: &mut Context) {
        self.catch_up(cx.now);
        if self.l4s.is_empty() && self.classic.is_empty() {
            self.credit = first_credit(&self.config);
        }
        match cx.packets[entry.packet].ecn {
            Ecn::Ect1 | Ecn::Experienced => {
                let before = self.l4s.store.backlog().packets;
                self.may_step.push_back(before >= self.config.threshold_packets);
                self.l4s.store.push(entry);
            }
            Ecn::NotCapable | Ecn::Ect0 => self.classic.store.push(entry),
        }
    }

    fn pop(&mut self, cx: &mut Context) -> Option<Entry> {
        self.catch_up(cx.now);
        self.empty_since = cx.now;
        loop {
            let packets = self.l4s.store.backlog().packets;
            let (entry, is_l4s, change) = self.take(cx.now)?;
            let has_backlog = self.backlog().bytes >= self.config.min_backlog.0;
            let base = if has_backlog { self.base.probability() } else { 0.0 };
            let fate = if is_l4s {
                let may_step = self.may_step.pop_front().unwrap_or(true);
                let has_native = match self.config.l_aqm {
                    LAqm::Ramp => packets > self.config.threshold_packets,
                    LAqm::Step => may_step,
                };
                self.l4s_fate(cx.now - entry.arrived, has_native, base)
            } else {
                self.classic_fate(cx.packets[entry.packet].ecn, base)
            };
            match fate {
                Fate::Drop => {
                    cx.drop(entry.packet, Cause::EarlyDrop);
                    continue;
                }
                Fate::Mark => cx.packets[entry.packet].ecn = Ecn::Experienced,
                Fate::Pass => {}
            }
            self.credit = self.credit.saturating_add(change);
            return Some(entry);
        }
    }

    fn backlog(&self) -> Backlog {
        let (l4s, classic) = (self.l4s.store.backlog(), self.classic.store.backlog());
        Backlog {
            packets: l4s.packets + classic.packets,
            bytes: l4s.bytes + classic.bytes,
            empty_since: self.empty_since,
        }
    }

    fn waiting(&self) -> Vec<PacketId> {
        [self.l4s.store.waiting(), self.classic.store.waiting()].concat()
    }
}

#[cfg(test)]
mod tests;
