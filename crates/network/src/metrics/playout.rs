//! [`Playout`]: which packets of a call are heard, from a buffer of fixed length.
//!
//! The receiver holds the packet that arrives first for the length of the buffer. It plays every other one as long before or
//! after it as that was sent before or after it. What arrives later than that is lost to the listener.

use farlink_kernel::Duration;

use super::e_model::{self, Conditions};
use super::numbers::Numbers;
use crate::app::voice::Speech;
use crate::results::Call;

#[derive(Clone, Debug)]
pub struct Playout {
    speech: Speech,
    /// From the sending of a packet to its playout; unknown before the first arrival.
    delay: Option<Duration>,
    late: Numbers,
}

impl Playout {
    pub fn new(speech: Speech) -> Self {
        Self { speech, delay: None, late: Numbers::default() }
    }

    /// A packet arrived for the first time, so long after it was sent.
    pub fn on_arrival(&mut self, number: u64, delay: Duration) {
        let playout = *self.delay.get_or_insert(delay.saturating_add(self.speech.buffer));
        if delay > playout {
            self.late.insert(number);
        }
    }

    /// Of `sent` packets, of which the network lost some.
    pub fn results(&self, sent: u64, is_lost: impl Fn(u64) -> bool) -> Call {
        let mut call = Call { mouth_to_ear: self.mouth_to_ear(), ..Call::default() };
        let (mut missing, mut runs, mut was_missing) = (0_u64, 0_u64, false);
        for number in 0..sent {
            let is_late = self.late.contains(number);
            let is_missing = is_late || is_lost(number);
            call.late += u64::from(is_late);
            missing += u64::from(is_missing);
            runs += u64::from(is_missing && !was_missing);
            was_missing = is_missing;
        }
        call.rating = self.rating(sent, missing, runs);
        call.mos = call.rating.map(e_model::mos);
        call
    }

    fn mouth_to_ear(&self) -> Option<Duration> {
        self.delay.map(|playout| playout.saturating_add(self.speech.coding))
    }

    /// Of `sent` packets so many are missing, in so many runs.
    fn rating(&self, sent: u64, missing: u64, runs: u64) -> Option<f64> {
        let (delay, impairment) = self.mouth_to_ear().zip(self.speech.impairment)?;
        let lost = missing as f64 / sent as f64;
        // Runs of random losses have a mean length of 1 / (1 - lost).
        let burst_ratio = (missing as f64 / runs.max(1) as f64 * (1.0 - lost)).max(1.0);
        Some(e_model::rating(&Conditions { delay, impairment, lost, burst_ratio }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::voice::Impairment;

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    fn speech() -> Speech {
        Speech { coding: ms(20), buffer: ms(60), impairment: Some(Impairment { ie: 0.0, bpl: 25.1 }) }
    }

    #[test]
    fn a_packet_is_late_if_its_delay_exceeds_that_of_the_first_and_the_buffer() {
        let mut playout = Playout::new(speech());
        for (number, delay) in [(1, 30), (0, 90), (2, 91), (3, 10)] {
            playout.on_arrival(number, ms(delay));
        }
        let call = playout.results(4, |_| false);
        assert_eq!((call.late, call.mouth_to_ear), (1, Some(ms(20 + 30 + 60))));
    }

    #[test]
    fn losses_in_runs_impair_more_than_as_many_apart() {
        let mut playout = Playout::new(speech());
        playout.on_arrival(0, ms(10));
        let rating = |is_lost: fn(u64) -> bool| playout.results(1000, is_lost).rating.unwrap();
        let [apart, in_runs] = [rating(|n| n % 100 == 1), rating(|n| (100..110).contains(&n))];
        // One in a hundred: ten runs of 1, whose ratio 0.99 counts as 1; one run of 10, ratio 9.9.
        let of = |burst_ratio| {
            let impairment = Impairment { ie: 0.0, bpl: 25.1 };
            e_model::rating(&Conditions { delay: ms(90), impairment, lost: 0.01, burst_ratio })
        };
        assert_eq!([apart, in_runs], [of(1.0), of(9.9)]);
        assert!(in_runs < apart);
    }

    #[test]
    fn a_call_of_which_nothing_arrived_has_no_rating() {
        let call = Playout::new(speech()).results(10, |_| true);
        assert_eq!(call, Call::default());
    }
}
