//! The event queue: pending events in a total order.
//!
//! Events are ordered by (time, phase, target, insertion). The last three are packed into one 64-bit
//! [`Order`], so that an entry is 32 bytes and a comparison two integers. Time never decreases: asserted
//! on push and on pop. The earliest events are in a short sorted row, the others in a binary heap: a run over links
//! has few pending events and pushes most of them among the earliest, where an insertion into the row costs less than
//! one into a heap.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::time::{Duration, Instant};

/// The kind of an event. At one instant the phases happen in this order (docs/architecture.md, order): every
/// station senses before any station sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Phase {
    /// A transmission ends.
    SignalEnd,
    /// A transmission begins.
    SignalStart,
    /// A timer expires.
    Timer,
    /// A slot begins: decisions.
    SlotDecide,
    /// A slot begins: transmissions.
    SlotTransmit,
    /// An application acts.
    Application,
    /// The state is sampled.
    Sample,
}

/// Phase (3 bits), target (21 bits) and insertion (40 bits): the order of events at one instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Order(u64);

const TARGET_BITS: u32 = 21;
const INSERTION_BITS: u32 = 40;

impl Order {
    #[inline(always)]
    fn new(phase: Phase, target: u32, insertion: u64) -> Self {
        assert!(target < 1 << TARGET_BITS, "a target does not fit {TARGET_BITS} bits");
        assert!(insertion < 1 << INSERTION_BITS, "more than 2^40 events in one run");
        Self(
            (phase as u64) << (TARGET_BITS + INSERTION_BITS)
                | u64::from(target) << INSERTION_BITS
                | insertion,
        )
    }

    /// The phase the event was pushed for.
    fn phase(self) -> Phase {
        const PHASES: [Phase; 7] = [
            Phase::SignalEnd,
            Phase::SignalStart,
            Phase::Timer,
            Phase::SlotDecide,
            Phase::SlotTransmit,
            Phase::Application,
            Phase::Sample,
        ];
        PHASES[(self.0 >> (TARGET_BITS + INSERTION_BITS)) as usize]
    }

