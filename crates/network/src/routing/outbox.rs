//! [`Outbox`]: packets of a protocol that leave a little later, so that neighbours do not all answer a
//! broadcast at once.

use farlink_kernel::Instant;

use crate::context::{Context, Effect};
use crate::hop::Hop;
use crate::ids::{NodeId, PacketId};

#[derive(Clone, Debug, Default)]
pub struct Outbox {
    /// The next one last; of equal times the one that came first.
    waiting: Vec<(Instant, PacketId, Hop)>,
}

impl Outbox {
    pub fn push(&mut self, at: Instant, packet: PacketId, hop: Hop) {
        let place = self.waiting.partition_point(|&(other, ..)| other > at);
        self.waiting.insert(place, (at, packet, hop));
    }

    pub fn deadline(&self) -> Instant {
        self.waiting.last().map_or(Instant::NEVER, |&(at, ..)| at)
    }

    pub fn send_due(&mut self, node: NodeId, cx: &mut Context) {
        while let Some((_, packet, hop)) = self.waiting.pop_if(|(at, ..)| *at <= cx.now) {
            cx.push(Effect::Send { node, packet, hop });
        }
    }

    pub fn held(&self) -> impl Iterator<Item = PacketId> {
        self.waiting.iter().map(|&(_, packet, _)| packet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hop::NextHop;
    use crate::ids::InterfaceId;

    #[test]
    fn packets_leave_in_the_order_of_their_times() {
        let at = Instant::from_nanos;
        let hop = Hop { interface: InterfaceId(0), next_hop: NextHop::Everyone };
        let mut outbox = Outbox::default();
        for (time, packet) in [(30, 1), (10, 2), (30, 3), (20, 4)] {
            outbox.push(at(time), PacketId(packet), hop);
        }
        assert_eq!(outbox.deadline(), at(10));
        let mut cx = Context::new(0);
        let mut sent_until = |nanos| {
            cx.now = at(nanos);
            outbox.send_due(NodeId(0), &mut cx);
            let sent = cx.effects.drain(..).map(|effect| match effect {
                Effect::Send { packet, .. } => packet,
                other => panic!("{other:?}"),
            });
            sent.collect::<Vec<_>>()
        };
        assert_eq!((sent_until(20), sent_until(29)), ([2, 4].map(PacketId).to_vec(), vec![]));
        // Those of one time leave in the order they came.
        assert_eq!(sent_until(30), [1, 3]);
    }
}
