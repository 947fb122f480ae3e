//! [`Reachability`]: the listeners of a frame, with signal strength and propagation delay.
//!
//! The result is cached until a distance can have changed by as much as a signal propagates in a nanosecond, the tick of the clock
//! (decision 0010). It is computed for the middle of that time, so that it is valid before and after (decision
//! 0011). The time is shorter while a distance is near a threshold (reception, carrier sense, any effect): links break
//! when they break. Fading is drawn per frame.

use farlink_kernel::{Duration, Instant};

use super::transmission::{Listener, count_instants};
use crate::channel::medium::{Delay, Medium};
use crate::channel::propagation::{FadingKey, Least, Near};
use crate::channel::propagation_speed::PropagationSpeed;
use crate::channel::spatial_index::SpatialIndex;
use crate::mobility::trajectory::Trajectory;
use crate::phy::antenna::Settings;
use crate::phy::power::Strength;
use crate::space::{Metres, Position, Speed};

/// Half the longest lifetime of a cached result.
const LONGEST: Duration = Duration::from_secs(1000);

/// Which members of a channel receive whose signals.
#[derive(Debug)]
pub(super) struct Reachability {
    index: SpatialIndex,
    medium: Medium,
    /// Signals below this gain have no effect.
    least: Least,
    keys: (u64, u64),
    cache: Vec<Cached>,
    /// The change of a distance up to which a cached result is valid.
    tolerance: Metres,
    /// A member at this distance in the middle of the lifetime stays out of range until its end, on any trajectory.
    far: Metres,
    /// Without fading: the distances at which the effect of a signal changes.
    thresholds: Vec<Metres>,
    pool: Vec<Vec<Listener>>,
    near: Vec<Near>,
    /// Natural logarithms of their gains.
    gains: Vec<f64>,
}

#[derive(Clone, Debug, Default)]
struct Cached {
    until: Instant,
    /// With fading: members that may be in range.
    near: Vec<Near>,
    /// Without fading: the listeners, and at how many instants the signal reaches one.
    listeners: Vec<Listener>,
    instants: u64,
}

impl Reachability {
    pub(super) fn new(medium: Medium, trajectories: Vec<Trajectory>, keys: (u64, u64)) -> Self {
        let antenna = &medium.antenna;
        let least = antenna.floor();
        let steps = [antenna.receive_threshold, antenna.carrier_sense_threshold, least];
        let mut thresholds: Vec<Metres> = steps.map(|power| medium.reach(power)).to_vec();
        thresholds.dedup();
        thresholds.retain(|_| !medium.propagation.is_random());
        let tolerance = tolerance(&medium);
        let cache = vec![Cached::default(); trajectories.len()];
        let reach = medium.reach(least);
        // Until the middle a distance may fall by one tolerance.
        let [far, listed] = [3.0, 4.0].map(|tolerances| Metres(reach.0 + tolerances * tolerance.0));
        let index = medium.spatial_index(trajectories, listed);
        Self {
            thresholds,
            cache,
            tolerance,
            far,
            index,
            least: Least::new(medium.gain(least)),
            medium,
            keys,
            pool: Vec::new(),
            near: Vec::new(),
            gains: Vec::new(),
        }
    }

    /// The listeners of frame `number` of `member`, in the order of arrival, and at how many instants it reaches one.
    pub(super) fn listeners(
        &mut self,
        member: u32,
        number: u64,
        now: Instant,
        settings: &Settings,
    ) -> (Vec<Listener>, u64) {
        if now >= self.cache[member as usize].until {
            self.refresh(member, now, settings);
        }
        let mut listeners = self.pool.pop().unwrap_or_default();
        listeners.clear();
        let cached = &self.cache[member as usize];
        if self.medium.propagation.is_random() {
            let key = FadingKey::new(self.keys, number, u64::from(member), now);
            self.medium.propagation.log_gains(&cached.near, self.least, key, &mut self.gains);
            let instants = self.choose(&cached.near, settings, &mut listeners);
            (listeners, instants)
        } else {
            listeners.extend_from_slice(&cached.listeners);
            (listeners, cached.instants)
        }
    }

    /// Computes the result of a member for the middle of the longest lifetime; for the present if a member turns
    /// meanwhile or is near a threshold.
    fn refresh(&mut self, member: u32, now: Instant, settings: &Settings) {
        let mut cached = std::mem::take(&mut self.cache[member as usize]);
        let half = self.time_to_change(self.tolerance);
        let (middle, end) = (now.saturating_add(half), now.saturating_add(half.saturating_mul(2)));
        let (from, is_straight) = self.locate(member, now, middle, end);
        let from = if is_straight && self.to_threshold() >= self.tolerance {
            cached.until = end;
            from
        } else {
            let (from, _) = self.locate(member, now, now, now);
            cached.until = now.saturating_add(self.time_to_change(self.to_threshold()));
            from
        };
        self.medium.propagation.set_path_terms(from, &mut self.near);
        if self.medium.propagation.is_random() {
            cached.near.clone_from(&self.near);
        } else {
            let key = FadingKey::new(self.keys, 0, u64::from(member), now);
            self.medium.propagation.log_gains(&self.near, self.least, key, &mut self.gains);
            cached.listeners.clear();
            cached.instants = self.choose(&self.near, settings, &mut cached.listeners);
        }
        self.cache[member as usize] = cached;
    }

