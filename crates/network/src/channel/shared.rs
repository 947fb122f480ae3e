//! [`Air`]: a channel many nodes share. A transmission walks its listeners in the order it reaches them, with
//! one cursor for its starts and one for its ends, so one event is pending for it.
//!
//! The air owns the copies under way. A copy goes to its next hop when that makes it out; otherwise it ends
//! there, with the cause the next hop met. One that is out of its next hop's reach ends at once, so that it
//! makes no difference whether listeners out of reach are looked at. A packet for everyone stays with its
//! sender: each listener that makes it out gets a copy. All others read a shadow of it, which stays until
//! everyone was passed.

use std::sync::Arc;

use farlink_kernel::random::name_key;
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

pub mod above;
mod hand_over;
mod member;
pub mod miss;
mod reach;
mod transmission;
mod walk;

use above::Attention;
use member::Member;
use miss::Miss;
use reach::Reach;
use transmission::{Listener, Load, Transmission};
pub use walk::Walk;

/// The number of nodes that are not on the channel.
const NOBODY: u32 = u32::MAX;

/// A shared channel.
#[derive(Debug)]
pub struct Air {
    members: Vec<Member>,
    /// The members' numbers by node, [`NOBODY`] for others.
    numbers: Vec<u32>,
    ears: Vec<ReceiveCounters>,
    tallies: Vec<SendCounters>,
    reach: Reach,
    /// The run's seed and the channel's, for draws.
    keys: (u64, u64),
    settings: Settings,
    transmissions: Slab<Transmission>,
    /// What a monitor was not shown yet; `None` when nobody watches.
    pub misses: Option<Vec<Miss>>,
    /// Every frame that was sent, and when.
    #[cfg(test)]
    pub(crate) sent: Vec<(Instant, Frame)>,
}

impl Air {
    /// A silent channel, the `number`th. `members` are nodes and interfaces, the nodes in ascending order.
    pub fn new(
        medium: Medium,
        phy: Arc<dyn Phy>,
        members: impl Iterator<Item = (NodeId, InterfaceId)>,
        trajectories: Vec<Trajectory>,
        (seed, number): (u64, u64),
    ) -> Self {
        let keys = (seed, name_key("air") ^ number);
        let members: Vec<Member> = members.map(|(node, interface)| Member::new(node, interface)).collect();
        let mut numbers = vec![NOBODY; members.last().map_or(0, |last| last.node as usize + 1)];
        members.iter().zip(0..).for_each(|(member, number)| numbers[member.node as usize] = number);
        Self {
            members,
            numbers,
            ears: vec![ReceiveCounters::default(); trajectories.len()],
            tallies: vec![SendCounters::default(); trajectories.len()],
            keys,
            settings: Settings::new(&medium.antenna, phy),
            reach: Reach::new(medium, trajectories, keys),
            transmissions: Slab::new(),
            misses: None,
            #[cfg(test)]
            sent: Vec::new(),
        }
    }

    /// How frames become signals.
    pub fn phy(&self) -> &Arc<dyn Phy> {
        self.settings.phy()
    }

    /// What a member's MAC sees of the medium.
    pub fn carrier(&self, member: usize) -> Carrier {
        self.members[member].antenna.carrier()
    }

    /// What is wanted of a member from now on.
    pub fn attend(&mut self, member: usize, attention: Attention) {
        self.members[member].attention = attention;
    }

    /// A member begins to send.
    pub fn transmit(&mut self, member: usize, frame: Frame, length: Duration, cx: &mut Context) -> u32 {
        #[cfg(test)]
        self.sent.push((cx.now, frame));
        let sender = &mut self.members[member];
        sender.antenna.start_sending(cx.now);
        let number = (member as u64) << 32 | u64::from(sender.frames);
        sender.frames += 1;
        self.tallies[member].on_sent(&frame);
        let mut listeners = self.reach.listeners(member as u32, number, cx.now, &self.settings);
        let mut under_way = frame.parts.map(|part| part.filter(|part| part.next_hop != NextHop::Everyone));
        for node in frame.addressees() {
            match self.find(&mut listeners, node) {
                Some(listener) => listener.is_addressee = true,
                None => under_way
                    .iter_mut()
                    .filter_map(|part| part.take_if(|part| part.next_hop == NextHop::Node(node)))
                    .for_each(|part| cx.drop(part.packet, Cause::OutOfRange)),
            }
        }
        let is_for_all = frame.parts.iter().flatten().any(|part| part.next_hop == NextHop::Everyone);
        let mut frame = frame;
        for part in frame.parts.iter_mut().flatten() {
            part.packet = cx.packets.shadow(part.packet);
        }
        let unmet = frame.addressees().count() as u8;
        self.transmissions.insert(Transmission {
            load: Load { frame, sender: member as u32, under_way, unmet, is_for_all },
            mode: frame.mode,
            number,
            sent: cx.now + self.settings.phy().turnaround(),
            length,
            listeners,
            starts: 0,
            ends: 0,
        })
    }

