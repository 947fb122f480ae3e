//! T. Hoeiland-Joergensen, P. McKenney, D. Taht, J. Gettys, E. Dumazet, "The Flow Queue CoDel Packet Scheduler and Active Queue Management Algorithm", RFC 8290, 2018.

use farlink_kernel::{Bytes, Duration, config};
use farlink_tcp::Amount;

use super::{Queue, Setup};

/// Where the discipline stands.
pub const SOURCE: &str = "RFC 8290, 2018";

config! {
    /// Parameters of FQ-CoDel.
    pub struct Config {
        /// How much may wait in all flow queues together (section 5.2.3: 10240 packets).
        pub limit: Amount = Amount::Packets(10_240),
        /// Number of flow queues (section 5.2.4).
        pub flows: u32 = 1024,
        /// Bytes a flow queue may send per round (section 5.2.5: one MTU with its Ethernet header).
        pub quantum: Bytes = Bytes(1514),
        /// Acceptable standing delay of a flow queue (section 5.2.2).
        pub target: Duration = Duration::from_millis(5),
        /// On the order of a worst-case round-trip time (section 5.2.1).
        pub interval: Duration = Duration::from_millis(100),
        /// Packets that can be marked are marked instead of dropped (section 5.2.6: on).
        pub ecn: bool = true,
    }
}

/// An FQ-CoDel queue.
#[derive(Clone, Debug)]
pub struct FqCodel {
    config: Config,
}

impl FqCodel {
    /// An empty queue.
    pub fn new(config: &Config, _setup: &Setup) -> Self {
        Self { config: config.clone() }
    }
}

impl Queue for FqCodel {}
