//! Time division, as customary: every station has its own slots, and no two frames of stations that could disturb
//! each other overlap anywhere.
//!
//! Time is cut into slots, each as long as the longest frame, its way through the network and a guard. Slot n belongs
//! to the stations whose number on the channel is n modulo the number of slots in a turn. With fewer slots than
//! stations those far from each other share one. Nobody acknowledges. Left out: how stations agree on time.

use farlink_kernel::config::above;
use farlink_kernel::random::name_key;
use farlink_kernel::{Bytes, Duration, Instant, config};

use super::custody::Custody;
use super::{Io, Mac, Setup};
use crate::frame::{Frame, FrameKind};
use crate::ids::PacketId;

/// Where the protocol stands.
pub const SOURCE: &str = "customary";

config! {
    /// Parameters of time division.
    pub struct Config {
        /// The longest packet, which makes the slot: a longer one runs into the next.
        pub max_packet_size: Bytes = Bytes(1500); in above(Bytes(0)),
        /// How long sound takes between neighbours at most.
        pub max_propagation_delay: Duration = Duration::from_micros(46_700),
        /// What is added to a slot.
        pub guard: Duration = Duration::from_millis(1),
        /// Slots in a turn; `"none"`: as many as stations.
        pub slots: Option<u32> = None; in 1..,
        /// Length of a frame's header.
        pub header: Bytes = Bytes(10); in ..=Bytes(65_535),
    }
}

/// The protocol at work at one interface.
#[derive(Debug)]
pub struct Tdma {
    custody: Custody,
    /// How long its turn is, and where its slot begins in it.
    turn: Duration,
    offset: Duration,
    send_at: Instant,
}

impl Tdma {
    /// An idle interface.
    pub fn new(config: &Config, setup: &Setup) -> Self {
        let phy = &setup.phy;
        let longest = (config.max_packet_size.0 + config.header.0).min(u64::from(u32::MAX)) as u32;
        let frame = phy.air_time(longest, phy.data_mode()) + phy.turnaround() * 2;
        let slot = (frame + config.max_propagation_delay + config.guard).max(Duration::from_nanos(1));
        let slots = config.slots.unwrap_or(setup.stations).max(1);
        let offset = slot.saturating_mul(u64::from(setup.station % slots));
        let custody = Custody::new(setup, name_key("tdma"), false, config.header, config.header);
        Self { custody, turn: slot.saturating_mul(u64::from(slots)), offset, send_at: Instant::NEVER }
    }

    /// Waits for the next own slot.
    fn wait(&mut self, now: Instant) {
        let passed = now.saturating_since(Instant::ZERO + self.offset).as_nanos();
        let turns = passed.div_ceil(self.turn.as_nanos());
        self.send_at =
            Instant::ZERO.saturating_add(self.offset).saturating_add(self.turn.saturating_mul(turns));
    }

    fn take_next(&mut self, io: &mut Io<'_>) {
        if self.custody.take_next(io) {
            self.wait(io.cx.now);
        }
    }
}

impl Mac for Tdma {
    fn on_queued(&mut self, io: &mut Io<'_>) {
        self.take_next(io);
    }

    fn on_frame(&mut self, frame: &Frame, io: &mut Io<'_>) {
        if frame.kind == FrameKind::Data {
            self.custody.on_data(frame, io);
        }
    }

    fn on_antenna_free(&mut self, io: &mut Io<'_>) {
        self.custody.on_antenna_free(io);
        self.take_next(io);
    }

    fn overhears(&self) -> bool {
        false
    }

    fn on_deadline(&mut self, io: &mut Io<'_>) {
        if self.send_at > io.cx.now {
            return;
        }
        self.send_at = Instant::NEVER;
        self.custody.send_own(io);
    }

    fn deadline(&self) -> Instant {
        self.send_at
    }

    fn held(&self) -> Vec<PacketId> {
        self.custody.held()
    }
}