    /// The time in which no distance can change by more than `tolerance`.
    fn time_to_change(&self, tolerance: Metres) -> Duration {
        if self.index.is_still() {
            return LONGEST;
        }
        // Both may move.
        Duration::from_secs_f64(tolerance.0 / (2.0 * self.index.top_speed_mps())).min(LONGEST)
    }

    /// The smallest distance of a member from a threshold, up to the tolerance.
    fn to_threshold(&self) -> Metres {
        let distances = self
            .near
            .iter()
            .flat_map(|near| self.thresholds.iter().map(|threshold| (near.distance.0 - threshold.0).abs()));
        Metres(distances.fold(self.tolerance.0, f64::min))
    }

    /// The candidates whose gain has an effect: most of them. Returns at how many instants the signal reaches one.
    fn choose(&self, near: &[Near], settings: &Settings, listeners: &mut Vec<Listener>) -> u64 {
        let (power, least) = (self.medium.power.0, self.least.log);
        let (mut are_all_above, mut instants, mut before) = (true, 0, None);
        listeners.extend(near.iter().zip(&self.gains).map(|(&Near { delay, listener, .. }, &gain)| {
            are_all_above &= gain >= least;
            instants += u64::from(before.replace(delay) != Some(delay));
            Listener::new(listener, Strength(power + gain), delay, settings)
        }));
        if are_all_above {
            return instants;
        }
        let mut gains = self.gains.iter();
        listeners.retain(|_| gains.next().is_some_and(|&gain| gain >= least));
        count_instants(listeners)
    }

    pub(super) fn recycle(&mut self, listeners: Vec<Listener>) {
        self.pool.push(listeners);
    }

    /// Computes the candidates of `member` at an instant that is not before `now`, in the order of arrival. Returns the position of
    /// `member`, and whether all candidates that matter move straight on until `end`. The order changes slowly, and is
    /// nearly that of the last call.
    fn locate(&mut self, member: u32, now: Instant, at: Instant, end: Instant) -> (Position, bool) {
        let Self { index, near, medium, far, .. } = self;
        let Medium { delay, speed, .. } = &*medium;
        let mut order = index.candidates(member, now);
        let segment = index.stretch(member, now);
        let (from, mut is_straight) = (segment.position(at), segment.lasts(end));
        let constant = match (delay, speed) {
            (Delay::Distance, &PropagationSpeed::Constant(speed)) => Some(speed),
            _ => None,
        };
        let mut is_sorted = true;
        let mut last = (Duration::ZERO, 0);
        near.clear();
        near.extend(order.iter().map(|&listener| {
            let segment = index.stretch(listener, now);
            let position = segment.position(at);
            let distance = from.distance(position);
            is_straight &= segment.lasts(end) || distance.0 >= far.0;
            let delay = match constant {
                Some(speed) => speed.time_for(distance),
                None if *delay == Delay::None => Duration::ZERO,
                None => speed.time_between(from, position, distance),
            };
            if delay <= last.0 {
                is_sorted &= last <= (delay, listener);
            }
            last = (delay, listener);
            Near { delay, listener, position, distance, term: 0.0 }
        }));
        if !is_sorted {
            sort_nearly_sorted(near, |near| (near.delay, near.listener));
            order.iter_mut().zip(near).for_each(|(place, near)| *place = near.listener);
        }
        index.keep(member, order);
        (from, is_straight)
    }

    #[cfg(test)]
    pub(super) fn set_trajectory(&mut self, member: usize, trajectory: Trajectory, now: Instant) {
        self.index.set_trajectory(member, trajectory, now);
        self.cache.iter_mut().for_each(|cached| cached.until = now);
    }
}

/// The distance that a signal propagates in a tick of the clock; that of light without propagation delay; 0 if the speed varies
/// with the position.
fn tolerance(medium: &Medium) -> Metres {
    let speed = match (medium.delay, &medium.speed) {
        (Delay::None, _) => Speed::LIGHT.0,
        (Delay::Distance, &PropagationSpeed::Constant(speed)) => speed.0,
        (Delay::Distance, _) => 0.0,
    };
    Metres(speed * Duration::from_nanos(1).as_secs_f64())
}

/// Insertion sort for nearly sorted items; a general sort when too many items move.
fn sort_nearly_sorted<T: Copy, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    let mut budget = 8 * items.len();
    for next in 1..items.len() {
        if key(&items[next]) >= key(&items[next - 1]) {
            continue;
        }
        let item = items[next];
        let mut place = next;
        while place > 0 && key(&item) < key(&items[place - 1]) {
            items[place] = items[place - 1];
            place -= 1;
        }
        items[place] = item;
        let moved = next - place;
        if moved > budget {
            return items.sort_unstable_by_key(key);
        }
        budget -= moved;
    }
}

#[cfg(test)]
mod tests;
