//! [`Neighbourhood`]: where the members of a channel are, and who could hear whom.
//!
//! Members are sorted into square cells by where they were a while ago. Who was within reach then, with some
//! slack for how far both can have moved since, could be in reach now; all others are not even looked at. When
//! the slack is used up everyone is looked up anew.

use farlink_kernel::{Duration, Instant};

use crate::mobility::trajectory::{Stretch, Trajectory};
use crate::space::{Metres, Position};

/// The slack as a share of the reach: more of it means to look at more members but to sort them less often.
const SLACK: f64 = 0.125;

/// The places of a channel's members.
#[derive(Debug)]
pub struct Neighbourhood {
    trajectories: Vec<Trajectory>,
    /// What everyone is on, as far as it was asked for.
    stretches: Vec<Stretch>,
    reach: f64,
    /// Nobody is ever faster, in m/s.
    top_speed_mps: f64,
    /// Everyone is looked at by everyone: culling is off, or would not help.
    is_everyone_near: bool,
    /// Where everyone was when last looked up, and until when that serves.
    places: Vec<Position>,
    until: Instant,
    /// Members by cell: row, then column.
    cells: Vec<([i64; 2], u32)>,
    /// Per member; emptied when the places are looked up anew.
    near: Vec<Option<Vec<u32>>>,
}

impl Neighbourhood {
    /// Members with these trajectories; nobody beyond `reach` hears anything.
    pub fn new(trajectories: Vec<Trajectory>, reach: Metres, cull: bool) -> Self {
        let mut neighbourhood = Self {
            near: vec![None; trajectories.len()],
            top_speed_mps: trajectories.iter().map(Trajectory::top_speed_mps).fold(0.0, f64::max),
            stretches: trajectories.iter().map(Trajectory::stretch).collect(),
            trajectories,
            reach: reach.0.max(1.0),
            is_everyone_near: !cull || !reach.0.is_finite(),
            places: Vec::new(),
            until: Instant::ZERO,
            cells: Vec::new(),
        };
        neighbourhood.look_up(Instant::ZERO);
        neighbourhood
    }

    /// True when nobody ever moves.
    pub fn is_still(&self) -> bool {
        self.top_speed_mps == 0.0
    }

    /// Nobody is ever faster than this, in m/s; infinity if somebody jumps.
    pub fn top_speed_mps(&self) -> f64 {
        self.top_speed_mps
    }

    /// What a member is on.
    #[inline(always)]
    pub fn stretch(&mut self, member: u32, now: Instant) -> &Stretch {
        let member = member as usize;
        if !self.stretches[member].is_at(now) {
            self.turn(member, now);
        }
        &self.stretches[member]
    }

    /// Where a member is.
    #[inline(always)]
    pub fn position(&mut self, member: u32, now: Instant) -> Position {
        self.stretch(member, now).position(now)
    }

    #[cold]
    #[inline(never)]
    fn turn(&mut self, member: usize, now: Instant) {
        self.trajectories[member].leg(now);
        self.stretches[member] = self.trajectories[member].stretch();
    }

    /// Those who could hear `member`: at first in ascending order, later as they were [kept](Self::keep).
    pub fn near(&mut self, member: u32, now: Instant) -> Vec<u32> {
        if self.is_everyone_near {
            return (0..self.trajectories.len() as u32).filter(|&other| other != member).collect();
        }
        if now >= self.until {
            self.look_up(now);
        }
        self.near[member as usize].take().unwrap_or_else(|| self.search(member))
    }

    /// Takes back what [`Neighbourhood::near`] gave, in an order that is good for the next time.
    pub fn keep(&mut self, member: u32, near: Vec<u32>) {
        if !self.is_everyone_near {
            self.near[member as usize] = Some(near);
        }
    }

    /// Gives a member another trajectory.
    #[cfg(test)]
    pub(crate) fn set_trajectory(&mut self, member: usize, trajectory: Trajectory, now: Instant) {
        self.top_speed_mps = self.top_speed_mps.max(trajectory.top_speed_mps());
        self.stretches[member] = trajectory.stretch();
        self.trajectories[member] = trajectory;
        self.look_up(now);
    }

