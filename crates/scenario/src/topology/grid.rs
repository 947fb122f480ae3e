//! Rows and columns.

use farlink_kernel::config;
use farlink_network::space::{Metres, Position};

use super::{Fault, Layout, Setup, Shape};

pub(super) const SOURCE: &str = "customary";

config! {
    /// Parameters of a grid.
    pub struct Config {
        /// Number of rows.
        pub rows: u8 = 3; in 1..,
        /// Number of columns; the node in row r and column c is called `r.c`.
        pub columns: u8 = 3; in 1..,
        /// Distance of neighbours; it has an effect on shared channels only.
        pub spacing: Metres = Metres(200.0),
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Grid {
    config: Config,
}

impl Grid {
    pub(crate) fn new(config: &Config, _setup: &Setup) -> Self {
        Self { config: config.clone() }
    }

    fn places(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..usize::from(self.config.rows))
            .flat_map(|r| (0..usize::from(self.config.columns)).map(move |c| (r, c)))
    }
}

impl Grid {
    fn nodes(&self) -> Vec<(String, Position)> {
        let at = |i: usize| Metres(i as f64 * self.config.spacing.0);
        let node = |(r, c)| (format!("{r}.{c}"), Position { x: at(c), y: at(r), ..Position::default() });
        self.places().map(node).collect()
    }

    fn links(&self) -> Vec<[usize; 2]> {
        let (rows, columns) = (usize::from(self.config.rows), usize::from(self.config.columns));
        let right = |(r, c)| (c + 1 < columns).then_some([r * columns + c, r * columns + c + 1]);
        let below = |(r, c)| (r + 1 < rows).then_some([r * columns + c, (r + 1) * columns + c]);
        self.places().flat_map(|place| [right(place), below(place)]).flatten().collect()
    }
}

impl Shape for Grid {
    fn lay_out(&self) -> Result<Layout, Fault> {
        Ok(Layout { nodes: self.nodes(), links: self.links(), ..Layout::default() })
    }
}
