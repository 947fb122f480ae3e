//! The presets: whole systems as values of the options, never as copies of code.

use farlink_kernel::{Bytes, Duration, config::Fraction};

use crate::amount::Amount;
use crate::config::{
    Config, DelayedAck, Handshake, InitialSsthresh, InitialWindow, MaxWindowOf, MinRto, Preset, ReduceFrom,
    RttSamples, TimerRestart,
};
use crate::congestion::arithmetic::WindowArithmetic;
use crate::congestion::hybla::{self, AfterTimeout, Start};
use crate::congestion::westwood::{self, Estimator};
use crate::congestion::{bbr3, compound, cubic, enhanced_hybla, htcp, illinois, scalable, vegas};
use crate::{congestion, recovery};

impl Config {
    /// The options of `preset`.
    pub fn preset(preset: Preset) -> Self {
        match preset {
            Preset::Rfc => Self::default(),
            Preset::Ns2 => ns2(),
            Preset::Ns2Linux => ns2_linux(),
            Preset::Linux => linux(),
        }
    }
}

/// The congestion control called `name` with the parameters it has in `preset`: those of its paper or RFC, or of the
/// kernel's module.
pub fn congestion_control(preset: Preset, name: &str) -> Option<congestion::Config> {
    let runs_modules = matches!(preset, Preset::Ns2Linux | Preset::Linux);
    Some(match congestion::Config::named(name)? {
        congestion::Config::Cubic(_) if preset == Preset::Ns2Linux => {
            congestion::Config::Cubic(cubic_2_6_22())
        }
        congestion::Config::Compound(paper) if preset == Preset::Ns2Linux => {
            congestion::Config::Compound(compound::Config { tune_gamma: false, ..paper })
        }
        congestion::Config::Cubic(_) if preset == Preset::Linux => {
            congestion::Config::Cubic(cubic_of_linux())
        }
        // ns-2's own Agent/TCP/Vegas.
        congestion::Config::Vegas(paper) if preset == Preset::Ns2 => {
            congestion::Config::Vegas(vegas::Config { alpha: 1.0, beta: 3.0, slow_start_every: 2, ..paper })
        }
        // Its paper extends Linux's Hybla, but restarts from rho after a timeout.
        congestion::Config::EnhancedHybla(paper) if runs_modules => {
            congestion::Config::EnhancedHybla(enhanced_hybla::Config { start: Start::Rho, ..paper })
        }
        congestion::Config::Hybla(paper) if runs_modules => congestion::Config::Hybla(hybla::Config {
            start: Start::Rho,
            after_timeout: AfterTimeout::One,
            ..paper
        }),
        congestion::Config::Bbr3(_) if preset == Preset::Linux => {
            congestion::Config::Bbr3(bbr3::Config::linux())
        }
        congestion::Config::Westwood(paper) if runs_modules => {
            congestion::Config::Westwood(westwood::Config { estimator: Estimator::WestwoodPlus, ..paper })
        }
        congestion::Config::Htcp(paper) if runs_modules => {
            congestion::Config::Htcp(htcp::Config { rtt_scaling: true, ..paper })
        }
        congestion::Config::Illinois(paper) if runs_modules => {
            congestion::Config::Illinois(illinois::Config { window_threshold: 15.0, ..paper })
        }
        congestion::Config::Scalable(_) if runs_modules => {
            congestion::Config::Scalable(scalable_of_linux(preset))
        }
        other => other,
    })
}

fn scalable_of_linux(preset: Preset) -> scalable::Config {
    let increase = if preset == Preset::Ns2Linux { 0.02 } else { 0.01 };
    let paper = scalable::Config::default();
    scalable::Config { increase, legacy_window: 1.0 / increase, legacy_decrease: paper.decrease, ..paper }
}

fn cubic_of_linux() -> cubic::Config {
    cubic::Config { beta: Fraction(717.0 / 1024.0), hystart: true, ..cubic::Config::default() }
}

fn cubic_2_6_22() -> cubic::Config {
    cubic::Config {
        c: 410.0 / 1024.0,
        beta: Fraction(819.0 / 1024.0),
        max_increment: Some(16.0),
        first_growth_acks: 50.0,
        ..cubic::Config::default()
    }
}

