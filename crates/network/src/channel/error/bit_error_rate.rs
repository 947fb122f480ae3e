//! Independent bit errors with constant probability; a packet with a bit error is lost.

use farlink_kernel::config;
use farlink_kernel::config::Fraction;

use farlink_kernel::random::draw_uniform;

use super::{ErrorModel, Errors, Fate, Offer, Parameters, Setup};

pub(super) const SOURCE: &str = "independent bit errors: PER = 1 - (1 - BER)^bits";

config! {
    /// Parameters of the bit error rate.
    pub struct Config {
        /// Bit error rate (BER).
        pub rate: Fraction = Fraction(0.0),
        /// Only packets with data are subject to errors, acknowledgements are not.
        pub data_only: bool = false,
    }
}

impl Parameters for Config {
    fn errors(&self) -> Errors {
        if self.rate.0 > 0.0 { Errors::Bits(self.rate.0) } else { Errors::None }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct BitErrorRate {
    config: Config,
    setup: Setup,
    /// Packet error rates of the last sizes, one for data and one for other packets.
    known: [(u32, f64); 2],
}

impl BitErrorRate {
    pub(crate) fn new(config: &Config, setup: &Setup) -> Self {
        Self { config: config.clone(), setup: *setup, known: [(0, 0.0); 2] }
    }

    /// 1 - (1 - BER)^bits, computed without cancellation.
    fn packet_error_rate(&mut self, offer: &Offer) -> f64 {
        let known = &mut self.known[usize::from(offer.is_data)];
        if known.0 != offer.size {
            let bits = f64::from(offer.size) * 8.0;
            *known = (offer.size, -libm::expm1(bits * libm::log1p(-self.config.rate.0)));
        }
        known.1
    }
}

impl ErrorModel for BitErrorRate {
    fn fate(&mut self, offer: &Offer) -> Fate {
        let is_exposed = offer.is_data || !self.config.data_only;
        let loss = if is_exposed { self.packet_error_rate(offer) } else { 0.0 };
        let draw = || draw_uniform(self.setup.seed, self.setup.link, offer.number, 0);
        if loss > 0.0 && draw() < loss { Fate::Lost } else { Fate::Arrives }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packet_error_rates_of_1500_bytes_are_those_of_independent_bits() {
        for (rate, expected) in
            [(1e-5, 0.113_080), (1e-6, 0.011_928_3), (1e-7, 0.001_199_28), (1e-10, 1.2e-6)]
        {
            let config = Config { rate: Fraction(rate), ..Config::default() };
            let mut model = BitErrorRate::new(&config, &Setup { seed: 1, link: 0 });
            let found = model.packet_error_rate(&Offer { number: 1, size: 1500, is_data: true });
            assert!((found / expected - 1.0).abs() < 1e-5, "{rate}: {found}");
        }
    }
}
