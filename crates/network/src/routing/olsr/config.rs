//! Parameters (RFC 3626, section 18).

use farlink_kernel::config::above;
use farlink_kernel::{Duration, config};

use crate::routing::{Messages, Parameters, Routes};

config! {
    /// Parameters of OLSR.
    pub struct Config {
        /// Interval of HELLO messages, which list neighbours (HELLO_INTERVAL, section 18.2).
        pub hello_interval: Duration = Duration::from_secs(2); in above(Duration::ZERO),
        /// Interval of TC messages of a multipoint relay, which list its selectors (TC_INTERVAL).
        pub tc_interval: Duration = Duration::from_secs(5); in above(Duration::ZERO),
        /// Lifetime of a neighbour without HELLO messages (NEIGHB_HOLD_TIME).
        pub neighbour_hold_time: Duration = Duration::from_secs(6); in above(Duration::ZERO),
        /// Lifetime of topology information (TOP_HOLD_TIME).
        pub topology_hold_time: Duration = Duration::from_secs(15); in above(Duration::ZERO),
        /// How long a message is remembered to detect duplicates (DUP_HOLD_TIME).
        pub duplicate_hold_time: Duration = Duration::from_secs(30),
        /// Messages are sent earlier, or forwarded later, by a random time below this (MAXJITTER).
        pub max_jitter: Duration = Duration::from_millis(500),
        /// Willingness to forward for other nodes: 0 never, 3 by default, 7 always (section 18.8).
        pub willingness: u8 = 3; in ..=7,
        /// A packet that the MAC gives up marks the link as lost (section 13); otherwise links expire.
        pub link_layer_notification: bool = false,
    }
}

impl Parameters for Config {
    fn messages(&self, nodes: f64, neighbours: f64) -> Vec<Messages> {
        // Multipoint relays forward a TC message; a dense network has few of them.
        let relays = (4.0 * nodes / (neighbours + 1.0)).clamp(1.0, nodes);
        vec![
            Messages { key: "hello_interval", interval: self.hello_interval, transmissions: 1.0 },
            Messages { key: "tc_interval", interval: self.tc_interval, transmissions: relays },
        ]
    }

    fn routes(&self) -> Routes<'_> {
        Routes::Learnt
    }
}
