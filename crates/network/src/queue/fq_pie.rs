//! G. Ramakrishnan, M. Bhasi, V. Saicharan, L. Monis, S. D. Patil, M. P. Tahiliani, "FQ-PIE Queue Discipline in the
//! Linux Kernel: Design, Implementation and Challenges", IEEE LCN Symposium 2019.
//!
//! Flows are hashed into queues of their own, each under PIE. Queues are served by deficit round robin as in
//! FQ-CoDel, those that just became active first.
//!
//! Equations: those of [`pie`](super::pie), with delay and probability per flow queue. When all queues together are
//! full, arrivals are dropped (`net/sched/sch_fq_pie.c`). Left out: the limit in bytes of memory, external classifiers.

use farlink_kernel::config::{Fraction, above};
use farlink_kernel::{Bytes, Duration, config};
use farlink_tcp::{Amount, Ecn};

use super::fifo::fits;
use super::flow_queues::FlowQueues;
use super::pie::{self, Controller, Law};
use super::{Backlog, Entry, Offer, Parameters, Preset, Queue, Setup, Verdict};
use crate::context::Context;
use crate::ids::PacketId;
use crate::packet::Cause;

pub(super) const SOURCE: &str = "Ramakrishnan et al., IEEE LCN Symposium 2019; Linux, net/sched/sch_fq_pie.c";

config! {
    /// Parameters of FQ-PIE.
    pub struct Config {
        /// The default values of PIE: `rfc` or `linux`.
        pub preset: Preset = Preset::Rfc,
        /// How much may wait in all flow queues together (Linux: 10240 packets).
        pub limit: Amount = Amount::Packets(10_240),
        /// Number of flow queues (Linux).
        pub flows: u32 = 1024; in 1..=65_536,
        /// Bytes a flow queue may send per round (Linux: one MTU with its Ethernet header).
        pub quantum: Bytes = Bytes(1514); in Bytes(1)..,
        /// Acceptable delay of a flow queue (RFC 8033 section 4.2: 15 ms).
        pub target: Duration = Duration::from_millis(15); in above(Duration::ZERO),
        /// Time between two updates of the probabilities (RFC 8033: 15 ms).
        pub update_interval: Duration = Duration::from_millis(15); in Duration::from_micros(10)..,
        /// Integral gain in Hz (RFC 8033: 1/8).
        pub alpha: f64 = 0.125,
        /// Proportional gain in Hz (RFC 8033: 1 + 1/4).
        pub beta: f64 = 1.25,
        /// How long a burst of a flow queue passes without drops (RFC 8033 section 4.4: 150 ms).
        pub max_burst: Duration = Duration::from_millis(150),
        /// Nothing is dropped while no more than twice that waits in the flow queue (RFC 8033 section 4.1).
        pub mean_packet_size: Bytes = Bytes(1500),
        /// Drops keep a distance (RFC 8033 section 5.4).
        pub derandomize: bool = true,
        /// Most that a probability of 0.1 or more rises by in one update (RFC 8033 section 5.5).
        pub max_increase: Fraction = Fraction(0.02),
        /// Factor of the probability in an update that follows one without a delay and has none (RFC 8033: 0.98; Linux: 63/64).
        pub decay: Fraction = Fraction(0.98); with Linux = Fraction(63.0 / 64.0),
        /// Delay above which the probability rises by 0.02 more in an update, if there is one. Linux: 250 ms.
        pub steep_above: Option<Duration> = None; with Linux = Some(Duration::from_millis(250)),
        /// Packets that can be marked are marked instead of dropped.
        pub ecn: bool = false,
        /// At and above this probability they are dropped, too (Linux: `ecn_prob`, 10 %).
        pub mark_below: Fraction = Fraction(0.1),
    }
    preset Preset
}

impl Parameters for Config {
    fn marks(&self) -> bool {
        self.ecn
    }
}