/// ns-2.35's one-way agents with their library defaults (`ns-default.tcl`): a window of 20 packets, no
/// TCP options, an ACK per packet, a clock of 10 ms.
fn ns2() -> Config {
    Config {
        preset: Preset::Ns2,
        max_window: Some(Amount::Packets(20)),
        initial_window: InitialWindow::Fixed(Amount::Packets(2)),
        initial_ssthresh: InitialSsthresh::MaxWindow,
        segment_size: Bytes(1460),
        recovery: recovery::Config::NewReno(recovery::newreno::Config { avoid_burst: false }),
        reduce_from: ReduceFrom::Cwnd,
        repeated_timeouts_reduce: true,
        rtt_samples: RttSamples::OncePerRtt,
        dsack: false,
        sack_fill: false,
        timestamps: false,
        delayed_ack: DelayedAck::Off,
        idle_restart: false,
        grow_only_when_limited: false,
        initial_rto: Duration::from_secs(3),
        min_rto: Duration::from_millis(200),
        clock_granularity: Duration::from_millis(10),
        rto_in_ticks: true,
        ..Config::default()
    }
}

/// ns-2.35's TCP-Linux agent, which runs the modules of Linux 2.6.22: SACK, timestamps, rate halving, an ACK
/// per packet, a clock of 1 ms.
fn ns2_linux() -> Config {
    Config {
        preset: Preset::Ns2Linux,
        handshake: Handshake::OneWay,
        max_window_of: MaxWindowOf::InFlight,
        recovery: recovery::Config::RateHalving(recovery::rate_halving::Config {
            distance: 4,
            clear_scoreboard_on_exit: true,
            one_pass: true,
        }),
        keep_sacked_on_timeout: true,
        timestamps: true,
        timestamp_clock: Duration::from_micros(1),
        damp_rtt_falls: true,
        rtt_samples: RttSamples::DuplicatesToo,
        timer_restart: TimerRestart::EveryAck,
        window_counting: WindowArithmetic::NS2_LINUX.counting,
        window_in_recovery: WindowArithmetic::NS2_LINUX.in_recovery,
        slow_start_limit: Some(WindowArithmetic::NS2_LINUX.slow_start_limit),
        clock_granularity: Duration::from_millis(1),
        grow_only_when_limited: true,
        ..ns2()
    }
}

/// Today's Linux kernel with its default settings.
fn linux() -> Config {
    Config {
        preset: Preset::Linux,
        congestion_control: congestion::Config::Cubic(cubic_of_linux()),
        recovery: recovery::Config::Rack(recovery::rack::Config::default()),
        keep_sacked_on_timeout: true,
        reduce_from: ReduceFrom::Cwnd,
        timeout_in_recovery_reduces: false,
        rtt_samples: RttSamples::EveryAck,
        window_counting: WindowArithmetic::LINUX.counting,
        window_in_recovery: WindowArithmetic::LINUX.in_recovery,
        slow_start_limit: None,
        delayed_ack: DelayedAck::Linux,
        sack_compression: true,
        segmentation_offload: true,
        unpaced_segments: 10,
        pacing_credit: true,
        min_rto: Duration::from_millis(200),
        min_rto_of: MinRto::Variance,
        damp_rtt_falls: true,
        timer_restart: TimerRestart::EarlierSacks,
        max_rto: Duration::from_secs(120),
        syn_linear_timeouts: 4,
        syn_losses_reduce: 2,
        f_rto: true,
        eifel: true,
        dsack_undo: true,
        require_timestamps: false,
        send_buffer: Some(Bytes(4 << 20)),
        send_autotuning: true,
        receive_buffer: Bytes(20 << 20),
        receive_autotuning: true,
        ..Config::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_knows_its_own_name() {
        for preset in [Preset::Rfc, Preset::Ns2, Preset::Ns2Linux, Preset::Linux] {
            assert_eq!(Config::preset(preset).preset, preset);
        }
    }

    #[test]
    fn a_preset_of_a_kernel_sets_the_parameters_of_its_modules() {
        let beta = |preset| match congestion_control(preset, "cubic") {
            Some(congestion::Config::Cubic(cubic)) => cubic.beta.0,
            other => panic!("{other:?}"),
        };
        assert_eq!((beta(Preset::Rfc), beta(Preset::Ns2Linux)), (0.7, 819.0 / 1024.0));
        let start = |preset| match congestion_control(preset, "hybla") {
            Some(congestion::Config::Hybla(hybla)) => hybla.start,
            other => panic!("{other:?}"),
        };
        assert_eq!((start(Preset::Rfc), start(Preset::Ns2Linux)), (Start::Scaled, Start::Rho));
        assert_eq!(congestion_control(Preset::Rfc, "no such name"), None);
    }

    #[test]
    fn the_minimum_timeout_is_a_second_in_the_rfc_and_200_ms_elsewhere() {
        let minimum = |preset| Config::preset(preset).min_rto.as_millis();
        assert_eq!(minimum(Preset::Rfc), 1000);
        assert_eq!([Preset::Ns2, Preset::Ns2Linux, Preset::Linux].map(minimum), [200, 200, 200]);
    }
}
