//! Checks that a slot holds a frame, that a frame holds the flows' packets, and that the bounds of waits are in order.

use farlink_kernel::config::Read;
use farlink_kernel::{Bytes, Diagnostic};

use crate::app;
use crate::blueprint::{Channel, Flow};
use crate::mac::frn::Config;

/// IP and TCP headers with timestamps; those of datagrams are shorter.
const HEADERS: u64 = 52;

/// Refuses a longest wait below the shortest, a slot too short for a frame, and a frame too short for the packets of these
/// flows.
///
/// # Errors
/// Those, at the keys of `mac` in a channel: `max_wait`, `max_wait_under_load`, `slot` and `frame`.
pub(super) fn check(config: &Config, channel: &Channel, flows: &[Flow]) -> Result<(), Diagnostic> {
    at_least(config.max_wait, "max_wait", config.min_wait, "min_wait")?;
    at_least(
        config.max_wait_under_load.unwrap_or(u32::MAX),
        "max_wait_under_load",
        config.max_wait,
        "max_wait",
    )?;
    let phy = channel.radio.phy.build(&());
    let needed = config.contention().saturating_add(phy.air_time(config.frame.0 as u32, phy.data_mode()));
    if needed > config.slot {
        let message = format!(
            "a slot of {} is too short for {} of listening and frames of {}",
            config.slot.show(),
            config.contention().show(),
            config.frame.show()
        );
        let remedy = format!("write slot = {} or more, or shorter frames", needed.show());
        return Err(Diagnostic::new(0..0, message, remedy).at("mac.slot"));
    }
    let is_here = |flow: &&Flow| [flow.from, flow.to].iter().any(|node| channel.members.contains(node));
    let largest = flows.iter().filter(is_here).map(|flow| payload(flow).0 + HEADERS).max().unwrap_or(0);
    let needed = Bytes(largest + config.header.0);
    if needed > config.frame {
        let message = format!("a frame of {} has no room for the largest packet", config.frame.show());
        let remedy = format!("write frame = {} or more, or smaller segments", needed.show());
        return Err(Diagnostic::new(0..0, message, remedy).at("mac.frame"));
    }
    Ok(())
}

/// Refuses a wait shorter than `least`.
fn at_least(wait: u32, key: &'static str, least: u32, least_key: &str) -> Result<(), Diagnostic> {
    if wait >= least {
        return Ok(());
    }
    let message = format!("{wait} slots are fewer than {least_key} = {least}");
    Err(Diagnostic::new(0..0, message, format!("write {key} = {least} or more")).at(format!("mac.{key}")))
}

/// The largest payload of a flow's packets.
fn payload(flow: &Flow) -> Bytes {
    match &flow.application {
        app::Config::ConstantBitRate(config) => config.packet_size,
        app::Config::OnOff(config) => config.packet_size,
        _ => flow.tcp.segment_size,
    }
}
