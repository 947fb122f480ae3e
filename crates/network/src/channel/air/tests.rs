use super::*;
use crate::frame::FrameKind;
use crate::mobility::{self, Setup};
use crate::phy::{Mode, modem};
use crate::space::Position;

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
    let radio = Radio { speed: Speed(1e9), ..Radio::default() };
    let mut air = air(&radio, &[0.0, 240.0, 20.0]);
    let mut cx = Context::new(0);
    let frame = Frame::new(0, 0, FrameKind::Data, 1, Mode(0));
    let sent = air.transmit(0, frame, Duration::from_nanos(100), &mut cx);
    let mut walk = Vec::new();
    while let Some((at, phase)) = air.next(sent) {
        cx.now = at;
        let told = air.step(sent, phase, &mut cx);
        walk.push((at.as_nanos(), phase, told.map(|told| told.interface)));
        assert_eq!(told.and_then(|_| air.step(sent, phase, &mut cx)), None);
    }
    let (start, end) = (Phase::SignalStart, Phase::SignalEnd);
    assert_eq!(walk, [(20, start, None), (120, end, Some(2)), (240, start, None), (340, end, Some(1))]);
}

#[test]
fn who_watches_the_carrier_is_told_when_it_comes_and_goes() {
    let radio = Radio { delay: Delay::None, ..Radio::default() };
    let mut air = air(&radio, &[0.0, 100.0, 200.0]);
    air.watch(2, true);
    let mut cx = Context::new(0);
    let frame = Frame::new(0, 0, FrameKind::Data, 1, Mode(0));
    let sent = air.transmit(0, frame, Duration::from_nanos(100), &mut cx);
    let came = air.step(sent, Phase::SignalStart, &mut cx);
    let level = came.expect("the carrier came").level;
    assert_eq!(came, Some(Told { interface: 2, frame: None, level, is_carrier_news: true }));
    assert!(air.carrier(2).is_busy && air.carrier(0).is_busy);
    assert_eq!(air.step(sent, Phase::SignalStart, &mut cx), None);
    cx.now = Instant::from_nanos(100);
    air.on_antenna_free(0, cx.now);
    let ends: Vec<_> = std::iter::from_fn(|| air.step(sent, Phase::SignalEnd, &mut cx)).collect();
    let told = |interface, is_carrier_news| Told { interface, frame: Some(frame), level, is_carrier_news };
    assert_eq!(ends, [told(1, false), told(2, true)]);
    assert_eq!((air.carrier(2).is_busy, air.carrier(2).idle_since), (false, cx.now));
}
