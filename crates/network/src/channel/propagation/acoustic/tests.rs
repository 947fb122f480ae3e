use super::*;
use crate::phy::noise::Wenz;

fn at(khz: f64) -> Config {
    Config { frequency: Frequency::from_hertz(khz * 1e3), ..Config::default() }
}

#[test]
fn absorption_and_attenuation_match_the_table() {
    // f, alpha [dB/km], A(70 m), A(1 km) [dB], and A(70 m) N with ships (0.5) and no wind [dB].
    let rows = [
        (1.0, 0.0690, 27.681, 45.069, 73.05),
        (5.0, 0.3823, 27.703, 45.382, 62.45),
        (10.0, 1.1870, 27.760, 46.187, 57.11),
        (25.0, 6.1048, 28.104, 51.105, 50.41),
        (50.0, 17.4671, 28.899, 62.467, 49.61),
        (75.0, 27.1097, 29.574, 72.110, 52.48),
        (100.0, 34.0687, 30.061, 79.069, 55.19),
    ];
    for (khz, alpha, near, far, product) in rows {
        let config = at(khz);
        assert!((config.absorption_db_per_km() - alpha).abs() < 5e-5, "{khz}");
        assert!((config.attenuation_db(Metres(70.0)) - near).abs() < 5e-4, "{khz}");
        assert!((config.attenuation_db(Metres(1000.0)) - far).abs() < 5e-4, "{khz}");
        let noise = Wenz { frequency: config.frequency, ..Wenz::default() };
        let found = config.attenuation_db(Metres(70.0)) + noise.density_db();
        assert!((found - product).abs() < 0.005, "{khz}: {found}");
    }
}

#[test]
fn the_best_frequency_has_the_least_product_of_attenuation_and_noise() {
    for (metres, best_khz, least) in [(70.0, 38.6, 49.01), (1000.0, 20.2, 73.01)] {
        let product = |tenth: u32| {
            let config = at(f64::from(tenth) / 10.0);
            let noise = Wenz { frequency: config.frequency, ..Wenz::default() };
            config.attenuation_db(Metres(metres)) + noise.density_db()
        };
        let best = (10..1000).min_by(|&a, &b| product(a).total_cmp(&product(b))).unwrap();
        assert!((f64::from(best) / 10.0 - best_khz).abs() < 1e-9, "{best}");
        assert!((product(best) - least).abs() < 0.005, "{}", product(best));
    }
}

#[test]
fn gain_and_attenuation_are_the_same_and_the_reach_is_where_the_least_gain_is() {
    for absorption in [Absorption::Thorp, Absorption::FrancoisGarrison, Absorption::AinslieMccolm] {
        let config = Config { absorption, ..at(25.0) };
        let model = Acoustic::new(&config, &());
        for metres in [0.5, 1.0, 70.0, 1000.0, 20_000.0] {
            let gain_db = 10.0 * libm::log10(model.mean_gain(&Path::over(Metres(metres))));
            assert!((gain_db + config.attenuation_db(Metres(metres))).abs() < 0.01, "{metres} m: {gain_db}");
        }
        let reach = model.reach(1e-7);
        assert!((config.attenuation_db(reach) - 70.0).abs() < 1e-9);
    }
}

#[test]
fn the_three_formulas_agree_about_the_water_they_were_made_for() {
    // Ainslie and McColm: within a tenth of Francois and Garrison between 100 Hz and 1 MHz.
    let water =
        [(8.0, 35.0, 7.7, 1.0), (4.0, 35.0, 8.0, 0.0), (-1.5, 30.0, 8.2, 0.0), (22.0, 40.0, 8.2, 0.0)];
    for (temperature_c, salinity, ph, depth_km) in water {
        let water = absorption::Water { temperature_c, salinity, ph, depth_km };
        for khz in [0.1, 0.5, 1.0, 5.0, 20.0, 38.6, 100.0, 300.0, 1000.0] {
            let ratio = absorption::ainslie_mccolm(khz, &water) / absorption::francois_garrison(khz, &water);
            assert!((0.9..1.11).contains(&ratio), "{khz} kHz in {water:?}: {ratio}");
        }
    }
    // Thorp measured at about 4 degrees; his formula is good to a quarter below 50 kHz.
    for khz in [1.0, 5.0, 10.0, 20.0, 38.6] {
        let config = Config { absorption: Absorption::FrancoisGarrison, ..at(khz) };
        let ratio = config.absorption_db_per_km() / absorption::thorp(khz);
        assert!((0.75..1.34).contains(&ratio), "{khz} kHz: {ratio}");
    }
}
