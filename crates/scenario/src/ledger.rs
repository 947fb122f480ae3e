//! The ledger's rows as named columns: the fate of every copy of a packet.

use farlink_kernel::Instant;
use farlink_network::packet::log::{Fate, LinkAck, PacketFate, Row};
use farlink_network::packet::{Cause, Class, Discard, Duplication, Location};

use crate::run_results::RunResults;
use crate::series::{Column, Table};

const NONE: u32 = u32::MAX;
const ORIGIN: &str = "origin";
const FATES: &[&str] = &["delivered", "discarded", "dropped", "attempt_failed", "in_flight"];
/// The words of reasons, in groups.
const REASONS: [&[&str]; 3] = [Discard::WORDS, Cause::WORDS, Location::WORDS];

impl RunResults {
    /// One row per copy of a packet, by packet, then copy; without rows unless they were kept
    /// ([`Simulation::keep_ledger`](crate::Simulation::keep_ledger)).
    pub fn ledger(&self) -> Table {
        let rows = &self.measured.ledger_rows;
        let workloads = self.measured.workloads.iter().map(|workload| workload.label.clone());
        let flows = self.measured.flows.iter().map(|flow| flow.label.clone()).chain(workloads).collect();
        let integer = |of: fn(&Row) -> u64| Column::Integer(rows.iter().map(of).collect());
        let word =
            |of: fn(&Row) -> u32, words: Vec<String>| Column::Word(rows.iter().map(of).collect(), words);
        let seconds = |of: fn(&Row) -> Option<Instant>| {
            let number = |at: Option<Instant>| at.map_or(f64::NAN, |at| at.as_nanos() as f64 * 1e-9);
            Column::Number(rows.iter().map(|row| number(of(row))).collect())
        };
        let columns = vec![
            ("packet", integer(|row| row.packet)),
            ("copy", integer(|row| row.copy.into())),
            ("copy_of", integer(|row| row.of.into())),
            ("made_by", word(|row| row.made_by.map_or(0, |by| 1 + by as u32), makers())),
            ("class", word(|row| row.class as u32, owned(Class::WORDS))),
            ("flow", word(|row| row.flow.unwrap_or(NONE), flows)),
            ("source", word(|row| row.source.0, self.nodes.clone())),
            ("begin_s", seconds(|row| Some(row.begin))),
            ("begin_node", word(|row| row.begin_node.0, self.nodes.clone())),
            ("end_s", seconds(|row| row.end)),
            ("end_node", word(|row| row.end_node.0, self.nodes.clone())),
            ("fate", word(|row| fate(row.fate).0, owned(FATES))),
            ("reason", word(|row| fate(row.fate).1, owned(&REASONS.concat()))),
            ("link_ack", word(|row| row.link_ack as u32, owned(LinkAck::WORDS))),
            ("packet_fate", word(|row| row.packet_fate as u32, owned(PacketFate::WORDS))),
        ];
        Table { columns }
    }
}

fn makers() -> Vec<String> {
    owned(&[&[ORIGIN], Duplication::WORDS].concat())
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// The indices of a fate and of its reason among the words.
fn fate(fate: Fate) -> (u32, u32) {
    let reason = |group: usize, place: u32| {
        REASONS[..group].iter().map(|words| words.len() as u32).sum::<u32>() + place
    };
    match fate {
        Fate::Delivered => (0, NONE),
        Fate::Discarded(why) => (1, reason(0, why as u32)),
        Fate::Dropped(cause) => (2, reason(1, cause as u32)),
        Fate::AttemptFailed(cause) => (3, reason(1, cause as u32)),
        Fate::InFlight(location) => (4, reason(2, location as u32)),
    }
}
