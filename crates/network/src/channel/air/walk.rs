//! How a transmission passes its listeners: it begins and ends at one after the other.

use std::hint::black_box;

use farlink_kernel::random::draw_uniform;
use farlink_kernel::{Duration, Instant, Phase};

use super::hand_over::hand_over;
use super::member::Member;
use super::miss::Miss;
use super::transmission::{Listener, Transmission};
use super::{Air, Told};
use crate::context::Context;
use crate::frame::{Frame, FrameKind};
use crate::packet::Cause;
use crate::phy::antenna::{Settings, Signal};
use crate::probe::station::Tally;

/// So many members do not fit the processor's nearer memory.
const MANY: usize = 500;

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

/// Why a walk stopped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// A MAC is to be told something first; otherwise the walk is at its horizon.
    pub told: Option<Told>,
    /// When it goes on; `None` when it has passed everyone.
    pub next: Option<(Instant, Phase)>,
}

impl Walk {
    /// From this moment up to the horizon.
    pub fn new(moment: (Instant, Phase), horizon: (Instant, Phase)) -> Self {
        Self { moment, horizon, moments: 0 }
    }

    /// Goes on to its next moment.
    #[inline(always)]
    fn enter(&mut self, moment: (Instant, Phase)) {
        self.moment = moment;
        self.moments += 1;
    }

    /// Before which instant it still passes moments of this phase: those of the present one are not given up.
    #[inline(always)]
    fn limit(&self, phase: Phase) -> Instant {
        let (horizon, of_horizon) = self.horizon;
        let limit = if phase < of_horizon { after(horizon) } else { horizon };
        if phase == self.moment.1 { limit.max(after(self.moment.0)) } else { limit }
    }
}

/// The moments of the present phase that a walk passes.
struct Moments {
    at: Instant,
    count: u64,
}

impl Moments {
    #[inline(always)]
    fn new(walk: &Walk) -> Self {
        Self { at: walk.moment.0, count: 0 }
    }

    /// Goes to an instant, perhaps the present one.
    #[inline(always)]
    fn go(&mut self, now: Instant) {
        self.count += u64::from(now != self.at);
        self.at = now;
    }

    /// The walk went so far.
    #[inline(always)]
    fn show(&self, walk: &mut Walk) {
        walk.moment.0 = self.at;
        walk.moments += self.count;
    }
}

/// The next instant there is.
fn after(instant: Instant) -> Instant {
    instant.saturating_add(Duration::from_nanos(1))
}

