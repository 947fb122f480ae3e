//! The controller's table in real numbers and in Linux's integers, the ramp, `recur`, the scheduler, and overload.

use super::*;
use crate::hop::NextHop;
use crate::ids::NodeId;
use crate::packet::tests::datagram;
use crate::packet::{Class, Packet};
use farlink_kernel::BitRate;

const SIZE: u32 = 1514;

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn us(n: u64) -> Duration {
    Duration::from_micros(n)
}

fn with(config: &Config, seed: u64) -> DualPi2 {
    DualPi2::new(config, &Setup { seed, interface: 0, rate: BitRate::from_bps(8_000_000) })
}

fn push(queue: &mut DualPi2, cx: &mut Context, ecn: Ecn) -> PacketId {
    let packet = cx.packets.originate(Packet { ecn, ..datagram(SIZE) });
    let next_hop = NextHop::Node(NodeId(1));
    queue.push(Entry { packet, size: SIZE, class: Class::Data, next_hop, arrived: cx.now }, cx);
    packet
}

/// p' is what updates at constant `base` leave it at.
fn held_at(config: &Config, base: f64) -> DualPi2 {
    let config = Config { alpha: 0.0, beta: base / 0.01, ..config.clone() };
    let mut queue = with(&config, 1);
    queue.base.update(ms(10));
    queue
}

/// What becomes of packets that leave at once with p' = `base`: (passed, marked, dropped).
fn fates(config: &Config, base: f64, ecn: Ecn, packets: u32) -> (u32, u32, u32) {
    let mut queue = held_at(config, base);
    let (mut passed, mut marked, mut dropped) = (0, 0, 0);
    for _ in 0..packets {
        let fate = match ecn {
            Ecn::Ect1 => queue.l4s_fate(Duration::ZERO, true, queue.base.probability()),
            _ => queue.classic_fate(ecn, queue.base.probability()),
        };
        match fate {
            Fate::Pass => passed += 1,
            Fate::Mark => marked += 1,
            Fate::Drop => dropped += 1,
        }
    }
    (passed, marked, dropped)
}

#[test]
fn the_controller_follows_its_equation() {
    let queue = with(&Config::default(), 1);
    let mut base = queue.base;
    // Figure 6 with alpha 0.16 and beta 3.2: 0.16 (q - 0.015) + 3.2 (q - q_old), at least 0.
    let table = [
        (0, 0.0),
        (10, 0.0312),
        (20, 0.064),
        (30, 0.0984),
        (25, 0.084),
        (15, 0.052),
        (15, 0.052),
        (5, 0.0184),
        (0, 0.0),
    ];
    for (delay, expected) in table {
        base.update(ms(delay));
        let got = base.probability();
        assert!((got - expected).abs() < 1e-12, "{delay} ms: {got}");
    }
}

#[test]
fn the_controller_of_linux_counts_in_integers() {
    let mut base = Base::new(&Config::of(Preset::Linux));
    // Gains 41/256 and 819/256 Hz are 44 and 879 per 64 ns: (44 (q - 15e6) + 879 (q - q_old)) / 64.
    let table = [(0, 0), (10, 133_906_250), (20, 274_687_500), (30, 422_343_750), (25, 360_546_875)];
    for (delay, expected) in table {
        base.update(ms(delay));
        let got = base.probability() * f64::from(u32::MAX);
        assert!((got - f64::from(expected)).abs() < 1e-3, "{delay} ms: {got}");
    }
}

#[test]
fn the_base_probability_stays_within_its_bounds() {
    for (overload, most) in [(Overload::Drop, 1.0), (Overload::Overflow, 0.5)] {
        for arithmetic in [Arithmetic::Real, Arithmetic::Linux] {
            let mut base = Base::new(&Config { arithmetic, overload, ..Config::default() });
            (0..10).for_each(|_| base.update(ms(10_000)));
            assert!((base.probability() - most).abs() < 1e-9, "{:?}", base.probability());
            (0..10).for_each(|_| base.update(Duration::ZERO));
            assert!(base.is_at_rest());
        }
    }
}

