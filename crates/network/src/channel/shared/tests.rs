use super::upper_layers::{Indication, UpperLayers};
use super::*;
use crate::channel::medium::Delay;
use crate::channel::propagation;
use crate::channel::propagation_speed::PropagationSpeed;
use crate::frame::{FrameKind, Mode};
use crate::ids::InterfaceId;
use crate::ids::NodeId;
use crate::mobility::scripted::{self, Move, Moves};
use crate::mobility::{self, Setup};
use crate::phy::{antenna, modem};
use crate::space::{Metres, Pace, Position, Speed, Waypoint};

pub(super) fn medium() -> Medium {
    let disc = propagation::Config::Disc(propagation::disc::Config::default());
    Medium::new(&disc, &antenna::Config::default())
}

/// A channel with members along a line.
fn channel(medium: Medium, metres: &[f64]) -> SharedChannel {
    let config = mobility::Config::named("static").expect("registered");
    let trajectory = |(&x, node): (&f64, u32)| {
        let position = Position { x: Metres(x), ..Position::default() };
        Trajectory::new(&config, &Setup { seed: 1, node: NodeId(node), position })
    };
    channel_of(medium, metres.iter().zip(0..).map(trajectory).collect())
}

/// A channel with members on these trajectories.
fn channel_of(medium: Medium, trajectories: Vec<Trajectory>) -> SharedChannel {
    let members = (0..trajectories.len() as u32).map(|i| (NodeId(i), InterfaceId(i)));
    SharedChannel::new(
        medium,
        Arc::new(modem::Modem::new(&modem::Config::default(), &())),
        members,
        trajectories,
        (1, 0),
    )
}

/// A member that moves along the line from `way[0]` to `way[1]`, in metres.
fn walker(way: [f64; 2], speed_mps: f64) -> Trajectory {
    let [from, to] = way.map(Metres);
    let to = Waypoint { x: to, ..Waypoint::default() };
    let moves = Moves::List(vec![Move { at: Instant::ZERO, to, speed: Pace(speed_mps) }]);
    let config = mobility::Config::Scripted(scripted::Config { moves });
    let position = Position { x: from, ..Position::default() };
    Trajectory::new(&config, &Setup { seed: 1, node: NodeId(0), position })
}

/// Upper layers that record all notifications and are interested in everything.
#[derive(Default)]
struct Recorder {
    indications: Vec<(u64, u32, Option<Frame>, bool)>,
    overheard: Vec<(u64, u32)>,
    /// The next event of the layers.
    next: Option<(Instant, Phase)>,
}

impl UpperLayers for Recorder {
    fn indicate(&mut self, indication: &Indication<'_>, cx: &mut Context) -> Interest {
        let Indication { interface, frame, carrier_changed, .. } = *indication;
        self.indications.push((cx.now.as_nanos(), interface.0, frame.copied(), carrier_changed));
        Interest { carrier_from: Instant::ZERO, taps: false, ..Interest::ALL }
    }

    fn overhear(&mut self, node: NodeId, _frame: &Frame, cx: &mut Context) -> bool {
        self.overheard.push((cx.now.as_nanos(), node.0));
        true
    }

    fn horizon(&self) -> (Instant, Phase) {
        self.next.unwrap_or((Instant::NEVER, Phase::Sample))
    }
}

const NOTHING: Interest = Interest { overhears: false, taps: false, awaits_end: false, ..Interest::ALL };

/// Progress without other events.
fn progress(cx: &Context) -> Progress {
    Progress::new((cx.now, Phase::SignalStart), (Instant::NEVER, Phase::Sample))
}

/// Listeners receive it after 240 ns and 20 ns.
fn one_metre_per_nanosecond() -> (SharedChannel, Context, u32) {
    let medium = Medium { speed: PropagationSpeed::Constant(Speed(1e9)), ..medium() };
    let mut channel = channel(medium, &[0.0, 240.0, 20.0]);
    let mut cx = Context::new(0);
    let frame = Frame::new(NodeId(0), 0, FrameKind::Data, 1, Mode(0));
    let sent = channel.transmit(0, frame, Duration::from_nanos(100), &mut cx);
    (channel, cx, sent)
}

