//! [`SpatialIndex`]: the positions of a channel's members, and which of them may be in range of each other.
//!
//! Members are sorted into square cells by earlier positions. Members that were within range then, plus some slack for
//! the movement of both since, are candidates now; all others are skipped. When the slack is used up, all positions are
//! updated.

use farlink_kernel::{Duration, Instant};

use crate::mobility::trajectory::{Stretch, Trajectory};
use crate::space::{Metres, Position};

/// The slack as a share of the range: a larger one means more candidates and fewer updates.
const SLACK: f64 = 0.125;

#[derive(Debug)]
pub struct SpatialIndex {
    trajectories: Vec<Trajectory>,
    /// The current segment of each trajectory, as far as it was asked for.
    stretches: Vec<Stretch>,
    reach: f64,
    /// The highest speed of any member, in m/s.
    top_speed_mps: f64,
    /// All members are candidates: culling is off, or the range is infinite.
    has_no_culling: bool,
    /// Positions at the last update, and until when they serve.
    positions: Vec<Position>,
    until: Instant,
    /// Members by cell: row, then column.
    cells: Vec<([i64; 2], u32)>,
    /// Candidates by member; cleared at an update.
    candidates: Vec<Option<Vec<u32>>>,
}

impl SpatialIndex {
    /// Members with these trajectories, whose signals have no effect beyond `reach`.
    pub fn new(trajectories: Vec<Trajectory>, reach: Metres, cull: bool) -> Self {
        let mut index = Self {
            candidates: vec![None; trajectories.len()],
            top_speed_mps: trajectories.iter().map(Trajectory::top_speed_mps).fold(0.0, f64::max),
            stretches: trajectories.iter().map(Trajectory::stretch).collect(),
            trajectories,
            reach: reach.0.max(1.0),
            has_no_culling: !cull || !reach.0.is_finite(),
            positions: Vec::new(),
            until: Instant::ZERO,
            cells: Vec::new(),
        };
        index.update(Instant::ZERO);
        index
    }

    pub fn is_still(&self) -> bool {
        self.top_speed_mps == 0.0
    }

    /// The highest speed of any member, in m/s; infinite if a member jumps.
    pub fn top_speed_mps(&self) -> f64 {
        self.top_speed_mps
    }

    #[inline(always)]
    pub fn stretch(&mut self, member: u32, now: Instant) -> &Stretch {
        let member = member as usize;
        if !self.stretches[member].is_at(now) {
            self.turn(member, now);
        }
        &self.stretches[member]
    }

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

    /// Members that may be in range of `member`: at first in ascending order, later in the order that was [kept](Self::keep).
    pub fn candidates(&mut self, member: u32, now: Instant) -> Vec<u32> {
        if self.has_no_culling {
            return (0..self.trajectories.len() as u32).filter(|&other| other != member).collect();
        }
        if now >= self.until {
            self.update(now);
        }
        self.candidates[member as usize].take().unwrap_or_else(|| self.search(member))
    }

    /// Takes back the result of [`SpatialIndex::candidates`] in the order for the next call.
    pub fn keep(&mut self, member: u32, candidates: Vec<u32>) {
        if !self.has_no_culling {
            self.candidates[member as usize] = Some(candidates);
        }
    }

    #[cfg(test)]
    pub(crate) fn set_trajectory(&mut self, member: usize, trajectory: Trajectory, now: Instant) {
        self.top_speed_mps = self.top_speed_mps.max(trajectory.top_speed_mps());
        self.stretches[member] = trajectory.stretch();
        self.trajectories[member] = trajectory;
        self.update(now);
    }

    fn slack(&self) -> f64 {
        if self.is_still() { 0.0 } else { self.reach * SLACK }
    }

    /// Updates all positions and sorts the members into cells as wide as range and slack.
    fn update(&mut self, now: Instant) {
        // Two members may move towards each other.
        let share = self.slack() / 2.0;
        self.positions.clear();
        self.until = Instant::NEVER;
        for trajectory in &mut self.trajectories {
            self.positions.push(trajectory.position(now));
            let at_top_speed = Duration::from_secs_f64(share / trajectory.top_speed_mps());
            let serves = now.saturating_add(at_top_speed).max(trajectory.stays_within(now, Metres(share)));
            self.until = self.until.min(serves);
        }
        let mut cells = std::mem::take(&mut self.cells);
        cells.clear();
        cells.extend(self.positions.iter().zip(0..).map(|(&position, member)| (self.cell(position), member)));
        cells.sort_unstable();
        self.cells = cells;
        self.candidates.iter_mut().for_each(|candidates| *candidates = None);
    }

    fn cell(&self, position: Position) -> [i64; 2] {
        let width = self.reach + self.slack();
        [position.y, position.x].map(|at| libm::floor(at.0 / width) as i64)
    }

    /// Members within range and slack of `member` at the last update.
    fn search(&self, member: u32) -> Vec<u32> {
        let position = self.positions[member as usize];
        let [row, column] = self.cell(position);
        let mut near = Vec::new();
        for row in row.saturating_sub(1)..=row.saturating_add(1) {
            let first = self.cells.partition_point(|&(cell, _)| cell < [row, column.saturating_sub(1)]);
            let in_row = self.cells[first..].iter();
            let in_row = in_row.take_while(|&&(cell, _)| cell <= [row, column.saturating_add(1)]);
            let is_near = |other: u32| {
                let distance = position.distance(self.positions[other as usize]).0;
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
    use crate::ids::NodeId;
    use crate::mobility::{self, Setup};
    use farlink_kernel::random::Stream;

    /// 300 nodes at random in a square of 3 km.
    fn trajectories(config: &mobility::Config) -> Vec<Trajectory> {
        let mut stream = Stream::new(3, "places", 0);
        let mut coordinate = || Metres((stream.uniform() - 0.5) * 3000.0);
        let mut position = || Position { x: coordinate(), y: coordinate(), z: Metres(0.0) };
        (0..300)
            .map(|node| Trajectory::new(config, &Setup { seed: 1, node: NodeId(node), position: position() }))
            .collect()
    }

    #[test]
    fn every_member_in_range_is_a_candidate() {
        let moving = mobility::Config::named("random_waypoint").expect("registered");
        for config in [mobility::Config::named("static").expect("registered"), moving] {
            let mut index = SpatialIndex::new(trajectories(&config), Metres(250.0), true);
            let (mut candidates, mut in_reach) = (0, 0);
            for step in 0..40 {
                let now = Instant::ZERO + Duration::from_millis(step * 333);
                let member = step as u32 * 7;
                let near = index.candidates(member, now);
                let position = index.position(member, now);
                for other in (0..300).filter(|&other| other != member) {
                    if index.position(other, now).distance(position) <= Metres(250.0) {
                        assert!(near.contains(&other), "{other} is near {member} at {now}");
                        in_reach += 1;
                    }
                }
                assert!(near.is_sorted());
                candidates += near.len();
                index.keep(member, near);
            }
            assert!(in_reach > 100 && candidates < in_reach * 2, "{in_reach} of {candidates}");
        }
    }

    #[test]
    fn without_culling_all_members_are_candidates() {
        let config = mobility::Config::named("random_waypoint").expect("registered");
        let mut index = SpatialIndex::new(trajectories(&config), Metres(250.0), false);
        assert_eq!(index.candidates(7, Instant::ZERO).len(), 299);
    }
}
