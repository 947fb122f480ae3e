//! [`Air`]: a channel many nodes share. A transmission walks its listeners in the order it reaches them, with
//! one cursor for its starts and one for its ends, so one event is pending for it.
//!
//! The air owns the copies under way. A copy goes to its next hop when that makes it out; otherwise it ends
//! there, with the cause the next hop met. One that is out of its next hop's reach ends at once, so that it
//! makes no difference whether listeners out of reach are walked. All others read a shadow of the copy, which
//! stays until everyone was passed, whatever becomes of the copy.

use farlink_kernel::slab::Slab;
use farlink_kernel::{Duration, Instant, Phase};

use crate::blueprint::NodeId;
use crate::context::{Context, InterfaceId};
use crate::frame::{Frame, Part};
use crate::packet::{Cause, PacketId};

/// Someone a member's transmissions reach.
#[derive(Clone, Copy, Debug)]
pub struct Listener {
    /// Which node.
    pub node: NodeId,
    /// At which interface.
    pub interface: InterfaceId,
    /// After how long.
    pub delay: Duration,
    /// How loud, in dBm.
    pub power_dbm: f64,
}

impl Listener {
    /// True when there is anything to hear.
    pub fn is_in_reach(&self) -> bool {
        self.power_dbm > f64::NEG_INFINITY
    }
}

/// A frame in the air.
#[derive(Clone, Debug)]
struct Transmission {
    /// The frame, with shadows in the place of its packets.
    frame: Frame,
    member: usize,
    sent: Instant,
    length: Duration,
    starts: usize,
    ends: usize,
    /// The parts that are on their way to their next hops.
    under_way: [Option<Part>; 2],
}

/// The next thing a transmission does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// It begins at a listener.
    Start(InterfaceId, f64),
    /// It ends at a listener.
    End(InterfaceId),
}

/// A shared channel.
#[derive(Debug)]
pub struct Air {
    /// Per member, in the order reached.
    listeners: Vec<Vec<Listener>>,
    transmissions: Slab<Transmission>,
}

impl Air {
    /// A silent channel; `listeners` of each member in any order.
    pub fn new(mut listeners: Vec<Vec<Listener>>) -> Self {
        for reached in &mut listeners {
            reached.sort_by_key(|listener| (listener.delay, listener.interface));
        }
        Self { listeners, transmissions: Slab::new() }
    }

    /// Who hears `member`, in the order reached.
    pub fn listeners(&self, member: usize) -> &[Listener] {
        &self.listeners[member]
    }

    /// A member begins to send.
    pub fn transmit(&mut self, member: usize, frame: Frame, length: Duration, cx: &mut Context) -> u32 {
        let reaches = |part: &Part| {
            let mut heard = self.listeners[member].iter().filter(|listener| listener.is_in_reach());
            heard.any(|listener| listener.node == part.next_hop)
        };
        let mut under_way = frame.parts;
        for part in under_way.iter_mut().filter_map(|part| part.take_if(|part| !reaches(part))) {
            cx.drop(part.packet, Cause::OutOfReach);
        }
        let mut frame = frame;
        for part in frame.parts.iter_mut().flatten() {
            part.packet = cx.packets.shadow(part.packet);
        }
        let sent = cx.now;
        self.transmissions.insert(Transmission { frame, member, sent, length, starts: 0, ends: 0, under_way })
    }

    /// When the transmission does something next; `None` when it has passed everyone.
    pub fn next(&self, transmission: u32) -> Option<(Instant, Phase)> {
        let Transmission { member, sent, length, starts, ends, .. } = self.transmissions[transmission];
        let reached = &self.listeners[member];
        let start = reached.get(starts).map(|listener| (sent + listener.delay, Phase::SignalStart));
        let end = reached.get(ends).map(|listener| (sent + length + listener.delay, Phase::SignalEnd));
        start.into_iter().chain(end).min()
    }

    /// Does what comes next.
    pub fn step(&mut self, transmission: u32) -> Option<Step> {
        let (_, phase) = self.next(transmission)?;
        let passing = &mut self.transmissions[transmission];
        let reached = &self.listeners[passing.member];
        if phase == Phase::SignalStart {
            let Listener { interface, power_dbm, .. } = reached[passing.starts];
            passing.starts += 1;
            return Some(Step::Start(interface, power_dbm));
        }
        passing.ends += 1;
        Some(Step::End(reached[passing.ends - 1].interface))
    }

    /// The signal ended at `node`, which made it out and takes the copies it is the next hop of, or lost them
    /// and why. The frame as that node has it.
    pub fn on_passed(
        &mut self,
        transmission: u32,
        node: NodeId,
        lost: Option<Cause>,
        cx: &mut Context,
    ) -> Frame {
        let Transmission { mut frame, ref mut under_way, .. } = self.transmissions[transmission];
        for (own, part) in frame.parts.iter_mut().zip(under_way) {
            let Some(taken) = part.take_if(|part| part.next_hop == node) else { continue };
            *own = Some(taken);
            if let Some(cause) = lost {
                cx.drop(taken.packet, cause);
            }
        }
        frame
    }

    /// The transmission has passed everyone.
    pub fn end(&mut self, transmission: u32, cx: &mut Context) {
        let Transmission { frame, under_way, .. } = self.transmissions.remove(transmission);
        assert!(under_way == [None; 2], "a frame passed everyone but not its next hop");
        frame.parts.into_iter().flatten().for_each(|part| cx.packets.forget(part.packet));
    }

    /// Takes a member out of everyone's reach until it is moved back (nodes do not move yet).
    #[cfg(test)]
    pub(crate) fn move_out_of_reach(&mut self, member: usize, interface: InterfaceId) -> Vec<Vec<Listener>> {
        let before = self.listeners.clone();
        for (from, reached) in self.listeners.iter_mut().enumerate() {
            for listener in reached.iter_mut().filter(|to| from == member || to.interface == interface) {
                listener.power_dbm = f64::NEG_INFINITY;
            }
        }
        before
    }

    /// Undoes [`Air::move_out_of_reach`].
    #[cfg(test)]
    pub(crate) fn move_back(&mut self, before: Vec<Vec<Listener>>) {
        self.listeners = before;
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
mod tests {
    use super::*;
    use crate::frame::FrameKind;

    #[test]
    fn starts_and_ends_come_in_the_order_of_arrival() {
        let listener = |interface, nanos| Listener {
            node: interface,
            interface,
            delay: Duration::from_nanos(nanos),
            power_dbm: 0.0,
        };
        let mut air = Air::new(vec![vec![listener(1, 500), listener(2, 20)]]);
        let frame = Frame { sender: 0, number: 0, kind: FrameKind::Data, parts: [None; 2], size: 1 };
        let sent = air.transmit(0, frame, Duration::from_nanos(100), &mut Context::new(0));
        let walk: Vec<_> = std::iter::from_fn(|| {
            let (at, _) = air.next(sent)?;
            air.step(sent).map(|step| (at.as_nanos(), step))
        })
        .collect();
        let expected =
            [(20, Step::Start(2, 0.0)), (120, Step::End(2)), (500, Step::Start(1, 0.0)), (600, Step::End(1))];
        assert_eq!(walk, expected);
    }
}
