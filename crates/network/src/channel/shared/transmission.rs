//! [`Transmission`]: a frame in the air, and how far it got.

use farlink_kernel::{Duration, Instant, Phase};

use crate::frame::{Frame, Mode};
use crate::hop::Part;
use crate::packet::Cause;
use crate::phy::antenna::Settings;
use crate::phy::power::Strength;

/// Someone a transmission reaches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Listener {
    /// After how long.
    pub(super) delay: Duration,
    /// How strong.
    pub(super) strength: Strength,
    /// Its number on the channel.
    pub(super) member: u32,
    /// Why it will not make the frame out, as far as that is certain.
    pub(super) lost: Option<Cause>,
    /// It notices the signal.
    pub(super) is_noticed: bool,
    /// The frame is for it, not for everyone.
    pub(super) is_addressee: bool,
}

impl Listener {
    /// Of a frame that is for somebody else.
    pub(super) fn new(member: u32, strength: Strength, delay: Duration, settings: &Settings) -> Self {
        let (is_noticed, lost) = (settings.is_noticed(strength), settings.too_weak(strength));
        Self { delay, strength, member, lost, is_noticed, is_addressee: false }
    }
}

/// What is in the air, and where it is to go.
#[derive(Debug)]
pub(super) struct Load {
    /// The frame, with shadows in the place of its packets.
    pub(super) frame: Frame,
    /// Which member sends it.
    pub(super) sender: u32,
    /// The parts that are on their way to their next hops.
    pub(super) under_way: [Option<Part>; 2],
    /// How many neighbours it is for that it did not pass yet.
    pub(super) unmet: u8,
    /// Some part of it is for everyone.
    pub(super) is_for_all: bool,
}

/// A frame in the air.
#[derive(Debug)]
pub(super) struct Transmission {
    pub(super) load: Load,
    /// How it is sent; here because every signal asks for it.
    pub(super) mode: Mode,
    /// Its number for luck.
    pub(super) number: u64,
    pub(super) sent: Instant,
    pub(super) length: Duration,
    /// In the order reached, and how many its start and its end have passed.
    pub(super) listeners: Vec<Listener>,
    pub(super) starts: usize,
    pub(super) ends: usize,
}

impl Transmission {
    /// What it does next, and when; `None` when it has passed everyone.
    #[inline]
    pub(super) fn next(&self) -> Option<(Instant, Phase)> {
        if self.ends == self.listeners.len() {
            return None;
        }
        let (start, end) = (self.next_start(), self.next_end());
        Some(if start < end { (start, Phase::SignalStart) } else { (end, Phase::SignalEnd) })
    }

    /// When it begins somewhere next, or never.
    #[inline]
    pub(super) fn next_start(&self) -> Instant {
        self.listeners.get(self.starts).map_or(Instant::NEVER, |listener| self.sent + listener.delay)
    }

    /// When it ends somewhere next, or never.
    #[inline]
    pub(super) fn next_end(&self) -> Instant {
        let end = |listener: &Listener| self.sent + self.length + listener.delay;
        self.listeners.get(self.ends).map_or(Instant::NEVER, end)
    }
}
