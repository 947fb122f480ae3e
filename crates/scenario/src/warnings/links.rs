//! Rates, delays and outages of links: implausible values of trace files, and times that the run does not reach.

use farlink_kernel::config::Diagnostic;
use farlink_kernel::{BitRate, Bytes, Instant};
use farlink_network::Blueprint;
use farlink_network::interface::link;
use farlink_network::schedule::{Outage, Schedule, Steps};

use super::beyond;
use super::senders::senders;
use super::units::{self, File};
use crate::document::Document;
use crate::files::Headers;
use crate::link::Link;
use crate::located::Located;

/// The largest packet that a rate is judged by.
const PACKET: Bytes = Bytes(1500);

/// The limit on outages that follow each other without a pause.
const MOST_IN_A_ROW: usize = 1000;

pub(super) fn find(document: &Document, blueprint: &Blueprint, headers: &Headers) -> Vec<Diagnostic> {
    let end = Instant::ZERO + blueprint.duration;
    let largest = senders(document, blueprint).map(|sender| Bytes(sender.packet_size.into())).max();
    let packet = largest.unwrap_or(PACKET).min(PACKET);
    let mut found = Vec::new();
    for (written, link) in document.links.iter().zip(&blueprint.links) {
        let [forward, reverse] = [&written.duplex.forward, &written.duplex.reverse];
        let direction = |config, prefix| Direction { written, config, prefix, end, packet, headers };
        direction(forward, "").find(&link.forward, None, &mut found);
        direction(reverse, "reverse.").find(&link.reverse, Some(forward), &mut found);
    }
    found
}

/// One direction of a link, as written.
struct Direction<'a> {
    written: &'a Located<Link>,
    config: &'a link::Config,
    /// The path to its keys.
    prefix: &'static str,
    end: Instant,
    /// The largest packet.
    packet: Bytes,
    headers: &'a Headers,
}

impl Direction<'_> {
    /// What is implausible in it; `read` has its files read. What it has in common with `other` was judged there.
    fn find(&self, read: &link::Config, other: Option<&link::Config>, found: &mut Vec<Diagnostic>) {
        if other.is_none_or(|other| other.rate != self.config.rate) {
            let (file, steps) = (File::of(&self.config.rate, self.headers), steps(&read.rate));
            let units = file
                .zip(steps)
                .and_then(|(file, steps)| units::slow_or_fast(file, &steps.points, self.packet));
            let fault = units.or_else(|| never_open(file, steps?, self.end));
            let fault = fault.or_else(|| constant(file, steps?, self.end));
            found.extend(fault.map(|fault| self.at("rate", fault)));
        }
        if other.is_none_or(|other| other.delay != self.config.delay) {
            let (file, steps) = (File::of(&self.config.delay, self.headers), steps(&read.delay));
            let units = file.zip(steps).and_then(|(file, steps)| units::long(file, &steps.points));
            let fault = units.or_else(|| constant(file, steps?, self.end));
            found.extend(fault.map(|fault| self.at("delay", fault)));
        }
        if other.is_none_or(|other| other.down != self.config.down) {
            let fault = never_up(&self.config.down, self.end);
            let fault = fault.or_else(|| no_outage(&self.config.down, self.end));
            found.extend(fault.map(|fault| self.at("down", fault)));
        }
    }

    fn at(&self, key: &str, (message, remedy): (String, String)) -> Diagnostic {
        self.written.refuse_at(&format!("{}{key}", self.prefix), message, remedy)
    }
}

fn steps<T>(schedule: &Schedule<T>) -> Option<&Steps<T>> {
    match schedule {
        Schedule::Steps(steps) => Some(steps),
        _ => None,
    }
}

/// A rate that is zero until the end of the run.
fn never_open(file: Option<File<'_>>, steps: &Steps<BitRate>, end: Instant) -> Option<(String, String)> {
    let first = steps.points.iter().find(|(_, rate)| !rate.is_zero())?;
    // The first value also holds before its instant.
    let begin = if steps.points[0].1.is_zero() { first.0 } else { Instant::ZERO };
    (begin >= end)
        .then(|| (format!("the rate is 0 until {begin}, and the run ends at {end}"), earlier(file, begin)))
}

/// Steps of which the run reaches the first alone. Those that recur belong to the system: a run may be shorter than
/// their period.
fn constant<T>(file: Option<File<'_>>, steps: &Steps<T>, end: Instant) -> Option<(String, String)> {
    let Steps { points, period: None } = steps else { return None };
    let [first, second, ..] = &points[..] else { return None };
    let place = file.map_or(String::new(), |file| format!(" in \"{}\"", file.name()));
    let count = points.len();
    if first.0 >= end {
        let message = format!("the first of {count} times{place} is {}, and the run ends at {end}", first.0);
        return Some((message, earlier(file, first.0)));
    }
    (second.0 >= end).then(|| {
        let message =
            format!("the second of {count} times{place} is {}, and the run ends at {end}", second.0);
        (message, earlier(file, second.0))
    })
}

/// The remedy of a time after the end of the run.
fn earlier(file: Option<File<'_>>, time: Instant) -> String {
    beyond::remedy_in(file.map_or("seconds", |file| file.times()), time)
}

/// Outages that leave no time of the run.
fn never_up(down: &[Outage], end: Instant) -> Option<(String, String)> {
    let next = |at: &Instant| {
        let outage = down.iter().find(|outage| outage.contains(*at))?;
        Some(outage.next_change(*at))
    };
    let mut ends = std::iter::successors(Some(Instant::ZERO), next).take(MOST_IN_A_ROW);
    let up = ends.find(|at| *at >= end)?;
    let message = format!("down for the whole run: until {up}, and the run ends at {end}");
    Some((message, "end the outage earlier, or write a longer duration".into()))
}

/// Outages of which none begins within the run. Those that recur belong to the system, as steps do.
fn no_outage(down: &[Outage], end: Instant) -> Option<(String, String)> {
    let starts = |outage: &Outage| outage.first.start;
    if down.iter().map(starts).any(|start| start < end) {
        return None;
    }
    let is_meant = |outage: &&Outage| outage.period.is_some() && !beyond::is_absolute(starts(outage));
    let first = down.iter().filter(|outage| !is_meant(outage)).map(starts).min();
    first.map(|first| {
        (format!("the first outage begins at {first}, and the run ends at {end}"), beyond::remedy(first))
    })
}
