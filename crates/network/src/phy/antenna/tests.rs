use super::*;
use crate::phy::modem;
use crate::phy::power::Power;
use farlink_kernel::config::Fraction;

fn settings(config: &Config) -> Settings {
    Settings::new(config, Arc::new(modem::Modem::new(&modem::Config::default(), &())))
}

fn at(nanos: u64) -> Instant {
    Instant::from_nanos(nanos)
}

/// A signal of this strength relative to the reception threshold.
fn signal(transmission: u32, strength: f64, ends: u64) -> Signal {
    let strength = Power::from_watts(3.652e-10 * strength).strength();
    let settings = settings(&Config::default());
    let (is_sensed, lost) = (settings.is_sensed(strength), settings.below_threshold(strength));
    Signal { transmission, strength, mode: Mode(0), is_sensed, lost, ends: at(ends) }
}

/// An antenna and its settings.
struct Bench {
    antenna: Antenna,
    settings: Settings,
    /// Of every frame, in bytes.
    size: u32,
}

impl Bench {
    fn new(config: &Config) -> Self {
        Self { antenna: Antenna::default(), settings: settings(config), size: 100 }
    }

    fn start(&mut self, signal: Signal, now: u64) -> Option<Cause> {
        match self.settings.reception {
            Reception::Pairwise => self.antenna.start::<Pairwise>(signal, at(now), &self.settings).0,
            Reception::Interference => self.antenna.start::<Interference>(signal, at(now), &self.settings).0,
        }
    }

    fn end(&mut self, signal: Signal, lost: Option<Cause>) -> Option<Cause> {
        let (signal, now, settings) = (Signal { lost, ..signal }, signal.ends, &self.settings);
        let size = || self.size;
        match self.settings.reception {
            Reception::Pairwise => self.antenna.end::<Pairwise>(signal, size, || 0.5, now, settings).0,
            Reception::Interference => {
                self.antenna.end::<Interference>(signal, size, || 0.5, now, settings).0
            }
        }
    }

    fn carrier(&self) -> Carrier {
        self.antenna.carrier()
    }
}

fn pairwise() -> Bench {
    Bench::new(&Config::default())
}

#[test]
fn overlapping_signals_of_similar_strength_are_both_lost() {
    let mut bench = pairwise();
    let (first, second, third) = (signal(1, 2.0, 100), signal(2, 2.0, 150), signal(3, 2.0, 200));
    assert_eq!(bench.start(first, 0), None);
    assert_eq!(bench.start(second, 50), Some(Cause::Collision));
    assert_eq!(bench.end(first, None), Some(Cause::Collision));
    // The second still occupies the receiver.
    assert_eq!(bench.start(third, 120), Some(Cause::Collision));
    assert_eq!(bench.end(second, Some(Cause::Collision)), Some(Cause::Collision));
    assert_eq!(bench.end(third, Some(Cause::Collision)), Some(Cause::Collision));
    let alone = signal(4, 2.0, 300);
    assert_eq!((bench.start(alone, 200), bench.end(alone, None)), (None, None));
}

#[test]
fn the_first_signal_is_captured_when_it_is_ten_times_as_strong() {
    let mut bench = pairwise();
    let (first, weak) = (signal(1, 10.1, 100), signal(2, 1.0, 300));
    assert_eq!((bench.start(first, 0), bench.start(weak, 50)), (None, Some(Cause::CaptureLost)));
    assert_eq!(bench.end(first, None), None);
    assert!(bench.carrier().is_busy && !bench.carrier().last_reception_failed);
    // The weak signal never occupied the receiver: another frame is received while it lasts.
    let next = signal(3, 2.0, 200);
    assert_eq!((bench.start(next, 110), bench.end(next, None)), (None, None));
}

#[test]
fn a_strong_signal_that_comes_late_is_lost_with_the_first() {
    let mut bench = pairwise();
    let (weak, strong) = (signal(1, 1.0, 100), signal(2, 100.0, 90));
    assert_eq!((bench.start(weak, 0), bench.start(strong, 50)), (None, Some(Cause::Collision)));
    assert_eq!(bench.end(strong, Some(Cause::Collision)), Some(Cause::Collision));
    assert_eq!(bench.end(weak, None), Some(Cause::Collision));
}

