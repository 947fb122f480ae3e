//! How a transmission passes its listeners: it begins and ends at one after the other.

use std::hint::black_box;

use farlink_kernel::random::draw_uniform;
use farlink_kernel::{Duration, Instant, Phase};

use super::Air;
use super::above::{Above, Attention, Told};
use super::hand_over::hand_over;
use super::member::Member;
use super::miss::Miss;
use super::transmission::{Listener, Load, Transmission};
use crate::context::Context;
use crate::frame::{Frame, FrameKind};
use crate::metrics::station::{ReceiveCounters, SendCounters};
use crate::packet::Cause;
use crate::phy::antenna::{Interference, Pairwise, Receiver, Reception, Settings, Signal};
use crate::phy::power::Strength;

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

impl Walk {
    /// From this moment up to the horizon.
    pub fn new(moment: (Instant, Phase), horizon: (Instant, Phase)) -> Self {
        Self { moment, horizon, moments: 0 }
    }

    /// Goes to an instant of this phase, perhaps the present one.
    #[inline(always)]
    fn go(&mut self, now: Instant) {
        self.moments += u64::from(now != self.moment.0);
        self.moment.0 = now;
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

/// The next instant there is.
fn after(instant: Instant) -> Instant {
    instant.saturating_add(Duration::from_nanos(1))
}

impl Air {
    /// Begins and ends a transmission at the listeners it reaches, up to the horizon. When something is to be settled
    /// or shown it goes no further than the end of that moment. When it goes on; `None` when it has passed everyone.
    #[inline(always)]
    pub fn walk(
        &mut self,
        transmission: u32,
        walk: &mut Walk,
        above: &mut impl Above,
        cx: &mut Context,
    ) -> Option<(Instant, Phase)> {
        let Self { members, ears, tallies, settings, misses, keys, .. } = self;
        let mut there = There { members, ears, tallies, settings, misses, keys: *keys, above };
        let passing = &mut self.transmissions[transmission];
        match settings.reception() {
            Reception::Pairwise => there.walk::<Pairwise>(transmission, passing, walk, cx),
            Reception::Interference => there.walk::<Interference>(transmission, passing, walk, cx),
        }
    }
}

/// The end of a signal at a listener.
struct Ended {
    place: u32,
    lost: Option<Cause>,
    strength: Strength,
    is_addressee: bool,
    is_carrier_news: bool,
}

/// What a transmission finds where it passes.
struct There<'a, A> {
    members: &'a mut [Member],
    ears: &'a mut [ReceiveCounters],
    tallies: &'a mut [SendCounters],
    settings: &'a Settings,
    misses: &'a mut Option<Vec<Miss>>,
    keys: (u64, u64),
    above: &'a mut A,
}

impl<A: Above> There<'_, A> {
    /// See [`Air::walk`].
    #[inline(never)]
    fn walk<R: Receiver>(
        &mut self,
        transmission: u32,
        passing: &mut Transmission,
        walk: &mut Walk,
        cx: &mut Context,
    ) -> Option<(Instant, Phase)> {
        loop {
            match walk.moment.1 {
                Phase::SignalStart => self.begin::<R>(transmission, passing, walk, cx),
                _ => self.end::<R>(transmission, passing, walk, cx),
            }
            match passing.next() {
                Some(next) if next.0 < walk.limit(next.1) => walk.enter(next),
                next => {
                    cx.set_now(walk.moment.0);
                    return next;
                }
            }
        }
    }

    /// The signal begins at the next listeners, before it ends at any.
    #[inline(always)]
    fn begin<R: Receiver>(
        &mut self,
        transmission: u32,
        passing: &mut Transmission,
        walk: &mut Walk,
        cx: &mut Context,
    ) {
        let next_end = passing.next_end();
        let mut limit = next_end.min(walk.limit(Phase::SignalStart));
        let Transmission { sent, length, mode, .. } = *passing;
        if passing.starts == 0 {
            self.fetch(&passing.listeners, Member::touch_for_start);
        }
        let mut passed = 0;
        for listener in &mut passing.listeners[passing.starts..] {
            let now = sent + listener.delay;
            if now >= limit {
                break;
            }
            walk.go(now);
            passed += 1;
            let Listener { member, strength, is_noticed, lost, .. } = *listener;
            let signal = Signal { transmission, strength, mode, is_noticed, lost, ends: now + length };
            let antenna = &mut self.members[member as usize].antenna;
            let (lost, came) = antenna.start::<R>(signal, now, self.settings);
            listener.lost = lost;
            if came && self.members[member as usize].attention.watched_from <= now {
                self.tell(member, None, strength, true, walk, cx);
                limit = next_end.min(walk.limit(Phase::SignalStart));
            }
        }
        passing.starts += passed;
    }

