//! B. Liang, Z. Haas, Predictive Distance-Based Mobility Management for PCS Networks, INFOCOM 1999; in the form
//! of T. Camp, J. Boleng, V. Davies, Wireless Communications and Mobile Computing 2(5), 2002, section 2.5.
//!
//! Speed and direction remember: every step each is a mix of what it was, of its mean and of noise,
//!
//! ```text
//! s(n) = a s(n-1) + (1 - a) mean + sqrt(1 - a^2) deviation w,   w normal,
//! ```
//!
//! so that a = 0 is a random walk and a = 1 a straight line. Direction and its mean bounce off the walls. A
//! speed drawn below zero or above twice its mean is replaced by the bound: both bounds alike, so that the mean
//! stays.

use core::f64::consts::{PI, TAU};

use farlink_kernel::config::Fraction;
use farlink_kernel::random::Stream;
use farlink_kernel::{Diagnostic, Duration, Instant, config};

use super::leg::Leg;
use super::walls::{Movement, Wall};
use super::{Mobility, Parameters, Placement, Setup, Start};
use crate::space::{Area, Pace, Position};

pub(super) const SOURCE: &str = "Liang, Haas, INFOCOM 1999; Camp, Boleng, Davies, WCMC 2(5), 2002";

config! {
    /// Parameters of the Gauss-Markov model.
    pub struct Config {
        /// Width and height of the area; a corner is at (0, 0).
        pub area: Area = Area::square(1000.0),
        /// How much of speed and direction is remembered from step to step (a).
        pub alpha: Fraction = Fraction(0.85),
        /// Mean of the speed.
        pub mean_speed: Pace = Pace(3.0); in Pace::MOVING,
        /// Standard deviation of the speed.
        pub speed_deviation: Pace = Pace(1.0); in ..=Pace::FASTEST,
        /// Standard deviation of the direction in radians, around a mean each node has of its own.
        pub direction_deviation: f64 = 0.5; in 0.0..=TAU,
        /// How long direction and speed are kept.
        pub step: Duration = Duration::from_secs(1); in Duration::from_millis(1)..,
        /// How a run begins.
        pub start: Start = Start::Stationary,
    }
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
pub(crate) struct GaussMarkov {
    config: Config,
    position: Position,
    stream: Stream,
    /// How far from their means they are, in standard deviations.
    speed: f64,
    direction: f64,
    mean_direction: f64,
    /// Minus one when the walls turned the sense of direction, otherwise one.
    sense: f64,
    /// Eastward and northward in m/s, as the walls met in this step left it.
    velocity: [f64; 2],
    step_end: Instant,
}

impl GaussMarkov {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        let mut stream = setup.stream();
        let mut walker = Self {
            config: config.clone(),
            position: setup.position,
            speed: stream.normal(),
            direction: stream.normal(),
            mean_direction: TAU * stream.uniform(),
            stream,
            sense: 1.0,
            velocity: [0.0; 2],
            step_end: Instant::ZERO + config.step,
        };
        walker.turn();
        walker
    }

    fn remember(&mut self) {
        let memory = self.config.alpha.0;
        let noise = libm::sqrt(1.0 - memory * memory);
        self.speed = memory * self.speed + noise * self.stream.normal();
        self.direction = memory * self.direction + noise * self.stream.normal();
    }

    fn turn(&mut self) {
        let Config { mean_speed, speed_deviation, direction_deviation, .. } = self.config;
        let speed = (mean_speed.0 + speed_deviation.0 * self.speed).clamp(0.0, 2.0 * mean_speed.0);
        let angle = self.mean_direction + self.sense * direction_deviation * self.direction;
        self.velocity = [speed * libm::cos(angle), speed * libm::sin(angle)];
    }

    fn go_on(&mut self, from: Position, now: Instant) -> Leg {
        if now >= self.step_end {
            self.remember();
            self.turn();
            self.step_end = now.saturating_add(self.config.step);
        }
        let movement = Movement { from, start: now, end: self.step_end, velocity: self.velocity };
        let (leg, wall) = movement.leg(&self.config.area);
        match wall {
            Some(Wall::X) => {
                self.velocity[0] = -self.velocity[0];
                self.mean_direction = PI - self.mean_direction;
                self.sense = -self.sense;
            }
            Some(Wall::Y) => {
                self.velocity[1] = -self.velocity[1];
                self.mean_direction = -self.mean_direction;
                self.sense = -self.sense;
            }
            None => {}
        }
        leg
    }
}

impl Mobility for GaussMarkov {
    fn first_leg(&mut self) -> Leg {
        let from = self.config.start.place(&self.config.area, self.position, &mut self.stream);
        self.go_on(from, Instant::ZERO)
    }

    fn next_leg(&mut self, last: &Leg) -> Leg {
        self.go_on(last.to, last.end)
    }

    fn top_speed_mps(&self) -> f64 {
        2.0 * self.config.mean_speed.0
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{at, mean_speed, share, trajectories};
    use super::*;
    use crate::mobility;

    #[test]
    fn places_are_uniform_and_the_mean_speed_is_kept_from_the_start_on() {
        let config = Config { area: Area::square(200.0), ..Config::default() };
        let mut nodes = trajectories(&mobility::Config::GaussMarkov(config), 20_000);
        for second in [0, 50, 500] {
            let mean = mean_speed(&mut nodes, second);
            let corner = share(&mut nodes, second, |at| at.x.0 < 50.0 && at.y.0 < 50.0);
            // Standard errors: 0.007 m/s, 0.0017.
            assert!((mean - 3.0).abs() < 0.025, "at {second} s: {mean}");
            assert!((corner - 0.0625).abs() < 0.006, "at {second} s: {corner}");
        }
    }

    #[test]
    fn speeds_k_steps_apart_correlate_as_memory_to_the_k() {
        let config = Config { area: Area::square(1e5), speed_deviation: Pace(0.3), ..Config::default() };
        let mut nodes = trajectories(&mobility::Config::GaussMarkov(config), 20_000);
        let mut speeds = |second| -> Vec<f64> {
            nodes.iter_mut().map(|node| node.leg(at(second)).speed_mps() - 3.0).collect()
        };
        let first = speeds(0);
        for k in [1, 4, 10] {
            let later = speeds(k);
            let covariance = first.iter().zip(&later).map(|(a, b)| a * b).sum::<f64>() / 20_000.0;
            let expected = libm::pow(0.85, k as f64);
            // Within four standard errors of at most sqrt(2 / 20000).
            assert!((covariance / 0.09 - expected).abs() < 0.04, "{k}: {covariance}");
        }
    }

    #[test]
    fn with_full_memory_and_no_deviation_a_node_goes_straight() {
        let config = Config {
            area: Area::square(1e6),
            alpha: Fraction(1.0),
            direction_deviation: 0.0,
            speed_deviation: Pace(0.0),
            ..Config::default()
        };
        let mut nodes = trajectories(&mobility::Config::GaussMarkov(config), 20);
        for node in &mut nodes {
            let [a, b, c] = [0, 100, 200].map(|second| node.position(at(second)));
            let is_bounced = a.distance(c).0 < 599.0;
            assert!(is_bounced || (a.distance(b).0 - 300.0).abs() < 1e-6, "{a:?} {b:?} {c:?}");
        }
    }
}