#[test]
fn updates_are_made_at_multiples_of_the_interval_with_the_delay_of_then() {
    let (mut queue, mut cx) = (with(&Config::default(), 1), Context::new(1));
    cx.now = Instant::ZERO + ms(1000);
    push(&mut queue, &mut cx, Ecn::NotCapable);
    push(&mut queue, &mut cx, Ecn::NotCapable);
    cx.now = Instant::ZERO + ms(1060);
    queue.pop(&mut cx).expect("two wait");
    // Updates at 1008, 1024, 1040 and 1056 ms saw the first packet wait for 8, 24, 40 and 56 ms.
    let expected: f64 = [(8.0, 0.0), (24.0, 8.0), (40.0, 24.0), (56.0, 40.0)]
        .iter()
        .map(|(q, old)| (0.16 * (q - 15.0) + 3.2 * (q - old)) / 1000.0)
        .sum();
    assert!((queue.base.probability() - expected).abs() < 1e-12, "{}", queue.base.probability());
    assert_eq!(queue.next_update, Instant::ZERO + ms(1072));
}

#[test]
fn a_queue_that_was_idle_keeps_the_instants_of_its_updates() {
    let (mut queue, mut cx) = (with(&Config::default(), 1), Context::new(1));
    let idle = Duration::from_secs(1_000_000) + ms(1);
    cx.now = Instant::ZERO + idle;
    push(&mut queue, &mut cx, Ecn::NotCapable);
    let since = (queue.next_update - Instant::ZERO).as_nanos();
    assert_eq!((since % ms(16).as_nanos(), queue.next_update > cx.now), (0, true));
    assert!(queue.next_update - cx.now <= ms(16));
}

#[test]
fn the_ramp_rises_from_0_to_1() {
    let queue = with(&Config::default(), 1);
    // Figure 5 with minTh 800 us and range 400 us.
    let table = [(700, 0.0), (800, 0.0), (900, 0.25), (1000, 0.5), (1199, 0.9975), (1200, 1.0), (5000, 1.0)];
    for (delay, expected) in table {
        assert!((queue.ramp(us(delay)) - expected).abs() < 1e-12, "{delay} us");
    }
    let step = with(&Config { range: Duration::ZERO, ..Config::default() }, 1);
    assert_eq!([799, 800, 801].map(|delay| step.ramp(us(delay))), [0.0, 1.0, 1.0]);
}

#[test]
fn recur_chooses_at_even_distances() {
    let mut queue = with(&Config::default(), 1);
    let chosen: Vec<u32> = (1..=8).filter(|_| queue.chooses(true, 0.3)).collect();
    // The sums 0.3, 0.6, 0.9, 1.2 exceed 1 at the 4th packet, then 0.5, 0.8, 1.1 at the 7th.
    assert_eq!(chosen, [4, 7]);
}

#[test]
fn random_choices_depend_on_the_seed_and_have_the_likelihood() {
    let config = Config { recur: Recur::Random, ..Config::default() };
    let chosen = |seed| {
        let mut queue = with(&config, seed);
        (0..10_000).map(|_| queue.chooses(false, 0.3)).collect::<Vec<_>>()
    };
    assert_eq!(chosen(1), chosen(1));
    assert_ne!(chosen(1), chosen(2));
    let share = chosen(1).iter().filter(|chosen| **chosen).count() as f64 / 1e4;
    // Four standard deviations of a binomial share: 4 sqrt(0.3 x 0.7 / 10,000).
    assert!((share - 0.3).abs() < 0.0184, "{share}");
}

#[test]
fn l4s_packets_are_those_with_the_low_bit_set() {
    for (ecn, is_l4s) in
        [(Ecn::NotCapable, false), (Ecn::Ect0, false), (Ecn::Ect1, true), (Ecn::Experienced, true)]
    {
        let (mut queue, mut cx) = (with(&Config::default(), 1), Context::new(1));
        push(&mut queue, &mut cx, ecn);
        assert_eq!((queue.l4s.is_empty(), queue.classic.is_empty()), (!is_l4s, is_l4s), "{ecn:?}");
    }
}

