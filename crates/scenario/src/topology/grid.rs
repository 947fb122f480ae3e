//! Rows and columns.

use farlink_kernel::config;
use farlink_network::space::{Metres, Position};

use super::{Fault, Layout, Setup, Shape};

pub(super) const SOURCE: &str = "customary";

config! {
    /// Parameters of a grid.
    pub struct Config {
        /// Number of rows.
        pub rows: u16 = 3; in 1..,
        /// Number of columns; the node in row r and column c is called `r.c`.
        pub columns: u16 = 3; in 1..,
        /// Distance of neighbours; it has an effect on shared channels only.
        pub spacing: Metres = Metres(200.0),
    }
}

impl Shape for Config {
    fn lay_out(&self, _setup: &Setup) -> Result<Layout, Fault> {
        let (rows, columns) = (usize::from(self.rows), usize::from(self.columns));
        let places = (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c)));
        let at = |i: usize| Metres(i as f64 * self.spacing.0);
        let node = |(r, c)| (format!("{r}.{c}"), Position { x: at(c), y: at(r), ..Position::default() });
        let right = |(r, c)| (c + 1 < columns).then_some([r * columns + c, r * columns + c + 1]);
        let below = |(r, c)| (r + 1 < rows).then_some([r * columns + c, (r + 1) * columns + c]);
        let links = places.clone().flat_map(|place| [right(place), below(place)]).flatten().collect();
        Ok(Layout { nodes: places.map(node).collect(), links, ..Layout::default() })
    }
}
