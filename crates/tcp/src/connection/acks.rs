//! [`Acks`]: when an ACK leaves (RFC 5681 section 4.2), and when one of Linux does (6.18, `tcp_input.c`): quick ACKs, PSH, the
//! adaptive delay, compressed SACKs.
//!
//! Linux: data that nobody waits for are acknowledged by every second segment. The kernel acknowledges earlier what its sender may
//! wait for: the first segments of a connection, and the end of a burst, which has PSH (`tcp_measure_rcv_mss`). It
//! acknowledges later what only repeats: behind a hole, after three ACKs, one per millisecond.

use farlink_kernel::{Duration, Instant};

use crate::config::{Config, DelayedAck};
use crate::segment::{Flags, Segment};

/// Most ACKs sent without delay, for the peer's slow start (`TCP_MAX_QUICKACKS`).
const QUICK_ACKS: u32 = 16;
/// Bounds of the delay (`TCP_ATO_MIN`, `TCP_DELACK_MAX`).
const LEAST_DELAY: Duration = Duration::from_millis(40);
const MOST_DELAY: Duration = Duration::from_millis(200);
/// The peer's segment before one arrived (`TCP_MSS_DEFAULT`).
const FIRST_SEGMENT: u32 = 536;
/// Runs that an ACK reports for certain, as ACKs may be lost (`TCP_SACK_BLOCKS_EXPECTED`).
const RUNS_PER_ACK: usize = 2;
/// ACKs of a hole before they are compressed, which the peer may count (`TCP_FASTRETRANS_THRESH`).
const UNCOMPRESSED: u32 = 3;
/// `tcp_comp_sack_nr`, `tcp_comp_sack_delay_ns`, the share of a round trip that bounds it, and `tcp_comp_sack_slack_ns`.
const MOST_COMPRESSED: u32 = 44;
const COMPRESSION: Duration = Duration::from_millis(1);
const ROUND_TRIPS_PER_COMPRESSION: u64 = 20;
const SLACK: Duration = Duration::from_micros(100);

#[derive(Clone, Debug)]
pub(super) struct Acks {
    rule: DelayedAck,
    /// Segments received since the last ACK, and CE marks (RFC 9768).
    unacknowledged: u32,
    marks: u32,
    is_due: bool,
    /// When the ACK that waits has waited long enough.
    deadline: Instant,
    /// ACKs that are not delayed yet (`icsk_ack.quick`).
    quick: u32,
    /// An answer will take the ACK along, so that none is quick (`icsk_ack.pingpong`).
    is_interactive: bool,
    /// The delay, zero before the first data (`icsk_ack.ato`), and when data came last.
    delay: Duration,
    last_data: Instant,
    /// A segment that ends a burst or is not full waits for its ACK (`ICSK_ACK_PUSHED`).
    pushed: bool,
    /// The peer's full segment (`rcv_mss`) and the last one that was smaller.
    segment: u32,
    smaller: u32,
    /// The handshake's round trip, and the timeout after it.
    srtt: Duration,
    rto: Duration,
    compresses: bool,
    /// ACKs sent for the hole at this offset, and those held back by the timer.
    hole: u64,
    repeated: u32,
    compressed: u32,
    /// The last ACK went because there were too many runs to hold it back.
    reports: bool,
}

impl Acks {
    pub(super) fn new(config: &Config) -> Self {
        Self {
            rule: config.delayed_ack,
            unacknowledged: 0,
            marks: 0,
            is_due: false,
            deadline: Instant::NEVER,
            quick: 0,
            is_interactive: false,
            delay: Duration::ZERO,
            last_data: Instant::ZERO,
            pushed: false,
            segment: FIRST_SEGMENT,
            smaller: 0,
            srtt: Duration::ZERO,
            rto: config.initial_rto,
            compresses: config.sack_compression,
            hole: 0,
            repeated: 0,
            compressed: 0,
            reports: false,
        }
    }

    /// True when an ACK is to be sent now.
    pub(super) fn is_due(&self) -> bool {
        self.is_due
    }

