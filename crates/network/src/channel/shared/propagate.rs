//! Propagation of a frame to its listeners: the physical model, in the order of the events at one listener.
//!
//! The signal starts ([`start_reception`](Receivers::start_reception)), interferes with others at the antenna
//! ([`antenna`](crate::phy::antenna)), and ends ([`end_reception`](Receivers::end_reception)): the frame is received or lost.
//! Packets for this listener are [delivered or dropped](Receivers::deliver_or_drop); the MAC gets an
//! [indication](Receivers::notify_mac); routing [overhears](Receivers::overhear) frames for other nodes.

use farlink_kernel::random::draw_uniform;
use farlink_kernel::{Instant, Phase};

use super::SharedChannel;
use super::member::Member;
use super::missed_frame::MissedFrame;
use super::prefetch::{prefetch_for_end, prefetch_for_start};
use super::progress::{Progress, after};
use super::transmission::{InFlight, Listener, Transmission};
use super::upper_layers::{Indication, Interest, UpperLayers};
use crate::context::Context;
use crate::frame::{Frame, FrameKind, Mode};
use crate::hop::{NextHop, Part};
use crate::metrics::station::SendCounters;
use crate::packet::Cause;
use crate::phy::antenna::{ErrorPlace, Interference, Pairwise, Receiver, Reception, Settings, Signal};
use crate::phy::power::Strength;

/// Draw key of bit errors.
const BIT_ERROR_DRAW: u64 = 0x6269_7473;
/// In place of a receiver where all receivers of a frame have the same errors.
const ALL_RECEIVERS: u32 = u32::MAX;

impl SharedChannel {
    /// Starts and ends a transmission at its listeners as far as `progress` allows. Goes on with those on the channel that come
    /// next, if nothing else does. Returns the last of them and its next moment; `None` when it has passed all listeners.
    #[inline(always)]
    pub fn propagate(
        &mut self,
        transmission: u32,
        progress: &mut Progress,
        upper_layers: &mut impl UpperLayers,
        cx: &mut Context,
    ) -> (u32, Option<(Instant, Phase)>) {
        let is_alone = self.transmissions.len() == 1 && self.transmitting == 1;
        let Self { members, sent, settings, missed, keys, .. } = self;
        let mut receivers =
            Receivers { members, sent, settings, missed, keys: *keys, upper_layers, is_alone };
        let mut transmission = transmission;
        loop {
            let passing = &mut self.transmissions[transmission];
            let next = match settings.reception() {
                Reception::Pairwise => receivers.propagate::<Pairwise>(transmission, passing, progress, cx),
                Reception::Interference => {
                    receivers.propagate::<Interference>(transmission, passing, progress, cx)
                }
            };
            if passing.is_sole {
                self.sole = Some(transmission);
            }
            match next.and_then(|next| receivers.exchange(transmission, next, progress, cx)) {
                Some(other) => transmission = other,
                None => {
                    cx.set_now(progress.moment.0);
                    return (transmission, next);
                }
            }
        }
    }
}

struct Ended {
    number: u32,
    lost: Option<Cause>,
    strength: Strength,
    is_addressee: bool,
    carrier_changed: bool,
}

/// The members of a channel, where signals are received.
pub(super) struct Receivers<'a, U> {
    pub(super) members: &'a mut [Member],
    sent: &'a mut [SendCounters],
    pub(super) settings: &'a Settings,
    missed: &'a mut Option<Vec<MissedFrame>>,
    keys: (u64, u64),
    upper_layers: &'a mut U,
    /// No other transmission is on the channel.
    pub(super) is_alone: bool,
}

