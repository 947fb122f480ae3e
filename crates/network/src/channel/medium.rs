//! [`Medium`]: what lies between the antennas of a shared channel.

use farlink_kernel::{Duration, choice};

use super::propagation::{self, Path};
use super::propagation_speed::PropagationSpeed;
use super::spatial_index::SpatialIndex;
use crate::mobility::trajectory::Trajectory;
use crate::phy::antenna;
use crate::phy::power::{Power, Strength};
use crate::space::Metres;

choice! {
    /// Whether signals on a shared channel take time.
    pub enum Delay {
        /// Distance over speed, exactly.
        Distance = "distance",
        /// None: all listeners receive a signal at once.
        None = "none",
    }
}

/// How signals reach listeners. All antennas of a channel are alike.
#[derive(Debug)]
pub struct Medium {
    /// How much of a signal's power reaches a listener.
    pub propagation: propagation::Any,
    /// How strong signals are sent, and which strengths are received.
    pub antenna: antenna::Config,
    /// The power of its signals where they are sent.
    pub power: Strength,
    /// Whether signals take time.
    pub delay: Delay,
    /// How fast they travel.
    pub speed: PropagationSpeed,
    /// Signals are not computed for members out of range. No result depends on it: only tests turn it off.
    pub culling: bool,
}

impl Medium {
    /// Signals propagate with the speed of light between antennas like this one.
    pub fn new(propagation: &propagation::Config, antenna: &antenna::Config) -> Self {
        Self {
            propagation: propagation.build(&()),
            antenna: antenna.clone(),
            power: antenna.power.strength(),
            delay: Delay::Distance,
            speed: PropagationSpeed::LIGHT,
            culling: true,
        }
    }

    /// The gain at which a signal arrives with this power.
    pub fn gain(&self, received: Power) -> f64 {
        received.watts / self.antenna.power.watts
    }

    /// The distance beyond which no signal arrives with this power.
    pub fn reach(&self, received: Power) -> Metres {
        self.propagation.reach(self.gain(received))
    }

    /// How long a signal takes over a path.
    pub fn delay(&self, path: &Path) -> Duration {
        match self.delay {
            Delay::Distance => self.speed.time_between(path.from, path.to, path.distance),
            Delay::None => Duration::ZERO,
        }
    }

    /// An index of the members within `reach` of each other.
    pub fn spatial_index(&self, trajectories: Vec<Trajectory>, reach: Metres) -> SpatialIndex {
        SpatialIndex::new(trajectories, reach, self.culling)
    }
}
