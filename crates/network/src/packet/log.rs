//! [`Log`]: the beginning and the end of every copy of a packet, for those that ask for them.

use farlink_kernel::{Instant, choice};

use super::{Cause, Class, Discard, Duplication, Held, Location, Packet, Payload};
use crate::ids::{NodeId, PacketId};

/// How a copy ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It reached the transport of its destination, or the routing that reads it.
    Delivered,
    /// Another copy goes on or was there before, or the transport of its destination discarded it.
    Discarded(Discard),
    /// It is lost.
    Dropped(Cause),
    /// It is lost, and its sender kept another.
    AttemptFailed(Cause),
    /// It has not ended.
    InFlight(Location),
}

choice! {
    /// What became of the acknowledgement of the link layer for a copy that a next hop received.
    pub enum LinkAck {
        /// None was to come: the copy was not transmitted, not received, or no MAC kept another.
        None = "none",
        /// The sender waits for it.
        Awaited = "awaited",
        /// The sender received it.
        Received = "received",
        /// The sender did not receive it, and retransmitted the packet or gave it up.
        Lost = "lost",
    }
}

choice! {
    /// The fate of a packet: the first of these that one of its copies met.
    pub enum PacketFate {
        /// A copy was delivered.
        Delivered = "delivered",
        /// None was delivered, and the transport of its destination discarded one.
        Discarded = "discarded",
        /// None of both, and a copy is in flight.
        InFlight = "in_flight",
        /// Its last copy was lost.
        Dropped = "dropped",
        /// It was broadcast, and no node received it.
        Unreceived = "unreceived",
    }
}

/// A copy of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The packet's number.
    pub packet: u64,
    /// The copy's number among those of its packet; the original is 0.
    pub copy: u32,
    /// The copy it was made from; the original from itself.
    pub of: u32,
    /// What made it; `None`: the packet began with it.
    pub made_by: Option<Duplication>,
    /// What the packet is for.
    pub class: Class,
    /// The packet's flow, or after the flows its workload; `None` for routing's messages.
    pub flow: Option<u32>,
    /// Where the packet comes from.
    pub source: NodeId,
    /// When the copy began.
    pub begin: Instant,
    /// At which node.
    pub begin_node: NodeId,
    /// When it ended; `None` in flight.
    pub end: Option<Instant>,
    /// At which node it ended or is; a copy that is lost on a link or a medium ends at its sender.
    pub end_node: NodeId,
    /// How it ended.
    pub fate: Fate,
    /// Whether its sender learnt that it was received.
    pub link_ack: LinkAck,
    /// What became of the packet.
    pub packet_fate: PacketFate,
}

impl Row {
    fn packet_fate(&self) -> PacketFate {
        match self.fate {
            Fate::Delivered => PacketFate::Delivered,
            Fate::Discarded(why) if why.is_at_destination() => PacketFate::Discarded,
            Fate::InFlight(_) => PacketFate::InFlight,
            Fate::Dropped(_) => PacketFate::Dropped,
            Fate::Discarded(_) | Fate::AttemptFailed(_) => PacketFate::Unreceived,
        }
    }
}

const NONE: u32 = u32::MAX;

/// The copies in the order of their beginnings. [`Row::of`] is a place in that order until the end.
#[derive(Clone, Debug, Default)]
pub struct Log {
    rows: Vec<Row>,
    /// Of each row the last attempt that a next hop received.
    received: Vec<u32>,
    /// The rows of the copies in flight and of references, by packet id.
    open: Vec<u32>,
}

impl Log {
    #[cold]
    #[inline(never)]
    pub(super) fn on_origin(&mut self, id: PacketId, packet: &Packet, owner: u32, now: Instant) {
        let row = self.rows.len() as u32;
        self.push(
            id,
            Row {
                packet: packet.number,
                copy: 0,
                of: row,
                made_by: None,
                class: packet.class,
                flow: (!matches!(packet.payload, Payload::Message(_))).then_some(owner),
                source: packet.source,
                begin: now,
                begin_node: packet.source,
                end: None,
                end_node: packet.source,
                fate: Fate::InFlight(Location::Queue),
                link_ack: LinkAck::None,
                packet_fate: PacketFate::InFlight,
            },
        );
    }

