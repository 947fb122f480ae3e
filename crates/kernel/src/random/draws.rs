//! [`Draws`]: a short random sequence that begins at a hash, for decisions that need several numbers.

use std::sync::LazyLock;

use super::{mix, to_uniform};

/// A sequence of random numbers (`SplitMix64`), for one decision.
#[derive(Clone, Copy, Debug)]
pub struct Draws(u64);

impl Draws {
    /// The sequence that begins at `hash`.
    pub fn new(hash: u64) -> Self {
        Self(hash)
    }

    /// Uniform on all 64-bit values.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// Uniform on [0, 1).
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        to_uniform(self.bits())
    }

    /// Normal with mean 0 and variance 1: the ziggurat of G. Marsaglia and W. W. Tsang, Journal of Statistical
    /// Software 5(8), 2000, with a number of its own for the layer (J. A. Doornik, 2005). 98 of 100 cost one
    /// multiplication and one comparison.
    #[inline]
    pub fn normal(&mut self) -> f64 {
        let layers = &*LAYERS;
        loop {
            let bits = self.bits();
            let layer = (bits & LAYER_MASK) as usize;
            let side = 2.0 * to_uniform(bits) - 1.0;
            let (outer, inner) = (layers[layer], layers[layer + 1]);
            let x = side * outer;
            if libm::fabs(x) < inner {
                return x;
            }
            if let Some(x) = self.at_edge(layer, side, (outer, inner)) {
                return x;
            }
        }
    }

    /// The case of a layer that the curve crosses.
    #[cold]
    fn at_edge(&mut self, layer: usize, side: f64, (outer, inner): (f64, f64)) -> Option<f64> {
        if layer == 0 {
            return Some(self.tail(side < 0.0));
        }
        let x = side * outer;
        let (high, low) = (density(outer, x), density(inner, x));
        (low + self.uniform() * (high - low) < 1.0).then_some(x)
    }

    /// Beyond the last layer (G. Marsaglia, Technometrics 6, 1964).
    fn tail(&mut self, is_negative: bool) -> f64 {
        loop {
            let x = -libm::log(1.0 - self.uniform()) / TAIL_START;
            let y = -libm::log(1.0 - self.uniform());
            if 2.0 * y > x * x {
                return if is_negative { -TAIL_START - x } else { TAIL_START + x };
            }
        }
    }

    /// Gamma with this shape and mean 1: G. Marsaglia and W. W. Tsang, "A Simple Method for Generating Gamma
    /// Variables", ACM Transactions on Mathematical Software 26, 2000.
    pub fn gamma(&mut self, shape: f64) -> f64 {
        let raised = if shape < 1.0 { shape + 1.0 } else { shape };
        let d = raised - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        let drawn = loop {
            let x = self.normal();
            let v = 1.0 + c * x;
            if v > 0.0 {
                let v = v * v * v;
                if libm::log(1.0 - self.uniform()) < 0.5 * x * x + d - d * v + d * libm::log(v) {
                    break d * v;
                }
            }
        };
        let lowered = if shape < 1.0 { drawn * libm::pow(1.0 - self.uniform(), 1.0 / shape) } else { drawn };
        lowered / shape
    }
}

/// The normal density at `edge` over that at `x`.
fn density(edge: f64, x: f64) -> f64 {
    libm::exp(-0.5 * (edge * edge - x * x))
}

const LAYER_COUNT: usize = 128;
/// The lowest bits choose the layer; the 53 highest are the number.
const LAYER_MASK: u64 = LAYER_COUNT as u64 - 1;
/// Where the tail starts, and the area of each layer (Marsaglia and Tsang, 2000, for 128 layers).
const TAIL_START: f64 = 3.442_619_855_899;
const AREA: f64 = 9.912_563_035_262_17e-3;

/// The layers' right edges, from the bottom.
static LAYERS: LazyLock<[f64; LAYER_COUNT + 1]> = LazyLock::new(|| {
    let height = |x: f64| libm::exp(-0.5 * x * x);
    let mut edges = [0.0; LAYER_COUNT + 1];
    edges[0] = AREA / height(TAIL_START);
    edges[1] = TAIL_START;
    for layer in 2..LAYER_COUNT {
        let below = edges[layer - 1];
        edges[layer] = libm::sqrt(-2.0 * libm::log(AREA / below + height(below)));
    }
    edges
});

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean of `of` over many draws.
    fn mean(mut of: impl FnMut(&mut Draws) -> f64) -> f64 {
        let n = 200_000;
        (0..n).map(|i| of(&mut Draws::new(mix(i)))).sum::<f64>() / n as f64
    }

    #[test]
    fn normal_draws_have_the_moments_and_the_tails_of_the_normal_distribution() {
        // Their standard errors are the square roots of 1, 2, 15 and 96 over n.
        for (power, expected, tolerance) in [(1, 0.0, 0.01), (2, 1.0, 0.015), (3, 0.0, 0.04), (4, 3.0, 0.1)] {
            let moment = mean(|draws| libm::pow(draws.normal(), f64::from(power)));
            assert!((moment - expected).abs() < tolerance, "moment {power}: {moment}");
        }
        for (beyond, share) in [(0.5, 0.308_54), (1.0, 0.158_66), (2.0, 0.022_75), (3.5, 0.000_233)] {
            let tolerance = 4.0 * libm::sqrt(share / 200_000.0);
            for sign in [1.0, -1.0] {
                let found = mean(|draws| f64::from(u8::from(sign * draws.normal() > beyond)));
                assert!((found - share).abs() < tolerance, "beyond {sign} * {beyond}: {found}");
            }
        }
    }

    #[test]
    fn gamma_draws_have_mean_one_and_the_variance_of_their_shape() {
        for shape in [0.75, 1.0, 1.5, 4.0] {
            let (first, square) = (mean(|d| d.gamma(shape)), mean(|d| libm::pow(d.gamma(shape), 2.0)));
            let variance = square - first * first;
            assert!((first - 1.0).abs() < 0.015, "{shape}: mean {first}");
            assert!((variance * shape - 1.0).abs() < 0.05, "{shape}: variance {variance}");
        }
    }
}