#[test]
fn classic_traffic_has_its_weight_while_both_queues_wait() {
    let (mut queue, mut cx) = (with(&Config::default(), 1), Context::new(1));
    assert_eq!(queue.credit, -121_120);
    for _ in 0..40 {
        push(&mut queue, &mut cx, Ecn::Ect1);
    }
    for _ in 0..40 {
        push(&mut queue, &mut cx, Ecn::NotCapable);
    }
    let mut order = Vec::new();
    while queue.l4s.store.backlog().packets > 0 {
        let packet = queue.pop(&mut cx).expect("packets wait").packet;
        order.push(cx.packets[packet].ecn == Ecn::NotCapable);
    }
    // The credit of -121,120 rises by 10 x 1514 per L4S packet: above 0 after nine; one classic one restores it.
    let classic: Vec<usize> =
        order.iter().enumerate().filter(|(_, is)| **is).map(|(place, _)| place).collect();
    assert_eq!(classic, [9, 19, 29, 39]);
    // Without a rival the credit stays.
    let before = queue.credit;
    queue.pop(&mut cx).expect("classic packets wait");
    assert_eq!(queue.credit, before);
}

#[test]
fn a_dropped_packet_changes_no_credit() {
    let mut queue = held_at(&Config { classic_weight: 100, ..Config::default() }, 0.9);
    let mut cx = Context::new(1);
    for ecn in [Ecn::NotCapable, Ecn::NotCapable, Ecn::Ect1] {
        push(&mut queue, &mut cx, ecn);
    }
    assert_eq!(queue.credit, 151_400);
    // p_C = 0.81: the sums are 0.81 and 1.62, so that the second classic packet is dropped. Classic packets cost
    // nothing with all the weight, then the L4S packet waits alone.
    queue.pop(&mut cx).expect("the first");
    assert_eq!((queue.pop(&mut cx).expect("the third").packet, cx.effects.len()), (PacketId(2), 1));
    assert_eq!(queue.credit, 151_400);
}

#[test]
fn the_low_threshold_marks_l4s_packets_only() {
    let config = |l_aqm| Config { l_aqm, ..Config::default() };
    for (l_aqm, delay, has_native, is_marked) in [
        (LAqm::Ramp, us(700), true, false),
        (LAqm::Ramp, us(1200), true, true),
        (LAqm::Ramp, us(1200), false, false),
        (LAqm::Step, us(1000), true, false),
        (LAqm::Step, us(1001), true, true),
        (LAqm::Step, us(1001), false, false),
    ] {
        let mut queue = with(&config(l_aqm), 1);
        // `recur` begins at 0: a likelihood of 1 chooses from the second packet on.
        queue.l4s.count = 0.5;
        assert_eq!(
            queue.l4s_fate(delay, has_native, 0.0) == Fate::Mark,
            is_marked,
            "{l_aqm:?} {delay} {has_native}"
        );
        assert_eq!(queue.classic_fate(Ecn::Ect0, 0.0), Fate::Pass);
    }
}

/// Which of three L4S packets are marked that come together and leave 2 ms later.
fn marked_of_three(config: &Config) -> Vec<bool> {
    let mut queue = with(config, 1);
    queue.l4s.count = 0.5;
    let mut cx = Context::new(1);
    for _ in 0..3 {
        push(&mut queue, &mut cx, Ecn::Ect1);
    }
    cx.now += us(2000);
    let mut is_marked = || {
        let entry = queue.pop(&mut cx).expect("a packet");
        cx.packets[entry.packet].ecn == Ecn::Experienced
    };
    (0..3).map(|_| is_marked()).collect()
}

#[test]
fn the_step_looks_at_the_queue_on_arrival_and_the_ramp_on_departure() {
    for (l_aqm, threshold_packets, marked) in [
        (LAqm::Step, 0, [true, true, true]),
        (LAqm::Step, 1, [false, true, true]),
        (LAqm::Step, 2, [false, false, true]),
        (LAqm::Ramp, 1, [true, true, false]),
        (LAqm::Ramp, 2, [true, false, false]),
    ] {
        let config = Config { l_aqm, threshold_packets, ..Config::default() };
        assert_eq!(marked_of_three(&config), marked, "{l_aqm:?} {threshold_packets}");
    }
}

