//! How much sound is turned into heat, in dB/km at so many kHz.

#[derive(Clone, Copy, Debug)]
pub struct Water {
    /// Temperature in degrees Celsius.
    pub temperature_c: f64,
    /// Salinity in parts per thousand.
    pub salinity: f64,
    /// Acidity.
    pub ph: f64,
    /// Depth in km.
    pub depth_km: f64,
}

/// What a relaxation at `at` kHz takes from sound of `f` kHz.
fn relaxation(f: f64, at: f64) -> f64 {
    at * f * f / (at * at + f * f)
}

/// W. H. Thorp, "Analytic description of the low-frequency attenuation coefficient", Journal of the Acoustical
/// Society of America 42(1), 1967, in the form of Stojanovic (WUWNet 2006): boric acid relaxes at 1 kHz, magnesium
/// sulphate at 64 kHz.
pub fn thorp(f: f64) -> f64 {
    let square = f * f;
    if f < 0.4 {
        return 0.002 + 0.11 * square / (1.0 + square) + 0.011 * square;
    }
    0.11 * square / (1.0 + square) + 44.0 * square / (4100.0 + square) + 2.75e-4 * square + 0.003
}

/// R. E. Francois, G. R. Garrison, "Sound absorption based on ocean measurements", parts I and II, Journal of the
/// Acoustical Society of America 72(3) and 72(6), 1982: magnesium sulphate, pure water, boric acid.
pub fn francois_garrison(f: f64, water: &Water) -> f64 {
    let &Water { temperature_c: t, salinity, ph, depth_km } = water;
    let (depth, kelvin) = (depth_km * 1e3, t + 273.0);
    let speed = 1412.0 + 3.21 * t + 1.19 * salinity + 0.0167 * depth;
    let boric_at = 2.8 * (salinity / 35.0).sqrt() * libm::pow(10.0, 4.0 - 1245.0 / kelvin);
    let boric = 8.86 / speed * libm::pow(10.0, 0.78 * ph - 5.0) * relaxation(f, boric_at);
    let sulphate_at = 8.17 * libm::pow(10.0, 8.0 - 1990.0 / kelvin) / (1.0 + 0.0018 * (salinity - 35.0));
    let pressed = 1.0 - 1.37e-4 * depth + 6.2e-9 * depth * depth;
    let sulphate = 21.44 * salinity / speed * (1.0 + 0.025 * t) * pressed * relaxation(f, sulphate_at);
    let pure = if t <= 20.0 {
        4.937e-4 - 2.59e-5 * t + 9.11e-7 * t * t - 1.50e-8 * t * t * t
    } else {
        3.964e-4 - 1.146e-5 * t + 1.45e-7 * t * t - 6.5e-10 * t * t * t
    };
    let pressed = 1.0 - 3.83e-5 * depth + 4.9e-10 * depth * depth;
    boric + sulphate + pure * pressed * f * f
}

/// M. A. Ainslie, J. G. McColm, "A simplified formula for viscous and chemical absorption in sea water", Journal
/// of the Acoustical Society of America 103(3), 1998.
pub fn ainslie_mccolm(f: f64, water: &Water) -> f64 {
    let &Water { temperature_c: t, salinity, ph, depth_km } = water;
    let boric_at = 0.78 * (salinity / 35.0).sqrt() * libm::exp(t / 26.0);
    let sulphate_at = 42.0 * libm::exp(t / 17.0);
    let boric = 0.106 * relaxation(f, boric_at) * libm::exp((ph - 8.0) / 0.56);
    let sulphate =
        0.52 * (1.0 + t / 43.0) * (salinity / 35.0) * relaxation(f, sulphate_at) * libm::exp(-depth_km / 6.0);
    boric + sulphate + 0.00049 * f * f * libm::exp(-(t / 27.0 + depth_km / 17.0))
}
