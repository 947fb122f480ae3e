//! Round-trip time and retransmission timeout (RFC 6298), and ns-2's integer version of them.

use farlink_kernel::{Duration, Instant};

use super::spread::Spread;
use crate::config::{Config, MinRto};

/// The estimator. Times are in nanoseconds, or in whole ticks scaled as BSD does (`rto_in_ticks`).
#[derive(Clone, Debug)]
pub(super) struct Rtt {
    srtt: Duration,
    rttvar: Duration,
    /// Smallest sample, [`Duration::MAX`] before the first.
    min: Duration,
    latest: Duration,
    samples: u64,
    sum_nanos: u128,
    max: Duration,
    /// Largest sample that the timer took.
    timer_max: Duration,
    /// Exponential backoff: the timeout is multiplied by 2^backoff.
    backoff: u32,
    base: Duration,
    /// What was in flight at the last sample, and how many samples were expected then.
    flight: u64,
    expected: u64,
    /// The timeout in force: the base doubled per expiry, and bounded.
    rto: Duration,
    ticks: Ticks,
    spread: Spread,
    options: Options,
}

#[derive(Clone, Debug)]
struct Options {
    min_rto: Duration,
    min_rto_of: MinRto,
    max_rto: Duration,
    granularity: Duration,
    in_ticks: bool,
    damp_falls: bool,
}

/// The reaction to the first sample of data sent from an offset on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Restart {
    pub(super) after: u64,
    pub(super) of: Restarted,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Restarted {
    /// The estimator, from what it was before a spurious timeout (RFC 4015 step 7).
    Estimator { srtt: Duration, rttvar: Duration },
    /// The window, which was right for a route with this round trip.
    Window { srtt: Duration },
}

/// ns-2's `t_srtt_` (8 times) and `t_rttvar_` (4 times), in ticks.
#[derive(Clone, Copy, Debug, Default)]
struct Ticks {
    srtt: u64,
    rttvar: u64,
}

impl Rtt {
    pub(super) fn new(config: &Config) -> Self {
        Self {
            srtt: Duration::ZERO,
            rttvar: Duration::ZERO,
            min: Duration::MAX,
            latest: Duration::ZERO,
            samples: 0,
            sum_nanos: 0,
            max: Duration::ZERO,
            timer_max: Duration::ZERO,
            backoff: 0,
            flight: 0,
            expected: 1,
            base: config.initial_rto,
            rto: config.initial_rto.min(config.max_rto),
            ticks: Ticks::default(),
            spread: Spread::default(),
            options: Options {
                min_rto: config.min_rto,
                min_rto_of: config.min_rto_of,
                max_rto: config.max_rto,
                granularity: config.clock_granularity,
                in_ticks: config.rto_in_ticks,
                damp_falls: config.damp_rtt_falls,
            },
        }
    }

    pub(super) fn rto(&self) -> Duration {
        self.rto
    }

    /// Zero before the first sample.
    pub(super) fn srtt(&self) -> Duration {
        self.srtt
    }

    pub(super) fn rttvar(&self) -> Duration {
        self.rttvar
    }

    pub(super) fn min(&self) -> Duration {
        self.min
    }

    pub(super) fn latest(&self) -> Duration {
        self.latest
    }

    pub(super) fn backoff(&self) -> u32 {
        self.backoff
    }

    /// The estimate or the backoff changed: the timeout follows.
    fn renew(&mut self) {
        let backed_off = match self.backoff {
            0 => self.base,
            backoff => self.base.saturating_mul(1 << backoff.min(32)),
        };
        self.rto = backed_off.min(self.options.max_rto);
    }

    /// The timer expired (RFC 6298 rule 5.5).
    pub(super) fn back_off(&mut self) {
        self.backoff += 1;
        // ns-2 throws the SRTT away into the variance once the backoff exceeds 8.
        if self.options.in_ticks && self.backoff > 3 && self.ticks.srtt > 0 {
            self.ticks.rttvar += self.ticks.srtt >> 3;
            self.ticks.srtt = 0;
        }
        self.renew();
    }

    pub(super) fn back_off_to(&mut self, backoff: u32) {
        self.backoff = self.backoff.min(backoff);
        self.renew();
    }

    /// RFC 6298 rule 5.7: the SYN's timer expired, so data start from a timeout of 3 s.
    pub(super) fn syn_was_lost(&mut self) {
        self.backoff = 0;
        self.base = self.base.max(Duration::from_secs(3));
        self.renew();
    }

    /// A sample for statistics and congestion control.
    pub(super) fn observe(&mut self, sample: Duration) {
        self.latest = sample;
        self.min = self.min.min(sample);
        self.max = self.max.max(sample);
        self.samples += 1;
        self.sum_nanos += u128::from(sample.as_nanos());
    }

    /// How many samples a round trip gives when so much is in flight: one for every second segment (RFC 7323
    /// appendix G). The flight seldom changes from one ACK to the next, and a division is slow.
    #[inline(always)]
    pub(super) fn expected(&mut self, flight: u64, segment_size: u64) -> u64 {
        if flight != self.flight {
            (self.flight, self.expected) = (flight, flight.div_ceil(2 * segment_size).max(1));
        }
        self.expected
    }

