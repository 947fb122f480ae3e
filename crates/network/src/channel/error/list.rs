//! Exactly the listed packets are lost.

use farlink_kernel::config;

use super::{ErrorModel, Errors, Fate, Offer, Parameters, Setup};

pub(super) const SOURCE: &str = "scripted losses";

config! {
    /// Parameters of the list.
    pub struct Config {
        /// Numbers of the packets that are lost, counted from 1.
        pub packets: Vec<u64> = Vec::new(),
        /// Only packets with data are counted.
        pub data_only: bool = false,
    }
}

impl Parameters for Config {
    fn errors(&self) -> Errors {
        Errors::Other
    }
}

#[derive(Clone, Debug)]
pub(crate) struct List {
    packets: Vec<u64>,
    data_only: bool,
    counted: u64,
}

impl List {
    pub(crate) fn new(config: &Config, _setup: &Setup) -> Self {
        let mut packets = config.packets.clone();
        packets.sort_unstable();
        Self { packets, data_only: config.data_only, counted: 0 }
    }
}

impl ErrorModel for List {
    fn fate(&mut self, offer: &Offer) -> Fate {
        if self.data_only && !offer.is_data {
            return Fate::Arrives;
        }
        self.counted += 1;
        if self.packets.binary_search(&self.counted).is_ok() { Fate::Lost } else { Fate::Arrives }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(data_only: bool) -> Vec<u64> {
        let config = Config { packets: vec![5, 2], data_only };
        let mut model = List::new(&config, &Setup { seed: 1, link: 0 });
        // Every second packet carries data.
        (1..=12)
            .filter(|&number| model.fate(&Offer { number, size: 40, is_data: number % 2 == 0 }) == Fate::Lost)
            .collect()
    }

    #[test]
    fn exactly_the_listed_packets_are_lost() {
        assert_eq!(lost(false), [2, 5]);
        assert_eq!(lost(true), [4, 10]);
    }
}
