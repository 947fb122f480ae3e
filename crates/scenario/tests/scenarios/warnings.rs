//! A valid scenario that probably does not say what is meant has a warning with a place and a remedy; no scenario of
//! the project has one.

use std::fmt::Write;

use farlink_scenario::{Draft, Files, Scenario, built_in};

use files::TestFiles;

mod files;

const GOOD: &str = r#"name = "test"
duration = "60 s"

[[nodes]]
name = "ground"
[[nodes]]
name = "remote"

[[links]]
between = ["ground", "remote"]
rate = "10 Mbit/s"
delay = "300 ms"
reverse = { rate = "1 Mbit/s" }
down = ["3 s..4 s"]

[[flows]]
label = "transfer"
from = "ground"
to = "remote"
application = "bulk"
"#;

/// Replacements in the good scenario that make it implausible: (old, new).
const IMPLAUSIBLE: &[(&str, &str)] = &[
    ("rate = \"10 Mbit/s\"", "rate = { csv = \"147\" }"),
    ("rate = \"1 Mbit/s\"", "rate = { csv = \"147\" }"),
    ("rate = \"10 Mbit/s\"", "rate = { csv = \"2000\" }"),
    ("rate = \"10 Mbit/s\"", "rate = \"100 bit/s\""),
    ("rate = \"10 Mbit/s\"", "rate = { csv = \"1e14\" }"),
    ("rate = \"10 Mbit/s\"", "rate = { csv = \"0 until 90 s\" }"),
    ("rate = \"10 Mbit/s\"", "rate = { steps = [[\"0 s\", \"0 bit/s\"], [\"70 s\", \"1 Mbit/s\"]] }"),
    ("rate = \"10 Mbit/s\"", "rate = { csv = \"Unix time\" }"),
    ("rate = \"10 Mbit/s\"", "rate = { csv = \"milliseconds\" }"),
    ("rate = \"10 Mbit/s\"", "rate = { mahimahi = \"late\" }"),
    ("rate = \"10 Mbit/s\"", "rate = { mahimahi = \"90000\" }"),
    ("rate = \"10 Mbit/s\"", "rate = { mahimahi = \"a million of one millisecond\" }"),
    ("rate = \"10 Mbit/s\"", "rate = { csv = \"rate_bps of 147\" }"),
    ("rate = \"10 Mbit/s\"", "rate = { csv = \"rate_mbps of 2e7\" }"),
    ("rate = \"10 Mbit/s\"", "rate = { csv = \"rate_gbps of 2e4\" }"),
    ("rate = \"10 Mbit/s\"", "rate = { csv = \"rate_gbps of 2e-6\" }"),
    ("rate = \"10 Mbit/s\"", "rate = { csv = \"time_ms of 90000\" }"),
    ("delay = \"300 ms\"", "delay = { csv = \"delay_ms of 40000\" }"),
    ("delay = \"300 ms\"", "delay = { csv = \"delay_us of 4e7\" }"),
    ("delay = \"300 ms\"", "delay = { csv = \"40000\" }"),
    ("delay = \"300 ms\"", "delay = { csv = \"40\" }"),
    ("delay = \"300 ms\"", "delay = { csv = \"4\" }"),
    ("delay = \"300 ms\"", "delay = \"40 s\""),
    ("delay = \"300 ms\"", "delay = \"20 s\""),
    ("rate = \"10 Mbit/s\"", "rate = \"10 Mbit/s\"\nqueue = { name = \"drop_tail\", limit = \"100 B\" }"),
    ("rate = \"10 Mbit/s\"", "rate = \"10 Mbit/s\"\nerror = { name = \"packet_error_rate\", rate = 1.0 }"),
    ("rate = \"10 Mbit/s\"", "rate = \"10 Mbit/s\"\nerror = { name = \"bit_error_rate\", rate = 0.01 }"),
    ("delay = \"300 ms\"", "delay = { steps = [[\"0 s\", \"20 ms\"], [\"70 s\", \"30 ms\"]] }"),
    ("down = [\"3 s..4 s\"]", "down = [\"60 s..61 s\", \"70 s..71 s every 5 s\"]"),
    ("down = [\"3 s..4 s\"]", "down = [\"0 s..60 s\"]"),
    ("down = [\"3 s..4 s\"]", "down = [\"40 s..90 s\", \"0 s..30 s\", \"30 s..40 s\"]"),
    ("reverse = { rate = \"1 Mbit/s\" }", "reverse = { rate = \"1 Mbit/s\", down = [\"0 s..61 s\"] }"),
    (
        "application = \"bulk\"",
        "application = \"bulk\"\ntcp = { preset = \"ns2_linux\", recovery = \"sack\" }",
    ),
    ("application = \"bulk\"", "application = \"bulk\"\nstart = \"59.9 s\""),
    ("application = \"bulk\"", "application = \"file\"\nstop = \"5 s\""),
    ("application = \"bulk\"", "tcp = { congestion_control = \"dctcp\" }"),
    ("application = \"bulk\"", "tcp = { congestion_control = \"prague\", ecn = false }"),
    ("application = \"bulk\"", "tcp = { ecn = \"accurate\" }"),
];

