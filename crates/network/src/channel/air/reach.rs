//! [`Reach`]: whom a frame reaches, how strong and after how long.

use farlink_kernel::{Duration, Instant};

use super::transmission::Listener;
use crate::blueprint::{Delay, Radio};
use crate::channel::celerity::Celerity;
use crate::channel::neighbourhood::Neighbourhood;
use crate::channel::propagation::{self, Least, Luck, Near};
use crate::mobility::trajectory::Trajectory;
use crate::phy::power::Strength;
use crate::space::Position;

/// What lies between the members of a channel.
#[derive(Debug)]
pub(super) struct Reach {
    neighbourhood: Neighbourhood,
    propagation: propagation::Any,
    power: Strength,
    /// Weaker signals change nothing.
    least: Least,
    delay: Delay,
    speed: Celerity,
    /// The run's seed and the channel's.
    keys: (u64, u64),
    /// Whom a member reaches, where that is the same for every frame.
    known: Vec<Option<Vec<Listener>>>,
    /// Lists to be used again.
    pool: Vec<Vec<Listener>>,
    near: Vec<Near>,
    /// How much of the frame's power reaches them, as natural logarithms.
    gains: Vec<f64>,
}

impl Reach {
    /// On a channel with these keys for draws.
    pub(super) fn new(radio: &Radio, trajectories: Vec<Trajectory>, keys: (u64, u64)) -> Self {
        let propagation = radio.propagation.build(&());
        let least = radio.antenna.floor().watts / radio.antenna.power.watts;
        Self {
            known: vec![None; trajectories.len()],
            neighbourhood: Neighbourhood::new(trajectories, propagation.reach(least), radio.skip_far),
            propagation,
            power: radio.antenna.power.strength(),
            least: Least::new(least),
            delay: radio.delay,
            speed: radio.speed.clone(),
            keys,
            pool: Vec::new(),
            near: Vec::new(),
            gains: Vec::new(),
        }
    }

    /// Whom frame `number` of `member` reaches, in the order reached.
    pub(super) fn listeners(&mut self, member: u32, number: u64, now: Instant) -> Vec<Listener> {
        let mut listeners = self.pool.pop().unwrap_or_default();
        listeners.clear();
        if let Some(known) = &self.known[member as usize] {
            listeners.extend_from_slice(known);
            return listeners;
        }
        let from = self.look(member, now);
        let luck = Luck::new(self.keys, number, u64::from(member), now);
        self.propagation.log_gains(from, &self.near, self.least, luck, &mut self.gains);
        for (&Near { delay, listener, .. }, &gain) in self.near.iter().zip(&self.gains) {
            if gain >= self.least.log {
                listeners.push(Listener::new(listener, Strength(self.power.0 + gain), delay));
            }
        }
        if self.neighbourhood.is_still() && !self.propagation.is_random() {
            self.known[member as usize] = Some(listeners.clone());
        }
        listeners
    }

    /// Takes back a list that is not needed any more.
    pub(super) fn recycle(&mut self, listeners: Vec<Listener>) {
        self.pool.push(listeners);
    }

    /// Who could hear `member` now, in the order reached; and where `member` is. The order changes slowly: that
    /// of its last frame is nearly that of this one.
    fn look(&mut self, member: u32, now: Instant) -> Position {
        let Self { neighbourhood, near, delay, speed, .. } = self;
        let mut order = neighbourhood.near(member, now);
        let from = neighbourhood.position(member, now);
        let light = match (&*delay, &*speed) {
            (Delay::Distance, &Celerity::Constant(speed)) => Some(speed),
            _ => None,
        };
        let mut is_sorted = true;
        let mut last = (Duration::ZERO, 0);
        near.clear();
        near.extend(order.iter().map(|&listener| {
            let place = neighbourhood.position(listener, now);
            let distance = from.distance(place);
            let delay = match light {
                Some(speed) => speed.time_for(distance),
                None if *delay == Delay::None => Duration::ZERO,
                None => speed.time_between(from, place, distance),
            };
            // Hardly ever equal.
            if delay <= last.0 {
                is_sorted &= last <= (delay, listener);
            }
            last = (delay, listener);
            Near { delay, listener, place, distance }
        }));
        if !is_sorted {
            sort_again(near, |near| (near.delay, near.listener));
            order.iter_mut().zip(near).for_each(|(place, near)| *place = near.listener);
        }
        neighbourhood.keep(member, order);
        from
    }

    /// Gives a member another trajectory.
    #[cfg(test)]
    pub(super) fn set_trajectory(&mut self, member: usize, trajectory: Trajectory, now: Instant) {
        self.neighbourhood.set_trajectory(member, trajectory, now);
        self.known.iter_mut().for_each(|known| *known = None);
    }
}

/// Sorts what is nearly sorted: each goes back past those that come after it. What turns out to be in disorder
/// is left to the library.
fn sort_again<T: Copy, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    let mut patience = 8 * items.len();
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
        if moved > patience {
            return items.sort_unstable_by_key(key);
        }
        patience -= moved;
    }
}
