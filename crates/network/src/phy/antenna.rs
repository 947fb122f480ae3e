//! [`Antenna`]: what a half-duplex receiver makes of the signals that reach it. It knows only those.
//!
//! The receiver is occupied by one signal at a time: it tries to make out the first that comes, strong enough
//! or not. Of one that comes meanwhile the [`Reception`] says what becomes. Every signal adds to the power at
//! the antenna, which carrier sense compares with a threshold.

use std::sync::Arc;

use farlink_kernel::{Duration, Instant};

use super::Phy;
use super::power::{Level, Strength};
use crate::frame::Mode;
use crate::packet::Cause;

mod config;
mod interference;
mod pairwise;

pub use config::{Config, Reception};
pub use interference::Interference;
pub use pairwise::Pairwise;

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
    /// Probability that a frame is not lost for no other reason.
    passes: f64,
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
            passes: 1.0 - config.frame_error_rate.0,
            phy,
        }
    }

    /// How frames become signals.
    pub fn phy(&self) -> &Arc<dyn Phy> {
        &self.phy
    }

    /// What becomes of signals that overlap.
    pub fn reception(&self) -> Reception {
        self.reception
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

/// What becomes of signals that overlap: a [`Reception`] at work.
pub trait Receiver {
    /// A signal begins: what [`Antenna::start`] says.
    fn start(
        antenna: &mut Antenna,
        signal: Signal,
        now: Instant,
        settings: &Settings,
    ) -> (Option<Cause>, bool);

    /// A signal ends. True if the carrier went.
    fn end(antenna: &mut Antenna, signal: &Signal, now: Instant, settings: &Settings) -> bool;

    /// The probability that interference left all bits of the current signal as they were.
    fn passed(antenna: &Antenna) -> f64;
}

/// One antenna. The order of its fields is that in memory: first what every signal needs that begins, then what one
/// needs that ends, then what only `interference` does.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Antenna {
    /// Until when the receiver is occupied by a signal, made out or not, and how strong that is.
    occupied: (Instant, Strength),
    /// Since when somebody else is heard, while somebody is.
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
            hears_since: Instant::ZERO,
            heard: Duration::ZERO,
            reserved_until: Instant::ZERO,
            reckoning: Reckoning { header_ends: Instant::ZERO, passed: 1.0, up_to: Instant::ZERO },
        }
    }
}

impl Antenna {
    /// What the MAC sees.
    pub fn carrier(&self) -> Carrier {
        let Self { idle_since, was_garbled, disturbed_at, reserved_until, .. } = *self;
        let is_busy = self.is_busy();
        let hears_since = if self.hears() { self.hears_since } else { Instant::NEVER };
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

    /// Somebody else is heard.
    #[inline]
    fn hears(&self) -> bool {
        self.is_busy() && !self.is_sending
    }

    /// A signal begins. `Some`: it is lost already, and why; otherwise ask when it ends. And whether the carrier
    /// came.
    #[inline(always)]
    pub fn start<R: Receiver>(
        &mut self,
        signal: Signal,
        now: Instant,
        settings: &Settings,
    ) -> (Option<Cause>, bool) {
        R::start(self, signal, now, settings)
    }

    fn lock(&mut self, Signal { transmission, mode, .. }: Signal) {
        self.current = Some(Current { transmission, mode, lost: None });
    }

    /// A signal ends. `luck` is uniform on [0, 1). `None`: it was made out. And whether the carrier went.
    #[inline(always)]
    pub fn end<R: Receiver>(
        &mut self,
        signal: Signal,
        luck: impl FnOnce() -> f64,
        now: Instant,
        settings: &Settings,
    ) -> (Option<Cause>, bool) {
        let went = R::end(self, &signal, now, settings);
        let lost = signal.lost.or_else(|| {
            let passes = R::passed(self) * settings.passes;
            self.fate(signal.transmission, passes, luck)
        });
        match lost {
            None => self.was_garbled = false,
            Some(cause) if signal.is_noticed => {
                // The others never occupied the receiver.
                self.was_garbled |=
                    !matches!(cause, Cause::CaptureLost | Cause::ReceiverTransmitting | Cause::ReceiverBusy);
                if !self.is_sending {
                    self.disturbed_at = now;
                }
            }
            Some(_) => {}
        }
        if went {
            self.idle_since = now;
            self.heard += now - self.hears_since;
        }
        (lost, went)
    }

    /// Why the signal that the receiver tried to make out is lost, if it is.
    #[inline(always)]
    fn fate(&mut self, transmission: u32, passes: f64, luck: impl FnOnce() -> f64) -> Option<Cause> {
        let current = self.current.take_if(|current| current.transmission == transmission);
        let current = current.expect("a signal without a fate occupies the receiver");
        let is_lost = current.lost.is_none() && passes < 1.0 && luck() >= passes;
        current.lost.or(is_lost.then_some(Cause::BitError))
    }

    /// For how long the antenna heard others.
    pub fn heard(&self, now: Instant) -> Duration {
        self.heard + if self.hears() { now.saturating_since(self.hears_since) } else { Duration::ZERO }
    }

    /// The antenna begins to send and hears nothing meanwhile.
    pub fn start_sending(&mut self, now: Instant) {
        assert!(!self.is_sending, "an antenna sends one frame at a time");
        self.heard = self.heard(now);
        self.is_sending = true;
        self.busy += 1;
        self.was_garbled = false;
        if let Some(current) = &mut self.current {
            current.lost = Some(Cause::ReceiverTransmitting);
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