/// Replacements that give no warning: the nearest plausible values.
const PLAUSIBLE: &[(&str, &str)] = &[
    ("rate = \"10 Mbit/s\"", "rate = { csv = \"9600\" }"),
    ("rate = \"10 Mbit/s\"", "rate = { csv = \"longer than the run\" }"),
    ("rate = \"10 Mbit/s\"", "rate = { mahimahi = \"early\" }"),
    ("rate = \"10 Mbit/s\"", "rate = \"300 bit/s\""),
    ("delay = \"300 ms\"", "delay = { csv = \"1.3\" }"),
    ("delay = \"300 ms\"", "delay = { csv = \"one of 6 s\" }"),
    ("delay = \"300 ms\"", "delay = \"19 s\""),
    (
        "delay = \"300 ms\"",
        "delay = { steps = [[\"0 s\", \"20 ms\"], [\"70 s\", \"30 ms\"]], every = \"80 s\" }",
    ),
    ("application = \"bulk\"", "application = \"bulk\"\nstart = \"59 s\""),
    ("application = \"bulk\"", "tcp = { ecn = false }"),
    ("delay = \"300 ms\"", "delay = \"300 ms\"\nqueue = { name = \"codel\", ce_threshold = \"1 ms\" }"),
    ("application = \"bulk\"", "application = \"bulk\"\nstart = \"59 s..59.9 s\""),
    ("application = \"bulk\"", "application = \"bulk\"\nstop = \"5 s\""),
    ("application = \"bulk\"", "application = { name = \"on_off\", transport = \"tcp\" }\nstop = \"5 s\""),
    ("down = [\"3 s..4 s\"]", "down = [\"3 s..4 s\", \"70 s..71 s\"]"),
    ("down = [\"3 s..4 s\"]", "down = [\"70 s..71 s every 70 s\"]"),
    ("down = [\"3 s..4 s\"]", "down = [\"0 s..59 s\"]"),
    ("down = [\"3 s..4 s\"]", "down = [\"1 s..60 s\"]"),
    ("down = [\"3 s..4 s\"]", "down = [\"0 s..55 s every 56 s\"]"),
    ("rate = \"10 Mbit/s\"", "rate = \"10 Mbit/s\"\nqueue = { name = \"drop_tail\", limit = \"1488 B\" }"),
    ("rate = \"10 Mbit/s\"", "rate = \"10 Mbit/s\"\nerror = { name = \"packet_error_rate\", rate = 0.9 }"),
    ("rate = \"10 Mbit/s\"", "rate = \"10 Mbit/s\"\nerror = { name = \"bit_error_rate\", rate = 5e-4 }"),
];

const RADIO: &str = r#"name = "radio"
duration = "60 s"

[[nodes]]
name = "a"
position = ["0 m", "0 m"]
[[nodes]]
name = "b"
position = ["3 km", "0 m"]

[radio]
propagation = { name = "disc", range = "4 km" }
propagation_speed = "1500 m/s"
mac = { name = "aloha", timeout = "5 s" }

[[flows]]
from = "a"
to = "b"
"#;

