//! Broch, Maltz, Johnson, Hu, Jetcheva, "A Performance Comparison of Multi-Hop Wireless Ad Hoc Network Routing Protocols",
//! MobiCom 1998; the queue that ns-2.35's DSR requires (`CMUPriQueue`, queue/dsr-priqueue.cc).
//!
//! Strict priority with a limit per class: routing packets first, then ACKs, then data. Left out: the class for
//! real-time traffic.

use farlink_kernel::config;
use farlink_tcp::Amount;

use super::fifo::{Fifo, fits};
use super::{Backlog, Entry, Offer, Parameters, Queue, Setup, Verdict};
use crate::context::Context;
use crate::hop::NextHop;
use crate::ids::PacketId;
use crate::packet::{CLASSES, Cause, Class};

pub(super) const SOURCE: &str = "Broch et al., MobiCom 1998; ns-2.35, queue/dsr-priqueue.cc";

config! {
    /// Parameters of the queue.
    pub struct Config {
        /// How much of each kind may wait, the packet being sent not included. ns-2: 50 packets (`IFQ_MAXLEN`).
        pub limit: Amount = Amount::Packets(50),
    }
}

impl Parameters for Config {
    fn marks(&self) -> bool {
        false
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Priority {
    limit: Amount,
    lines: [Fifo; CLASSES],
}

fn rank(class: Class) -> usize {
    match class {
        Class::Routing => 0,
        Class::Ack => 1,
        Class::Data => 2,
    }
}

impl Priority {
    pub(crate) fn new(config: &Config, _setup: &Setup) -> Self {
        Self { limit: config.limit, lines: Default::default() }
    }
}

impl Queue for Priority {
    fn on_arrival(&mut self, _offer: &Offer, _backlog: &Backlog) -> Verdict {
        Verdict::Accept
    }

    fn decides_on_arrival(&self) -> bool {
        false
    }

    /// Only now the packet's class, and so its line, is known.
    fn push(&mut self, entry: Entry, cx: &mut Context) {
        let line = &mut self.lines[rank(entry.class)];
        if fits(self.limit, &line.backlog(), entry.size) {
            line.push(entry);
        } else {
            cx.drop(entry.packet, Cause::QueueFull);
        }
    }

    fn pop(&mut self, cx: &mut Context) -> Option<Entry> {
        self.lines.iter_mut().find_map(|line| line.pop(cx.now))
    }

    fn take_for(&mut self, class: Class, next_hop: Option<NextHop>) -> Option<Entry> {
        self.lines[rank(class)].take_for(class, next_hop)
    }

    fn take(&mut self, packet: PacketId) -> Option<Entry> {
        self.lines.iter_mut().find_map(|line| line.take(packet))
    }

    fn holds(&self, packet: PacketId) -> bool {
        self.lines.iter().any(|line| line.holds(packet))
    }

    fn backlog(&self) -> Backlog {
        let add = |all: Backlog, line: &Fifo| {
            let one = line.backlog();
            Backlog {
                packets: all.packets + one.packets,
                bytes: all.bytes + one.bytes,
                empty_since: all.empty_since.max(one.empty_since),
            }
        };
        self.lines.iter().fold(Backlog::default(), add)
    }

    fn waiting(&self) -> Vec<PacketId> {
        self.lines.iter().flat_map(Fifo::waiting).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::fifo::tests::entry;
    use super::*;
    use crate::packet::tests::datagram;
    use farlink_kernel::{BitRate, Instant};

    #[test]
    fn routing_leaves_first_then_acks_then_data_and_a_full_line_is_no_other_ones_loss() {
        let setup = Setup { seed: 1, interface: 0, rate: BitRate::from_bps(1) };
        let mut queue = Priority::new(&Config { limit: Amount::Packets(2) }, &setup);
        let mut cx = Context::new(1);
        let classes = [Class::Data, Class::Data, Class::Data, Class::Ack, Class::Routing, Class::Ack];
        for class in classes {
            let packet = cx.packets.originate(datagram(100));
            queue.push(entry(packet, class, Instant::ZERO), &mut cx);
        }
        assert_eq!((queue.backlog().packets, cx.effects.len()), (5, 1), "the third packet of data");
        let order: Vec<_> = std::iter::from_fn(|| queue.pop(&mut cx)).map(|entry| entry.packet).collect();
        assert_eq!(order, [4, 3, 5, 0, 1]);
    }
}
