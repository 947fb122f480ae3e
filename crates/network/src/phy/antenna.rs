//! [`Antenna`]: a half-duplex receiver and the signals at its antenna.
//!
//! The receiver locks onto one signal at a time, the first that arrives, strong enough or not. The [`Reception`] model decides on
//! signals that overlap it. Carrier sense compares the power at the antenna with a threshold.

use std::sync::Arc;

use farlink_kernel::{Duration, Instant};

use super::Phy;
use super::power::{Level, Strength};
use crate::frame::Mode;
use crate::packet::Cause;

mod config;
mod interference;
mod pairwise;

pub use config::{Config, ErrorPlace, ErrorUnit, Reception};
pub use interference::Interference;
pub use pairwise::Pairwise;

/// Properties that all antennas of a channel share.
#[derive(Clone, Debug)]
pub struct Settings {
    receive: Strength,
    sense: Strength,
    /// The carrier sense threshold for the sum of all signals.
    sense_level: u128,
    reception: Reception,
    /// Capture ratio, as a difference of strengths.
    capture: f64,
    noise: f64,
    /// Probability that a frame, or with `is_per_bit` a bit, has no other error.
    no_error: f64,
    is_per_bit: bool,
    error_place: ErrorPlace,
    phy: Arc<dyn Phy>,
}

impl Settings {
    pub(crate) fn new(config: &Config, phy: Arc<dyn Phy>) -> Self {
        Self {
            receive: config.receive_threshold.strength(),
            sense: config.carrier_sense_threshold.strength(),
            sense_level: config.carrier_sense_threshold.level().0.into(),
            reception: config.reception,
            capture: libm::log(config.capture_ratio.factor()),
            noise: config.noise.power().watts / Level::UNIT_WATTS,
            no_error: 1.0 - config.frame_error_rate.0,
            is_per_bit: config.error_unit == ErrorUnit::Bit,
            error_place: config.error_place,
            phy,
        }
    }

    pub(crate) fn phy(&self) -> &Arc<dyn Phy> {
        &self.phy
    }

    /// The model of overlapping signals.
    pub fn reception(&self) -> Reception {
        self.reception
    }

    /// Where further errors occur.
    pub fn error_place(&self) -> ErrorPlace {
        self.error_place
    }

    /// Probability that so many bytes have no further error above the MAC.
    pub fn success_above_mac(&self, size: u32) -> f64 {
        if self.error_place == ErrorPlace::AboveMac { self.success_of(|| size) } else { 1.0 }
    }

    /// True when there are no further errors below the MAC.
    pub fn has_no_further_errors(&self) -> bool {
        self.error_place == ErrorPlace::AboveMac || self.no_error >= 1.0
    }

    /// Probability that a frame of so many bytes has no further error below the MAC.
    #[inline(always)]
    fn success(&self, size: impl FnOnce() -> u32) -> f64 {
        if self.error_place == ErrorPlace::AboveMac { 1.0 } else { self.success_of(size) }
    }

    #[inline(always)]
    fn success_of(&self, size: impl FnOnce() -> u32) -> f64 {
        if self.is_per_bit { libm::pow(self.no_error, 8.0 * f64::from(size())) } else { self.no_error }
    }

    /// True when a signal of this strength alone makes the medium busy.
    #[inline]
    pub fn is_sensed(&self, strength: Strength) -> bool {
        strength.0 >= self.sense.0
    }

    /// The cause of loss of a signal below the reception threshold.
    #[inline]
    pub fn below_threshold(&self, strength: Strength) -> Option<Cause> {
        (strength.0 < self.receive.0).then_some(Cause::BelowThreshold)
    }
}

/// State of the medium at an antenna: physical carrier sense, and the network allocation vector (NAV).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carrier {
    /// A signal is sensed, or the antenna itself transmits.
    pub is_busy: bool,
    /// Since when the medium is idle; undefined while it is busy.
    pub idle_since: Instant,
    /// Since when signals of other stations are sensed; [`Instant::NEVER`] if none is.
    pub busy_since: Instant,
    /// The last signal that the receiver locked onto was not received.
    pub last_reception_failed: bool,
    /// When the last sensed signal ended that was not received.
    pub last_error_at: Instant,
    /// End of the longest Duration field of overheard frames.
    pub nav_until: Instant,
}

