//! Congestion control under any sequence of ACKs, losses, timeouts, mistakes, silences and wild round trips.
//!
//! What must hold after every step, whatever the algorithm: the window is a number, at least one segment and
//! below any window TCP can announce; the threshold is at least two segments or unknown, and a loss leaves it at most at what
//! was in flight; a pacing rate lets packets leave; every observed number is finite; an ACK that may not make the window grow does not.

mod circumstances;

use farlink_kernel::random::Stream;
use farlink_kernel::{Bytes, Duration, Instant};
use farlink_tcp::Window;
use farlink_tcp::congestion::arithmetic::WindowCounting;
use farlink_tcp::congestion::{
    Ack, Any, Config, EcnFeedback, Loss, LossKind, LostPacket, PacketState, RateSample, Saved, Setup,
    emulation,
};

use crate::rules::{self, Rules};
use crate::sequence::Harness;
use crate::threshold;
use circumstances::{arithmetic, wild_time};

/// More segments than RFC 7323 can announce bytes, with room for one ACK beyond.
const LARGEST: f64 = (1u64 << 31) as f64;

/// Something that may happen to a congestion control.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// New data is acknowledged.
    Acked {
        /// Segments; fractions are part segments.
        segments: f64,
        /// The window limited the sender.
        limited: bool,
    },
    /// A duplicate ACK, with so many segments newly reported by SACK.
    Duplicate {
        /// Segments.
        sacked: f64,
    },
    /// A partial ACK while a loss is repaired.
    Partial {
        /// Segments.
        segments: f64,
    },
    /// The next ACK begins a round.
    RoundEnds,
    /// A loss is found, or an ECN echo arrives.
    Congestion(LossKind),
    /// The retransmission timer expires so many times in a row.
    TimeoutStorm(u32),
    /// All is repaired.
    Repaired,
    /// The last reduction was a mistake.
    Spurious,
    /// Nothing is sent for so long.
    Idle(Duration),
    /// Time passes.
    Pass(Duration),
    /// The path's round-trip time changes.
    RoundTrip(Duration),
    /// Round trips give no samples any more (or again).
    Samples(bool),
}

/// The members' harness: builds one and lets things happen to it.
pub struct Congestion<B: Fn(&Setup) -> Any> {
    build: B,
    /// The algorithm sets ssthresh by an estimate of the path.
    estimates: bool,
    rules: Option<Rules>,
}

/// The harness of a registered member with its default parameters.
pub fn registered(config: &Config) -> Congestion<impl Fn(&Setup) -> Any> {
    let build = |setup: &Setup| emulation::build(config, setup);
    Congestion { rules: rules::of(config), ..member(config.name(), build) }
}

/// The harness of any member that follows the algorithm called `name`.
pub fn member<B: Fn(&Setup) -> Any>(name: &str, build: B) -> Congestion<B> {
    Congestion { build, estimates: threshold::is_estimated(name), rules: None }
}

/// A member and the connection around it, as far as the member sees it.
#[derive(Debug)]
pub struct State {
    member: Any,
    estimates: bool,
    rules: Option<Rules>,
    /// Windows are real numbers, so that growth can be judged.
    counts_parts: bool,
    /// When the latest loss was, unless it was a mistake.
    lost_at: Option<Instant>,
    window: Window,
    now: Instant,
    rtt: Duration,
    srtt: Duration,
    min_rtt: Duration,
    has_samples: bool,
    /// Losses other than a timeout's are being repaired.
    in_recovery: bool,
    /// A timeout's losses are being repaired.
    in_loss: bool,
    round_ends: bool,
    delivered: f64,
    /// Segments marked lost since the last was sent.
    lost: f64,
    saved: Option<Saved>,
    initial_window: f64,
    /// Whether an ACK reports marks, where they are reported.
    marks: Option<Stream>,
}

impl<B: Fn(&Setup) -> Any> Harness for Congestion<B> {
    type Operation = Operation;
    type State = State;

