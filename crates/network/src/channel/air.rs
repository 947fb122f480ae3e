//! [`Air`]: a channel many nodes share. A transmission walks its listeners in the order it reaches them, with
//! one cursor for its starts and one for its ends, so one event is pending for it.
//!
//! The air owns the copies under way. A copy goes to its next hop when that makes it out; otherwise it ends
//! there, with the cause the next hop met. One that is out of its next hop's reach ends at once, so that it
//! makes no difference whether listeners out of reach are looked at. A packet for everyone stays with its
//! sender: each listener that makes it out gets a copy. All others read a shadow of it, which stays until
//! everyone was passed.

use std::sync::Arc;

use farlink_kernel::random::{draw_uniform, name_key};
use farlink_kernel::slab::Slab;
use farlink_kernel::{Duration, Instant, Phase};

use super::neighbourhood::Neighbourhood;
use super::propagation::{self, Luck, Path};
use crate::blueprint::{Delay, NodeId, Radio};
use crate::context::{Context, InterfaceId};
use crate::frame::{Frame, NextHop, Part};
use crate::mobility::trajectory::Trajectory;
use crate::packet::{Cause, PacketId};
use crate::phy::Phy;
use crate::phy::antenna::{Antenna, Carrier, Settings, Signal};
use crate::phy::power::{Level, Power};
use crate::probe::station::Tally;
use crate::space::{Metres, Speed};

mod hand_over;
pub mod miss;

use hand_over::hand_over;
use miss::Miss;

/// Whose luck it is.
const LUCK_OF_BITS: u64 = 0x6269_7473;

/// An interface on the channel.
#[derive(Clone, Debug)]
struct Member {
    node: NodeId,
    interface: InterfaceId,
    antenna: Antenna,
    /// Its MAC wants to know when the carrier comes and goes.
    is_watched: bool,
    frames: u32,
    tally: Tally,
}

/// Someone a transmission reaches.
#[derive(Clone, Copy, Debug)]
struct Listener {
    member: u32,
    /// Why it will not make the frame out, as far as that is certain when the signal begins.
    lost: Option<Cause>,
    level: Level,
    delay: Duration,
}

/// A frame in the air.
#[derive(Debug)]
struct Transmission {
    /// The frame, with shadows in the place of its packets.
    frame: Frame,
    /// Which member sends it.
    sender: u32,
    /// Its number for luck.
    number: u64,
    sent: Instant,
    length: Duration,
    starts: usize,
    ends: usize,
    listeners: Vec<Listener>,
    /// The parts that are on their way to their next hops.
    under_way: [Option<Part>; 2],
    /// How many neighbours it is for that it did not pass yet.
    unmet: u8,
}

/// What a MAC is to be told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Told {
    /// Whose.
    pub interface: InterfaceId,
    /// The frame its antenna made out, as the node has it.
    pub frame: Option<Frame>,
    /// How strong the signal is there.
    pub level: Level,
    /// The carrier came or went.
    pub is_carrier_news: bool,
}

/// A shared channel.
#[derive(Debug)]
pub struct Air {
    members: Vec<Member>,
    neighbourhood: Neighbourhood,
    propagation: propagation::Any,
    power: Power,
    /// Weaker signals change nothing.
    least: f64,
    delay: Delay,
    speed: Speed,
    settings: Settings,
    seed: u64,
    key: u64,
    transmissions: Slab<Transmission>,
    /// Whom a member reaches, where that is the same for every frame.
    known: Vec<Option<Vec<Listener>>>,
    /// Lists to be used again.
    pool: Vec<Vec<Listener>>,
    near: Vec<u32>,
    /// What a monitor was not shown yet; `None` when nobody watches.
    pub misses: Option<Vec<Miss>>,
    /// Every frame that was sent, and when.
    #[cfg(test)]
    pub(crate) sent: Vec<(Instant, Frame)>,
}

