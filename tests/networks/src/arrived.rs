//! What must hold for flows that arrive: their classes add up, their times are in order, and what their receivers took is
//! what was new.

use farlink_network::blueprint::{Blueprint, Workload};
use farlink_network::results::{ArrivedFlow, LedgerEntry, Results, SizeClass, Times, WorkloadResult};

/// Percentiles are exact to 1/128.
const OF_A_BIN: f64 = 1.0 / 128.0;

pub fn check(blueprint: &Blueprint, results: &Results) -> Result<(), String> {
    let numbers = results.flows.len() as u32..;
    for ((config, workload), number) in blueprint.workloads.iter().zip(&results.workloads).zip(numbers) {
        let all = classes(workload)?;
        rows(config, workload, all)?;
        let data = results.ledger.iter().find(|entry| entry.flow == Some(number) && entry.class == "data");
        taken(config, workload, all, data)?;
    }
    Ok(())
}

/// The class of all flows, of which the others are parts.
fn classes(workload: &WorkloadResult) -> Result<&SizeClass, String> {
    let [all, parts @ ..] = &workload.classes[..] else { return Err("a workload without classes".into()) };
    let sum = |of: fn(&SizeClass) -> u64| parts.is_empty() || parts.iter().map(of).sum::<u64>() == of(all);
    let adds_up = sum(|class| class.arrivals)
        && sum(|class| class.bytes.0)
        && sum(|class| class.received.0)
        && sum(|class| class.completed)
        && sum(|class| class.retransmissions)
        && sum(|class| class.timeouts);
    // A percentile without a value is an unfinished flow's.
    let in_order = |times: &Times| {
        let of_all = [times.p50, times.p95, times.p99].map(|percentile| percentile.unwrap_or(f64::INFINITY));
        of_all.is_sorted() && times.mean >= 0.0
    };
    let is_possible = |class: &SizeClass| {
        class.completed <= class.arrivals
            && class.received <= class.bytes
            && class.completion.is_some() == (class.completed > 0)
            && class.completion.iter().chain(&class.slowdown).all(in_order)
            // The time alone is a lower bound.
            && class.slowdown.is_none_or(|slowdown| slowdown.mean >= 1.0 - OF_A_BIN)
    };
    let dropped = |packets: &[u64]| packets.iter().sum::<u64>();
    let by_cause: Vec<u64> = workload.drops.iter().map(|(_, packets)| *packets).collect();
    let by_place: Vec<u64> = workload.drops_by_place.iter().map(|drops| drops.packets).collect();
    if adds_up && workload.classes.iter().all(is_possible) && dropped(&by_cause) == dropped(&by_place) {
        return Ok(all);
    }
    Err(format!("a workload's measures cannot be: {workload:?}"))
}

/// Each row is one of the flows that the classes count.
fn rows(config: &Workload, workload: &WorkloadResult, all: &SizeClass) -> Result<(), String> {
    if !config.keeps_rows {
        return Ok(());
    }
    let sum = |of: fn(&ArrivedFlow) -> u64| workload.flows.iter().map(of).sum::<u64>();
    let [from, to] = [&config.from, &config.to];
    let is_possible = |row: &ArrivedFlow| {
        let [sender, receiver] = row.between;
        from.contains(&sender)
            && to.contains(&receiver)
            && sender != receiver
            && row.start >= config.start
            && config.stop.is_none_or(|stop| row.start < stop)
            && row.slowdown.is_none_or(|slowdown| slowdown >= 1.0 - 1e-9)
    };
    let adds_up = workload.flows.len() as u64 == all.arrivals
        && sum(|row| row.size.0) == all.bytes.0
        && sum(|row| row.completion.is_some().into()) == all.completed
        && sum(|row| row.retransmissions) == all.retransmissions;
    if adds_up && workload.flows.iter().all(is_possible) {
        return Ok(());
    }
    Err(format!("rows of a workload cannot be: {:?} of {all:?}", workload.flows))
}

