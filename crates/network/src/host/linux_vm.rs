//! The virtual machine on which the recordings of Linux 6.18 were made (`tests/linux`, 90 recordings of 60 s).
//!
//! - *Lateness.* Arriving packets reach the kernel's TCP late: 88 % within 50 us of their instant over `satellite`.
//! - *Wake-up.* After a pause of a millisecond the processes sleep. A handshake takes 340 to 900 us longer than its link, of which
//!   each host takes half.
//! - *Work.* A burst of 8 200 segments leaves within 15 to 22 ms, 2.3 us a packet.
//! - *Stalls.* The machine stops for one to nine milliseconds at a time, about once a second. What is due meanwhile is handled at
//!   the end of the stall. Each host has as many, at other instants: in the recordings both directions met those of one machine.
//!
//! Stalls are hashed draws per host and tenth of a second, which variants have in common; the others are drawn in order.

use farlink_kernel::random::{Stream, draw, draw_uniform, name_key};
use farlink_kernel::{Duration, Instant, config};

use super::samples::pick;
use super::{Direction, HostDelay, Setup, Turn};

pub(super) const SOURCE: &str = "recordings of Linux 6.18, tests/linux";

/// Shares of the packets that were at most so late, in microseconds (`lateness_counts` of `satellite`).
const LATENESS: [(f64, u64); 5] = [(0.893, 50), (0.983, 100), (0.993, 200), (0.996, 500), (1.0, 1000)];
/// Half of what handshakes took longer than the link: ten quantiles of the 90 recordings, in microseconds.
const WAKE_UP: [u64; 10] = [180, 200, 212, 222, 234, 248, 258, 270, 292, 370];
const SLEEPS_AFTER: Duration = Duration::from_millis(1);
const WORK: Duration = Duration::from_nanos(2_300);
/// Twenty quantiles of the stalls, in microseconds.
const STALLS: [u64; 20] = [
    1017, 1049, 1089, 1132, 1184, 1240, 1299, 1360, 1413, 1484, 1566, 1653, 1798, 2013, 2418, 2924, 3660,
    4912, 7054, 8592,
];
/// Of a host, per slot: 1.08 a second, the mean over `satellite_loss1` to `3`.
const STALLS_PER_SLOT: f64 = 0.108;
const SLOT: Duration = Duration::from_millis(100);

config! {
    /// Parameters: none.
    pub struct Config {}
}

#[derive(Clone, Debug)]
pub(crate) struct LinuxVm {
    seed: u64,
    node: u64,
    is_late: bool,
    wake_up: [Duration; WAKE_UP.len()],
    rng: Stream,
}

impl LinuxVm {
    pub(crate) fn new(_config: &Config, setup: &Setup) -> Self {
        Self {
            seed: setup.seed,
            node: setup.node,
            is_late: setup.direction == Direction::Up,
            wake_up: WAKE_UP.map(Duration::from_micros),
            rng: Stream::new(setup.seed, "host linux_vm", setup.index()),
        }
    }

    fn latency(&mut self, turn: &Turn) -> Duration {
        if !self.is_late {
            return Duration::ZERO;
        }
        if turn.now.saturating_since(turn.last) > SLEEPS_AFTER {
            return pick(&self.wake_up, &mut self.rng);
        }
        let share = self.rng.uniform();
        let mut from = (0.0, 0);
        for to in LATENESS {
            if share < to.0 {
                let within = (share - from.0) / (to.0 - from.0);
                return Duration::from_micros(from.1) + Duration::from_micros(to.1 - from.1).mul_f64(within);
            }
            from = to;
        }
        Duration::from_micros(from.1)
    }

    /// The end of the stall that `at` lies in, or `at`.
    fn resume(&self, at: Instant) -> Instant {
        let slot = at.as_nanos() / SLOT.as_nanos();
        [slot.saturating_sub(1), slot]
            .into_iter()
            .filter_map(|slot| self.stall(slot))
            .filter(|&(begin, end)| begin <= at && at < end)
            .map(|(_, end)| end)
            .fold(at, Instant::max)
    }

    /// The stall that begins in a slot, if one does.
    fn stall(&self, slot: u64) -> Option<(Instant, Instant)> {
        let channel = |what| name_key(what) ^ self.node;
        let begins = draw_uniform(self.seed, channel("host stall"), slot, 0) / STALLS_PER_SLOT;
        if begins >= 1.0 {
            return None;
        }
        let length = draw(self.seed, channel("host stall length"), slot, 0) % STALLS.len() as u64;
        let begin = Instant::from_nanos(slot * SLOT.as_nanos()).saturating_add(SLOT.mul_f64(begins));
        Some((begin, begin.saturating_add(Duration::from_micros(STALLS[length as usize]))))
    }
}

impl HostDelay for LinuxVm {
    fn done(&mut self, turn: &Turn) -> Instant {
        let begin = turn.now.saturating_add(self.latency(turn)).max(turn.free);
        self.resume(begin.saturating_add(WORK))
    }
}
