//! [`Reach`]: whom a frame reaches, how strong and after how long.

use farlink_kernel::{Duration, Instant};

use super::transmission::Listener;
use crate::blueprint::{Delay, Radio};
use crate::channel::neighbourhood::Neighbourhood;
use crate::channel::propagation::{self, Least, Luck, Path};
use crate::mobility::trajectory::Trajectory;
use crate::phy::power::{Level, Power};
use crate::space::{Metres, Speed};

/// What lies between the members of a channel.
#[derive(Debug)]
pub(super) struct Reach {
    neighbourhood: Neighbourhood,
    propagation: propagation::Any,
    power: Power,
    /// Weaker signals change nothing.
    least: Least,
    delay: Delay,
    speed: Speed,
    /// The run's seed and the channel's.
    keys: (u64, u64),
    /// Whom a member reaches, where that is the same for every frame.
    known: Vec<Option<Vec<Listener>>>,
    /// Lists to be used again.
    pool: Vec<Vec<Listener>>,
    near: Vec<Near>,
}

/// Someone who could hear a frame.
#[derive(Clone, Copy, Debug)]
struct Near {
    delay: Duration,
    path: Path,
    member: u32,
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
            power: radio.antenna.power,
            least: Least::new(least),
            delay: radio.delay,
            speed: radio.speed,
            keys,
            pool: Vec::new(),
            near: Vec::new(),
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
        self.look(member, now);
        let mut luck = Luck::new(self.keys, number, u64::from(member), now);
        for &Near { delay, ref path, member } in &self.near {
            luck.listener = u64::from(member);
            let gain = self.propagation.gain(path, self.least, &luck);
            if gain >= self.least.gain {
                listeners.push(Listener::new(member, self.level(gain), delay));
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

    /// Who could hear `member` now, in the order reached. That changes slowly: the order of its last frame is
    /// nearly that of this one.
    fn look(&mut self, member: u32, now: Instant) {
        let Self { neighbourhood, near, delay, speed, .. } = self;
        let delay_over = |distance: Metres| match delay {
            Delay::Distance => speed.time_for(distance),
            Delay::None => Duration::ZERO,
        };
        let mut order = neighbourhood.near(member, now);
        let from = neighbourhood.position(member, now);
        near.clear();
        near.extend(order.iter().map(|&member| {
            let path = Path::new(from, neighbourhood.position(member, now));
            Near { delay: delay_over(path.distance), path, member }
        }));
        sort_again(near, |near| (near.delay, near.member));
        order.iter_mut().zip(near).for_each(|(place, near)| *place = near.member);
        neighbourhood.keep(member, order);
    }

    fn level(&self, gain: f64) -> Level {
        Power::from_watts(self.power.watts * gain).level()
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
