//! T. Camp, J. Boleng, V. Davies, A Survey of Mobility Models for Ad Hoc Network Research, Wireless
//! Communications and Mobile Computing 2(5), 2002, section 2.1.
//!
//! A node draws a direction and a speed, keeps both for one step, and draws again. Walls reflect it. Places
//! are uniform over the area and stay so, and a step takes the same time at any speed, so a run that
//! begins uniformly is stationary from its start on.

use core::f64::consts::TAU;

use farlink_kernel::random::Stream;
use farlink_kernel::{Diagnostic, Duration, Instant, config};

use super::leg::Leg;
use super::speeds::Speeds;
use super::walls::{Movement, Wall};
use super::{Mobility, Parameters, Placement, Setup, Start};
use crate::space::{Area, Pace, Position};

pub(super) const SOURCE: &str = "Camp, Boleng, Davies, WCMC 2(5), 2002";

config! {
    /// Parameters of the random walk.
    pub struct Config {
        /// Width and height of the area; a corner is at (0, 0).
        pub area: Area = Area::square(1000.0),
        /// Lower bound of the speed.
        pub min_speed: Pace = Pace(1.0); in ..=Pace::FASTEST,
        /// Upper bound of the speed, which is drawn uniformly for every step.
        pub max_speed: Pace = Pace(5.0); in Pace::MOVING,
        /// How long direction and speed are kept.
        pub step: Duration = Duration::from_secs(10); in Duration::from_millis(1)..,
        /// How a run begins.
        pub start: Start = Start::Stationary,
    }
    where min_speed <= max_speed
}

impl Parameters for Config {
    fn placement(&self) -> Placement {
        self.start.placement(self.area)
    }

    fn check(&self, _is_given: &dyn Fn(&str) -> bool) -> Result<(), Diagnostic> {
        Ok(())
    }
}

#[derive(Clone, Debug)]
pub(crate) struct RandomWalk {
    area: Area,
    speeds: Speeds,
    step: Duration,
    start: Start,
    position: Position,
    stream: Stream,
    velocity: [f64; 2],
    step_end: Instant,
}

impl RandomWalk {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        Self {
            area: config.area,
            speeds: Speeds { min: config.min_speed.0, max: config.max_speed.0 },
            step: config.step,
            start: config.start,
            position: setup.position,
            stream: setup.stream(),
            velocity: [0.0; 2],
            step_end: Instant::ZERO,
        }
    }

    fn go_on(&mut self, from: Position, now: Instant) -> Leg {
        if now >= self.step_end {
            let (speed, angle) = (self.speeds.draw(&mut self.stream), TAU * self.stream.uniform());
            self.velocity = [speed * libm::cos(angle), speed * libm::sin(angle)];
            self.step_end = now.saturating_add(self.step);
        }
        let movement = Movement { from, start: now, end: self.step_end, velocity: self.velocity };
        let (leg, wall) = movement.leg(&self.area);
        match wall {
            Some(Wall::X) => self.velocity[0] = -self.velocity[0],
            Some(Wall::Y) => self.velocity[1] = -self.velocity[1],
            None => {}
        }
        leg
    }
}

impl Mobility for RandomWalk {
    fn first_leg(&mut self) -> Leg {
        let from = self.start.place(&self.area, self.position, &mut self.stream);
        self.go_on(from, Instant::ZERO)
    }

    fn next_leg(&mut self, last: &Leg) -> Leg {
        self.go_on(last.to, last.end)
    }

    fn top_speed_mps(&self) -> f64 {
        self.speeds.max
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at, mean_speed, share, trajectories};
    use super::*;
    use crate::mobility;

    #[test]
    fn places_are_uniform_and_speeds_the_same_from_the_start_on() {
        let config = Config { area: Area::square(100.0), ..Config::default() };
        let mut nodes = trajectories(&mobility::Config::RandomWalk(config), 50_000);
        for second in [0, 37, 1_000] {
            let corner = share(&mut nodes, second, |at| at.x.0 < 25.0 && at.y.0 < 25.0);
            let edge = share(&mut nodes, second, |at| at.x.0 > 90.0);
            let mean = mean_speed(&mut nodes, second);
            // Standard errors: 0.0011, 0.0013, 0.0052 m/s.
            assert!((corner - 0.0625).abs() < 0.004 && (edge - 0.1).abs() < 0.005, "{corner} {edge}");
            assert!((mean - 3.0).abs() < 0.02, "at {second} s: {mean}");
        }
    }

    #[test]
    fn a_wall_reflects_and_costs_neither_time_nor_speed() {
        let config = Config {
            area: Area::square(10.0),
            min_speed: Pace(5.0),
            step: Duration::from_secs(60),
            ..Config::default()
        };
        let mut nodes = trajectories(&mobility::Config::RandomWalk(config), 1);
        let (mut legs, mut way) = (0, 0.0);
        let mut now = Instant::ZERO;
        while now < at(60) {
            let leg = nodes[0].leg(now);
            (legs, way, now) = (legs + 1, way + leg.from.distance(leg.to).0, leg.end);
        }
        // Between two walls lie at most 14.2 m.
        assert!((way - 300.0).abs() < 1e-5 && legs > 20, "{way} m in {legs} legs");
        assert_eq!(now, at(60));
    }
}