    /// The target the event was pushed for.
    pub fn target(self) -> u32 {
        (self.0 >> INSERTION_BITS) as u32 & ((1 << TARGET_BITS) - 1)
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Entry<E> {
    time: Instant,
    order: Order,
    event: E,
}

impl<E> Entry<E> {
    fn key(&self) -> u128 {
        u128::from(self.time.as_nanos()) << 64 | u128::from(self.order.0)
    }
}

/// The greatest entry is the next: that is the one a heap gives.
impl<E> Ord for Entry<E> {
    fn cmp(&self, other: &Self) -> Ordering {
        other.key().cmp(&self.key())
    }
}

impl<E> PartialOrd for Entry<E> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<E> PartialEq for Entry<E> {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl<E> Eq for Entry<E> {}

/// The capacity of the row.
const ROW: usize = 16;

/// Pending events of type `E`, which must be small and `Copy`: at most 16 bytes.
#[derive(Clone, Debug)]
pub struct EventQueue<E> {
    /// The earliest events, the next one last; entries from `row_len` on are unused.
    row: [Entry<E>; ROW],
    row_len: usize,
    /// The events after those of the row; empty while the row is empty.
    rest: BinaryHeap<Entry<E>>,
    now: Instant,
    insertions: u64,
    pops: u64,
}

impl<E: Copy + Default> Default for EventQueue<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E: Copy + Default> EventQueue<E> {
    const SMALL: () = assert!(size_of::<Entry<E>>() <= 32, "an event must fit 32 bytes with time and key");

    /// An empty queue at the start of time.
    pub fn new() -> Self {
        let () = Self::SMALL;
        Self {
            row: [Entry::default(); ROW],
            row_len: 0,
            rest: BinaryHeap::new(),
            now: Instant::ZERO,
            insertions: 0,
            pops: 0,
        }
    }

    /// The time of the last popped event.
    pub fn now(&self) -> Instant {
        self.now
    }

    /// How many events are pending.
    pub fn len(&self) -> usize {
        self.row_len + self.rest.len()
    }

    /// True when nothing is pending.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many events were popped so far.
    pub fn popped(&self) -> u64 {
        self.pops
    }

    /// Schedules `event` at `time`. Panics when `time` is past: time never goes back.
    #[inline(always)]
    pub fn push(&mut self, time: Instant, phase: Phase, target: u32, event: E) {
        if time < self.now {
            is_past(time, self.now);
        }
        let order = Order::new(phase, target, self.insertions);
        self.insertions += 1;
        if self.row_len == ROW {
            self.shorten_row();
        }
        let entry = Entry { time, order, event };
        if !self.rest.is_empty() && self.row[0].key() < entry.key() {
            self.rest.push(entry);
        } else {
            self.insert(entry);
        }
    }

    /// An entry goes into the row, past those that are sooner.
    #[inline(always)]
    fn insert(&mut self, entry: Entry<E>) {
        self.row_len += 1;
        let mut places = self.row[..self.row_len].iter_mut().rev();
        let Some(mut free) = places.next() else { return };
        for sooner in places {
            if sooner.key() >= entry.key() {
                break;
            }
            *free = *sooner;
            free = sooner;
        }
        *free = entry;
    }

    /// The later half of a full row goes to the rest.
    #[cold]
    fn shorten_row(&mut self) {
        self.rest.extend(&self.row[..ROW / 2]);
        self.row.copy_within(ROW / 2.., 0);
        self.row_len = ROW / 2;
    }

    /// The soonest of the rest become the row.
    #[cold]
    fn begin_row(&mut self) {
        let soonest = self.rest.len().min(ROW / 2);
        for place in (0..soonest).rev() {
            self.row[place] = self.rest.pop().expect("as many as there are");
        }
        self.row_len = soonest;
    }

    /// The time of the next event.
    pub fn peek(&self) -> Option<Instant> {
        self.row[..self.row_len].last().map(|next| next.time)
    }

    /// The next event, which stays.
    pub fn peek_event(&self) -> Option<E> {
        self.row[..self.row_len].last().map(|next| next.event)
    }

    /// The time of the next pending event, or `limit` if that is earlier. Events before it can be handled at once
    /// and [skip](Self::skip) the queue.
    pub fn horizon(&self, limit: Instant) -> (Instant, Phase) {
        match self.row[..self.row_len].last() {
            Some(next) if next.time <= limit => (next.time, next.order.phase()),
            _ => (limit.saturating_add(Duration::from_nanos(1)), Phase::SignalEnd),
        }
    }

    /// Counts `events` before the [horizon](Self::horizon) that were handled at once, without push and pop, the last
    /// of them at `now`.
    pub fn skip(&mut self, events: u64, now: Instant) {
        assert!(now >= self.now && self.peek().is_none_or(|next| next >= now), "time went back");
        self.now = now;
        self.pops += events;
    }

    /// Advances time to an event that need not be pushed, because it would be popped next and is not later than
    /// `limit`. Returns false, without effect, when another event is earlier.
    #[inline(always)]
    pub fn pass(&mut self, time: Instant, phase: Phase, target: u32, limit: Instant) -> bool {
        let order = Order::new(phase, target, self.insertions);
        let key = Entry { time, order, event: () }.key();
        if time > limit || self.row[..self.row_len].last().is_some_and(|next| next.key() < key) {
            return false;
        }
        assert!(time >= self.now, "time went back");
        self.insertions += 1;
        self.now = time;
        self.pops += 1;
        true
    }

    /// Takes the next event and moves time to it.
    pub fn pop(&mut self) -> Option<(Instant, E)> {
        self.pop_until(Instant::NEVER)
    }

    /// Takes the next event, if it is not later than `limit`, and moves time to it.
    #[inline(always)]
    pub fn pop_until(&mut self, limit: Instant) -> Option<(Instant, E)> {
        let last = self.row_len.checked_sub(1)?;
        let Entry { time, event, .. } = self.row[last];
        if time > limit {
            return None;
        }
        assert!(time >= self.now, "time went back");
        self.row_len = last;
        if last == 0 {
            self.begin_row();
        }
        self.now = time;
        self.pops += 1;
        Some((time, event))
    }
}

#[cold]
fn is_past(time: Instant, now: Instant) -> ! {
    panic!("event at {time} pushed at {now}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    #[test]
    fn events_come_by_time_then_phase_then_target_then_insertion() {
        let mut queue = EventQueue::new();
        let late = Instant::from_nanos(2);
        let soon = Instant::from_nanos(1);
        queue.push(late, Phase::SignalEnd, 0, "late");
        queue.push(soon, Phase::Timer, 1, "timer 1 first");
        queue.push(soon, Phase::Timer, 0, "timer 0");
        queue.push(soon, Phase::Timer, 1, "timer 1 second");
        queue.push(soon, Phase::SignalEnd, 9, "signal end");
        let order: Vec<_> = std::iter::from_fn(|| queue.pop()).map(|(_, name)| name).collect();
        assert_eq!(order, ["signal end", "timer 0", "timer 1 first", "timer 1 second", "late"]);
    }

    #[test]
    #[should_panic(expected = "pushed at")]
    fn the_past_is_refused() {
        let mut queue = EventQueue::new();
        queue.push(Instant::from_nanos(5), Phase::Timer, 0, ());
        queue.pop();
        queue.push(Instant::from_nanos(4), Phase::Timer, 0, ());
    }

    #[test]
    fn what_would_be_next_passes_as_if_it_had_been_pushed_and_popped() {
        let at = Instant::from_nanos;
        let mut queue = EventQueue::new();
        queue.push(at(5), Phase::SignalStart, 3, "pending");
        assert!(queue.pass(at(4), Phase::Sample, 9, at(9)), "sooner");
        assert!(queue.pass(at(5), Phase::SignalEnd, 9, at(9)) && queue.now() == at(5), "an earlier phase");
        assert!(queue.pass(at(5), Phase::SignalStart, 2, at(9)), "a smaller target");
        assert!(!queue.pass(at(5), Phase::SignalStart, 3, at(9)), "what was pushed before comes first");
        assert_eq!(queue.pop(), Some((at(5), "pending")));
        assert!(!queue.pass(at(10), Phase::Timer, 0, at(9)), "after the limit");
        assert!(queue.pass(at(9), Phase::Timer, 0, at(9)) && queue.is_empty());
        assert_eq!((queue.popped(), queue.now()), (5, at(9)));
    }

    #[test]
    fn random_pushes_and_pops_stay_sorted() {
        let mut queue = EventQueue::new();
        let mut stream = Stream::new(1, "queue", 0);
        let mut popped = 0;
        for round in 0..20_000u32 {
            let time = queue.now() + Duration::from_nanos(stream.below(50));
            queue.push(time, Phase::Timer, round % 7, time);
            if stream.below(3) > 0 {
                let before = queue.now();
                let (now, stamp) = queue.pop().expect("just pushed");
                assert!(now >= before && now == stamp);
                popped += 1;
            }
        }
        assert_eq!(queue.len() + popped, 20_000);
    }
}
