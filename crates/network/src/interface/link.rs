//! [`Link`]: the interface at one end of a link: what waits, when it is sent, and the pipe behind.
//!
//! A discipline that decides on arrival needs no event when a packet has been sent: a packet's start is the
//! later of now and the end of the one before, and the length of the queue is the number of starts still to
//! come. A [shaper](crate::queue) may say that it starts later. Others are asked for the next packet when the link is free ([`Event::Sent`]), and only while some
//! wait.
//!
//! [`Event::Sent`]: crate::event::Event::Sent

use farlink_kernel::ring::Ring;
use farlink_kernel::{BitRate, Bytes, Duration, Instant, config};

use super::pipe::Pipe;
use crate::channel::{error, jitter};
use crate::context::Context;
use crate::hop::NextHop;
use crate::ids::{InterfaceId, NodeId, PacketId};
use crate::metrics::usage::Usage;
use crate::packet::{Cause, Class, Held, Location, Packet};
use crate::queue::fifo::fits;
use crate::queue::{self, Backlog, Entry, Offer, Verdict};
use crate::schedule::{Outage, Schedule};
use farlink_tcp::{Amount, Ecn};

config! {
    /// One direction of a link.
    pub struct Config {
        /// Transmission rate. Required.
        pub rate: Schedule<BitRate> = Schedule::Constant(BitRate::from_bps(10_000_000)),
        /// Propagation delay. Required.
        pub delay: Schedule<Duration> = Schedule::Constant(Duration::from_millis(10)),
        /// Interface queue.
        pub queue: queue::Config = queue::Config::DropTail(queue::drop_tail::Config::default()),
        /// Error model.
        pub error: error::Config = error::Config::Perfect(error::none::Config::default()),
        /// Jitter: a random delay of each packet, besides `delay`.
        pub jitter: Option<jitter::Config> = None,
        /// When the link is down: packets to be sent are dropped, those in propagation arrive.
        pub down: Vec<Outage> = Vec::new(),
    }
}

/// The interface at the sending end of one direction of a link.
#[derive(Debug)]
pub struct Link {
    /// Its node.
    pub node: NodeId,
    /// The node at the other end.
    pub peer: NodeId,
    pub(crate) pipe: Pipe,
    /// What was waiting and sent.
    pub usage: Usage,
    rate: Schedule<BitRate>,
    /// How long the size sent last takes at a constant rate: sizes repeat.
    known: (u32, Duration),
    down: Vec<Outage>,
    queue: queue::Any,
    decides_on_arrival: bool,
    /// `Some` when the queue is no more than that and needs not be asked.
    limit: Option<Amount>,
    /// Nothing about the link changes, and every packet arrives that it accepts.
    is_plain: bool,
    /// When the last packet accepted (or, with other disciplines, being sent) is sent.
    free_at: Instant,
    /// (start, size) of the packets that wait, with a discipline that decides on arrival; their bytes, and
    /// since when there are none.
    starts: Ring<(Instant, u32)>,
    waiting: u64,
    empty_since: Instant,
    is_sent_pending: bool,
}

impl Link {
    /// An idle link.
    pub fn new(ends: [NodeId; 2], config: &Config, queue: queue::Any, pipe: Pipe, usage: Usage) -> Self {
        let is_plain =
            config.down.is_empty() && matches!(config.rate, Schedule::Constant(_)) && pipe.is_plain();
        Self {
            node: ends[0],
            peer: ends[1],
            pipe,
            usage,
            rate: config.rate.clone(),
            known: (0, Duration::ZERO),
            down: config.down.clone(),
            decides_on_arrival: queue.decides_on_arrival(),
            limit: queue.plain_limit(),
            is_plain,
            queue,
            free_at: Instant::ZERO,
            starts: Ring::new(),
            waiting: 0,
            empty_since: Instant::ZERO,
            is_sent_pending: false,
        }
    }

    /// The interface at the other end: a link's two stand side by side.
    pub fn other_end(interface: InterfaceId) -> InterfaceId {
        InterfaceId(interface.0 ^ 1)
    }

    /// True while the link can be used.
    #[inline(always)]
    pub fn is_up(&self, at: Instant) -> bool {
        self.is_plain || !self.down.iter().any(|outage| outage.contains(at))
    }

    /// When outages end; of one that recurs, the first.
    pub fn comes_back(&self) -> impl Iterator<Item = Instant> {
        self.down.iter().map(|outage| outage.first.end)
    }

    /// When those that recur, and end at `now`, end the next time.
    pub fn comes_back_after(&self, now: Instant) -> impl Iterator<Item = Instant> {
        self.down.iter().filter_map(move |outage| outage.next_end(now))
    }

    /// A packet of this size and class comes down to a link that is up.
    #[inline(always)]
    pub fn on_packet(&mut self, packet: PacketId, size: u32, class: Class, cx: &mut Context) {
        let Some(limit) = self.limit else { return self.ask_queue(packet, cx) };
        self.begin_due(cx.now);
        if fits(limit, &self.foreseen(), size) {
            self.schedule(packet, size, class, self.free_at.max(cx.now), cx);
        } else {
            cx.drop(packet, Cause::QueueFull);
        }
    }

