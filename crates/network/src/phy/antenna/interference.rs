//! [`Interference`]: the first signal that is strong enough occupies the receiver, all others are added to the noise,
//! and the PHY says which of its bits that destroys.

use farlink_kernel::{Duration, Instant};

use super::{Antenna, Receiver, Reckoning, Settings, Signal};
use crate::frame::Mode;
use crate::packet::Cause;

/// See [`Reception::Interference`](super::Reception::Interference).
#[derive(Clone, Copy, Debug)]
pub struct Interference;

impl Receiver for Interference {
    #[inline(always)]
    fn start(
        antenna: &mut Antenna,
        mut signal: Signal,
        now: Instant,
        settings: &Settings,
    ) -> (Option<Cause>, bool) {
        if antenna.is_sending {
            signal.lost = Some(Cause::ReceiverTransmitting);
        }
        reckon(antenna, now, settings);
        let was_busy = antenna.is_busy();
        antenna.total += u128::from(signal.strength.level().0);
        add_up(antenna, settings);
        let came = antenna.is_busy() && !was_busy;
        if came {
            antenna.hears_since = now;
        }
        if signal.lost.is_some() || antenna.current.is_some() {
            return (signal.lost.or(Some(Cause::ReceiverBusy)), came);
        }
        antenna.occupied = (signal.ends, signal.strength);
        antenna.lock(signal);
        let header_ends = now + settings.phy.header_time(signal.mode);
        antenna.reckoning = Reckoning { header_ends, passed: 1.0, up_to: now };
        (None, came)
    }

    #[inline(always)]
    fn end(antenna: &mut Antenna, signal: &Signal, now: Instant, settings: &Settings) -> bool {
        reckon(antenna, now, settings);
        let was_busy = antenna.is_busy();
        antenna.total -= u128::from(signal.strength.level().0);
        add_up(antenna, settings);
        was_busy && !antenna.is_busy()
    }

    #[inline(always)]
    fn passed(antenna: &Antenna) -> f64 {
        antenna.reckoning.passed
    }
}

/// Whether all signals together are noticed.
fn add_up(antenna: &mut Antenna, settings: &Settings) {
    antenna.busy = u32::from(antenna.is_sending) + u32::from(antenna.total >= settings.noticed);
}

/// Adds up what happened to the current signal's bits since power changed last.
#[inline(never)]
fn reckon(antenna: &mut Antenna, now: Instant, settings: &Settings) {
    let Some(current) = &antenna.current else { return };
    let reckoning = &mut antenna.reckoning;
    let level = antenna.occupied.1.level();
    let interference = (antenna.total - u128::from(level.0)) as f64;
    let sinr = level.0 as f64 / (settings.noise + interference);
    let bits = |mode: Mode, length: Duration| length.as_secs_f64() * settings.phy.rate(mode).as_bps() as f64;
    let header = reckoning.header_ends.min(now).saturating_since(reckoning.up_to);
    let rest = (now - reckoning.up_to).saturating_sub(header);
    reckoning.passed *= settings.phy.success(Mode(0), bits(Mode(0), header), sinr);
    reckoning.passed *= settings.phy.success(current.mode, bits(current.mode, rest), sinr);
    reckoning.up_to = now;
}
