//! L. Kleinrock, F. A. Tobagi, "Packet Switching in Radio Channels: Part I, Carrier Sense Multiple-Access Modes
//! and Their Throughput-Delay Characteristics", IEEE Transactions on Communications 23, 1975.
//!
//! Non-persistent CSMA: a station that senses an idle medium transmits; one that senses a busy medium senses again after a
//! backoff, which is uniform below `backoff`. There are no acknowledgements: a collision is not detected. Left out: slots, and
//! acknowledgements over a separate channel.

use farlink_kernel::config::above;
use farlink_kernel::random::{draw_uniform, name_key};
use farlink_kernel::{Bytes, Diagnostic, Duration, Instant, config};

use super::stop_and_wait::{Protocol, StopAndWait, has_link};
use super::{DelayBound, Io, Parameters, Properties, Setup};
use crate::phy::Phy;

pub(super) const SOURCE: &str = "Kleinrock, Tobagi, IEEE Transactions on Communications 23, 1975";

config! {
    /// Parameters of non-persistent CSMA.
    pub struct Config {
        /// Longest time until a station senses a busy medium again; the time is uniform below it.
        pub backoff: Duration = Duration::from_millis(10); in above(Duration::ZERO),
        /// Length of a frame's header.
        pub header: Bytes = Bytes(14); in ..=Bytes(65_535),
    }
}

impl Parameters for Config {
    fn properties(&self, _phy: &dyn Phy) -> Properties {
        Properties::of_own_frames(1, Duration::ZERO, DelayBound::Unbounded)
    }

    fn check(&self, _phy: &dyn Phy, _largest: Bytes) -> Result<(), Diagnostic> {
        Ok(())
    }
}

#[derive(Debug)]
pub(crate) struct Csma {
    link: StopAndWait,
    backoff: Duration,
    /// Seed and channel of the backoffs, and how many were drawn.
    draw_key: (u64, u64),
    backoffs: u64,
    sense_at: Instant,
}

impl Csma {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        Self {
            link: StopAndWait::new(setup, name_key("csma"), false, config.header, config.header),
            backoff: config.backoff,
            draw_key: (setup.seed, name_key("csma") ^ setup.interface),
            backoffs: 0,
            sense_at: Instant::NEVER,
        }
    }
}

impl Protocol for Csma {
    has_link!();

    fn on_packet(&mut self, io: &mut Io<'_>) {
        if io.carrier.is_busy {
            self.backoffs += 1;
            let (seed, key) = self.draw_key;
            let wait = self.backoff.mul_f64(draw_uniform(seed, key, self.backoffs, 0));
            self.sense_at = io.cx.now.saturating_add(wait.max(Duration::from_nanos(1)));
        } else {
            self.sense_at = Instant::NEVER;
            self.link.send_data(io);
        }
    }

    fn overhears(&self) -> bool {
        true
    }

    fn on_timer(&mut self, io: &mut Io<'_>) {
        if self.sense_at <= io.cx.now {
            self.on_packet(io);
        }
    }

    fn timer(&self) -> Instant {
        self.sense_at
    }
}
