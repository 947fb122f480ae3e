//! T. Hoeiland-Joergensen, P. McKenney, D. Taht, J. Gettys, E. Dumazet, "The Flow Queue CoDel Packet
//! Scheduler and Active Queue Management Algorithm", RFC 8290, 2018.
//!
//! Flows are hashed into queues of their own, each under CoDel. Queues are served by deficit round robin,
//! those that just became active first, so that sparse flows hardly wait.
//!
//! When all queues together are full, the longest one (in bytes) loses packets from its head (section 4.1.3;
//! one at a time here, where Linux takes up to 64). Left out: nothing else of sections 4.1 and 4.2. The CE threshold is
//! that of [`codel`](super::codel).

use farlink_kernel::config::above;
use farlink_kernel::{Bytes, Duration, config};
use farlink_tcp::Amount;

use super::codel::{ControlLaw, Controller, Selector};
use super::fifo::fits;
use super::flow_queues::FlowQueues;
use super::{Backlog, Entry, Offer, Parameters, Queue, Setup, Verdict};
use crate::context::Context;
use crate::ids::PacketId;
use crate::packet::Cause;

pub(super) const SOURCE: &str = "RFC 8290, 2018";

config! {
    /// Parameters of FQ-CoDel.
    pub struct Config {
        /// How much may wait in all flow queues together (section 5.2.3: 10240 packets).
        pub limit: Amount = Amount::Packets(10_240),
        /// Number of flow queues (section 5.2.4).
        pub flows: u32 = 1024; in 1..=65_536,
        /// Bytes a flow queue may send per round (section 5.2.5: one MTU with its Ethernet header).
        pub quantum: Bytes = Bytes(1514); in Bytes(1)..,
        /// Acceptable standing delay of a flow queue (section 5.2.2).
        pub target: Duration = Duration::from_millis(5); in above(Duration::ZERO),
        /// On the order of a worst-case round-trip time (section 5.2.1).
        pub interval: Duration = Duration::from_millis(100); in above(Duration::ZERO),
        /// Packets that can be marked are marked instead of dropped (section 5.2.6: on).
        pub ecn: bool = true,
        /// ECN-capable packets that waited longer are marked when they leave, also without `ecn`. Linux: `ce_threshold`.
        pub ce_threshold: Option<Duration> = None,
        /// Which packets the CE threshold marks. Linux: all, if `ce_threshold_mask` is 0.
        pub ce_threshold_selector: Selector = Selector::Ect,
    }
    where target <= interval
}

impl Parameters for Config {
    fn marks(&self) -> bool {
        self.ecn || self.ce_threshold.is_some()
    }
}

#[derive(Clone, Debug)]
pub(crate) struct FqCodel {
    limit: Amount,
    parameters: ControlLaw,
    flows: FlowQueues<Controller>,
}

impl FqCodel {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        let Config { limit, flows, quantum, target, interval, ecn, ce_threshold, ce_threshold_selector } =
            *config;
        Self {
            limit,
            parameters: ControlLaw { target, interval, ecn, ce_threshold, ce_threshold_selector },
            flows: FlowQueues::new(flows, quantum, Controller::default(), setup),
        }
    }
}

impl Queue for FqCodel {
    fn on_arrival(&mut self, _offer: &Offer, _backlog: &Backlog) -> Verdict {
        Verdict::Accept
    }

    fn decides_on_arrival(&self) -> bool {
        false
    }

    fn push(&mut self, entry: Entry, cx: &mut Context) {
        let index = self.flows.classify(&entry, cx);
        let has_room = fits(self.limit, &self.flows.backlog(), entry.size);
        self.flows.push(index, entry);
        if !has_room && let Some(dropped) = self.flows.take_from_longest() {
            cx.drop(dropped.packet, Cause::QueueFull);
        }
    }

    fn pop(&mut self, cx: &mut Context) -> Option<Entry> {
        let (parameters, now) = (self.parameters, cx.now);
        self.flows.pop(|controller, mut head| controller.dequeue(parameters, cx, || head.take(now)))
    }

    fn backlog(&self) -> Backlog {
        self.flows.backlog()
    }

