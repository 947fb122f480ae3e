//! Random numbers of two kinds (docs/architecture.md, determinism).
//!
//! A [`Stream`] is the random stream of one named consumer: a new consumer changes no other stream. A hashed
//! draw ([`draw`]) is a pure function of its key (channel, number, receiver): omitting one changes no other.

mod draws;

use rand_core::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

pub use draws::Draws;

/// A named random stream.
#[derive(Clone, Debug)]
pub struct Stream(Xoshiro256PlusPlus);

impl Stream {
    /// The stream of the consumer called `name`, member `index` of its kind, in the run with `seed`.
    pub fn new(seed: u64, name: &str, index: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(draw(seed, name_key(name), index, 0)))
    }

    /// Uniform on all 64-bit values.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform on [0, 1).
    pub fn uniform(&mut self) -> f64 {
        to_uniform(self.bits())
    }

    /// Uniform on `0..bound` without bias worth a test (the bias is below `bound`/2^64). `bound` 0 gives 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u64
    }

    /// Exponential with the given mean.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        // 1 - u is in (0, 1], so the logarithm is finite.
        -mean * libm::log(1.0 - self.uniform())
    }

    /// Normal with mean 0 and variance 1 (Box and Muller, Annals of Mathematical Statistics 29, 1958).
    pub fn normal(&mut self) -> f64 {
        let radius = libm::sqrt(-2.0 * libm::log(1.0 - self.uniform()));
        radius * libm::cos(core::f64::consts::TAU * self.uniform())
    }

    /// Pareto with the given mean and shape (> 1).
    pub fn pareto(&mut self, mean: f64, shape: f64) -> f64 {
        let scale = mean * (shape - 1.0) / shape;
        scale / libm::pow(1.0 - self.uniform(), 1.0 / shape)
    }
}

/// 64 bits that depend on all four arguments and on nothing else.
pub fn draw(seed: u64, channel: u64, number: u64, listener: u64) -> u64 {
    DrawKey::new(seed, channel, number).draw(listener)
}

/// The hashed draws of all listeners of one number: what they have in common is worked out once.
#[derive(Clone, Copy, Debug)]
pub struct DrawKey(u64);

impl DrawKey {
    /// Those of the `number`th of a channel.
    pub fn new(seed: u64, channel: u64, number: u64) -> Self {
        let mut hash = mix(seed ^ 0x9e37_79b9_7f4a_7c15);
        hash = mix(hash ^ channel.wrapping_mul(0xff51_afd7_ed55_8ccd));
        Self(mix(hash ^ number.wrapping_mul(0xc4ce_b9fe_1a85_ec53)))
    }

    /// That of one listener.
    #[inline]
    pub fn draw(self, listener: u64) -> u64 {
        mix(self.0 ^ listener.wrapping_mul(0x2545_f491_4f6c_dd1d))
    }
}

/// A hashed draw as a number uniform on [0, 1).
pub fn draw_uniform(seed: u64, channel: u64, number: u64, listener: u64) -> f64 {
    to_uniform(draw(seed, channel, number, listener))
}

/// A stable 64-bit key for a name (FNV-1a), for use as a draw's channel.
pub fn name_key(name: &str) -> u64 {
    name.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The finaliser of `SplitMix64` (Steele, Lea, Flood, OOPSLA 2014): a bijection in which every input bit
/// reaches every output bit.
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// The upper 53 bits as a multiple of 2^-53, on [0, 1).
fn to_uniform(bits: u64) -> f64 {
    (bits >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_with_other_names_or_seeds_differ_and_repeat() {
        let first = |seed, name, index| Stream::new(seed, name, index).bits();
        assert_eq!(first(1, "start", 0), first(1, "start", 0));
        assert_ne!(first(1, "start", 0), first(2, "start", 0));
        assert_ne!(first(1, "start", 0), first(1, "start", 1));
        assert_ne!(first(1, "start", 0), first(1, "stop", 0));
    }

    #[test]
    fn hashed_draws_are_uniform() {
        let n = 100_000;
        let mut bins = [0u32; 16];
        for number in 0..n {
            bins[(draw_uniform(7, 3, number, 0) * 16.0) as usize] += 1;
        }
        // Chi-square with 15 degrees of freedom: 37.7 is its 99.9 % point.
        let expected = n as f64 / 16.0;
        let chi: f64 =
            bins.iter().map(|&b| (f64::from(b) - expected) * (f64::from(b) - expected) / expected).sum();
        assert!(chi < 37.7, "chi-square {chi}");
    }

    #[test]
    fn normal_draws_have_the_moments_of_the_normal_distribution() {
        let mut stream = Stream::new(1, "test", 0);
        let draws: Vec<f64> = (0..200_000).map(|_| stream.normal()).collect();
        let moment = |power: i32| {
            draws.iter().map(|x| libm::pow(*x, f64::from(power))).sum::<f64>() / draws.len() as f64
        };
        // Their standard errors are the square roots of 1, 2, 15 and 96 over n.
        for (power, expected, tolerance) in [(1, 0.0, 0.01), (2, 1.0, 0.015), (3, 0.0, 0.04), (4, 3.0, 0.1)] {
            assert!((moment(power) - expected).abs() < tolerance, "moment {power}: {}", moment(power));
        }
    }

    #[test]
    fn exponential_and_pareto_have_their_means() {
        let mut stream = Stream::new(1, "test", 0);
        let n = 200_000;
        let exponential: f64 = (0..n).map(|_| stream.exponential(3.0)).sum::<f64>() / f64::from(n);
        let pareto: f64 = (0..n).map(|_| stream.pareto(3.0, 2.5)).sum::<f64>() / f64::from(n);
        assert!((exponential - 3.0).abs() < 0.03, "{exponential}");
        assert!((pareto - 3.0).abs() < 0.1, "{pareto}");
    }
}
