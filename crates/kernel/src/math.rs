//! [`exp`], [`ln`] and rounding for computations at every receiver of every frame, in a third of the time of `libm`.
//!
//! P. T. P. Tang, "Table-Driven Implementation of the Exponential Function in IEEE Floating-Point Arithmetic", ACM
//! Transactions on Mathematical Software 15, 1989, and of the logarithm, 16, 1990: a table for the
//! leading bits of the argument and a short polynomial for the rest. Additions and multiplications only, so that
//! every machine has the same result. Left out: exact rounding; errors are some units of the last place.

use std::f64::consts::LN_2;
use std::sync::LazyLock;

/// Leading bits that choose an entry of a table.
const BITS: u32 = 7;
const ENTRIES: usize = 1 << BITS;
/// Bits of a number's fraction.
const FRACTION: u32 = 52;

/// ln 2 over [`ENTRIES`] in two parts, of which the first has zeros at its end: its small multiples are exact.
const STEP_HIGH: f64 = f64::from_bits((LN_2 / ENTRIES as f64).to_bits() & !0 << 27);
const STEP_LOW: f64 = 1.811_755_323_317_421_5e-19 + (LN_2 / ENTRIES as f64 - STEP_HIGH);

/// 2^(j/128), as bits.
static POWERS: LazyLock<[u64; ENTRIES]> =
    LazyLock::new(|| std::array::from_fn(|j| libm::exp2(j as f64 / ENTRIES as f64).to_bits()));

/// 1/c and ln c for the middle c of each stretch of numbers from [`LOWEST`] to twice that.
static MIDDLES: LazyLock<[(f64, f64); ENTRIES]> = LazyLock::new(|| {
    std::array::from_fn(|j| {
        let half_a_stretch = 1 << (FRACTION - BITS - 1);
        let stretch = LOWEST + ((j as u64) << (FRACTION - BITS));
        let inverse = 1.0 / f64::from_bits(stretch + half_a_stretch);
        (inverse, -libm::log(inverse))
    })
});

/// The bits of 0.6875, so that numbers near 1 have exponent 0.
const LOWEST: u64 = 0x3fe6_0000_0000_0000;

/// Added to a number below 2^51 it leaves the nearest integer in the lowest bits; of two the even one.
const SHIFT: f64 = 6_755_399_441_055_744.0;

/// The integer nearest to `x`, of two the even one, and how much of `x` is above it. `x` is on [0, 2^51).
#[inline]
fn nearest_even(x: f64) -> (u64, f64) {
    let shifted = x + SHIFT;
    (shifted.to_bits() - SHIFT.to_bits(), x - (shifted - SHIFT))
}

/// The integer nearest to `x`, halves up; 0 for what is negative or not a number, and at most the largest.
#[inline]
pub fn nearest(x: f64) -> u64 {
    if (0.0..TWO_TO_51).contains(&x) {
        let (even, above) = nearest_even(x);
        return even + u64::from(above == 0.5);
    }
    let floor = x as u64;
    floor.saturating_add(u64::from(x - floor as f64 >= 0.5))
}

/// The whole part of `x`: what `x as u64` is, which takes twice as long on processors of all ages.
#[inline]
pub fn whole(x: f64) -> u64 {
    if (0.0..TWO_TO_51).contains(&x) {
        let (even, above) = nearest_even(x);
        return even - u64::from(above < 0.0);
    }
    x as u64
}

const TWO_TO_51: f64 = (1_u64 << 51) as f64;

/// e to the power of `x`.
#[inline]
pub fn exp(x: f64) -> f64 {
    // Results that are not normal numbers, and what is not a number.
    if !(-700.0..=700.0).contains(&x) {
        return libm::exp(x);
    }
    let shifted = x * (ENTRIES as f64 / LN_2) + SHIFT;
    let steps = shifted - SHIFT;
    let rest = x - steps * STEP_HIGH - steps * STEP_LOW;
    let square = rest * rest;
    let grown = rest + square * (0.5 + rest * (1.0 / 6.0) + square * (1.0 / 24.0 + rest * (1.0 / 120.0)));
    let whole = shifted.to_bits().cast_signed();
    let power = POWERS[whole as usize % ENTRIES].wrapping_add((whole >> BITS << FRACTION).cast_unsigned());
    let power = f64::from_bits(power);
    power + power * grown
}