/// As above, over a shared channel.
const IMPLAUSIBLE_OVER_RADIO: &[(&str, &str)] = &[
    ("timeout = \"5 s\"", "timeout = \"3999 ms\""),
    ("{ name = \"aloha\", timeout = \"5 s\" }", "\"aloha\""),
    ("{ name = \"aloha\", timeout = \"5 s\" }", "{ name = \"cs_aloha\", timeout = \"3 s\" }"),
    ("{ name = \"aloha\", timeout = \"5 s\" }", "\"t_lohi\""),
    ("{ name = \"aloha\", timeout = \"5 s\" }", "\"slotted_fama\""),
    ("{ name = \"aloha\", timeout = \"5 s\" }", "\"uw_csma\""),
    ("{ name = \"aloha\", timeout = \"5 s\" }", "{ name = \"tdma\", max_propagation_delay = \"1800 ms\" }"),
    ("{ name = \"aloha\", timeout = \"5 s\" }", "\"dcf\"\nphy = \"dsss\""),
    (
        "propagation_speed = \"1500 m/s\"\nmac = { name = \"aloha\", timeout = \"5 s\" }\n\n[[flows]]",
        "mac = \"dcf\"\nphy = \"ofdm\"\n[[flows]]\ntcp = { segment_size = \"65000 B\" }",
    ),
    (
        "propagation_speed = \"1500 m/s\"\nmac = { name = \"aloha\", timeout = \"5 s\" }\n\n[[flows]]",
        "mac = \"dcf\"\nphy = \"ofdm\"\n[[flows]]\napplication = { name = \"constant_bit_rate\", rate = \"1 Mbit/s\", packet_size = \"2269 B\" }",
    ),
    (
        "[[flows]]",
        "[mobility]\nname = \"scripted\"\nmoves = { bonnmotion = \"eight in the morning\" }\n[[flows]]",
    ),
    ("\"1500 m/s\"", "\"300000 km/s\"\nphy = \"acoustic\""),
    ("propagation_speed = \"1500 m/s\"", "phy = \"acoustic\""),
    ("[[flows]]", "[mobility]\nname = \"scripted\"\nmoves = { ns2 = \"Unix time of moves\" }\n[[flows]]"),
    (
        "[\"0 m\", \"0 m\"]",
        "[\"0 m\", \"0 m\"]\nmobility = { name = \"scripted\", moves = [{ at = \"90 s\", to = [\"5 m\", \"0 m\"], speed = \"1 m/s\" }] }",
    ),
];

const PLAUSIBLE_OVER_RADIO: &[(&str, &str)] = &[
    ("timeout = \"5 s\"", "timeout = \"4 s\""),
    ("timeout = \"5 s\"", "acknowledge = false"),
    ("mac = { name", "phy = \"acoustic\"\nmac = { name"),
    ("propagation_speed = \"1500 m/s\"", "phy = \"acoustic\"\ndelay = \"none\""),
    ("[[flows]]", "[mobility]\nname = \"scripted\"\nmoves = { ns2 = \"moves at 60 s\" }\n[[flows]]"),
    ("[radio]", "[radio]\ndelay = \"none\""),
    ("[\"3 km\", \"0 m\"]", "[\"3 m\", \"0 m\"]"),
    ("{ name = \"aloha\", timeout = \"5 s\" }", "{ name = \"tdma\", max_propagation_delay = \"1900 ms\" }"),
    (
        "propagation_speed = \"1500 m/s\"\nmac = { name = \"aloha\", timeout = \"5 s\" }\n\n[[flows]]",
        "mac = \"dcf\"\nphy = \"ofdm\"\n[[flows]]\ntcp = { segment_size = \"2244 B\" }",
    ),
    ("[[flows]]", "[mobility]\nname = \"scripted\"\nmoves = { bonnmotion = \"one early\" }\n[[flows]]"),
];

const WORKLOAD: &str = r#"name = "test"
duration = "60 s"
nodes = [{ name = "ground" }, { name = "near" }, { name = "remote" }]

[[links]]
between = ["ground", "near"]
rate = "10 Mbit/s"
delay = "1 ms"

[[links]]
between = ["near", "remote"]
rate = "9 Mbit/s"
delay = "300 ms"

[[workloads]]
label = "web"
from = "ground"
to = ["near", "remote"]
"#;

/// As above, of flows that arrive. All but `stop` is as for other flows: it ends what arrives, which always has an effect.
const IMPLAUSIBLE_OF_WORKLOADS: &[(&str, &str)] = &[
    ("rate = \"9 Mbit/s\"", "rate = { csv = \"147\" }"),
    ("rate = \"9 Mbit/s\"", "rate = \"100 bit/s\""),
    ("delay = \"300 ms\"", "delay = \"40 s\""),
    ("rate = \"9 Mbit/s\"", "rate = \"9 Mbit/s\"\nqueue = { name = \"drop_tail\", limit = \"100 B\" }"),
    ("rate = \"9 Mbit/s\"", "rate = \"9 Mbit/s\"\nerror = { name = \"packet_error_rate\", rate = 1.0 }"),
    ("label = \"web\"", "label = \"web\"\ntcp = { preset = \"ns2_linux\", recovery = \"sack\" }"),
    ("label = \"web\"", "label = \"web\"\nstart = \"59.9 s\""),
    ("label = \"web\"", "arrivals = { name = \"schedule\", flows = [[\"59.9 s\", \"9 kB\"]] }"),
    ("label = \"web\"", "arrivals = { name = \"schedule\", flows = [[\"90 s\", \"9 kB\"]] }"),
    ("label = \"web\"", "stop = \"9 s\"\narrivals = { name = \"schedule\", flows = [[\"9 s\", \"9 kB\"]] }"),
    ("label = \"web\"", "arrivals = { name = \"schedule\", csv = \"Unix time of flows\" }"),
    ("label = \"web\"", "arrivals = { name = \"schedule\", csv = \"500 flows in milliseconds\" }"),
    (
        "label = \"web\"",
        "start = \"50 s\"\narrivals = { name = \"schedule\", csv = \"three flows, 20 s apart\" }",
    ),
    (
        "label = \"web\"",
        "stop = \"20 s\"\narrivals = { name = \"schedule\", csv = \"three flows, 20 s apart\" }",
    ),
    ("label = \"web\"", "tcp = { congestion_control = \"dctcp\" }"),
    ("label = \"web\"", "tcp = { congestion_control = \"prague\", ecn = false }"),
    ("label = \"web\"", "tcp = { ecn = \"accurate\" }"),
];

