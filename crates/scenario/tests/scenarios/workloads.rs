//! Scenarios with flows that arrive.

use farlink_network::ids::NodeId;
use farlink_scenario::{Column, Draft, Error, Record, RunResults, Scenario, Simulation};

use crate::mistaken_files::TestFiles;

const GOOD: &str = r#"name = "test"
duration = "5 s"
nodes = [{ name = "a" }, { name = "b" }, { name = "c" }]
links = [
    { between = ["a", "b"], rate = "10 Mbit/s", delay = "1 ms" },
    { between = ["b", "c"], rate = "10 Mbit/s", delay = "1 ms" },
]

[[workloads]]
label = "web"
from = "a"
to = ["b", "c"]
arrivals = { name = "poisson", rate = 20 }
size = { name = "fixed", size = "20 kB" }
classes = ["10 kB", "100 kB"]
flows = "rows"
"#;

fn validate(text: &str) -> Result<Scenario, Error> {
    Draft::parse(text, "test.toml")?.validate(&TestFiles)
}

fn run(text: &str) -> RunResults {
    let mut simulation = Simulation::new(&validate(text).unwrap(), 1, Record::default());
    while simulation.advance(farlink_kernel::Instant::NEVER) {}
    simulation.finish()
}

/// Replacements in the good scenario, and key, message and remedy of the error.
const MISTAKES: &[[&str; 5]] = &[
    ["label = \"web\"", "labl = \"web\"", "workloads.0.labl", "unknown key `labl`", "did you mean `label`?"],
    [
        "from = \"a\"",
        "from = \"elsewhere\"",
        "workloads.0.from",
        "unknown node `elsewhere`",
        "known: a, b, c",
    ],
    [
        "to = [\"b\", \"c\"]",
        "to = [\"b\", \"elsewhere\"]",
        "workloads.0.to.1",
        "unknown node `elsewhere`",
        "known: a, b, c",
    ],
    [
        "to = [\"b\", \"c\"]",
        "to = [\"b\", \"b\"]",
        "workloads.0.to.1",
        "`b` is in the group twice",
        "remove one",
    ],
    ["to = [\"b\", \"c\"]", "to = []", "workloads.0.to", "expected the name of a node, found a list", ""],
    [
        "to = [\"b\", \"c\"]",
        "to = \"a\"",
        "workloads.0.to",
        "a flow from `a` would have one node at both ends",
        "name another node",
    ],
    ["rate = 20", "rate = 0", "workloads.0.arrivals.rate", "expected more than 0.0, found the number 0", ""],
    [
        "rate = 20",
        "rate = 20, load = \"1 Mbit/s\"",
        "workloads.0.arrivals.rate",
        "`load` determines the rate, so that `rate` has no effect",
        "remove `rate` or `load`",
    ],
    ["rate = 20", "rate = \"20 /s\"", "workloads.0.arrivals.rate", "expected a number, found \"20 /s\"", ""],
    ["\"poisson\"", "\"posson\"", "workloads.0.arrivals", "unknown name `posson`", "did you mean `poisson`?"],
    [
        "classes = [\"10 kB\", \"100 kB\"]",
        "classes = [\"100 kB\", \"10 kB\"]",
        "workloads.0.classes",
        "sizes of classes must increase",
        "write each size once, the smallest first",
    ],
    [
        "classes = [\"10 kB\", \"100 kB\"]",
        "classes = [\"0 B\", \"100 kB\"]",
        "workloads.0.classes",
        "no flow has a size of 0 B",
        "remove it",
    ],
    [
        "label = \"web\"",
        "label = \"web.office\"",
        "workloads.0.label",
        "the label `web.office` has a dot, which separates the parts of a measure",
        "write it without a dot",
    ],
    [
        "rate = 20",
        "rate = 1e12",
        "workloads.0.arrivals",
        "more than 1e9 flows would arrive per second",
        "write a lower rate or load",
    ],
    [
        "{ name = \"poisson\", rate = 20 }\nsize = { name = \"fixed\", size = \"20 kB\" }",
        "{ name = \"schedule\", flows = [[\"1 s\", \"0 B\"]] }",
        "workloads.0.arrivals.flows.0.1",
        "expected more than \"0 B\", found \"0 B\"",
        "",
    ],
    [
        "label = \"web\"",
        "label = \"web\"\nstart = \"6 s\"",
        "workloads.0.start",
        "the workload starts at 6 s, but the run ends at 5 s",
        "start earlier or run longer",
    ],
    [
        "label = \"web\"",
        "start = \"2 s\"\nstop = \"1 s\"",
        "workloads.0.stop",
        "the workload stops before it starts",
        "stop later",
    ],
    [
        "[[workloads]]",
        "[[flows]]\nlabel = \"web\"\nfrom = \"a\"\nto = \"b\"\n[[workloads]]",
        "workloads.0.label",
        "there are two flows or workloads called `web`",
        "give each one a label of its own",
    ],
    [
        "{ name = \"fixed\", size = \"20 kB\" }",
        "\"cdf\"",
        "workloads.0.size",
        "`csv` is missing",
        "add csv = \"FILE\" with lines of size_bytes,share",
    ],
    [
        "{ name = \"fixed\", size = \"20 kB\" }",
        "{ name = \"cdf\", csv = \"missing.csv\" }",
        "workloads.0.size.csv",
        "cannot read \"missing.csv\": no such file",
        "",
    ],
    [
        "{ name = \"fixed\", size = \"20 kB\" }",
        "{ name = \"cdf\", csv = \"unfinished_sizes.csv\" }",
        "workloads.0.size.csv",
        "the last share is not 1",
        "write lines of size_bytes,share that end with a share of 1",
    ],
    [
        "{ name = \"fixed\", size = \"20 kB\" }",
        "{ name = \"cdf\", csv = \"falling_sizes.csv\" }",
        "workloads.0.size.csv",
        "sizes and shares must not decrease from line to line",
        "write lines of size_bytes,share that end with a share of 1",
    ],
    [
        "{ name = \"fixed\", size = \"20 kB\" }",
        "{ name = \"cdf\", csv = \"shares_in_percent.csv\" }",
        "workloads.0.size.csv",
        "expected a size and a share from 0 to 1",
        "write lines of size_bytes,share that end with a share of 1",
    ],
    [
        "{ name = \"poisson\", rate = 20 }",
        "\"schedule\"",
        "workloads.0.size",
        "the schedule has the sizes of its flows",
        "remove `size`",
    ],
    [
        "{ name = \"poisson\", rate = 20 }\nsize = { name = \"fixed\", size = \"20 kB\" }",
        "\"schedule\"",
        "workloads.0.arrivals",
        "a schedule without flows",
        "write flows = [[\"1 s\", \"20 kB\"]], or csv = \"FILE\"",
    ],
    [
        "{ name = \"poisson\", rate = 20 }\nsize = { name = \"fixed\", size = \"20 kB\" }",
        "{ name = \"schedule\", flows = [[\"1 s\"]] }",
        "workloads.0.arrivals.flows.0",
        "an arrival is a time and a size",
        "write pairs such as [\"1.5 s\", \"20 kB\"]",
    ],
    [
        "{ name = \"poisson\", rate = 20 }\nsize = { name = \"fixed\", size = \"20 kB\" }",
        "{ name = \"schedule\", flows = [[\"2 s\", \"1 kB\"], [\"1 s\", \"1 kB\"]] }",
        "workloads.0.arrivals.flows",
        "times must not decrease",
        "sort the flows by time",
    ],
    [
        "{ name = \"poisson\", rate = 20 }\nsize = { name = \"fixed\", size = \"20 kB\" }",
        "{ name = \"schedule\", csv = \"falling_times.csv\" }",
        "workloads.0.arrivals.csv",
        "times must not decrease from line to line",
        "write lines of time_s,size_bytes",
    ],
    [
        "{ name = \"poisson\", rate = 20 }\nsize = { name = \"fixed\", size = \"20 kB\" }",
        "{ name = \"schedule\", csv = \"no_size.csv\" }",
        "workloads.0.arrivals.csv",
        "expected a time that is not negative, and a size of at least 1 B",
        "write lines of time_s,size_bytes",
    ],
];