/// The receivers took a packet for each segment of a complete flow, and no more of others than these have. What arrived
/// twice was retransmitted or duplicated.
fn taken(
    config: &Workload,
    workload: &WorkloadResult,
    all: &SizeClass,
    data: Option<&LedgerEntry>,
) -> Result<(), String> {
    let segments = |row: &ArrivedFlow| row.size.0.div_ceil(config.tcp.segment_size.0);
    let complete = workload.flows.iter().filter(|row| row.completion.is_some());
    let least = complete.map(segments).sum::<u64>().max(all.completed);
    let most = if config.keeps_rows { workload.flows.iter().map(segments).sum() } else { u64::MAX };
    let taken = data.map_or(0, |data| data.delivered);
    if !(least..=most).contains(&taken) {
        return Err(format!("{taken} data packets were taken, of {least} to {most}: {workload:?}"));
    }
    let Some(data) = data else { return Ok(()) };
    let count = |counts: &[(&str, u64)], word| {
        counts.iter().find(|(of, _)| *of == word).map_or(0, |(_, packets)| *packets)
    };
    let copies: u64 = data.duplicated.iter().map(|(_, packets)| packets).sum();
    let is_possible = count(&data.discarded, "duplicated_by_link") <= count(&data.duplicated, "link")
        && count(&data.discarded, "duplicate_data") <= all.retransmissions + copies
        && taken <= data.originated;
    if is_possible {
        return Ok(());
    }
    Err(format!("packets arrived twice without a cause: {all:?}, {data:?}"))
}

#[cfg(test)]
mod tests {
    use farlink_scenario::{Draft, Files, Record, Simulation};

    use super::*;

    struct NoFiles;

    impl Files for NoFiles {
        fn read(&self, _path: &str) -> Result<Vec<u8>, String> {
            Err("no file".into())
        }
    }

    const LOSSY: &str = r#"name = "arrivals"
duration = "5 s"
nodes = [{ name = "a" }, { name = "b" }]
links = [{ between = ["a", "b"], rate = "10 Mbit/s", delay = "10 ms", error = { name = "packet_error_rate", rate = 0.02 } }]
workloads = [{ from = "a", to = "b", flows = "rows", stop = "1 s" }]
"#;

    #[test]
    fn a_count_that_is_one_off_is_found() {
        let scenario = Draft::parse(LOSSY, "arrivals.toml").unwrap().validate(&NoFiles).unwrap();
        let mut simulation = Simulation::new(&scenario, 1, Record::default());
        simulation.keep_ledger();
        while simulation.advance(farlink_kernel::Instant::NEVER) {}
        let results = simulation.finish().measured;
        assert_eq!(check(&scenario.blueprint, &results), Ok(()));
        let changes: [fn(&mut Results); 9] = [
            |results| results.workloads[0].classes[0].completed += 1,
            |results| results.workloads[0].classes[0].arrivals += 1,
            |results| results.workloads[0].classes[1].retransmissions += 1,
            |results| results.workloads[0].classes[0].slowdown.as_mut().unwrap().p50 = Some(1e9),
            |results| results.workloads[0].drops_by_place[0].packets += 1,
            |results| results.workloads[0].flows[0].slowdown = Some(0.9),
            |results| results.workloads[0].flows[0].between = [farlink_network::ids::NodeId(1); 2],
            |results| data(results).delivered = 1,
            |results| data(results).discarded = vec![("duplicate_data", u64::from(u32::MAX))],
        ];
        for (number, change) in changes.into_iter().enumerate() {
            let mut changed = results.clone();
            change(&mut changed);
            assert!(check(&scenario.blueprint, &changed).is_err(), "change {number}");
        }
    }

    fn data(results: &mut Results) -> &mut LedgerEntry {
        results.ledger.iter_mut().find(|entry| entry.class == "data").unwrap()
    }
}
