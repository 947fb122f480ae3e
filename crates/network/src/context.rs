//! [`Context`]: what a layer may use, and [`Effect`]: what it may ask for.
//!
//! A layer never calls another. It pushes effects, and `node.rs` carries them out, first in, first out.

use farlink_kernel::{Instant, Phase};
use farlink_tcp::Notice;

use crate::frame::{Frame, LinkFailure};
use crate::hop::{Arrival, Hop, Part};
use crate::ids::{End, InterfaceId, NodeId, PacketId};
use crate::packet::{Cause, Packets};
use crate::routing::map::Map;

/// Something that happens at its time. Small and `Copy`: ids only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Event {
    /// The packet at the head of a wire arrives.
    Arrival(InterfaceId),
    /// A wire has sent a packet and can send the next.
    Sent(InterfaceId),
    /// A wire comes back after an outage.
    LinkUp(InterfaceId),
    /// A signal on a shared channel begins or ends at its next listeners.
    Signal {
        /// The channel.
        channel: u32,
        /// The transmission.
        transmission: u32,
        /// Whether it begins or ends.
        phase: Phase,
    },
    /// An antenna has sent its frame.
    AntennaFree(InterfaceId),
    /// A MAC's deadline.
    MacDeadline {
        /// Whose.
        interface: InterfaceId,
        /// Which of its settings.
        generation: u32,
    },
    /// A routing protocol's deadline.
    RoutingDeadline {
        /// At which node.
        node: NodeId,
        /// Which of its settings.
        generation: u32,
    },
    /// A connection's deadline.
    Deadline {
        /// The flow.
        flow: u32,
        /// Which end.
        end: End,
        /// Which of its settings.
        generation: u32,
    },
    /// A flow starts.
    Start(u32),
    /// An application acts.
    Wake(u32),
    /// An application stops.
    Stop(u32),
    /// The state is sampled.
    #[default]
    Sample,
}

/// What a layer asks for.
#[derive(Clone, Copy, Debug)]
#[repr(u8)]
pub enum Effect {
    /// A packet goes down from its node's transport or routing; routing says where to.
    Down {
        /// At which node.
        node: NodeId,
        /// Which packet.
        packet: PacketId,
    },
    /// A packet goes down from its node's routing, which says itself where to.
    Send {
        /// At which node.
        node: NodeId,
        /// Which packet.
        packet: PacketId,
        /// Where it goes.
        hop: Hop,
    },
    /// Routing wants back what waits for a neighbour that does not answer any more; each packet comes back
    /// as [`LinkFailure::Recalled`].
    Recall {
        /// Over which interface, to which neighbour.
        hop: Hop,
    },
    /// A frame goes down from a MAC to its antenna.
    Transmit {
        /// At which interface.
        interface: InterfaceId,
        /// What.
        frame: Frame,
    },
    /// A MAC made out a frame. The node owns the parts it is a next hop of; those in `for_me` go up, the
    /// others came before. Parts for somebody else can be read, not kept.
    Heard {
        /// At which interface.
        interface: InterfaceId,
        /// What.
        frame: Frame,
        /// Which parts are for this node and new to it.
        for_me: [bool; 2],
    },
    /// A MAC is done with a part and gives its packet back. After a failure it takes nothing new from its queue
    /// until it is asked to by [`Mac::on_queued`](crate::mac::Mac::on_queued): routing may want that back, too.
    Sent {
        /// At which interface.
        interface: InterfaceId,
        /// Which part.
        part: Part,
        /// How it went.
        result: Result<(), LinkFailure>,
    },
    /// A try failed, and the MAC keeps its packet to try again: routing may name another neighbour for that
    /// ([`Mac::on_way`](crate::mac::Mac::on_way)).
    Again {
        /// At which interface.
        interface: InterfaceId,
        /// The part, as it was tried.
        part: Part,
    },
    /// Routing knows of a failure now, and the MAC may go on.
    Resume {
        /// At which interface.
        interface: InterfaceId,
    },
    /// A packet arrived at a node and goes up: to its transport, to routing, or on its way again.
    Up {
        /// At which node.
        node: NodeId,
        /// Which packet, and where it came from.
        arrival: Arrival,
    },
    /// Routing's word about the route between two nodes, for the ends of flows at the first.
    Tell {
        /// Which is told.
        node: NodeId,
        /// The other.
        peer: NodeId,
        /// The word.
        notice: Notice,
    },
    /// A router's word for one end of a flow.
    Notice {
        /// The flow.
        flow: u32,
        /// Which end.
        end: End,
        /// The word.
        notice: Notice,
    },
    /// An event is wanted.
    Arm {
        /// When.
        at: Instant,
        /// In which phase of that instant.
        phase: Phase,
        /// The number that orders events of one phase.
        target: u32,
        /// What.
        event: Event,
    },
    /// Everything of a flow was delivered and acknowledged.
    Complete {
        /// Which flow.
        flow: u32,
    },
    /// A copy of a packet is lost.
    Drop {
        /// Which.
        packet: PacketId,
        /// Why.
        cause: Cause,
    },
}