#[test]
fn drops_and_marks_are_coupled_by_the_square() {
    // p' = 0.1: 1 % of the classic packets, 20 % of the L4S packets.
    let config = Config::default();
    for (ecn, expected) in
        [(Ecn::Ect1, (8000, 2000, 0)), (Ecn::Ect0, (9900, 100, 0)), (Ecn::NotCapable, (9900, 0, 100))]
    {
        let (passed, marked, dropped) = fates(&config, 0.1, ecn, 10_000);
        let differences =
            [passed.abs_diff(expected.0), marked.abs_diff(expected.1), dropped.abs_diff(expected.2)];
        assert!(differences.iter().all(|difference| *difference <= 1), "{ecn:?}: {differences:?}");
    }
    // p', its square and its double, per 100 000 packets.
    for (base, classic, l4s) in
        [(0.0312, 97, 6240), (0.064, 410, 12_800), (0.0984, 968, 19_680), (0.052, 270, 10_400)]
    {
        let marked = [Ecn::Ect0, Ecn::Ect1].map(|ecn| fates(&config, base, ecn, 100_000).1);
        assert!(marked[0].abs_diff(classic) <= 1 && marked[1].abs_diff(l4s) <= 1, "{base}: {marked:?}");
    }
}

#[test]
fn overload_drops_from_both_queues_or_overflows() {
    let near = |got: u32, expected: f64| (f64::from(got) - expected).abs() <= 1.0;
    // p' = 0.6, p_C = 0.36, p_CL = 1.2: drops for all, marks for what is left of L4S.
    let drop = Config::default();
    for ecn in [Ecn::NotCapable, Ecn::Ect0, Ecn::Ect1] {
        let (passed, marked, dropped) = fates(&drop, 0.6, ecn, 10_000);
        assert!(near(dropped, 3600.0), "{ecn:?}: {dropped}");
        let expected = if ecn == Ecn::Ect1 { 6400.0 } else { 0.0 };
        assert!(near(marked, expected) && near(passed, 6400.0 - expected), "{ecn:?}: {passed} {marked}");
    }
    // p' is at most 1/k = 0.5: 25 % of the classic packets, marks for all L4S packets.
    let overflow = Config { overload: Overload::Overflow, ..Config::default() };
    assert!(near(fates(&overflow, 0.6, Ecn::NotCapable, 10_000).2, 2500.0));
    assert!(near(fates(&overflow, 0.6, Ecn::Ect0, 10_000).1, 2500.0));
    let (passed, marked, dropped) = fates(&overflow, 0.6, Ecn::Ect1, 10_000);
    assert!(near(passed, 0.0) && near(marked, 10_000.0) && dropped == 0);
}

#[test]
fn a_short_queue_can_be_exempt_from_the_base_probability() {
    for (min_backlog, dropped) in [(0, 4), (3028, 2)] {
        let config = Config { min_backlog: Bytes(min_backlog), recur: Recur::Random, ..Config::default() };
        // All are dropped at p' = 1, but for those with fewer than 3028 bytes behind them: the last two.
        let (mut queue, mut cx) = (held_at(&config, 1.0), Context::new(1));
        (0..4).for_each(|_| _ = push(&mut queue, &mut cx, Ecn::NotCapable));
        while queue.pop(&mut cx).is_some() {}
        assert_eq!(cx.effects.len(), dropped);
    }
}

#[test]
fn the_limit_holds_for_both_queues_together_and_leaves_room_for_the_largest_packet() {
    let config = Config { limit: Amount::Bytes(Bytes(3028)), ..Config::default() };
    let mut queue = with(&config, 1);
    let verdict = |bytes, queue: &mut DualPi2| {
        let offer = Offer { now: Instant::ZERO, size: 40, can_be_marked: false };
        queue.on_arrival(&offer, &Backlog { packets: 1, bytes, ..Backlog::default() })
    };
    assert_eq!(verdict(1514, &mut queue), Verdict::Accept);
    assert_eq!(verdict(1515, &mut queue), Verdict::Drop(Cause::QueueFull));
}
