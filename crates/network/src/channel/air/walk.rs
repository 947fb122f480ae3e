//! How a transmission passes its listeners: it begins and ends at one after the other.

use farlink_kernel::random::draw_uniform;
use farlink_kernel::{Instant, Phase};

use super::hand_over::hand_over;
use super::miss::Miss;
use super::transmission::{Listener, Transmission};
use super::{Air, Told};
use crate::context::Context;
use crate::frame::Frame;
use crate::phy::antenna::Signal;

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
    /// something; `None` when it is at the horizon. When a MAC was told something, or a packet was lost, it
    /// goes no further than the end of that moment.
    pub fn walk(&mut self, transmission: u32, walk: &mut Walk, cx: &mut Context) -> Option<Told> {
        while let Some(moment) = self.transmissions[transmission].next() {
            if moment != walk.moment {
                if moment >= walk.horizon {
                    return None;
                }
                walk.moment = moment;
                walk.moments += 1;
                cx.now = moment.0;
            }
            let told = match moment.1 {
                Phase::SignalStart => self.begin_at_next(transmission, cx.now),
                _ => self.end_at_next(transmission, cx),
            };
            let is_missed = self.misses.as_ref().is_some_and(|misses| !misses.is_empty());
            if told.is_some() || !cx.effects.is_empty() || is_missed {
                walk.horizon = moment;
            }
            if told.is_some() {
                return told;
            }
        }
        None
    }

    /// The signal begins at the next listener.
    #[inline(always)]
    fn begin_at_next(&mut self, transmission: u32, now: Instant) -> Option<Told> {
        let Transmission { length, frame: Frame { mode, .. }, ref mut listeners, ref mut starts, .. } =
            self.transmissions[transmission];
        let listener = &mut listeners[*starts];
        *starts += 1;
        let member = &mut self.members[listener.member as usize];
        let (level, saw_carrier) = (listener.level, member.sees_carrier(&self.settings));
        let signal = Signal { transmission, level, mode, ends: now + length };
        listener.lost = member.antenna.start(signal, now, &self.settings);
        let is_carrier_news = !saw_carrier && member.sees_carrier(&self.settings);
        is_carrier_news.then_some(Told { interface: member.interface, frame: None, level, is_carrier_news })
    }

    /// The signal ends at the next listener.
    #[inline(always)]
    fn end_at_next(&mut self, transmission: u32, cx: &mut Context) -> Option<Told> {
        let passing = &mut self.transmissions[transmission];
        let Listener { member: place, lost, level, is_addressee, .. } = passing.listeners[passing.ends];
        passing.ends += 1;
        let member = &mut self.members[place as usize];
        let saw_carrier = member.sees_carrier(&self.settings);
        let signal = Signal { transmission, level, mode: passing.frame.mode, ends: cx.now };
        let draw = || draw_uniform(self.keys.0, self.keys.1 ^ LUCK_OF_BITS, passing.number, u64::from(place));
        let lost = member.antenna.end(signal, lost, draw, cx.now, &self.settings);
        let is_carrier_news = saw_carrier && !member.sees_carrier(&self.settings);
        let is_for_it = is_addressee || passing.is_for_all;
        self.tallies[place as usize].on_signal_end(is_for_it, lost);
        if is_addressee {
            passing.unmet -= 1;
            if let Some(cause) = lost {
                let (frame, node) = (passing.frame, member.node);
                self.tallies[place as usize].tries.on_missed(&frame, node, cause);
                Miss { frame, node, cause }
                    .count(&mut self.tallies[passing.sender as usize], &mut self.misses);
            }
        }
        if lost.is_none() && !is_for_it && !passing.frame.reserved.is_zero() {
            member.antenna.reserve(cx.now + passing.frame.reserved);
        }
        let frame = if is_for_it {
            hand_over(&passing.frame, member.node, lost, &mut passing.under_way, cx)
        } else {
            (lost.is_none() && member.overhears).then_some(passing.frame)
        };
        let (interface, is_news) = (member.interface, frame.is_some() || is_carrier_news);
        is_news.then_some(Told { interface, frame, level, is_carrier_news })
    }
}
