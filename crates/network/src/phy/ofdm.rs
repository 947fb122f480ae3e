//! IEEE 802.11a-1999 (clause 17) and 802.11g-2003 (clause 19, ERP-OFDM): orthogonal frequency division
//! multiplexing in 20 MHz.
//!
//! 16 us of training, one symbol for the header, then symbols of 4 us with 24 to 216 bits each, of which the
//! first holds 16 service bits and the last 6 tail bits. 802.11g adds a signal extension of 6 us.
//!
//! Error rates: of the bits of one carrier, with the ratio S of signal to noise and interference, BPSK
//! erfc(sqrt S) / 2, QPSK erfc(sqrt(S/2)) / 2, 16-QAM 3/8 erfc(sqrt(S/10)), 64-QAM 7/24 erfc(sqrt(S/42)); after the
//! decoder, the union bound over the weights of the convolutional code (D. Haccoun, G. Begin, "High-Rate
//! Punctured Convolutional Codes for Viterbi and Sequential Decoding", IEEE Transactions on Communications 37,
//! 1989), as G. Pei and T. R. Henderson, "Validation of OFDM Error Rate Model in ns-3", 2010.

use farlink_kernel::{BitRate, Duration, choice, config};

use super::{Modulation, Phy, Timing};
use crate::frame::Mode;

pub(super) const SOURCE: &str = "IEEE 802.11a-1999, 802.11g-2003";
pub(super) const MODULATION: Modulation = Modulation::Ofdm;

choice! {
    /// Bit rates.
    pub enum Rate {
        /// BPSK, code 1/2.
        Six = "6 Mbit/s",
        /// BPSK, code 3/4.
        Nine = "9 Mbit/s",
        /// QPSK, code 1/2.
        Twelve = "12 Mbit/s",
        /// QPSK, code 3/4.
        Eighteen = "18 Mbit/s",
        /// 16-QAM, code 1/2.
        TwentyFour = "24 Mbit/s",
        /// 16-QAM, code 3/4.
        ThirtySix = "36 Mbit/s",
        /// 64-QAM, code 2/3.
        FortyEight = "48 Mbit/s",
        /// 64-QAM, code 3/4.
        FiftyFour = "54 Mbit/s",
    }
}

choice! {
    /// The standard.
    pub enum Standard {
        /// 5 GHz.
        A = "802.11a",
        /// 2.4 GHz, without stations of 802.11b beside it.
        G = "802.11g",
    }
}

config! {
    /// Parameters of 802.11a and g.
    pub struct Config {
        /// The standard.
        pub standard: Standard = Standard::G,
        /// Rate of unicast data.
        pub rate: Rate = Rate::FiftyFour,
        /// Rate of broadcasts and control frames.
        pub basic_rate: Rate = Rate::Six,
        /// Smallest contention window.
        pub cw_min: u32 = 15; in 1..=32_767,
        /// Largest contention window.
        pub cw_max: u32 = 1023; in 1..=32_767,
    }
    where cw_min <= cw_max
}

/// Data bits per symbol of 4 us.
const BITS_PER_SYMBOL: [u64; 8] = [24, 36, 48, 72, 96, 144, 192, 216];

impl Phy for Config {
    fn air_time(&self, size: u32, mode: Mode) -> Duration {
        let bits = 16 + 8 * u64::from(size) + 6;
        let symbols = bits.div_ceil(BITS_PER_SYMBOL[usize::from(mode.0)]);
        let extension = if self.standard == Standard::G { 6 } else { 0 };
        self.header_time(mode) + Duration::from_micros(4 * symbols + extension)
    }

    fn header_time(&self, _mode: Mode) -> Duration {
        Duration::from_micros(20)
    }

    fn rate(&self, Mode(mode): Mode) -> BitRate {
        BitRate::from_bps(BITS_PER_SYMBOL[usize::from(mode)] * 250_000)
    }

    fn data_mode(&self) -> Mode {
        Mode(self.rate as u8)
    }

    fn basic_mode(&self) -> Mode {
        Mode(self.basic_rate as u8)
    }

    fn timing(&self) -> Timing {
        // The signal extension of 802.11g makes its SIFS as long as that of 802.11a.
        let sifs = Duration::from_micros(if self.standard == Standard::A { 16 } else { 10 });
        let Config { cw_min, cw_max, .. } = *self;
        Timing { sifs, slot: Duration::from_micros(9), cw_min, cw_max }
    }

