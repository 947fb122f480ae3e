//! Queues: what waits at an interface, in which order it leaves, and what is refused or marked.
//!
//! A discipline that decides everything when a packet arrives and then serves first in, first out
//! ([`Queue::decides_on_arrival`]) needs to store nothing on a link: the link knows at once when the packet
//! will leave. The others, and all on shared channels, are pushed to and popped from.

use farlink_kernel::config::Model;
use farlink_kernel::{Instant, choice, registry};
use farlink_tcp::Amount;

use crate::context::Context;
use crate::hop::NextHop;
use crate::ids::PacketId;
use crate::packet::{Cause, Class};

pub(crate) mod bucket;
pub(crate) mod codel;
pub(crate) mod drop_tail;
pub(crate) mod dualpi2;
pub(crate) mod fifo;
mod flow_queues;
pub(crate) mod fq_codel;
pub(crate) mod fq_pie;
pub(crate) mod line;
pub(crate) mod pie;
pub(crate) mod policer;
pub(crate) mod priority;
pub(crate) mod red;
pub(crate) mod shaper;

/// A packet that arrives at a queue.
#[derive(Clone, Copy, Debug)]
pub struct Offer {
    pub(crate) now: Instant,
    /// Its size in bytes.
    pub size: u32,
    /// True when it may be marked instead of dropped (RFC 3168).
    pub can_be_marked: bool,
}

/// What waits, the packet being sent not included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Backlog {
    /// How many packets.
    pub packets: u64,
    /// How many bytes.
    pub bytes: u64,
    /// Since when nothing waits; meaningless while something does.
    pub empty_since: Instant,
}

/// What a queue decides about an arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It may wait.
    Accept,
    /// It may wait, marked Congestion Experienced.
    Mark,
    /// It is dropped.
    Drop(Cause),
}

/// A packet that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Which packet.
    pub packet: PacketId,
    /// Its size in bytes.
    pub size: u32,
    /// Its class.
    pub class: Class,
    /// The neighbour it goes to, or all.
    pub next_hop: NextHop,
    pub(crate) arrived: Instant,
}

/// The role.
pub trait Queue: std::fmt::Debug + Send {
    /// May this packet wait? Asked once for every packet, before [`Queue::push`].
    fn on_arrival(&mut self, offer: &Offer, backlog: &Backlog) -> Verdict;

    /// True when nothing is decided after the arrival and packets leave in the order they came.
    fn decides_on_arrival(&self) -> bool;

    /// When an accepted packet that could be sent from `earliest` on leaves, where that is decided on arrival.
    fn start(&mut self, earliest: Instant, size: u32) -> Instant {
        let _ = size;
        earliest
    }

    /// The limit when acceptance depends on nothing else.
    fn plain_limit(&self) -> Option<Amount> {
        None
    }

    /// An accepted packet waits. A discipline may drop others (through `cx`) to make room.
    fn push(&mut self, entry: Entry, cx: &mut Context);

    /// The next packet leaves. A discipline may drop (through `cx`) those before it.
    fn pop(&mut self, cx: &mut Context) -> Option<Entry>;

    /// Takes the first packet of `class` out of turn, of those for `next_hop` if one is given; disciplines
    /// without a common order have none to give.
    fn take_for(&mut self, class: Class, next_hop: Option<NextHop>) -> Option<Entry> {
        let _ = (class, next_hop);
        None
    }

    /// Takes this packet out of turn, if it waits; disciplines without a common order have none to give.
    fn take(&mut self, packet: PacketId) -> Option<Entry> {
        let _ = packet;
        None
    }

    /// True when this packet waits.
    fn holds(&self, packet: PacketId) -> bool {
        self.waiting().contains(&packet)
    }

    /// What waits.
    fn backlog(&self) -> Backlog;

    /// The queued packets, for the ledger.
    fn waiting(&self) -> Vec<PacketId>;
}

/// What the parameters of a member determine before a run.
pub trait Parameters {
    /// True when it marks packets instead of dropping them; a congestion control that answers marks needs such a queue.
    fn marks(&self) -> bool;

    /// True when it lets less through than the link: packets wait or are dropped although the link is free.
    fn limits_rate(&self) -> bool {
        false
    }
}

/// What a member is made with.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// The run's seed.
    pub seed: u64,
    /// The interface's number, the key of its random stream.
    pub interface: u64,
    /// The rate the queue is emptied at when the run begins.
    pub rate: farlink_kernel::BitRate,
}

choice! {
    /// Sets of default values.
    pub enum Preset {
        /// Those of the RFC.
        Rfc = "rfc",
        /// Those of Linux.
        Linux = "linux",
    }
}

registry! {
    /// Queues.
    Queue(Setup) where Config: Parameters where field limit, limit_mut: Amount {
        /// First in, first out; what does not fit is dropped.
        drop_tail::DropTail,
        /// Random early detection: drops or marks grow with the average length.
        red::Red,
        /// Controlled delay: drops or marks when packets wait too long.
        codel::Codel,
        /// Flow queues served in turn, each with controlled delay.
        fq_codel::FqCodel,
        /// Proportional-integral controller enhanced: drops or marks arrivals with a probability that follows the delay.
        pie::Pie,
        /// Flow queues served in turn, each with PIE.
        fq_pie::FqPie,
        /// DualPI2: a queue for L4S and one for classic traffic, whose marks and drops are coupled.
        dualpi2::DualPi2,
        /// A token bucket in front of a drop-tail queue: what finds no tokens is dropped.
        policer::Policer,
        /// A token bucket behind a drop-tail queue: what finds no tokens waits for them. For links.
        shaper::Shaper,
        /// Routing's packets first, then ACKs, then data.
        priority::Priority,
    }
}

impl Config {
    /// True for a queue of links only: on a channel the MAC decides when a packet leaves.
    pub fn is_of_links(&self) -> bool {
        matches!(self, Self::Shaper(_))
    }

    /// The queues that a channel accepts.
    pub fn models_of_channels() -> Vec<Model> {
        let mut models = Self::models();
        models.retain(|model| Self::named(model.name).is_some_and(|queue| !queue.is_of_links()));
        models
    }
}
