//! Mobility: where nodes are over time.
//!
//! A member makes one leg after another: from here straight to there, or a rest. Its draws are a stream of
//! (seed, node) of its own and a leg depends on the legs before it only, so a [`trajectory::Trajectory`] is a
//! pure function of time: queries change no position, and no event is ever pending.

use farlink_kernel::random::Stream;
use farlink_kernel::{Diagnostic, registry};

use crate::ids::NodeId;
use crate::space::{Area, Position};

pub(crate) mod gauss_markov;
pub mod leg;
pub(crate) mod manhattan_grid;
pub(crate) mod random_walk;
pub mod random_waypoint;
pub mod scripted;
pub(crate) mod speeds;
pub mod start;
pub mod r#static;
#[cfg(test)]
mod testing;
pub mod trajectory;
mod walls;

use leg::Leg;
use start::Start;

/// The role.
pub trait Mobility: std::fmt::Debug + Send {
    /// What the node does from the start of the run on.
    fn first_leg(&mut self) -> Leg;

    /// What it does when `last` is over. Asked once for each leg, in their order.
    fn next_leg(&mut self, last: &Leg) -> Leg;

    /// The node is never faster than this, in m/s; infinity if it jumps.
    fn top_speed_mps(&self) -> f64;
}

/// What is asked about a model before a run.
pub trait Parameters {
    /// The initial position of a node.
    fn placement(&self) -> Placement;

    /// Refuses parameters that do not go together, or one that is not given.
    ///
    /// # Errors
    /// At the key of a parameter, or without one for the model as a whole.
    fn check(&self, is_given: &dyn Fn(&str) -> bool) -> Result<(), Diagnostic>;
}

/// The initial position of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Placement {
    /// The scenario gives it.
    Anywhere,
    /// The scenario gives it, within the model's area.
    Within(Area),
    /// The model draws it.
    Drawn,
}

/// What a member is made with.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// The run's seed.
    pub seed: u64,
    /// The node's number, the key of its random stream.
    pub node: NodeId,
    /// Where the scenario puts the node.
    pub position: Position,
}

impl Setup {
    /// The node's random stream.
    pub fn stream(&self) -> Stream {
        Stream::new(self.seed, "mobility", u64::from(self.node))
    }
}

registry! {
    /// Mobility models.
    Mobility(Setup) where Config: Parameters {
        /// The node stays where it is.
        r#static::Static,
        /// Straight to a random destination, a pause, and the next one.
        random_waypoint::RandomWaypoint,
        /// A random direction and speed for each step; walls reflect.
        random_walk::RandomWalk,
        /// Speed and direction that are correlated over time.
        gauss_markov::GaussMarkov,
        /// Along the streets of a regular town, with turns at the crossings.
        manhattan_grid::ManhattanGrid,
        /// By a list of commands, or by an ns-2 movement file.
        scripted::Scripted,
    }
}

#[cfg(test)]
mod tests {
    use farlink_kernel::{Duration, Instant};

    use super::testing::{at, trajectories};
    use super::trajectory::Trajectory;
    use super::*;
    use crate::space::Metres;

    /// Every registered model, with its default parameters.
    fn members() -> impl Iterator<Item = Config> {
        Config::NAMES.iter().map(|name| Config::named(name).expect("registered"))
    }

    #[test]
    fn positions_do_not_depend_on_when_and_how_often_they_are_asked() {
        for config in members() {
            let [mut often, mut seldom] = [(), ()].map(|()| trajectories(&config, 20));
            for (often, seldom) in often.iter_mut().zip(&mut seldom) {
                let all: Vec<Position> =
                    (0..10_000).map(|n| often.position(Instant::from_nanos(n * 100_000_007))).collect();
                for n in [0, 1, 17, 4_000, 9_999] {
                    let position = seldom.position(Instant::from_nanos(n * 100_000_007));
                    assert_eq!(position, all[n as usize], "{}", config.name());
                }
            }
        }
    }

    #[test]
    fn no_node_is_faster_than_its_top_speed_or_further_than_it_said() {
        for config in members() {
            for node in &mut trajectories(&config, 20) {
                let bound = node.top_speed_mps();
                let (mut now, mut here) = (Instant::ZERO, node.position(Instant::ZERO));
                while now < at(500) {
                    let until = node.stays_within(now, Metres(3.0));
                    let next = (now + Duration::from_millis(700)).min(until);
                    let there = node.position(next);
                    let way = here.distance(there).0;
                    let slack = 1e-6;
                    assert!(way <= 3.0 + slack, "{}", config.name());
                    assert!(way <= bound * (next - now).as_secs_f64() + slack, "{}", config.name());
                    if until == Instant::NEVER {
                        break;
                    }
                    (now, here) = (next, there);
                }
            }
        }
    }

    #[test]
    fn other_seeds_and_nodes_move_otherwise() {
        let random = ["random_waypoint", "random_walk", "gauss_markov", "manhattan_grid"];
        for config in members().filter(|config| random.contains(&config.name())) {
            let first = |seed, node| {
                let setup = Setup { seed, node, position: Position::default() };
                Trajectory::new(&config, &setup).position(Instant::ZERO)
            };
            assert_eq!(first(1, NodeId(0)), first(1, NodeId(0)));
            assert!(
                first(1, NodeId(0)) != first(2, NodeId(0)) && first(1, NodeId(0)) != first(1, NodeId(1)),
                "{}",
                config.name()
            );
        }
    }
}
