//! The E-model: ITU-T Recommendation G.107, "The E-model: a computational model for use in transmission planning", 06/2015.
//!
//! R = Ro - Is - Id - Ie,eff + A, where all that a packet network does not change has the default value of clause 7.7. The
//! path of the echo is that of the voice: T = Ta, Tr = 2 Ta. R is bounded by its scale, from 0 to 100.

use farlink_kernel::Duration;
use libm::{exp, log2, log10, pow, sqrt};

use crate::app::voice::Impairment;

/// Send and receive loudness ratings, in dB.
const SLR: f64 = 8.0;
const RLR: f64 = 2.0;
const OLR: f64 = SLR + RLR;
/// Sidetone masking rating and listener sidetone rating, in dB.
const STMR: f64 = 15.0;
const LSTR: f64 = 18.0;
/// D-value of the telephone at the send side.
const DS: f64 = 3.0;
/// Talker echo loudness rating and weighted echo path loss, in dB.
const TELR: f64 = 65.0;
const WEPL: f64 = 110.0;
/// Quantization distortion units.
const QDU: f64 = 1.0;
/// Circuit noise and noise floor at the receive side, in dBm0p and dBmp.
const NC: f64 = -70.0;
const NFOR: f64 = -64.0;
/// Room noise at the send and at the receive side, in dB(A).
const PS: f64 = 35.0;
const PR: f64 = 35.0;
/// Advantage factor.
const A: f64 = 0.0;
/// Delay sensitivity, and the least delay that is noticed, in ms.
const S_T: f64 = 1.0;
const M_T: f64 = 100.0;

/// What a call meets in the network.
#[derive(Clone, Copy, Debug)]
pub struct Conditions {
    /// One-way delay from mouth to ear.
    pub delay: Duration,
    pub impairment: Impairment,
    /// Share of the packets that the listener does not hear.
    pub lost: f64,
    /// Mean length of runs of losses over that of random losses, at least 1.
    pub burst_ratio: f64,
}

/// The transmission rating factor R.
pub fn rating(conditions: &Conditions) -> f64 {
    let Conditions { delay, impairment, lost, burst_ratio } = *conditions;
    let delay_ms = delay.as_secs_f64() * 1e3;
    let noise = noise();
    let basic = 15.0 - 1.5 * (SLR + noise);
    let impaired = simultaneous(basic, noise, delay_ms) + delayed(basic, noise, delay_ms);
    (basic - impaired - equipment(impairment, 100.0 * lost, burst_ratio) + A).clamp(0.0, 100.0)
}

/// Equation B-4 of Annex B: the mean opinion score in conversation. Below R 6.5 it would be less than 1, which ends its scale.
pub fn mos(rating: f64) -> f64 {
    (1.0 + 0.035 * rating + rating * (rating - 60.0) * (100.0 - rating) * 7e-6).max(1.0)
}

/// Clause 7.2: the sum No of all noise, in dBm0p.
fn noise() -> f64 {
    let send_room = PS - OLR - DS - 14.0;
    let send_room = PS - SLR - DS - 100.0 + 0.004 * send_room * send_room;
    let receive_room = PR + 10.0 * log10(1.0 + power((10.0 - LSTR) / 10.0));
    let receive_room = RLR - 121.0 + receive_room + 0.008 * (receive_room - 35.0) * (receive_room - 35.0);
    let sources = [NC, send_room, receive_room, NFOR + RLR];
    10.0 * log10(sources.into_iter().map(|level| power(level / 10.0)).sum())
}

/// Clause 7.3: the simultaneous impairment factor Is, of loudness, sidetone and quantization.
fn simultaneous(basic: f64, noise: f64, echo_ms: f64) -> f64 {
    let loudness = (OLR + 0.2 * (64.0 + noise - RLR)) / 8.0;
    let loudness = 20.0 * (rooted(loudness, 8.0) - loudness);
    let quantization = 37.0 - 15.0 * log10(QDU);
    let quality = 1.07 + 0.258 * quantization + 0.0602 * quantization * quantization;
    let y = (basic - 100.0) / 15.0 + 46.0 / 8.4 - quality / 9.0;
    let z = 46.0 / 30.0 - quality / 40.0;
    loudness + sidetone(echo_ms) + 15.0 * log10(1.0 + power(y) + power(z))
}

/// Ist of clause 7.3.
fn sidetone(echo_ms: f64) -> f64 {
    let sidetone = -10.0 * log10(power(-STMR / 10.0) + exp(-echo_ms / 4.0) * power(-TELR / 10.0));
    let [near, middle, far] = [((-13.0, 6.0), 8.0), ((1.0, 19.4), 35.0), ((-3.0, 33.0), 13.0)]
        .map(|((shift, scale), order)| rooted((sidetone + shift) / scale, order));
    12.0 * near - 28.0 * middle - 13.0 * far + 29.0
}

