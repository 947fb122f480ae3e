//! Bursts: new data leave as packets of several segments, which the network card cuts (TSO).
//!
//! Linux 6.18: a burst has what its rate sends in a millisecond (`tcp_tso_autosize`), half of the window at most
//! (`tcp_cwnd_test`). One that the window cuts short waits for the next ACK if that is near (`tcp_tso_should_defer`). The
//! last segment of a burst has PSH (`__tcp_transmit_skb`), which the kernel's receivers acknowledge at once.

use farlink_kernel::{BitRate, Duration, Instant};

use super::accounts::Cause;
use super::burst::Burst;
use super::endpoint::Connection;
use crate::congestion::EcnResponse;
use crate::recovery::Phase;

/// The time whose data a burst holds (`sk_pacing_shift`), per second.
const BURSTS_PER_SECOND: f64 = 1024.0;
/// That of an L4S sender, whose bursts an L4S queue marks (`prague_burst_shift`; RFC 9331 section 4.3).
const L4S_BURSTS_PER_SECOND: f64 = 4096.0;
/// A path with a round trip below a power of two times 512 us has longer bursts (`tcp_tso_rtt_log`), up to this.
const LARGEST_BURST: u64 = 64 << 10;
const MICROSECONDS_PER_HALVING: u64 = 512;
/// `tcp_min_tso_segs`, and the rate below which BBR sends segments one by one (`bbr_min_tso_rate`).
const LEAST_SEGMENTS: u64 = 2;
const SLOW: BitRate = BitRate::from_bps(1_200_000);
/// A burst of so large a part of the window goes (`tcp_tso_win_divisor`).
const WINDOWS_PER_BURST: u64 = 3;
/// Waiting is for senders that sent lately, and for ACKs that come soon.
const SOON: Duration = Duration::from_millis(1);
/// `tcp_pacing_ss_ratio`, `tcp_pacing_ca_ratio`: what a sender without a rate of its own is taken to send at.
const SLOW_START_RATIO: f64 = 2.0;
const AVOIDANCE_RATIO: f64 = 1.2;

impl Connection {
    /// True when the next new segment may go: it belongs to the burst under way, or another begins.
    // What other senders do stays small.
    #[inline(never)]
    pub(super) fn fits_in_burst(&mut self, now: Instant, room: u64) -> bool {
        self.burst.continues(now) || self.begin_burst(now, room)
    }

    /// A new segment, whose first byte is at `start`, was taken from it, or is a probe and belongs to none.
    #[inline(never)]
    pub(super) fn shorten_burst(&mut self, start: u64) {
        if self.burst.take()
            && let Some(buffer) = &mut self.send_buffer
        {
            buffer.send_packet(start);
        }
    }

    /// True when the segment that ends at `end` is the last of a record or of the burst under way.
    #[inline(never)]
    pub(super) fn ends_record_or_burst(&mut self, end: u64) -> bool {
        self.burst.take_end() | self.snd.ends_record(end)
    }

    fn begin_burst(&mut self, now: Instant, room: u64) -> bool {
        if !self.pacing_allows(now) {
            return false;
        }
        if self.snd.idle_time(now).is_zero() {
            // After a burst the kernel looks for room in the buffer, too (`tcp_event_new_data_sent`).
            self.expand_send_buffer(self.snd.end());
        }
        let snd = &self.snd;
        let most = self.burst_segments();
        let segment = snd.segment_size();
        let available = snd.unsent().div_ceil(segment);
        let window = snd.edge().saturating_sub(snd.nxt()) / segment;
        let limit = (room / segment).min(window);
        if limit < most && available > 1 && self.defers(now, limit) {
            // The window limits the sender all the same (`tcp_cwnd_validate`), but is not full.
            self.accounts.block(Cause::CongestionWindow);
            self.snd.note_full(self.cwnd_bytes());
            self.expand_send_buffer(self.snd.end());
            return false;
        }
        let half = (self.cwnd_bytes() / segment / 2).max(1);
        self.burst = Burst::begin(now, most.min(half).min(limit).min(available).max(1));
        true
    }

    /// Segments of a full burst.
    pub(super) fn burst_segments(&self) -> u64 {
        let segment = self.snd.segment_size();
        let per_burst = match self.window.pacing_rate {
            Some(rate) if self.ecn_response == EcnResponse::L4s => {
                let bytes = rate.as_bps() as f64 / 8.0 / L4S_BURSTS_PER_SECOND;
                return (bytes as u64 / segment).max(1);
            }
            Some(rate) => rate.as_bps() as f64 / 8.0,
            None if self.rtt.srtt().is_zero() => return LARGEST_BURST / segment,
            None => {
                let is_early = self.window.cwnd < self.window.ssthresh / 2.0;
                let ratio = if is_early { SLOW_START_RATIO } else { AVOIDANCE_RATIO };
                let window = (self.cwnd_bytes().max(self.snd.board().outstanding())) as f64;
                ratio * window / self.rtt.srtt().as_secs_f64()
            }
        } / BURSTS_PER_SECOND;
        let halvings = self.rtt.min().as_nanos() / 1000 / MICROSECONDS_PER_HALVING;
        let short_path = LARGEST_BURST.checked_shr(halvings.min(64) as u32).unwrap_or(0);
        let least = if self.window.pacing_rate.is_some_and(|rate| rate < SLOW) { 1 } else { LEAST_SEGMENTS };
        let bytes = (per_burst as u64).saturating_add(short_path).min(LARGEST_BURST);
        (bytes / segment).max(least)
    }

    /// True when a burst for which `limit` segments have room waits for the next ACK.
    fn defers(&self, now: Instant, limit: u64) -> bool {
        let snd = &self.snd;
        // On a host more than the very millisecond has passed when the next input is taken in.
        if self.phase != Phase::Open || snd.idle_time(now) >= SOON {
            return false;
        }
        let chunk = snd.window().size().min(self.cwnd_bytes()) / WINDOWS_PER_BURST;
        let Some(first) = snd.board().first() else { return false };
        let next_ack = first.last_sent.saturating_add(self.rtt.srtt());
        limit * snd.segment_size() < chunk && next_ack.saturating_since(now) <= SOON.min(self.rtt.srtt() / 2)
    }
}
