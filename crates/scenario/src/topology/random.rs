//! Nodes at random positions.

use farlink_kernel::config;
use farlink_kernel::config::above;
use farlink_kernel::random::Stream;
use farlink_network::space::{Area, Metres, Position};

use super::near::{is_connected, pairs};
use super::{Fault, Layout, Setup, Shape};

pub(super) const SOURCE: &str = "customary";

config! {
    /// Parameters of a random placement.
    pub struct Config {
        /// Number of nodes; they are called `n0`, `n1`, ...
        pub nodes: u16 = 50; in 1..=10_000,
        /// Width and height of the area that positions are drawn from uniformly; a corner is at (0, 0).
        pub area: Area = Area::square(1000.0),
        /// Nodes at most this far apart are neighbours, for `link` and `connected`. It does not set the range of a radio,
        /// and should not be longer.
        pub range: Metres = Metres(250.0); in above(Metres(0.0)),
        /// Positions are drawn again until the network is connected.
        pub connected: bool = false,
        /// The seed of the positions. They do not depend on the seed of a run.
        pub seed: u64 = 1,
    }
}

/// The limit on draws of a connected network.
const MOST_DRAWS: u64 = 1000;

/// The limit on links, which take a hundred megabytes.
const MOST_LINKS: usize = 100_000;

impl Config {
    fn link(&self, places: Vec<Position>, is_linked: bool) -> Result<Layout, Fault> {
        let links = if is_linked { pairs(&places, self.range, MOST_LINKS) } else { Some(Vec::new()) };
        let links = links.ok_or_else(|| {
            let message = format!("more than {MOST_LINKS} pairs of nodes are within the range");
            Fault::Key("range", message, "write a shorter range or fewer nodes".into())
        })?;
        let nodes = places.into_iter().enumerate().map(|(i, place)| (format!("n{i}"), place)).collect();
        Ok(Layout { nodes, links, ..Layout::default() })
    }

    fn draw(&self, attempt: u64) -> Vec<Position> {
        let mut stream = Stream::new(self.seed, "topology", attempt);
        (0..self.nodes).map(|_| self.area.draw(&mut stream, Metres(0.0))).collect()
    }
}

impl Shape for Config {
    fn lay_out(&self, setup: &Setup) -> Result<Layout, Fault> {
        let Config { nodes, range, connected, .. } = *self;
        let draws = if connected { MOST_DRAWS } else { 1 };
        for attempt in 0..draws {
            let places = self.draw(attempt);
            if !connected || is_connected(&places, range) {
                return self.link(places, setup.is_linked);
            }
        }
        let message = format!("{MOST_DRAWS} draws of {nodes} nodes were not connected");
        Err(Fault::Key("range", message, "write a longer range, more nodes or a smaller area".into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lay_out(config: &Config) -> Result<Layout, Fault> {
        config.lay_out(&Setup { is_linked: true, ..Setup::default() })
    }

    fn is_joined(layout: &Layout) -> bool {
        let places: Vec<Position> = layout.nodes.iter().map(|(_, place)| *place).collect();
        is_connected(&places, Metres(250.0))
    }

    #[test]
    fn places_are_uniform_and_those_of_the_seed() {
        let config = Config { nodes: 10_000, range: Metres(1.0), ..Config::default() };
        let layout = lay_out(&config).unwrap();
        let corner = layout.nodes.iter().filter(|(_, at)| at.x.0 < 500.0 && at.y.0 < 250.0).count();
        // An eighth; four standard errors are 132.
        assert!(corner.abs_diff(1250) < 132, "{corner}");
        assert!(layout == lay_out(&config).unwrap());
        assert!(layout != lay_out(&Config { seed: 2, ..config }).unwrap());
    }

    #[test]
    fn connected_places_are_connected_and_impossible_ones_are_refused() {
        let sparse = Config { nodes: 30, ..Config::default() };
        let together = Config { connected: true, ..sparse.clone() };
        assert!(!is_joined(&lay_out(&sparse).unwrap()) && is_joined(&lay_out(&together).unwrap()));
        let hopeless = Config { range: Metres(10.0), ..together };
        assert!(matches!(lay_out(&hopeless), Err(Fault::Key("range", ..))));
        let dense = Config { nodes: 1000, range: Metres(500.0), ..sparse };
        assert!(matches!(lay_out(&dense), Err(Fault::Key("range", ..))));
    }
}
