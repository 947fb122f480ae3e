//! A hexagon of triangles.

use std::collections::BTreeMap;

use farlink_kernel::config;
use farlink_network::space::{Metres, Position};

use super::{Fault, Layout, Setup, Shape};

pub(super) const SOURCE: &str = "customary";

config! {
    /// Parameters of a hexagon.
    pub struct Config {
        /// Number of rings of nodes around the centre: one makes 7 nodes, two make 19. They are called `n0`,
        /// `n1`, ...: the middle row from the west to the east, then the rows next to it, the northern before the
        /// southern, and so on outwards.
        pub rings: u8 = 2; in 1..,
        /// Distance of neighbours; it has an effect on shared channels only.
        pub spacing: Metres = Metres(200.0),
    }
}

/// The offsets of neighbours, in half spacings and rows.
const NEIGHBOURS: [[i32; 2]; 6] = [[2, 0], [-2, 0], [1, 1], [-1, 1], [1, -1], [-1, -1]];

impl Config {
    /// Rows with the numbers of their nodes, in half spacings from the western end of the middle row: a row further
    /// out is a node shorter.
    fn places(&self) -> Vec<[i32; 2]> {
        let rings = i32::from(self.rings);
        let rows = (0..=rings).flat_map(|out| if out == 0 { vec![0] } else { vec![out, -out] });
        let row = |row: i32| (0..=2 * rings - row.abs()).map(move |i| [row.abs() + 2 * i, row]);
        rows.flat_map(row).collect()
    }
}

impl Shape for Config {
    fn lay_out(&self, _setup: &Setup) -> Result<Layout, Fault> {
        let places = self.places();
        let half = self.spacing.0 / 2.0;
        let position = |[x, row]: [i32; 2]| Position {
            x: Metres(f64::from(x) * half),
            y: Metres(f64::from(row) * half * libm::sqrt(3.0)),
            z: Metres(0.0),
        };
        let numbers: BTreeMap<[i32; 2], usize> = places.iter().copied().zip(0..).collect();
        let later = |(a, [x, row]): (usize, [i32; 2])| {
            let around = NEIGHBOURS.map(|[right, up]| [x + right, row + up]);
            let mut later: Vec<usize> =
                around.iter().filter_map(|place| numbers.get(place).copied()).filter(|b| *b > a).collect();
            later.sort_unstable();
            later.into_iter().map(move |b| [a, b])
        };
        let links = places.iter().copied().enumerate().flat_map(later).collect();
        let nodes = places.iter().enumerate().map(|(i, &place)| (format!("n{i}"), position(place))).collect();
        Ok(Layout { nodes, links, ..Layout::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_rings_are_nineteen_nodes_with_forty_two_links_of_the_same_length() {
        let Layout { nodes, links, .. } = Config::default().lay_out(&Setup::default()).unwrap();
        assert_eq!((nodes.len(), links.len()), (19, 42));
        for [a, b] in links {
            assert!((nodes[a].1.distance(nodes[b].1).0 - 200.0).abs() < 1e-9);
        }
        let at = |i: usize| (nodes[i].1.x.0, nodes[i].1.y.0);
        assert_eq!((at(0), at(4)), ((0.0, 0.0), (800.0, 0.0)));
        // The next rows have four nodes, the outermost three.
        assert!(at(5).0 == 100.0 && at(5).1 > 173.0 && at(9).0 == 100.0 && at(9).1 < -173.0);
        assert!(at(13).0 == 200.0 && at(13).1 > 346.0 && at(18).0 == 600.0 && at(18).1 < -346.0);
    }
}
