//! Acoustic modems whose signals are not as fast as sound.

use farlink_kernel::config::Diagnostic;
use farlink_network::Blueprint;
use farlink_network::blueprint::Radio;
use farlink_network::channel::medium::Delay;
use farlink_network::channel::propagation::Carrier;
use farlink_network::channel::propagation_speed::PropagationSpeed;
use farlink_network::phy::Modulation;

use crate::document::Document;

/// From slower than in any gas that fills a room (sulphur hexafluoride: 130 m/s) to faster than in any solid (diamond: 12 km/s),
/// in m/s.
const SPEEDS: std::ops::RangeInclusive<f64> = 100.0..=20_000.0;

pub(super) fn find(document: &Document, blueprint: &Blueprint) -> Vec<Diagnostic> {
    let channels = document.channels.iter().zip(&blueprint.channels);
    let found = channels.filter_map(|(written, channel)| {
        let Radio { delay, propagation_speed, propagation, phy, .. } = &channel.radio;
        let cause = match (phy.modulation(), propagation.parameters().carrier()) {
            (Modulation::Acoustic, _) => format!("phy `{}`", phy.name()),
            (_, Carrier::Sound) => format!("propagation `{}`", propagation.name()),
            _ => return None,
        };
        let PropagationSpeed::Constant(speed) = propagation_speed else { return None };
        if *delay == Delay::None || SPEEDS.contains(&speed.0) {
            return None;
        }
        let light = if speed.0 > 1e8 { ", the speed of light" } else { "" };
        let message = format!("signals of {cause} travel at {} m/s{light}", speed.0);
        let remedy = "write \"1500 m/s\" for an underwater channel, or { name = \"medwin\" }";
        Some(written.refuse_at("propagation_speed", message, remedy))
    });
    found.collect()
}
