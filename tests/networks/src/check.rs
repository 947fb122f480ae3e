//! What must hold for a run: it ends, its ledger closes and agrees with the copies, every packet has one fate and leaves its
//! source no more often than routing permits, and every number is one.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use farlink_kernel::Instant;
use farlink_network::packet::Duplication;
use farlink_network::packet::log::{Fate, PacketFate, Row};
use farlink_network::results::{FlowResult, FlowSeries, LedgerEntry, Results, StationResult};
use farlink_scenario::{Record, Simulation};
use sha2::{Digest as _, Sha256};

use crate::case::Case;
use crate::{arrived, departures};

/// A run ends after so many events at most: random networks contain storms.
pub const MOST_EVENTS: u64 = 200_000;

/// A hash.
pub type Digest = [u8; 32];

/// What a run came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// SHA-256 of everything the run gave.
    pub digest: Digest,
    /// Packets that began, and copies of them.
    pub packets: u64,
    /// See [`Outcome::packets`].
    pub copies: u64,
    /// Packets by their fate.
    pub fates: BTreeMap<&'static str, u64>,
    /// Copies in flight at the end.
    pub in_flight: u64,
    /// Attempts that were received but not acknowledged.
    pub lost_acks: u64,
    /// Events handled.
    pub events: u64,
    /// False when the run was stopped at [`MOST_EVENTS`].
    pub is_complete: bool,
    /// Causes and reasons that occurred.
    pub words: Vec<&'static str>,
}

/// Runs a case, and checks what it gave. The error says what does not hold; a panic is one.
pub fn check(case: &Case) -> Result<Outcome, String> {
    catch_unwind(AssertUnwindSafe(|| run(case))).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        Err(format!(
            "panic: {}",
            text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("without a message")
        ))
    })
}

fn run(case: &Case) -> Result<Outcome, String> {
    let scenario = case.validate().map_err(|error| format!("refused: {error}"))?;
    let mut simulation = Simulation::new(&scenario, scenario.seed, Record { series: true });
    simulation.keep_ledger();
    let is_complete = !simulation.advance_events(Instant::NEVER, MOST_EVENTS);
    let results = simulation.finish();
    let (document, measured) = (results.to_json(), &results.measured);
    numbers(measured)?;
    nodes(measured)?;
    measured.flows.iter().try_for_each(flow)?;
    taken(measured)?;
    arrived::check(&scenario.blueprint, measured)?;
    links(measured)?;
    let series = results.series();
    accounts(&measured.ledger, &measured.ledger_rows)?;
    let fates = fates(&measured.ledger_rows)?;
    departures::check(&scenario.blueprint, &measured.ledger_rows)?;
    let text = format!("{document}{series:?}{:?}", measured.ledger_rows);
    let digest = Sha256::digest(text.as_bytes()).into();
    let is_in_flight = |row: &&Row| matches!(row.fate, Fate::InFlight(_));
    let is_lost = |row: &&Row| row.link_ack == farlink_network::packet::log::LinkAck::Lost;
    Ok(Outcome {
        digest,
        packets: fates.values().sum(),
        copies: measured.ledger_rows.len() as u64,
        fates,
        in_flight: measured.ledger_rows.iter().filter(is_in_flight).count() as u64,
        lost_acks: measured.ledger_rows.iter().filter(is_lost).count() as u64,
        events: measured.engine.events,
        is_complete,
        words: words(&measured.ledger),
    })
}

/// No number is NaN or infinite, in whatever the results have; in series only an unknown threshold of slow start, and what
/// flows without TCP do not have.
fn numbers(measured: &Results) -> Result<(), String> {
    let (ledger_rows, flow_series) = (Vec::new(), FlowSeries::default());
    let text = format!("{:?}", Results { ledger_rows, flow_series, ..measured.clone() });
    let is_number = |word: &str| word != "NaN" && word != "inf";
    if !text.split(|letter: char| !letter.is_alphanumeric()).all(is_number) {
        return Err(format!("a result is not a number: {text}"));
    }
    let FlowSeries { phase, cwnd_segments, ssthresh_segments, .. } = &measured.flow_series;
    for ((phase, cwnd), ssthresh) in phase.iter().zip(cwnd_segments).zip(ssthresh_segments) {
        if phase.is_some() && (!cwnd.is_finite() || ssthresh.is_nan()) {
            return Err(format!("series: a window is not a number: cwnd {cwnd}, ssthresh {ssthresh}"));
        }
    }
    Ok(())
}

