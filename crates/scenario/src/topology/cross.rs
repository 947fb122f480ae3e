//! A centre with four arms.

use farlink_kernel::config;
use farlink_network::space::{Metres, Position};

use super::{Fault, Layout, Setup, Shape};

pub(super) const SOURCE: &str = "customary";

config! {
    /// Parameters of a cross.
    pub struct Config {
        /// Number of nodes of an arm without the centre, which is called `centre`; the arms are called
        /// `east1`, `east2`, ..., `north1`, `west1`, `south1`, outwards.
        pub arm_length: u16 = 2; in 1..,
        /// Distance of neighbours; it has an effect on shared channels only.
        pub spacing: Metres = Metres(200.0),
    }
}

const ARMS: [(&str, f64, f64); 4] =
    [("east", 1.0, 0.0), ("north", 0.0, 1.0), ("west", -1.0, 0.0), ("south", 0.0, -1.0)];

impl Shape for Config {
    fn lay_out(&self, _setup: &Setup) -> Result<Layout, Fault> {
        let mut nodes = vec![("centre".to_owned(), Position::default())];
        for (arm, x, y) in ARMS {
            nodes.extend((1..=self.arm_length).map(|i| {
                let distance = f64::from(i) * self.spacing.0;
                let position = Position { x: Metres(x * distance), y: Metres(y * distance), z: Metres(0.0) };
                (format!("{arm}{i}"), position)
            }));
        }
        let length = usize::from(self.arm_length);
        let inner = |arm: usize, i: usize| if i == 0 { 0 } else { arm * length + i };
        let links = (0..ARMS.len())
            .flat_map(|arm| (0..length).map(move |i| [inner(arm, i), arm * length + i + 1]))
            .collect();
        Ok(Layout { nodes, links, ..Layout::default() })
    }
}