    /// When one will be, [`Instant::NEVER`] if none waits.
    pub(super) fn deadline(&self) -> Instant {
        self.deadline
    }

    /// An ACK is to be sent at once.
    pub(super) fn set_due(&mut self) {
        self.is_due = true;
    }

    /// An ACK left.
    pub(super) fn on_sent(&mut self) {
        (self.is_due, self.deadline) = (false, Instant::NEVER);
        (self.unacknowledged, self.marks) = (0, 0);
    }

    /// A packet with a CE mark arrived: `most` are acknowledged at once (RFC 9768 section 3.2.2.5.1).
    pub(super) fn on_mark(&mut self, most: u32) {
        self.marks += 1;
        self.is_due |= self.marks >= most;
    }

    /// The handshake is complete.
    pub(super) fn know(&mut self, srtt: Duration, rto: Duration, uses_sack: bool) {
        (self.srtt, self.rto) = (srtt, rto);
        self.compresses &= uses_sack;
    }

    /// Data go with the handshake's ACK: the connection is interactive (`inet_csk_enter_pingpong_mode`).
    pub(super) fn stop_quick(&mut self) {
        self.is_interactive = true;
    }

    /// The window opened further, which the peer is to know at once (`tcp_grow_window`).
    pub(super) fn on_window_opened(&mut self) {
        if self.rule == DelayedAck::Linux {
            // The kernel sets the lowest bit: with an even number an ACK more.
            self.quick |= 1;
        }
    }

    /// Data arrived that were there before: the peer may be in trouble (`tcp_enter_quickack_mode`).
    #[cold]
    pub(super) fn on_old_data(&mut self, window: u64) {
        if self.rule == DelayedAck::Linux {
            self.is_interactive = false;
            self.be_quick(window);
            self.delay = LEAST_DELAY;
            self.take_quick();
        }
    }

    /// The next data in order, with `unacknowledged` bytes since the last ACK, read at once if `is_read`. They are
    /// acknowledged at once as the second segment, and where they fill a gap or are the last (`is_urgent`).
    // Its one caller is the way of every segment.
    #[inline(always)]
    pub(super) fn on_in_order(
        &mut self,
        now: Instant,
        segment: &Segment,
        (unacknowledged, window): (u64, u64),
        is_read: bool,
        is_urgent: bool,
    ) {
        self.unacknowledged += 1;
        let is_due = match self.rule {
            DelayedAck::Off => true,
            DelayedAck::Rfc | DelayedAck::Ns2 => self.unacknowledged >= 2,
            DelayedAck::Linux => self.is_due_in_linux(now, segment, (unacknowledged, window), is_read),
        };
        if is_due || is_urgent {
            self.is_due = true;
            return;
        }
        let wait = match self.rule {
            DelayedAck::Off => Duration::ZERO,
            DelayedAck::Rfc => Duration::from_millis(200),
            DelayedAck::Ns2 => Duration::from_millis(100),
            DelayedAck::Linux => self.delay(),
        };
        self.deadline = self.deadline.min(now + wait);
    }

    // What other receivers do stays small.
    #[inline(never)]
    fn is_due_in_linux(
        &mut self,
        now: Instant,
        segment: &Segment,
        (unacknowledged, window): (u64, u64),
        is_read: bool,
    ) -> bool {
        self.measure(segment);
        self.adapt(now, window);
        let is_due =
            self.take_quick() || unacknowledged > u64::from(self.segment) || (is_read && self.take_pushed());
        self.pushed &= !is_due;
        is_due
    }

    /// How long what was not due waits for more data (`tcp_send_delayed_ack`).
    fn delay(&self) -> Duration {
        let path = self.srtt.max(LEAST_DELAY);
        self.delay.min(if self.srtt.is_zero() { MOST_DELAY } else { path }).min(MOST_DELAY)
    }