fn flow(flow: &FlowResult) -> Result<(), String> {
    let rates = [flow.throughput_bps, flow.goodput_bps, flow.delivery_ratio];
    let shares: f64 = flow.limited_by.iter().map(|(_, share)| share).sum();
    let is_whole = shares == 0.0 || (shares - 1.0).abs() < 1e-6;
    let holds = rates.iter().all(|rate| rate.is_finite() && *rate >= 0.0)
        && flow.delivery_ratio <= 1.0
        && flow.packets_delivered <= flow.packets_sent
        && flow.needless_retransmissions <= flow.packets_retransmitted
        && is_whole
        && flow.start.is_none_or(|start| start <= flow.end);
    if holds { Ok(()) } else { Err(format!("a flow's measures cannot be: {flow:?}")) }
}

/// Every drop has its node, the one at which the copy ended.
fn nodes(results: &Results) -> Result<(), String> {
    let mut expected: BTreeMap<_, u64> = BTreeMap::new();
    for row in &results.ledger_rows {
        if let Fate::Dropped(cause) = row.fate {
            *expected.entry((row.flow, row.end_node, cause.word())).or_default() += 1;
        }
    }
    let flows = results.flows.iter().map(|flow| &flow.drops_by_place);
    let workloads = results.workloads.iter().map(|workload| &workload.drops_by_place);
    let of_flows = flows.chain(workloads).zip(0..).map(|(places, number)| (Some(number), places));
    let mut found: BTreeMap<_, u64> = BTreeMap::new();
    for (flow, places) in of_flows.chain([(None, &results.message_drops)]) {
        for drops in places {
            *found.entry((flow, drops.node, drops.cause)).or_default() += drops.packets;
        }
    }
    if found == expected { Ok(()) } else { Err(format!("drops by node are {found:?}, by copy {expected:?}")) }
}

/// What the receiver of a flow took is what was new; every other packet that reached it has a cause in the ledger.
fn taken(results: &Results) -> Result<(), String> {
    for (flow, number) in results.flows.iter().zip(0..) {
        let data = results.ledger.iter().find(|entry| entry.flow == Some(number) && entry.class == "data");
        let taken = data.map_or(0, |entry| entry.delivered);
        if taken != flow.packets_delivered {
            return Err(format!("{taken} data packets were taken, and {} were new", flow.packets_delivered));
        }
        let Some(data) = data else { continue };
        let count = |counts: &[(&str, u64)], word| {
            counts.iter().find(|(of, _)| *of == word).map_or(0, |(_, packets)| *packets)
        };
        let by_link = count(&data.discarded, "duplicated_by_link");
        let is_possible = by_link <= count(&data.duplicated, "link")
            && flow.needless_retransmissions <= count(&data.discarded, "duplicate_data");
        if !is_possible {
            return Err(format!("packets arrived twice without a cause: {flow:?}, {data:?}"));
        }
    }
    Ok(())
}

fn links(results: &Results) -> Result<(), String> {
    for link in &results.links {
        let is_possible = (0.0..=1.0 + 1e-9).contains(&link.utilisation)
            && link.queue_mean_packets >= 0.0
            && link.queue_mean_packets <= link.queue_max_packets as f64 + 1e-9;
        if !is_possible {
            return Err(format!("a link's measures cannot be: {link:?}"));
        }
    }
    let is_possible = |station: &StationResult| {
        let energy = station.energy_joules;
        let is_within = station.transmitting <= station.busy && station.busy <= results.engine.simulated;
        energy.is_finite() && energy >= 0.0 && is_within
    };
    match results.stations.iter().find(|station| !is_possible(station)) {
        Some(station) => Err(format!("a station's energy or airtime cannot be: {station:?}")),
        None => Ok(()),
    }
}

