//! L. Kleinrock, F. A. Tobagi, "Packet Switching in Radio Channels: Part I, Carrier Sense Multiple-Access Modes
//! and Their Throughput-Delay Characteristics", IEEE Transactions on Communications 23, 1975.
//!
//! Non-persistent carrier sense: a station that finds the medium idle sends, one that finds it busy looks again
//! after a random time. Nobody acknowledges anything: what collides is lost, and nobody here notices. The wait is
//! uniform below `backoff`. Left out: slots, and the acknowledgements over a channel of their own.

use std::sync::Arc;

use farlink_kernel::config::above;
use farlink_kernel::random::{draw_uniform, name_key};
use farlink_kernel::{Bytes, Duration, Instant, config};

use super::{Io, Mac, Setup};
use crate::context::Effect;
use crate::frame::{Frame, FrameKind};
use crate::hop::{NextHop, Part};
use crate::ids::PacketId;
use crate::phy::Phy;

/// Where the protocol stands.
pub const SOURCE: &str = "Kleinrock, Tobagi, IEEE Transactions on Communications 23, 1975";

config! {
    /// Parameters of carrier sense without acknowledgements.
    pub struct Config {
        /// A station that finds the medium busy looks again after a uniform time below this.
        pub backoff: Duration = Duration::from_millis(10); in above(Duration::ZERO),
        /// Length of a frame's header.
        pub header: Bytes = Bytes(14); in ..=Bytes(65_535),
    }
}

/// The protocol at work at one interface.
#[derive(Debug)]
pub struct Csma {
    config: Config,
    phy: Arc<dyn Phy>,
    /// The run's seed and the key of the station's luck.
    luck: (u64, u64),
    looks: u64,
    number: u32,
    /// The frame that waits or is at the antenna.
    own: Option<Part>,
    is_antenna_busy: bool,
    look_again: Instant,
}

impl Csma {
    /// An idle interface.
    pub fn new(config: &Config, setup: &Setup) -> Self {
        Self {
            config: config.clone(),
            phy: Arc::clone(&setup.phy),
            luck: (setup.seed, name_key("csma") ^ setup.interface),
            looks: 0,
            number: 0,
            own: None,
            is_antenna_busy: false,
            look_again: Instant::NEVER,
        }
    }

    fn take_next(&mut self, io: &mut Io<'_>) {
        if self.own.is_none()
            && let Some(entry) = io.queue.pop(io.cx)
        {
            self.own = Some(Part { packet: entry.packet, next_hop: entry.next_hop });
            self.look(io);
        }
    }

    /// Sends if the medium is idle.
    fn look(&mut self, io: &mut Io<'_>) {
        let Some(part) = self.own else { return };
        if io.carrier.is_busy {
            self.looks += 1;
            let wait = self.config.backoff.mul_f64(draw_uniform(self.luck.0, self.luck.1, self.looks, 0));
            self.look_again = io.cx.now.saturating_add(wait.max(Duration::from_nanos(1)));
            return;
        }
        self.look_again = Instant::NEVER;
        self.is_antenna_busy = true;
        self.number += 1;
        let size = io.cx.packets[part.packet].size + self.config.header.0 as u32;
        let frame = Frame::new(io.node, self.number, FrameKind::Data, size, self.phy.data_mode());
        let frame = Frame { parts: [Some(part), None], ..frame };
        io.cx.push(Effect::Transmit { interface: io.interface, frame });
    }
}

impl Mac for Csma {
    fn on_queued(&mut self, io: &mut Io<'_>) {
        self.take_next(io);
    }

    fn on_frame(&mut self, frame: &Frame, io: &mut Io<'_>) {
        let for_me = frame.parts.map(|part| part.is_some_and(|part| part.next_hop.is(io.node)));
        io.cx.push(Effect::Heard { interface: io.interface, frame: *frame, for_me });
    }

    fn on_antenna_free(&mut self, io: &mut Io<'_>) {
        self.is_antenna_busy = false;
        // The air has taken the packet along, unless everyone got a copy.
        if let Some(part) = self.own.take().filter(|part| part.next_hop == NextHop::Everyone) {
            io.cx.push(Effect::Sent { interface: io.interface, part, result: Ok(()) });
        }
        self.take_next(io);
    }

    fn on_deadline(&mut self, io: &mut Io<'_>) {
        if self.look_again <= io.cx.now {
            self.look(io);
        }
    }

    fn deadline(&self) -> Instant {
        self.look_again
    }

    fn held(&self) -> Vec<PacketId> {
        let is_here = |part: &&Part| !self.is_antenna_busy || part.next_hop == NextHop::Everyone;
        self.own.iter().filter(is_here).map(|part| part.packet).collect()
    }
}
