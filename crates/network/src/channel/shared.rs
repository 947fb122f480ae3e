//! [`SharedChannel`]: a channel that many nodes share. A transmission reaches its listeners in the order of arrival, with one
//! cursor for its starts and one for its ends, so that one event is pending for it.
//!
//! The channel owns the copies in flight. A copy is delivered to its next hop when that receives the frame, and dropped
//! with the cause of the loss otherwise. A copy whose next hop is out of range is dropped at once, so that it makes no difference
//! whether listeners out of range are computed. A broadcast packet stays with its sender: each listener that receives it gets a
//! copy. All listeners read references to the packets, which stay until the transmission is over.

use std::sync::Arc;

use farlink_kernel::random::{draw_uniform, name_key};
use farlink_kernel::slab::Slab;
use farlink_kernel::{Duration, Instant, Phase};

use super::medium::Medium;
use crate::context::Context;
use crate::frame::Frame;
use crate::hop::{NextHop, Part};
use crate::ids::{InterfaceId, NodeId, PacketId};
use crate::metrics::station::{ReceiveCounters, SendCounters};
use crate::mobility::trajectory::Trajectory;
use crate::packet::{Cause, Held, Location};
use crate::phy::Phy;
use crate::phy::antenna::{Carrier, Settings};

mod member;
pub(crate) mod missed_frame;
mod prefetch;
mod progress;
mod propagate;
mod reachability;
mod sole;
mod transmission;
pub(crate) mod upper_layers;

use member::Member;
use missed_frame::MissedFrame;
pub use progress::Progress;
use reachability::Reachability;
use transmission::{InFlight, Listener, Transmission};
use upper_layers::Interest;

/// The number of nodes that are not on the channel.
const NOT_A_MEMBER: u32 = u32::MAX;

const PACKET_ERROR_DRAW: u64 = 0x7061_636b;

#[derive(Debug)]
pub struct SharedChannel {
    members: Vec<Member>,
    /// The members' numbers by node, [`NOT_A_MEMBER`] for others.
    numbers: Vec<u32>,
    sent: Vec<SendCounters>,
    reachability: Reachability,
    keys: (u64, u64),
    settings: Settings,
    transmissions: Slab<Transmission>,
    /// Number of antennas that transmit.
    transmitting: u32,
    /// The transmission whose starts are [postponed](sole).
    sole: Option<u32>,
    /// Missed frames that the monitors were not notified of; `None` without monitors.
    pub missed: Option<Vec<MissedFrame>>,
    /// Every frame that was sent, and when.
    #[cfg(test)]
    pub(crate) frame_log: Vec<(Instant, Frame)>,
}

impl SharedChannel {
    /// An idle channel, the `number`th. `members` are nodes and interfaces, the nodes in ascending order.
    pub fn new(
        medium: Medium,
        phy: Arc<dyn Phy>,
        members: impl Iterator<Item = (NodeId, InterfaceId)>,
        trajectories: Vec<Trajectory>,
        (seed, number): (u64, u64),
    ) -> Self {
        let keys = (seed, name_key("air") ^ number);
        let members: Vec<Member> = members.map(|(node, interface)| Member::new(node, interface)).collect();
        let mut numbers = vec![NOT_A_MEMBER; members.last().map_or(0, |last| last.node.as_index() + 1)];
        members.iter().zip(0..).for_each(|(member, number)| numbers[member.node] = number);
        Self {
            members,
            numbers,
            sent: vec![SendCounters::default(); trajectories.len()],
            keys,
            settings: Settings::new(&medium.antenna, phy),
            reachability: Reachability::new(medium, trajectories, keys),
            transmissions: Slab::new(),
            transmitting: 0,
            sole: None,
            missed: None,
            #[cfg(test)]
            frame_log: Vec::new(),
        }
    }

    /// The physical layer.
    pub fn phy(&self) -> &Arc<dyn Phy> {
        self.settings.phy()
    }

    /// The state of the medium at a member.
    #[inline(always)]
    pub fn carrier(&mut self, member: usize) -> Carrier {
        self.start_postponed_at(member);
        self.members[member].antenna.carrier()
    }

    /// Sets what the upper layers of a member are notified of.
    pub fn set_interest(&mut self, member: usize, interest: Interest) {
        self.members[member].interest = interest;
    }

    /// A member begins to transmit.
    pub fn transmit(&mut self, member: usize, mut frame: Frame, length: Duration, cx: &mut Context) -> u32 {
        #[cfg(test)]
        self.frame_log.push((cx.now, frame));
        self.start_all_postponed();
        self.transmitting += 1;
        let sender = &mut self.members[member];
        sender.antenna.start_transmission(cx.now);
        let number = (member as u64) << 32 | u64::from(sender.frames);
        sender.frames += 1;
        self.sent[member].on_sent(&frame);
        let (mut listeners, instants) =
            self.reachability.listeners(member as u32, number, cx.now, &self.settings);
        let mut in_flight = frame.parts.map(|part| part.filter(|part| part.next_hop != NextHop::Everyone));
        for node in frame.addressees() {
            match self.find(&mut listeners, node) {
                Some(listener) => listener.is_addressee = true,
                None => in_flight
                    .iter_mut()
                    .filter_map(|part| part.take_if(|part| part.next_hop == NextHop::Node(node)))
                    .for_each(|part| cx.drop(part.packet, Cause::OutOfRange)),
            }
        }
        let is_broadcast = frame.parts.iter().flatten().any(|part| part.next_hop == NextHop::Everyone);
        for part in frame.parts.iter_mut().flatten() {
            part.packet = cx.packets.reference(part.packet);
        }
        let pending_addressees = frame.addressees().count() as u8;
        let sender = member as u32;
        self.transmissions.insert(Transmission {
            in_flight: InFlight { frame, sender, parts: in_flight, pending_addressees, is_broadcast },
            mode: frame.mode,
            number,
            sent: cx.now + self.settings.phy().turnaround(),
            length,
            listeners,
            instants,
            starts: 0,
            ends: 0,
            is_sole: false,
        })
    }