/// What a layer may use.
#[derive(Debug)]
pub struct Context {
    /// Now.
    pub now: Instant,
    /// The packets under way.
    pub packets: Packets,
    /// What was asked for and is not done yet.
    pub effects: Vec<Effect>,
    /// The network as ideal routing knows it.
    pub map: Map,
}

impl Context {
    /// At the start of time, for so many flows, without a map.
    pub fn new(flows: usize) -> Self {
        Self { now: Instant::ZERO, packets: Packets::new(flows), effects: Vec::new(), map: Map::default() }
    }

    /// It is `now`.
    #[inline(always)]
    pub fn set_now(&mut self, now: Instant) {
        (self.now, self.packets.now) = (now, now);
    }

    /// Asks for an effect.
    pub fn push(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    /// Asks for a drop.
    pub fn drop(&mut self, packet: PacketId, cause: Cause) {
        self.push(Effect::Drop { packet, cause });
    }
}

/// A deadline that moves, with one live event in the queue at most.
///
/// Later: the pending event stays and, when it comes too early, is set anew. Earlier: a new event with a
/// new generation; the old one is stale when it comes.
#[derive(Clone, Copy, Debug)]
pub struct Timer {
    wanted: Instant,
    pending: Instant,
    generation: u32,
}

/// What an event means to a [`Timer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wake {
    /// Another event was pushed since.
    Stale,
    /// What is wanted is due.
    Due,
    /// It was put off: an event is to be pushed at that instant, if there is one.
    Later(Option<(Instant, u32)>),
}

impl Default for Timer {
    fn default() -> Self {
        Self { wanted: Instant::NEVER, pending: Instant::NEVER, generation: 0 }
    }
}

impl Timer {
    /// Wants to be woken at `deadline` or before. `Some` is the generation of an event to push at it.
    #[must_use]
    pub fn want(&mut self, deadline: Instant) -> Option<u32> {
        self.wanted = deadline;
        if deadline >= self.pending {
            return None;
        }
        self.pending = deadline;
        self.generation = self.generation.wrapping_add(1);
        Some(self.generation)
    }

    /// An event came. False when it is stale; otherwise nothing is pending any more.
    #[must_use]
    pub fn is_due(&mut self, generation: u32) -> bool {
        if generation != self.generation || self.pending == Instant::NEVER {
            return false;
        }
        self.pending = Instant::NEVER;
        true
    }

    /// The same for who need not be woken early.
    #[must_use]
    pub fn wake(&mut self, generation: u32, now: Instant) -> Wake {
        if !self.is_due(generation) {
            return Wake::Stale;
        }
        if self.wanted <= now {
            return Wake::Due;
        }
        let at = self.wanted;
        Wake::Later(self.want(at).map(|generation| (at, generation)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timer_that_moves_later_keeps_its_event_and_one_that_moves_earlier_gets_a_new_one() {
        let at = Instant::from_nanos;
        let mut timer = Timer::default();
        let first = timer.want(at(10)).unwrap();
        assert_eq!(timer.want(at(20)), None);
        let second = timer.want(at(5)).unwrap();
        assert!(timer.is_due(second));
        assert!(!timer.is_due(first));
        assert!(timer.want(at(20)).is_some());
    }

    #[test]
    fn who_put_it_off_is_woken_later_and_who_wants_nothing_any_more_is_not() {
        let at = Instant::from_nanos;
        let mut timer = Timer::default();
        let first = timer.want(at(10)).unwrap();
        assert_eq!(timer.want(at(20)), None);
        let Wake::Later(Some((then, second))) = timer.wake(first, at(10)) else { panic!("it was put off") };
        assert_eq!((then, timer.wake(first, at(10))), (at(20), Wake::Stale));
        assert_eq!(timer.want(Instant::NEVER), None);
        assert_eq!(timer.wake(second, at(20)), Wake::Later(None));
        let third = timer.want(at(30)).unwrap();
        assert_eq!(timer.wake(third, at(30)), Wake::Due);
    }
}
