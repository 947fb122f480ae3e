//! [`Medium`]: what lies between the antennas of a shared channel.

use farlink_kernel::{Duration, choice};

use super::neighbourhood::Neighbourhood;
use super::propagation::{self, Path};
use super::propagation_speed::PropagationSpeed;
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
    /// Whether members out of reach are skipped.
    pub skip_far: bool,
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
            skip_far: true,
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

    /// The members within `reach` of each other.
    pub fn neighbourhood(&self, trajectories: Vec<Trajectory>, reach: Metres) -> Neighbourhood {
        Neighbourhood::new(trajectories, reach, self.skip_far)
    }
}