    fn find<'a>(&self, listeners: &'a mut [Listener], node: NodeId) -> Option<&'a mut Listener> {
        let member = *self.numbers.get(node.as_index())?;
        listeners.iter_mut().find(|listener| listener.member == member)
    }

    /// A member's antenna has transmitted its frame. True if the MAC awaits that.
    pub fn on_transmitted(&mut self, member: usize, now: Instant) -> bool {
        self.transmitting -= 1;
        let Member { antenna, interest, .. } = &mut self.members[member];
        antenna.end_transmission(now);
        interest.awaits_end
    }

    /// For how long a member sensed other stations.
    pub fn sensed_time(&self, member: usize, now: Instant) -> Duration {
        self.members[member].antenna.sensed_time(now) + self.postponed_time(member, now)
    }

    /// A member's MAC keeps a packet after a failed attempt.
    pub fn on_attempt_failed(&mut self, member: usize, neighbour: NodeId) {
        self.sent[member].attempts.on_failed(neighbour);
    }

    /// A member's MAC gave up on a packet for a neighbour.
    pub fn on_given_up(&mut self, member: usize, neighbour: NodeId) {
        self.sent[member].attempts.on_given_up(neighbour);
    }

    /// A packet of this size that a member's MAC received in this part of a frame is lost above it.
    pub fn is_lost_above_mac(&self, member: usize, part: usize, size: u32) -> bool {
        let success = self.settings.success_above_mac(size);
        let draw = |(seed, channel): (u64, u64)| {
            let number = self.members[member].heard.received << 1 | part as u64;
            draw_uniform(seed, channel ^ PACKET_ERROR_DRAW, number, member as u64)
        };
        success < 1.0 && draw(self.keys) >= success
    }

    /// Counts of frames that a member received and missed.
    pub fn receive_counters(&self, member: usize) -> &ReceiveCounters {
        &self.members[member].heard
    }

    /// Counts of frames that a member sent, and of their attempts.
    pub fn send_counters(&self, member: usize) -> &SendCounters {
        &self.sent[member]
    }

    /// The next start or end of a transmission at a listener; `None` when it has passed all.
    pub fn next(&self, transmission: u32) -> Option<(Instant, Phase)> {
        self.transmissions[transmission].next()
    }

    /// A transmission has passed all listeners: addressees out of range have missed it.
    pub fn count_out_of_reach(&mut self, transmission: u32) {
        let Transmission {
            in_flight: InFlight { frame, sender, pending_addressees, .. }, ref listeners, ..
        } = self.transmissions[transmission];
        if pending_addressees == 0 {
            return;
        }
        for node in frame.addressees() {
            if !listeners.iter().any(|listener| self.members[listener.member as usize].node == node) {
                let missed = MissedFrame { frame, node, cause: Cause::OutOfRange };
                missed.count(&mut self.sent[sender as usize], &mut self.missed);
            }
        }
    }

    /// A transmission is over.
    pub fn end(&mut self, transmission: u32, cx: &mut Context) {
        let Transmission { in_flight, listeners, .. } = self.transmissions.remove(transmission);
        self.sole = self.sole.filter(|&sole| sole != transmission);
        let InFlight { frame, parts, .. } = in_flight;
        assert!(parts == [None; 2], "a frame passed all listeners but not its next hop");
        frame.parts.into_iter().flatten().for_each(|part| cx.packets.forget(part.packet));
        self.reachability.recycle(listeners);
    }

    #[cfg(test)]
    pub(crate) fn set_trajectory(&mut self, member: usize, trajectory: Trajectory, now: Instant) {
        self.reachability.set_trajectory(member, trajectory, now);
    }

    /// Copies in flight, for the ledger.
    pub fn held_packets(&self) -> impl Iterator<Item = Held> {
        self.packets(|in_flight| &in_flight.parts)
    }

    /// References that listeners read.
    pub fn references(&self) -> impl Iterator<Item = PacketId> {
        self.packets(|in_flight| &in_flight.frame.parts).map(|held| held.packet)
    }

    fn packets(&self, of: fn(&InFlight) -> &[Option<Part>; 2]) -> impl Iterator<Item = Held> {
        let held = |Part { packet, .. }, node| Held { packet, location: Location::Medium, node };
        self.transmissions.iter().flat_map(move |(_, passing)| {
            let node = passing.in_flight.frame.sender;
            of(&passing.in_flight).iter().flatten().map(move |part| held(*part, node))
        })
    }
}

#[cfg(test)]
mod tests;
