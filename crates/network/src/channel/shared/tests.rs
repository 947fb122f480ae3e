use super::above::{Above, Told};
use super::*;
use crate::channel::medium::Delay;
use crate::channel::propagation;
use crate::channel::propagation_speed::PropagationSpeed;
use crate::frame::{FrameKind, Mode};
use crate::mobility::scripted::{self, Move, Moves};
use crate::mobility::{self, Setup};
use crate::phy::{antenna, modem};
use crate::space::{Metres, Pace, Position, Speed, Waypoint};

pub(super) fn medium() -> Medium {
    let disc = propagation::Config::Disc(propagation::disc::Config::default());
    Medium::new(&disc, &antenna::Config::default())
}

/// A channel with members along a line.
fn air(medium: Medium, metres: &[f64]) -> Air {
    let config = mobility::Config::named("static").expect("registered");
    let trajectory = |(&x, node): (&f64, u32)| {
        let position = Position { x: Metres(x), ..Position::default() };
        Trajectory::new(&config, &Setup { seed: 1, node, position })
    };
    air_of(medium, metres.iter().zip(0..).map(trajectory).collect())
}

/// A channel with members on these trajectories.
fn air_of(medium: Medium, trajectories: Vec<Trajectory>) -> Air {
    let members = (0..trajectories.len() as u32).map(|i| (i, i));
    Air::new(
        medium,
        Arc::new(modem::Modem::new(&modem::Config::default(), &())),
        members,
        trajectories,
        (1, 0),
    )
}

/// One who goes along that line; `way` is from where to where, in metres.
fn walker(way: [f64; 2], speed_mps: f64) -> Trajectory {
    let [from, to] = way.map(Metres);
    let to = Waypoint { x: to, ..Waypoint::default() };
    let moves = Moves::List(vec![Move { at: Instant::ZERO, to, speed: Pace(speed_mps) }]);
    let config = mobility::Config::Scripted(scripted::Config { moves });
    let position = Position { x: from, ..Position::default() };
    Trajectory::new(&config, &Setup { seed: 1, node: 0, position })
}

/// Writes down what it is told and hears, and wants to know of everything.
#[derive(Default)]
struct Notes {
    told: Vec<(u64, u32, Option<Frame>, bool)>,
    overheard: Vec<(u64, u32)>,
    /// Something of theirs is to happen then.
    next: Option<(Instant, Phase)>,
}

impl Above for Notes {
    fn tell(&mut self, told: &Told<'_>, cx: &mut Context) -> Attention {
        let Told { interface, frame, is_carrier_news, .. } = *told;
        self.told.push((cx.now.as_nanos(), interface, frame.copied(), is_carrier_news));
        Attention { watched_from: Instant::ZERO, overhears: true, taps: false }
    }

    fn overhear(&mut self, node: NodeId, _frame: &Frame, cx: &mut Context) -> bool {
        self.overheard.push((cx.now.as_nanos(), node));
        true
    }

    fn horizon(&self) -> (Instant, Phase) {
        self.next.unwrap_or((Instant::NEVER, Phase::Sample))
    }
}

const NOTHING: Attention = Attention { watched_from: Instant::NEVER, overhears: false, taps: false };

/// From its first moment on, as far as it goes.
fn walk(cx: &Context) -> Walk {
    Walk::new((cx.now, Phase::SignalStart), (Instant::NEVER, Phase::Sample))
}

/// Listeners hear it after 240 ns and 20 ns.
fn sound_at_a_metre_per_nanosecond() -> (Air, Context, u32) {
    let medium = Medium { speed: PropagationSpeed::Constant(Speed(1e9)), ..medium() };
    let mut air = air(medium, &[0.0, 240.0, 20.0]);
    let mut cx = Context::new(0);
    let frame = Frame::new(0, 0, FrameKind::Data, 1, Mode(0));
    let sent = air.transmit(0, frame, Duration::from_nanos(100), &mut cx);
    (air, cx, sent)
}

#[test]
fn starts_and_ends_come_in_the_order_of_arrival() {
    let (mut air, mut cx, sent) = sound_at_a_metre_per_nanosecond();
    let (mut notes, mut seen) = (Notes::default(), Vec::new());
    while let Some(moment) = air.next(sent) {
        cx.now = moment.0;
        seen.push((moment.0.as_nanos(), moment.1));
        notes.next = Some(moment);
        let next = air.walk(sent, &mut Walk::new(moment, moment), &mut notes, &mut cx);
        assert_eq!(next, air.next(sent));
    }
    let (start, end) = (Phase::SignalStart, Phase::SignalEnd);
    assert_eq!(seen, [(20, start), (120, end), (240, start), (340, end)]);
    let frame = Some(Frame::new(0, 0, FrameKind::Data, 1, Mode(0)));
    assert_eq!(notes.told, [(120, 2, frame, false), (340, 1, frame, false)]);
}

