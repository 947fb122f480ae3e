//! Work that is measured: runs of the comparison with ns-2 and ns-3.

use farlink_kernel::{Duration, Instant};
use farlink_network::blueprint::{Blueprint, Record};
use farlink_network::{Results, World};
use farlink_scenario::{Draft, Files};

mod radio;

/// A run that is measured: a scenario, most of them of `bench/peers`, with some settings.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// What it is called.
    pub name: &'static str,
    scenario: fn() -> String,
    settings: &'static [(&'static str, &'static str)],
}

/// All works. A window larger than pipe and buffer of the satellite lets slow start overshoot: fifteen thousand
/// packets are dropped.
pub const WORKS: [Work; 13] = [
    Work { name: "satellite", scenario: || include_str!("../peers/satellite.toml").into(), settings: &[] },
    Work {
        name: "satellite_losses",
        scenario: || include_str!("../peers/satellite.toml").into(),
        settings: &[("links.0.error.rate", "1e-7")],
    },
    Work {
        name: "overshoot",
        scenario: || include_str!("../peers/satellite.toml").into(),
        settings: &[("flows.0.tcp.max_window", "16300 packets")],
    },
    Work { name: "dumbbell", scenario: || include_str!("../peers/dumbbell.toml").into(), settings: &[] },
    Work { name: "twenty", scenario: || include_str!("../peers/twenty.toml").into(), settings: &[] },
    Work { name: "chain", scenario: || include_str!("../peers/chain.toml").into(), settings: &[] },
    // With ns-2's AODV its first seconds are a flood of requests; with these routes the mix of frames is the baseline's.
    Work {
        name: "manet",
        scenario: || include_str!("../peers/manet.toml").into(),
        settings: &[("routing.neighbour_routes", "true")],
    },
    Work { name: "thirty", scenario: || include_str!("../peers/thirty.toml").into(), settings: &[] },
    Work { name: "grid_100", scenario: || radio::grid(10), settings: &[] },
    Work { name: "grid_1024", scenario: || radio::grid(32), settings: &[] },
    Work { name: "grid_10000", scenario: || radio::grid(100), settings: &[] },
    Work { name: "grid_100000", scenario: || radio::grid(316), settings: &[] },
    Work { name: "waypoint_1000", scenario: || radio::waypoint(1000), settings: &[] },
];

/// The works' scenarios mention no files.
struct NoFiles;

impl Files for NoFiles {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        Err(format!("a benchmark reads no files, not even {path}"))
    }
}

impl Work {
    /// The work called `name`.
    pub fn named(name: &str) -> Option<Self> {
        WORKS.into_iter().find(|work| work.name == name)
    }

    /// What is run for `duration` with further settings, without time series: they are kept on request only.
    ///
    /// # Panics
    /// When the scenario is refused: it is not fit to be measured.
    pub fn blueprint(&self, duration: Duration, further: &[(&str, &str)]) -> Blueprint {
        let draft = || {
            let mut draft = Draft::parse(&(self.scenario)(), self.name)?;
            for (path, value) in self.settings.iter().chain(further) {
                draft.set(path, value)?;
            }
            draft.validate(&NoFiles)
        };
        let scenario = draft().unwrap_or_else(|error| panic!("{error}"));
        Blueprint { duration, record: Record { interval: None }, ..scenario.blueprint.clone() }
    }
}

/// Runs `blueprint` with seed 1 to its end.
///
/// # Panics
/// When the blueprint is refused: it is not fit to be measured.
pub fn run(blueprint: &Blueprint) -> Results {
    let mut world = World::new(blueprint, 1).expect("a well-formed blueprint");
    world.run_until(Instant::NEVER);
    world.finish()
}
