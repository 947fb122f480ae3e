//! Sizes of the flows that arrive.

use farlink_kernel::random::Draws;
use farlink_kernel::{Bytes, registry};

pub mod cdf;
pub mod data_mining;
pub mod fixed;
pub mod lognormal;
pub mod pareto;
pub mod web_search;

/// The role.
pub trait Size: std::fmt::Debug + Send {
    /// A size. Less than a byte counts as one.
    fn draw(&self, draws: &mut Draws) -> Bytes;
}

/// What is asked about sizes before a run.
pub trait Parameters {
    /// The mean in bytes.
    fn mean(&self) -> f64;
}

registry! {
    /// Distributions of sizes.
    Size(()) where Config: Parameters {
        /// All are equal.
        fixed::Fixed = Config,
        /// Lognormal, by its mean and the deviation of the logarithm.
        lognormal::Lognormal = Config,
        /// Pareto, by its mean and shape.
        pareto::Pareto = Config,
        /// A cumulative distribution from a file, linear between its points.
        cdf::Cdf = Config,
        /// Flows of a cluster that answers web searches.
        web_search::WebSearch = Config,
        /// Flows of a cluster that mines data.
        data_mining::DataMining = Config,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The mean over points of equal probability, which converges with the square of their distance where the inverse
    /// of the distribution is smooth.
    pub(super) fn mean_of_draws(size: &dyn Size, count: u64) -> f64 {
        let mut draws = Draws::new(1);
        (0..count).map(|_| size.draw(&mut draws).0 as f64).sum::<f64>() / count as f64
    }

    #[test]
    fn draws_have_the_means_that_are_stated() {
        for (name, tolerance) in [("fixed", 0.0), ("lognormal", 0.03), ("web_search", 0.02)] {
            let config = Config::named(name).unwrap();
            let (stated, drawn) = (config.parameters().mean(), mean_of_draws(&*config.build(&()), 200_000));
            assert!((drawn / stated - 1.0).abs() <= tolerance, "{name}: {drawn}, not {stated}");
        }
        // Its variance is finite with shape 3 only.
        let config = Config::Pareto(pareto::Config { shape: 3.0, ..pareto::Config::default() });
        let (stated, drawn) = (config.parameters().mean(), mean_of_draws(&*config.build(&()), 200_000));
        assert!((drawn / stated - 1.0).abs() <= 0.02, "pareto: {drawn}, not {stated}");
    }
}
