//! [`Pairwise`]: signals are compared pair by pair (ns-2, mac/mac-802_11.cc). The first one occupies the receiver, above the
//! reception threshold or not.

use farlink_kernel::Instant;

use super::{Antenna, Receiver, Settings, Signal};
use crate::packet::Cause;

/// See [`Reception::Pairwise`](super::Reception::Pairwise).
#[derive(Clone, Copy, Debug)]
pub struct Pairwise;

impl Receiver for Pairwise {
    const RECEIVES_WHAT_IS_ALONE: bool = true;

    #[inline(always)]
    fn start(
        antenna: &mut Antenna,
        mut signal: Signal,
        now: Instant,
        settings: &Settings,
    ) -> (Option<Cause>, bool) {
        let becomes_busy = signal.is_sensed && !antenna.is_busy();
        antenna.busy += u32::from(signal.is_sensed);
        if becomes_busy {
            antenna.busy_since = now;
        } else if antenna.is_transmitting {
            signal.lost = Some(Cause::ReceiverTransmitting);
        }
        (occupy(antenna, signal, now, settings), becomes_busy)
    }

    #[inline(always)]
    fn end(antenna: &mut Antenna, signal: &Signal, _now: Instant, _settings: &Settings) -> bool {
        antenna.busy -= u32::from(signal.is_sensed);
        signal.is_sensed && !antenna.is_busy()
    }

    #[inline(always)]
    fn success(_antenna: &Antenna) -> f64 {
        1.0
    }
}

#[inline(always)]
fn occupy(antenna: &mut Antenna, signal: Signal, now: Instant, settings: &Settings) -> Option<Cause> {
    let (until, strength) = antenna.occupied;
    if until <= now {
        antenna.occupied = (signal.ends, signal.strength);
        if signal.lost.is_none() {
            antenna.lock(signal);
        }
        return signal.lost;
    }
    if strength.0 - signal.strength.0 >= settings.capture {
        return Some(if antenna.is_transmitting { Cause::ReceiverTransmitting } else { Cause::CaptureLost });
    }
    if let Some(locked) = &mut antenna.locked {
        locked.lost = locked.lost.or(Some(Cause::Collision));
    }
    if signal.ends > until {
        antenna.occupied = (signal.ends, signal.strength);
    }
    signal.lost.or(Some(Cause::Collision))
}
