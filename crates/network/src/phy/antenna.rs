//! [`Antenna`]: what a half-duplex receiver makes of the signals that reach it. It knows only those.
//!
//! The receiver is occupied by one signal at a time: it tries to make out the first that comes, strong enough
//! or not. Of one that comes meanwhile the [`Reception`] says what becomes. Every signal adds to the power at
//! the antenna, which carrier sense compares with a threshold.

use std::sync::Arc;

use farlink_kernel::{Duration, Instant};

use super::power::{Level, Strength};
use super::{Mode, Phy};
use crate::packet::Cause;

mod config;

pub use config::{Config, Reception};

/// What all antennas of a channel have in common.
#[derive(Clone, Debug)]
pub struct Settings {
    receive: Strength,
    sense: Strength,
    /// The least power of all signals together that is noticed.
    noticed: u128,
    reception: Reception,
    /// As the difference of two strengths.
    capture: f64,
    noise: f64,
    frame_error_rate: f64,
    phy: Arc<dyn Phy>,
}

impl Settings {
    /// From what a user writes.
    pub fn new(config: &Config, phy: Arc<dyn Phy>) -> Self {
        Self {
            receive: config.receive_threshold.strength(),
            sense: config.carrier_sense_threshold.strength(),
            noticed: config.carrier_sense_threshold.level().0.into(),
            reception: config.reception,
            capture: libm::log(config.capture_ratio.factor()),
            noise: config.noise.power().watts / Level::UNIT_WATTS,
            frame_error_rate: config.frame_error_rate.0,
            phy,
        }
    }

    /// How frames become signals.
    pub fn phy(&self) -> &Arc<dyn Phy> {
        &self.phy
    }

    /// True when a signal so strong is noticed, even alone.
    #[inline]
    pub fn is_noticed(&self, strength: Strength) -> bool {
        strength.0 >= self.sense.0
    }

    /// Why a signal so strong cannot be made out, if it cannot.
    #[inline]
    pub fn too_weak(&self, strength: Strength) -> Option<Cause> {
        (strength.0 < self.receive.0).then_some(Cause::BelowThreshold)
    }
}

/// What a MAC sees of the medium.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carrier {
    /// Somebody sends, perhaps this antenna itself.
    pub is_busy: bool,
    /// Since when nobody does; meaningless while somebody does.
    pub idle_since: Instant,
    /// Since when somebody else is heard, or never.
    pub hears_since: Instant,
    /// The last signal the receiver was occupied with could not be made out.
    pub was_garbled: bool,
    /// When the last signal ended that was not made out, for whatever reason.
    pub disturbed_at: Instant,
    /// Until when frames for others that were made out here have reserved it.
    pub reserved_until: Instant,
}

/// The signal that the receiver tries to make out.
#[derive(Clone, Copy, Debug)]
struct Current {
    transmission: u32,
    mode: Mode,
    lost: Option<Cause>,
}

/// With interference: where the header of the current signal ends, and the probability that all its bits up to
/// an instant passed.
#[derive(Clone, Copy, Debug)]
struct Reckoning {
    header_ends: Instant,
    passed: f64,
    up_to: Instant,
}

/// A signal as it begins at an antenna.
#[derive(Clone, Copy, Debug)]
pub struct Signal {
    /// Which.
    pub transmission: u32,
    /// How strong.
    pub strength: Strength,
    /// How it is sent.
    pub mode: Mode,
    /// It is [noticed](Settings::is_noticed).
    pub is_noticed: bool,
    /// Why it is lost, as far as that is known: at first whether it is [too weak](Settings::too_weak), later what
    /// [`Antenna::start`] said.
    pub lost: Option<Cause>,
    /// When it ends there.
    pub ends: Instant,
}

/// One antenna. The order of its fields is that in memory: first what every signal needs that begins, then what one
/// needs that ends, then what only `interference` does.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Antenna {
    /// Until when the receiver is occupied by a signal, made out or not, and how strong that is.
    occupied: (Instant, Strength),
    /// Since when somebody else is heard, or never.
    hears_since: Instant,
    current: Option<Current>,
    /// How many reasons there are to take the medium for busy: the antenna's own frame; with `pairwise` each signal
    /// that is noticed, with `interference` all together.
    busy: u32,
    is_sending: bool,
    was_garbled: bool,
    idle_since: Instant,
    disturbed_at: Instant,
    /// For how long somebody else was heard before.
    heard: Duration,
    reserved_until: Instant,
    /// The power of all signals together; added up with `interference`.
    total: u128,
    reckoning: Reckoning,
}

