//! The node stays where the scenario puts it.

use farlink_kernel::{Diagnostic, Instant, config};

use super::leg::Leg;
use super::{Mobility, Parameters, Placement, Setup};
use crate::space::Position;

pub(super) const SOURCE: &str = "trivial";

config! {
    /// Parameters: none.
    pub struct Config {}
}

impl Parameters for Config {
    fn placement(&self) -> Placement {
        Placement::Anywhere
    }

    fn check(&self, _is_given: &dyn Fn(&str) -> bool) -> Result<(), Diagnostic> {
        Ok(())
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Static {
    position: Position,
}

impl Static {
    pub(crate) fn new(_config: &Config, setup: &Setup) -> Self {
        Self { position: setup.position }
    }
}

impl Mobility for Static {
    fn first_leg(&mut self) -> Leg {
        Leg::rest(self.position, Instant::ZERO, Instant::NEVER)
    }

    fn next_leg(&mut self, last: &Leg) -> Leg {
        unreachable!("{last:?} never ends")
    }

    fn top_speed_mps(&self) -> f64 {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::super::trajectory::Trajectory;
    use super::*;
    use crate::ids::NodeId;
    use crate::mobility;
    use crate::space::Metres;

    #[test]
    fn a_static_node_is_where_it_was_put_for_ever() {
        let position = Position { x: Metres(3.0), y: Metres(4.0), z: Metres(-5.0) };
        let config = mobility::Config::Static(Config::default());
        let mut trajectory = Trajectory::new(&config, &Setup { seed: 1, node: NodeId(0), position });
        assert_eq!(trajectory.position(Instant::NEVER), position);
        assert_eq!(trajectory.stays_within(Instant::ZERO, Metres(0.0)), Instant::NEVER);
    }
}
