//! D. Johnson, D. Maltz, Dynamic Source Routing in Ad Hoc Wireless Networks, in: Mobile Computing, 1996; started
//! as in W. Navidi, T. Camp, Stationary Distributions for the Random Waypoint Mobility Model, IEEE Transactions
//! on Mobile Computing 3(1), 2004.
//!
//! A node draws a destination uniformly from the area and a speed, goes there straight, pauses, and begins
//! again. Nodes gather in the middle and the slow ones are under way longest, so a run that begins with
//! uniform places and speeds changes its character for hundreds of seconds. The stationary start draws the
//! first leg as it would be met at a random time instead:
//!
//! - with probability `P / (P + T)`, where `T = E[L] E[1/V]`, in a pause: anywhere, with U(0, P) of it to come;
//! - otherwise under way: the ends A and B of the way with a density in proportion to |A - B|, the node
//!   uniformly between them, the speed with a density in proportion to f(v) / v.

use farlink_kernel::random::Stream;
use farlink_kernel::{Diagnostic, Duration, Instant, choice, config};

use super::leg::Leg;
use super::speeds::Speeds;
use super::{Mobility, Parameters, Placement, Setup};
use crate::space::{Area, Pace, Position};

pub(super) const SOURCE: &str = "Johnson, Maltz, 1996; Navidi, Camp, IEEE TMC 3(1), 2004";

choice! {
    /// How a run begins.
    pub enum Start {
        /// As at a random time of an endless run; positions are drawn.
        Stationary = "stationary",
        /// Paused, positions drawn uniformly from the area: what old simulations did.
        Uniform = "uniform",
        /// Paused, where the scenario puts the node.
        Position = "position",
    }
}

config! {
    /// Parameters of the random waypoint.
    pub struct Config {
        /// Width and height of the area; a corner is at (0, 0).
        pub area: Area = Area::square(1000.0),
        /// Lower bound of the speed; without a stationary start it may be zero.
        pub min_speed: Pace = Pace(1.0); in ..=Pace::FASTEST,
        /// Upper bound of the speed, which is drawn uniformly for every way.
        pub max_speed: Pace = Pace(5.0); in Pace::MOVING,
        /// How long a node rests at each destination.
        pub pause: Duration = Duration::ZERO,
        /// How a run begins.
        pub start: Start = Start::Stationary,
    }
    where min_speed <= max_speed
}

impl Parameters for Config {
    fn placement(&self) -> Placement {
        if self.start == Start::Position { Placement::Within(self.area) } else { Placement::Drawn }
    }

    fn check(&self, _is_given: &dyn Fn(&str) -> bool) -> Result<(), Diagnostic> {
        if self.start != Start::Stationary || self.min_speed.0 > 0.0 {
            return Ok(());
        }
        let message = "a minimum speed of zero has no stationary state: the mean speed decays for ever";
        let remedy = "write one above 0 m/s, or start = \"uniform\"";
        Err(Diagnostic::new(0..0, message, remedy).at("min_speed"))
    }
}

#[derive(Clone, Debug)]
pub(crate) struct RandomWaypoint {
    area: Area,
    speeds: Speeds,
    pause: Duration,
    start: Start,
    position: Position,
    stream: Stream,
}

impl RandomWaypoint {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        Self {
            area: config.area,
            speeds: Speeds { min: config.min_speed.0, max: config.max_speed.0 },
            pause: config.pause,
            start: config.start,
            position: setup.position,
            stream: setup.stream(),
        }
    }

    fn stationary_leg(&mut self) -> Leg {
        let pause = self.pause.as_secs_f64();
        let travel = self.area.mean_distance().0 * self.speeds.mean_inverse();
        if self.stream.uniform() < pause / (pause + travel) {
            let rest = self.pause.mul_f64(self.stream.uniform());
            return Leg::rest(self.draw_position(), Instant::ZERO, Instant::ZERO + rest);
        }
        let (from, to) = self.draw_way();
        let here = from.towards(to, self.stream.uniform());
        Leg::straight(here, to, Instant::ZERO, self.speeds.draw_under_way(&mut self.stream))
    }

    /// The ends of a way, drawn in proportion to its length by rejection.
    fn draw_way(&mut self) -> (Position, Position) {
        let diagonal = self.area.diagonal().0;
        loop {
            let (from, to) = (self.draw_position(), self.draw_position());
            if self.stream.uniform() * diagonal < from.distance(to).0 {
                return (from, to);
            }
        }
    }

    fn draw_position(&mut self) -> Position {
        self.area.draw(&mut self.stream, self.position.z)
    }

    fn travel(&mut self, from: Position, start: Instant) -> Leg {
        Leg::straight(from, self.draw_position(), start, self.speeds.draw(&mut self.stream))
    }

    fn rest(&self, at: Position, start: Instant) -> Leg {
        Leg::rest(at, start, start.saturating_add(self.pause))
    }
}

impl Mobility for RandomWaypoint {
    fn first_leg(&mut self) -> Leg {
        match self.start {
            Start::Stationary => self.stationary_leg(),
            Start::Uniform => {
                let position = self.draw_position();
                self.rest(position, Instant::ZERO)
            }
            Start::Position => self.rest(self.position, Instant::ZERO),
        }
    }