impl Default for Antenna {
    fn default() -> Self {
        Self {
            busy: 0,
            total: 0,
            occupied: (Instant::ZERO, Strength(f64::NEG_INFINITY)),
            current: None,
            is_sending: false,
            idle_since: Instant::ZERO,
            was_garbled: false,
            disturbed_at: Instant::ZERO,
            hears_since: Instant::NEVER,
            heard: Duration::ZERO,
            reserved_until: Instant::ZERO,
            reckoning: Reckoning { header_ends: Instant::ZERO, passed: 1.0, up_to: Instant::ZERO },
        }
    }
}

impl Antenna {
    /// What the MAC sees.
    pub fn carrier(&self) -> Carrier {
        let Self { idle_since, hears_since, was_garbled, disturbed_at, reserved_until, .. } = *self;
        let is_busy = self.is_busy();
        Carrier { is_busy, idle_since, hears_since, was_garbled, disturbed_at, reserved_until }
    }

    /// Something of what a signal needs that begins.
    #[inline]
    pub fn touch(&self) -> u64 {
        self.busy.into()
    }

    /// Something of what one needs that ends, besides.
    #[inline]
    pub fn touch_for_end(&self) -> u64 {
        self.reserved_until.as_nanos()
    }

    /// A frame for others was made out and reserves the medium.
    #[inline]
    pub fn reserve(&mut self, now: Instant, length: Duration) {
        if !length.is_zero() {
            self.reserved_until = self.reserved_until.max(now + length);
        }
    }

    /// Somebody sends.
    #[inline]
    pub fn is_busy(&self) -> bool {
        self.busy > 0
    }

    /// A signal begins. `Some`: it is lost already, and why; otherwise ask when it ends. And whether the carrier
    /// came.
    #[inline(always)]
    pub fn start(&mut self, mut signal: Signal, now: Instant, settings: &Settings) -> (Option<Cause>, bool) {
        if self.is_sending {
            signal.lost = Some(Cause::Deaf);
        }
        match settings.reception {
            Reception::Pairwise => {
                let came = signal.is_noticed && !self.is_busy();
                self.busy += u32::from(signal.is_noticed);
                if came {
                    self.hears_since = now;
                }
                (self.start_pairwise(signal, now, settings), came)
            }
            Reception::Interference => self.start_among_others(signal, now, settings),
        }
    }

    /// The first signal occupies the receiver, whether it can be made out or not.
    #[inline(always)]
    fn start_pairwise(&mut self, signal: Signal, now: Instant, settings: &Settings) -> Option<Cause> {
        let (until, strength) = self.occupied;
        if until <= now {
            self.occupied = (signal.ends, signal.strength);
            if signal.lost.is_none() {
                self.lock(signal);
            }
            return signal.lost;
        }
        if strength.0 - signal.strength.0 >= settings.capture {
            return Some(if self.is_sending { Cause::Deaf } else { Cause::CaptureLost });
        }
        if let Some(current) = &mut self.current {
            current.lost = current.lost.or(Some(Cause::Collision));
        }
        if signal.ends > until {
            self.occupied = (signal.ends, signal.strength);
        }
        signal.lost.or(Some(Cause::Collision))
    }

    /// The first signal that is strong enough occupies the receiver.
    #[inline(always)]
    fn start_among_others(
        &mut self,
        signal: Signal,
        now: Instant,
        settings: &Settings,
    ) -> (Option<Cause>, bool) {
        self.reckon(now, settings);
        let was_busy = self.is_busy();
        self.total += u128::from(signal.strength.level().0);
        self.add_up(settings);
        let came = self.is_busy() && !was_busy;
        if came {
            self.hears_since = now;
        }
        if signal.lost.is_some() || self.current.is_some() {
            return (signal.lost.or(Some(Cause::ReceiverBusy)), came);
        }
        self.occupied = (signal.ends, signal.strength);
        self.lock(signal);
        let header_ends = now + settings.phy.header_time(signal.mode);
        self.reckoning = Reckoning { header_ends, passed: 1.0, up_to: now };
        (None, came)
    }