impl Config {
    /// The parameters of each flow queue.
    fn of_each(&self) -> pie::Config {
        pie::Config {
            preset: self.preset,
            limit: self.limit,
            target: self.target,
            update_interval: self.update_interval,
            alpha: self.alpha,
            beta: self.beta,
            max_burst: self.max_burst,
            mean_packet_size: self.mean_packet_size,
            derandomize: self.derandomize,
            max_increase: self.max_increase,
            decay: self.decay,
            steep_above: self.steep_above,
            ecn: self.ecn,
            mark_below: self.mark_below,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct FqPie {
    law: Law,
    arrivals: u64,
    flows: FlowQueues<Controller>,
}

impl FqPie {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        let each = config.of_each();
        Self {
            law: Law::new(&each, "fq_pie", setup),
            arrivals: 0,
            flows: FlowQueues::new(config.flows, config.quantum, Controller::new(&each), setup),
        }
    }
}

impl Queue for FqPie {
    fn on_arrival(&mut self, offer: &Offer, backlog: &Backlog) -> Verdict {
        let has_room = fits(self.law.config.limit, backlog, offer.size);
        if has_room { Verdict::Accept } else { Verdict::Drop(Cause::QueueFull) }
    }

    fn decides_on_arrival(&self) -> bool {
        false
    }

    /// The flow is known only here, so that its PIE decides here.
    fn push(&mut self, entry: Entry, cx: &mut Context) {
        self.arrivals += 1;
        let index = self.flows.classify(&entry, cx);
        let ecn = cx.packets[entry.packet].ecn;
        let (controller, bytes) = self.flows.controller(index);
        match controller.on_arrival(&self.law, cx.now, self.arrivals, bytes, ecn != Ecn::NotCapable) {
            Verdict::Drop(cause) => return cx.drop(entry.packet, cause),
            Verdict::Mark => cx.packets[entry.packet].ecn = Ecn::Experienced,
            Verdict::Accept => {}
        }
        self.flows.push(index, entry);
    }

    fn pop(&mut self, cx: &mut Context) -> Option<Entry> {
        let (law, now) = (&self.law, cx.now);
        self.flows.pop(|controller, mut head| {
            let (entry, bytes) = head.take(now)?;
            controller.on_departure(law, now, entry.arrived, bytes);
            Some(entry)
        })
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
    use farlink_kernel::{BitRate, Instant};

    fn fq_pie(config: &Config) -> (FqPie, Context) {
        let setup = Setup { seed: 1, interface: 0, rate: BitRate::from_bps(8_000_000) };
        (FqPie::new(config, &setup), Context::new(8))
    }

    fn push(queue: &mut FqPie, cx: &mut Context, flow: u32, size: u32, ecn: Ecn) {
        let packet = cx.packets.originate(Packet { flow: FlowId(flow), ecn, ..datagram(size) });
        let next_hop = NextHop::Node(NodeId(1));
        queue.push(Entry { packet, size, class: Class::Data, next_hop, arrived: cx.now }, cx);
    }

    fn flows(queue: &mut FqPie, cx: &mut Context) -> Vec<u32> {
        let mut next = |cx: &mut Context| queue.pop(cx).map(|entry| cx.packets[entry.packet].flow.0);
        std::iter::from_fn(|| next(cx)).collect()
    }

    #[test]
    fn flows_share_by_bytes_and_a_new_one_goes_first() {
        let (mut queue, mut cx) = fq_pie(&Config { quantum: Bytes(1000), ..Config::default() });
        for flow in [0, 0, 0, 0, 1, 1] {
            push(&mut queue, &mut cx, flow, if flow == 0 { 500 } else { 1000 }, Ecn::NotCapable);
        }
        // Two packets of 500 bytes per round against one of 1000.
        assert_eq!(flows(&mut queue, &mut cx), [0, 0, 1, 0, 0, 1]);
        for flow in [0, 0, 0] {
            push(&mut queue, &mut cx, flow, 1000, Ecn::NotCapable);
        }
        queue.pop(&mut cx).expect("three wait");
        push(&mut queue, &mut cx, 2, 100, Ecn::NotCapable);
        assert_eq!(flows(&mut queue, &mut cx), [2, 0, 0]);
    }

    #[test]
    fn each_flow_queue_has_a_probability_of_its_own() {
        let (mut queue, mut cx) =
            fq_pie(&Config { ecn: true, max_burst: Duration::ZERO, ..Config::default() });
        let mut left = [[0_u32; 2]; 2];
        // Two packets of 1000 bytes leave per ms. Flow 0 sends three per ms, flow 1 one every 2 ms.
        for now in 0..2000 {
            cx.now = Instant::ZERO + Duration::from_millis(now);
            (0..3).for_each(|_| push(&mut queue, &mut cx, 0, 1000, Ecn::Ect0));
            if now % 2 == 0 {
                push(&mut queue, &mut cx, 1, 1000, Ecn::Ect0);
            }
            for _ in 0..2 {
                let packet = queue.pop(&mut cx).expect("more come than leave").packet;
                let Packet { flow, ecn, .. } = cx.packets[packet];
                left[flow.0 as usize][usize::from(ecn == Ecn::Experienced)] += 1;
            }
        }
        // Marks do not slow flow 0 down: above a probability of 0.1 its packets are dropped.
        assert!(left[0][1] > 0 && !cx.effects.is_empty(), "{left:?}");
        assert_eq!(left[1], [1000, 0]);
    }

    #[test]
    fn a_full_queue_drops_arrivals() {
        let (mut queue, _) = fq_pie(&Config { limit: Amount::Packets(2), ..Config::default() });
        let offer = Offer { now: Instant::ZERO, size: 100, can_be_marked: true };
        let verdict = |packets, queue: &mut FqPie| {
            queue.on_arrival(&offer, &Backlog { packets, bytes: 100 * packets, ..Backlog::default() })
        };
        assert_eq!(verdict(1, &mut queue), Verdict::Accept);
        assert_eq!(verdict(2, &mut queue), Verdict::Drop(Cause::QueueFull));
    }
}