    fn begin(&self, rng: &mut Stream) -> State {
        let initial_window = 1.0 + rng.below(10) as f64;
        let segment_size = Bytes(1 + rng.below(9_000));
        let max_window = if rng.below(2) == 0 { f64::INFINITY } else { 1.0 + rng.below(10_000) as f64 };
        let seed = rng.bits();
        let setup = Setup {
            segment_size,
            max_window,
            initial_window,
            seed,
            is_paced: seed.is_multiple_of(2),
            arithmetic: arithmetic(rng),
        };
        let rtt = wild_time(rng);
        let counts_parts = setup.arithmetic.counting == WindowCounting::Real;
        let srtt = if rng.below(4) == 0 { Duration::ZERO } else { rtt };
        let mut member = (self.build)(&setup);
        let mut window = Window::new(initial_window);
        if rng.below(2) == 0 {
            window.ssthresh = 2.0 + rng.below(1_000) as f64;
        }
        // Of these, the sequences of members that ignore them are not to depend.
        let mut marks = Stream::new(seed, "marks", 0);
        let feedback =
            [EcnFeedback::None, EcnFeedback::Classic, EcnFeedback::Accurate][marks.below(3) as usize];
        member.on_ecn_negotiated(feedback);
        member.on_start(&mut window, Instant::ZERO, srtt);
        State {
            member,
            estimates: self.estimates,
            rules: self.rules,
            counts_parts,
            lost_at: Some(Instant::ZERO),
            window,
            now: Instant::ZERO,
            rtt,
            srtt,
            min_rtt: if srtt.is_zero() { Duration::MAX } else { srtt },
            has_samples: true,
            in_recovery: false,
            in_loss: false,
            round_ends: false,
            delivered: 0.0,
            lost: 0.0,
            saved: None,
            initial_window,
            marks: (feedback != EcnFeedback::None).then_some(marks),
        }
    }

    fn operation(&self, rng: &mut Stream) -> Operation {
        let kinds = [LossKind::DuplicateAcks, LossKind::Rack, LossKind::Timeout, LossKind::Ecn];
        match rng.below(40) {
            0..16 => Operation::Acked { segments: 1.0, limited: true },
            16..18 => Operation::Acked { segments: 2.0, limited: rng.below(2) == 0 },
            18 => Operation::Acked { segments: rng.uniform(), limited: true },
            19 => Operation::Acked { segments: 1.0 + rng.exponential(100.0), limited: true },
            20..25 => Operation::Duplicate { sacked: rng.below(3) as f64 },
            25..27 => Operation::Partial { segments: 1.0 + rng.exponential(5.0) },
            27..30 => Operation::RoundEnds,
            30..32 => Operation::Congestion(kinds[rng.below(4) as usize]),
            32 => Operation::TimeoutStorm(1 + rng.below(12) as u32),
            33..35 => Operation::Repaired,
            35 => Operation::Spurious,
            36 => Operation::Idle(wild_time(rng)),
            37 => Operation::Pass(wild_time(rng)),
            38 => Operation::RoundTrip(wild_time(rng)),
            _ => Operation::Samples(rng.below(4) > 0),
        }
    }

    fn step(&self, state: &mut State, operation: &Operation) -> Result<(), String> {
        match *operation {
            Operation::Acked { segments, limited } => state.ack(segments, segments, limited)?,
            Operation::Duplicate { sacked } => state.ack(0.0, sacked, false)?,
            Operation::Partial { segments } if state.in_recovery => {
                state.ack(segments, segments / 2.0, false)?;
            }
            Operation::Partial { .. } => {}
            Operation::RoundEnds => state.round_ends = true,
            Operation::Congestion(kind) => state.lose(kind, false)?,
            Operation::TimeoutStorm(times) => {
                (0..times).try_for_each(|index| state.lose(LossKind::Timeout, index > 0))?;
            }
            Operation::Repaired => state.repair(),
            Operation::Spurious => state.undo(),
            Operation::Idle(time) => state.idle(time),
            Operation::Pass(time) => state.pass(time),
            Operation::RoundTrip(rtt) => state.rtt = rtt,
            Operation::Samples(on) => state.has_samples = on,
        }
        state.check().map_err(|broken| format!("{broken} after {operation:?}"))
    }
}

