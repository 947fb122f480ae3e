//! Time division multiple access with fixed slots: each station has its own, and frames of stations that could interfere never
//! overlap.
//!
//! A slot holds the longest frame, its propagation and a guard time. Slot n belongs to the stations whose number on the
//! channel is n modulo the number of slots in a TDMA frame. With fewer slots than stations, stations far from each other
//! share one. There are no acknowledgements. Left out: clock synchronisation.

use farlink_kernel::config::above;
use farlink_kernel::random::name_key;
use farlink_kernel::{Bytes, Diagnostic, Duration, Instant, config};

use super::stop_and_wait::{Protocol, StopAndWait, has_link};
use super::{DelayBound, Io, Parameters, Properties, Setup};
use crate::phy::Phy;

pub(super) const SOURCE: &str = "customary";

config! {
    /// Parameters of time division.
    pub struct Config {
        /// The longest packet, which determines the slot; a longer one runs into the next slot.
        pub max_packet_size: Bytes = Bytes(1500); in above(Bytes(0)),
        /// Longest propagation delay between neighbours.
        pub max_propagation_delay: Duration = Duration::from_micros(46_700),
        /// Guard time of a slot.
        pub guard: Duration = Duration::from_millis(1),
        /// Slots in a TDMA frame; `"none"`: as many as stations.
        pub slots: Option<u32> = None; in 1..,
        /// Length of the header of a frame.
        pub header: Bytes = Bytes(10); in ..=Bytes(65_535),
    }
}

impl Parameters for Config {
    fn properties(&self, _phy: &dyn Phy) -> Properties {
        Properties::of_own_frames(
            1,
            self.max_propagation_delay + self.guard,
            DelayBound::Planned(self.max_propagation_delay),
        )
    }

    fn check(&self, _phy: &dyn Phy, _largest: Bytes) -> Result<(), Diagnostic> {
        Ok(())
    }
}

#[derive(Debug)]
pub(crate) struct Tdma {
    link: StopAndWait,
    /// Length of a TDMA frame, and where the own slot begins in it.
    period: Duration,
    offset: Duration,
    send_at: Instant,
}

impl Tdma {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        let phy = &setup.phy;
        let longest = (config.max_packet_size.0 + config.header.0).min(u64::from(u32::MAX)) as u32;
        let frame = phy.air_time(longest, phy.data_mode()) + phy.turnaround() * 2;
        let slot = (frame + config.max_propagation_delay + config.guard).max(Duration::from_nanos(1));
        let slots = config.slots.unwrap_or(setup.stations).max(1);
        let offset = slot.saturating_mul(u64::from(setup.station % slots));
        let link = StopAndWait::new(setup, name_key("tdma"), false, config.header, config.header);
        Self { link, period: slot.saturating_mul(u64::from(slots)), offset, send_at: Instant::NEVER }
    }
}

impl Protocol for Tdma {
    has_link!();

    /// The packet waits for the next own slot.
    fn on_packet(&mut self, io: &mut Io<'_>) {
        let passed = io.cx.now.saturating_since(Instant::ZERO + self.offset).as_nanos();
        let periods = passed.div_ceil(self.period.as_nanos());
        let first = Instant::ZERO.saturating_add(self.offset);
        self.send_at = first.saturating_add(self.period.saturating_mul(periods));
    }

    fn on_timer(&mut self, io: &mut Io<'_>) {
        if self.send_at <= io.cx.now {
            self.send_at = Instant::NEVER;
            self.link.send_data(io);
        }
    }

    fn timer(&self) -> Instant {
        self.send_at
    }
}