#[test]
fn every_mistake_gives_one_error_at_its_place() {
    let mut others = Vec::new();
    for [old, new, key, message, remedy] in MISTAKES {
        assert!(GOOD.contains(old), "{old}");
        let Err(error) = validate(&GOOD.replacen(old, new, 1)) else { panic!("accepted: {new}") };
        if (&*error.key, &*error.message, &*error.remedy) != (*key, *message, *remedy) {
            others.push(format!("{new}: {}: {}; {}", error.key, error.message, error.remedy));
        }
    }
    assert!(others.is_empty(), "{others:#?}");
}

#[test]
fn a_scenario_with_neither_flows_nor_workloads_is_refused() {
    let text = GOOD.split("[[workloads]]").next().unwrap();
    let error = validate(text).unwrap_err();
    assert_eq!((&*error.key, &*error.message), ("flows", "there are no flows"));
}

#[test]
fn a_workload_without_a_path_is_refused() {
    let text =
        GOOD.replacen("    { between = [\"b\", \"c\"], rate = \"10 Mbit/s\", delay = \"1 ms\" },\n", "", 1);
    let error = validate(&text).unwrap_err();
    assert_eq!((&*error.key, &*error.message), ("workloads.0.to", "no path leads from a to c"));
}

#[test]
fn the_resolved_text_reads_back_as_itself() {
    let scheduled = "[[workloads]]\nfrom = \"a\"\nto = \"b\"\narrivals = { name = \"schedule\", csv = \"arrivals.csv\" }\n";
    let listed = "[[workloads]]\nfrom = \"a\"\nto = \"b\"\narrivals = { name = \"schedule\", flows = [[\"1 s\", \"2 kB\"]] }\n";
    let of_file = "[[workloads]]\nfrom = \"a\"\nto = \"b\"\nsize = { name = \"cdf\", csv = \"sizes.csv\" }\n";
    let resolved = validate(&format!("{GOOD}{scheduled}{listed}{of_file}")).unwrap().resolved;
    assert_eq!(validate(&resolved).unwrap().resolved, resolved);
}