impl State {
    /// The window as the member left it.
    pub fn window(&self) -> Window {
        self.window
    }

    fn pass(&mut self, time: Duration) {
        self.now = self.now.saturating_add(time);
    }

    /// What is in flight: the window, which recovery and a spurious timeout may exceed or leave unused.
    fn flight(&self) -> f64 {
        self.window.cwnd.min(1e6).floor()
    }

    fn ack(&mut self, acked: f64, delivered: f64, limited: bool) -> Result<(), String> {
        // ACKs are spaced as a window of segments per round trip is.
        self.pass(self.rtt.mul_f64(1.0 / self.flight().max(1.0)));
        let had_no_sample = self.srtt.is_zero();
        let sample = (self.has_samples && acked > 0.0).then_some(self.rtt);
        if let Some(rtt) = sample {
            let eighth = |part: Duration| part.mul_f64(1.0 / 8.0);
            self.srtt =
                if had_no_sample { rtt } else { self.srtt.saturating_sub(eighth(self.srtt)) + eighth(rtt) };
            self.min_rtt = self.min_rtt.min(rtt);
        }
        let prior_delivered = (self.delivered - self.flight()).max(0.0);
        self.delivered += delivered;
        if delivered > 1.0 {
            self.lost = 0.0;
        }
        let may_grow = acked > 0.0 && limited && !self.in_recovery;
        let ack = Ack {
            now: self.now,
            acked,
            delivered,
            rtt: sample,
            srtt: self.srtt,
            min_rtt: self.min_rtt,
            flight: self.flight(),
            prior_flight: self.flight(),
            may_grow,
            in_recovery: self.in_recovery,
            round_start: std::mem::take(&mut self.round_ends),
            one_way: sample.map(|rtt| rtt.mul_f64(0.5)),
            rate: sample.filter(|_| delivered > 0.0).map(|rtt| RateSample {
                delivered: self.delivered - prior_delivered,
                interval: rtt,
                prior_delivered,
                app_limited: !limited,
            }),
            lost: if self.in_recovery { 1.0 } else { 0.0 },
            pacing_wait: Duration::ZERO,
            // Up to seven, however many segments are delivered (RFC 9768).
            marked: self.marked(),
            packet: (delivered > 0.0).then(|| self.packet(prior_delivered, !limited)),
        };
        let (before, avoids) = (self.window.cwnd, self.counts_parts && rules::avoids(&self.window));
        self.member.on_ack(&mut self.window, &ack);
        // The first sample may set the start, and BBR governs its window in recovery too.
        let is_free = may_grow || had_no_sample || self.member.controls_recovery();
        if !is_free && self.window.cwnd > before {
            return Err(format!("the window grew from {before} to {} where it may not", self.window.cwnd));
        }
        let (Some(rules), Some(lost_at)) = (self.rules.filter(|_| avoids), self.lost_at) else {
            return Ok(());
        };
        rules.check_growth(acked, self.now.saturating_since(lost_at), before, self.window.cwnd)
    }

    /// Up to seven, however many segments are delivered (RFC 9768).
    fn marked(&mut self) -> f64 {
        let Some(marks) = &mut self.marks else { return 0.0 };
        if marks.below(4) == 0 { marks.below(8) as f64 } else { 0.0 }
    }

    /// A segment that was sent with a window in flight.
    fn packet(&self, prior_delivered: f64, app_limited: bool) -> PacketState {
        PacketState {
            prior_delivered,
            delivered: self.delivered,
            tx_in_flight: self.flight(),
            lost: self.lost,
            app_limited,
        }
    }

