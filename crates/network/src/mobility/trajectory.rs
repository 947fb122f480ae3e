//! [`Trajectory`]: where one node is, at any time not before the last one asked about.

use farlink_kernel::Instant;

use super::leg::Leg;
use super::{Any, Config, Setup};
use crate::space::{Metres, Position};

/// A leg as its positions are computed from; a line of the processor's memory.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Stretch {
    start: Instant,
    nanos: f64,
    from: Position,
    way: Position,
}

impl Stretch {
    fn new(leg: &Leg) -> Self {
        Self { start: leg.start, nanos: leg.nanos(), from: leg.from, way: leg.way() }
    }

    /// True while it lasts.
    #[inline(always)]
    pub fn is_at(&self, now: Instant) -> bool {
        (0.0..self.nanos).contains(&self.passed(now))
    }

    /// True when it goes on until then.
    #[inline(always)]
    pub fn lasts(&self, until: Instant) -> bool {
        self.passed(until) <= self.nanos
    }

    /// Where the node is at `now`, while it lasts.
    #[inline(always)]
    pub fn position(&self, now: Instant) -> Position {
        self.from.along(self.way, self.part(now))
    }

    #[inline(always)]
    fn part(&self, now: Instant) -> f64 {
        self.passed(now) / self.nanos
    }

    #[inline(always)]
    fn passed(&self, now: Instant) -> f64 {
        // A signed number, which no run is too long for, becomes a float in one step.
        now.as_nanos().wrapping_sub(self.start.as_nanos()).cast_signed() as f64
    }
}

/// A node's way through a run, leg by leg.
#[derive(Debug)]
pub struct Trajectory {
    member: Any,
    leg: Leg,
    stretch: Stretch,
}

impl Trajectory {
    /// The trajectory of the setup's node.
    pub fn new(config: &Config, setup: &Setup) -> Self {
        let mut member = config.build(setup);
        let leg = member.first_leg();
        Self { member, leg, stretch: Stretch::new(&leg) }
    }

    /// The leg the node is on at `now`; it begins at or before `now` and ends after it. Times asked about may
    /// go back within a leg only: legs that are over are forgotten.
    #[inline]
    pub fn leg(&mut self, now: Instant) -> &Leg {
        if now < self.leg.start || now >= self.leg.end {
            self.go_on(now);
        }
        &self.leg
    }

    #[cold]
    fn go_on(&mut self, now: Instant) {
        assert!(self.leg.start <= now, "the leg at {now} is over");
        while self.leg.end <= now && self.leg.end < Instant::NEVER {
            let next = self.member.next_leg(&self.leg);
            assert!(next.start == self.leg.end && next.end >= next.start, "{next:?} after {:?}", self.leg);
            self.leg = next;
        }
        self.stretch = Stretch::new(&self.leg);
    }

    /// Where the node is at `now`; times as for [`Trajectory::leg`].
    #[inline]
    pub fn position(&mut self, now: Instant) -> Position {
        self.leg(now);
        self.stretch.position(now)
    }

    /// The leg of the last query, for callers with many positions.
    pub fn stretch(&self) -> Stretch {
        self.stretch
    }

    /// Until when the node is surely not further than `distance` from where it is at `now`; then ask again.
    pub fn stays_within(&mut self, now: Instant, distance: Metres) -> Instant {
        self.leg(now).stays_within(now, distance)
    }

    /// The node is never faster than this, in m/s; infinity if it jumps.
    pub fn top_speed_mps(&self) -> f64 {
        self.member.top_speed_mps()
    }
}
