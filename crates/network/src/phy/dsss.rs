//! IEEE 802.11b-1999: direct sequence spread spectrum (1 and 2 Mbit/s, clause 15) and complementary code keying
//! (5.5 and 11 Mbit/s, clause 18) in 22 MHz.
//!
//! Every frame begins with the PLCP: 144 bits of preamble and 48 of header at 1 Mbit/s, or short, 72 bits at
//! 1 Mbit/s and 48 at 2 Mbit/s, which is not allowed before 1 Mbit/s. Its LENGTH field counts whole microseconds, so the
//! payload is rounded up to them.
//!
//! Bit error rates, with the ratio S of signal to noise and interference: 1 Mbit/s, DBPSK: 0.5 exp(-22 S). 2
//! Mbit/s, DQPSK: (sqrt 2 + 1) / sqrt(8 pi sqrt 2 x) exp(-(2 - sqrt 2) x), x = 11 S, at most one half (L. E.
//! Miller, J. S. Lee, "BER Expressions for Differentially Detected pi/4 DQPSK Modulation", 1998). CCK: the
//! closed forms that G. Pei and T. R. Henderson, "Validation of ns-3 802.11b PHY Model", 2009, fitted to the
//! integral over orthogonal codes. Left out: errors of single codes are spread over their bits.

use farlink_kernel::{BitRate, Bytes, Duration, choice, config};

use super::{Modulation, Phy, Timing};
use crate::frame::Mode;

pub(super) const SOURCE: &str = "IEEE 802.11b-1999";
pub(super) const MODULATION: Modulation = Modulation::Cck;

choice! {
    /// Bit rates.
    pub enum Rate {
        /// DBPSK.
        One = "1 Mbit/s",
        /// DQPSK.
        Two = "2 Mbit/s",
        /// CCK, 4 bits per code.
        FiveAndAHalf = "5.5 Mbit/s",
        /// CCK, 8 bits per code.
        Eleven = "11 Mbit/s",
    }
}

choice! {
    /// The PLCP.
    pub enum Preamble {
        /// 192 us.
        Long = "long",
        /// 96 us; frames at 1 Mbit/s have the long one.
        Short = "short",
    }
}

config! {
    /// Parameters of 802.11b.
    pub struct Config {
        /// Rate of unicast data.
        pub rate: Rate = Rate::Eleven,
        /// Rate of broadcasts and control frames.
        pub basic_rate: Rate = Rate::One,
        /// The PLCP.
        pub preamble: Preamble = Preamble::Long,
        /// The payload lasts a whole number of microseconds, as in the standard; ns-2 does not round.
        pub whole_microseconds: bool = true,
        /// Smallest contention window.
        pub cw_min: u32 = 31; in 1..=32_767,
        /// Largest contention window.
        pub cw_max: u32 = 1023; in 1..=32_767,
    }
    where cw_min <= cw_max
}

impl Phy for Config {
    fn air_time(&self, size: u32, mode: Mode) -> Duration {
        let payload = self.rate(mode).time_to_send(Bytes(u64::from(size)));
        let payload = if self.whole_microseconds {
            Duration::from_micros(payload.as_nanos().div_ceil(1000))
        } else {
            payload
        };
        self.header_time(mode) + payload
    }

    fn header_time(&self, mode: Mode) -> Duration {
        let is_short = self.preamble == Preamble::Short && mode != Mode(Rate::One as u8);
        Duration::from_micros(if is_short { 96 } else { 192 })
    }

    fn rate(&self, Mode(mode): Mode) -> BitRate {
        BitRate::from_bps([1_000_000, 2_000_000, 5_500_000, 11_000_000][usize::from(mode)])
    }

    fn data_mode(&self) -> Mode {
        Mode(self.rate as u8)
    }

    fn basic_mode(&self) -> Mode {
        Mode(self.basic_rate as u8)
    }

    fn timing(&self) -> Timing {
        let (sifs, slot) = (Duration::from_micros(10), Duration::from_micros(20));
        Timing { sifs, slot, cw_min: self.cw_min, cw_max: self.cw_max }
    }

    fn success(&self, mode: Mode, bits: f64, sinr: f64) -> f64 {
        libm::exp(bits * libm::log1p(-bit_error_rate(mode, sinr)))
    }
}

