//! Packets that were dropped. Failed transmission attempts are fates of frames.

use farlink_kernel::Instant;
use farlink_network::hop::NextHop;
use farlink_network::ids::NodeId;
use farlink_network::observe::monitor::{PacketObserved, Step};
use farlink_network::packet::{CAUSES, Cause, Payload, named};
use serde_json::{Map, Value, json};

use super::{differences, or_none};

/// The limit on drops that are kept; more are counted only.
const MOST: usize = 100_000;

#[derive(Clone, Copy, Debug)]
struct Drop {
    at: Instant,
    node: NodeId,
    /// Its next hop, if routing had chosen one.
    to: Option<NodeId>,
    cause: Cause,
    kind: u8,
    flow: Option<u32>,
    packet: u64,
}

#[derive(Debug, Default)]
pub(super) struct Drops {
    list: Vec<Drop>,
    by_cause: [u64; CAUSES],
    /// By packet id: the packet's number, and its next hop.
    next_hops: Vec<Option<(u64, NodeId)>>,
}

impl Drops {
    pub(super) fn on_packet(&mut self, passage: &PacketObserved<'_>) {
        let PacketObserved { now: at, node, packet: id, packets, step } = *passage;
        let packet = &packets[id];
        match step {
            Step::Routed(hop) => {
                let place = id.as_index();
                self.next_hops.resize(self.next_hops.len().max(place + 1), None);
                self.next_hops[place] = match hop.next_hop {
                    NextHop::Node(next) => Some((packet.number, next)),
                    NextHop::Everyone => None,
                };
            }
            Step::Dropped(cause) if !packet.is_attempt => {
                self.by_cause[cause as usize] += 1;
                if self.list.len() == MOST {
                    return;
                }
                let next = self.next_hops.get(id.as_index()).copied().flatten();
                let to = next.filter(|(number, _)| *number == packet.number).map(|(_, next)| next);
                let flow =
                    (!matches!(packet.payload, Payload::Message(_))).then(|| packets.owner(packet.flow));
                let (kind, packet) = (packet.class as u8, packet.number);
                self.list.push(Drop { at, node, to, cause, kind, flow, packet });
            }
            _ => {}
        }
    }

    pub(super) fn to_json(&self) -> Value {
        let column = |of: fn(&Drop) -> i64| self.list.iter().map(of).collect::<Vec<_>>();
        let by_cause = named(&self.by_cause).into_iter();
        let counted: u64 = self.by_cause.iter().sum();
        json!({
            "by_cause": by_cause.map(|(cause, count)| (cause.into(), count.into())).collect::<Map<_, _>>(),
            "left_out": counted - self.list.len() as u64,
            "at_ns": differences(self.list.iter().map(|drop| drop.at)),
            "node": column(|drop| i64::from(drop.node)),
            "to": column(|drop| or_none(drop.to.map(|to| to.0))),
            "cause": column(|drop| drop.cause as i64),
            "kind": column(|drop| drop.kind.into()),
            "flow": column(|drop| or_none(drop.flow)),
            "packet": column(|drop| drop.packet.cast_signed()),
        })
    }
}