    fn success(&self, mode: Mode, bits: f64, sinr: f64) -> f64 {
        libm::exp(bits * libm::log1p(-bit_error_rate(mode, sinr)))
    }
}

/// Weights of the error events of the code with the generators 133 and 171, from the free distance on.
const ONE_HALF: [(f64, i32); 9] = [
    (36.0, 10),
    (211.0, 12),
    (1404.0, 14),
    (11_633.0, 16),
    (77_433.0, 18),
    (502_690.0, 20),
    (3_322_763.0, 22),
    (21_292_910.0, 24),
    (134_365_911.0, 26),
];
const TWO_THIRDS: [f64; 10] =
    [3.0, 70.0, 285.0, 1276.0, 6160.0, 27_128.0, 117_019.0, 498_860.0, 2_103_891.0, 8_784_123.0];
const THREE_QUARTERS: [f64; 10] = [
    42.0,
    201.0,
    1492.0,
    10_469.0,
    62_935.0,
    379_644.0,
    2_253_373.0,
    13_073_811.0,
    75_152_755.0,
    428_005_675.0,
];

/// Bit error rate after the decoder.
fn bit_error_rate(Mode(mode): Mode, sinr: f64) -> f64 {
    let raw = match mode {
        0 | 1 => 0.5 * libm::erfc(libm::sqrt(sinr)),
        2 | 3 => 0.5 * libm::erfc(libm::sqrt(sinr / 2.0)),
        4 | 5 => 0.375 * libm::erfc(libm::sqrt(sinr / 10.0)),
        _ => 7.0 / 24.0 * libm::erfc(libm::sqrt(sinr / 42.0)),
    };
    let d = libm::sqrt(4.0 * raw * (1.0 - raw));
    let power = |exponent: i32| libm::pow(d, f64::from(exponent));
    let punctured = |weights: [f64; 10], free: i32| {
        weights.into_iter().zip(free..).map(|(weight, exponent)| weight * power(exponent)).sum::<f64>()
    };
    let bound = match mode {
        0 | 2 | 4 => {
            ONE_HALF.into_iter().map(|(weight, exponent)| weight * power(exponent)).sum::<f64>() / 2.0
        }
        6 => punctured(TWO_THIRDS, 6) / 4.0,
        _ => punctured(THREE_QUARTERS, 5) / 6.0,
    };
    bound.min(0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_last_a_whole_number_of_symbols() {
        let micros = |standard, size, rate: Rate| {
            let phy = Config { standard, ..Config::default() };
            phy.air_time(size, Mode(rate as u8)).as_nanos() / 1000
        };
        // An acknowledgement of 14 bytes, and 1500 bytes with LLC and MAC headers.
        assert_eq!(micros(Standard::A, 14, Rate::Six), 44);
        assert_eq!(micros(Standard::A, 14, Rate::TwentyFour), 28);
        assert_eq!(micros(Standard::A, 1536, Rate::FiftyFour), 248);
        assert_eq!(micros(Standard::A, 1536, Rate::Six), 2072);
        assert_eq!(micros(Standard::G, 1536, Rate::FiftyFour), 254);
    }

    #[test]
    fn faster_modes_need_a_higher_sinr() {
        let phy = Config::default();
        let needed_db = |mode| {
            let passes = |db: &f64| phy.success(Mode(mode), 8.0 * 1000.0, libm::pow(10.0, db / 10.0)) > 0.9;
            (0..400).map(|step| f64::from(step) / 10.0).find(passes).expect("enough")
        };
        let needed: Vec<f64> = (0..8).map(needed_db).collect();
        // 9 Mbit/s need about as much as 12.
        let of_code_one_half = [needed[0], needed[2], needed[4], needed[6]];
        let of_code_three_quarters = [needed[1], needed[3], needed[5], needed[7]];
        assert!(of_code_one_half.is_sorted() && of_code_three_quarters.is_sorted(), "{needed:?}");
        // QPSK needs twice the signal of BPSK at the same code.
        assert!((needed[2] - needed[0] - 3.0).abs() < 0.11 && (needed[3] - needed[1] - 3.0).abs() < 0.11);
        for mode in (0..8).map(Mode) {
            let rates: Vec<f64> = (0..400).map(|step| bit_error_rate(mode, f64::from(step))).collect();
            assert!(rates.is_sorted_by(|a, b| a >= b) && rates[0] == 0.5 && rates[399] < 1e-9, "{mode:?}");
        }
    }
}