#[test]
fn a_transmitting_antenna_receives_nothing() {
    let mut bench = pairwise();
    let (before, meanwhile) = (signal(1, 2.0, 100), signal(2, 2.0, 150));
    assert_eq!(bench.start(before, 0), None);
    bench.antenna.start_transmission(at(50));
    assert_eq!(bench.start(meanwhile, 60), Some(Cause::ReceiverTransmitting));
    bench.antenna.end_transmission(at(80));
    assert!(bench.carrier().is_busy);
    assert_eq!(bench.end(before, None), Some(Cause::ReceiverTransmitting));
    assert_eq!(bench.end(meanwhile, Some(Cause::ReceiverTransmitting)), Some(Cause::ReceiverTransmitting));
    let (is_busy, idle_since, last_reception_failed, last_error_at) = (false, at(150), false, at(150));
    assert_eq!(
        bench.carrier(),
        Carrier {
            is_busy,
            idle_since,
            busy_since: Instant::NEVER,
            last_reception_failed,
            last_error_at,
            nav_until: at(0)
        }
    );
    // Other stations were sensed from 0 to 50 and from 80 to 150.
    assert_eq!(bench.antenna.sensed_time(at(1000)), Duration::from_nanos(120));
}

#[test]
fn energy_is_the_sum_of_transmitting_receiving_and_idling() {
    let seconds = Duration::from_secs;
    let energy = Config::default().energy(seconds(1), seconds(2), seconds(10));
    assert!((energy - (1.327 + 2.0 * 0.967 + 7.0 * 0.843)).abs() < 1e-12, "{energy}");
}

#[test]
fn a_signal_between_the_thresholds_is_sensed_and_not_received() {
    let mut bench = pairwise();
    let faint = signal(1, 0.5, 100);
    let outcome = bench.start(faint, 0);
    assert_eq!(outcome, Some(Cause::BelowThreshold));
    assert!(bench.carrier().is_busy);
    bench.end(faint, outcome);
    let (is_busy, idle_since, last_reception_failed, last_error_at) = (false, at(100), true, at(100));
    assert_eq!(
        bench.carrier(),
        Carrier {
            is_busy,
            idle_since,
            busy_since: Instant::NEVER,
            last_reception_failed,
            last_error_at,
            nav_until: at(0)
        }
    );
    let good = signal(2, 2.0, 200);
    bench.start(good, 150);
    assert_eq!(bench.end(good, None), None);
    assert!(!bench.carrier().last_reception_failed);
}

#[test]
fn interference_adds_up_until_bits_are_wrong() {
    let mut bench = Bench::new(&Config { reception: Reception::Interference, ..Config::default() });
    // Two signals a twelfth as strong each are 7.8 dB below the first together: 10 dB are needed.
    let (first, a, b) = (signal(1, 12.0, 100), signal(2, 1.0, 90), signal(3, 1.0, 90));
    assert_eq!(bench.start(first, 0), None);
    assert_eq!(bench.start(a, 50), Some(Cause::ReceiverBusy));
    bench.end(a, Some(Cause::ReceiverBusy));
    assert_eq!(bench.end(first, None), None);
    let again = signal(4, 12.0, 300);
    assert_eq!(bench.start(again, 200), None);
    for other in [a, b] {
        bench.start(Signal { ends: at(250), ..other }, 220);
    }
    assert_eq!(bench.end(again, None), Some(Cause::BitError));
}

#[test]
fn frames_are_lost_at_the_uniform_rate() {
    let mut bench = Bench::new(&Config { frame_error_rate: Fraction(0.6), ..Config::default() });
    let (lost, received) = (signal(1, 2.0, 100), signal(2, 2.0, 200));
    bench.start(lost, 0);
    assert_eq!(bench.end(lost, None), Some(Cause::BitError));
    bench.settings.no_error = 0.6;
    bench.start(received, 100);
    assert_eq!(bench.end(received, None), None);
}

#[test]
fn longer_frames_have_more_bit_errors() {
    let mut bench = Bench::new(&Config {
        frame_error_rate: Fraction(1e-3),
        error_unit: ErrorUnit::Bit,
        ..Config::default()
    });
    // The draw is 0.5: 0.999^640 is 0.527, 0.999^800 is 0.449.
    for (size, lost) in [(80, None), (100, Some(Cause::BitError))] {
        let signal = signal(size, 2.0, 100);
        bench.size = size;
        bench.start(signal, 0);
        assert_eq!(bench.end(signal, None), lost, "{size} bytes");
        bench.antenna = Antenna::default();
    }
}
