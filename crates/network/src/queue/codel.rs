//! K. Nichols, V. Jacobson, A. McGregor, J. Iyengar, "Controlled Delay Active Queue Management",
//! RFC 8289, 2018.
//!
//! Not the length of a queue is bad but a delay that stays. When every packet of an interval has waited
//! longer than the target, one is dropped when it leaves, and further ones at distances that shrink with the
//! square root of their number, until a packet has waited less.
//!
//! Equation: next drop = last + INTERVAL / sqrt(count) (section 3.2). With ECN a packet is marked and sent in
//! the place of each drop (RFC 8290 section 5.2.6). Left out: nothing of section 5.
//!
//! CE threshold: every ECN-capable packet that waited longer is marked when it leaves, whatever the controller does
//! (Linux, `include/net/codel_impl.h`). Senders with a scalable congestion control have a queue about that long.

use farlink_kernel::config::above;
use farlink_kernel::{Duration, Instant, choice, config};
use farlink_tcp::{Amount, Ecn};

use super::fifo::{Fifo, fits, of_store};
use super::{Backlog, Entry, Offer, Parameters, Queue, Setup, Verdict};
use crate::context::Context;
use crate::packet::Cause;

pub(super) const SOURCE: &str = "RFC 8289, 2018";

choice! {
    /// Packets that a CE threshold marks.
    pub enum Selector {
        /// All ECN-capable ones.
        Ect = "ect",
        /// Those with ECT(1), which are L4S packets. Linux: `ce_threshold_selector 0x1/0x3`.
        Ect1 = "ect1",
    }
}

