//! Rates, delays and outages of links: units of trace files, and times that the run does not reach.

use farlink_kernel::config::Diagnostic;
use farlink_kernel::{BitRate, Bytes, Duration, Instant};
use farlink_network::Blueprint;
use farlink_network::interface::link;
use farlink_network::schedule::{Outage, Schedule, Steps, Trace};

use super::beyond;
use super::senders::senders;
use crate::document::Document;
use crate::link::Link;
use crate::located::Located;

/// No packet takes so long. It is the RTO after the loss of a SYN (RFC 6298 section 5.7); the slowest links of RFC 3150,
/// 4.8 kbit/s, take 2.5 s for 1500 B.
const SLOWEST: Duration = Duration::from_secs(3);
/// Faster than any single link.
const FASTEST: BitRate = BitRate::from_bps(10_000_000_000_000);
/// Beyond the Moon, which is 1.3 s away.
const LONGEST: Duration = Duration::from_secs(2);
/// The largest packet that a rate is judged by.
const PACKET: Bytes = Bytes(1500);

pub(super) fn find(document: &Document, blueprint: &Blueprint) -> Vec<Diagnostic> {
    let end = Instant::ZERO + blueprint.duration;
    let largest = senders(document, blueprint).map(|sender| Bytes(sender.packet_size.into())).max();
    let packet = largest.unwrap_or(PACKET).min(PACKET);
    let mut found = Vec::new();
    for (written, link) in document.links.iter().zip(&blueprint.links) {
        let [forward, reverse] = [&written.duplex.forward, &written.duplex.reverse];
        Direction { written, config: forward, prefix: "", end, packet }.find(&link.forward, None, &mut found);
        let reversed = Direction { written, config: reverse, prefix: "reverse.", end, packet };
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
    /// The largest packet.
    packet: Bytes,
}

impl Direction<'_> {
    /// What is implausible in it; `read` has its files read. What it has in common with `other` was judged there.
    fn find(&self, read: &link::Config, other: Option<&link::Config>, found: &mut Vec<Diagnostic>) {
        if other.is_none_or(|other| other.rate != self.config.rate) {
            let units =
                file(&self.config.rate).and_then(|trace| slow_or_fast(trace, &read.rate, self.packet));
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
fn slow_or_fast(trace: &Trace, read: &Schedule<BitRate>, packet: Bytes) -> Option<(String, String)> {
    let highest = steps(read)?.points.iter().map(|(_, rate)| *rate).max()?;
    let name = &trace.path;
    let time = highest.time_to_send(packet);
    if time > SLOWEST {
        let message = format!(
            "the highest rate in \"{name}\" is {highest}, at which a packet of {packet} takes {:.0} s",
            time.as_secs_f64()
        );
        let number = highest.as_bps();
        let remedy = format!(
            "without units in its header a file has bit/s: write time_s,rate_mbps for Mbit/s, or {number}000000 for {number} Mbit/s"
        );
        return Some((message, remedy));
    }
    (highest > FASTEST).then(|| {
        (
            format!("the highest rate in \"{name}\" is {highest}"),
            "without units in its header a file has bit/s".into(),
        )
    })
}

/// A file of delays in another unit than seconds.
fn long(trace: &Trace, read: &Schedule<Duration>) -> Option<(String, String)> {
    let mut delays: Vec<Duration> = steps(read)?.points.iter().map(|(_, delay)| *delay).collect();
    // A single one may be as long in a trace of a queue.
    let middle = delays.len() / 2;
    let (_, &mut median, _) = delays.select_nth_unstable(middle);
    (median >= LONGEST).then(|| {
        let seconds = median.as_secs_f64();
        let message = format!("the median of the delays in \"{}\" is {seconds} s, one way", trace.path);
        let remedy = format!(
            "without units in its header a file has seconds: write time_s,delay_ms, or {} for {seconds} ms",
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

/// Steps of which the run reaches the first alone. Those that recur belong to the system: a run may be shorter than
/// their period.
fn constant<T: PartialEq>(
    written: &Schedule<T>,
    read: &Schedule<T>,
    end: Instant,
) -> Option<(String, String)> {
    let Steps { points, period: None } = steps(read)? else { return None };
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