impl<U: UpperLayers> Receivers<'_, U> {
    #[inline(always)]
    fn propagate<R: Receiver>(
        &mut self,
        transmission: u32,
        passing: &mut Transmission,
        progress: &mut Progress,
        cx: &mut Context,
    ) -> Option<(Instant, Phase)> {
        loop {
            match progress.moment.1 {
                Phase::SignalStart if self.can_postpone::<R>(passing, progress) => {
                    self.postpone_starts::<R>(transmission, passing, progress, cx);
                }
                Phase::SignalStart => self.start_receptions::<R>(transmission, passing, progress, cx),
                _ if passing.is_sole => self.end_sole_receptions::<R>(transmission, passing, progress, cx),
                _ => self.end_receptions::<R>(transmission, passing, progress, cx),
            }
            match passing.next() {
                Some(next) if progress.enter(next) => {}
                next => return next,
            }
        }
    }

    /// The signal starts at the next listeners, until it ends at one.
    #[inline(never)]
    fn start_receptions<R: Receiver>(
        &mut self,
        transmission: u32,
        passing: &mut Transmission,
        progress: &mut Progress,
        cx: &mut Context,
    ) {
        let next_end = passing.next_end();
        let Transmission { sent, length, mode, ref mut listeners, ref mut starts, .. } = *passing;
        if *starts == 0 {
            prefetch_for_start(self.members, listeners);
        }
        *starts += progress.visit(&mut listeners[*starts..], sent, next_end, |progress, listener| {
            let ends = progress.moment.0 + length;
            self.start_reception::<R>((transmission, mode, ends), listener, progress, cx)
        });
    }

    /// The signal starts at a listener. True when the upper layers were notified.
    #[inline(always)]
    pub(super) fn start_reception<R: Receiver>(
        &mut self,
        (transmission, mode, ends): (u32, Mode, Instant),
        listener: &mut Listener,
        progress: &mut Progress,
        cx: &mut Context,
    ) -> bool {
        let now = progress.moment.0;
        let Listener { member: number, strength, is_sensed, lost, .. } = *listener;
        let signal = Signal { transmission, strength, mode, is_sensed, lost, ends };
        let member = &mut self.members[number as usize];
        let (lost, becomes_busy) = member.antenna.start::<R>(signal, now, self.settings);
        listener.lost = lost;
        let is_notified = becomes_busy && member.interest.carrier_from <= now;
        if is_notified {
            self.notify_mac(number, None, strength, true, progress, cx);
        }
        is_notified
    }

    /// The signal ends at the next listeners, until it starts at one. At one instant ends precede starts.
    #[inline(never)]
    fn end_receptions<R: Receiver>(
        &mut self,
        transmission: u32,
        passing: &mut Transmission,
        progress: &mut Progress,
        cx: &mut Context,
    ) {
        let next_start = after(passing.next_start());
        let Transmission { mode, number, sent, length, .. } = *passing;
        let Transmission { listeners, ends, in_flight, .. } = passing;
        if *ends == 0 {
            prefetch_for_end(self.members, listeners);
        }
        *ends += progress.visit(&mut listeners[*ends..], sent + length, next_start, |progress, listener| {
            self.end_reception::<R>((transmission, mode, number), listener, in_flight, progress, cx)
        });
    }

    /// The signal ends at a listener: the frame was received or lost. True when the upper layers were notified.
    #[inline(always)]
    pub(super) fn end_reception<R: Receiver>(
        &mut self,
        (transmission, mode, frame): (u32, Mode, u64),
        listener: &Listener,
        in_flight: &mut InFlight,
        progress: &mut Progress,
        cx: &mut Context,
    ) -> bool {
        let now = progress.moment.0;
        let Listener { member: number, lost, strength, is_sensed, is_addressee, .. } = *listener;
        let member = &mut self.members[number as usize];
        let signal = Signal { transmission, strength, mode, is_sensed, lost, ends: now };
        let draw = || {
            let is_of_sender = self.settings.error_place() == ErrorPlace::Sender;
            let at = if is_of_sender { ALL_RECEIVERS } else { number };
            draw_bit_errors(self.keys, frame, at)
        };
        let size = || in_flight.frame.size;
        let (lost, becomes_idle) = member.antenna.end::<R>(signal, size, draw, now, self.settings);
        let carrier_changed = becomes_idle && member.interest.carrier_from <= now;
        let mut is_notified = false;
        let is_indicated = match lost {
            None if is_addressee || in_flight.is_broadcast => {
                member.heard.received += 1;
                true
            }
            None => {
                member.heard.overheard += 1;
                member.antenna.set_nav(now, in_flight.frame.duration);
                let Interest { overhears, taps, .. } = member.interest;
                let is_tapped = taps && in_flight.frame.kind == FrameKind::Data && !overhears;
                is_notified = is_tapped && self.overhear(number, &in_flight.frame, progress, cx);
                overhears
            }
            Some(cause) => {
                member.heard.on_missed(cause);
                is_addressee
            }
        };
        if is_indicated {
            let ended = Ended { number, lost, strength, is_addressee, carrier_changed };
            self.indicate(&ended, in_flight, progress, cx);
        } else if carrier_changed {
            self.notify_mac(number, None, strength, true, progress, cx);
        }
        is_notified || is_indicated || carrier_changed
    }

    /// Routing, but not the MAC, receives a data frame for other nodes. True when that has an effect.
    #[inline(never)]
    pub(super) fn overhear(
        &mut self,
        number: u32,
        frame: &Frame,
        progress: &mut Progress,
        cx: &mut Context,
    ) -> bool {
        cx.set_now(progress.moment.0);
        let has_effect = self.upper_layers.overhear(self.members[number as usize].node, frame, cx);
        if has_effect {
            self.update_horizon(progress, cx);
        }
        has_effect
    }

    /// The frame is indicated to the MAC, or its loss recorded.
    #[inline(never)]
    fn indicate(
        &mut self,
        ended: &Ended,
        in_flight: &mut InFlight,
        progress: &mut Progress,
        cx: &mut Context,
    ) {
        cx.set_now(progress.moment.0);
        let Ended { number, lost, strength, is_addressee, carrier_changed } = *ended;
        let frame = if is_addressee || in_flight.is_broadcast {
            self.deliver_or_drop(number, lost, is_addressee, in_flight, cx)
        } else {
            Some(in_flight.frame)
        };
        if frame.is_some() || carrier_changed {
            self.notify_mac(number, frame.as_ref(), strength, carrier_changed, progress, cx);
        } else {
            self.update_horizon(progress, cx);
        }
    }

    /// Notifies a MAC of a frame, of a change of the carrier, or of both.
    fn notify_mac(
        &mut self,
        number: u32,
        frame: Option<&Frame>,
        strength: Strength,
        carrier_changed: bool,
        progress: &mut Progress,
        cx: &mut Context,
    ) {
        let member = &mut self.members[number as usize];
        cx.set_now(progress.moment.0);
        let (interface, carrier) = (member.interface, member.antenna.carrier());
        let indication = Indication { interface, frame, strength, carrier_changed, carrier };
        member.interest = self.upper_layers.indicate(&indication, cx);
        self.update_horizon(progress, cx);
    }

    /// After a notification: effects and missed frames are handled before the next moment.
    fn update_horizon(&self, progress: &mut Progress, cx: &Context) {
        progress.horizon = if self.is_settled(cx) { self.upper_layers.horizon() } else { progress.moment };
    }

    fn is_settled(&self, cx: &Context) -> bool {
        cx.effects.is_empty() && self.missed.as_ref().is_none_or(Vec::is_empty)
    }

    /// The transmission that goes on before this one does, if that is the next event.
    #[inline(always)]
    fn exchange(
        &mut self,
        transmission: u32,
        next: (Instant, Phase),
        progress: &mut Progress,
        cx: &Context,
    ) -> Option<u32> {
        if !self.is_alone && self.is_settled(cx) {
            self.upper_layers.exchange(transmission, next, progress)
        } else {
            None
        }
    }

    /// A frame for this member, or a broadcast, was received or lost. Returns it as its node received it.
    #[inline(never)]
    fn deliver_or_drop(
        &mut self,
        number: u32,
        lost: Option<Cause>,
        is_addressee: bool,
        in_flight: &mut InFlight,
        cx: &mut Context,
    ) -> Option<Frame> {
        let (frame, node) = (in_flight.frame, self.members[number as usize].node);
        if is_addressee {
            in_flight.pending_addressees -= 1;
            if let Some(cause) = lost {
                self.sent[number as usize].attempts.on_missed(&frame, node, cause);
                let missed = MissedFrame { frame, node, cause };
                missed.count(&mut self.sent[in_flight.sender as usize], self.missed);
            }
        }
        if lost.is_some() && in_flight.parts == [None; 2] {
            return None;
        }
        let mut own = frame;
        for (part, in_flight) in own.parts.iter_mut().zip(&mut in_flight.parts) {
            if let Some(taken) = in_flight.take_if(|part| part.next_hop == NextHop::Node(node)) {
                *part = Some(taken);
                match lost {
                    Some(cause) => cx.drop(taken.packet, cause),
                    None => cx.packets.receive(taken.packet, node),
                }
            }
            if let Some(Part { packet, next_hop: NextHop::Everyone }) = part
                && lost.is_none()
            {
                *packet = cx.packets.receive_broadcast(*packet, node);
            }
        }
        lost.is_none().then_some(own)
    }
}

/// The draw that decides on bit errors of a frame at a listener, uniform on [0, 1).
#[cold]
#[inline(never)]
fn draw_bit_errors(keys: (u64, u64), frame: u64, listener: u32) -> f64 {
    draw_uniform(keys.0, keys.1 ^ BIT_ERROR_DRAW, frame, u64::from(listener))
}
