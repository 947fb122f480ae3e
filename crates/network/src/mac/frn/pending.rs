//! [`PendingPacket`]: a packet taken from its queue, which waits for its slot, for its answer, or for its retransmission.
//! [`PendingPackets`]: those of a station.

use std::collections::VecDeque;
use std::ops::Index;

use super::config::EchoFrom;
use crate::hop::{NextHop, Part};
use crate::ids::NodeId;
use farlink_kernel::ordered::{Map, Set};

/// The last attempt to send a packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attempt {
    pub(super) slot: u64,
    pub(super) answer: u64,
    /// Number of the frame, and the packet's part in it.
    pub(super) frame: u32,
    pub(super) part: u8,
    pub(super) to: NodeId,
    /// The answer is still expected in its slot.
    pub(super) is_awaited: bool,
    /// The answer came after its slot.
    pub(super) has_late_answer: bool,
}

/// A packet, and the state of its transmission.
#[derive(Clone, Copy, Debug)]
pub(super) struct PendingPacket {
    /// 0: from the queue of all packets, or of data; 1: from that of acknowledgements.
    pub(super) queue: u8,
    /// The packet, and the next hop of the next attempt.
    pub(super) part: Part,
    pub(super) number: u64,
    /// Its place among all that were ever pending; `PendingPackets::push` gives it.
    pub(super) order: u64,
    /// It is relayed and precedes queued packets.
    pub(super) is_relay: bool,
    /// The first slot that began after it was taken from its queue.
    pub(super) since: u64,
    /// The slot of the next attempt, while no answer is expected.
    pub(super) due: u64,
    pub(super) sent: Option<Attempt>,
}

impl PendingPacket {
    pub(super) fn answer_slot(&self) -> Option<u64> {
        self.sent.filter(|sent| sent.is_awaited).map(|sent| sent.answer)
    }

    pub(super) fn is_ready(&self) -> bool {
        self.answer_slot().is_none()
    }

    /// True when it is for all neighbours and has no answer.
    pub(super) fn is_broadcast(&self) -> bool {
        self.part.next_hop == NextHop::Everyone
    }

    /// True when a transmission of it by `sender` is its relay echo. `from`: its previous hop.
    pub(super) fn is_echoed(&self, sender: NodeId, from: Option<NodeId>, echo_from: EchoFrom) -> bool {
        self.sent.is_some_and(|sent| match echo_from {
            EchoFrom::NextHop => sent.to == sender,
            EchoFrom::AnyNeighbour => from != Some(sender),
        })
    }

    /// True when an FRN ACK for this part of a frame acknowledges it.
    pub(super) fn is_answered(&self, frame: u32, part: u8) -> bool {
        self.sent.is_some_and(|sent| (sent.frame, sent.part) == (frame, part))
    }
}

/// The second part of a frame is relayed so many slots after its reception; all other packets in the next.
const LATEST_RELAY: u64 = 2;

/// In the order in which they left the queues. Where duplicates are forwarded thousands accumulate: nearly all are
/// overdue, and few await an answer. What every slot asks for is then found without a search over all of them: an
/// overdue packet near the front, one that was just received at the back, copies and awaited answers by an index.
/// Only what an FRN ACK or a new next hop is for is looked for among all.
#[derive(Debug, Default)]
pub(super) struct PendingPackets {
    packets: VecDeque<PendingPacket>,
    /// How many have been pushed.
    pushed: u64,
    /// The number of each packet with its place in the order.
    by_number: Set<(u64, u64)>,
    /// Those that await an answer, by their place in the order, with its slot.
    awaiting: Map<u64, u64>,
    /// How many are of each queue.
    counts: [usize; 2],
    /// How many of each queue were not transmitted yet.
    untried: [usize; 2],
}

impl PendingPackets {
    pub(super) fn push(&mut self, packet: PendingPacket) {
        self.pushed += 1;
        self.by_number.insert((packet.number, self.pushed));
        self.counts[usize::from(packet.queue)] += 1;
        self.untried[usize::from(packet.queue)] += 1;
        self.packets.push_back(PendingPacket { order: self.pushed, ..packet });
    }

    pub(super) fn remove(&mut self, index: usize) -> PendingPacket {
        let packet = self.packets.remove(index).expect("an index of these");
        self.by_number.remove(&(packet.number, packet.order));
        self.awaiting.remove(&packet.order);
        self.counts[usize::from(packet.queue)] -= 1;
        self.untried[usize::from(packet.queue)] -= usize::from(packet.sent.is_none());
        packet
    }

    /// It is transmitted, and its answer is awaited.
    pub(super) fn on_sent(&mut self, index: usize, attempt: Attempt) {
        let packet = &mut self.packets[index];
        self.untried[usize::from(packet.queue)] -= usize::from(packet.sent.is_none());
        self.awaiting.insert(packet.order, attempt.answer);
        packet.sent = Some(attempt);
    }

