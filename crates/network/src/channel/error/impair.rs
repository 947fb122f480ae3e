//! Random loss, reordering, duplication and corruption, for tests.

use farlink_kernel::Duration;
use farlink_kernel::config;
use farlink_kernel::config::Fraction;

use farlink_kernel::random::draw_uniform;

use super::{ErrorModel, Errors, Fate, Offer, Parameters, Setup};

pub(super) const SOURCE: &str = "for tests";

config! {
    /// Parameters of the impairments; the four exclude one another.
    pub struct Config {
        /// Probability that a packet is lost.
        pub lose: Fraction = Fraction(0.0),
        /// Probability of a bit error, so that the checksum fails.
        pub corrupt: Fraction = Fraction(0.0),
        /// Probability that a packet is duplicated.
        pub duplicate: Fraction = Fraction(0.0),
        /// Probability that a packet is delayed and may be reordered.
        pub reorder: Fraction = Fraction(0.0),
        /// Longest such delay (uniform).
        pub hold: Duration = Duration::from_millis(20),
    }
}

impl Parameters for Config {
    fn errors(&self) -> Errors {
        Errors::Other
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Impair {
    config: Config,
    setup: Setup,
}

impl Impair {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        Self { config: config.clone(), setup: *setup }
    }
}

impl ErrorModel for Impair {
    fn fate(&mut self, offer: &Offer) -> Fate {
        let draw = |which| draw_uniform(self.setup.seed, self.setup.link, offer.number, which);
        let Config { lose, corrupt, duplicate, reorder, hold } = self.config;
        let fates = [
            (lose, Fate::Lost),
            (corrupt, Fate::Corrupted),
            (duplicate, Fate::Duplicated),
            (reorder, Fate::Held(hold.mul_f64(draw(1)))),
        ];
        let mut left = draw(0);
        for (probability, fate) in fates {
            if left < probability.0 {
                return fate;
            }
            left -= probability.0;
        }
        Fate::Arrives
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_impairment_has_its_probability() {
        let part = Fraction(0.1);
        let config =
            Config { lose: part, corrupt: part, duplicate: part, reorder: part, ..Config::default() };
        let mut model = Impair::new(&config, &Setup { seed: 1, link: 0 });
        let mut counts = [0_u64; 5];
        for number in 1..=10_000 {
            let place = match model.fate(&Offer { number, size: 40, is_data: true }) {
                Fate::Lost => 0,
                Fate::Corrupted => 1,
                Fate::Duplicated => 2,
                Fate::Held(by) => {
                    assert!(by <= config.hold);
                    3
                }
                Fate::Arrives => 4,
            };
            counts[place] += 1;
        }
        assert!(counts[..4].iter().all(|count| count.abs_diff(1000) < 100), "{counts:?}");
    }
}
