//! One run for a profiler: `work NAME SECONDS [PATH=VALUE ..]`; prints what was done.

#![expect(clippy::disallowed_methods, reason = "a tool reads and writes files; the engine does not")]

use std::io::{Write, stdout};

use farlink_bench::{WORKS, Work};
use farlink_kernel::Duration;
use farlink_network::results::StationResult;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let usage =
        || format!("work NAME SECONDS [PATH=VALUE ..]; there are {}", WORKS.map(|work| work.name).join(", "));
    let work = arguments.next().and_then(|name| Work::named(&name)).ok_or_else(usage)?;
    let seconds = arguments.next().ok_or_else(usage)?.parse()?;
    let settings: Vec<String> = arguments.collect();
    let settings: Vec<_> =
        settings.iter().map(|each| each.split_once('=').ok_or_else(usage)).collect::<Result<_, _>>()?;
    let results = farlink_bench::run(&work.blueprint(Duration::from_secs(seconds), &settings));
    let sum = |count: fn(&farlink_network::results::FlowResult) -> u64| {
        results.flows.iter().map(count).sum::<u64>()
    };
    let signals: u64 = results.stations.iter().map(StationResult::signals).sum();
    let idle = results.flows.iter().filter(|flow| flow.packets_delivered == 0).count();
    writeln!(
        stdout(),
        "{{\"delivered\": {}, \"retransmitted\": {}, \"dropped\": {}, \"flows\": {}, \"flows_without_delivery\": {idle}, \
         \"signals\": {signals}, \"events\": {}}}",
        sum(|flow| flow.packets_delivered),
        sum(|flow| flow.packets_retransmitted),
        results.drops.iter().map(|(_, count)| count).sum::<u64>(),
        results.flows.len(),
        results.engine.events
    )?;
    Ok(())
}
