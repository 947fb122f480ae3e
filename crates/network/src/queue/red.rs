//! S. Floyd, V. Jacobson, "Random Early Detection Gateways for Congestion Avoidance", IEEE/ACM ToN 1(4), 1993.

use farlink_kernel::config;
use farlink_kernel::config::Fraction;
use farlink_tcp::Amount;

use super::{Queue, Setup};

/// Where the discipline stands.
pub const SOURCE: &str = "Floyd, Jacobson, IEEE/ACM ToN 1993";

config! {
    /// Parameters of RED; averages are in packets.
    pub struct Config {
        /// How much may wait at all.
        pub limit: Amount = Amount::Packets(50),
        /// Average length in packets below which nothing is dropped (section IV: min_th).
        pub min_threshold: f64 = 5.0,
        /// Average length in packets above which everything is dropped (max_th, three times min_th).
        pub max_threshold: f64 = 15.0,
        /// Weight of a new length in the average (w_q).
        pub weight: Fraction = Fraction(0.002),
        /// Drop probability at the upper threshold (max_p; 1/50 in the paper, 0.1 recommended in 1997).
        pub max_probability: Fraction = Fraction(0.1),
        /// Between one and two times the upper threshold the probability rises to 1 (Floyd 2000).
        pub gentle: bool = true,
        /// Packets that can be marked are marked instead of dropped (RFC 3168).
        pub ecn: bool = false,
        /// The packet size the idle time is counted in.
        pub mean_packet_size: farlink_kernel::Bytes = farlink_kernel::Bytes(500),
    }
}

/// A RED queue.
#[derive(Clone, Debug)]
pub struct Red {
    config: Config,
}

impl Red {
    /// An empty queue.
    pub fn new(config: &Config, _setup: &Setup) -> Self {
        Self { config: config.clone() }
    }
}

impl Queue for Red {}
