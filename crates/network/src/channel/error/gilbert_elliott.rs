//! E. N. Gilbert, "Capacity of a Burst-Noise Channel", Bell System Technical Journal 39, 1960; E. O. Elliott,
//! "Estimates of Error Rates for Codes on Burst-Noise Channels", Bell System Technical Journal 42, 1963.
//!
//! A two-state Markov chain, good and bad; losses come in bursts.
//!
//! One step per packet offered: share of the bad state p / (p + r), mean burst 1 / r packets.

use farlink_kernel::config;
use farlink_kernel::config::Fraction;

use farlink_kernel::random::draw_uniform;

use super::{ErrorModel, Errors, Fate, Offer, Parameters, Setup};

pub(super) const SOURCE: &str = "Gilbert, BSTJ 1960; Elliott, BSTJ 1963";

config! {
    /// Parameters of the two states; one step per packet offered.
    pub struct Config {
        /// Transition probability from good to bad per packet (p).
        pub good_to_bad: Fraction = Fraction(0.001),
        /// Transition probability from bad to good per packet (r).
        pub bad_to_good: Fraction = Fraction(0.1),
        /// Probability that a packet is lost in the good state (1 - k).
        pub good_loss: Fraction = Fraction(0.0),
        /// Probability that a packet is lost in the bad state (1 - h).
        pub bad_loss: Fraction = Fraction(1.0),
    }
}

impl Parameters for Config {
    fn errors(&self) -> Errors {
        Errors::Other
    }
}

#[derive(Clone, Debug)]
pub(crate) struct GilbertElliott {
    config: Config,
    setup: Setup,
    is_bad: bool,
}

impl GilbertElliott {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        Self { config: config.clone(), setup: *setup, is_bad: false }
    }
}

impl ErrorModel for GilbertElliott {
    fn fate(&mut self, offer: &Offer) -> Fate {
        let draw = |which| draw_uniform(self.setup.seed, self.setup.link, offer.number, which);
        let Config { good_to_bad, bad_to_good, good_loss, bad_loss } = self.config;
        let (leaves, loses) = if self.is_bad { (bad_to_good, bad_loss) } else { (good_to_bad, good_loss) };
        let fate = if draw(0) < loses.0 { Fate::Lost } else { Fate::Arrives };
        self.is_bad ^= draw(1) < leaves.0;
        fate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_come_in_bursts_of_one_over_r_and_take_p_over_p_plus_r() {
        let config = Config { good_to_bad: Fraction(0.02), bad_to_good: Fraction(0.2), ..Config::default() };
        let mut model = GilbertElliott::new(&config, &Setup { seed: 1, link: 0 });
        let fates: Vec<_> =
            (1..=100_000).map(|number| model.fate(&Offer { number, size: 1500, is_data: true })).collect();
        let lost = fates.iter().filter(|&&fate| fate == Fate::Lost).count() as f64;
        let bursts = fates.windows(2).filter(|pair| pair[0] != Fate::Lost && pair[1] == Fate::Lost).count();
        assert!((lost / 100_000.0 - 0.02 / 0.22).abs() < 0.005, "{lost}");
        assert!((lost / bursts as f64 - 5.0).abs() < 0.3, "{lost} in {bursts}");
    }
}
