//! [`Interference`]: the receiver locks onto the first signal above the threshold; the power of all others adds to the noise, and
//! the PHY gives the probability of bit errors.

use farlink_kernel::{Duration, Instant};

use super::{Antenna, BitSuccess, Receiver, Settings, Signal};
use crate::frame::Mode;
use crate::packet::Cause;

/// See [`Reception::Interference`](super::Reception::Interference).
#[derive(Clone, Copy, Debug)]
pub struct Interference;

impl Receiver for Interference {
    /// Noise alone may cause bit errors.
    const RECEIVES_WHAT_IS_ALONE: bool = false;

    #[inline(always)]
    fn start(
        antenna: &mut Antenna,
        mut signal: Signal,
        now: Instant,
        settings: &Settings,
    ) -> (Option<Cause>, bool) {
        if antenna.is_transmitting {
            signal.lost = Some(Cause::ReceiverTransmitting);
        }
        update_success(antenna, now, settings);
        let was_busy = antenna.is_busy();
        antenna.total += u128::from(signal.strength.level().0);
        update_busy(antenna, settings);
        let becomes_busy = antenna.is_busy() && !was_busy;
        if becomes_busy {
            antenna.busy_since = now;
        }
        if signal.lost.is_some() || antenna.locked.is_some() {
            return (signal.lost.or(Some(Cause::ReceiverBusy)), becomes_busy);
        }
        antenna.occupied = (signal.ends, signal.strength);
        antenna.lock(signal);
        let header_ends = now + settings.phy.header_time(signal.mode);
        antenna.success = BitSuccess { header_ends, probability: 1.0, up_to: now };
        (None, becomes_busy)
    }

    #[inline(always)]
    fn end(antenna: &mut Antenna, signal: &Signal, now: Instant, settings: &Settings) -> bool {
        update_success(antenna, now, settings);
        let was_busy = antenna.is_busy();
        antenna.total -= u128::from(signal.strength.level().0);
        update_busy(antenna, settings);
        was_busy && !antenna.is_busy()
    }

    #[inline(always)]
    fn success(antenna: &Antenna) -> f64 {
        antenna.success.probability
    }
}

/// Compares the sum of all signals with the carrier sense threshold.
fn update_busy(antenna: &mut Antenna, settings: &Settings) {
    antenna.busy = u32::from(antenna.is_transmitting) + u32::from(antenna.total >= settings.sense_level);
}

/// Takes in the bits of the locked signal since the power changed last.
#[inline(never)]
fn update_success(antenna: &mut Antenna, now: Instant, settings: &Settings) {
    let Some(locked) = &antenna.locked else { return };
    let success = &mut antenna.success;
    let level = antenna.occupied.1.level();
    let interference = (antenna.total - u128::from(level.0)) as f64;
    let sinr = level.0 as f64 / (settings.noise + interference);
    let bits = |mode: Mode, length: Duration| length.as_secs_f64() * settings.phy.rate(mode).as_bps() as f64;
    let header = success.header_ends.min(now).saturating_since(success.up_to);
    let rest = (now - success.up_to).saturating_sub(header);
    success.probability *= settings.phy.success(Mode(0), bits(Mode(0), header), sinr);
    success.probability *= settings.phy.success(locked.mode, bits(locked.mode, rest), sinr);
    success.up_to = now;
}
