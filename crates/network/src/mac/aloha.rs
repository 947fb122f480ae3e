//! N. Abramson, "The ALOHA System: Another Alternative for Computer Communications", AFIPS 1970.

use farlink_kernel::{Bytes, Duration, config};

use super::{Mac, Setup};

/// Where the protocol stands.
pub const SOURCE: &str = "Abramson, AFIPS 1970";

config! {
    /// Parameters of ALOHA.
    pub struct Config {
        /// Frames for one listener are acknowledged on the link.
        pub acknowledge: bool = true,
        /// How often a frame is sent again before the link counts as failed.
        pub retries: u32 = 7,
        /// Longest time from the end of a frame to the start of its acknowledgement at the sender.
        pub timeout: Duration = Duration::from_millis(5),
        /// The wait before a retry is uniform below this times two to the number of retries.
        pub backoff: Duration = Duration::from_millis(10),
        /// Length of a frame's header.
        pub header: Bytes = Bytes(14),
    }
}

/// The protocol at work at one interface.
#[derive(Clone, Debug)]
pub struct Aloha {
    config: Config,
}

impl Aloha {
    /// An idle interface.
    pub fn new(config: &Config, _setup: &Setup) -> Self {
        Self { config: config.clone() }
    }
}

impl Mac for Aloha {}
