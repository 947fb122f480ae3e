//! Parameters: the paper leaves most values open; the defaults are those of ns-2.35 (dsdv/dsdv.cc), whose deviations
//! from the paper are a preset.

use farlink_kernel::config::{Fraction, above};
use farlink_kernel::{Duration, choice, config};

use crate::routing::{Messages, Parameters, Routes};
use crate::wire::dsdv::MOST_ENTRIES;

choice! {
    /// Sets of default values.
    pub enum Preset {
        /// Those of the paper.
        Paper = "paper",
        /// Those of ns-2.35.
        Ns2 = "ns2",
    }
}

choice! {
    /// What triggers an update before the next full one.
    pub enum Trigger {
        /// New destinations, and routes that became shorter, longer or broke.
        Metric = "metric",
        /// Also every new sequence number (DSDV-SQ of J. Broch et al., MobiCom 1998).
        Sequence = "sequence",
        /// New destinations, routes that became shorter under the same sequence number, and broken links of this node; changes
        /// under a newer number wait for the next full update.
        Shorter = "shorter",
    }
}

config! {
    /// Parameters of DSDV.
    pub struct Config {
        /// Source of the defaults of all other parameters.
        pub preset: Preset = Preset::Paper,
        /// Interval of full updates.
        pub update_interval: Duration = Duration::from_secs(15); in above(Duration::ZERO),
        /// Share of that interval by which an update may come earlier.
        pub update_jitter: Fraction = Fraction(0.25),
        /// The first update is sent within this time.
        pub startup_jitter: Duration = Duration::from_secs(2),
        /// Missing full updates after which a neighbour is lost.
        pub allowed_update_loss: u32 = 3; in 1..,
        /// A packet that the MAC gives up marks the link as broken. Collisions have the same effect, and the route returns with
        /// the destination's next sequence number only: J. Broch et al. (MobiCom 1998) and ns-2 leave it out.
        pub link_layer_detection: bool = false,
        /// What triggers an update before the next full one. ns-2: shorter.
        pub triggers: Trigger = Trigger::Metric; with Ns2 = Trigger::Shorter,
        /// Minimum interval of triggered updates.
        pub trigger_gap: Duration = Duration::from_secs(1),
        /// Every route has a trigger of its own, which only the update that it causes ends: if several are due, as after a broken
        /// link, another update follows after `trigger_gap`, with what is known by then. ns-2: yes.
        pub triggers_persist: bool = false; with Ns2 = true,
        /// A triggered update has the node's own route as well. ns-2: no, only full ones have it.
        pub own_route_in_triggered: bool = true; with Ns2 = false,
        /// Initial estimate of the settling time: from the first route to a destination under a new sequence number to the best
        /// one. A route is advertised after twice the weighted mean of the measured ones.
        pub settling_time: Duration = Duration::from_secs(6),
        /// Weight of the previous mean in the weighted mean.
        pub settling_weight: Fraction = Fraction(0.875),
        /// Routes to new destinations wait for the settling time as well. ns-2: yes.
        pub settle_new_routes: bool = false; with Ns2 = true,
        /// A neighbour that is heard before a route to it, and a destination that a packet waits for, have a route without a
        /// number: the first number heard is a newer one, not that of a new destination. ns-2: yes.
        pub unnumbered_routes: bool = false; with Ns2 = true,
        /// Capacity of the send buffer per destination in packets; the oldest is replaced.
        pub send_buffer: u32 = 5; in 1..,
        /// Updates are delayed by a random time below this.
        pub jitter: Duration = Duration::from_millis(10),
    }
    preset Preset
}

impl Parameters for Config {
    fn messages(&self, nodes: f64, _neighbours: f64) -> Vec<Messages> {
        let transmissions = (nodes / MOST_ENTRIES as f64).ceil();
        vec![Messages { key: "update_interval", interval: self.update_interval, transmissions }]
    }

    fn routes(&self) -> Routes<'_> {
        Routes::Learnt
    }
}

impl Config {
    pub(super) fn patience(&self) -> Duration {
        self.update_interval.saturating_mul(u64::from(self.allowed_update_loss))
    }
}