    /// One segment in a hundred of the window is marked lost, and one at least.
    fn mark_lost(&mut self) -> Result<(), String> {
        for nth in 0..=(self.flight() / 100.0).min(1e3) as u32 {
            self.lost += 1.0;
            let state = self.packet((self.delivered - self.flight()).max(0.0), false);
            let lost = LostPacket { now: self.now, size: 1.0, state, continues: nth % 3 > 0, has_sack: true };
            let ends_probe = self.ends_probe(state);
            self.member.on_lost(&mut self.window, &lost);
            if ends_probe && rules::probes_up(&self.member.observe()) {
                return Err(format!("{} of {} lost end no probe", state.lost, state.tx_in_flight));
            }
        }
        Ok(())
    }

    /// True if the loss of a segment that was sent in that state has to end a probe of a member with the default parameters.
    fn ends_probe(&self, sent: PacketState) -> bool {
        self.rules.is_some()
            && rules::is_too_much(sent.lost, sent.tx_in_flight)
            && rules::probes_up(&self.member.observe())
    }

    fn lose(&mut self, kind: LossKind, repeated: bool) -> Result<(), String> {
        if self.in_recovery && kind != LossKind::Timeout {
            return Ok(());
        }
        if kind != LossKind::Ecn && self.member.uses_packet_state() {
            self.mark_lost()?;
        }
        if !repeated {
            self.saved = Some(Saved { cwnd: self.window.cwnd, ssthresh: self.window.ssthresh });
        }
        let loss = Loss {
            now: self.now,
            kind,
            flight: self.flight(),
            srtt: self.srtt,
            min_rtt: self.min_rtt,
            latest_rtt: self.rtt,
            repeated,
        };
        let before = self.window.ssthresh;
        self.member.on_congestion(&mut self.window, &loss);
        self.in_recovery = matches!(kind, LossKind::DuplicateAcks | LossKind::Rack);
        self.in_loss = kind == LossKind::Timeout;
        self.lost_at = Some(self.now);
        if let Some(rules) = self.rules.filter(|_| self.in_recovery) {
            rules.check_loss(loss.flight, self.window.ssthresh)?;
        }
        if self.estimates {
            return Ok(());
        }
        threshold::check(loss.flight, before, self.window.ssthresh)
    }

    fn repair(&mut self) {
        if std::mem::take(&mut self.in_recovery) | std::mem::take(&mut self.in_loss) {
            self.member.on_recovery_end(&mut self.window, self.now);
        }
    }

    fn undo(&mut self) {
        if let Some(saved) = self.saved.take() {
            self.member.on_spurious(&mut self.window, &saved);
            self.lost_at = None;
            self.in_recovery = false;
            self.in_loss = false;
        }
    }

    fn idle(&mut self, time: Duration) {
        if !self.in_recovery && !self.in_loss {
            self.pass(time);
            self.member.on_flight_start(&mut self.window, self.now, true);
            self.member.on_idle(&mut self.window, self.initial_window, self.now);
        }
    }

    fn check(&self) -> Result<(), String> {
        let Window { cwnd, ssthresh, pacing_rate } = self.window;
        if !(1.0..=LARGEST).contains(&cwnd) {
            return Err(format!("cwnd is {cwnd}"));
        }
        if ssthresh.is_nan() || ssthresh < 2.0 {
            return Err(format!("ssthresh is {ssthresh}"));
        }
        if pacing_rate.is_some_and(farlink_kernel::BitRate::is_zero) {
            return Err("the pacing rate is zero".into());
        }
        let observed = self.member.observe();
        if let Some((name, value)) = observed.iter().find(|(_, value)| !value.is_finite()) {
            return Err(format!("{name} is {value}"));
        }
        self.rules.map_or(Ok(()), |rules| rules.check_observed(&observed))
    }
}