    fn slack(&self) -> f64 {
        if self.is_still() { 0.0 } else { self.reach * SLACK }
    }

    /// Sorts everyone into cells as wide as reach and slack.
    fn look_up(&mut self, now: Instant) {
        // Two members may move towards each other.
        let share = self.slack() / 2.0;
        self.places.clear();
        self.until = Instant::NEVER;
        for trajectory in &mut self.trajectories {
            self.places.push(trajectory.position(now));
            let at_top_speed = Duration::from_secs_f64(share / trajectory.top_speed_mps());
            let serves = now.saturating_add(at_top_speed).max(trajectory.stays_within(now, Metres(share)));
            self.until = self.until.min(serves);
        }
        let mut cells = std::mem::take(&mut self.cells);
        cells.clear();
        cells.extend(self.places.iter().zip(0..).map(|(&place, member)| (self.cell(place), member)));
        cells.sort_unstable();
        self.cells = cells;
        self.near.iter_mut().for_each(|near| *near = None);
    }

    fn cell(&self, place: Position) -> [i64; 2] {
        let width = self.reach + self.slack();
        [place.y, place.x].map(|at| libm::floor(at.0 / width) as i64)
    }

    /// Who was within reach and slack of `member` when everyone was looked up.
    fn search(&self, member: u32) -> Vec<u32> {
        let place = self.places[member as usize];
        let [row, column] = self.cell(place);
        let mut near = Vec::new();
        for row in row.saturating_sub(1)..=row.saturating_add(1) {
            let first = self.cells.partition_point(|&(cell, _)| cell < [row, column.saturating_sub(1)]);
            let in_row = self.cells[first..].iter();
            let in_row = in_row.take_while(|&&(cell, _)| cell <= [row, column.saturating_add(1)]);
            let is_near = |other: u32| {
                let distance = place.distance(self.places[other as usize]).0;
                other != member && distance <= self.reach + self.slack()
            };
            near.extend(in_row.map(|&(_, other)| other).filter(|&other| is_near(other)));
        }
        near.sort_unstable();
        near
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mobility::{self, Setup};
    use farlink_kernel::random::Stream;

    /// 300 nodes at random in a square of 3 km.
    fn trajectories(config: &mobility::Config) -> Vec<Trajectory> {
        let mut luck = Stream::new(3, "places", 0);
        let mut coordinate = || Metres((luck.uniform() - 0.5) * 3000.0);
        let mut position = || Position { x: coordinate(), y: coordinate(), z: Metres(0.0) };
        (0..300).map(|node| Trajectory::new(config, &Setup { seed: 1, node, position: position() })).collect()
    }

    #[test]
    fn nobody_in_reach_is_ever_left_out() {
        let moving = mobility::Config::named("random_waypoint").expect("registered");
        for config in [mobility::Config::named("static").expect("registered"), moving] {
            let mut neighbourhood = Neighbourhood::new(trajectories(&config), Metres(250.0), true);
            let (mut looked_at, mut in_reach) = (0, 0);
            for step in 0..40 {
                let now = Instant::ZERO + Duration::from_millis(step * 333);
                let member = step as u32 * 7;
                let near = neighbourhood.near(member, now);
                let place = neighbourhood.position(member, now);
                for other in (0..300).filter(|&other| other != member) {
                    if neighbourhood.position(other, now).distance(place) <= Metres(250.0) {
                        assert!(near.contains(&other), "{other} is near {member} at {now}");
                        in_reach += 1;
                    }
                }
                assert!(near.is_sorted());
                looked_at += near.len();
                neighbourhood.keep(member, near);
            }
            assert!(in_reach > 100 && looked_at < in_reach * 2, "{in_reach} of {looked_at}");
        }
    }

    #[test]
    fn without_culling_everyone_is_near() {
        let config = mobility::Config::named("random_waypoint").expect("registered");
        let mut neighbourhood = Neighbourhood::new(trajectories(&config), Metres(250.0), false);
        assert_eq!(neighbourhood.near(7, Instant::ZERO).len(), 299);
    }
}
