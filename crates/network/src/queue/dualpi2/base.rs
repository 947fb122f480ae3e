//! [`Base`]: the base probability p' and its controller (RFC 9332, figure 8), in real numbers or as Linux has it.

use farlink_kernel::Duration;

use super::{Arithmetic, Config, Overload};

/// p' and the delay of the update before.
#[derive(Clone, Debug)]
pub(super) struct Base {
    target: Duration,
    previous: Duration,
    probability: Probability,
}

#[derive(Clone, Debug)]
enum Probability {
    Real {
        value: f64,
        most: f64,
        alpha: f64,
        beta: f64,
    },
    /// In units of 2^-32; gains in units of 2^-32 per 64 ns (`dualpi2_scale_alpha_beta`).
    Linux {
        value: u32,
        most: u32,
        alpha: i64,
        beta: i64,
    },
}

impl Base {
    pub(super) fn new(config: &Config) -> Self {
        let most = match config.overload {
            Overload::Drop => 1.0,
            Overload::Overflow => (1.0 / config.coupling).min(1.0),
        };
        let probability = match config.arithmetic {
            Arithmetic::Real => {
                Probability::Real { value: 0.0, most, alpha: config.alpha, beta: config.beta }
            }
            Arithmetic::Linux => Probability::Linux {
                value: 0,
                most: (f64::from(u32::MAX) * most) as u32,
                alpha: scaled(config.alpha),
                beta: scaled(config.beta),
            },
        };
        Self { target: config.target, previous: Duration::ZERO, probability }
    }

    /// One update, when the longer of the two queues has this delay.
    pub(super) fn update(&mut self, delay: Duration) {
        match &mut self.probability {
            Probability::Real { value, most, alpha, beta } => {
                let [now, target, before] = [delay, self.target, self.previous].map(Duration::as_secs_f64);
                *value = (*value + *alpha * (now - target) + *beta * (now - before)).clamp(0.0, *most);
            }
            Probability::Linux { value, most, alpha, beta } => {
                let [now, target, before] =
                    [delay, self.target, self.previous].map(|delay| i128::from(delay.as_nanos()));
                let delta = (now - target) * i128::from(*alpha) + (now - before) * i128::from(*beta);
                let next = (i128::from(*value) + delta / 64).clamp(0, i128::from(*most));
                *value = u32::try_from(next).unwrap_or(*most);
            }
        }
        self.previous = delay;
    }

    pub(super) fn probability(&self) -> f64 {
        match self.probability {
            Probability::Real { value, .. } => value,
            Probability::Linux { value, .. } => f64::from(value) / f64::from(u32::MAX),
        }
    }

    /// Further updates without a delay change nothing.
    pub(super) fn is_at_rest(&self) -> bool {
        self.previous.is_zero() && self.probability() == 0.0
    }
}

/// A gain in Hz, rounded to 1/256 Hz as `tc` does.
fn scaled(gain: f64) -> i64 {
    let steps = libm::round(gain * 256.0) as u64;
    i64::try_from((steps.saturating_mul(u64::from(u32::MAX)) >> 2) / 1_000_000_000).unwrap_or(i64::MAX)
}