    /// What is acknowledged and what is sent, at the sample that follows.
    #[inline]
    pub(super) fn note_progress(&mut self, una: u64, nxt: u64) {
        self.spread.note_progress(una, nxt);
    }

    /// A sample for the timer; one of `expected` samples per round trip (RFC 7323 appendix G).
    // Once per ACK, and once per connection elsewhere.
    #[inline(always)]
    pub(super) fn update(&mut self, sample: Duration, expected: u64) {
        self.backoff = 0;
        self.timer_max = self.timer_max.max(sample);
        self.base = if self.options.in_ticks {
            self.estimate_in_ticks(sample)
        } else {
            self.estimate(sample, expected)
        };
        self.renew();
    }

    /// RFC 6298 rules 2.2 and 2.3.
    #[inline(always)]
    fn estimate(&mut self, sample: Duration, expected: u64) -> Duration {
        if self.srtt.is_zero() {
            self.srtt = sample;
            self.rttvar = sample / 2;
        } else {
            let mut deviation = self.srtt.abs_diff(sample);
            if self.options.damp_falls && sample < self.srtt && deviation > self.rttvar {
                deviation = self.rttvar + (deviation - self.rttvar) / 8;
            }
            self.rttvar = weigh(self.rttvar, deviation, 4 * expected);
            self.srtt = weigh(self.srtt, sample, 8 * expected);
        }
        let variance = (self.rttvar * 4).max(self.options.granularity);
        match self.options.min_rto_of {
            MinRto::Whole => (self.srtt + variance).max(self.options.min_rto),
            MinRto::Variance => {
                self.spread.update(variance, self.options.min_rto);
                self.srtt + self.spread.value()
            }
        }
    }

    /// RFC 4015 step 7: after a spurious timeout the estimator starts from the longer of what it was and of
    /// the first new sample.
    pub(super) fn restart(&mut self, (srtt, rttvar): (Duration, Duration), sample: Duration) {
        self.srtt = srtt.max(sample);
        self.rttvar = rttvar.max(sample / 2);
        let variance = (self.rttvar * 4).max(self.options.granularity);
        self.base = (self.srtt + variance).max(self.options.min_rto);
        self.backoff = 0;
        self.renew();
    }

    fn estimate_in_ticks(&mut self, sample: Duration) -> Duration {
        let tick = self.options.granularity;
        let rtt = ((sample.as_nanos() + tick.as_nanos() / 2) / tick.as_nanos()).max(1);
        let Ticks { srtt, rttvar } = &mut self.ticks;
        if *srtt == 0 {
            *srtt = rtt << 3;
            *rttvar = rtt << 1;
        } else {
            let delta = rtt.cast_signed() - (*srtt >> 3).cast_signed();
            *srtt = srtt.saturating_add_signed(delta).max(1);
            let mut change = delta.abs() - (*rttvar >> 2).cast_signed();
            if self.options.damp_falls && delta < 0 && change > 0 {
                change >>= 3;
            }
            *rttvar = rttvar.saturating_add_signed(change).max(1);
        }
        self.srtt = tick * *srtt / 8;
        self.rttvar = tick * *rttvar / 4;
        (tick * (((*rttvar << 3) + *srtt) >> 3)).max(self.options.min_rto)
    }

    pub(super) fn timer_max(&self) -> Option<Duration> {
        (!self.timer_max.is_zero()).then_some(self.timer_max)
    }

    pub(super) fn range(&self) -> Option<(Duration, Duration, Duration)> {
        (self.samples > 0).then(|| {
            let mean = Duration::from_nanos((self.sum_nanos / u128::from(self.samples)) as u64);
            (self.min, mean, self.max)
        })
    }
}

/// `old` moved by 1/`parts` of the way to `sample`.
#[inline(always)]
fn weigh(old: Duration, sample: Duration, parts: u64) -> Duration {
    let (old, sample) = (old.as_nanos(), sample.as_nanos());
    Duration::from_nanos(if sample >= old {
        old + (sample - old) / parts
    } else {
        old - (old - sample) / parts
    })
}

/// The segment timed for one sample per round trip (Karn: not a retransmitted one).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Timed {
    /// Acknowledging this offset ends the measurement that began then.
    pending: Option<(u64, Instant)>,
}

impl Timed {
    /// The segment that ends at `end` leaves: it is timed if no other is.
    pub(super) fn begin(&mut self, end: u64, now: Instant) {
        self.pending = self.pending.or(Some((end, now)));
    }

    /// When the segment left, if it is acknowledged by now.
    pub(super) fn take(&mut self, una: u64) -> Option<Instant> {
        self.pending.take_if(|(end, _)| una >= *end).map(|(_, sent)| sent)
    }

    /// What ends at `end` is retransmitted: of what it covers no copy is timed.
    pub(super) fn on_retransmission(&mut self, end: u64) {
        self.pending.take_if(|(timed, _)| *timed >= end);
    }

    pub(super) fn cancel(&mut self) {
        self.pending = None;
    }
}

#[cfg(test)]
mod tests;
