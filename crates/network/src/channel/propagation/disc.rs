//! Unit disc: signals are received within a range and not beyond it; up to a second range they are sensed.

use farlink_kernel::config;
use farlink_kernel::config::above;

use super::{Carrier, Parameters, Path, Propagation};
use crate::phy::power::Ratio;
use crate::space::Metres;

pub(super) const SOURCE: &str = "unit disc graph";

config! {
    /// Parameters of the unit disc.
    pub struct Config {
        /// Reception range.
        pub range: Metres = Metres(250.0); in above(Metres(0.0)),
        /// Carrier sense and interference range; by default the reception range.
        pub sensing_range: Metres = Metres(0.0),
        /// Gain between the two ranges: below the reception threshold of the default antenna, above its carrier sense
        /// threshold.
        pub sensing_gain: Ratio = Ratio::from_db(-95.0),
    }
}

impl Parameters for Config {
    fn carrier(&self) -> Carrier {
        Carrier::Any
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Disc {
    range: Metres,
    sensing_range: Metres,
    faint: f64,
}

impl Disc {
    pub(crate) fn new(config: &Config, _setup: &()) -> Self {
        Self {
            range: config.range,
            sensing_range: Metres(config.sensing_range.0.max(config.range.0)),
            faint: config.sensing_gain.factor().min(1.0),
        }
    }
}

impl Propagation for Disc {
    fn mean_gain(&self, path: &Path) -> f64 {
        match path.distance {
            near if near <= self.range => 1.0,
            far if far <= self.sensing_range => self.faint,
            _ => 0.0,
        }
    }

    fn reach(&self, least: f64) -> Metres {
        if self.faint >= least { self.sensing_range } else { self.range }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_are_received_up_to_the_range() {
        let disc = Disc::new(&Config { range: Metres(300.0), ..Config::default() }, &());
        let gain = |x| disc.mean_gain(&Path::over(Metres(x)));
        assert_eq!((gain(300.0), gain(300.1), disc.reach(1e-10)), (1.0, 0.0, Metres(300.0)));
    }

    #[test]
    fn the_default_antenna_senses_and_does_not_receive_up_to_the_second_range() {
        let ranges = Config { range: Metres(100.0), sensing_range: Metres(150.0), ..Config::default() };
        let disc = Disc::new(&ranges, &());
        let antenna = crate::phy::antenna::Config::default();
        let watts = |x| antenna.power.watts * disc.mean_gain(&Path::over(Metres(x)));
        assert!(watts(100.0) >= antenna.receive_threshold.watts);
        assert!(
            (antenna.carrier_sense_threshold.watts..antenna.receive_threshold.watts).contains(&watts(140.0))
        );
        assert_eq!((watts(150.1), disc.reach(1e-10), disc.reach(1e-9)), (0.0, Metres(150.0), Metres(100.0)));
    }
}