#[test]
fn starts_and_ends_come_in_the_order_of_arrival() {
    let (mut channel, mut cx, sent) = one_metre_per_nanosecond();
    let (mut recorder, mut seen) = (Recorder::default(), Vec::new());
    while let Some(moment) = channel.next(sent) {
        cx.now = moment.0;
        seen.push((moment.0.as_nanos(), moment.1));
        recorder.next = Some(moment);
        let next = channel.propagate(sent, &mut Progress::new(moment, moment), &mut recorder, &mut cx);
        assert_eq!(next, (sent, channel.next(sent)));
    }
    let (start, end) = (Phase::SignalStart, Phase::SignalEnd);
    assert_eq!(seen, [(20, start), (120, end), (240, start), (340, end)]);
    let frame = Some(Frame::new(NodeId(0), 0, FrameKind::Data, 1, Mode(0)));
    assert_eq!(recorder.indications, [(120, 2, frame, false), (340, 1, frame, false)]);
}

#[test]
fn propagation_goes_on_to_the_next_event_of_the_upper_layers() {
    for (next, passed) in [(None, 4), (Some(239), 2), (Some(241), 3)] {
        let (mut channel, mut cx, sent) = one_metre_per_nanosecond();
        let next = next.map(|at| (Instant::from_nanos(at), Phase::Timer));
        let mut recorder = Recorder { next, ..Recorder::default() };
        cx.now = Instant::from_nanos(20);
        let mut progress = progress(&cx);
        channel.propagate(sent, &mut progress, &mut recorder, &mut cx);
        assert_eq!(progress.moments + 1, passed);
    }
}

#[test]
fn overheard_frames_set_the_nav_and_are_indicated_to_interested_macs() {
    let medium = Medium { delay: Delay::None, ..medium() };
    let mut channel = channel(medium, &[0.0, 100.0, 200.0]);
    channel.set_interest(1, NOTHING);
    let mut cx = Context::new(0);
    let duration = Duration::from_nanos(70);
    let rts = FrameKind::RequestToSend { to: NodeId(9) };
    let frame = Frame { duration, ..Frame::new(NodeId(0), 0, rts, 1, Mode(0)) };
    let sent = channel.transmit(0, frame, Duration::from_nanos(100), &mut cx);
    let (mut through, mut recorder) = (progress(&cx), Recorder::default());
    assert_eq!(channel.propagate(sent, &mut through, &mut recorder, &mut cx), (sent, None));
    assert_eq!((recorder.indications, through.moments), (vec![(100, 2, Some(frame), false)], 1));
    assert_eq!([0, 1, 2].map(|member| channel.carrier(member).nav_until.as_nanos()), [0, 170, 170]);
}

#[test]
fn routing_that_taps_overhears_data_without_the_mac() {
    for (kind, overheard) in
        [(FrameKind::Data, vec![(100, 1)]), (FrameKind::RequestToSend { to: NodeId(9) }, vec![])]
    {
        let mut channel = channel(Medium { delay: Delay::None, ..medium() }, &[0.0, 100.0]);
        channel.set_interest(1, Interest { taps: true, ..NOTHING });
        let mut cx = Context::new(0);
        let sent = channel.transmit(
            0,
            Frame::new(NodeId(0), 0, kind, 1, Mode(0)),
            Duration::from_nanos(100),
            &mut cx,
        );
        let mut recorder = Recorder::default();
        channel.propagate(sent, &mut progress(&cx), &mut recorder, &mut cx);
        assert_eq!((recorder.overheard, recorder.indications), (overheard, vec![]));
    }
}

