//! A receiver that is easy to believe in, and that may do what a real one rarely does: forget what it
//! reported by SACK, take back window it offered, acknowledge when it likes.

use std::collections::VecDeque;

use farlink_kernel::random::Stream;
use farlink_kernel::{Duration, Instant};
use farlink_tcp::segment::{SackBlocks, Timestamps};
use farlink_tcp::{Ecn, Flags, Segment, SeqNumber};

use super::circumstances::{initial_number, once_in, one_of};

/// The receiver.
#[derive(Debug)]
pub(super) struct Receiver {
    isn: SeqNumber,
    /// The sender's initial number, once its SYN came.
    irs: SeqNumber,
    /// The next offset expected; 0 before the SYN.
    pub(super) nxt: u64,
    /// What came out of order, ascending and disjoint.
    runs: Vec<(u64, u64)>,
    latest: u64,
    fin_end: Option<u64>,
    /// What it offers, in bytes, and the shift of the field.
    window: u64,
    shift: u8,
    offers_sack: bool,
    offers_timestamps: bool,
    sack: bool,
    timestamps: bool,
    ts_recent: u32,
    ts_base: u32,
    ecn: bool,
    echo_congestion: bool,
    /// Segments in order that one ACK answers.
    ack_every: u32,
    unanswered: u32,
    duplicate: Option<(u64, u64)>,
    due: VecDeque<Segment>,
}

impl Receiver {
    pub(super) fn new(rng: &mut Stream) -> Self {
        Self {
            isn: initial_number(rng),
            irs: SeqNumber(0),
            nxt: 0,
            runs: Vec::new(),
            latest: 0,
            fin_end: None,
            window: one_of(rng, &[3_000, 20_000, 65_535, 1 << 24]),
            shift: one_of(rng, &[0, 0, 3, 14]),
            offers_sack: !once_in(rng, 8),
            offers_timestamps: !once_in(rng, 4),
            sack: false,
            timestamps: false,
            ts_recent: 0,
            ts_base: rng.bits() as u32,
            ecn: false,
            echo_congestion: false,
            ack_every: 1 + rng.below(2) as u32,
            unanswered: 0,
            duplicate: None,
            due: VecDeque::new(),
        }
    }

    /// From now on it behaves: a window for everything, every segment acknowledged.
    pub(super) fn behave(&mut self, now: Instant) {
        self.ack_every = 1;
        self.offer(now, 1 << 24);
    }

    /// Forgets what came out of order, as RFC 2018 section 8 allows.
    pub(super) fn renege(&mut self) {
        self.runs.clear();
    }

    /// Offers another window, larger or smaller, and says so.
    pub(super) fn offer(&mut self, now: Instant, window: u64) {
        self.window = window;
        self.acknowledge(now);
    }

    /// The next answer.
    pub(super) fn poll(&mut self) -> Option<Segment> {
        self.due.pop_front()
    }

    pub(super) fn on_segment(&mut self, now: Instant, segment: &Segment, ecn: Ecn) {
        if segment.flags.has(Flags::SYN) {
            return self.on_syn(now, segment);
        }
        let Some(start) = segment.seq.to_offset(self.irs, self.nxt) else { return };
        self.take_marks(segment, ecn);
        if let Some(timestamps) = segment.options.timestamps
            && start <= self.nxt
        {
            self.ts_recent = timestamps.value;
        }
        let end = start + segment.seq_len();
        let right = end.min(self.nxt + self.window);
        let was = self.nxt;
        if right > start && segment.seq_len() > 0 {
            self.take(start, right);
            if segment.flags.has(Flags::FIN) && right == end {
                self.fin_end = Some(end);
            }
        }
        self.unanswered += u32::from(self.nxt > was);
        let is_probe = segment.seq_len() == 0 && start < self.nxt;
        let is_odd = segment.seq_len() > 0 && (self.nxt == was || !self.runs.is_empty());
        if is_probe || is_odd || self.unanswered >= self.ack_every || self.fin_end == Some(self.nxt) {
            self.acknowledge(now);
        }
    }

