//! [`Reach`]: whom a frame reaches, how strong and after how long.
//!
//! The clock counts nanoseconds. As long as all distances are those that a member found, but for what a signal goes
//! in one of them, what it found serves for its next frames, but for luck (decision 0010). A member looks at how
//! things will be in a moment, so that this time is before and after (decision 0011). It is shorter while somebody is
//! that near to a distance at which signals begin to be made out, to be sensed or to count at all: links break
//! when they break.

use farlink_kernel::{Duration, Instant};

use super::transmission::Listener;
use crate::channel::medium::{Delay, Medium};
use crate::channel::neighbourhood::Neighbourhood;
use crate::channel::propagation::{Least, Luck, Near};
use crate::channel::propagation_speed::PropagationSpeed;
use crate::mobility::trajectory::Trajectory;
use crate::phy::antenna::Settings;
use crate::phy::power::Strength;
use crate::space::{Metres, Position, Speed};

/// Half the time after which also who does not move looks around again.
const LONGEST: Duration = Duration::from_secs(1000);

/// What lies between the members of a channel.
#[derive(Debug)]
pub(super) struct Reach {
    neighbourhood: Neighbourhood,
    medium: Medium,
    /// Weaker signals change nothing.
    least: Least,
    /// The run's seed and the channel's.
    keys: (u64, u64),
    /// What every member found when it last looked.
    views: Vec<View>,
    /// How much nearer or further apart two can be before it does not serve any more.
    drift: Metres,
    /// Who is so far away in the middle of that time is not in reach before its end, whatever way it takes.
    far: Metres,
    /// Without luck: at which distances it changes what a signal does.
    edges: Vec<Metres>,
    /// Lists to be used again.
    pool: Vec<Vec<Listener>>,
    near: Vec<Near>,
    /// How much of the frame's power reaches them, as natural logarithms.
    gains: Vec<f64>,
}

/// What a member found when it looked around.
#[derive(Clone, Debug, Default)]
struct View {
    /// From then on it has to look again.
    until: Instant,
    from: Position,
    /// Who could hear it, where luck decides.
    near: Vec<Near>,
    /// Who does, where nothing else does.
    listeners: Vec<Listener>,
}

impl Reach {
    /// On a channel with these keys for draws.
    pub(super) fn new(medium: Medium, trajectories: Vec<Trajectory>, keys: (u64, u64)) -> Self {
        let antenna = &medium.antenna;
        let least = antenna.floor();
        let steps = [antenna.receive_threshold, antenna.carrier_sense_threshold, least];
        let mut edges: Vec<Metres> = steps.map(|power| medium.reach(power)).to_vec();
        edges.dedup();
        edges.retain(|_| !medium.propagation.is_random());
        let drift = drift(&medium);
        let views = vec![View::default(); trajectories.len()];
        let reach = medium.reach(least);
        // So much nearer may somebody be by the middle who is too far to come into reach while a look serves.
        let [far, listed] = [3.0, 4.0].map(|drifts| Metres(reach.0 + drifts * drift.0));
        let neighbourhood = medium.neighbourhood(trajectories, listed);
        Self {
            edges,
            views,
            drift,
            far,
            neighbourhood,
            least: Least::new(medium.gain(least)),
            medium,
            keys,
            pool: Vec::new(),
            near: Vec::new(),
            gains: Vec::new(),
        }
    }

    /// Whom frame `number` of `member` reaches, in the order reached.
    pub(super) fn listeners(
        &mut self,
        member: u32,
        number: u64,
        now: Instant,
        settings: &Settings,
    ) -> Vec<Listener> {
        if now >= self.views[member as usize].until {
            self.renew(member, now, settings);
        }
        let mut listeners = self.pool.pop().unwrap_or_default();
        listeners.clear();
        let view = &self.views[member as usize];
        if self.medium.propagation.is_random() {
            let luck = Luck::new(self.keys, number, u64::from(member), now);
            self.medium.propagation.log_gains(view.from, &view.near, self.least, luck, &mut self.gains);
            self.choose(&view.near, settings, &mut listeners);
        } else {
            listeners.extend_from_slice(&view.listeners);
        }
        listeners
    }

