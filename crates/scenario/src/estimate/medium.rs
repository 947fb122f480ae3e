//! [`Medium`]: the capacity of a shared channel, and the events that its frames take.

use farlink_kernel::Bytes;
use farlink_network::Blueprint;
use farlink_network::blueprint::Channel;
use farlink_network::channel::medium::Delay;
use farlink_network::mac;
use farlink_network::phy::Phy;
use farlink_network::space::Position;

use crate::reach::Reach;

/// Typical MAC and PHY headers, in bytes.
const HEADER: u32 = 30;

/// An ACK, RTS or CTS, in bytes.
const CONTROL: u32 = 20;

/// Events of a frame apart from its starts and ends at receivers: the end at its sender, timers of MACs.
const OF_A_FRAME: f64 = 4.0;

/// The mean number of transmissions of a frame under contention.
const RETRIES: f64 = 1.3;

pub(super) struct Medium {
    pub(super) reach: Reach,
    /// The mean number of nodes that a frame reaches.
    pub(super) neighbours: f64,
    /// The number of frames at a time that do not disturb each other.
    pub(super) reuse: f64,
    of_a_frame: f64,
    /// The propagation delay to a neighbour, in seconds.
    delay_s: f64,
    mac: mac::Properties,
    phy: Box<dyn Phy>,
}

impl Medium {
    pub(super) fn new(blueprint: &Blueprint, channel: &Channel) -> Self {
        let (reach, radio) = (Reach::new(blueprint, channel), &channel.radio);
        let neighbours = reach.neighbours();
        let moments = if radio.delay == Delay::None { 1.0 } else { neighbours };
        let (from, to) = (Position::default(), Position { x: reach.range, ..Position::default() });
        Self {
            neighbours,
            reuse: (reach.members.len() as f64 / (neighbours + 1.0)).max(1.0),
            of_a_frame: 2.0 * moments + OF_A_FRAME,
            delay_s: radio.propagation_speed.time_between(from, to, reach.range).as_secs_f64(),
            mac: radio.mac_properties(),
            phy: radio.phy.build(&()),
            reach,
        }
    }

    /// The frames of a packet of `size` bytes on one hop.
    fn frames(&self, size: u32) -> f64 {
        let has_rts = self.mac.rts_threshold.is_some_and(|threshold| Bytes(size.into()) >= threshold);
        f64::from(self.mac.frames + if has_rts { 2 } else { 0 })
    }

    /// The time that those frames occupy the channel, in seconds.
    pub(super) fn exchange_s(&self, size: u32) -> f64 {
        let phy = &*self.phy;
        let duration = |size, mode| phy.air_time(size + HEADER, mode).as_secs_f64();
        let others = (self.frames(size) - 1.0) * duration(CONTROL, phy.basic_mode());
        let frames = duration(size, phy.data_mode()) + others + self.frames(size) * self.delay_s;
        (frames + self.mac.wait.as_secs_f64()).max(1e-9)
    }

    /// The events of a packet of `size` bytes on one hop.
    pub(super) fn events(&self, size: u32) -> f64 {
        RETRIES * self.frames(size) * self.of_a_frame
    }

    /// The events per second of broadcasts of `size` bytes, offered at `rate` per second.
    pub(super) fn broadcasts(&self, rate: f64, size: u32) -> f64 {
        let duration_s = self.phy.air_time(size + HEADER, self.phy.basic_mode()).as_secs_f64().max(1e-9);
        rate.min(self.reuse / duration_s) * self.of_a_frame
    }
}