config! {
    /// Parameters of CoDel.
    pub struct Config {
        /// How much may wait at all.
        pub limit: Amount = Amount::Packets(1000),
        /// Acceptable standing delay (section 4.3: 5 ms).
        pub target: Duration = Duration::from_millis(5); in above(Duration::ZERO),
        /// On the order of a worst-case round-trip time (section 4.3: 100 ms).
        pub interval: Duration = Duration::from_millis(100); in above(Duration::ZERO),
        /// Packets that can be marked are marked instead of dropped.
        pub ecn: bool = false,
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

/// TARGET, INTERVAL and what to mark.
#[derive(Clone, Copy, Debug)]
pub(super) struct ControlLaw {
    pub(super) target: Duration,
    pub(super) interval: Duration,
    pub(super) ecn: bool,
    pub(super) ce_threshold: Option<Duration>,
    pub(super) ce_threshold_selector: Selector,
}

/// The controller of section 5, apart from what it controls; its names are the section's.
#[derive(Clone, Debug, Default)]
pub(super) struct Controller {
    /// When the delay will have been above target for an interval; `None`: it was below.
    first_above_time: Option<Instant>,
    drop_next: Instant,
    count: u64,
    lastcount: u64,
    dropping: bool,
    /// Largest packet seen: with no more than this waiting there is no queue to speak of.
    maxpacket: u64,
}

impl Controller {
    /// The next packet to leave of those `take` gives (with the bytes left behind each).
    pub(super) fn dequeue(
        &mut self,
        parameters: ControlLaw,
        cx: &mut Context,
        mut take: impl FnMut() -> Option<(Entry, u64)>,
    ) -> Option<Entry> {
        let now = cx.now;
        let mut next = take();
        let ok_to_drop = self.ok_to_drop(parameters, now, next);
        if self.dropping {
            self.dropping = ok_to_drop;
            while self.dropping && now >= self.drop_next {
                self.count += 1;
                if Self::marks(parameters, cx, next) {
                    self.drop_next = self.control_law(parameters, self.drop_next);
                    break;
                }
                Self::give_up(cx, next);
                next = take();
                self.dropping = self.ok_to_drop(parameters, now, next);
                if self.dropping {
                    self.drop_next = self.control_law(parameters, self.drop_next);
                }
            }
        } else if ok_to_drop {
            if !Self::marks(parameters, cx, next) {
                Self::give_up(cx, next);
                next = take();
                self.ok_to_drop(parameters, now, next);
            }
            self.start_dropping(parameters, now);
        }
        let (entry, _) = next?;
        if parameters.ce_threshold.is_some_and(|threshold| now - entry.arrived > threshold) {
            Self::mark_late(parameters.ce_threshold_selector, cx, entry);
        }
        Some(entry)
    }

    /// A packet leaves that waited longer than the CE threshold.
    #[cold]
    fn mark_late(selector: Selector, cx: &mut Context, entry: Entry) {
        let ecn = &mut cx.packets[entry.packet].ecn;
        if *ecn == Ecn::Ect1 || selector == Selector::Ect && *ecn == Ecn::Ect0 {
            *ecn = Ecn::Experienced;
        }
    }

    /// `dodequeue`: has the delay been above the target for a whole interval?
    fn ok_to_drop(&mut self, parameters: ControlLaw, now: Instant, next: Option<(Entry, u64)>) -> bool {
        let Some((entry, left)) = next else {
            self.first_above_time = None;
            return false;
        };
        self.maxpacket = self.maxpacket.max(u64::from(entry.size));
        if now - entry.arrived < parameters.target || left <= self.maxpacket {
            self.first_above_time = None;
            return false;
        }
        now >= *self.first_above_time.get_or_insert(now + parameters.interval)
    }

    /// Begins a dropping state; one that follows soon on another goes on near its drop rate.
    fn start_dropping(&mut self, parameters: ControlLaw, now: Instant) {
        self.dropping = true;
        let delta = self.count - self.lastcount;
        let soon = now.saturating_since(self.drop_next) < parameters.interval * 16;
        self.count = if delta > 1 && soon { delta } else { 1 };
        self.lastcount = self.count;
        self.drop_next = self.control_law(parameters, now);
    }

    fn control_law(&self, parameters: ControlLaw, from: Instant) -> Instant {
        from + parameters.interval.mul_f64(1.0 / (self.count as f64).sqrt())
    }

    fn marks(parameters: ControlLaw, cx: &mut Context, next: Option<(Entry, u64)>) -> bool {
        let Some((entry, _)) = next else { return false };
        let packet = &mut cx.packets[entry.packet];
        if !parameters.ecn || packet.ecn == Ecn::NotCapable {
            return false;
        }
        packet.ecn = Ecn::Experienced;
        true
    }

    fn give_up(cx: &mut Context, next: Option<(Entry, u64)>) {
        if let Some((entry, _)) = next {
            cx.drop(entry.packet, Cause::EarlyDrop);
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Codel {
    limit: Amount,
    parameters: ControlLaw,
    controller: Controller,
    store: Fifo,
}

impl Codel {
    pub(crate) fn new(config: &Config, _setup: &Setup) -> Self {
        let Config { limit, target, interval, ecn, ce_threshold, ce_threshold_selector } = *config;
        Self {
            limit,
            parameters: ControlLaw { target, interval, ecn, ce_threshold, ce_threshold_selector },
            controller: Controller::default(),
            store: Fifo::default(),
        }
    }
}

impl Queue for Codel {
    fn on_arrival(&mut self, offer: &Offer, backlog: &Backlog) -> Verdict {
        if fits(self.limit, backlog, offer.size) { Verdict::Accept } else { Verdict::Drop(Cause::QueueFull) }
    }

    fn decides_on_arrival(&self) -> bool {
        false
    }

    fn pop(&mut self, cx: &mut Context) -> Option<Entry> {
        let (store, now) = (&mut self.store, cx.now);
        self.controller
            .dequeue(self.parameters, cx, || store.pop(now).map(|entry| (entry, store.backlog().bytes)))
    }

    of_store!(push, take_for, backlog, waiting);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::Effect;
    use crate::hop::NextHop;
    use crate::ids::NodeId;
    use crate::packet::Class;
    use crate::packet::tests::datagram;
    use farlink_kernel::BitRate;

    /// A queue with `packets` of 1000 bytes that came at time 0, popped once per ms from `from` ms on; the
    /// times in ms of its drops, and how many packets left with a mark.
    fn drops(config: &Config, ecn: Ecn, packets: u32, from: u64, pops: u64) -> (Vec<u64>, usize) {
        let setup = Setup { seed: 1, interface: 0, rate: BitRate::from_bps(8_000_000) };
        let (mut queue, mut cx) = (Codel::new(config, &setup), Context::new(1));
        for _ in 0..packets {
            let packet = cx.packets.originate(crate::packet::Packet { ecn, ..datagram(1000) });
            let arrived = Instant::ZERO;
            queue.push(
                Entry { packet, size: 1000, class: Class::Data, next_hop: NextHop::Node(NodeId(1)), arrived },
                &mut cx,
            );
        }
        let (mut times, mut marks) = (Vec::new(), 0);
        for ms in from..from + pops {
            cx.now = Instant::ZERO + Duration::from_millis(ms);
            let left = queue.pop(&mut cx);
            marks += left.map_or(0, |e| usize::from(cx.packets[e.packet].ecn == Ecn::Experienced));
            times.extend(cx.effects.drain(..).map(|effect| match effect {
                Effect::Drop { cause: Cause::EarlyDrop, .. } => ms,
                other => panic!("{other:?}"),
            }));
        }
        (times, marks)
    }

    #[test]
    fn the_first_drop_comes_an_interval_after_the_delay_passed_the_target() {
        // Above target from 5 ms on; first_above_time = 105 ms.
        let (times, _) = drops(&Config::default(), Ecn::NotCapable, 1000, 0, 150);
        assert_eq!(times, [105]);
    }

    #[test]
    fn drops_come_at_distances_of_the_interval_over_the_square_root_of_their_number() {
        // 105, + 100, + 100/sqrt(2) = 70.7, + 100/sqrt(3) = 57.7, + 50, + 44.7 (popped at whole ms).
        let (times, _) = drops(&Config::default(), Ecn::NotCapable, 2000, 0, 450);
        assert_eq!(times, [105, 205, 276, 334, 384, 429]);
    }

    #[test]
    fn a_queue_of_one_packet_is_left_alone() {
        assert_eq!(drops(&Config::default(), Ecn::NotCapable, 2, 500, 2), (vec![], 0));
    }

    #[test]
    fn capable_packets_are_marked_at_the_same_times() {
        let config = Config { ecn: true, ..Config::default() };
        assert_eq!(drops(&config, Ecn::Ect0, 2000, 0, 450), (vec![], 6));
        assert_eq!(drops(&config, Ecn::NotCapable, 2000, 0, 450).0.len(), 6);
    }

    #[test]
    fn a_ce_threshold_marks_every_later_packet_of_its_selector() {
        use Selector::{Ect, Ect1};
        // Popped at 0, 1, 2, 3, 4 ms: the last two waited for more than 2 ms. CoDel itself acts later.
        let selected = [
            (Ect, Ecn::NotCapable, 0),
            (Ect, Ecn::Ect0, 2),
            (Ect, Ecn::Ect1, 2),
            (Ect1, Ecn::Ect0, 0),
            (Ect1, Ecn::Ect1, 2),
        ];
        for (ce_threshold_selector, ecn, marks) in selected {
            let ce_threshold = Some(Duration::from_millis(2));
            let config = Config { ce_threshold, ce_threshold_selector, ..Config::default() };
            assert_eq!(drops(&config, ecn, 2000, 0, 5), (vec![], marks), "{ce_threshold_selector:?} {ecn:?}");
        }
        // Without one only CoDel marks: at 105 ms.
        let without = Config { ecn: true, ..Config::default() };
        assert_eq!(drops(&without, Ecn::Ect1, 2000, 0, 150), (vec![], 1));
    }
}
