//! Slowness, 1/c, where the speed changes linearly with depth.

/// The mean of 1/c over an interval of depth in which c changes linearly from one speed to another.
pub(super) fn mean_slowness_between(one: f64, other: f64) -> f64 {
    let change = (other - one) / one;
    // ln(1 + x)/x; below, its series is exact to the last digit.
    let factor = if change.abs() < 1e-8 { 1.0 - change / 2.0 } else { libm::log1p(change) / change };
    factor / one
}