/// The signal that the receiver is locked onto.
#[derive(Clone, Copy, Debug)]
struct Locked {
    transmission: u32,
    mode: Mode,
    lost: Option<Cause>,
}

/// With `interference`: the probability that the bits of the locked signal are correct up to an instant, and the end of
/// its PHY header.
#[derive(Clone, Copy, Debug)]
struct BitSuccess {
    header_ends: Instant,
    probability: f64,
    up_to: Instant,
}

/// A signal at an antenna.
#[derive(Clone, Copy, Debug)]
pub struct Signal {
    pub(crate) transmission: u32,
    pub(crate) strength: Strength,
    /// Its PHY mode.
    pub mode: Mode,
    /// It is [sensed](Settings::is_sensed).
    pub is_sensed: bool,
    /// The cause of its loss, as far as known: before the start [`Settings::below_threshold`], later the result of
    /// [`Antenna::start`].
    pub lost: Option<Cause>,
    pub(crate) ends: Instant,
}

/// The implementation of a [`Reception`] model.
pub trait Receiver {
    /// A signal above the reception threshold is received without errors if no other is at the antenna meanwhile.
    const RECEIVES_WHAT_IS_ALONE: bool;

    /// See [`Antenna::start`].
    fn start(
        antenna: &mut Antenna,
        signal: Signal,
        now: Instant,
        settings: &Settings,
    ) -> (Option<Cause>, bool);

    /// A signal ends. True if the medium becomes idle.
    fn end(antenna: &mut Antenna, signal: &Signal, now: Instant, settings: &Settings) -> bool;

    /// The probability that all bits of the locked signal are correct.
    fn success(antenna: &Antenna) -> f64;
}

/// One antenna. Fields are in memory order: those that the start of a signal needs, then its end, then
/// `interference`.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Antenna {
    /// End and strength of the signal that occupies the receiver.
    occupied: (Instant, Strength),
    busy_since: Instant,
    locked: Option<Locked>,
    /// Number of reasons why the medium is busy: the own transmission; with `pairwise` each sensed signal, with
    /// `interference` their sum.
    busy: u32,
    is_transmitting: bool,
    last_reception_failed: bool,
    idle_since: Instant,
    last_error_at: Instant,
    /// For how long other stations were sensed before `busy_since`.
    sensed_time: Duration,
    nav_until: Instant,
    /// With `interference`: the power of all signals.
    total: u128,
    success: BitSuccess,
}

impl Default for Antenna {
    fn default() -> Self {
        Self {
            busy: 0,
            total: 0,
            occupied: (Instant::ZERO, Strength(f64::NEG_INFINITY)),
            locked: None,
            is_transmitting: false,
            idle_since: Instant::ZERO,
            last_reception_failed: false,
            last_error_at: Instant::ZERO,
            busy_since: Instant::ZERO,
            sensed_time: Duration::ZERO,
            nav_until: Instant::ZERO,
            success: BitSuccess { header_ends: Instant::ZERO, probability: 1.0, up_to: Instant::ZERO },
        }
    }
}

impl Antenna {
    /// State of the medium for the MAC.
    pub fn carrier(&self) -> Carrier {
        let Self { idle_since, last_reception_failed, last_error_at, nav_until, .. } = *self;
        let is_busy = self.is_busy();
        let busy_since = if self.senses_others() { self.busy_since } else { Instant::NEVER };
        Carrier { is_busy, idle_since, busy_since, last_reception_failed, last_error_at, nav_until }
    }

    /// Something of what a signal needs that begins.
    #[inline]
    pub fn touch(&self) -> u64 {
        self.busy.into()
    }

    /// Something of what one needs that ends, besides.
    #[inline]
    pub fn touch_for_end(&self) -> u64 {
        self.nav_until.as_nanos()
    }

