use super::*;
use crate::blueprint::Delay;
use crate::channel::celerity::Celerity;
use crate::frame::FrameKind;
use crate::mobility::{self, Setup};
use crate::phy::{Mode, modem};
use crate::space::{Metres, Position, Speed};

/// A channel with members along a line.
fn air(radio: &Radio, metres: &[f64]) -> Air {
    let config = mobility::Config::named("static").expect("registered");
    let trajectory = |(&x, node): (&f64, u32)| {
        let position = Position { x: Metres(x), ..Position::default() };
        Trajectory::new(&config, &Setup { seed: 1, node, position })
    };
    let trajectories = metres.iter().zip(0..).map(trajectory).collect();
    let members = (0..metres.len() as u32).map(|i| (i, i));
    Air::new(
        radio,
        Arc::new(modem::Modem::new(&modem::Config::default(), &())),
        members,
        trajectories,
        (1, 0),
    )
}

#[test]
fn starts_and_ends_come_in_the_order_of_arrival() {
    // Sound at 1 m/ns: listeners hear it after 240 ns and 20 ns.
    let radio = Radio { speed: Celerity::Constant(Speed(1e9)), ..Radio::default() };
    let mut air = air(&radio, &[0.0, 240.0, 20.0]);
    let mut cx = Context::new(0);
    let frame = Frame::new(0, 0, FrameKind::Data, 1, Mode(0));
    let sent = air.transmit(0, frame, Duration::from_nanos(100), &mut cx);
    let mut seen = Vec::new();
    while let Some(moment) = air.next(sent) {
        cx.now = moment.0;
        let mut walk = Walk::new(moment, moment);
        let stop = air.walk(sent, &mut walk, &mut cx);
        seen.push((moment.0.as_nanos(), moment.1, stop.told.map(|told| told.interface)));
        assert_eq!(stop.next, air.next(sent));
        if stop.told.is_some() {
            assert_eq!(air.walk(sent, &mut walk, &mut cx).told, None);
        }
    }
    let (start, end) = (Phase::SignalStart, Phase::SignalEnd);
    assert_eq!(seen, [(20, start, None), (120, end, Some(2)), (240, start, None), (340, end, Some(1))]);
}

/// Through one moment.
fn walk(phase: Phase, now: Instant) -> Walk {
    Walk::new((now, phase), (now, phase))
}

#[test]
fn frames_for_others_reserve_the_medium_and_are_told_to_who_overhears() {
    let radio = Radio { delay: Delay::None, ..Radio::default() };
    let mut air = air(&radio, &[0.0, 100.0, 200.0]);
    air.attend(1, Instant::NEVER, false, false);
    let mut cx = Context::new(0);
    let reserved = Duration::from_nanos(70);
    let request = FrameKind::RequestToSend { to: 9 };
    let frame = Frame { reserved, ..Frame::new(0, 0, request, 1, Mode(0)) };
    let sent = air.transmit(0, frame, Duration::from_nanos(100), &mut cx);
    let mut through = Walk::new((cx.now, Phase::SignalStart), (Instant::NEVER, Phase::Sample));
    let told = air.walk(sent, &mut through, &mut cx).told.expect("the last one overhears");
    assert_eq!((told.interface, told.frame, through.moments), (2, Some(frame), 1));
    assert_eq!([0, 1, 2].map(|member| air.carrier(member).reserved_until.as_nanos()), [0, 170, 170]);
}

#[test]
fn who_watches_the_carrier_is_told_when_it_comes_and_goes() {
    let radio = Radio { delay: Delay::None, ..Radio::default() };
    let mut air = air(&radio, &[0.0, 100.0, 200.0]);
    air.attend(2, Instant::ZERO, true, false);
    let mut cx = Context::new(0);
    let frame = Frame::new(0, 0, FrameKind::Data, 1, Mode(0));
    let sent = air.transmit(0, frame, Duration::from_nanos(100), &mut cx);
    let mut start = walk(Phase::SignalStart, cx.now);
    let came = air.walk(sent, &mut start, &mut cx).told;
    let strength = came.expect("the carrier came").strength;
    assert_eq!(came, Some(Told { interface: 2, frame: None, strength, is_carrier_news: true }));
    assert!(air.carrier(2).is_busy && air.carrier(0).is_busy);
    assert_eq!(air.walk(sent, &mut start, &mut cx).told, None);
    cx.now = Instant::from_nanos(100);
    air.on_antenna_free(0, cx.now);
    let mut end = walk(Phase::SignalEnd, cx.now);
    let ends: Vec<_> = std::iter::from_fn(|| air.walk(sent, &mut end, &mut cx).told).collect();
    let told = |interface, is_carrier_news| Told { interface, frame: Some(frame), strength, is_carrier_news };
    assert_eq!(ends, [told(1, false), told(2, true)]);
    assert_eq!((air.carrier(2).is_busy, air.carrier(2).idle_since), (false, cx.now));
}