/// Clause 7.4: the delay impairment factor Id, of talker echo, listener echo and absolute delay.
fn delayed(basic: f64, noise: f64, delay_ms: f64) -> f64 {
    // Below 1 ms the echo is sidetone.
    let talker_echo = if delay_ms < 1.0 { 0.0 } else { talker_echo(noise, delay_ms) };
    let listener_path = 10.5 * (WEPL + 7.0) * pow(2.0 * delay_ms + 1.0, -0.25);
    let listener_echo = (basic - listener_path) / 2.0;
    let listener_echo = listener_echo + sqrt(listener_echo * listener_echo + 169.0);
    talker_echo + listener_echo + absolute_delay(delay_ms)
}

/// Idte, with the sidetone of STMR between 9 and 20 dB.
fn talker_echo(noise: f64, echo_ms: f64) -> f64 {
    let masking = 6.0 * exp(-0.3 * echo_ms * echo_ms);
    let loudness = TELR - 40.0 * log10((1.0 + echo_ms / 10.0) / (1.0 + echo_ms / 150.0)) + masking;
    let half = (-1.5 * (noise - RLR) - (80.0 + 2.5 * (loudness - 14.0))) / 2.0;
    (half + sqrt(half * half + 100.0) - 1.0) * (1.0 - exp(-echo_ms))
}

/// Idd: equations 7-27 and 7-28.
fn absolute_delay(delay_ms: f64) -> f64 {
    if delay_ms <= M_T {
        return 0.0;
    }
    let octaves = log2(delay_ms / M_T);
    25.0 * (rooted(octaves, 6.0 * S_T) - 3.0 * rooted(octaves / 3.0, 6.0 * S_T) + 2.0)
}

/// Clause 7.5, equation 7-29: the effective equipment impairment factor Ie,eff.
fn equipment(Impairment { ie, bpl }: Impairment, lost_percent: f64, burst_ratio: f64) -> f64 {
    ie + (95.0 - ie) * lost_percent / (lost_percent / burst_ratio + bpl)
}

/// 10 to the power of `x`.
fn power(x: f64) -> f64 {
    pow(10.0, x)
}

/// (1 + x^n)^(1/n).
fn rooted(x: f64, n: f64) -> f64 {
    pow(1.0 + pow(x, n), 1.0 / n)
}

#[cfg(test)]
mod tests {
    use super::*;

    const G711: Impairment = Impairment { ie: 0.0, bpl: 4.3 };
    const CONCEALED: Impairment = Impairment { ie: 0.0, bpl: 25.1 };
    const G729A: Impairment = Impairment { ie: 11.0, bpl: 19.0 };

    fn rated(delay_ms: u64, impairment: Impairment, lost: f64, burst_ratio: f64) -> f64 {
        let delay = Duration::from_millis(delay_ms);
        rating(&Conditions { delay, impairment, lost, burst_ratio })
    }

    #[track_caller]
    fn assert_near(value: f64, expected: f64, bound: f64) {
        assert!((value - expected).abs() <= bound, "{value}, not {expected}");
    }

    #[test]
    fn r_is_93_2_with_all_default_values() {
        // Clause 7.7 gives the rating.
        assert_near(rated(0, G711, 0.0, 1.0), 93.2, 0.05);
    }

    #[test]
    fn r_and_mos_are_those_of_published_examples() {
        // github.com/bgrewell/loom, core/quality/emodel/emodel_test.go: `TestDefaultsGolden`, `TestVerificationPoints`.
        for (delay_ms, impairment, lost, expected, expected_mos) in [
            (0, CONCEALED, 0.0, 93.206_208, 4.409_406),
            (100, CONCEALED, 0.0, 90.663_730, 4.354_920),
            (150, CONCEALED, 0.0, 89.539_132, 4.327_546),
            (250, CONCEALED, 0.0, 79.177_101, 3.992_519),
            (0, CONCEALED, 0.01, 89.566_361, 4.328_232),
            (0, CONCEALED, 0.05, 77.425_477, 3.923_091),
            (0, G729A, 0.02, 74.206_208, 3.787_558),
        ] {
            let rating = rated(delay_ms, impairment, lost, 1.0);
            assert_near(rating, expected, 1e-5);
            assert_near(mos(rating), expected_mos, 1e-5);
        }
    }