    /// A frame for other stations with this Duration field was received.
    #[inline]
    pub fn set_nav(&mut self, now: Instant, length: Duration) {
        if !length.is_zero() {
            self.nav_until = self.nav_until.max(now + length);
        }
    }

    /// True while the medium is busy.
    #[inline]
    pub fn is_busy(&self) -> bool {
        self.busy > 0
    }

    /// True while signals of other stations are sensed.
    #[inline]
    fn senses_others(&self) -> bool {
        self.is_busy() && !self.is_transmitting
    }

    /// A signal begins. Returns the cause if it is lost already, and whether the medium becomes busy.
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
        self.locked = Some(Locked { transmission, mode, lost: None });
    }

    /// A signal ends, of a frame of `size` bytes. `draw` is uniform on [0, 1). Returns the cause if it is lost, and whether the medium becomes idle.
    #[inline(always)]
    pub fn end<R: Receiver>(
        &mut self,
        signal: Signal,
        size: impl FnOnce() -> u32,
        draw: impl FnOnce() -> f64,
        now: Instant,
        settings: &Settings,
    ) -> (Option<Cause>, bool) {
        let went = R::end(self, &signal, now, settings);
        let lost = signal.lost.or_else(|| {
            let success = R::success(self) * settings.success(size);
            self.outcome(signal.transmission, success, draw)
        });
        match lost {
            None => self.last_reception_failed = false,
            Some(cause) if signal.is_sensed => {
                // With the other causes the receiver was not locked onto it.
                self.last_reception_failed |=
                    !matches!(cause, Cause::CaptureLost | Cause::ReceiverTransmitting | Cause::ReceiverBusy);
                if !self.is_transmitting {
                    self.last_error_at = now;
                }
            }
            Some(_) => {}
        }
        if went {
            self.idle_since = now;
            self.sensed_time += now - self.busy_since;
        }
        (lost, went)
    }

    /// A signal ends that was alone at the antenna for `length`, without [`Antenna::start`]. `is_received` is true
    /// above the reception threshold.
    #[inline(always)]
    pub fn end_alone(&mut self, is_received: bool, is_sensed: bool, length: Duration, now: Instant) {
        if is_received {
            self.last_reception_failed = false;
        } else if is_sensed {
            self.last_reception_failed = true;
            self.last_error_at = now;
        }
        if is_sensed {
            self.idle_since = now;
            self.sensed_time += length;
        }
    }

    /// The cause of loss of the signal that the receiver is locked onto.
    #[inline(always)]
    fn outcome(&mut self, transmission: u32, success: f64, draw: impl FnOnce() -> f64) -> Option<Cause> {
        let locked = self.locked.take_if(|locked| locked.transmission == transmission);
        let locked = locked.expect("the receiver is locked onto a signal that is not lost");
        let is_lost = locked.lost.is_none() && success < 1.0 && draw() >= success;
        locked.lost.or(is_lost.then_some(Cause::BitError))
    }

    /// For how long other stations were sensed.
    pub fn sensed_time(&self, now: Instant) -> Duration {
        self.sensed_time
            + if self.senses_others() { now.saturating_since(self.busy_since) } else { Duration::ZERO }
    }

    /// The antenna begins to transmit, and receives nothing meanwhile.
    pub fn start_transmission(&mut self, now: Instant) {
        assert!(!self.is_transmitting, "an antenna transmits one frame at a time");
        self.sensed_time = self.sensed_time(now);
        self.is_transmitting = true;
        self.busy += 1;
        self.last_reception_failed = false;
        if let Some(locked) = &mut self.locked {
            locked.lost = Some(Cause::ReceiverTransmitting);
        }
    }

    /// The antenna has transmitted.
    pub fn end_transmission(&mut self, now: Instant) {
        self.is_transmitting = false;
        self.busy -= 1;
        if self.is_busy() {
            self.busy_since = now;
        } else {
            self.idle_since = now;
        }
    }
}

#[cfg(test)]
mod tests;