/// The natural logarithm of `x`, to some 10^-16 of one or of the result.
#[inline]
pub fn ln(x: f64) -> f64 {
    // Numbers that are not normal or not above zero.
    if !(f64::MIN_POSITIVE..=f64::MAX).contains(&x) {
        return libm::log(x);
    }
    let above = x.to_bits().wrapping_sub(LOWEST);
    let exponent = above.cast_signed() >> FRACTION;
    let (inverse, middle) = MIDDLES[(above >> (FRACTION - BITS)) as usize % ENTRIES];
    let scaled = f64::from_bits(x.to_bits().wrapping_sub((exponent << FRACTION).cast_unsigned()));
    let rest = scaled * inverse - 1.0;
    let square = rest * rest;
    let tail = 1.0 / 3.0 - rest * 0.25 + square * (0.2 - rest * (1.0 / 6.0));
    exponent as f64 * LN_2 + middle + (rest + square * (rest * tail - 0.5))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    #[test]
    fn whole_numbers_are_those_of_the_language() {
        let mut stream = Stream::new(1, "whole", 0);
        let special =
            [0.0, -0.0, 0.5, 1.5, 2.5, 0.499_999_999_999_999_94, -0.6, f64::NAN, f64::INFINITY, 1e19, 1e20]
                .into_iter()
                .chain([TWO_TO_51, TWO_TO_51 - 0.25, TWO_TO_51 - 0.5, TWO_TO_51 + 0.5, 5e-324]);
        let drawn = (0..200_000).map(|n| stream.uniform() * [1.0, 1e6, 1e15, 1e18][n % 4]);
        for x in special.chain(drawn) {
            assert_eq!(whole(x), x as u64, "{x}");
            assert_eq!(nearest(x), x.round() as u64, "{x}");
            assert_eq!(nearest(libm::floor(x) + 0.5), (libm::floor(x) + 0.5).round() as u64, "{x}");
        }
    }

    #[test]
    fn powers_of_e_are_those_of_libm_to_some_units_of_the_last_place() {
        let mut stream = Stream::new(1, "exp", 0);
        let special =
            [0.0, 1.0, -1.0, 700.0, -700.0, 1e-300, f64::INFINITY, f64::NEG_INFINITY, 800.0, -720.0];
        let drawn = (0..200_000).map(|n| (stream.uniform() - 0.5) * [1e-3, 1.0, 60.0, 1400.0][n % 4]);
        for x in special.into_iter().chain(drawn) {
            let (found, expected) = (exp(x), libm::exp(x));
            let is_near = libm::fabs(found - expected) <= 4.0 * f64::EPSILON * expected;
            assert!(is_near || found == expected, "{x}: {found} {expected}");
        }
        assert!(exp(0.0) == 1.0 && exp(f64::NAN).is_nan());
    }

    #[test]
    fn logarithms_are_those_of_libm_to_some_units_of_the_last_place_of_one() {
        let mut stream = Stream::new(1, "ln", 0);
        let special =
            [1.0, 2.0, 1e-308, 5e-324, f64::MAX, f64::INFINITY, 0.687_499, 0.6875, 1.374_999, 1.375];
        let drawn = (0..200_000).map(|n| {
            let spread = [1.0, 60.0, 1400.0][n % 3];
            libm::exp((stream.uniform() - 0.5) * spread)
        });
        for x in special.into_iter().chain(drawn) {
            let (found, expected) = (ln(x), libm::log(x));
            let scale = libm::fabs(expected).max(1.0);
            let is_near = libm::fabs(found - expected) <= 4.0 * f64::EPSILON * scale;
            assert!(is_near || found == expected, "{x}: {found} {expected}");
        }
        assert!(ln(0.0) == f64::NEG_INFINITY && ln(-1.0).is_nan() && ln(f64::NAN).is_nan());
    }
}