#[test]
fn the_resolved_text_has_the_load_or_the_rate() {
    let of_load = GOOD.replacen("rate = 20", "load = \"1 Mbit/s\"", 1);
    let resolved = validate(&of_load).unwrap().resolved;
    assert!(resolved.contains("arrivals = { name = \"poisson\", load = \"1 Mbit/s\" }"), "{resolved}");
    assert_eq!(validate(&resolved).unwrap().resolved, resolved);
    assert!(validate(GOOD).unwrap().resolved.contains("rate = 20.0, load = \"none\""));
}

#[test]
fn a_value_is_set_by_the_label_of_a_workload() {
    let mut draft = Draft::parse(GOOD, "test.toml").unwrap();
    draft.set("workloads.web.tcp.congestion_control", "cubic").unwrap();
    draft.set("workloads.web.size.size", "50 kB").unwrap();
    let scenario = draft.validate(&TestFiles).unwrap();
    let workload = &scenario.blueprint.workloads[0];
    assert_eq!(workload.tcp.congestion_control.name(), "cubic");
    assert_eq!(workload.size.parameters().mean(), 50_000.0);
}

#[test]
fn results_have_a_row_for_each_class_and_for_each_flow() {
    let results = run(GOOD);
    let document = results.to_json();
    let rows = document["workloads"].as_array().unwrap();
    let classes: Vec<_> = rows.iter().map(|row| row["class"].as_str().unwrap()).collect();
    assert_eq!(classes, ["all", "to_10kB", "10kB_to_100kB", "above_100kB"]);
    assert!(rows[0]["slowdown_p50"].as_f64().unwrap() >= 1.0, "{}", rows[0]);
    assert_eq!(rows[0]["arrivals"], rows[2]["arrivals"]);
    assert!(rows[1]["completion_mean_s"].is_null());
    let ledger = document["ledger"].as_array().unwrap();
    assert!(ledger.iter().all(|entry| entry["flow"] == "web"));
    let flows = results.arrivals();
    let (name, Column::Word(ends, _)) = &flows.columns[3] else { panic!("a column of nodes") };
    assert_eq!((*name, ends.len() as u64), ("to", rows[0]["arrivals"].as_u64().unwrap()));
    assert!([1, 2].into_iter().all(|node| ends.contains(&NodeId(node).0)) && !ends.contains(&0));
}

/// To an order of magnitude, as that of flows (tests/estimate.rs).
#[test]
fn the_estimate_of_events_is_near_those_of_a_run() {
    let scenario = validate(GOOD).unwrap();
    let estimated: f64 = scenario.estimate(false).events.iter().map(|share| share.amount).sum();
    let events = run(GOOD).to_json()["engine"]["events"].as_f64().unwrap();
    assert!((0.1..10.0).contains(&(estimated / events)), "{estimated} for {events}");
}

#[test]
fn arrivals_of_a_file_come_at_its_times_with_its_sizes() {
    let text = GOOD
        .replacen("{ name = \"poisson\", rate = 20 }", "{ name = \"schedule\", csv = \"arrivals.csv\" }", 1)
        .replacen("size = { name = \"fixed\", size = \"20 kB\" }\n", "", 1);
    let results = run(&text);
    let flows = &results.measured.workloads[0].flows;
    let found: Vec<_> = flows.iter().map(|flow| (flow.start.as_secs_f64(), flow.size.0)).collect();
    assert_eq!(found, [(0.5, 20_000), (0.5, 1000), (2.0, 3_000_000)]);
}