    #[cold]
    #[inline(never)]
    pub(super) fn on_copy(&mut self, id: PacketId, of: PacketId, by: Duplication, now: Instant) {
        let of = self.open[of];
        if by == Duplication::Attempt {
            self.settle_ack(of, LinkAck::Lost);
        }
        let original = self.rows[of as usize];
        let copy = Row {
            of,
            made_by: Some(by),
            begin: now,
            begin_node: original.end_node,
            end: None,
            link_ack: LinkAck::None,
            ..original
        };
        self.push(id, copy);
    }

    /// What receivers of a broadcast copy may outlive the original.
    #[cold]
    #[inline(never)]
    pub(super) fn on_reference(&mut self, id: PacketId, of: PacketId) {
        let row = self.open[of];
        self.put(id, row);
    }

    fn push(&mut self, id: PacketId, row: Row) {
        self.put(id, u32::try_from(self.rows.len()).expect("fewer than 2^32 copies"));
        self.rows.push(row);
        self.received.push(NONE);
    }

    fn put(&mut self, id: PacketId, row: u32) {
        let place = id.as_index();
        if self.open.len() <= place {
            self.open.resize(place + 1, NONE);
        }
        self.open[place] = row;
    }

    fn row(&mut self, id: PacketId) -> &mut Row {
        &mut self.rows[self.open[id] as usize]
    }

    #[cold]
    #[inline(never)]
    pub(super) fn on_held(&mut self, id: PacketId, node: NodeId) {
        self.row(id).end_node = node;
    }

    #[cold]
    #[inline(never)]
    pub(super) fn on_received(&mut self, id: PacketId, node: NodeId) {
        let place = self.open[id];
        let row = self.row(id);
        row.end_node = node;
        if row.made_by == Some(Duplication::Attempt) && row.link_ack == LinkAck::None {
            row.link_ack = LinkAck::Awaited;
            let of = row.of;
            self.received[of as usize] = place;
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn on_end(&mut self, id: PacketId, fate: Fate, now: Instant) {
        let place = self.open[id];
        let row = self.row(id);
        (row.end, row.fate) = (Some(now), fate);
        let is_acknowledged = fate == Fate::Discarded(Discard::Acknowledged);
        self.settle_ack(place, if is_acknowledged { LinkAck::Received } else { LinkAck::Lost });
    }

    /// It is known whether the last attempt of this copy's that was received was also acknowledged.
    fn settle_ack(&mut self, row: u32, ack: LinkAck) {
        if let Some(attempt) = self.rows.get_mut(self.received[row as usize] as usize)
            && (attempt.link_ack == LinkAck::Awaited || ack == LinkAck::Received)
        {
            attempt.link_ack = ack;
        }
    }

    /// The rows by packet, then copy. `held` are the copies in flight.
    pub(crate) fn finish(mut self, held: &[Held]) -> Vec<Row> {
        for held in held {
            let place = self.open[held.packet];
            let row = &mut self.rows[place as usize];
            (row.end_node, row.fate) = (held.node, Fate::InFlight(held.location));
            if held.location != Location::Mac {
                self.settle_ack(place, LinkAck::Lost);
            }
        }
        let packets = self.rows.iter().map(|row| row.packet + 1).max().unwrap_or(0);
        let mut packets = vec![(0, PacketFate::Unreceived); packets as usize];
        for place in 0..self.rows.len() {
            let (copies, fate) = &mut packets[self.rows[place].packet as usize];
            self.rows[place].copy = *copies;
            *copies += 1;
            *fate = self.rows[place].packet_fate().min(*fate);
        }
        // A copy begins after the one it is made from.
        for place in 0..self.rows.len() {
            let of = self.rows[self.rows[place].of as usize].copy;
            let row = &mut self.rows[place];
            (row.of, row.packet_fate) = (of, packets[row.packet as usize].1);
        }
        self.rows.sort_by_key(|row| row.packet);
        self.rows
    }
}
