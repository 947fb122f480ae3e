//! [`Rounds`]: round-trip samples per round as the modules of Linux 2.6.22 take them.

use crate::congestion::Ack;
use crate::congestion::delay::{DelayRounds, Round};

/// The round of Linux 2.6.22's modules, in segments since the connection began. It begins and ends with `SND.NXT`, but
/// a repair moves its end only: the round after a repair counts what was sent since the round before the loss began.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rounds {
    una: f64,
    /// `beg_snd_una` and `beg_snd_nxt`.
    begin: f64,
    end: f64,
    is_open: bool,
}

impl Rounds {
    /// Takes an ACK into `samples`; gives the round it ended, with the segments that were sent before it.
    pub(super) fn on_ack(&mut self, samples: &mut DelayRounds, ack: &Ack) -> Option<Round> {
        let segments = self.end_of_round(ack);
        let round = samples.on_ack(&Ack { round_start: segments.is_some(), ..*ack });
        include_handshake(samples, ack);
        segments.zip(round).map(|(acked, round)| Round { acked, ..round })
    }

    /// Discards the current round and begins another.
    pub(super) fn restart(&mut self) {
        self.is_open = false;
    }

    fn end_of_round(&mut self, ack: &Ack) -> Option<f64> {
        self.una += ack.acked;
        if ack.in_recovery {
            return None;
        }
        let nxt = (self.una + ack.flight).round();
        if !self.is_open {
            (self.end, self.is_open) = (nxt, true);
            return None;
        }
        if self.una.round() <= self.end {
            return None;
        }
        let segments = self.end - self.begin;
        (self.begin, self.end) = (self.end, nxt);
        Some(segments)
    }
}

/// To TCP-Linux the SYN is a packet as any other: nothing larger has as short a round trip.
pub(super) fn include_handshake(samples: &mut DelayRounds, ack: &Ack) {
    samples.base = samples.base.min(ack.min_rtt);
}

#[cfg(test)]
mod tests {
    use farlink_kernel::Duration;

    use super::*;
    use crate::congestion::testing::Bench;

    #[test]
    fn the_handshake_is_a_sample_too() {
        let millis = Duration::from_millis;
        let ack = Ack { rtt: Some(millis(46)), min_rtt: millis(44), ..Bench::new("reno", 10.0).ack() };
        let mut samples = DelayRounds::default();
        samples.on_ack(&ack);
        assert_eq!(samples.base, millis(46));
        Rounds::default().on_ack(&mut samples, &ack);
        assert_eq!(samples.base, millis(44));
    }

    #[test]
    fn the_round_after_a_repair_counts_from_before_the_loss() {
        let ack = Ack { acked: 1.0, flight: 9.0, ..Bench::new("reno", 10.0).ack() };
        let (mut rounds, mut samples) = (Rounds::default(), DelayRounds::default());
        let mut next = |rounds: &mut Rounds, ack: &Ack| rounds.on_ack(&mut samples, ack).map(|r| r.acked);
        let ended: Vec<_> = (0..40).filter_map(|_| next(&mut rounds, &ack)).collect();
        assert_eq!(ended, [10.0, 10.0, 10.0]);
        assert_eq!(next(&mut rounds, &Ack { in_recovery: true, acked: 0.0, ..ack }), None);
        rounds.restart();
        // 40 are acknowledged; the last round began at 30, the next ends when 54 are acknowledged.
        assert_eq!(next(&mut rounds, &Ack { acked: 10.0, flight: 4.0, ..ack }), None);
        let ended: Vec<_> = (0..8).filter_map(|_| next(&mut rounds, &ack)).collect();
        assert_eq!(ended, [54.0 - 30.0]);
    }
}