    /// The listener at a node.
    fn find<'a>(&self, listeners: &'a mut [Listener], node: NodeId) -> Option<&'a mut Listener> {
        let member = *self.numbers.get(node as usize)?;
        listeners.iter_mut().find(|listener| listener.member == member)
    }

    /// A member's antenna has sent its frame.
    pub fn on_antenna_free(&mut self, member: usize, now: Instant) {
        self.members[member].antenna.stop_sending(now);
    }

    /// For how long a member heard others.
    pub fn heard(&self, member: usize, now: Instant) -> Duration {
        self.members[member].antenna.heard(now)
    }

    /// A member's MAC keeps a packet for a neighbour that did not answer.
    pub fn on_failed(&mut self, member: usize, neighbour: NodeId) {
        self.tallies[member].attempts.on_failed(neighbour);
    }

    /// A member's MAC gave up on a packet for a neighbour.
    pub fn on_given_up(&mut self, member: usize, neighbour: NodeId) {
        self.tallies[member].attempts.on_given_up(neighbour);
    }

    /// What a member made out and missed.
    pub fn ears(&self, member: usize) -> &ReceiveCounters {
        &self.ears[member]
    }

    /// What a member sent, and what became of it.
    pub fn tally(&self, member: usize) -> &SendCounters {
        &self.tallies[member]
    }

    /// When the transmission does something next; `None` when it has passed everyone.
    pub fn next(&self, transmission: u32) -> Option<(Instant, Phase)> {
        self.transmissions[transmission].next()
    }

    /// The transmission has passed everyone: nobody else makes it out.
    pub fn pass(&mut self, transmission: u32) {
        let Transmission { load: Load { frame, sender, unmet, .. }, ref listeners, .. } =
            self.transmissions[transmission];
        if unmet == 0 {
            return;
        }
        for node in frame.addressees() {
            if !listeners.iter().any(|listener| self.members[listener.member as usize].node == node) {
                let sender = &mut self.tallies[sender as usize];
                Miss { frame, node, cause: Cause::OutOfRange }.count(sender, &mut self.misses);
            }
        }
    }

    /// It is over.
    pub fn end(&mut self, transmission: u32, cx: &mut Context) {
        let Transmission { load, listeners, .. } = self.transmissions.remove(transmission);
        let Load { frame, under_way, .. } = load;
        assert!(under_way == [None; 2], "a frame passed everyone but not its next hop");
        frame.parts.into_iter().flatten().for_each(|part| cx.packets.forget(part.packet));
        self.reach.recycle(listeners);
    }

    /// Gives a member another trajectory.
    #[cfg(test)]
    pub(crate) fn set_trajectory(&mut self, member: usize, trajectory: Trajectory, now: Instant) {
        self.reach.set_trajectory(member, trajectory, now);
    }

    /// Copies in the air, for the ledger.
    pub fn held_packets(&self) -> impl Iterator<Item = Held> {
        self.packets(|load| &load.under_way)
    }

    /// Their shadows.
    pub fn shadows(&self) -> impl Iterator<Item = PacketId> {
        self.packets(|load| &load.frame.parts).map(|held| held.packet)
    }

    fn packets(&self, of: fn(&Load) -> &[Option<Part>; 2]) -> impl Iterator<Item = Held> {
        let held = |Part { packet, .. }, node| Held { packet, location: Location::Medium, node };
        self.transmissions.iter().flat_map(move |(_, passing)| {
            let node = passing.load.frame.sender;
            of(&passing.load).iter().flatten().map(move |part| held(*part, node))
        })
    }
}

#[cfg(test)]
mod tests;
