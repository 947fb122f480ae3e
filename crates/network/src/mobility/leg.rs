//! [`Leg`]: a straight piece of a node's way, or a rest.

use farlink_kernel::{Duration, Instant};

use crate::space::{Metres, Position};

/// From one point to another at constant speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leg {
    /// When it begins.
    pub start: Instant,
    /// When it ends; [`Instant::NEVER`] for the last one.
    pub end: Instant,
    /// Where it begins.
    pub from: Position,
    /// Where it ends.
    pub to: Position,
}

impl Leg {
    /// No movement from `start` to `end`.
    pub fn rest(at: Position, start: Instant, end: Instant) -> Self {
        Self { start, end, from: at, to: at }
    }

    /// Straight to `to` at `speed_mps`, which is above zero.
    pub fn straight(from: Position, to: Position, start: Instant, speed_mps: f64) -> Self {
        let length = Duration::from_secs_f64(from.distance(to).0 / speed_mps);
        Self { start, end: start.saturating_add(length), from, to }
    }

    /// Where the node is at `now`, the leg's ends included.
    #[inline]
    pub fn at(&self, now: Instant) -> Position {
        if now >= self.end || self.is_rest() {
            return self.to;
        }
        self.from.along(self.way(), now.saturating_since(self.start).as_nanos() as f64 / self.nanos())
    }

    /// From its start to its end.
    pub fn way(&self) -> Position {
        self.to.seen_from(self.from)
    }

    /// How many nanoseconds it lasts.
    pub fn nanos(&self) -> f64 {
        self.length().as_nanos() as f64
    }

    /// How fast the node is, in m/s.
    pub fn speed_mps(&self) -> f64 {
        if self.is_rest() { 0.0 } else { self.from.distance(self.to).0 / self.length().as_secs_f64() }
    }

    /// True when the node stays where it is.
    pub fn is_rest(&self) -> bool {
        self.from == self.to
    }

    /// The same way, left at `end` instead.
    pub fn until(self, end: Instant) -> Self {
        if end >= self.end { self } else { Self { end, to: self.at(end), ..self } }
    }

    /// The last instant until which the node, now at `now`, is surely not further than `distance` from there:
    /// at most the end of the leg.
    pub fn stays_within(&self, now: Instant, distance: Metres) -> Instant {
        if self.is_rest() {
            return self.end;
        }
        let time = distance.0 / self.speed_mps();
        self.end.min(now.saturating_add(Duration::from_secs_f64(time)))
    }

    fn length(&self) -> Duration {
        self.end - self.start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(n: u64) -> Instant {
        Instant::ZERO + Duration::from_secs(n)
    }

    fn at(x: f64, y: f64) -> Position {
        Position { x: Metres(x), y: Metres(y), z: Metres(7.0) }
    }

    #[test]
    fn a_leg_is_covered_at_constant_speed_and_ends_where_it_says() {
        let leg = Leg::straight(at(1.0, 2.0), at(31.0, 42.0), second(10), 5.0);
        assert_eq!((leg.end, leg.speed_mps()), (second(20), 5.0));
        assert_eq!([10, 13, 20].map(|n| leg.at(second(n))), [at(1.0, 2.0), at(10.0, 14.0), at(31.0, 42.0)]);
        assert_eq!(leg.until(second(13)), Leg { end: second(13), to: at(10.0, 14.0), ..leg });
    }

    #[test]
    fn a_node_stays_near_for_distance_over_speed_but_not_past_the_leg() {
        let leg = Leg::straight(at(0.0, 0.0), at(30.0, 40.0), second(0), 5.0);
        assert_eq!(leg.stays_within(second(1), Metres(20.0)), second(5));
        assert_eq!(leg.stays_within(second(1), Metres(200.0)), second(10));
        let rest = Leg::rest(at(0.0, 0.0), second(3), second(9));
        assert_eq!((rest.stays_within(second(4), Metres(0.0)), rest.speed_mps()), (second(9), 0.0));
    }
}
