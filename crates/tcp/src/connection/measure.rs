//! What an ACK measures: round-trip times, for congestion control and the retransmission timer, and the delivery rate.

use farlink_kernel::{Duration, Instant};

use super::endpoint::Connection;
use super::rtt::Restarted;
use crate::config::RttSamples;
use crate::congestion::{PacketState, RateSample};
use crate::recovery::scoreboard::{Delivery, Untouched};
use crate::segment::Segment;

/// The samples of an ACK.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured {
    pub(super) rtt: Option<Duration>,
    pub(super) rate: Option<RateSample>,
    pub(super) round_start: bool,
    pub(super) one_way: Option<Duration>,
    pub(super) packet: Option<PacketState>,
}

impl Measured {
    /// Where nothing reads the delivery rate.
    pub(super) fn without_rate(rtt: Option<Duration>) -> Self {
        Self { rtt, rate: None, round_start: false, one_way: None, packet: None }
    }
}

impl Connection {
    /// The round-trip sample of this ACK, for congestion control; feeds the retransmission timer as well.
    pub(super) fn measure_rtt(
        &mut self,
        now: Instant,
        segment: &Segment,
        delivery: &Delivery,
        advanced: bool,
    ) -> Option<Duration> {
        // Karn: segments sent once are unambiguous; for others the echoed timestamp decides (RFC 7323).
        let echo = self.age_of_echo(now, segment);
        let echoed = || echo.filter(|_| advanced);
        // ns-2 times every segment apart, also those behind a hole.
        let (oldest_sent, newest_sent) = match self.config.rtt_samples {
            RttSamples::EveryAck | RttSamples::Scaled => (delivery.oldest_sent, delivery.newest_sent),
            RttSamples::OncePerRtt | RttSamples::DuplicatesToo => (
                [delivery.oldest_sent, delivery.oldest_behind_hole].into_iter().flatten().min(),
                delivery.newest_sent.max(delivery.newest_behind_hole),
            ),
        };
        let oldest = oldest_sent.map(|sent| now - sent).or_else(echoed);
        let timed = match self.config.rtt_samples {
            RttSamples::OncePerRtt => self.timed.take(self.snd.una()).map(|sent| now - sent),
            RttSamples::EveryAck | RttSamples::Scaled => oldest.filter(|_| advanced),
            // SACK information may be forgotten, so that the oldest segment an ACK delivers is not the one it answers.
            RttSamples::DuplicatesToo => echo.or_else(|| oldest.filter(|_| advanced)),
        };
        if let Some(sample) = timed {
            self.update_rtt(sample, delivery.acked);
        }
        if let Some(sample) = oldest {
            self.restart_if_awaited(sample);
        }
        let age = |newest: Option<(Instant, u64)>| newest.map(|(sent, _)| now - sent).or_else(echoed);
        if let Some(sample) = age(delivery.newest_sent) {
            self.rtt.observe(sample);
        }
        age(newest_sent)
    }

    /// The same where each segment is acknowledged for the first time, and was sent once.
    #[inline(always)]
    pub(super) fn measure_rtt_of_untouched(
        &mut self,
        now: Instant,
        segment: &Segment,
        sent: &Untouched,
    ) -> Duration {
        let oldest = now - sent.first_sent;
        let timed = match self.config.rtt_samples {
            RttSamples::EveryAck | RttSamples::Scaled => Some(oldest),
            RttSamples::OncePerRtt => self.timed.take(self.snd.una()).map(|sent| now - sent),
            RttSamples::DuplicatesToo => self.age_of_echo(now, segment).or(Some(oldest)),
        };
        if let Some(sample) = timed {
            self.update_rtt(sample, sent.acked);
        }
        self.restart_if_awaited(oldest);
        let newest = now - sent.last_sent;
        self.rtt.observe(newest);
        newest
    }

    /// How long ago the segment was sent that this ACK echoes. An echo from before the frozen time would measure that time.
    fn age_of_echo(&self, now: Instant, segment: &Segment) -> Option<Duration> {
        let timestamps = segment.options.timestamps.filter(|_| self.negotiated.timestamps)?;
        let age = self.clock.age_of_echo(now, timestamps)?;
        (age <= now.saturating_since(self.freeze.resumed_at)).then_some(age)
    }

    /// The delay of the path to the receiver by this ACK's timestamps, where something reads it.
    #[inline(always)]
    pub(super) fn one_way_delay(&self, segment: &Segment) -> Option<Duration> {
        if !self.measures_one_way {
            return None;
        }
        let timestamps = segment.options.timestamps.filter(|_| self.negotiated.timestamps)?;
        self.clock.since_echo(timestamps)
    }

    /// The retransmission timer takes a sample, with `acked` bytes acknowledged.
    #[inline(always)]
    fn update_rtt(&mut self, sample: Duration, acked: u64) {
        let expected = match self.config.rtt_samples {
            RttSamples::Scaled => {
                // What SACK reported gives no sample of its own.
                let board = self.snd.board();
                let flight = board.outstanding() - board.sacked_bytes() + acked;
                self.rtt.expected(flight, self.snd.segment_size())
            }
            _ => 1,
        };
        self.rtt.note_progress(self.snd.una(), self.snd.nxt());
        self.rtt.update(sample, expected);
    }

    /// The estimator, or the window, may wait for a sample of what is sent from some offset on.
    #[inline(always)]
    fn restart_if_awaited(&mut self, sample: Duration) {
        if let Some(restart) = self.rtt_restart
            && self.snd.una() > restart.after
        {
            self.restart(restart.of, sample);
        }
    }

    #[cold]
    fn restart(&mut self, of: Restarted, sample: Duration) {
        self.rtt_restart = None;
        match of {
            Restarted::Estimator { srtt, rttvar } => self.rtt.restart((srtt, rttvar), sample),
            Restarted::Window { srtt } => self.rescale_window(sample, srtt),
        }
    }

    /// The delivery-rate sample of this ACK, where something reads it.
    #[inline(never)]
    pub(super) fn measure_rate(
        &mut self,
        now: Instant,
        delivery: &Delivery,
        rtt: Option<Duration>,
    ) -> Measured {
        let Some(rate) = &mut self.rate else {
            return Measured::without_rate(rtt);
        };
        let measurement = rate.on_ack(now, self.snd.board(), delivery, self.rtt.min());
        let segments = |bytes| self.snd.segments(bytes);
        Measured {
            rtt,
            rate: measurement.rate.map(|sample| sample.in_segments(segments)),
            round_start: measurement.round_start,
            one_way: None,
            packet: measurement.packet.map(|packet| packet.in_segments(segments)),
        }
    }
}
