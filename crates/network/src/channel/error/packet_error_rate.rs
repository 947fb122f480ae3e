//! Independent packet losses with constant probability.

use farlink_kernel::config;
use farlink_kernel::config::Fraction;

use farlink_kernel::random::draw_uniform;

use super::{ErrorModel, Errors, Fate, Offer, Parameters, Setup};

pub(super) const SOURCE: &str = "independent packet losses";

config! {
    /// Parameters of the packet error rate.
    pub struct Config {
        /// Probability that a packet is lost.
        pub rate: Fraction = Fraction(0.0),
        /// Only packets with data are subject to losses, acknowledgements are not.
        pub data_only: bool = false,
    }
}

impl Parameters for Config {
    fn errors(&self) -> Errors {
        Errors::Packets(self.rate.0)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct PacketErrorRate {
    config: Config,
    setup: Setup,
}

impl PacketErrorRate {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        Self { config: config.clone(), setup: *setup }
    }
}

impl ErrorModel for PacketErrorRate {
    fn fate(&mut self, offer: &Offer) -> Fate {
        let is_exposed = offer.is_data || !self.config.data_only;
        let draw = draw_uniform(self.setup.seed, self.setup.link, offer.number, 0);
        if is_exposed && draw < self.config.rate.0 { Fate::Lost } else { Fate::Arrives }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_have_their_rate_and_do_not_depend_on_sizes() {
        let lost = |size| {
            let config = Config { rate: Fraction(0.1), ..Config::default() };
            let mut model = PacketErrorRate::new(&config, &Setup { seed: 1, link: 0 });
            (1..=10_000)
                .filter(|&number| model.fate(&Offer { number, size, is_data: true }) == Fate::Lost)
                .collect::<Vec<_>>()
        };
        // Standard deviation of the count: 30.
        assert!(lost(40).len().abs_diff(1000) < 90, "{}", lost(40).len());
        assert_eq!(lost(40), lost(1500));
    }

    #[test]
    fn acknowledgements_can_be_spared() {
        let config = Config { rate: Fraction(1.0), data_only: true };
        let mut model = PacketErrorRate::new(&config, &Setup { seed: 1, link: 0 });
        assert_eq!(model.fate(&Offer { number: 1, size: 40, is_data: false }), Fate::Arrives);
        assert_eq!(model.fate(&Offer { number: 2, size: 1500, is_data: true }), Fate::Lost);
    }
}