    /// The queue says whether the packet may wait.
    #[inline(never)]
    fn ask_queue(&mut self, packet: PacketId, cx: &mut Context) {
        let Packet { size, ecn, class, .. } = cx.packets[packet];
        let offer = Offer { now: cx.now, size, can_be_marked: ecn != Ecn::NotCapable };
        let backlog = self.backlog(cx.now);
        match self.queue.on_arrival(&offer, &backlog) {
            Verdict::Drop(cause) => return cx.drop(packet, cause),
            Verdict::Mark => cx.packets[packet].ecn = Ecn::Experienced,
            Verdict::Accept => {}
        }
        if self.decides_on_arrival {
            let start = self.queue.start(self.free_at.max(cx.now), size);
            self.schedule(packet, size, class, start, cx);
        } else {
            self.queue
                .push(Entry { packet, size, class, next_hop: NextHop::Node(self.peer), arrived: cx.now }, cx);
            if cx.now >= self.free_at {
                self.send_next(cx);
            }
            self.usage.on_change(cx.now, self.queue.backlog().packets);
        }
    }

    /// Gives an accepted packet its place in time.
    #[inline(always)]
    fn schedule(&mut self, packet: PacketId, size: u32, class: Class, start: Instant, cx: &mut Context) {
        if start > cx.now {
            self.starts.push((start, size));
            self.waiting += u64::from(size);
            self.usage.on_length(self.starts.len() as u64);
            self.usage.on_wait(cx.now, start);
        }
        self.transmit(packet, size, class, start, cx);
    }

    #[inline(always)]
    fn transmit(&mut self, packet: PacketId, size: u32, class: Class, start: Instant, cx: &mut Context) {
        if !self.is_up(start) {
            return cx.drop(packet, Cause::LinkDown);
        }
        self.free_at = self.sent_at(start, size);
        self.usage.on_busy(start, self.free_at);
        if self.is_plain {
            return self.pipe.take_on((packet, self.starts.end() as u32), self.free_at);
        }
        self.pipe.send((packet, self.starts.end() as u32), size, class, self.free_at, cx);
    }

    /// When the last bit leaves of a packet whose first leaves at `start`.
    #[inline(always)]
    fn sent_at(&mut self, start: Instant, size: u32) -> Instant {
        if self.known.0 != size {
            let Schedule::Constant(rate) = self.rate else { return self.sent_in_steps(start, size) };
            self.known = (size, rate.time_to_send(Bytes(u64::from(size))));
        }
        start.saturating_add(self.known.1)
    }

    /// The same at a rate that changes.
    #[inline(never)]
    fn sent_in_steps(&self, start: Instant, size: u32) -> Instant {
        let (mut at, mut left) = (start, Bytes(u64::from(size)).bits());
        loop {
            let (rate, end) = self.rate.at(at);
            let needed = nanos_for_bits(rate, left);
            if end == Instant::NEVER || needed <= end - at {
                return at.saturating_add(needed);
            }
            left -= bits_in(rate, end - at).min(left);
            at = end;
        }
    }

    /// The link is free, or was when something came.
    fn send_next(&mut self, cx: &mut Context) {
        while cx.now >= self.free_at
            && let Some(entry) = self.queue.pop(cx)
        {
            self.transmit(entry.packet, entry.size, entry.class, cx.now, cx);
        }
    }

    /// The link is free: an answer to the event of [`Link::wants_event`].
    pub fn on_sent(&mut self, cx: &mut Context) {
        self.is_sent_pending = false;
        self.send_next(cx);
        self.usage.on_change(cx.now, self.queue.backlog().packets);
    }

    /// The event for the end of the transmission; `None` when none is needed, or one is pending.
    #[must_use]
    #[inline(always)]
    pub fn wants_event(&mut self) -> Option<Instant> {
        if self.decides_on_arrival || self.is_sent_pending || self.queue.backlog().packets == 0 {
            return None;
        }
        self.is_sent_pending = true;
        Some(self.free_at)
    }

    pub(crate) fn backlog(&mut self, now: Instant) -> Backlog {
        if !self.decides_on_arrival {
            return self.queue.backlog();
        }
        self.begin_due(now);
        self.foreseen()
    }

    fn foreseen(&self) -> Backlog {
        let Self { waiting: bytes, empty_since, .. } = *self;
        Backlog { packets: self.starts.len() as u64, bytes, empty_since }
    }

    #[inline(always)]
    fn begin_due(&mut self, now: Instant) {
        while let Some(&(start, size)) = self.starts.first()
            && start <= now
        {
            self.starts.pop();
            self.waiting -= u64::from(size);
            self.empty_since = start;
        }
    }

    /// Every packet the link holds, for the ledger. Those with known starts are in the pipe already.
    pub fn held_packets(&self, now: Instant) -> impl Iterator<Item = Held> {
        let waiting = self.starts.iter().filter(|(start, _)| *start > now).count() as u32;
        let (turns, node) = (self.starts.end() as u32, self.node);
        let queued = self.queue.waiting().into_iter().map(|packet| (packet, Location::Queue));
        let sent = self.pipe.held_packets().map(move |(packet, turn)| {
            let is_waiting = turns.wrapping_sub(turn) < waiting;
            (packet, if is_waiting { Location::Queue } else { Location::Link })
        });
        queued.chain(sent).map(move |(packet, location)| Held { packet, location, node })
    }
}

/// How long `bits` take at `rate`, rounded up.
fn nanos_for_bits(rate: BitRate, bits: u64) -> Duration {
    if rate.is_zero() && bits > 0 {
        return Duration::MAX;
    }
    let nanos = (u128::from(bits) * 1_000_000_000).div_ceil(u128::from(rate.as_bps().max(1)));
    Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
}

/// The whole bits that pass in `length`.
fn bits_in(rate: BitRate, length: Duration) -> u64 {
    (u128::from(rate.as_bps()) * u128::from(length.as_nanos()) / 1_000_000_000) as u64
}

#[cfg(test)]
mod tests;
