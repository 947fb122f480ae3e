//! How a transmission passes its listeners: it begins and ends at one after the other.

use farlink_kernel::random::draw_uniform;
use farlink_kernel::{Instant, Phase};

use super::hand_over::hand_over;
use super::member::Member;
use super::miss::Miss;
use super::transmission::{Listener, Transmission};
use super::{Air, Told};
use crate::context::Context;
use crate::frame::Frame;
use crate::packet::Cause;
use crate::phy::antenna::{Settings, Signal};
use crate::probe::station::Tally;

/// Whose luck it is.
const LUCK_OF_BITS: u64 = 0x6269_7473;

/// How far a transmission goes before others are looked at.
#[derive(Clone, Copy, Debug)]
pub struct Walk {
    /// The moment it is at.
    pub moment: (Instant, Phase),
    /// It stops before this moment.
    pub horizon: (Instant, Phase),
    /// How many moments it went on.
    pub moments: u64,
}

impl Walk {
    /// From this moment up to the horizon.
    pub fn new(moment: (Instant, Phase), horizon: (Instant, Phase)) -> Self {
        Self { moment, horizon, moments: 0 }
    }
}

impl Air {
    /// Begins and ends a transmission at the listeners it reaches, up to the first whose MAC is to be told
    /// something; `None` when it is at the horizon. When a MAC was told something, or a packet was lost or
    /// missed, it goes no further than the end of that moment.
    pub fn walk(&mut self, transmission: u32, walk: &mut Walk, cx: &mut Context) -> Option<Told> {
        let Self { members, tallies, settings, misses, keys, .. } = self;
        let mut there = There { members, tallies, settings, misses, keys: *keys };
        let passing = &mut self.transmissions[transmission];
        while let Some(moment) = passing.next() {
            if moment != walk.moment {
                if moment >= walk.horizon {
                    return None;
                }
                walk.moment = moment;
                walk.moments += 1;
                cx.now = moment.0;
            }
            let told = match moment.1 {
                Phase::SignalStart => there.begin(transmission, passing, cx.now),
                _ => there.end(transmission, passing, cx),
            };
            if told.is_some() || !cx.effects.is_empty() || there.has_misses() {
                walk.horizon = moment;
            }
            if told.is_some() {
                return told;
            }
        }
        None
    }
}

/// What a transmission finds where it passes.
struct There<'a> {
    members: &'a mut [Member],
    tallies: &'a mut [Tally],
    settings: &'a Settings,
    misses: &'a mut Option<Vec<Miss>>,
    keys: (u64, u64),
}

impl There<'_> {
    /// The signal begins at the next listener.
    #[inline(always)]
    fn begin(&mut self, transmission: u32, passing: &mut Transmission, now: Instant) -> Option<Told> {
        let listener = &mut passing.listeners[passing.starts];
        passing.starts += 1;
        let member = &mut self.members[listener.member as usize];
        let level = listener.level;
        let signal = Signal { transmission, level, mode: passing.frame.mode, ends: now + passing.length };
        let (lost, came) = member.antenna.start(signal, now, self.settings);
        listener.lost = lost;
        let is_carrier_news = came && member.is_watched;
        is_carrier_news.then_some(Told { interface: member.interface, frame: None, level, is_carrier_news })
    }

    /// The signal ends at the next listener.
    #[inline(always)]
    fn end(&mut self, transmission: u32, passing: &mut Transmission, cx: &mut Context) -> Option<Told> {
        let Listener { member: place, lost, level, is_addressee, .. } = passing.listeners[passing.ends];
        passing.ends += 1;
        let member = &mut self.members[place as usize];
        let signal = Signal { transmission, level, mode: passing.frame.mode, ends: cx.now };
        let draw = || draw_uniform(self.keys.0, self.keys.1 ^ LUCK_OF_BITS, passing.number, u64::from(place));
        let (lost, went) = member.antenna.end(signal, lost, draw, cx.now, self.settings);
        let is_for_it = is_addressee || passing.is_for_all;
        let is_carrier_news = went && member.is_watched;
        member.ears.on_signal_end(is_for_it, lost);
        let frame = match lost {
            _ if is_for_it => self.deliver(place, lost, passing, cx),
            Some(_) => None,
            None => self.overhear(place, passing, cx.now),
        };
        if frame.is_none() && !is_carrier_news {
            return None;
        }
        let interface = self.members[place as usize].interface;
        Some(Told { interface, frame, level, is_carrier_news })
    }

    /// A frame for this member, or for everyone, came or was lost.
    #[inline(never)]
    fn deliver(
        &mut self,
        place: u32,
        lost: Option<Cause>,
        passing: &mut Transmission,
        cx: &mut Context,
    ) -> Option<Frame> {
        let (frame, node) = (passing.frame, self.members[place as usize].node);
        if passing.listeners[passing.ends - 1].is_addressee {
            passing.unmet -= 1;
            if let Some(cause) = lost {
                self.tallies[place as usize].tries.on_missed(&frame, node, cause);
                Miss { frame, node, cause }.count(&mut self.tallies[passing.sender as usize], self.misses);
            }
        }
        hand_over(&frame, node, lost, &mut passing.under_way, cx)
    }

    /// A frame for others was made out: it reserves the medium.
    #[inline(always)]
    fn overhear(&mut self, place: u32, passing: &Transmission, now: Instant) -> Option<Frame> {
        let member = &mut self.members[place as usize];
        if !passing.frame.reserved.is_zero() {
            member.antenna.reserve(now + passing.frame.reserved);
        }
        member.overhears.then_some(passing.frame)
    }

    fn has_misses(&self) -> bool {
        self.misses.as_ref().is_some_and(|misses| !misses.is_empty())
    }
}
