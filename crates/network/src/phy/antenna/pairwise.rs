//! [`Pairwise`]: signals are compared one by one (ns-2, mac/mac-802_11.cc). The first one occupies the receiver, whether
//! it can be made out or not.

use farlink_kernel::Instant;

use super::{Antenna, Receiver, Settings, Signal};
use crate::packet::Cause;

/// See [`Reception::Pairwise`](super::Reception::Pairwise).
#[derive(Clone, Copy, Debug)]
pub struct Pairwise;

impl Receiver for Pairwise {
    #[inline(always)]
    fn start(
        antenna: &mut Antenna,
        mut signal: Signal,
        now: Instant,
        settings: &Settings,
    ) -> (Option<Cause>, bool) {
        let came = signal.is_noticed && !antenna.is_busy();
        antenna.busy += u32::from(signal.is_noticed);
        if came {
            antenna.hears_since = now;
        } else if antenna.is_sending {
            signal.lost = Some(Cause::ReceiverTransmitting);
        }
        (occupy(antenna, signal, now, settings), came)
    }

    #[inline(always)]
    fn end(antenna: &mut Antenna, signal: &Signal, _now: Instant, _settings: &Settings) -> bool {
        antenna.busy -= u32::from(signal.is_noticed);
        signal.is_noticed && !antenna.is_busy()
    }

    #[inline(always)]
    fn passed(_antenna: &Antenna) -> f64 {
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
        return Some(if antenna.is_sending { Cause::ReceiverTransmitting } else { Cause::CaptureLost });
    }
    if let Some(current) = &mut antenna.current {
        current.lost = current.lost.or(Some(Cause::Collision));
    }
    if signal.ends > until {
        antenna.occupied = (signal.ends, signal.strength);
    }
    signal.lost.or(Some(Cause::Collision))
}
