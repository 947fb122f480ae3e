//! Underwater acoustic modem: one bit rate in a band, with bit errors by the signal-to-noise ratio.
//!
//! Bit error rates with Eb/N0 = SINR B/R, where B is the bandwidth and R the rate (J. G. Proakis, "Digital
//! Communications", 4th edition, 2001): coherent PSK erfc(sqrt(Eb/N0))/2 per bit, with two phases as with four;
//! noncoherent FSK exp(-Eb/(2 N0))/2; PSK with Rayleigh fading (1 - sqrt(g/(1 + g)))/2, where g is the mean Eb/N0. A frame
//! is received when all its bits are correct.
//!
//! The modem turns around between reception and transmission before and after each of its frames.

use farlink_kernel::config::above;
use farlink_kernel::{BitRate, Duration, choice, config};

use super::frequency::Frequency;
use super::{Phy, Timing};
use crate::frame::Mode;

pub(super) const SOURCE: &str = "Proakis, Digital Communications, 2001";
pub(super) const MODULATION: super::Modulation = super::Modulation::Acoustic;

choice! {
    /// Modulation.
    pub enum Modulation {
        /// Coherent, two phases.
        Bpsk = "bpsk",
        /// Coherent, four phases.
        Qpsk = "qpsk",
        /// Noncoherent, two tones.
        Fsk = "fsk",
        /// Coherent, two phases, over a Rayleigh fading channel.
        RayleighBpsk = "rayleigh_bpsk",
    }
}

impl Modulation {
    pub fn bit_error_rate(self, eb_n0: f64) -> f64 {
        match self {
            Self::Bpsk | Self::Qpsk => 0.5 * libm::erfc(eb_n0.sqrt()),
            Self::Fsk => 0.5 * libm::exp(-eb_n0 / 2.0),
            // (1 - sqrt(g/(1 + g)))/2 without the difference of two near numbers.
            Self::RayleighBpsk => 0.5 / ((1.0 + eb_n0) * (1.0 + (eb_n0 / (1.0 + eb_n0)).sqrt())),
        }
    }
}

config! {
    /// Parameters of the modem.
    pub struct Config {
        /// Bit rate of the frame.
        pub rate: BitRate = BitRate::from_bps(150_000); in above(BitRate::from_bps(0)),
        /// Bandwidth.
        pub bandwidth: Frequency = Frequency::from_hertz(50_000.0),
        /// Modulation.
        pub modulation: Modulation = Modulation::Bpsk,
        /// Preamble before every frame.
        pub preamble: Duration = Duration::ZERO,
        /// Time to turn around between reception and transmission, in which nothing is received.
        pub turnaround: Duration = Duration::ZERO,
        /// Slot time of protocols with carrier sense.
        pub slot: Duration = Duration::from_millis(100); in above(Duration::ZERO),
    }
}

impl Phy for Config {
    fn header_time(&self, _mode: Mode) -> Duration {
        self.preamble
    }

    fn rate(&self, _mode: Mode) -> BitRate {
        self.rate
    }

    fn timing(&self) -> Timing {
        Timing { sifs: self.turnaround, slot: self.slot, cw_min: 31, cw_max: 1023 }
    }

    fn turnaround(&self) -> Duration {
        self.turnaround
    }

    fn success(&self, _mode: Mode, bits: f64, sinr: f64) -> f64 {
        let eb_n0 = sinr * self.bandwidth.hertz / self.rate.as_bps() as f64;
        libm::exp(bits * libm::log1p(-self.modulation.bit_error_rate(eb_n0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::propagation::acoustic;
    use crate::phy::noise::Wenz;
    use crate::space::{Metres, Pace};
    use farlink_kernel::config::Fraction;

    #[test]
    fn bit_error_rates_are_those_of_the_textbook() {
        // At Eb/N0 of 4, 9.6 and 14 dB.
        let factor = |db: f64| libm::pow(10.0, db / 10.0);
        let near = |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 5e-3, "{found:e}");
        near(Modulation::Bpsk.bit_error_rate(factor(4.0)), 1.2501e-2);
        near(Modulation::Qpsk.bit_error_rate(factor(9.6)), 9.7361e-6);
        near(Modulation::Fsk.bit_error_rate(factor(9.6)), 5.2237e-3);
        near(Modulation::Fsk.bit_error_rate(factor(14.0)), 1.7565e-6);
        near(Modulation::RayleighBpsk.bit_error_rate(factor(14.0)), 9.6691e-3);
        near(Modulation::RayleighBpsk.bit_error_rate(1e12), 2.5e-13);
        assert!([0.0, 1e-9].iter().all(|&none| Modulation::Fsk.bit_error_rate(none) > 0.499));
    }

    /// SNR in dB at a distance, after the closed form of Harris and Zorzi.
    fn snr_db(source_level: f64, metres: f64, wenz: &Wenz) -> f64 {
        let water = acoustic::Config { frequency: wenz.frequency, ..acoustic::Config::default() };
        let band = 10.0 * libm::log10(wenz.bandwidth.hertz);
        source_level - water.attenuation_db(Metres(metres)) - wenz.density_db() - band
    }

    #[test]
    fn one_hop_at_seventy_metres_has_73_db_and_no_bit_errors() {
        let wenz = Wenz {
            frequency: Frequency::from_hertz(25_000.0),
            bandwidth: Frequency::from_hertz(50_000.0),
            shipping: Fraction(0.5),
            wind: Pace(0.0),
        };
        let snr = snr_db(170.0, 70.0, &wenz);
        assert!((snr - 72.6).abs() < 0.05, "{snr}");
        let modem = Config::default();
        assert_eq!(modem.success(Mode(0), 8.0 * 552.0, libm::pow(10.0, snr / 10.0)), 1.0);
    }

    #[test]
    fn the_error_rate_of_packets_follows_from_that_of_bits() {
        let modem = Config { modulation: Modulation::Fsk, ..Config::default() };
        // Eb/N0 is a third of the SINR here.
        let per_bit = Modulation::Fsk.bit_error_rate(15.0);
        let expected = libm::pow(1.0 - per_bit, 8.0 * 552.0);
        assert!((modem.success(Mode(0), 8.0 * 552.0, 45.0) - expected).abs() < 1e-12);
        assert_eq!(modem.success(Mode(0), 0.0, 0.0), 1.0);
    }
}