/// Every account closes and agrees with the copies.
fn accounts(ledger: &[LedgerEntry], rows: &[Row]) -> Result<(), String> {
    let sum = |counts: &[(&str, u64)]| counts.iter().map(|(_, count)| count).sum::<u64>();
    let mut copies: BTreeMap<(Option<u32>, &str), Vec<&Row>> = BTreeMap::new();
    for row in rows {
        copies.entry((row.flow, row.class.word())).or_default().push(row);
    }
    for entry in ledger {
        let begun = entry.originated + sum(&entry.duplicated);
        let groups = [&entry.discarded, &entry.dropped, &entry.failed_attempts, &entry.in_flight];
        let ended = entry.delivered + groups.iter().map(|group| sum(group)).sum::<u64>();
        let rows = copies.remove(&(entry.flow, entry.class)).unwrap_or_default();
        let count = |is_such: fn(&Fate) -> bool| rows.iter().filter(|row| is_such(&row.fate)).count() as u64;
        let found = [
            rows.iter().filter(|row| row.made_by.is_none()).count() as u64,
            count(|fate| matches!(fate, Fate::Delivered)),
            count(|fate| matches!(fate, Fate::Discarded(_))),
            count(|fate| matches!(fate, Fate::Dropped(_))),
            count(|fate| matches!(fate, Fate::AttemptFailed(_))),
            count(|fate| matches!(fate, Fate::InFlight(_))),
        ];
        let [discarded, dropped, failed, in_flight] = groups.map(|group| sum(group));
        let reported = [entry.originated, entry.delivered, discarded, dropped, failed, in_flight];
        if begun != ended || found != reported || rows.len() as u64 != begun {
            return Err(format!("an account does not close: {entry:?}, rows {found:?}"));
        }
    }
    match copies.first_key_value() {
        Some((account, rows)) => Err(format!("{} copies without an account: {account:?}", rows.len())),
        None => Ok(()),
    }
}

/// Packets by fate, each counted once.
fn fates(rows: &[Row]) -> Result<BTreeMap<&'static str, u64>, String> {
    let mut fates = BTreeMap::new();
    for (number, copies) in rows.chunk_by(|one, other| one.packet == other.packet).enumerate() {
        one_fate(number as u64, copies)?;
        *fates.entry(copies[0].packet_fate.word()).or_default() += 1;
    }
    Ok(fates)
}

fn one_fate(number: u64, copies: &[Row]) -> Result<(), String> {
    let fails = |what: &str| Err(format!("packet {number}: {what}: {copies:?}"));
    let fate = copies[0].packet_fate;
    let has = |is_such: fn(&Fate) -> bool| copies.iter().any(|copy| is_such(&copy.fate));
    let expected = if has(|fate| matches!(fate, Fate::Delivered)) {
        PacketFate::Delivered
    } else if has(|fate| matches!(fate, Fate::Discarded(why) if why.is_at_destination())) {
        PacketFate::Discarded
    } else if has(|fate| matches!(fate, Fate::InFlight(_))) {
        PacketFate::InFlight
    } else if has(|fate| matches!(fate, Fate::Dropped(_))) {
        PacketFate::Dropped
    } else {
        PacketFate::Unreceived
    };
    if copies[0].packet != number {
        return fails("its number is missing");
    }
    if copies.iter().any(|copy| copy.packet_fate != fate) || fate != expected {
        return fails("it has not one fate");
    }
    let is_broadcast = |copy: &Row| copy.fate == Fate::Discarded(farlink_network::packet::Discard::Broadcast);
    if fate == PacketFate::Unreceived && !copies.iter().any(is_broadcast) {
        return fails("it vanished");
    }
    let is_in_order = |(place, copy): (usize, &Row)| {
        copy.copy == place as u32
            && (copy.made_by.is_none() == (place == 0))
            && (place == 0 || copy.of < copy.copy)
            && copy.end.is_none_or(|end| copy.begin <= end)
            && copy.end.is_none() == matches!(copy.fate, Fate::InFlight(_))
    };
    if !copies.iter().enumerate().all(is_in_order) {
        return fails("its copies are out of order");
    }
    let is_attempt = |copy: &Row| copy.made_by == Some(Duplication::Attempt);
    let is_misplaced = |copy: &Row| matches!(copy.fate, Fate::AttemptFailed(_)) && !is_attempt(copy);
    if copies.iter().any(is_misplaced) {
        return fails("an attempt failed that was none");
    }
    Ok(())
}

fn words(ledger: &[LedgerEntry]) -> Vec<&'static str> {
    let groups = |entry: &LedgerEntry| {
        [&entry.duplicated, &entry.discarded, &entry.dropped, &entry.failed_attempts, &entry.in_flight]
            .into_iter()
            .flatten()
            .map(|(word, _)| *word)
            .collect::<Vec<_>>()
    };
    let mut words: Vec<_> = ledger.iter().flat_map(groups).collect();
    words.sort_unstable();
    words.dedup();
    words
}
