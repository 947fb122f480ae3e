//! How often a packet leaves its own source: once, and again when other nodes send it back there.

use farlink_network::blueprint::Blueprint;
use farlink_network::packet::Duplication;
use farlink_network::packet::log::Row;
use farlink_network::routing;

/// A packet that returns to its source has gone two hops at least, of 64.
const MOST_BY_HOPS: u32 = 1 + 64 / 2;

/// The most departures that routing permits. Of DSR each return takes a salvage, of which RFC 4728 counts those of the
/// packet's life; ns-2 does not count a packet that waited for its other route.
fn most(blueprint: &Blueprint) -> u32 {
    match &blueprint.routing {
        routing::Config::Dsr(config) if !config.salvage_with_request => 1 + u32::from(config.max_salvage),
        _ => MOST_BY_HOPS,
    }
}

/// Copies that left their own source, the last included, from the packet's first copy to each.
fn departures(copies: &[Row]) -> Vec<u32> {
    let mut departures: Vec<u32> = Vec::with_capacity(copies.len());
    for copy in copies {
        let before = if copy.made_by.is_some() { departures[copy.of as usize] } else { 0 };
        let leaves = copy.made_by == Some(Duplication::Attempt) && copy.begin_node == copy.source;
        departures.push(before + u32::from(leaves));
    }
    departures
}

/// No packet of a flow leaves its source more often than its routing permits.
pub fn check(blueprint: &Blueprint, rows: &[Row]) -> Result<(), String> {
    let most = most(blueprint);
    for copies in rows.chunk_by(|one, other| one.packet == other.packet) {
        let left = departures(copies).into_iter().max().unwrap_or_default();
        if copies[0].flow.is_some() && left > most {
            let packet = copies[0].packet;
            return Err(format!("packet {packet} left its own source {left} times, not {most} at most"));
        }
    }
    Ok(())
}
