//! Preset `linux`: what the kernel counts and does otherwise than the RFCs.

use super::*;

fn linux(congestion: &str) -> Config {
    let congestion_control =
        crate::preset::congestion_control(Preset::Linux, congestion).expect("registered");
    Config { congestion_control, ..Config::preset(Preset::Linux) }
}

/// The send buffer limits samples only where the application could write no more in time: Linux 6.18 leaves STARTUP after 2.6 s
/// here. A sender that counts the samples of recovery as limited does not.
#[test]
fn bbr_leaves_startup_though_the_send_buffer_limits_it() {
    let mut pair = Pair::new(&linux("bbr"));
    pair.service = Duration::from_micros(120);
    pair.queue = Some(pair.service * 400);
    pair.client.write(Instant::ZERO, u64::MAX / 4);
    pair.run_for(Duration::from_secs(6));
    let observed = pair.client.congestion().observe();
    let gain = observed.iter().find(|(name, _)| *name == "pacing_gain").expect("observed").1;
    assert!(gain < 2.0, "still in STARTUP: {observed:?}");
}