    fn next_leg(&mut self, last: &Leg) -> Leg {
        if last.is_rest() || self.pause.is_zero() {
            self.travel(last.to, last.end)
        } else {
            self.rest(last.to, last.end)
        }
    }

    fn top_speed_mps(&self) -> f64 {
        self.speeds.max
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{mean_speed, share, trajectories};
    use super::super::trajectory::Trajectory;
    use super::*;
    use crate::ids::NodeId;
    use crate::mobility;
    use crate::space::Metres;

    fn waypoint(min: f64, max: f64, pause_s: u64, area: Area, start: Start) -> mobility::Config {
        let pause = Duration::from_secs(pause_s);
        let config = Config { area, min_speed: Pace(min), max_speed: Pace(max), pause, start };
        mobility::Config::RandomWaypoint(config)
    }

    const SQUARE: Area = Area::square(500.0);

    #[test]
    fn the_mean_speed_is_the_stationary_one_from_the_start_on() {
        // E[L] / (E[L] E[1/V] + P); its standard error is below 0.3 % here.
        let cases =
            [(1.0, 5.0, 0, 2.4853), (1.0, 20.0, 0, 6.3424), (9.0, 11.0, 0, 9.9666), (1.0, 5.0, 60, 1.5810)];
        for (min, max, pause, expected) in cases {
            let mut nodes = trajectories(&waypoint(min, max, pause, SQUARE, Start::Stationary), 100_000);
            for second in [0, 200] {
                let mean = mean_speed(&mut nodes, second);
                assert!(
                    (mean / expected - 1.0).abs() < 0.01,
                    "{min}..{max}, {pause} s, at {second} s: {mean}"
                );
            }
        }
    }

    #[test]
    fn with_a_uniform_start_speeds_decay_to_the_stationary_mean() {
        let mut nodes = trajectories(&waypoint(1.0, 20.0, 0, SQUARE, Start::Uniform), 50_000);
        let means = [0, 30, 1000].map(|second| mean_speed(&mut nodes, second));
        assert!((means[0] - 10.5).abs() < 0.1 && means[1] < 9.0, "{means:?}");
        assert!((means[2] / 6.3424 - 1.0).abs() < 0.02, "{means:?}");
    }

    #[test]
    fn without_a_lower_bound_speeds_decay_for_ever() {
        let mut nodes = trajectories(&waypoint(0.0, 20.0, 0, SQUARE, Start::Uniform), 5_000);
        let means = [0, 100, 1_000, 10_000].map(|second| mean_speed(&mut nodes, second));
        assert!((means[0] - 10.0).abs() < 0.3, "{means:?}");
        assert!(means.windows(2).all(|pair| pair[1] < 0.8 * pair[0]), "{means:?}");
    }

    #[test]
    fn the_density_along_a_line_is_6_x_times_1_minus_x_from_the_start_on() {
        // Between a quarter and three quarters: 11/16. A standard error is 0.0021.
        let strip = Area { width: Metres(1000.0), height: Metres(1.0) };
        let mut nodes = trajectories(&waypoint(1.0, 5.0, 0, strip, Start::Stationary), 50_000);
        for second in [0, 100, 1_000] {
            let inner = share(&mut nodes, second, |at| (250.0..750.0).contains(&at.x.0));
            assert!((inner - 0.6875).abs() < 0.007, "at {second} s: {inner}");
        }
    }

    #[test]
    fn nodes_gather_in_the_middle_from_the_start_on() {
        let in_the_middle =
            |at: Position| (125.0..375.0).contains(&at.x.0) && (125.0..375.0).contains(&at.y.0);
        let mut stationary = trajectories(&waypoint(1.0, 5.0, 20, SQUARE, Start::Stationary), 50_000);
        let mut uniform = trajectories(&waypoint(1.0, 5.0, 20, SQUARE, Start::Uniform), 50_000);
        assert!((share(&mut uniform, 0, in_the_middle) - 0.25).abs() < 0.007);
        // What the uniform start comes to after long, the stationary one has at once.
        let late = share(&mut uniform, 3_000, in_the_middle);
        assert!(late > 0.35, "{late}");
        for second in [0, 100, 3_000] {
            let now = share(&mut stationary, second, in_the_middle);
            assert!((now - late).abs() < 0.01, "at {second} s: {now}, not {late}");
        }
    }

    #[test]
    fn a_node_begins_paused_where_the_scenario_puts_it() {
        let config = waypoint(1.0, 5.0, 10, SQUARE, Start::Position);
        let position = Position { x: Metres(30.0), y: Metres(40.0), z: Metres(1.5) };
        let setup = Setup { seed: 1, node: NodeId(0), position };
        let mut node = Trajectory::new(&config, &setup);
        let at = |second| Instant::ZERO + Duration::from_secs(second);
        assert_eq!((node.position(at(9)), node.leg(at(9)).end), (position, at(10)));
        assert!(node.position(at(11)).distance(position).0 > 1.0 && node.position(at(500)).z == position.z);
    }
}
