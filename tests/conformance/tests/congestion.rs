//! Every registered congestion control against the harness, and the harness against seeded faults.

use std::fmt::Write;
use std::iter;

use farlink_conformance::congestion::{Operation, member, registered};
use farlink_conformance::sequence::{self, Failure, Harness};
use farlink_kernel::config::{Entry, Field, Model, Read};
use farlink_kernel::random::Stream;
use farlink_kernel::{Diagnostic, Duration, Instant, Kind, Node, Value};
use farlink_tcp::Window;
use farlink_tcp::config::Preset;
use farlink_tcp::congestion::arithmetic::{RecoveryWindow, WindowArithmetic};
use farlink_tcp::congestion::{
    Ack, Any, Config, CongestionControl, EcnFeedback, Loss, LossKind, Saved, Setup, emulation,
};
use farlink_tcp::connection::congestion_setup;
use farlink_tcp::preset::congestion_control;

fn survives(config: &Config, sequences: u64, length: usize) {
    if let Err(failure) = sequence::run(&registered(config), 1, sequences, length) {
        panic!("{}: {failure}", config.show());
    }
}

/// Each registered name, and each algorithm that a word among choices makes of it, such as LEDBAT++ of `ledbat`.
fn algorithms() -> Vec<Config> {
    let words = |field: &Field| match field.kind {
        Kind::Choice(words) => words.to_vec(),
        _ => Vec::new(),
    };
    let chosen = |model: &Model| -> Vec<Config> {
        let of_field = |field: &Field| {
            let (name, key) = (model.name, field.name);
            words(field).into_iter().map(move |word| with_parameter(name, key, Value::Text(word.into())))
        };
        model.fields.iter().flat_map(of_field).filter_map(Result::ok).collect()
    };
    let by_name = Config::NAMES.iter().filter_map(|name| Config::named(name));
    by_name.chain(Config::models().iter().flat_map(chosen)).collect()
}