    fn on_syn(&mut self, now: Instant, segment: &Segment) {
        let options = &segment.options;
        (self.irs, self.nxt) = (segment.seq, self.nxt.max(1));
        self.sack = self.offers_sack && options.sack_permitted;
        self.timestamps = self.offers_timestamps && options.timestamps.is_some();
        if options.window_scale.is_none() {
            self.shift = 0;
        }
        self.ecn = segment.flags.has(Flags::ECE | Flags::CWR);
        self.ts_recent = options.timestamps.map_or(0, |timestamps| timestamps.value);
        let mut answer = self.answer(now);
        answer.seq = self.isn;
        answer.flags = Flags::SYN | Flags::ACK;
        if self.ecn {
            answer.flags |= Flags::ECE;
        }
        answer.window = self.window.min(65_535) as u16;
        answer.options.sack = SackBlocks::default();
        answer.options.mss = options.mss;
        answer.options.sack_permitted = self.sack;
        answer.options.window_scale = options.window_scale.map(|_| self.shift);
        self.due.push_back(answer);
    }

    fn take_marks(&mut self, segment: &Segment, ecn: Ecn) {
        if segment.flags.has(Flags::CWR) {
            self.echo_congestion = false;
        }
        self.echo_congestion |= self.ecn && ecn == Ecn::Experienced;
    }

    /// `start..right` of the sequence space arrived.
    fn take(&mut self, start: u64, right: u64) {
        let is_held = self.runs.iter().any(|&(left, end)| left <= start && right <= end);
        if right <= self.nxt || is_held {
            self.duplicate = Some((start, right));
            return;
        }
        self.latest = start;
        self.runs.push((start.max(self.nxt), right));
        self.runs.sort_unstable();
        let mut merged: Vec<(u64, u64)> = Vec::new();
        for &(left, end) in &self.runs {
            match merged.last_mut() {
                Some(last) if left <= last.1 => last.1 = last.1.max(end),
                _ => merged.push((left, end)),
            }
        }
        self.runs = merged;
        while let Some(&(left, end)) = self.runs.first()
            && left <= self.nxt
        {
            self.nxt = self.nxt.max(end);
            self.runs.remove(0);
        }
    }

    /// Acknowledges what came, whether that is due or not.
    pub(super) fn acknowledge(&mut self, now: Instant) {
        if self.nxt > 0 {
            let answer = self.answer(now);
            self.due.push_back(answer);
        }
    }

    fn answer(&mut self, now: Instant) -> Segment {
        self.unanswered = 0;
        let mut segment = Segment {
            seq: SeqNumber(self.isn.0.wrapping_add(1)),
            ack: SeqNumber::from_offset(self.irs, self.nxt),
            flags: Flags::ACK,
            window: (self.window >> self.shift).min(65_535) as u16,
            ..Segment::default()
        };
        if self.echo_congestion {
            segment.flags |= Flags::ECE;
        }
        if self.timestamps {
            let millis = now.saturating_since(Instant::ZERO).as_nanos() / Duration::from_millis(1).as_nanos();
            let value = self.ts_base.wrapping_add(millis as u32);
            segment.options.timestamps = Some(Timestamps { value, echo: self.ts_recent });
        }
        if self.sack {
            segment.options.sack = self.blocks();
        }
        segment
    }

    /// The duplicate first, then the run of the latest segment, then the others (RFC 2018, RFC 2883).
    fn blocks(&mut self) -> SackBlocks {
        let (latest, others): (Vec<_>, Vec<_>) =
            self.runs.iter().copied().partition(|&(left, end)| left <= self.latest && self.latest < end);
        let mut blocks = SackBlocks::default();
        let room = if self.timestamps { 3 } else { 4 };
        for (left, right) in self.duplicate.take().into_iter().chain(latest).chain(others).take(room) {
            blocks.push(SeqNumber::from_offset(self.irs, left), SeqNumber::from_offset(self.irs, right));
        }
        blocks
    }
}