    /// The signal ends at the next listeners, before it begins at others.
    #[inline(always)]
    fn end<R: Receiver>(
        &mut self,
        transmission: u32,
        passing: &mut Transmission,
        walk: &mut Walk,
        cx: &mut Context,
    ) {
        // At one instant ends come before starts.
        let next_start = after(passing.next_start());
        let mut limit = next_start.min(walk.limit(Phase::SignalEnd));
        let Transmission { mode, number, .. } = *passing;
        let (ended, load) = (passing.sent + passing.length, &mut passing.load);
        let (has_packets, reserved) = (load.frame.kind == FrameKind::Data, load.frame.reserved);
        if passing.ends == 0 {
            self.fetch(&passing.listeners, Member::touch_for_end);
        }
        let mut passed = 0;
        for &Listener { member: place, lost, strength, is_noticed, is_addressee, delay } in
            &passing.listeners[passing.ends..]
        {
            let now = ended + delay;
            if now >= limit {
                break;
            }
            walk.go(now);
            passed += 1;
            let (member, ears) = (&mut self.members[place as usize], &mut self.ears[place as usize]);
            let signal = Signal { transmission, strength, mode, is_noticed, lost, ends: now };
            let draw = || luck_of_bits(self.keys, number, place);
            let (lost, went) = member.antenna.end::<R>(signal, draw, now, self.settings);
            let is_carrier_news = went && member.attention.watched_from <= now;
            let is_wanted = match lost {
                None if is_addressee || load.is_for_all => {
                    ears.received += 1;
                    true
                }
                None => {
                    ears.overheard += 1;
                    member.antenna.reserve(now, reserved);
                    let Attention { overhears, taps, .. } = member.attention;
                    if taps && has_packets && !overhears && self.tap(place, &load.frame, walk, cx) {
                        limit = next_start.min(walk.limit(Phase::SignalEnd));
                    }
                    overhears
                }
                Some(cause) => {
                    ears.on_missed(cause);
                    is_addressee
                }
            };
            if is_wanted {
                let ended = Ended { place, lost, strength, is_addressee, is_carrier_news };
                self.report(&ended, load, walk, cx);
            } else if is_carrier_news {
                self.tell(place, None, strength, true, walk, cx);
            } else {
                continue;
            }
            limit = next_start.min(walk.limit(Phase::SignalEnd));
        }
        passing.ends += passed;
    }

    /// Routing, not the MAC, wants a frame for others. True if that has consequences.
    #[inline(never)]
    fn tap(&mut self, place: u32, frame: &Frame, walk: &mut Walk, cx: &mut Context) -> bool {
        cx.set_now(walk.moment.0);
        let learns = self.above.overhear(self.members[place as usize].node, frame, cx);
        if learns {
            self.look_ahead(walk, cx);
        }
        learns
    }

    /// The MAC wants the frame, or it is to be known that it was lost.
    #[inline(never)]
    fn report(&mut self, ended: &Ended, load: &mut Load, walk: &mut Walk, cx: &mut Context) {
        cx.set_now(walk.moment.0);
        let Ended { place, lost, strength, is_addressee, is_carrier_news } = *ended;
        let frame = if is_addressee || load.is_for_all {
            self.deliver(place, lost, is_addressee, load, cx)
        } else {
            Some(load.frame)
        };
        if frame.is_some() || is_carrier_news {
            self.tell(place, frame.as_ref(), strength, is_carrier_news, walk, cx);
        } else {
            self.look_ahead(walk, cx);
        }
    }

    /// A MAC is told something.
    fn tell(
        &mut self,
        place: u32,
        frame: Option<&Frame>,
        strength: Strength,
        is_carrier_news: bool,
        walk: &mut Walk,
        cx: &mut Context,
    ) {
        let member = &mut self.members[place as usize];
        cx.set_now(walk.moment.0);
        let (interface, carrier) = (member.interface, member.antenna.carrier());
        let told = Told { interface, frame, strength, is_carrier_news, carrier };
        member.attention = self.above.tell(&told, cx);
        self.look_ahead(walk, cx);
    }

    /// How far the walk goes, after something that may have consequences.
    fn look_ahead(&self, walk: &mut Walk, cx: &Context) {
        let is_all_done = cx.effects.is_empty() && self.misses.as_ref().is_none_or(Vec::is_empty);
        walk.horizon = if is_all_done { self.above.horizon() } else { walk.moment };
    }

    /// A frame for this member, or for everyone, came or was lost.
    #[inline(never)]
    fn deliver(
        &mut self,
        place: u32,
        lost: Option<Cause>,
        is_addressee: bool,
        load: &mut Load,
        cx: &mut Context,
    ) -> Option<Frame> {
        let (frame, node) = (load.frame, self.members[place as usize].node);
        if is_addressee {
            load.unmet -= 1;
            if let Some(cause) = lost {
                self.tallies[place as usize].attempts.on_missed(&frame, node, cause);
                Miss { frame, node, cause }.count(&mut self.tallies[load.sender as usize], self.misses);
            }
        }
        hand_over(&frame, node, lost, &mut load.under_way, cx)
    }

    /// Looks at all listeners at once, so that memory brings them at once: where there are many members, each is a
    /// while away, and what is done at one would wait before the next is asked for.
    #[inline(always)]
    fn fetch(&self, listeners: &[Listener], touch: impl Fn(&Member, &ReceiveCounters) -> u64) {
        if self.members.len() >= MANY {
            let places = listeners.iter().map(|listener| listener.member as usize);
            black_box(places.fold(0, |sum, place| sum ^ touch(&self.members[place], &self.ears[place])));
        }
    }
}

/// Decides about the bits of the `number`th frame at a listener.
#[cold]
#[inline(never)]
fn luck_of_bits(keys: (u64, u64), number: u64, listener: u32) -> f64 {
    draw_uniform(keys.0, keys.1 ^ LUCK_OF_BITS, number, u64::from(listener))
}