impl Air {
    /// Begins and ends a transmission at the listeners it reaches, up to the first whose MAC is to be told
    /// something, or to the horizon. When a MAC was told something, or a packet was lost or missed, it goes no
    /// further than the end of that moment.
    #[inline(always)]
    pub fn walk(&mut self, transmission: u32, walk: &mut Walk, cx: &mut Context) -> Stop {
        let Self { members, tallies, settings, misses, keys, .. } = self;
        let mut there = There { members, tallies, settings, misses, keys: *keys };
        let passing = &mut self.transmissions[transmission];
        loop {
            let told = match walk.moment.1 {
                Phase::SignalStart => there.begin(transmission, passing, walk),
                _ => there.end(transmission, passing, walk, cx),
            };
            cx.now = walk.moment.0;
            if told.is_some() {
                walk.horizon = walk.moment;
                return Stop { told, next: passing.next() };
            }
            match passing.next() {
                Some(next) if next.0 < walk.limit(next.1) => walk.enter(next),
                next => return Stop { told, next },
            }
        }
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
    /// The signal begins at the next listeners, before it ends at any.
    #[inline(always)]
    fn begin(&mut self, transmission: u32, passing: &mut Transmission, walk: &mut Walk) -> Option<Told> {
        let limit = passing.next_end().min(walk.limit(Phase::SignalStart));
        let Transmission { sent, length, mode, .. } = *passing;
        if passing.starts == 0 {
            self.fetch(passing);
        }
        let mut moments = Moments::new(walk);
        let mut told = None;
        let mut passed = 0;
        for listener in &mut passing.listeners[passing.starts..] {
            let now = sent + listener.delay;
            if now >= limit {
                break;
            }
            moments.go(now);
            passed += 1;
            let member = &mut self.members[listener.member as usize];
            let Listener { strength, is_noticed, lost, .. } = *listener;
            let signal = Signal { transmission, strength, mode, is_noticed, lost, ends: now + length };
            let (lost, came) = member.antenna.start(signal, now, self.settings);
            listener.lost = lost;
            if came && member.watched_from <= now {
                told =
                    Some(Told { interface: member.interface, frame: None, strength, is_carrier_news: true });
                break;
            }
        }
        passing.starts += passed;
        moments.show(walk);
        told
    }

    /// The signal ends at the next listeners, before it begins at others.
    #[inline(always)]
    fn end(
        &mut self,
        transmission: u32,
        passing: &mut Transmission,
        walk: &mut Walk,
        cx: &mut Context,
    ) -> Option<Told> {
        // At one instant ends come before starts.
        let mut limit = after(passing.next_start()).min(walk.limit(Phase::SignalEnd));
        let (ended, mode, is_for_all) = (passing.sent + passing.length, passing.mode, passing.is_for_all);
        if passing.ends == 0 {
            self.fetch(passing);
        }
        let mut moments = Moments::new(walk);
        let mut passed = passing.ends;
        let told = loop {
            let Some(&Listener { member: place, lost, strength, is_noticed, is_addressee, delay }) =
                passing.listeners.get(passed)
            else {
                break None;
            };
            let now = ended + delay;
            if now >= limit {
                break None;
            }
            moments.go(now);
            passed += 1;
            let member = &mut self.members[place as usize];
            let signal = Signal { transmission, strength, mode, is_noticed, lost, ends: now };
            let draw = || luck_of_bits(self.keys, passing.number, place);
            let (lost, went) = member.antenna.end(signal, draw, now, self.settings);
            let is_carrier_news = went && member.watched_from <= now;
            let is_for_it = is_addressee || is_for_all;
            member.ears.on_signal_end(is_for_it, lost);
            let mut frame = None;
            if lost.is_none() && !is_for_it {
                member.antenna.reserve(now, passing.frame.reserved);
                let is_wanted = member.overhears || member.taps && passing.frame.kind == FrameKind::Data;
                if is_wanted {
                    frame = Some(passing.frame);
                }
            } else if lost.is_none() || is_addressee {
                cx.now = now;
                frame = self.deliver(place, lost, is_addressee, passing, cx);
                if !cx.effects.is_empty() || self.has_misses() {
                    limit = after(now);
                }
            }
            if frame.is_some() || is_carrier_news {
                let interface = self.members[place as usize].interface;
                break Some(Told { interface, frame, strength, is_carrier_news });
            }
        };
        passing.ends = passed;
        moments.show(walk);
        if !cx.effects.is_empty() || self.has_misses() {
            walk.horizon = walk.moment;
        }
        told
    }

    /// A frame for this member, or for everyone, came or was lost.
    #[inline(never)]
    fn deliver(
        &mut self,
        place: u32,
        lost: Option<Cause>,
        is_addressee: bool,
        passing: &mut Transmission,
        cx: &mut Context,
    ) -> Option<Frame> {
        let (frame, node) = (passing.frame, self.members[place as usize].node);
        if is_addressee {
            passing.unmet -= 1;
            if let Some(cause) = lost {
                self.tallies[place as usize].tries.on_missed(&frame, node, cause);
                Miss { frame, node, cause }.count(&mut self.tallies[passing.sender as usize], self.misses);
            }
        }
        hand_over(&frame, node, lost, &mut passing.under_way, cx)
    }

    /// Looks at all listeners at once, so that memory brings them at once: where there are many members, each is a
    /// while away, and what is done at one would wait before the next is asked for.
    #[inline(always)]
    fn fetch(&self, passing: &Transmission) {
        if self.members.len() >= MANY {
            let listeners = passing.listeners.iter();
            black_box(
                listeners.fold(0, |sum, listener| sum ^ self.members[listener.member as usize].touch()),
            );
        }
    }

    fn has_misses(&self) -> bool {
        self.misses.as_ref().is_some_and(|misses| !misses.is_empty())
    }
}

/// Decides about the bits of the `number`th frame at a listener.
#[cold]
#[inline(never)]
fn luck_of_bits(keys: (u64, u64), number: u64, listener: u32) -> f64 {
    draw_uniform(keys.0, keys.1 ^ LUCK_OF_BITS, number, u64::from(listener))
}
