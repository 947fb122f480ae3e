//! A transmission that is alone on its channel. Nothing here changes a result.
//!
//! Nearly every signal of a quiet network meets no other signal (decision 0013). The start of such a signal changes its
//! listener only until its end, and nobody looks meanwhile. So its starts are *postponed*: all that is looked for at their time are
//! MACs that watch the carrier. At its end the whole signal is taken in at once ([`Antenna::end_alone`]), in
//! half the instructions of a start and an end. A start is made up for as soon as it matters: when another station transmits, or
//! when a MAC asks for the carrier.
//!
//! [`Antenna::end_alone`]: crate::phy::antenna::Antenna::end_alone

use farlink_kernel::{Duration, Instant, Phase};

use super::SharedChannel;
use super::member::Member;
use super::prefetch::{prefetch_for_end, prefetch_for_start};
use super::progress::Progress;
use super::propagate::Receivers;
use super::transmission::{InFlight, Listener, Transmission, count_instants};
use super::upper_layers::UpperLayers;
use crate::context::Context;
use crate::frame::Mode;
use crate::phy::antenna::{Pairwise, Receiver, Settings, Signal};

impl SharedChannel {
    /// The start of the sole transmission at a member, if it is postponed.
    #[inline(always)]
    pub(super) fn start_postponed_at(&mut self, member: usize) {
        if let Some(transmission) = self.sole
            && self.transmissions[transmission].in_flight.sender as usize != member
        {
            self.start_postponed(transmission, |listener| listener.member as usize == member);
        }
    }

    /// All postponed starts: the transmission is not alone any more.
    #[inline]
    pub(super) fn start_all_postponed(&mut self) {
        if let Some(transmission) = self.sole.take() {
            self.start_postponed(transmission, |_| true);
            self.transmissions[transmission].is_sole = false;
        }
    }

    /// For how long a member has sensed a signal whose start is postponed.
    pub(super) fn postponed_time(&self, member: usize, now: Instant) -> Duration {
        let Some(sole) = self.sole else { return Duration::ZERO };
        let Transmission { sent, ends, listeners, .. } = &self.transmissions[sole];
        let postponed =
            listeners[*ends..].iter().filter(|listener| listener.is_sensed && !listener.has_started);
        let mut at_member = postponed.filter(|listener| listener.member as usize == member);
        at_member.next().map_or(Duration::ZERO, |listener| now.saturating_since(*sent + listener.delay))
    }

    #[inline(never)]
    fn start_postponed(&mut self, transmission: u32, is_chosen: impl Fn(&Listener) -> bool) {
        let Self { members, settings, transmissions, .. } = self;
        let passing = &mut transmissions[transmission];
        let (mode, sent, length) = (passing.mode, passing.sent, passing.length);
        let listeners = passing.listeners[passing.ends..].iter_mut();
        for listener in listeners.filter(|listener| !listener.has_started && is_chosen(listener)) {
            let now = sent + listener.delay;
            start::<Pairwise>(members, listener, (transmission, mode, now + length), now, settings);
        }
    }
}

/// A postponed start. The MAC does not watch.
#[inline(always)]
fn start<R: Receiver>(
    members: &mut [Member],
    listener: &mut Listener,
    (transmission, mode, ends): (u32, Mode, Instant),
    now: Instant,
    settings: &Settings,
) {
    let Listener { member, strength, is_sensed, lost, .. } = *listener;
    let signal = Signal { transmission, strength, mode, is_sensed, lost, ends };
    (listener.lost, _) = members[member as usize].antenna.start::<R>(signal, now, settings);
    listener.has_started = true;
}

