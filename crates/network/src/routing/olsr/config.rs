//! Parameters (RFC 3626, section 18).

use farlink_kernel::config::above;
use farlink_kernel::{Duration, config};

config! {
    /// Parameters of OLSR.
    pub struct Config {
        /// How often a node says whom it hears (HELLO_INTERVAL, section 18.2).
        pub hello_interval: Duration = Duration::from_secs(2); in above(Duration::ZERO),
        /// How often a node that passes messages on says for whom (TC_INTERVAL).
        pub tc_interval: Duration = Duration::from_secs(5); in above(Duration::ZERO),
        /// How long a neighbour that is silent counts as there (NEIGHB_HOLD_TIME).
        pub neighbour_hold_time: Duration = Duration::from_secs(6); in above(Duration::ZERO),
        /// How long what was said about the network counts (TOP_HOLD_TIME).
        pub topology_hold_time: Duration = Duration::from_secs(15); in above(Duration::ZERO),
        /// How long a message is remembered (DUP_HOLD_TIME).
        pub duplicate_hold_time: Duration = Duration::from_secs(30),
        /// Messages come earlier, or are passed on later, by a random time below this (MAXJITTER).
        pub max_jitter: Duration = Duration::from_millis(500),
        /// How much a node is ready to pass on for others: 0 never, 3 by default, 7 always.
        pub willingness: u8 = 3; in ..=7,
        /// A link over which a packet could not be sent is lost at once (section 13); otherwise when the neighbour
        /// was silent for too long.
        pub link_layer_notification: bool = false,
    }
}
