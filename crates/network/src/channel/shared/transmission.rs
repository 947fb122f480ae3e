//! [`Transmission`]: a frame on the channel, and how many listeners it has reached.

use farlink_kernel::{Duration, Instant, Phase};

use crate::frame::{Frame, FrameKind, Mode};
use crate::hop::Part;
use crate::packet::{Cause, Packets};
use crate::phy::antenna::Settings;
use crate::phy::power::Strength;
use crate::wire::Message;

#[derive(Clone, Copy, Debug)]
pub(super) struct Listener {
    pub(super) delay: Duration,
    pub(super) strength: Strength,
    pub(super) member: u32,
    /// The cause of loss, as soon as it is certain.
    pub(super) lost: Option<Cause>,
    /// The signal is above the carrier sense threshold.
    pub(super) is_sensed: bool,
    /// The frame is addressed to this member alone.
    pub(super) is_addressee: bool,
    /// While the transmission [is sole](Transmission::is_sole): its start at this member is not postponed.
    pub(super) has_started: bool,
}

impl Listener {
    /// A member that the frame is not addressed to.
    pub(super) fn new(member: u32, strength: Strength, delay: Duration, settings: &Settings) -> Self {
        let (is_sensed, lost) = (settings.is_sensed(strength), settings.below_threshold(strength));
        Self { delay, strength, member, lost, is_sensed, is_addressee: false, has_started: false }
    }
}

/// At how many instants these are reached, which are in the order of arrival.
pub(super) fn count_instants(listeners: &[Listener]) -> u64 {
    let later = listeners.windows(2).filter(|two| two[0].delay != two[1].delay).count();
    later as u64 + u64::from(!listeners.is_empty())
}

/// A frame and its packets on the way to their next hops.
#[derive(Debug)]
pub(super) struct InFlight {
    /// The frame, with references in place of its packets.
    pub(super) frame: Frame,
    pub(super) sender: u32,
    /// The parts that have not reached their next hops.
    pub(super) parts: [Option<Part>; 2],
    /// Number of addressees that the signal has not reached.
    pub(super) pending_addressees: u8,
    /// Some part of it is a broadcast.
    pub(super) is_broadcast: bool,
}

impl InFlight {
    /// True when routing that overhears it learns nothing: nearly all data of DSR flows.
    pub(super) fn is_silent(&self, packets: &Packets) -> bool {
        let is_silent = |part: &Part| packets.header(part.packet).is_some_and(Message::is_silent);
        self.frame.kind != FrameKind::Data
            || (self.frame.parts[0].is_some() && self.frame.parts.iter().flatten().all(is_silent))
    }
}

#[derive(Debug)]
pub(super) struct Transmission {
    pub(super) in_flight: InFlight,
    /// A copy of the frame's mode beside the fields that each signal needs.
    pub(super) mode: Mode,
    pub(super) number: u64,
    pub(super) sent: Instant,
    pub(super) length: Duration,
    /// In the order of arrival; how many of them its start and its end have passed.
    pub(super) listeners: Vec<Listener>,
    /// At how many instants it reaches a listener.
    pub(super) instants: u64,
    pub(super) starts: usize,
    pub(super) ends: usize,
    /// Its starts are [postponed](super::sole).
    pub(super) is_sole: bool,
}

impl Transmission {
    /// Its next start or end at a listener; `None` when it has passed all.
    #[inline]
    pub(super) fn next(&self) -> Option<(Instant, Phase)> {
        if self.ends == self.listeners.len() {
            return None;
        }
        let (start, end) = (self.next_start(), self.next_end());
        Some(if start < end { (start, Phase::SignalStart) } else { (end, Phase::SignalEnd) })
    }

    /// The next start at a listener, or never.
    #[inline]
    pub(super) fn next_start(&self) -> Instant {
        self.listeners.get(self.starts).map_or(Instant::NEVER, |listener| self.sent + listener.delay)
    }

    /// The next end at a listener, or never.
    #[inline]
    pub(super) fn next_end(&self) -> Instant {
        let end = |listener: &Listener| self.sent + self.length + listener.delay;
        self.listeners.get(self.ends).map_or(Instant::NEVER, end)
    }
}
