//! Everyone within a range hears, nobody beyond it.

use farlink_kernel::config::above;
use farlink_kernel::{Duration, choice, config};

use super::{Propagation, Reach};
use crate::space::{Metres, Position, Speed};

/// Where the model stands.
pub const SOURCE: &str = "unit disc graph";

choice! {
    /// Whether signals take time.
    pub enum Delay {
        /// Distance over speed, exactly.
        Distance = "distance",
        /// Everyone hears at once.
        None = "none",
    }
}

config! {
    /// Parameters of the disc.
    pub struct Config {
        /// How far a signal is heard.
        pub range: Metres = Metres(250.0); in above(Metres(0.0)),
        /// How fast it travels: light by default.
        pub speed: Speed = Speed::LIGHT,
        /// Whether it takes time.
        pub delay: Delay = Delay::Distance,
    }
}

/// The model at work.
#[derive(Clone, Debug)]
pub struct Disc {
    config: Config,
}

impl Disc {
    /// A disc.
    #[allow(clippy::trivially_copy_pass_by_ref)]
    pub fn new(config: &Config, _setup: &()) -> Self {
        Self { config: config.clone() }
    }
}

impl Propagation for Disc {
    fn reach(&self, from: Position, to: Position) -> Reach {
        let distance = from.distance(to);
        let delay = match self.config.delay {
            Delay::Distance => self.config.speed.time_for(distance),
            Delay::None => Duration::ZERO,
        };
        let power_dbm = if distance <= self.config.range { 0.0 } else { f64::NEG_INFINITY };
        Reach { delay, power_dbm }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_is_heard_to_its_edge_and_not_beyond() {
        let config = Config { range: Metres(300.0), ..Config::default() };
        let disc = Disc::new(&config, &());
        let reach = |x| disc.reach(Position::default(), Position { x: Metres(x), ..Position::default() });
        assert!(reach(300.0).is_audible() && !reach(300.1).is_audible());
        assert_eq!(reach(299.792_458).delay, Duration::from_micros(1));
    }
}