    /// A member looks around: how things will be in the middle of the time for which that serves. Who turns
    /// meanwhile, or comes near an edge, spoils that, and it sees how things are.
    fn renew(&mut self, member: u32, now: Instant, settings: &Settings) {
        let mut view = std::mem::take(&mut self.views[member as usize]);
        let serves = self.serves(self.drift);
        let (middle, end) = (now.saturating_add(serves), now.saturating_add(serves.saturating_mul(2)));
        let (from, is_straight) = self.look(member, now, middle, end);
        (view.from, view.until) = if is_straight && self.to_edge() >= self.drift {
            (from, end)
        } else {
            let (from, _) = self.look(member, now, now, now);
            (from, now.saturating_add(self.serves(self.to_edge())))
        };
        if self.medium.propagation.is_random() {
            view.near.clone_from(&self.near);
        } else {
            // No luck: any will do.
            let luck = Luck::new(self.keys, 0, u64::from(member), now);
            self.medium.propagation.log_gains(view.from, &self.near, self.least, luck, &mut self.gains);
            view.listeners.clear();
            self.choose(&self.near, settings, &mut view.listeners);
        }
        self.views[member as usize] = view;
    }

    /// For how long two of these cannot have come so much nearer or further apart.
    fn serves(&self, drift: Metres) -> Duration {
        if self.neighbourhood.is_still() {
            return LONGEST;
        }
        // Both may move.
        Duration::from_secs_f64(drift.0 / (2.0 * self.neighbourhood.top_speed_mps())).min(LONGEST)
    }

    /// How far somebody near is at most, up to the drift, from where a signal does another thing.
    fn to_edge(&self) -> Metres {
        let to_edges =
            self.near.iter().flat_map(|near| self.edges.iter().map(|edge| (near.distance.0 - edge.0).abs()));
        Metres(to_edges.fold(self.drift.0, f64::min))
    }

    /// Those near whom the gains found are enough for.
    fn choose(&self, near: &[Near], settings: &Settings, listeners: &mut Vec<Listener>) {
        for (&Near { delay, listener, .. }, &gain) in near.iter().zip(&self.gains) {
            if gain >= self.least.log {
                let strength = Strength(self.medium.power.0 + gain);
                listeners.push(Listener::new(listener, strength, delay, settings));
            }
        }
    }

    /// Takes back a list that is not needed any more.
    pub(super) fn recycle(&mut self, listeners: Vec<Listener>) {
        self.pool.push(listeners);
    }

    /// Who could hear `member` at a moment that is not before `now`, in the order reached; where it is itself then; and
    /// whether all that come into question go straight on until `end`. The order changes slowly: that of its last frame is nearly that
    /// of this one.
    fn look(&mut self, member: u32, now: Instant, at: Instant, end: Instant) -> (Position, bool) {
        let Self { neighbourhood, near, medium, far, .. } = self;
        let Medium { delay, speed, .. } = &*medium;
        let mut order = neighbourhood.near(member, now);
        let stretch = neighbourhood.stretch(member, now);
        let (from, mut is_straight) = (stretch.position(at), stretch.lasts(end));
        let light = match (delay, speed) {
            (Delay::Distance, &PropagationSpeed::Constant(speed)) => Some(speed),
            _ => None,
        };
        let mut is_sorted = true;
        let mut last = (Duration::ZERO, 0);
        near.clear();
        near.extend(order.iter().map(|&listener| {
            let stretch = neighbourhood.stretch(listener, now);
            let place = stretch.position(at);
            let distance = from.distance(place);
            is_straight &= stretch.lasts(end) || distance.0 >= far.0;
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
        (from, is_straight)
    }

    /// Gives a member another trajectory.
    #[cfg(test)]
    pub(super) fn set_trajectory(&mut self, member: usize, trajectory: Trajectory, now: Instant) {
        self.neighbourhood.set_trajectory(member, trajectory, now);
        self.views.iter_mut().for_each(|view| view.until = now);
    }
}

/// How far a signal goes in a tick of the clock; light, if it takes no time. Nowhere if that is not everywhere the
/// same.
fn drift(medium: &Medium) -> Metres {
    let speed = match (medium.delay, &medium.speed) {
        (Delay::None, _) => Speed::LIGHT.0,
        (Delay::Distance, &PropagationSpeed::Constant(speed)) => speed.0,
        (Delay::Distance, _) => 0.0,
    };
    Metres(speed * Duration::from_nanos(1).as_secs_f64())
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

#[cfg(test)]
mod tests;
