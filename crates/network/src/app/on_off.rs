//! W. Willinger, M. Taqqu, R. Sherman, D. Wilson, Self-Similarity Through High-Variability, SIGCOMM 1995.

use farlink_kernel::{BitRate, Bytes, Duration, choice, config};

use super::{Application, Carrier, Setup};

/// Where the model stands.
pub const SOURCE: &str = "Willinger et al., SIGCOMM 1995";

choice! {
    /// How the lengths of bursts and pauses are distributed.
    pub enum Distribution {
        /// Exponential.
        Exponential = "exponential",
        /// Pareto.
        Pareto = "pareto",
    }
}

config! {
    /// Parameters of the on-off source.
    pub struct Config {
        /// Rate of the payload within a burst.
        pub rate: BitRate = BitRate::from_bps(1_000_000),
        /// Payload of a packet.
        pub packet_size: Bytes = Bytes(1000),
        /// Mean length of a burst.
        pub on: Duration = Duration::from_millis(500),
        /// Mean length of a pause.
        pub off: Duration = Duration::from_millis(500),
        /// How both are distributed.
        pub distribution: Distribution = Distribution::Exponential,
        /// Shape of the Pareto distribution, above 1.
        pub shape: f64 = 1.5,
        /// What carries the bytes.
        pub over: Carrier = Carrier::Udp,
    }
}

/// The application at work.
#[derive(Clone, Debug)]
pub struct OnOff {
    config: Config,
}

impl OnOff {
    /// The application before its start.
    pub fn new(config: &Config, _setup: &Setup) -> Self {
        Self { config: config.clone() }
    }
}

impl Application for OnOff {}
