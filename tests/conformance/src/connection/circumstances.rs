//! The circumstances of a sequence: the options of the connection, when it opens, and what its wire is like.

use farlink_kernel::random::Stream;
use farlink_kernel::{Bytes, Duration, Instant};
use farlink_tcp::config::{
    DelayedAck, EcnMode, Handshake, InitialSsthresh, InitialWindow, MinRto, Preset, ReduceFrom, RttSamples,
    SlowStart, TimerRestart,
};
use farlink_tcp::{Amount, Config, SeqNumber, congestion, preset, recovery, route_failure};

/// True once in `n`.
pub(super) fn once_in(rng: &mut Stream, n: u64) -> bool {
    rng.below(n) == 0
}

/// One of `all`.
pub(super) fn one_of<T: Copy>(rng: &mut Stream, all: &[T]) -> T {
    all[rng.below(all.len() as u64) as usize]
}

/// Sequence numbers that wrap soon, or any.
pub(super) fn initial_number(rng: &mut Stream) -> SeqNumber {
    SeqNumber(if once_in(rng, 4) { rng.bits() as u32 } else { u32::MAX - rng.below(40_000) as u32 })
}

/// When the connection opens: at the start, any time, or shortly before the clock of the timestamps wraps.
pub(super) fn opening(rng: &mut Stream) -> Instant {
    const WRAP_MS: u64 = 1 << 32;
    let millis = match rng.below(3) {
        0 => 0,
        1 => rng.below(2 * WRAP_MS),
        _ => WRAP_MS - rng.below(20_000),
    };
    Instant::ZERO + Duration::from_millis(millis)
}

/// What a segment's way takes: nothing, a LAN, a satellite.
pub(super) fn delay(rng: &mut Stream) -> Duration {
    Duration::from_nanos(one_of(rng, &[0, 1, 10_000, 1_000_000, 20_000_000, 300_000_000]))
}

/// The member that is tried.
#[derive(Debug)]
pub(super) enum Plugged {
    Recovery(recovery::Config),
    RouteFailure(route_failure::Config),
}

impl Plugged {
    fn recovery(&self, rng: &mut Stream) -> recovery::Config {
        match self {
            Self::Recovery(config) => config.clone(),
            Self::RouteFailure(_) => {
                recovery::Config::named(one_of(rng, recovery::Config::NAMES)).expect("a registered name")
            }
        }
    }

    fn route_failure(&self) -> route_failure::Config {
        match self {
            Self::Recovery(_) => route_failure::Config::named("none").expect("a registered name"),
            Self::RouteFailure(config) => config.clone(),
        }
    }
}

/// Any options: those of a preset, some of them changed.
pub(super) fn options(rng: &mut Stream, plugged: &Plugged, segment_size: Bytes) -> Config {
    let presets = [Preset::Rfc, Preset::Ns2, Preset::Ns2Linux, Preset::Linux];
    let preset = one_of(rng, &presets);
    let name = one_of(rng, congestion::Config::NAMES);
    let mut config = Config {
        congestion_control: preset::congestion_control(preset, name).expect("a registered name"),
        recovery: plugged.recovery(rng),
        route_failure: plugged.route_failure(),
        segment_size,
        // The receiver here has a will of its own and cannot be known beforehand.
        handshake: Handshake::ThreeWay,
        ..Config::preset(preset)
    };
    config.max_window = one_of(
        rng,
        &[None, Some(Amount::Packets(1)), Some(Amount::Packets(20)), Some(Amount::Bytes(Bytes(5_000)))],
    );
    if config.max_window.is_some_and(|most| most.bytes(config.segment_size) < config.segment_size.0) {
        config.max_window = Some(Amount::Packets(2));
    }
    config.initial_window = one_of(
        rng,
        &[InitialWindow::Rfc6928, InitialWindow::Rfc3390, InitialWindow::Fixed(Amount::Packets(1))],
    );
    config.receive_buffer = Bytes(one_of(rng, &[3_000, 20_000, 65_535, 6 << 20]));
    change_sender(&mut config, rng);
    change_timers(&mut config, rng);
    config
}

fn change_sender(config: &mut Config, rng: &mut Stream) {
    let mut flip = |option: &mut bool| *option ^= once_in(rng, 4);
    flip(&mut config.sack);
    flip(&mut config.dsack);
    flip(&mut config.timestamps);
    flip(&mut config.window_scaling);
    flip(&mut config.keep_sacked_on_timeout);
    flip(&mut config.limited_transmit);
    flip(&mut config.idle_restart);
    flip(&mut config.grow_only_when_limited);
    flip(&mut config.pacing);
    flip(&mut config.syn_rtt_sample);
    flip(&mut config.f_rto);
    flip(&mut config.eifel);
    flip(&mut config.dsack_undo);
    flip(&mut config.receive_autotuning);
    if once_in(rng, 3) {
        config.ecn = one_of(rng, &[EcnMode::Off, EcnMode::Classic, EcnMode::Accurate]);
    }
    if once_in(rng, 4) {
        config.reduce_from = one_of(rng, &[ReduceFrom::FlightSize, ReduceFrom::Cwnd]);
        config.slow_start = one_of(rng, &[SlowStart::Standard, SlowStart::HystartPlusPlus]);
        config.initial_ssthresh = one_of(
            rng,
            &[InitialSsthresh::Infinite, InitialSsthresh::Hoe, InitialSsthresh::Fixed(Amount::Packets(4))],
        );
    }
}

fn change_timers(config: &mut Config, rng: &mut Stream) {
    if once_in(rng, 2) {
        return;
    }
    config.delayed_ack = one_of(rng, &[DelayedAck::Off, DelayedAck::Rfc, DelayedAck::Ns2, DelayedAck::Linux]);
    config.rtt_samples = one_of(
        rng,
        &[RttSamples::Scaled, RttSamples::EveryAck, RttSamples::DuplicatesToo, RttSamples::OncePerRtt],
    );
    config.timer_restart =
        one_of(rng, &[TimerRestart::NewData, TimerRestart::EarlierSacks, TimerRestart::EveryAck]);
    config.min_rto_of = one_of(rng, &[MinRto::Whole, MinRto::Variance]);
    config.rto_in_ticks ^= once_in(rng, 4);
    config.rescale_window = once_in(rng, 2);
    config.min_rto = Duration::from_millis(one_of(rng, &[1, 200, 1_000]));
}
