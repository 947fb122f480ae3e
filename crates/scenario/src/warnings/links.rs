//! Rates, delays and outages of links: units of trace files, and times that the run does not reach.

use farlink_kernel::config::Diagnostic;
use farlink_kernel::{BitRate, Bytes, Duration, Instant};
use farlink_network::Blueprint;
use farlink_network::interface::link;
use farlink_network::schedule::{Outage, Schedule, Steps, Trace};

use super::beyond;
use crate::document::Document;
use crate::link::Link;
use crate::located::Located;

/// A packet of 1500 bytes takes ten seconds at it: slower than any link that carries TCP.
const SLOWEST: BitRate = BitRate::from_bps(1200);
/// Faster than any single link.
const FASTEST: BitRate = BitRate::from_bps(10_000_000_000_000);
/// Far beyond the Moon, which is 1.3 s away.
const LONGEST: Duration = Duration::from_secs(5);
/// The packet that a rate is judged by.
const PACKET: Bytes = Bytes(1500);

pub(super) fn find(document: &Document, blueprint: &Blueprint) -> Vec<Diagnostic> {
    let end = Instant::ZERO + blueprint.duration;
    let mut found = Vec::new();
    for (written, link) in document.links.iter().zip(&blueprint.links) {
        let [forward, reverse] = [&written.duplex.forward, &written.duplex.reverse];
        Direction { written, config: forward, prefix: "", end }.find(&link.forward, None, &mut found);
        let reversed = Direction { written, config: reverse, prefix: "reverse.", end };
        reversed.find(&link.reverse, Some(forward), &mut found);
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
}

impl Direction<'_> {
    /// What is implausible in it; `read` has its files read. What it has in common with `other` was judged there.
    fn find(&self, read: &link::Config, other: Option<&link::Config>, found: &mut Vec<Diagnostic>) {
        if other.is_none_or(|other| other.rate != self.config.rate) {
            let units = file(&self.config.rate).and_then(|trace| slow_or_fast(trace, &read.rate));
            let fault = units.or_else(|| never_open(&read.rate, self.end));
            let fault = fault.or_else(|| constant(&self.config.rate, &read.rate, self.end));
            found.extend(fault.map(|fault| self.at("rate", fault)));
        }
        if other.is_none_or(|other| other.delay != self.config.delay) {
            let units = file(&self.config.delay).and_then(|trace| long(trace, &read.delay));
            let fault = units.or_else(|| constant(&self.config.delay, &read.delay, self.end));
            found.extend(fault.map(|fault| self.at("delay", fault)));
        }
        if other.is_none_or(|other| other.down != self.config.down) {
            found.extend(no_outage(&self.config.down, self.end).map(|fault| self.at("down", fault)));
        }
    }

    fn at(&self, key: &str, (message, remedy): (String, String)) -> Diagnostic {
        self.written.refuse_at(&format!("{}{key}", self.prefix), message, remedy)
    }
}

fn file<T>(schedule: &Schedule<T>) -> Option<&Trace> {
    match schedule {
        Schedule::File(trace) => Some(trace),
        _ => None,
    }
}

fn steps<T>(schedule: &Schedule<T>) -> Option<&Steps<T>> {
    match schedule {
        Schedule::Steps(steps) => Some(steps),
        _ => None,
    }
}

/// A file of rates in another unit than bit/s.
fn slow_or_fast(trace: &Trace, read: &Schedule<BitRate>) -> Option<(String, String)> {
    let highest = steps(read)?.points.iter().map(|(_, rate)| *rate).max()?;
    let name = &trace.path;
    if highest < SLOWEST {
        let packet = highest.time_to_send(PACKET).as_secs_f64();
        let message = format!(
            "the highest rate in \"{name}\" is {highest}, at which a packet of 1500 B takes {packet:.0} s"
        );
        return Some((
            message,
            format!("the second column is in bit/s: write {0}000000 for {0} Mbit/s", highest.as_bps()),
        ));
    }
    (highest > FASTEST).then(|| {
        (format!("the highest rate in \"{name}\" is {highest}"), "the second column is in bit/s".into())
    })
}

/// A file of delays in another unit than seconds.
fn long(trace: &Trace, read: &Schedule<Duration>) -> Option<(String, String)> {
    let longest = steps(read)?.points.iter().map(|(_, delay)| *delay).max()?;
    (longest >= LONGEST).then(|| {
        let seconds = longest.as_secs_f64();
        let message = format!("the longest delay in \"{}\" is {seconds} s, one way", trace.path);
        let remedy = format!(
            "the second column is in seconds: write {} for {seconds} ms, or {{ steps = .. }} with units",
            seconds / 1000.0
        );
        (message, remedy)
    })
}

/// A rate that is zero until the end of the run.
fn never_open(read: &Schedule<BitRate>, end: Instant) -> Option<(String, String)> {
    let first = steps(read)?.points.iter().find(|(_, rate)| !rate.is_zero())?;
    // The first value also holds before its instant.
    let begin = if steps(read)?.points[0].1.is_zero() { first.0 } else { Instant::ZERO };
    (begin >= end)
        .then(|| (format!("the rate is 0 until {begin}, and the run ends at {end}"), beyond::remedy(begin)))
}

/// Steps of which the run reaches the first alone.
fn constant<T: PartialEq>(
    written: &Schedule<T>,
    read: &Schedule<T>,
    end: Instant,
) -> Option<(String, String)> {
    let points = &steps(read)?.points;
    let [first, second, ..] = &points[..] else { return None };
    let place = file(written).map_or(String::new(), |trace| format!(" in \"{}\"", trace.path));
    let count = points.len();
    if first.0 >= end {
        let message = format!("the first of {count} times{place} is {}, and the run ends at {end}", first.0);
        return Some((message, beyond::remedy(first.0)));
    }
    (second.0 >= end).then(|| {
        let message =
            format!("the second of {count} times{place} is {}, and the run ends at {end}", second.0);
        (message, beyond::remedy(second.0))
    })
}

/// Outages of which none begins within the run.
fn no_outage(down: &[Outage], end: Instant) -> Option<(String, String)> {
    let first = down.iter().map(|outage| outage.first.start).min()?;
    (first >= end).then(|| {
        (format!("the first outage begins at {first}, and the run ends at {end}"), beyond::remedy(first))
    })
}