#[test]
fn a_walk_goes_on_to_where_those_above_want_something() {
    for (next, passed) in [(None, 4), (Some(239), 2), (Some(241), 3)] {
        let (mut air, mut cx, sent) = sound_at_a_metre_per_nanosecond();
        let next = next.map(|at| (Instant::from_nanos(at), Phase::Timer));
        let mut notes = Notes { next, ..Notes::default() };
        cx.now = Instant::from_nanos(20);
        let mut walk = walk(&cx);
        air.walk(sent, &mut walk, &mut notes, &mut cx);
        assert_eq!(walk.moments + 1, passed);
    }
}

#[test]
fn frames_for_others_reserve_the_medium_and_are_told_to_who_overhears() {
    let medium = Medium { delay: Delay::None, ..medium() };
    let mut air = air(medium, &[0.0, 100.0, 200.0]);
    air.attend(1, NOTHING);
    let mut cx = Context::new(0);
    let reserved = Duration::from_nanos(70);
    let request = FrameKind::RequestToSend { to: 9 };
    let frame = Frame { reserved, ..Frame::new(0, 0, request, 1, Mode(0)) };
    let sent = air.transmit(0, frame, Duration::from_nanos(100), &mut cx);
    let (mut through, mut notes) = (walk(&cx), Notes::default());
    assert_eq!(air.walk(sent, &mut through, &mut notes, &mut cx), None);
    assert_eq!((notes.told, through.moments), (vec![(100, 2, Some(frame), false)], 1));
    assert_eq!([0, 1, 2].map(|member| air.carrier(member).reserved_until.as_nanos()), [0, 170, 170]);
}

#[test]
fn routing_that_taps_hears_packets_for_others_and_the_mac_is_left_alone() {
    for (kind, overheard) in [(FrameKind::Data, vec![(100, 1)]), (FrameKind::RequestToSend { to: 9 }, vec![])]
    {
        let mut air = air(Medium { delay: Delay::None, ..medium() }, &[0.0, 100.0]);
        air.attend(1, Attention { taps: true, ..NOTHING });
        let mut cx = Context::new(0);
        let sent = air.transmit(0, Frame::new(0, 0, kind, 1, Mode(0)), Duration::from_nanos(100), &mut cx);
        let mut notes = Notes::default();
        air.walk(sent, &mut walk(&cx), &mut notes, &mut cx);
        assert_eq!((notes.overheard, notes.told), (overheard, vec![]));
    }
}

#[test]
fn who_watches_the_carrier_is_told_when_it_comes_and_goes() {
    let medium = Medium { delay: Delay::None, ..medium() };
    let mut air = air(medium, &[0.0, 100.0, 200.0]);
    air.attend(2, Attention { watched_from: Instant::ZERO, overhears: true, ..NOTHING });
    let mut cx = Context::new(0);
    let frame = Frame::new(0, 0, FrameKind::Data, 1, Mode(0));
    let sent = air.transmit(0, frame, Duration::from_nanos(100), &mut cx);
    let start = (cx.now, Phase::SignalStart);
    let mut notes = Notes { next: Some(start), ..Notes::default() };
    let end = air.walk(sent, &mut Walk::new(start, start), &mut notes, &mut cx).expect("it ends, too");
    assert_eq!(std::mem::take(&mut notes.told), [(0, 2, None, true)]);
    assert!(air.carrier(2).is_busy && air.carrier(0).is_busy);
    cx.now = Instant::from_nanos(100);
    air.on_antenna_free(0, cx.now);
    air.walk(sent, &mut Walk::new(end, end), &mut notes, &mut cx);
    assert_eq!(notes.told, [(100, 1, Some(frame), false), (100, 2, Some(frame), true)]);
    assert_eq!((air.carrier(2).is_busy, air.carrier(2).idle_since), (false, cx.now));
}

#[test]
fn who_was_too_far_to_be_looked_at_comes_into_reach_while_a_look_serves() {
    for skip_far in [true, false] {
        // Neighbours are those within 281.25 m, and looked up anew after 1.5625 s, when these are 250.05 m apart.
        let trajectories = vec![walker([0.0, 1000.0], 10.0), walker([281.3, -1000.0], 10.0)];
        let mut air = air_of(Medium { skip_far, ..medium() }, trajectories);
        let mut cx = Context::new(0);
        let mut heard = |millis| {
            cx.now = Instant::ZERO + Duration::from_millis(millis);
            let frame = Frame::new(0, 0, FrameKind::Data, 1, Mode(0));
            let sent = air.transmit(0, frame, Duration::from_nanos(100), &mut cx);
            air.on_antenna_free(0, cx.now);
            air.transmissions[sent].listeners.len()
        };
        assert_eq!([1560, 1564, 1566, 1570].map(&mut heard), [0, 0, 1, 1], "skip_far: {skip_far}");
    }
}
