//! Parameters: the thesis gives their names and leaves most values open.

use farlink_kernel::config::{Fraction, above};
use farlink_kernel::{Duration, choice, config};

use crate::routing::{Messages, Parameters, Routes};

choice! {
    /// Where tables come from.
    pub enum Tables {
        /// Known to all from the start, and for ever.
        Static = "static",
        /// From the neighbours' configuration control packets.
        Dynamic = "dynamic",
    }
}

choice! {
    /// Which of several neighbours that are equally near a packet is sent to first.
    pub enum Spread {
        /// The most reliable, or else the one with the lowest number: always the same.
        None = "none",
        /// One at random for each packet.
        Packets = "packets",
        /// One for each flow and direction.
        Flows = "flows",
    }
}

config! {
    /// Parameters of FRN's routing.
    pub struct Config {
        /// Source of the routing tables. The thesis exchanges them so seldom that it has no effect.
        pub tables: Tables = Tables::Static,
        /// Attempts over a neighbour before the next one is used.
        pub attempts: u8 = 1; in 1..,
        /// Order of equally near neighbours: load balancing as the thesis proposes.
        pub load_balancing: Spread = Spread::None,
        /// With exchanged tables: interval at which a node advertises its hop counts (the configuration control cycle).
        pub cycle: Duration = Duration::from_secs(10); in above(Duration::ZERO),
        /// Number of past cycles over which receptions from a node are counted.
        pub history: u32 = 10; in 1..=64,
        /// A node heard in more than this share of them is a neighbour.
        pub threshold: Fraction = Fraction(0.6),
        /// Largest hop count of a route; bounds counting to infinity.
        pub max_hops: u8 = 32; in 1..,
        /// A node that drops a packet notifies its source.
        pub route_notifications: bool = false,
    }
}

impl Parameters for Config {
    fn messages(&self, _nodes: f64, _neighbours: f64) -> Vec<Messages> {
        let advertised = Messages { key: "cycle", interval: self.cycle, transmissions: 1.0 };
        if self.tables == Tables::Dynamic { vec![advertised] } else { Vec::new() }
    }

    fn routes(&self) -> Routes<'_> {
        Routes::OnDemand
    }
}