    /// No answer came to the last attempt, which is returned.
    pub(super) fn stop_awaiting(&mut self, index: usize) -> Option<Attempt> {
        let packet = &mut self.packets[index];
        let sent = packet.sent.as_mut().filter(|sent| sent.is_awaited)?;
        sent.is_awaited = false;
        self.awaiting.remove(&packet.order);
        Some(*sent)
    }

    /// An answer came to an attempt that does not await it any more; true when it is the first.
    pub(super) fn on_late_answer(&mut self, index: usize) -> bool {
        let sent = self.packets[index].sent.as_mut();
        sent.is_some_and(|sent| !std::mem::replace(&mut sent.has_late_answer, true))
    }

    /// Its retransmission is due in this slot.
    pub(super) fn schedule(&mut self, index: usize, due: u64) {
        self.packets[index].due = due;
    }

    pub(super) fn redirect(&mut self, index: usize, next_hop: NextHop) {
        self.packets[index].part.next_hop = next_hop;
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &PendingPacket> {
        self.packets.iter()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    pub(super) fn count(&self, queue: u8) -> usize {
        self.counts[usize::from(queue)]
    }

    pub(super) fn has_untried(&self, queue: u8) -> bool {
        self.untried[usize::from(queue)] > 0
    }

    pub(super) fn has_tried(&self) -> bool {
        self.untried.iter().sum::<usize>() < self.packets.len()
    }

    /// The indices of all packets that meet a condition.
    pub(super) fn positions(&self, meets: impl Fn(&PendingPacket) -> bool) -> impl Iterator<Item = usize> {
        self.packets.iter().enumerate().filter(move |(_, each)| meets(each)).map(|(index, _)| index)
    }

    /// The index of the first packet that meets a condition.
    pub(super) fn position(&self, meets: impl Fn(&PendingPacket) -> bool) -> Option<usize> {
        self.packets.iter().position(meets)
    }

    /// The index of the first packet that awaits an answer and meets a condition.
    pub(super) fn position_awaiting(&self, meets: impl Fn(&PendingPacket) -> bool) -> Option<usize> {
        self.awaiting.keys().map(|&order| self.index_of(order)).find(|&index| meets(&self[index]))
    }

    /// The indices of the copies of a packet.
    pub(super) fn copies(&self, number: u64) -> impl Iterator<Item = usize> {
        self.by_number.range((number, 0)..=(number, u64::MAX)).map(|&(_, order)| self.index_of(order))
    }

    fn index_of(&self, order: u64) -> usize {
        self.packets.partition_point(|each| each.order < order)
    }

    /// The slots of the answers that are awaited.
    pub(super) fn answer_slots(&self) -> impl Iterator<Item = u64> {
        self.awaiting.values().copied()
    }

    /// The first of a queue that awaits no answer, and is due by this slot.
    pub(super) fn first_due(&self, queue: u8, until: u64) -> Option<usize> {
        let mut of_queue = self.positions(|each| each.queue == queue).take(self.count(queue));
        of_queue.find(|&index| self[index].is_ready() && self[index].due <= until)
    }

    /// The first of a queue that was not transmitted yet.
    pub(super) fn first_untried(&self, queue: u8) -> Option<usize> {
        if !self.has_untried(queue) {
            return None;
        }
        self.position(|each| each.queue == queue && each.sent.is_none())
    }

    /// The first of a queue that was received before this slot, and is to be relayed in it.
    pub(super) fn first_new_relay(&self, queue: u8, slot: u64) -> Option<usize> {
        let newest = self.packets.iter().enumerate().rev();
        newest
            .take_while(|(_, each)| each.since + LATEST_RELAY >= slot)
            .filter(|(_, each)| {
                each.queue == queue && each.is_relay && each.sent.is_none() && each.due == slot
            })
            .last()
            .map(|(index, _)| index)
    }

    /// The first slot, but not before `earliest`, in which one is due that awaits no answer.
    pub(super) fn next_due(&self, earliest: u64) -> Option<u64> {
        let mut next = None;
        for packet in self.packets.iter().filter(|each| each.is_ready()) {
            if packet.due <= earliest {
                return Some(earliest);
            }
            next = Some(next.map_or(packet.due, |due: u64| due.min(packet.due)));
        }
        next
    }
}

impl Index<usize> for PendingPackets {
    type Output = PendingPacket;

    fn index(&self, index: usize) -> &PendingPacket {
        &self.packets[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::PacketId;

    #[test]
    fn an_echo_is_that_of_the_next_hop_or_of_any_neighbour_but_the_previous_hop() {
        let [previous, next, other] = [1, 2, 3].map(NodeId);
        let part = Part { packet: PacketId(0), next_hop: NextHop::Node(next) };
        let sent = Attempt {
            slot: 4,
            answer: 5,
            frame: 1,
            part: 0,
            to: next,
            is_awaited: true,
            has_late_answer: false,
        };
        let untried = PendingPacket {
            queue: 0,
            part,
            number: 7,
            order: 0,
            is_relay: true,
            since: 4,
            due: 4,
            sent: None,
        };
        let tried = PendingPacket { sent: Some(sent), ..untried };
        let echoes = |pending: PendingPacket, echo_from| {
            [previous, next, other].map(|sender| pending.is_echoed(sender, Some(previous), echo_from))
        };
        assert_eq!(echoes(tried, EchoFrom::NextHop), [false, true, false]);
        assert_eq!(echoes(tried, EchoFrom::AnyNeighbour), [false, true, true]);
        assert_eq!(echoes(untried, EchoFrom::AnyNeighbour), [false; 3]);
    }

    fn attempt(slot: u64, frame: u32) -> Attempt {
        let (answer, to) = (slot + 1, NodeId(1));
        Attempt { slot, answer, frame, part: 0, to, is_awaited: true, has_late_answer: false }
    }

    fn untried(queue: u64, number: u64, since: u64, due: u64) -> PendingPacket {
        let part = Part { packet: PacketId(0), next_hop: NextHop::Node(NodeId(1)) };
        let (queue, is_relay) = (queue as u8, due > since || number.is_multiple_of(2));
        PendingPacket { queue, part, number, order: 0, is_relay, since, due, sent: None }
    }

    /// After random pushes, transmissions, failures and removals, also of packets whose answer is awaited.
    #[test]
    fn every_search_finds_what_a_search_over_all_finds() {
        let mut pending = PendingPackets::default();
        let (mut sent, mut answered) = (0, 0);
        for step in 0..4000 {
            let random = |of: u64, salt| farlink_kernel::random::draw(1, 2, step, salt) % of;
            let slot = step / 4;
            let index = random(pending.iter().count().max(1) as u64, 0) as usize;
            let is_awaited = !pending.is_empty() && !pending[index].is_ready();
            match random(5, 1) {
                0..=2 => {
                    let due = slot + random(3, 5);
                    pending.push(untried(random(2, 2), random(20, 3), slot, due));
                }
                3 if is_awaited => {
                    pending.stop_awaiting(index);
                    pending.schedule(index, slot + random(15, 6));
                }
                3 if !pending.is_empty() => {
                    sent += 1;
                    pending.on_sent(index, attempt(slot, sent));
                }
                4 if !pending.is_empty() => {
                    answered += u32::from(is_awaited);
                    pending.remove(index);
                }
                _ => {}
            }
            check(&pending, slot);
        }
        assert!(sent > 100 && answered > 20 && pending.iter().count() > 100);
    }

    #[test]
    fn only_the_first_late_answer_counts() {
        let mut pending = PendingPackets::default();
        pending.push(untried(0, 7, 4, 4));
        pending.on_sent(0, attempt(4, 1));
        assert_eq!(pending.stop_awaiting(0).map(|sent| sent.frame), Some(1));
        assert!(pending.stop_awaiting(0).is_none());
        assert_eq!([pending.on_late_answer(0), pending.on_late_answer(0)], [true, false]);
    }

    fn check(pending: &PendingPackets, slot: u64) {
        let all = || pending.iter().enumerate();
        let first = |meets: &dyn Fn(&PendingPacket) -> bool| {
            all().find(|(_, each)| meets(each)).map(|(index, _)| index)
        };
        for queue in [0, 1] {
            assert_eq!(pending.count(queue), all().filter(|(_, each)| each.queue == queue).count());
            let untried = first(&|each| each.queue == queue && each.sent.is_none());
            assert_eq!(
                (pending.first_untried(queue), pending.has_untried(queue)),
                (untried, untried.is_some())
            );
            for until in [slot, u64::MAX] {
                let due = first(&|each| each.queue == queue && each.is_ready() && each.due <= until);
                assert_eq!(pending.first_due(queue, until), due);
            }
            let relay = |each: &PendingPacket| each.is_relay && each.sent.is_none() && each.due == slot;
            assert_eq!(
                pending.first_new_relay(queue, slot),
                first(&|each| each.queue == queue && relay(each))
            );
        }
        assert_eq!(pending.has_tried(), all().any(|(_, each)| each.sent.is_some()));
        let due = all().filter(|(_, each)| each.is_ready()).map(|(_, each)| each.due.max(slot)).min();
        assert_eq!(pending.next_due(slot), due);
        let slots = all().filter_map(|(_, each)| each.answer_slot());
        assert!(pending.answer_slots().eq(slots));
        assert_eq!(pending.position_awaiting(|_| true), first(&|each| !each.is_ready()));
        let copies = all().filter(|(_, each)| each.number == 7).map(|(index, _)| index);
        assert!(pending.copies(7).eq(copies));
    }
}
