//! The sending half: the variables of RFC 9293 section 3.3.1, what bounds them, and what is due.

use std::collections::VecDeque;

use farlink_kernel::{Duration, Instant};

use super::accounts::Cause;
use super::cwr::Cwr;
use super::send_buffer::SendBuffer;
use crate::config::{Config, MaxWindowOf};
use crate::recovery::scoreboard::Scoreboard;
use crate::seq::SeqNumber;

/// The sending half, in own sequence-space offsets.
#[derive(Debug)]
pub(super) struct Sender {
    pub(super) iss: SeqNumber,
    /// `SND.UNA` and `SND.NXT`.
    pub(super) una: u64,
    pub(super) nxt: u64,
    pub(super) board: Scoreboard,
    /// Right edge of the peer's window, the window itself, and the segment it came with (`SND.WL1`, `SND.WL2`).
    pub(super) edge: u64,
    pub(super) wnd: u64,
    pub(super) wl1: u64,
    pub(super) wl2: u64,
    /// The largest window the peer ever offered (`MAX.SND.WND` of RFC 5961).
    pub(super) largest_wnd: u64,
    /// One past the last byte written.
    pub(super) written: u64,
    /// What [`end`](Self::end) gives, which every segment asks for several times.
    pub(super) end: u64,
    /// There are bursts, records or a send buffer: what other senders do stays small.
    pub(super) is_shaped: bool,
    /// Ends of records that are not acknowledged, ascending.
    pub(super) records: VecDeque<u64>,
    pub(super) closing: bool,
    /// Full segment in bytes and its inverse.
    pub(super) segment_size: u64,
    pub(super) per_byte: f64,
    /// The user's clamp in bytes, on what is not acknowledged.
    pub(super) max_window: u64,
    /// The same on what is in flight; one of the two is infinite.
    pub(super) max_in_flight: u64,
    pub(super) initial_window: f64,
    /// When something was last sent, for idle restart.
    pub(super) last_sent: Instant,
    /// A retransmission goes out whatever the window says: the first of an episode, or after a partial ACK.
    pub(super) must_retransmit: bool,
    /// Bytes that counted against the window after the last input or transmission.
    pub(super) in_flight: u64,
    /// Most that was in flight since the offset before this one was sent (Linux).
    pub(super) fullest: (u64, u64),
    /// Bytes that may still be sent, if known since the last input.
    pub(super) room: Option<u64>,
    pub(super) tail_probe_due: bool,
    /// ECN: CWR is due, and no further reduction before this offset is acknowledged.
    pub(super) cwr_due: bool,
    pub(super) ecn_recover: u64,
    pub(super) cwr: Option<Cwr>,
    pub(super) probe_due: bool,
    /// When pacing lets the next segment go.
    pub(super) pace_next: Instant,
    /// How late the burst under way left, as far as it did not shorten the pause after it.
    pub(super) pace_credit: Duration,
    pub(super) burst: Burst,
    pub(super) buffer: Option<SendBuffer>,
    pub(super) blocked: Cause,
    /// What limits where all that was written is sent: the application, or a buffer that has room for no more.
    pub(super) out_of_data: Cause,
    /// How often the SYN timed out, and after how many retransmissions it is given up.
    pub(super) syn_losses: u32,
    pub(super) syn_retries: u32,
}

/// The burst under way ([`burst`](super::burst)).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Burst {
    /// Segments that it still has.
    pub(super) left: u64,
    pub(super) began: Instant,
    /// None of its segments was taken yet.
    pub(super) begins: bool,
    /// It has more than one segment.
    pub(super) has_many: bool,
    /// The segment just taken is its last.
    pub(super) ends: bool,
}

