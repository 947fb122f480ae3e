//! Radios and modems: how long a frame takes, and what an antenna makes of signals that overlap.

use farlink_kernel::{BitRate, Duration, config};

config! {
    /// Parameters of a half-duplex radio or modem without capture.
    pub struct Config {
        /// Rate of the frame's bits.
        pub rate: BitRate = BitRate::from_bps(1_000_000),
        /// Sent before every frame, at no bits.
        pub preamble: Duration = Duration::ZERO,
    }
}