#[test]
fn every_algorithm_survives_a_million_operations() {
    let run = |config: &Config| sequence::run(&registered(config), 1, 1_000, 1_000);
    let all = algorithms();
    assert!(all.len() > Config::NAMES.len(), "no choices");
    let failure =
        |config: &Config| Some(format!("{}: {}\n{}", config.name(), run(config).err()?, config.show()));
    let failures = all.iter().filter_map(failure);
    let failures: Vec<_> = failures.collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The model called `name` with one parameter set.
fn with_parameter(name: &str, key: &'static str, value: Value) -> Result<Config, Diagnostic> {
    let entry = |key: &str, value| Entry { key: key.into(), span: 0..0, node: Node::new(value) };
    let entries = vec![entry("name", Value::Text(name.into())), entry(key, value)];
    Config::read(&Node::new(Value::Table(entries)))
}

/// Values a user may write for a parameter of that kind.
fn odd_values(kind: &Kind) -> Vec<Value> {
    match kind {
        Kind::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Kind::Integer { .. } => [0, 1, 4_000_000_000].map(Value::Integer).to_vec(),
        Kind::Number { .. } => [-1e9, -1.0, 0.0, 1e-9, 0.5, 1.0, 1e9, 1e300].map(Value::Float).to_vec(),
        Kind::Quantity { units, .. } => ["0", "1", "1000000"]
            .map(|number| Value::Text(format!("{number} {}", units[units.len() - 1])))
            .to_vec(),
        Kind::Choice(words) => words.iter().map(|&word| Value::Text(word.into())).collect(),
        Kind::AnyOf(kinds) => kinds.iter().flat_map(odd_values).collect(),
        Kind::Within(kind, _) => odd_values(kind),
        Kind::Text | Kind::List(_) | Kind::Table(_) | Kind::Model(_) => Vec::new(),
    }
}

#[test]
fn every_algorithm_survives_odd_parameters() {
    let mut tried = 0;
    for model in Config::models() {
        for field in model.fields {
            for value in odd_values(&field.kind) {
                if let Ok(config) = with_parameter(model.name, field.name, value) {
                    survives(&config, 20, 200);
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 100, "{tried} parameters");
}

/// The hash of all windows that a congestion control has under random operations, with its parameters as they are in
/// `preset` and with each odd value of each parameter.
fn windows(name: &'static str, preset: Preset, arithmetic: WindowArithmetic) -> u64 {
    let config = congestion_control(preset, name).expect("a registered name");
    let model = Config::models().into_iter().find(|model| model.name == name).expect("a registered name");
    let odd =
        |key, kind: &Kind| odd_values(kind).into_iter().map(move |value| with_parameter(name, key, value));
    let odd = model.fields.iter().flat_map(|field| odd(field.name, &field.kind)).filter_map(Result::ok);
    let configs = iter::repeat_n(config, 100).chain(odd);
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for (sequence, config) in (0..).zip(configs) {
        let harness = member(name, move |setup| emulation::build(&config, &Setup { arithmetic, ..*setup }));
        let mut state = harness.begin(&mut Stream::new(2, "circumstances", sequence));
        let mut operations = Stream::new(2, "operations", sequence);
        for _ in 0..300 {
            harness.step(&mut state, &harness.operation(&mut operations)).expect("the invariants hold");
            for number in [state.window().cwnd, state.window().ssthresh] {
                hash = (hash ^ number.to_bits().swap_bytes()).wrapping_mul(0x0100_0000_01b3);
            }
        }
    }
    hash
}

#[test]
fn windows_are_those_on_record_in_every_arithmetic() {
    let systems = [
        (Preset::Rfc, WindowArithmetic::RFC),
        (Preset::Linux, WindowArithmetic::LINUX),
        (Preset::Ns2Linux, WindowArithmetic::NS2_LINUX),
    ];
    let mut found = String::from("congestion_control,preset,window_in_recovery,hash\n");
    for &name in Config::NAMES {
        for (preset, arithmetic) in systems {
            for in_recovery in [RecoveryWindow::Ssthresh, RecoveryWindow::MinCwnd] {
                let hash = windows(name, preset, WindowArithmetic { in_recovery, ..arithmetic });
                writeln!(found, "{name},{},{},{hash:016x}", preset.word(), in_recovery.word())
                    .expect("a string");
            }
        }
    }
    assert_eq!(found, include_str!("windows.csv"));
}

/// Reno with a fault.
#[derive(Debug)]
struct Faulty(Fault);

#[derive(Clone, Copy, Debug)]
enum Fault {
    /// The window is not kept from falling below one segment.
    MissingClamp,
    /// A round-trip time of zero or none is divided by.
    NanRoundTrip,
    /// The window grows while losses are repaired.
    GrowsInRecovery,
}

impl CongestionControl for Faulty {
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        match self.0 {
            Fault::NanRoundTrip if ack.rtt.is_none() => {
                window.cwnd *= ack.srtt.as_secs_f64() / ack.srtt.as_secs_f64();
            }
            Fault::GrowsInRecovery if ack.in_recovery => window.cwnd += 1.0,
            _ if ack.may_grow => window.cwnd += 1.0 / window.cwnd,
            _ => {}
        }
    }

    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        let least = if matches!(self.0, Fault::MissingClamp) { 0.0 } else { 2.0 };
        window.ssthresh = (loss.flight / 2.0).max(least);
        window.cwnd = if loss.kind == LossKind::Timeout { 1.0 } else { window.ssthresh };
    }
}

fn found(fault: Fault) -> Failure<Operation> {
    let harness = member("reno", move |_| Box::new(Faulty(fault)));
    *sequence::run(&harness, 1, 1_000, 200).expect_err("the fault must be found")
}

#[test]
fn seeded_faults_are_found_and_cut_down() {
    let cases =
        [(Fault::MissingClamp, "is 0"), (Fault::NanRoundTrip, "is NaN"), (Fault::GrowsInRecovery, "grew")];
    for (fault, message) in cases {
        let failure = found(fault);
        assert!(failure.broken.contains(message), "{fault:?}: {failure}");
        assert!(failure.operations.len() <= 6, "{fault:?}: {failure}");
    }
}

#[test]
fn the_same_seed_gives_the_same_failure() {
    let [first, second] = [found(Fault::MissingClamp), found(Fault::MissingClamp)];
    assert_eq!((first.sequence, first.operations), (second.sequence, second.operations));
}

/// A member without samples of the delivery rate.
#[derive(Debug)]
struct WithoutRate(Any);

impl CongestionControl for WithoutRate {
    fn on_start(&mut self, window: &mut Window, now: Instant, srtt: Duration) {
        self.0.on_start(window, now, srtt);
    }
    fn on_ack(&mut self, window: &mut Window, ack: &Ack) {
        self.0.on_ack(window, &Ack { rate: None, round_start: false, ..*ack });
    }
    fn on_congestion(&mut self, window: &mut Window, loss: &Loss) {
        self.0.on_congestion(window, loss);
    }
    fn on_recovery_end(&mut self, window: &mut Window, now: Instant) {
        self.0.on_recovery_end(window, now);
    }
    fn on_spurious(&mut self, window: &mut Window, saved: &Saved) {
        self.0.on_spurious(window, saved);
    }
    fn on_idle(&mut self, window: &mut Window, restart: f64, now: Instant) {
        self.0.on_idle(window, restart, now);
    }
    fn controls_recovery(&self) -> bool {
        self.0.controls_recovery()
    }
    fn on_ecn_negotiated(&mut self, feedback: EcnFeedback) {
        self.0.on_ecn_negotiated(feedback);
    }
}

/// True when the member does the same with and without the delivery rate.
fn is_indifferent(config: &Config, seed: u64) -> bool {
    let (with, without) = (
        registered(config),
        member(config.name(), |setup| Box::new(WithoutRate(emulation::build(config, setup)))),
    );
    let (mut rng, mut same_rng) = (Stream::new(seed, "operations", 0), Stream::new(seed, "operations", 0));
    let (mut first, mut second) = (with.begin(&mut rng), without.begin(&mut same_rng));
    (0..300).all(|_| {
        with.step(&mut first, &with.operation(&mut rng)).expect("with rate");
        without.step(&mut second, &without.operation(&mut same_rng)).expect("without rate");
        first.window() == second.window()
    })
}

#[test]
fn a_member_that_declares_no_use_of_the_delivery_rate_has_none() {
    let uses =
        |name| Config::named(name).unwrap().build(&congestion_setup(&farlink_tcp::Config::default(), 1));
    for &name in Config::NAMES {
        let is_indifferent = (0..100).all(|seed| is_indifferent(&Config::named(name).unwrap(), seed));
        assert!(is_indifferent || uses(name).uses_delivery_rate(), "{name}");
    }
    assert!(!(0..100).all(|seed| is_indifferent(&Config::named("bbr").unwrap(), seed)));
}