fn bit_error_rate(Mode(mode): Mode, sinr: f64) -> f64 {
    let rate = match mode {
        0 => 0.5 * libm::exp(-22.0 * sinr),
        1 => differential_quadrature(11.0 * sinr),
        _ if sinr > 10.0 => 0.0,
        _ if sinr < 0.1 => 0.5,
        2 => {
            0.536_816_34
                * libm::exp(-libm::pow(((sinr - 0.003_309_24) / 0.416_543_72).max(0.0), 1.028_898_14))
        }
        _ => {
            let above = (0.007_905_67 * sinr - 0.183_974_49) * sinr + 1.074_066_95;
            above / (((sinr + 1.052_331_69) * sinr + 0.305_522_98) * sinr + 2.203_271_51)
        }
    };
    rate.clamp(0.0, 0.5)
}

fn differential_quadrature(bit_energy: f64) -> f64 {
    let root = std::f64::consts::SQRT_2;
    let factor = (root + 1.0) / libm::sqrt(8.0 * std::f64::consts::PI * root * bit_energy);
    factor * libm::exp(-(2.0 - root) * bit_energy)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn micros(config: &Config, size: u32, rate: Rate) -> f64 {
        config.air_time(size, Mode(rate as u8)).as_secs_f64() * 1e6
    }

    #[test]
    fn frames_have_the_length_of_the_standard() {
        let long = Config { whole_microseconds: false, ..Config::default() };
        let short = Config { preamble: Preamble::Short, ..long.clone() };
        let cases = [
            (20, Rate::One, 352.0, 352.0),
            (14, Rate::One, 304.0, 304.0),
            (14, Rate::Two, 248.0, 152.0),
            (74, Rate::One, 784.0, 784.0),
            (74, Rate::Two, 488.0, 392.0),
            (74, Rate::Eleven, 245.82, 149.82),
            (586, Rate::One, 4880.0, 4880.0),
            (586, Rate::Two, 2536.0, 2440.0),
            (586, Rate::Eleven, 618.18, 522.18),
            (1534, Rate::One, 12_464.0, 12_464.0),
            (1534, Rate::Two, 6328.0, 6232.0),
            (1534, Rate::Eleven, 1307.64, 1211.64),
        ];
        for (size, rate, with_long, with_short) in cases {
            assert!((micros(&long, size, rate) - with_long).abs() < 0.005, "{size} {rate:?}");
            assert!((micros(&short, size, rate) - with_short).abs() < 0.005, "{size} {rate:?}");
        }
    }

    #[test]
    fn the_payload_lasts_whole_microseconds() {
        let (long, short) = (Config::default(), Config { preamble: Preamble::Short, ..Config::default() });
        for (size, with_long, with_short) in [(74, 246.0, 150.0), (586, 619.0, 523.0), (1534, 1308.0, 1212.0)]
        {
            assert!((micros(&long, size, Rate::Eleven) - with_long).abs() < 1e-6);
            assert!((micros(&short, size, Rate::Eleven) - with_short).abs() < 1e-6);
        }
    }

    #[test]
    fn faster_modes_need_more_signal_and_more_signal_helps() {
        let phy = Config::default();
        let needed = |mode| {
            let passes = |sinr: f64| phy.success(Mode(mode), 8.0 * 1024.0, sinr) > 0.9;
            (0..4000).map(|step| f64::from(step) / 200.0).find(|&sinr| passes(sinr)).expect("enough")
        };
        let needed = [0, 1, 2, 3].map(needed);
        assert!(needed.is_sorted(), "{needed:?}");
        // DBPSK: 1 - 0.9^(1/8192) = 0.5 exp(-22 S).
        assert!((needed[0] - 0.4817).abs() < 0.006, "{needed:?}");
        for mode in [0, 1, 2, 3].map(Mode) {
            let rates: Vec<f64> = (0..200).map(|step| bit_error_rate(mode, f64::from(step) / 20.0)).collect();
            assert!(rates.is_sorted_by(|a, b| a >= b), "{mode:?}");
            assert!(rates[0] == 0.5 && rates[199] < 1e-4, "{mode:?}");
        }
    }
}