const PLAUSIBLE_OF_WORKLOADS: &[(&str, &str)] = &[
    ("label = \"web\"", "label = \"web\"\nstart = \"59 s\""),
    ("label = \"web\"", "label = \"web\"\nstop = \"5 s\""),
    (
        "label = \"web\"",
        "arrivals = { name = \"schedule\", flows = [[\"59 s\", \"9 kB\"], [\"90 s\", \"9 kB\"]] }",
    ),
    (
        "label = \"web\"",
        "start = \"30 s\"\narrivals = { name = \"schedule\", csv = \"three flows, 20 s apart\" }",
    ),
    (
        "label = \"web\"",
        "stop = \"21 s\"\narrivals = { name = \"schedule\", csv = \"three flows, 20 s apart\" }",
    ),
    ("rate = \"9 Mbit/s\"", "rate = \"9 Mbit/s\"\nqueue = { name = \"drop_tail\", limit = \"1488 B\" }"),
    // A packet of 552 B takes 2.2 s, one of 1500 B 6 s.
    (
        "rate = \"9 Mbit/s\"\ndelay = \"300 ms\"\n\n[[workloads]]",
        "rate = { csv = \"2000\" }\ndelay = \"300 ms\"\n\n[[workloads]]\ntcp = { segment_size = \"500 B\" }",
    ),
    // A packet of 140 B.
    (
        "delay = \"300 ms\"\n\n[[workloads]]",
        "delay = \"300 ms\"\nqueue = { name = \"drop_tail\", limit = \"140 B\" }\n\n[[workloads]]\nsize = { name = \"fixed\", size = \"100 B\" }",
    ),
    // A queue of one path marks.
    (
        "delay = \"300 ms\"\n\n[[workloads]]",
        "delay = \"300 ms\"\nqueue = \"dualpi2\"\n\n[[workloads]]\ntcp = { congestion_control = \"dctcp\" }",
    ),
];

const WORKLOAD_OVER_RADIO: &str = r#"name = "radio"
duration = "60 s"
nodes = [
    { name = "a", position = ["0 m", "0 m"] },
    { name = "b", position = ["1 km", "0 m"] },
    { name = "c", position = ["3 km", "0 m"] },
]

[radio]
propagation = { name = "disc", range = "4 km" }
propagation_speed = "1500 m/s"
mac = { name = "aloha", timeout = "5 s" }

[[workloads]]
from = "a"
to = ["b", "c"]
"#;

const IMPLAUSIBLE_OF_WORKLOADS_OVER_RADIO: &[(&str, &str)] = &[
    ("timeout = \"5 s\"", "timeout = \"3999 ms\""),
    ("{ name = \"aloha\", timeout = \"5 s\" }", "{ name = \"tdma\", max_propagation_delay = \"1800 ms\" }"),
    (
        "propagation_speed = \"1500 m/s\"\nmac = { name = \"aloha\", timeout = \"5 s\" }\n\n[[workloads]]",
        "mac = \"dcf\"\nphy = \"ofdm\"\n[[workloads]]\ntcp = { segment_size = \"65000 B\" }",
    ),
    ("[radio]", "[radio]\nqueue = { name = \"drop_tail\", limit = \"100 B\" }"),
];

const PLAUSIBLE_OF_WORKLOADS_OVER_RADIO: &[(&str, &str)] = &[
    ("timeout = \"5 s\"", "timeout = \"4 s\""),
    ("to = [\"b\", \"c\"]", "to = \"b\"\ntcp = { preset = \"linux\" }"),
];

