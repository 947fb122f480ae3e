//! The event queue: what happens next, in a total order that is written down.
//!
//! Events are ordered by (time, phase, target, insertion). The last three are packed into one 64-bit
//! [`Order`], so that an entry is 32 bytes and a comparison two integers. Time never goes back: asserted
//! on push and on pop. The structure behind push, pop and peek is a binary heap: of the few events of a run
//! on wires it compares the fewest. A pop leaves the root vacant, because most events push another one:
//! that goes in at the root, and one descent does the work of a removal and an insertion.

use crate::time::Instant;

/// What kind of moment an event is. At one instant the phases happen in this order (DESIGN, rules of the
/// engine, 3): everyone senses before anyone sends.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Order(u64);

const TARGET_BITS: u32 = 21;
const INSERTION_BITS: u32 = 40;

impl Order {
    fn new(phase: Phase, target: u32, insertion: u64) -> Self {
        assert!(target < 1 << TARGET_BITS, "a target does not fit {TARGET_BITS} bits");
        assert!(insertion < 1 << INSERTION_BITS, "more than 2^40 events in one run");
        Self(
            (phase as u64) << (TARGET_BITS + INSERTION_BITS)
                | u64::from(target) << INSERTION_BITS
                | insertion,
        )
    }

    /// The target the event was pushed for.
    pub fn target(self) -> u32 {
        (self.0 >> INSERTION_BITS) as u32 & ((1 << TARGET_BITS) - 1)
    }
}

#[derive(Clone, Copy, Debug)]
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

/// Pending events of type `E`, which must be small and `Copy`: at most 16 bytes.
#[derive(Clone, Debug)]
pub struct EventQueue<E> {
    heap: Vec<Entry<E>>,
    /// The root was popped and its place not taken yet.
    root_is_vacant: bool,
    now: Instant,
    insertions: u64,
    pops: u64,
}

impl<E: Copy> Default for EventQueue<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E: Copy> EventQueue<E> {
    const SMALL: () = assert!(size_of::<Entry<E>>() <= 32, "an event must fit 32 bytes with time and key");

    /// An empty queue at the start of time.
    pub fn new() -> Self {
        let () = Self::SMALL;
        Self { heap: Vec::new(), root_is_vacant: false, now: Instant::ZERO, insertions: 0, pops: 0 }
    }

    /// The time of the last popped event.
    pub fn now(&self) -> Instant {
        self.now
    }

    /// How many events are pending.
    pub fn len(&self) -> usize {
        self.heap.len() - usize::from(self.root_is_vacant)
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
        let entry = Entry { time, order, event };
        if self.root_is_vacant {
            self.root_is_vacant = false;
            self.descend(entry);
        } else {
            self.ascend(time, order, event);
        }
    }

    /// The time of the next event.
    pub fn peek(&self) -> Option<Instant> {
        let next = if self.root_is_vacant { least_child(&self.heap, 0)?.1 } else { self.heap.first()? };
        Some(next.time)
    }

    /// Takes the next event and moves time to it.
    pub fn pop(&mut self) -> Option<(Instant, E)> {
        self.pop_until(Instant::NEVER)
    }

    /// Takes the next event, if it is not later than `limit`, and moves time to it.
    #[inline]
    pub fn pop_until(&mut self, limit: Instant) -> Option<(Instant, E)> {
        self.fill_root();
        let next = *self.heap.first()?;
        if next.time > limit {
            return None;
        }
        assert!(next.time >= self.now, "time went back");
        self.root_is_vacant = true;
        self.now = next.time;
        self.pops += 1;
        Some((next.time, next.event))
    }

    fn fill_root(&mut self) {
        if self.root_is_vacant
            && let Some(last) = self.heap.pop()
        {
            self.root_is_vacant = false;
            if !self.heap.is_empty() {
                self.descend(last);
            }
        }
    }

    /// An entry goes in from the last place towards the root.
    #[inline(never)]
    fn ascend(&mut self, time: Instant, order: Order, event: E) {
        let entry = Entry { time, order, event };
        let key = entry.key();
        let mut child = self.heap.len();
        self.heap.push(entry);
        while child > 0 {
            let parent = (child - 1) / 2;
            if self.heap[parent].key() <= key {
                break;
            }
            self.heap[child] = self.heap[parent];
            child = parent;
        }
        self.heap[child] = entry;
    }

    /// `entry` goes in from the root, whose place is vacant.
    #[inline]
    fn descend(&mut self, entry: Entry<E>) {
        let key = entry.key();
        let heap = &mut self.heap[..];
        let mut parent = 0;
        while let Some((child, next)) = least_child(heap, parent)
            && next.key() < key
        {
            heap[parent] = *next;
            parent = child;
        }
        heap[parent] = entry;
    }
}

#[cold]
fn is_past(time: Instant, now: Instant) -> ! {
    panic!("event at {time} pushed at {now}")
}

/// The next among the children of `parent` with its place; `None` without any.
#[inline]
fn least_child<E>(heap: &[Entry<E>], parent: usize) -> Option<(usize, &Entry<E>)> {
    let place = parent * 2 + 1;
    let first = heap.get(place)?;
    match heap.get(place + 1) {
        Some(second) if second.key() < first.key() => Some((place + 1, second)),
        _ => Some((place, first)),
    }
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
    fn random_pushes_and_pops_stay_sorted() {
        let mut queue = EventQueue::new();
        let mut stream = Stream::new(1, "queue", 0);
        let mut popped = 0;
        for round in 0..20_000u32 {
            let time = queue.now() + crate::Duration::from_nanos(stream.below(50));
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
