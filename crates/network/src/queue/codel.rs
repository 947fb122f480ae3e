//! K. Nichols, V. Jacobson, A. McGregor, J. Iyengar, "Controlled Delay Active Queue Management", RFC 8289, 2018.

use farlink_kernel::{Duration, config};
use farlink_tcp::Amount;

use super::{Queue, Setup};

/// Where the discipline stands.
pub const SOURCE: &str = "RFC 8289, 2018";

config! {
    /// Parameters of CoDel.
    pub struct Config {
        /// How much may wait at all.
        pub limit: Amount = Amount::Packets(1000),
        /// Acceptable standing delay (section 4.3: 5 ms).
        pub target: Duration = Duration::from_millis(5),
        /// On the order of a worst-case round-trip time (section 4.3: 100 ms).
        pub interval: Duration = Duration::from_millis(100),
        /// Packets that can be marked are marked instead of dropped.
        pub ecn: bool = false,
    }
}

/// A CoDel queue.
#[derive(Clone, Debug)]
pub struct Codel {
    config: Config,
}

impl Codel {
    /// An empty queue.
    pub fn new(config: &Config, _setup: &Setup) -> Self {
        Self { config: config.clone() }
    }
}

impl Queue for Codel {}