type Change = (&'static str, &'static str);

/// All changes, each with the scenario that it is made in.
fn changes(of: [&[Change]; 4]) -> Vec<(&'static str, Change)> {
    let scenarios = [GOOD, RADIO, WORKLOAD, WORKLOAD_OVER_RADIO].into_iter().zip(of);
    scenarios.flat_map(|(good, changes)| changes.iter().map(move |&change| (good, change))).collect()
}

fn validate(good: &str, (old, new): (&str, &str)) -> Scenario {
    let text = good.replacen(old, new, 1);
    assert_ne!(text, good, "{old} is not in the scenario");
    let draft = Draft::parse(&text, "test.toml").unwrap();
    draft.validate(&TestFiles).unwrap_or_else(|error| panic!("{new}: {error}"))
}

#[test]
fn an_implausible_value_has_one_warning_of_one_line_at_its_place() {
    let mut page = String::new();
    for (good, change) in changes([
        IMPLAUSIBLE,
        IMPLAUSIBLE_OVER_RADIO,
        IMPLAUSIBLE_OF_WORKLOADS,
        IMPLAUSIBLE_OF_WORKLOADS_OVER_RADIO,
    ]) {
        let scenario = validate(good, change);
        let [warning] = &scenario.warnings[..] else {
            panic!("{}: {:?}", change.1, scenario.warnings);
        };
        let (line, parts) = (warning.to_string(), warning.parts());
        assert_eq!(line.lines().count(), 1, "{line}");
        assert!(parts.line > 1 && !parts.key.is_empty() && !parts.remedy.is_empty(), "{line}");
        writeln!(page, "{line}").unwrap();
    }
    insta::assert_snapshot!(page);
}

/// Rate halving and RACK find a lost retransmission without it.
#[test]
fn a_recovery_that_needs_its_timer_has_one_where_every_ack_restarts_that() {
    for (recovery, is_warned) in [
        ("reno", true),
        ("newreno", true),
        ("sack", true),
        ("sack1", true),
        ("prr", true),
        ("rate_halving", false),
        ("rack", false),
    ] {
        let tcp = format!("tcp = {{ recovery = \"{recovery}\", timer_restart = \"every_ack\" }}");
        let new = format!("application = \"bulk\"\n{tcp}");
        let warnings = validate(GOOD, ("application = \"bulk\"", &new)).warnings;
        assert_eq!(warnings.len(), usize::from(is_warned), "{recovery}: {warnings:?}");
    }
}

#[test]
fn a_plausible_value_has_none() {
    for (good, change) in
        changes([PLAUSIBLE, PLAUSIBLE_OVER_RADIO, PLAUSIBLE_OF_WORKLOADS, PLAUSIBLE_OF_WORKLOADS_OVER_RADIO])
    {
        assert_eq!(validate(good, change).warnings, [], "{}", change.1);
    }
}

/// A shortened run is one to look at, not a mistake.
#[test]
fn no_built_in_scenario_has_one_however_short() {
    struct NoFiles;
    impl Files for NoFiles {
        fn read(&self, _path: &str) -> Result<Vec<u8>, String> {
            Err("no file".into())
        }
    }
    for one in built_in() {
        for duration in [None, Some("300 s"), Some("31 s"), Some("5 s"), Some("2 s"), Some("1 s")] {
            let mut draft = Draft::parse(one.text, one.name).unwrap();
            if let Some(duration) = duration {
                draft.set("duration", duration).unwrap();
            }
            match draft.validate(&NoFiles) {
                Ok(scenario) => assert_eq!(scenario.warnings, [], "{} in {duration:?}", one.name),
                // A flow that starts after the end of the run is refused.
                Err(error) => assert!(duration.is_some() && error.key.ends_with("start"), "{error}"),
            }
        }
    }
}

/// Links of a topology are written once.
#[test]
fn a_warning_of_many_links_is_given_once() {
    let text = "name = \"chain\"\nduration = \"10 s\"\n\
                [topology]\nname = \"chain\"\nnodes = 5\nlink = { rate = { csv = \"147\" }, delay = \"1 ms\" }\n\
                [[flows]]\nfrom = \"n0\"\nto = \"n4\"\n";
    let scenario = Draft::parse(text, "chain.toml").unwrap().validate(&TestFiles).unwrap();
    let keys: Vec<&str> = scenario.warnings.iter().map(|warning| warning.parts().key.as_str()).collect();
    assert_eq!(keys, ["topology.link.rate"]);
}
