//! [`Reach`]: whom a frame reaches, how strong and after how long.
//!
//! Where members are is looked at as often as the clock's tick makes it worth (decision 0009): at instants between
//! which no two of them can come nearer by the way of a signal in a tick. With light that is 0.3 m, with sound next to
//! nothing. These instants are the same for everyone, whoever sends.

use farlink_kernel::{Duration, Instant, math};

use super::transmission::Listener;
use crate::blueprint::{Delay, Radio};
use crate::channel::celerity::Celerity;
use crate::channel::neighbourhood::Neighbourhood;
use crate::channel::propagation::{self, Least, Luck, Near};
use crate::mobility::trajectory::Trajectory;
use crate::phy::power::Strength;
use crate::space::{Metres, Position, Speed};

/// What lies between the members of a channel.
#[derive(Debug)]
pub(super) struct Reach {
    neighbourhood: Neighbourhood,
    propagation: propagation::Any,
    power: Strength,
    /// Weaker signals change nothing, and beyond this distance there are no others.
    least: Least,
    farthest: Metres,
    delay: Delay,
    speed: Celerity,
    /// For how long everyone stands where they stood; none: for no time at all.
    step: Duration,
    /// The run's seed and the channel's.
    keys: (u64, u64),
    /// By member.
    views: Vec<View>,
    /// Lists to be used again.
    pool: Vec<Vec<Listener>>,
    /// Who could hear the newest frame, where that is not kept, and how much of its power reaches them, as natural
    /// logarithms.
    near: Vec<Near>,
    gains: Vec<f64>,
}

/// Lists of who could hear are kept up to this length: with luck that carries far they are long, and there are as many
/// as members.
const KEPT: usize = 128;

/// Whom a member reaches.
#[derive(Clone, Debug)]
struct View {
    /// Where it was, and who could hear it there; the latter only if luck decides who does.
    from: Position,
    near: Vec<Near>,
    /// Before that it is to be looked at anew.
    until: Instant,
    /// Whom its last frame reached, in the order reached.
    listeners: Vec<Listener>,
}

impl View {
    /// Not looked at yet.
    const NEW: Self =
        Self { from: Position::ORIGIN, near: Vec::new(), until: Instant::ZERO, listeners: Vec::new() };
}

impl Reach {
    /// On a channel with these keys for draws.
    pub(super) fn new(radio: &Radio, trajectories: Vec<Trajectory>, keys: (u64, u64)) -> Self {
        let propagation = radio.propagation.build(&());
        let least = radio.antenna.floor().watts / radio.antenna.power.watts;
        let farthest = propagation.reach(least);
        Self {
            views: vec![View::NEW; trajectories.len()],
            step: step(&radio.speed, &trajectories),
            neighbourhood: Neighbourhood::new(trajectories, farthest, radio.skip_far),
            propagation,
            power: radio.antenna.power.strength(),
            least: Least::new(least),
            farthest,
            delay: radio.delay,
            speed: radio.speed.clone(),
            keys,
            pool: Vec::new(),
            near: Vec::new(),
            gains: Vec::new(),
        }
    }

    /// Whom frame `number` of `member` reaches, in the order reached.
    #[inline]
    pub(super) fn listeners(&mut self, member: u32, number: u64, now: Instant) -> Vec<Listener> {
        let is_new = now >= self.views[member as usize].until;
        if is_new {
            self.look(member, self.latest(now));
        }
        if is_new || self.propagation.is_random() {
            self.draw(member, number, now);
        }
        let mut listeners = self.pool.pop().unwrap_or_default();
        listeners.clone_from(&self.views[member as usize].listeners);
        listeners
    }

    /// Takes back a list that is not needed any more.
    pub(super) fn recycle(&mut self, listeners: Vec<Listener>) {
        self.pool.push(listeners);
    }

    /// The latest instant at which everyone is looked at.
    fn latest(&self, now: Instant) -> Instant {
        if self.step.is_zero() {
            now
        } else {
            Instant::ZERO + self.step * (now.as_nanos() / self.step.as_nanos())
        }
    }

    /// Looks who could hear `member`, in the order reached. That changes slowly: that of the last look is nearly that of
    /// this one.
    #[inline(never)]
    fn look(&mut self, member: u32, at: Instant) {
        let Self { neighbourhood, delay, speed, farthest, near, .. } = self;
        let view = &mut self.views[member as usize];
        view.from = neighbourhood.position(member, at);
        let mut order = neighbourhood.near(member, at);
        let mut is_sorted = true;
        let mut last = (Duration::ZERO, 0);
        near.clear();
        near.extend(order.iter().map(|&listener| {
            let place = neighbourhood.position(listener, at);
            let distance = view.from.distance(place);
            let delay = match delay {
                Delay::None => Duration::ZERO,
                Delay::Distance => speed.time_between(view.from, place, distance),
            };
            is_sorted &= last <= (delay, listener);
            last = (delay, listener);
            Near { delay, listener, place, distance }
        }));
        if !is_sorted {
            sort_again(near, |near| (near.delay, near.listener));
            order.iter_mut().zip(&*near).for_each(|(place, near)| *place = near.listener);
        }
        neighbourhood.keep(member, order);
        near.retain(|near| near.distance <= *farthest);
        view.until = at.saturating_add(self.step);
        if self.propagation.is_random() {
            if near.len() <= KEPT {
                view.near.clone_from(near);
            } else {
                view.until = Instant::ZERO;
            }
        }
    }

    /// Which of them hear frame `number`.
    #[inline(never)]
    fn draw(&mut self, member: u32, number: u64, now: Instant) {
        let View { from, near: kept, until, listeners } = &mut self.views[member as usize];
        let is_kept = self.propagation.is_random() && *until > Instant::ZERO;
        let near = if is_kept { &*kept } else { &self.near };
        let luck = Luck::new(self.keys, number, u64::from(member), now);
        self.propagation.log_gains(*from, near, self.least, luck, &mut self.gains);
        listeners.clear();
        let heard = near.iter().zip(&self.gains).filter(|&(_, &gain)| gain >= self.least.log);
        listeners.extend(heard.map(|(&Near { delay, listener, .. }, &gain)| {
            Listener::new(listener, Strength(self.power.0 + gain), delay)
        }));
    }

    /// Gives a member another trajectory.
    #[cfg(test)]
    pub(super) fn set_trajectory(&mut self, member: usize, trajectory: Trajectory, now: Instant) {
        self.neighbourhood.set_trajectory(member, trajectory, now);
        self.views.fill(View::NEW);
    }
}

/// How long the fastest two of these need, head on, for the way of a signal in a tick, or of light if that is less.
fn step(speed: &Celerity, trajectories: &[Trajectory]) -> Duration {
    let top_speed_mps = trajectories.iter().map(Trajectory::top_speed_mps).fold(0.0, f64::max);
    match speed {
        _ if top_speed_mps == 0.0 => Duration::MAX,
        Celerity::Constant(Speed(signal_mps)) => {
            Duration::from_nanos(math::whole(signal_mps.min(Speed::LIGHT.0) / (2.0 * top_speed_mps)))
        }
        _ => Duration::ZERO,
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