#[test]
fn carrier_changes_are_indicated_to_interested_macs() {
    let medium = Medium { delay: Delay::None, ..medium() };
    let mut channel = channel(medium, &[0.0, 100.0, 200.0]);
    channel.set_interest(2, Interest { carrier_from: Instant::ZERO, overhears: true, ..NOTHING });
    let mut cx = Context::new(0);
    let frame = Frame::new(NodeId(0), 0, FrameKind::Data, 1, Mode(0));
    let sent = channel.transmit(0, frame, Duration::from_nanos(100), &mut cx);
    let start = (cx.now, Phase::SignalStart);
    let mut recorder = Recorder { next: Some(start), ..Recorder::default() };
    let (_, end) = channel.propagate(sent, &mut Progress::new(start, start), &mut recorder, &mut cx);
    let end = end.expect("it ends");
    assert_eq!(std::mem::take(&mut recorder.indications), [(0, 2, None, true)]);
    assert!(channel.carrier(2).is_busy && channel.carrier(0).is_busy);
    cx.now = Instant::from_nanos(100);
    channel.on_transmitted(0, cx.now);
    channel.propagate(sent, &mut Progress::new(end, end), &mut recorder, &mut cx);
    assert_eq!(recorder.indications, [(100, 1, Some(frame), false), (100, 2, Some(frame), true)]);
    assert_eq!((channel.carrier(2).is_busy, channel.carrier(2).idle_since), (false, cx.now));
}

#[test]
fn a_member_beyond_the_candidates_comes_into_range_within_a_cached_lifetime() {
    for culling in [true, false] {
        // Candidates are within 281.25 m, and updated after 1.5625 s, when these are 250.05 m apart.
        let trajectories = vec![walker([0.0, 1000.0], 10.0), walker([281.3, -1000.0], 10.0)];
        let mut channel = channel_of(Medium { culling, ..medium() }, trajectories);
        let mut cx = Context::new(0);
        let mut listeners = |millis| {
            cx.now = Instant::ZERO + Duration::from_millis(millis);
            let frame = Frame::new(NodeId(0), 0, FrameKind::Data, 1, Mode(0));
            let sent = channel.transmit(0, frame, Duration::from_nanos(100), &mut cx);
            channel.on_transmitted(0, cx.now);
            channel.transmissions[sent].listeners.len()
        };
        assert_eq!([1560, 1564, 1566, 1570].map(&mut listeners), [0, 0, 1, 1], "culling: {culling}");
    }
}

#[test]
fn a_postponed_start_is_made_up_for_when_it_matters() {
    let mut channel = channel(Medium { delay: Delay::None, ..medium() }, &[0.0, 100.0, 200.0]);
    for member in [1, 2] {
        channel.set_interest(member, NOTHING);
    }
    let (mut cx, at) = (Context::new(0), Instant::from_nanos);
    let transmit = |channel: &mut SharedChannel, member: u32, length, cx: &mut Context| {
        let frame = Frame::new(NodeId(member), 0, FrameKind::Data, 1, Mode(0));
        channel.transmit(member as usize, frame, Duration::from_nanos(length), cx)
    };
    let first = transmit(&mut channel, 0, 100, &mut cx);
    let next = (at(50), Phase::Timer);
    let mut recorder = Recorder { next: Some(next), ..Recorder::default() };
    let mut started = Progress::new((at(0), Phase::SignalStart), next);
    channel.propagate(first, &mut started, &mut recorder, &mut cx);
    // Before and after it is made up for.
    let sensed =
        |channel: &SharedChannel| [1, 2].map(|member| channel.sensed_time(member, at(30)).as_nanos());
    assert_eq!((channel.sole, sensed(&channel)), (Some(first), [30, 30]));
    assert!(channel.carrier(1).is_busy && channel.carrier(1).busy_since == at(0));
    assert_eq!(sensed(&channel), [30, 30]);
    // Another station transmits: both signals are lost at the listener between, and the first at the sender.
    cx.now = at(50);
    let second = transmit(&mut channel, 2, 10, &mut cx);
    recorder.next = None;
    assert_eq!(channel.sole, None);
    channel.propagate(second, &mut progress(&cx), &mut recorder, &mut cx);
    let mut ended = Progress::new((at(100), Phase::SignalEnd), (Instant::NEVER, Phase::Sample));
    channel.propagate(first, &mut ended, &mut recorder, &mut cx);
    let missed = [1, 2].map(|member| channel.receive_counters(member).missed());
    let counts = missed.map(|causes| causes.into_iter().map(|(_, count)| count).collect::<Vec<_>>());
    assert_eq!(counts, [vec![0, 2, 0, 0, 0, 0], vec![0, 0, 0, 0, 1, 0]]);
    assert!(recorder.indications.is_empty());
}