impl<U: UpperLayers> Receivers<'_, U> {
    /// True for the starts of a transmission that is alone on the channel, if no event comes between them.
    #[inline(always)]
    pub(super) fn can_postpone<R: Receiver>(&self, passing: &Transmission, progress: &Progress) -> bool {
        self.is_alone
            && R::RECEIVES_WHAT_IS_ALONE
            && passing.starts == 0
            && self.settings.has_no_further_errors()
            && is_before(passing, progress)
    }

    /// Notifies the MACs that watch the carrier, and leaves the other starts.
    #[inline(never)]
    pub(super) fn postpone_starts<R: Receiver>(
        &mut self,
        transmission: u32,
        passing: &mut Transmission,
        progress: &mut Progress,
        cx: &mut Context,
    ) {
        prefetch_for_start(self.members, &passing.listeners);
        let Transmission { mode, sent, length, instants, .. } = *passing;
        let last = passing.listeners.last().map_or(sent, |last| sent + last.delay);
        for number in 0..passing.listeners.len() {
            let listener = &mut passing.listeners[number];
            let watches_from = self.members[listener.member as usize].interest.carrier_from;
            if watches_from <= last && listener.is_sensed && watches_from <= sent + listener.delay {
                progress.moment.0 = sent + listener.delay;
                let ends = progress.moment.0 + length;
                self.start_watched::<R>((transmission, mode, ends), listener, progress, cx);
                if !is_before(passing, progress) {
                    // The MAC has caused an event between the starts.
                    return self.start_up_to::<R>(transmission, passing, number + 1, progress);
                }
            }
        }
        progress.moments += instants - 1;
        progress.moment.0 = last;
        passing.starts = passing.listeners.len();
        passing.is_sole = true;
    }

    #[inline(never)]
    fn start_watched<R: Receiver>(
        &mut self,
        signal: (u32, Mode, Instant),
        listener: &mut Listener,
        progress: &mut Progress,
        cx: &mut Context,
    ) {
        self.start_reception::<R>(signal, listener, progress, cx);
        listener.has_started = true;
    }

    #[cold]
    fn start_up_to<R: Receiver>(
        &mut self,
        transmission: u32,
        passing: &mut Transmission,
        starts: usize,
        progress: &mut Progress,
    ) {
        let Transmission { mode, sent, length, .. } = *passing;
        progress.moments += count_instants(&passing.listeners[..starts]) - 1;
        let listeners = passing.listeners[..starts].iter_mut();
        for listener in listeners.filter(|listener| !listener.has_started) {
            let now = sent + listener.delay;
            start::<R>(self.members, listener, (transmission, mode, now + length), now, self.settings);
        }
        passing.starts = starts;
    }

    /// The signal ends at the next listeners.
    #[inline(never)]
    pub(super) fn end_sole_receptions<R: Receiver>(
        &mut self,
        transmission: u32,
        passing: &mut Transmission,
        progress: &mut Progress,
        cx: &mut Context,
    ) {
        let Transmission { mode, number, sent, length, .. } = *passing;
        let Transmission { listeners, ends, in_flight, .. } = passing;
        if *ends == 0 {
            prefetch_for_end(self.members, listeners);
        }
        let (duration, is_broadcast) = (in_flight.frame.duration, in_flight.is_broadcast);
        let is_silent = in_flight.is_silent(&cx.packets);
        let end = sent + length;
        *ends += progress.visit(&mut listeners[*ends..], end, Instant::NEVER, |progress, listener| {
            let now = progress.moment.0;
            let Member { antenna, interest, heard, .. } = &mut self.members[listener.member as usize];
            let is_watched = interest.carrier_from <= now && listener.is_sensed;
            let is_indicated = listener.lost.is_none() && (is_broadcast || interest.overhears);
            if is_watched || is_indicated || listener.is_addressee || listener.has_started {
                let (signal, start) = ((transmission, mode, number), sent + listener.delay);
                return self.end_whole::<R>(signal, start, listener, in_flight, progress, cx);
            }
            antenna.end_alone(listener.lost.is_none(), listener.is_sensed, length, now);
            if let Some(cause) = listener.lost {
                heard.on_missed(cause);
                return false;
            }
            heard.overheard += 1;
            antenna.set_nav(now, duration);
            interest.taps && !is_silent && self.overhear(listener.member, &in_flight.frame, progress, cx)
        });
    }

    /// The signal ends at a listener whose MAC is notified, or where it has started.
    #[inline(never)]
    fn end_whole<R: Receiver>(
        &mut self,
        (transmission, mode, number): (u32, Mode, u64),
        start_at: Instant,
        listener: &mut Listener,
        in_flight: &mut InFlight,
        progress: &mut Progress,
        cx: &mut Context,
    ) -> bool {
        if !listener.has_started {
            let signal = (transmission, mode, progress.moment.0);
            start::<R>(self.members, listener, signal, start_at, self.settings);
        }
        self.end_reception::<R>((transmission, mode, number), listener, in_flight, progress, cx)
    }
}

/// True when the last start comes before the first end and before any other event.
fn is_before(passing: &Transmission, progress: &Progress) -> bool {
    let limit = passing.next_end().min(progress.limit(Phase::SignalStart));
    passing.listeners.last().is_some_and(|last| passing.sent + last.delay < limit)
}