impl Sender {
    pub(super) fn new(config: &Config, iss: SeqNumber, controls_recovery: bool) -> Self {
        let segment_size = config.segment_size.0;
        let most = config.max_window.map_or(u64::MAX, |most| most.bytes(config.segment_size));
        let (max_window, max_in_flight) = match config.max_window_of {
            MaxWindowOf::Unacknowledged => (most, u64::MAX),
            MaxWindowOf::InFlight => (u64::MAX, most),
        };
        Self {
            iss,
            una: 0,
            nxt: 0,
            board: Scoreboard::new(segment_size),
            // The SYN needs no window.
            edge: 1,
            wnd: 0,
            wl1: 0,
            wl2: 0,
            largest_wnd: 0,
            written: 0,
            end: 1,
            is_shaped: config.segmentation_offload || config.send_buffer.is_some(),
            records: VecDeque::new(),
            closing: false,
            segment_size,
            per_byte: 1.0 / segment_size as f64,
            max_window,
            max_in_flight,
            initial_window: config.initial_window.segments(config.segment_size),
            last_sent: Instant::ZERO,
            must_retransmit: false,
            in_flight: 0,
            fullest: (0, 0),
            room: None,
            tail_probe_due: false,
            cwr_due: false,
            ecn_recover: 0,
            cwr: None,
            probe_due: false,
            pace_next: Instant::ZERO,
            pace_credit: Duration::ZERO,
            burst: Burst::default(),
            buffer: SendBuffer::new(config, controls_recovery),
            blocked: Cause::Handshake,
            out_of_data: Cause::Application,
            syn_losses: 0,
            syn_retries: u32::MAX,
        }
    }

    /// The pause after a segment that takes `time` at the pacing rate: what leaves late lets the next leave earlier, by half
    /// of its time at most (`tcp_update_skb_after_send`).
    pub(super) fn shorten_pause(&mut self, now: Instant, time: Duration) -> Duration {
        let is_continued = self.pace_next > now;
        let credit = if is_continued { self.pace_credit } else { now.saturating_since(self.pace_next) };
        let used = credit.min(time / 2);
        self.pace_credit = credit - used;
        time - used
    }

    /// True when the segment that ends at `end` is the last of a record or of the burst under way.
    #[inline(never)]
    pub(super) fn ends_record_or_burst(&mut self, end: u64) -> bool {
        std::mem::take(&mut self.burst.ends) | self.records.contains(&end)
    }

    /// One past the last offset there is to send, FIN included.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    /// The application wrote so many bytes more.
    pub(super) fn write(&mut self, bytes: u64) {
        self.written = self.written.saturating_add(bytes);
        self.set_end();
    }

    /// The application writes no more: FIN follows.
    pub(super) fn close(&mut self) {
        self.closing = true;
        self.set_end();
    }

    fn set_end(&mut self) {
        self.end = 1 + self.written + u64::from(self.closing);
    }

    /// Of `len` new bytes, those that end with the record they begin in.
    #[cold]
    pub(super) fn up_to_record(&mut self, len: u64) -> u64 {
        while self.records.front().is_some_and(|end| *end <= self.una) {
            self.records.pop_front();
        }
        let end = self.records.iter().find(|&&end| end > self.nxt);
        end.map_or(len, |end| len.min(end - self.nxt))
    }

    /// FIN goes with the last data (RFC 9293 section 3.10.4), a full segment of them too if the windows have room.
    #[inline(always)]
    pub(super) fn with_fin(&self, len: u64, room: u64) -> u64 {
        if self.closing { self.with_fin_if_last(len, room) } else { len }
    }

    #[cold]
    fn with_fin_if_last(&self, len: u64, room: u64) -> u64 {
        let end = self.nxt + len + 1;
        let edge = self.edge.min(self.una.saturating_add(self.max_window));
        let goes_with_it = len == self.segment_size && end == self.end() && len < room && end <= edge;
        len + u64::from(goes_with_it)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_burst_shortens_its_pause_by_half_at_most() {
        let ms = Duration::from_millis;
        let mut sender = Sender::new(&Config::default(), SeqNumber(0), false);
        let start = Instant::ZERO + ms(100);
        // Of four segments of 10 ms, late by these milliseconds.
        for (late, expected) in [(0, 40), (3, 37), (15, 25), (20, 20), (500, 20)] {
            sender.pace_next = start;
            let now = start + ms(late);
            for _ in 0..4 {
                let pause = sender.shorten_pause(now, ms(10));
                sender.pace_next = sender.pace_next.max(now) + pause;
            }
            assert_eq!(sender.pace_next - now, ms(expected), "{late}");
        }
    }
}