    /// The deadline passed: the delay was too short (`tcp_delack_timer_handler`).
    #[cold]
    pub(super) fn on_deadline(&mut self) {
        (self.is_due, self.deadline) = (true, Instant::NEVER);
        if self.compressed == 0 {
            self.delay = (self.delay * 2).min(self.rto);
        }
        self.compressed = 0;
        self.pushed = false;
    }

    /// The reader took all there was.
    pub(super) fn on_all_read(&mut self) {
        if self.deadline != Instant::NEVER {
            self.is_due |= self.take_pushed();
        }
    }

    /// What is read and was pushed is acknowledged, unless an answer follows (`tcp_cleanup_rbuf`).
    fn take_pushed(&mut self) -> bool {
        !self.is_interactive && std::mem::take(&mut self.pushed)
    }

    /// True when ACKs of a hole may wait.
    pub(super) fn compresses(&self) -> bool {
        self.compresses
    }

    /// Data arrived beyond the hole at `nxt`: acknowledged at once, or compressed. `before`: runs that their ACK reports
    /// before theirs.
    pub(super) fn on_out_of_order(&mut self, now: Instant, nxt: u64, before: usize) {
        match self.compress(nxt, before) {
            None => self.is_due = true,
            Some(delay) => self.deadline = self.deadline.min(now + delay),
        }
    }

    /// How long the ACK waits, `None` when it goes at once.
    #[inline(never)]
    fn compress(&mut self, nxt: u64, before: usize) -> Option<Duration> {
        if self.take_quick() || !self.compresses {
            return None;
        }
        let is_waiting = self.deadline != Instant::NEVER;
        let follows = is_waiting | std::mem::take(&mut self.reports);
        if self.hole != nxt {
            (self.hole, self.repeated) = (nxt, 0);
        }
        if !is_waiting {
            self.compressed = 0;
        }
        if self.repeated < UNCOMPRESSED {
            self.repeated += 1;
            return None;
        }
        // What waits has runs that one ACK more would no longer report (`tcp_sack_new_ofo_skb`).
        self.reports = follows && before >= RUNS_PER_ACK;
        if self.reports || self.compressed >= MOST_COMPRESSED {
            return None;
        }
        self.compressed += 1;
        Some(COMPRESSION.min(self.srtt / ROUND_TRIPS_PER_COMPRESSION) + SLACK)
    }

    /// `tcp_measure_rcv_mss`: two smaller ones of equal length in a row are full, too.
    fn measure(&mut self, segment: &Segment) {
        let len = segment.len;
        if len >= self.segment {
            (self.segment, self.smaller) = (len, 0);
            self.pushed |= segment.flags.has(Flags::PSH);
        } else if len == self.smaller && len >= FIRST_SEGMENT {
            self.segment = len;
        } else {
            self.smaller = len;
            self.pushed = true;
        }
    }

    /// `tcp_event_data_recv`: the delay follows the gaps between arrivals.
    fn adapt(&mut self, now: Instant, window: u64) {
        let gap = now.saturating_since(self.last_data);
        self.last_data = now;
        if self.delay.is_zero() {
            self.be_quick(window);
            self.delay = LEAST_DELAY;
        } else if gap <= LEAST_DELAY / 2 {
            self.delay = self.delay / 2 + LEAST_DELAY / 2;
        } else if gap < self.delay {
            self.delay = (self.delay / 2 + gap).min(self.rto).min(MOST_DELAY);
        } else if gap > self.rto {
            self.be_quick(window);
        }
    }

    /// `tcp_incr_quickack`: ACKs of half a window.
    fn be_quick(&mut self, window: u64) {
        let segments = window / (2 * u64::from(self.segment));
        let quick = if segments == 0 { 2 } else { segments.min(u64::from(QUICK_ACKS)) as u32 };
        self.quick = self.quick.max(quick);
    }

    fn take_quick(&mut self) -> bool {
        if self.quick == 0 || self.is_interactive {
            return false;
        }
        self.quick -= 1;
        if self.quick == 0 {
            self.delay = LEAST_DELAY;
        }
        true
    }
}