    fn waiting(&self) -> Vec<PacketId> {
        self.flows.waiting()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hop::NextHop;
    use crate::ids::{FlowId, NodeId};
    use crate::packet::tests::datagram;
    use crate::packet::{Class, Packet};
    use farlink_kernel::BitRate;

    fn fq_codel(config: &Config) -> (FqCodel, Context) {
        let setup = Setup { seed: 1, interface: 0, rate: BitRate::from_bps(8_000_000) };
        (FqCodel::new(config, &setup), Context::new(8))
    }

    fn push(queue: &mut FqCodel, cx: &mut Context, flow: u32, size: u32) {
        let packet = cx.packets.originate(Packet { flow: FlowId(flow), ..datagram(size) });
        queue.push(
            Entry { packet, size, class: Class::Data, next_hop: NextHop::Node(NodeId(1)), arrived: cx.now },
            cx,
        );
    }

    fn flows(queue: &mut FqCodel, cx: &mut Context) -> Vec<u32> {
        std::iter::from_fn(|| queue.pop(cx).map(|entry| cx.packets[entry.packet].flow.0)).collect()
    }

    #[test]
    fn two_backlogged_flows_get_equal_bytes() {
        let (mut queue, mut cx) = fq_codel(&Config { quantum: Bytes(300), ..Config::default() });
        for _ in 0..20 {
            push(&mut queue, &mut cx, 0, 300);
            push(&mut queue, &mut cx, 1, 100);
            push(&mut queue, &mut cx, 1, 100);
            push(&mut queue, &mut cx, 1, 100);
        }
        let order = flows(&mut queue, &mut cx);
        let first = order[..40].iter().filter(|&&flow| flow == 0).count();
        assert_eq!((order.len(), first), (80, 10), "{order:?}");
    }

    #[test]
    fn a_flow_that_just_became_active_goes_first_and_once() {
        let (mut queue, mut cx) = fq_codel(&Config::default());
        for _ in 0..10 {
            push(&mut queue, &mut cx, 0, 1514);
        }
        assert_eq!(queue.pop(&mut cx).map(|entry| cx.packets[entry.packet].flow.0), Some(0));
        push(&mut queue, &mut cx, 1, 100);
        assert_eq!(flows(&mut queue, &mut cx)[..2], [1, 0]);
    }

    #[test]
    fn each_flow_queue_is_marked_by_its_own_codel() {
        // 1000 packets of flow 0 come at once, one of flow 1 every ms; two leave every ms, one of each.
        let (mut queue, mut cx) = fq_codel(&Config { quantum: Bytes(1000), ..Config::default() });
        let capable = |cx: &mut Context, flow| {
            cx.packets.originate(Packet { flow, ecn: farlink_tcp::Ecn::Ect0, ..datagram(1000) })
        };
        let entry = |packet, arrived| Entry {
            packet,
            size: 1000,
            class: Class::Data,
            next_hop: NextHop::Node(NodeId(1)),
            arrived,
        };
        for _ in 0..1000 {
            let packet = capable(&mut cx, FlowId(0));
            queue.push(entry(packet, cx.now), &mut cx);
        }
        let mut marked = Vec::new();
        for ms in 0..300 {
            cx.now = farlink_kernel::Instant::ZERO + Duration::from_millis(ms);
            let packet = capable(&mut cx, FlowId(1));
            queue.push(entry(packet, cx.now), &mut cx);
            for _ in 0..2 {
                let packet = queue.pop(&mut cx).expect("two wait at least").packet;
                if cx.packets[packet].ecn == farlink_tcp::Ecn::Experienced {
                    marked.push((ms, cx.packets[packet].flow.0));
                }
            }
        }
        // The times of `codel`: 105, + 100, + 70.7 ms; flow 1 never waits.
        assert_eq!(marked, [(105, 0), (205, 0), (276, 0)]);
        assert_eq!(cx.effects.len(), 0);
    }

    #[test]
    fn a_ce_threshold_marks_the_flow_that_waits() {
        let config = Config {
            ce_threshold: Some(Duration::from_millis(1)),
            ce_threshold_selector: Selector::Ect1,
            ..Config::default()
        };
        let (mut queue, mut cx) = fq_codel(&config);
        let push = |queue: &mut FqCodel, cx: &mut Context, flow, ecn| {
            let packet = cx.packets.originate(Packet { flow: FlowId(flow), ecn, ..datagram(1000) });
            let next_hop = NextHop::Node(NodeId(1));
            queue.push(Entry { packet, size: 1000, class: Class::Data, next_hop, arrived: cx.now }, cx);
        };
        for (flow, ecn) in [(0, farlink_tcp::Ecn::Ect0), (1, farlink_tcp::Ecn::Ect1)] {
            (0..3).for_each(|_| push(&mut queue, &mut cx, flow, ecn));
        }
        cx.now += Duration::from_millis(2);
        push(&mut queue, &mut cx, 2, farlink_tcp::Ecn::Ect1);
        let mut marked = Vec::new();
        while let Some(entry) = queue.pop(&mut cx) {
            let Packet { flow, ecn, .. } = cx.packets[entry.packet];
            marked.extend((ecn == farlink_tcp::Ecn::Experienced).then_some(flow.0));
        }
        // Flow 0 has ECT(0), and flow 2 did not wait.
        assert_eq!((marked, cx.effects.len()), (vec![1, 1, 1], 0));
    }

    #[test]
    fn overflow_takes_from_the_longest_queue() {
        let (mut queue, mut cx) = fq_codel(&Config { limit: Amount::Packets(4), ..Config::default() });
        for flow in [0, 0, 0, 1, 1] {
            push(&mut queue, &mut cx, flow, 500);
        }
        assert_eq!(cx.effects.len(), 1);
        let mut left = flows(&mut queue, &mut cx);
        left.sort_unstable();
        assert_eq!(left, [0, 0, 1, 1]);
    }
}
