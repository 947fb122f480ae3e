//! [`DelayRounds`]: round-trip samples per round trip, for algorithms that compare the delay of now with the
//! delay of an empty path (Vegas, Veno, Compound).

use farlink_kernel::Duration;

use super::Ack;
use super::machine::{Counting, Machine};

/// The round-trip samples of the round under way, and the smallest ever.
#[derive(Clone, Debug)]
pub struct DelayRounds {
    /// baseRTT: the smallest sample, [`Duration::MAX`] before the first.
    pub base: Duration,
    smallest: Duration,
    samples: u32,
    acked: f64,
    /// Where Linux 2.6.22 runs, its modules' own idea of a round.
    marks: Option<Marks>,
}

/// The round of Linux 2.6.22's modules, in segments since the connection began. It begins and ends with
/// `SND.NXT`, but a repair moves its end only: the round after a repair counts what was sent since the round
/// before the loss began.
#[derive(Clone, Copy, Debug, Default)]
struct Marks {
    una: f64,
    /// `beg_snd_una` and `beg_snd_nxt`.
    begin: f64,
    end: f64,
    is_open: bool,
}

impl Marks {
    /// Takes an ACK in; gives the segments of the round it ended, if any.
    fn on_ack(&mut self, ack: &Ack) -> Option<f64> {
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

/// A round that ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Round {
    /// Smallest sample of the round: the least disturbed by delayed ACKs.
    pub rtt: Duration,
    /// Samples in it.
    pub samples: u32,
    /// Segments acknowledged in it, or sent before it by the modules of Linux 2.6.22.
    pub acked: f64,
}

impl Round {
    /// With two samples at most, both may come from delayed ACKs: no decision then.
    pub fn is_telling(&self) -> bool {
        self.samples > 2
    }
}

impl Default for DelayRounds {
    fn default() -> Self {
        Self { base: Duration::MAX, smallest: Duration::MAX, samples: 0, acked: 0.0, marks: None }
    }
}

impl DelayRounds {
    /// No sample yet, on a machine.
    pub fn on(machine: Machine) -> Self {
        let marks = (machine.counting == Counting::Linux2622).then(Marks::default);
        Self { marks, ..Self::default() }
    }

    /// Takes an ACK in; gives the round it ended, if any.
    pub fn on_ack(&mut self, ack: &Ack) -> Option<Round> {
        if let Some(rtt) = ack.rtt {
            // A path without delay would divide by zero.
            let rtt = rtt.max(Duration::from_nanos(1));
            self.base = self.base.min(rtt);
            self.smallest = self.smallest.min(rtt);
            self.samples += 1;
        }
        if self.marks.is_some() {
            // To TCP-Linux the SYN is a packet as any other: nothing larger has as short a round trip.
            self.base = self.base.min(ack.min_rtt);
        }
        self.acked += ack.acked;
        let acked = match &mut self.marks {
            Some(marks) => marks.on_ack(ack)?,
            None if ack.round_start => self.acked,
            None => return None,
        };
        let round = Round { rtt: self.smallest, samples: self.samples, acked };
        self.clear();
        Some(round)
    }

    /// The round under way is no measure: begin another.
    pub fn restart(&mut self) {
        self.clear();
        if let Some(marks) = &mut self.marks {
            marks.is_open = false;
        }
    }

    fn clear(&mut self) {
        self.smallest = Duration::MAX;
        self.samples = 0;
        self.acked = 0.0;
    }

    /// The path may have changed: forget its delay too.
    pub fn forget(&mut self) {
        self.restart();
        self.base = Duration::MAX;
    }

    /// `segments` baseRTT/RTT: what of a window an empty path would hold, all of it without a sample. The
    /// product comes before the division, so that whole quotients are whole.
    pub fn target(&self, segments: f64, rtt: Duration) -> f64 {
        if self.base == Duration::MAX || rtt <= self.base {
            return segments;
        }
        segments * self.base.as_nanos() as f64 / rtt.as_nanos() as f64
    }

    /// `segments` (RTT - baseRTT)/baseRTT: Linux's measure of what queues hold.
    pub fn excess(&self, segments: f64, rtt: Duration) -> f64 {
        segments * rtt.saturating_sub(self.base).as_nanos() as f64 / self.base.as_nanos() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::congestion::testing::Bench;

    #[test]
    fn a_round_gives_its_smallest_sample_and_begins_anew() {
        let bench = Bench::new("reno", 10.0);
        let mut rounds = DelayRounds::default();
        for millis in [120, 100, 110] {
            let rtt = Some(Duration::from_millis(millis));
            assert_eq!(rounds.on_ack(&Ack { rtt, ..bench.ack() }), None);
        }
        let last = Ack { rtt: None, round_start: true, ..bench.ack() };
        let round = rounds.on_ack(&last).unwrap();
        assert_eq!(round, Round { rtt: Duration::from_millis(100), samples: 3, acked: 4.0 });
        assert!(round.is_telling());
        assert!(!rounds.on_ack(&last).unwrap().is_telling());
        let rtt = Duration::from_millis(125);
        assert_eq!((rounds.target(20.0, rtt), rounds.excess(20.0, rtt)), (16.0, 5.0));
    }

    #[test]
    fn to_tcp_linux_the_handshake_is_a_sample_too() {
        let millis = Duration::from_millis;
        let bench = Bench::new("reno", 10.0);
        let ack = Ack { rtt: Some(millis(46)), min_rtt: millis(44), ..bench.ack() };
        let base = |mut rounds: DelayRounds| {
            rounds.on_ack(&ack);
            rounds.base
        };
        assert_eq!(base(DelayRounds::default()), millis(46));
        assert_eq!(base(DelayRounds::on(Machine::NS2_LINUX)), millis(44));
    }

    #[test]
    fn on_linux_2_6_22_the_round_after_a_repair_counts_from_before_the_loss() {
        let ack = Ack { acked: 1.0, flight: 9.0, ..Bench::new("reno", 10.0).ack() };
        let mut rounds = DelayRounds::on(Machine::NS2_LINUX);
        let mut next = |ack: &Ack| rounds.on_ack(ack).map(|round| round.acked);
        let ended: Vec<_> = (0..40).filter_map(|_| next(&ack)).collect();
        assert_eq!(ended, [10.0, 10.0, 10.0]);
        assert_eq!(next(&Ack { in_recovery: true, acked: 0.0, ..ack }), None);
        rounds.restart();
        let mut next = |ack: &Ack| rounds.on_ack(ack).map(|round| round.acked);
        // 40 are acknowledged; the last round began at 30, the next ends when 54 are acknowledged.
        assert_eq!(next(&Ack { acked: 10.0, flight: 4.0, ..ack }), None);
        let ended: Vec<_> = (0..8).filter_map(|_| next(&ack)).collect();
        assert_eq!(ended, [54.0 - 30.0]);
    }
}
