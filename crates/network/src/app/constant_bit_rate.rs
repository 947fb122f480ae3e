//! Sends packets of one size at one rate over UDP.

use farlink_kernel::config::above;
use farlink_kernel::{BitRate, Bytes, Instant, config};

use super::{Action, Application, LARGEST_DATAGRAM, Length, Parameters, Protocol, Traffic};

pub(super) const SOURCE: &str = "customary";

config! {
    /// Parameters of the constant bit rate.
    pub struct Config {
        /// Rate of the payload.
        pub rate: BitRate = BitRate::from_bps(1_000_000); in above(BitRate::from_bps(0)),
        /// Payload of a packet.
        pub packet_size: Bytes = Bytes(1000); in Bytes(1)..=LARGEST_DATAGRAM,
    }
}

impl Parameters for Config {
    fn traffic(&self) -> Traffic<'_> {
        let interval = self.rate.time_to_send(self.packet_size);
        Traffic {
            protocol: Protocol::Udp,
            write: self.packet_size,
            writes_per_second: 1.0 / interval.as_secs_f64().max(1e-9),
            length: Length::Endless,
            lower: Some("rate"),
        }
    }
}

impl Application for Config {
    fn on_wake(&mut self, now: Instant) -> Action {
        let wake = now.saturating_add(self.rate.time_to_send(self.packet_size));
        Action { send: self.packet_size, close: false, wake }
    }
}