impl Air {
    /// A silent channel, the `number`th. `members` are nodes and interfaces.
    pub fn new(
        radio: &Radio,
        phy: Arc<dyn Phy>,
        members: impl Iterator<Item = (NodeId, InterfaceId)>,
        trajectories: Vec<Trajectory>,
        (seed, number): (u64, u64),
    ) -> Self {
        let propagation = radio.propagation.build(&());
        let least = radio.antenna.floor().watts / radio.antenna.power.watts;
        let member = |(node, interface)| {
            let antenna = Antenna::default();
            Member { node, interface, antenna, is_watched: false, frames: 0, tally: Tally::default() }
        };
        let members: Vec<_> = members.map(member).collect();
        Self {
            known: vec![None; members.len()],
            members,
            neighbourhood: Neighbourhood::new(trajectories, propagation.reach(least), radio.skip_far),
            propagation,
            power: radio.antenna.power,
            least,
            delay: radio.delay,
            speed: radio.speed,
            settings: Settings::new(&radio.antenna, phy),
            seed,
            key: name_key("air") ^ number,
            transmissions: Slab::new(),
            pool: Vec::new(),
            near: Vec::new(),
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
        self.members[member].antenna.carrier(&self.settings)
    }

    /// Whether a member's MAC wants to know when the carrier comes and goes.
    pub fn watch(&mut self, member: usize, is_watched: bool) {
        self.members[member].is_watched = is_watched;
    }

    fn level(&self, gain: f64) -> Level {
        Power::from_watts(self.power.watts * gain).level()
    }

    fn delay_over(&self, distance: Metres) -> Duration {
        match self.delay {
            Delay::Distance => self.speed.time_for(distance),
            Delay::None => Duration::ZERO,
        }
    }

    fn luck(&self, frame: u64, sender: u64, at: Instant) -> Luck {
        Luck { seed: self.seed, channel: self.key, frame, sender, listener: 0, at }
    }

    /// Whom a frame of `member` reaches, in the order reached.
    fn reached(&mut self, member: usize, number: u64, now: Instant) -> Vec<Listener> {
        let mut listeners = self.pool.pop().unwrap_or_default();
        listeners.clear();
        if let Some(known) = &self.known[member] {
            listeners.extend_from_slice(known);
            return listeners;
        }
        let mut near = std::mem::take(&mut self.near);
        self.neighbourhood.near(member as u32, now, &mut near);
        let from = self.neighbourhood.position(member as u32, now);
        let mut luck = self.luck(number, member as u64, now);
        for &other in &near {
            let path = Path::new(from, self.neighbourhood.position(other, now));
            luck.listener = u64::from(other);
            let gain = self.propagation.gain(&path, self.least, &luck);
            if gain >= self.least {
                let (level, delay) = (self.level(gain), self.delay_over(path.distance));
                listeners.push(Listener { member: other, lost: None, level, delay });
            }
        }
        self.near = near;
        listeners.sort_unstable_by_key(|listener| (listener.delay, listener.member));
        if self.neighbourhood.is_still() && !self.propagation.is_random() {
            self.known[member] = Some(listeners.clone());
        }
        listeners
    }

    /// A member begins to send.
    pub fn transmit(&mut self, member: usize, frame: Frame, length: Duration, cx: &mut Context) -> u32 {
        #[cfg(test)]
        self.sent.push((cx.now, frame));
        let sender = &mut self.members[member];
        sender.antenna.start_sending(cx.now);
        let number = (member as u64) << 32 | u64::from(sender.frames);
        sender.frames += 1;
        sender.tally.on_sent(&frame);
        let listeners = self.reached(member, number, cx.now);
        let reaches = |part: &Part| match part.next_hop {
            NextHop::Node(node) => {
                listeners.iter().any(|listener| self.members[listener.member as usize].node == node)
            }
            NextHop::Everyone => false,
        };
        let mut under_way = frame.parts;
        for part in under_way.iter_mut().filter_map(|part| part.take_if(|part| !reaches(part))) {
            if part.next_hop != NextHop::Everyone {
                cx.drop(part.packet, Cause::OutOfReach);
            }
        }
        let mut frame = frame;
        for part in frame.parts.iter_mut().flatten() {
            part.packet = cx.packets.shadow(part.packet);
        }
        let (sent, starts, ends, sender) = (cx.now, 0, 0, member as u32);
        let unmet = frame.addressees().count() as u8;
        let passing =
            Transmission { frame, sender, number, sent, length, starts, ends, listeners, under_way, unmet };
        self.transmissions.insert(passing)
    }

    /// A member's antenna has sent its frame.
    pub fn on_antenna_free(&mut self, member: usize, now: Instant) {
        self.members[member].antenna.stop_sending(now, &self.settings);
    }

    /// For how long a member heard others.
    pub fn heard(&self, member: usize, now: Instant) -> Duration {
        self.members[member].antenna.heard(now)
    }

    /// A member's MAC gave up on a packet for a neighbour.
    pub fn on_given_up(&mut self, member: usize, neighbour: NodeId) {
        self.members[member].tally.tries.on_given_up(neighbour);
    }

    /// What passed a member's antenna.
    pub fn tally(&self, member: usize) -> &Tally {
        &self.members[member].tally
    }

    /// When the transmission does something next; `None` when it has passed everyone.
    pub fn next(&self, transmission: u32) -> Option<(Instant, Phase)> {
        let Transmission { sent, length, starts, ends, ref listeners, .. } = self.transmissions[transmission];
        let start = listeners.get(starts).map(|listener| (sent + listener.delay, Phase::SignalStart));
        let end = listeners.get(ends).map(|listener| (sent + length + listener.delay, Phase::SignalEnd));
        start.into_iter().chain(end).min()
    }

    /// Begins or ends the transmission at the listeners it reaches now, up to the first whose MAC is to be told
    /// something; `None` when everyone was passed that it reaches in this phase of this moment.
    pub fn step(&mut self, transmission: u32, phase: Phase, cx: &mut Context) -> Option<Told> {
        match phase {
            Phase::SignalStart => self.step_starts(transmission, cx.now),
            _ => self.step_ends(transmission, cx),
        }
    }

    fn step_starts(&mut self, transmission: u32, now: Instant) -> Option<Told> {
        let passing = &mut self.transmissions[transmission];
        let (sent, length, mode) = (passing.sent, passing.length, passing.frame.mode);
        while let Some(listener) = passing.listeners.get_mut(passing.starts)
            && sent + listener.delay == now
        {
            passing.starts += 1;
            let member = &mut self.members[listener.member as usize];
            let was_busy = member.is_watched && member.antenna.is_busy(&self.settings);
            let signal = Signal { transmission, level: listener.level, mode, ends: now + length };
            listener.lost = member.antenna.start(signal, now, &self.settings);
            if member.is_watched && !was_busy && member.antenna.is_busy(&self.settings) {
                let (interface, level) = (member.interface, listener.level);
                return Some(Told { interface, frame: None, level, is_carrier_news: true });
            }
        }
        None
    }

    fn step_ends(&mut self, transmission: u32, cx: &mut Context) -> Option<Told> {
        let now = cx.now;
        let Transmission {
            sent,
            length,
            sender,
            number,
            ref frame,
            ref listeners,
            ref mut ends,
            ref mut under_way,
            ref mut unmet,
            ..
        } = self.transmissions[transmission];
        while let Some(&Listener { member, lost, level, delay }) = listeners.get(*ends)
            && sent + length + delay == now
        {
            *ends += 1;
            let draw = || draw_uniform(self.seed, self.key ^ LUCK_OF_BITS, number, u64::from(member));
            let listener = &mut self.members[member as usize];
            let was_busy = listener.is_watched && listener.antenna.is_busy(&self.settings);
            let signal = Signal { transmission, level, mode: frame.mode, ends: now };
            let lost = listener.antenna.end(signal, lost, draw, now, &self.settings);
            let is_carrier_news = was_busy && !listener.antenna.is_busy(&self.settings);
            let (node, interface) = (listener.node, listener.interface);
            listener.tally.on_signal_end(frame, node, lost);
            if frame.addressees().any(|to| to == node) {
                *unmet -= 1;
                if let Some(cause) = lost {
                    listener.tally.tries.on_missed(frame, node, cause);
                    let sender = &mut self.members[sender as usize].tally;
                    Miss { frame: *frame, node, cause }.count(sender, &mut self.misses);
                }
            }
            let frame = hand_over(frame, node, lost, under_way, cx);
            if frame.is_some() || is_carrier_news {
                return Some(Told { interface, frame, level, is_carrier_news });
            }
        }
        None
    }

    /// The transmission has passed everyone: nobody else makes it out.
    pub fn pass(&mut self, transmission: u32) {
        let Transmission { frame, sender, unmet, ref listeners, .. } = self.transmissions[transmission];
        if unmet == 0 {
            return;
        }
        for node in frame.addressees() {
            if !listeners.iter().any(|listener| self.members[listener.member as usize].node == node) {
                let sender = &mut self.members[sender as usize].tally;
                Miss { frame, node, cause: Cause::OutOfReach }.count(sender, &mut self.misses);
            }
        }
    }

    /// It is over.
    pub fn end(&mut self, transmission: u32, cx: &mut Context) {
        let Transmission { frame, under_way, listeners, .. } = self.transmissions.remove(transmission);
        assert!(under_way == [None; 2], "a frame passed everyone but not its next hop");
        frame.parts.into_iter().flatten().for_each(|part| cx.packets.forget(part.packet));
        self.pool.push(listeners);
    }

    /// Gives a member another trajectory.
    #[cfg(test)]
    pub(crate) fn set_trajectory(&mut self, member: usize, trajectory: Trajectory, now: Instant) {
        self.neighbourhood.set_trajectory(member, trajectory, now);
        self.known.iter_mut().for_each(|known| *known = None);
    }

    /// Copies in the air, for the books.
    pub fn held_packets(&self) -> impl Iterator<Item = PacketId> {
        self.packets(|passing| &passing.under_way)
    }

    /// Their shadows.
    pub fn shadows(&self) -> impl Iterator<Item = PacketId> {
        self.packets(|passing| &passing.frame.parts)
    }

    fn packets(&self, of: fn(&Transmission) -> &[Option<Part>; 2]) -> impl Iterator<Item = PacketId> {
        self.transmissions
            .iter()
            .flat_map(move |(_, passing)| of(passing).iter().flatten())
            .map(|part| part.packet)
    }
}

#[cfg(test)]
mod tests;