    /// Whether all signals together are noticed.
    fn add_up(&mut self, settings: &Settings) {
        self.busy = u32::from(self.is_sending) + u32::from(self.total >= settings.noticed);
    }

    fn lock(&mut self, Signal { transmission, mode, .. }: Signal) {
        self.current = Some(Current { transmission, mode, lost: None });
    }

    /// Adds up what happened to the current signal's bits since power changed last.
    #[inline(never)]
    fn reckon(&mut self, now: Instant, settings: &Settings) {
        let Some(current) = &self.current else { return };
        let reckoning = &mut self.reckoning;
        let level = self.occupied.1.level();
        let interference = (self.total - u128::from(level.0)) as f64;
        let sinr = level.0 as f64 / (settings.noise + interference);
        let bits =
            |mode: Mode, length: Duration| length.as_secs_f64() * settings.phy.rate(mode).as_bps() as f64;
        let header = reckoning.header_ends.min(now).saturating_since(reckoning.up_to);
        let rest = (now - reckoning.up_to).saturating_sub(header);
        reckoning.passed *= settings.phy.success(Mode(0), bits(Mode(0), header), sinr);
        reckoning.passed *= settings.phy.success(current.mode, bits(current.mode, rest), sinr);
        reckoning.up_to = now;
    }

    /// A signal ends. `luck` is uniform on [0, 1). `None`: it was made out. And whether the carrier went.
    #[inline(always)]
    pub fn end(
        &mut self,
        signal: Signal,
        luck: impl FnOnce() -> f64,
        now: Instant,
        settings: &Settings,
    ) -> (Option<Cause>, bool) {
        let went = match settings.reception {
            Reception::Pairwise => {
                self.busy -= u32::from(signal.is_noticed);
                signal.is_noticed && !self.is_busy()
            }
            Reception::Interference => {
                self.reckon(now, settings);
                let was_busy = self.is_busy();
                self.total -= u128::from(signal.strength.level().0);
                self.add_up(settings);
                was_busy && !self.is_busy()
            }
        };
        let lost = signal.lost.or_else(|| self.fate(signal.transmission, luck, settings));
        match lost {
            Some(Cause::CaptureLost | Cause::Deaf | Cause::ReceiverBusy) => {}
            Some(_) => self.was_garbled |= signal.is_noticed,
            None => self.was_garbled = false,
        }
        if lost.is_some() && signal.is_noticed && !self.is_sending {
            self.disturbed_at = now;
        }
        if went {
            self.idle_since = now;
            self.hear_no_more(now);
        }
        (lost, went)
    }

    /// Why the signal that the receiver tried to make out is lost, if it is.
    fn fate(&mut self, transmission: u32, luck: impl FnOnce() -> f64, settings: &Settings) -> Option<Cause> {
        let current = self.current.take_if(|current| current.transmission == transmission);
        let current = current.expect("a signal without a fate occupies the receiver");
        let passes = self.reckoning.passed * (1.0 - settings.frame_error_rate);
        let is_lost = current.lost.is_none() && passes < 1.0 && luck() >= passes;
        current.lost.or(is_lost.then_some(Cause::BitError))
    }

    fn hear_no_more(&mut self, now: Instant) {
        if self.hears_since < Instant::NEVER {
            self.heard += now - self.hears_since;
            self.hears_since = Instant::NEVER;
        }
    }

    /// For how long the antenna heard others.
    pub fn heard(&self, now: Instant) -> Duration {
        self.heard + now.saturating_since(self.hears_since)
    }

    /// The antenna begins to send and hears nothing meanwhile.
    pub fn start_sending(&mut self, now: Instant) {
        assert!(!self.is_sending, "an antenna sends one frame at a time");
        self.is_sending = true;
        self.busy += 1;
        self.hear_no_more(now);
        self.was_garbled = false;
        if let Some(current) = &mut self.current {
            current.lost = Some(Cause::Deaf);
        }
    }

    /// The antenna has sent.
    pub fn stop_sending(&mut self, now: Instant) {
        self.is_sending = false;
        self.busy -= 1;
        if self.is_busy() {
            self.hears_since = now;
        } else {
            self.idle_since = now;
        }
    }
}

#[cfg(test)]
mod tests;