    #[test]
    fn r_is_what_another_implementation_prints() {
        // github.com/manucorporat/e-model, in Go: the default values with T = Ta, Tr = 2 Ta, and these parameters.
        for (delay_ms, impairment, lost, burst_ratio, expected) in [
            (0, G711, 0.0, 1.0, 93.206_208),
            (50, G711, 0.0, 1.0, 91.756_161),
            (100, G711, 0.0, 1.0, 90.663_730),
            (150, G711, 0.0, 1.0, 89.539_132),
            (200, G711, 0.0, 1.0, 85.804_718),
            (250, G711, 0.0, 1.0, 79.177_101),
            (300, G711, 0.0, 1.0, 72.666_360),
            (400, G711, 0.0, 1.0, 62.246_827),
            (0, G711, 0.01, 1.0, 75.281_679),
            (0, CONCEALED, 0.02, 1.0, 86.195_138),
            (150, CONCEALED, 0.05, 2.0, 72.328_987),
            (200, G729A, 0.03, 1.0, 63.350_173),
        ] {
            assert_near(rated(delay_ms, impairment, lost, burst_ratio), expected, 1e-5);
        }
    }

    #[test]
    fn each_part_is_that_of_another_implementation() {
        // github.com/bgrewell/loom, core/quality/emodel, in Go: Is, Idte, Idle and Idd with the default values.
        let noise = noise();
        let basic = 15.0 - 1.5 * (SLR + noise);
        assert_near(basic, 94.768_822, 1e-6);
        assert_near(simultaneous(basic, noise, 0.0), 1.413_568, 1e-6);
        for (delay_ms, echoes, absolute) in [
            (0.0, 0.149_046, 0.0),
            (150.0, 2.811_844 + 0.840_747, 0.163_531),
            (250.0, 4.242_856 + 1.018_587, 8.916_710),
        ] {
            assert_near(absolute_delay(delay_ms), absolute, 1e-6);
            assert_near(delayed(basic, noise, delay_ms), echoes + absolute, 2e-6);
        }
    }

    #[test]
    fn absolute_delay_impairs_from_100_ms_as_in_closed_form() {
        // X is 0, 1, 2 and 3.
        let sixth = |x| pow(x, 1.0 / 6.0);
        for (delay_ms, expected) in [
            (50.0, 0.0),
            (100.0, 0.0),
            (200.0, 25.0 * (sixth(2.0) - 3.0 * sixth(730.0 / 729.0) + 2.0)),
            (400.0, 25.0 * (sixth(65.0) - 3.0 * sixth(793.0 / 729.0) + 2.0)),
            (800.0, 25.0 * (sixth(730.0) - 3.0 * sixth(2.0) + 2.0)),
        ] {
            assert_near(absolute_delay(delay_ms), expected, 1e-9);
        }
    }

    #[test]
    fn losses_impair_as_in_closed_form() {
        // 95 * 5 / (5 + 25.1), 95 * 5 / (5 / 2 + 25.1), 11 + 84 * 2 / 21.
        for (impairment, lost, burst_ratio, expected) in [
            (CONCEALED, 5.0, 1.0, 475.0 / 30.1),
            (CONCEALED, 5.0, 2.0, 475.0 / 27.6),
            (G729A, 2.0, 1.0, 19.0),
        ] {
            assert_near(equipment(impairment, lost, burst_ratio), expected, 1e-12);
            let [ideal, impaired] = [0.0, lost / 100.0].map(|lost| {
                let impairment = if lost == 0.0 { Impairment { ie: 0.0, ..impairment } } else { impairment };
                rated(0, impairment, lost, burst_ratio)
            });
            assert_near(ideal - impaired, expected, 1e-9);
        }
    }

    #[test]
    fn mos_is_that_of_equation_b_4() {
        // Evaluated by hand. Table B.1 has these values to two decimals, but 4.03 at R 80, as SIPRAL and loom cite it.
        for (rating, expected) in [
            (0.0, 1.0),
            (50.0, 2.575),
            (60.0, 3.1),
            (70.0, 3.597),
            (80.0, 4.024),
            (90.0, 4.339),
            (100.0, 4.5),
        ] {
            assert_near(mos(rating), expected, 1e-12);
        }
        // The equation gives 0.99 at R 3.
        assert_eq!(mos(3.0), 1.0);
        // 1 + 0.035 * 93.2 + 93.2 * 33.2 * 6.8 * 7e-6.
        assert_near(mos(93.2), 4.409_285_824, 1e-9);
    }

    #[test]
    fn r_stays_on_its_scale() {
        assert_eq!(rated(400, G711, 0.2, 8.0), 0.0);
        assert_eq!(rated(1 << 40, G711, 0.0, 1.0), 0.0);
    }
}
