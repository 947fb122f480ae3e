//! Radios and modems: how long a frame takes, and what an antenna makes of signals that overlap.

use farlink_kernel::config::above;
use farlink_kernel::{BitRate, Bytes, Duration, config};

config! {
    /// Parameters of a half-duplex radio or modem without capture.
    pub struct Config {
        /// Rate of the frame's bits.
        pub rate: BitRate = BitRate::from_bps(1_000_000); in above(BitRate::from_bps(0)),
        /// Sent before every frame, at no bits.
        pub preamble: Duration = Duration::ZERO,
    }
}

/// What an antenna made of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reception {
    /// The frame was made out.
    Clean,
    /// Another signal overlapped it.
    Collision,
    /// The antenna was sending itself.
    Deaf,
    /// Too faint to be noticed.
    Unheard,
}

/// A signal at the antenna.
#[derive(Clone, Copy, Debug)]
struct Signal {
    transmission: u32,
    reception: Reception,
}

/// One antenna: half duplex, without capture. It knows only what reaches it.
#[derive(Clone, Debug)]
pub struct Phy {
    config: Config,
    signals: Vec<Signal>,
    is_sending: bool,
}

impl Phy {
    /// An antenna in silence.
    pub fn new(config: &Config) -> Self {
        Self { config: config.clone(), signals: Vec::new(), is_sending: false }
    }

    /// How long a frame of so many bytes takes.
    pub fn air_time(&self, size: u32) -> Duration {
        self.config.preamble + self.config.rate.time_to_send(Bytes(u64::from(size)))
    }

    /// A signal begins at this antenna.
    pub fn signal_start(&mut self, transmission: u32, power_dbm: f64) {
        if power_dbm == f64::NEG_INFINITY {
            return;
        }
        let mut reception = if self.is_sending { Reception::Deaf } else { Reception::Clean };
        for other in self.signals.iter_mut().filter(|other| other.reception != Reception::Deaf) {
            other.reception = Reception::Collision;
        }
        if !self.signals.is_empty() && reception == Reception::Clean {
            reception = Reception::Collision;
        }
        self.signals.push(Signal { transmission, reception });
    }

    /// A signal ends at this antenna.
    pub fn signal_end(&mut self, transmission: u32) -> Reception {
        match self.signals.iter().position(|signal| signal.transmission == transmission) {
            Some(place) => self.signals.swap_remove(place).reception,
            None => Reception::Unheard,
        }
    }

    /// The antenna begins to send and hears nothing meanwhile.
    pub fn start_sending(&mut self) {
        assert!(!self.is_sending, "an antenna sends one frame at a time");
        self.is_sending = true;
        self.signals.iter_mut().for_each(|signal| signal.reception = Reception::Deaf);
    }

    /// The antenna has sent.
    pub fn stop_sending(&mut self) {
        self.is_sending = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_that_overlap_at_an_antenna_are_both_lost() {
        let mut phy = Phy::new(&Config::default());
        phy.signal_start(1, 0.0);
        phy.signal_start(2, 0.0);
        assert_eq!(phy.signal_end(1), Reception::Collision);
        phy.signal_start(3, 0.0);
        assert_eq!((phy.signal_end(2), phy.signal_end(3)), (Reception::Collision, Reception::Collision));
        phy.signal_start(4, 0.0);
        phy.signal_start(5, f64::NEG_INFINITY);
        assert_eq!((phy.signal_end(4), phy.signal_end(5)), (Reception::Clean, Reception::Unheard));
    }

    #[test]
    fn who_sends_hears_nothing() {
        let mut phy = Phy::new(&Config::default());
        phy.signal_start(1, 0.0);
        phy.start_sending();
        phy.signal_start(2, 0.0);
        phy.stop_sending();
        assert_eq!((phy.signal_end(1), phy.signal_end(2)), (Reception::Deaf, Reception::Deaf));
    }

    #[test]
    fn a_preamble_comes_before_every_frame() {
        let config = Config { preamble: Duration::from_micros(192), ..Config::default() };
        assert_eq!(Phy::new(&config).air_time(125), Duration::from_micros(1192));
    }
}
