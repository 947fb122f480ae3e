//! Every mistake gives one error with the place of the key or value at fault and a remedy.

use std::fmt::Write;

use farlink_scenario::{Draft, Error, Scenario};

use crate::mistaken_files::TestFiles;

const GOOD: &str = r#"name = "test"
duration = "10 s"

[[nodes]]
name = "ground"
[[nodes]]
name = "remote"
[[nodes]]
name = "island"

[[links]]
between = ["ground", "remote"]
rate = "100 Mbit/s"
delay = "300 ms"
queue = { name = "drop_tail", limit = "5000 packets" }
error = { name = "bit_error_rate", rate = 1e-7 }
reverse = { error = "none" }
down = ["3 s..4 s"]

[[flows]]
label = "transfer"
from = "ground"
to = "remote"
start = "0 s..1 s"
application = "bulk"
tcp = { preset = "rfc", congestion_control = "reno", segment_size = "1448 B" }

[record]
interval = "100 ms"
"#;

/// Replacements in the good scenario: (old, new).
const MISTAKES: &[(&str, &str)] = &[
    ("name = \"test\"", "name = \"test"),
    ("name = \"test\"", "name = \"test\"\nname = \"again\""),
    ("name = \"test\"\n", ""),
    ("name = \"test\"", "name = 7"),
    ("name = \"test\"", "name = \"\""),
    ("duration = \"10 s\"", "duration = 10"),
    ("duration = \"10 s\"", "duration = \"10\""),
    ("duration = \"10 s\"", "duration = \"10 sec\""),
    ("duration = \"10 s\"", "duration = \"0 s\""),
    ("duration = \"10 s\"", "duration = \"ten\""),
    ("duration = \"10 s\"", "durration = \"10 s\""),
    ("duration = \"10 s\"", "duration = \"10 s\"\nseed = -1"),
    ("duration = \"10 s\"", "duration = \"10 s\"\nseed = 99999999999999999999"),
    ("duration = \"10 s\"", "duration = \"10 s\"\nrouting = \"shortest\""),
    (
        "duration = \"10 s\"",
        "duration = \"10 s\"\nrouting = { name = \"shortest_path\", reconverge = \"0 s\" }",
    ),
    ("duration = \"10 s\"", "duration = \"10 s\"\nrouting = { name = \"shortest_path\", reconverge = true }"),
    ("name = \"island\"", "name = \"ground\""),
    ("name = \"island\"", "name = \"\""),
    ("name = \"island\"", "nmae = \"island\""),
    ("name = \"island\"", "name = \"island\"\nposition = [\"1 m\"]"),
    ("[\"ground\", \"remote\"]", "[\"ground\", \"remotee\"]"),
    ("[\"ground\", \"remote\"]", "[\"ground\", \"ground\"]"),
    ("[\"ground\", \"remote\"]", "[\"ground\"]"),
    ("[\"ground\", \"remote\"]", "\"ground-remote\""),
    ("rate = \"100 Mbit/s\"", "rate = \"100 MB/s\""),
    ("rate = \"100 Mbit/s\"", "rate = \"0 bit/s\""),
    ("rate = \"100 Mbit/s\"", "rate = \"1e30 Gbit/s\""),
    ("rate = \"100 Mbit/s\"", "rate = \"inf bit/s\""),
    ("rate = \"100 Mbit/s\"\n", ""),
    ("rate = \"100 Mbit/s\"", "rate = { csv = \"missing.csv\" }"),
    ("rate = \"100 Mbit/s\"", "rate = { csv = \"bad.csv\" }"),
    ("rate = \"100 Mbit/s\"", "rate = { csv = \"backwards.csv\" }"),
    ("rate = \"100 Mbit/s\"", "rate = { csv = \"zero.csv\" }"),
    ("rate = \"100 Mbit/s\"", "rate = { csv = \"header.csv\" }"),
    ("rate = \"100 Mbit/s\"", "rate = { csv = \"commas.csv\" }"),
    ("rate = \"100 Mbit/s\"", "rate = { csv = \"rate.csv.gz\" }"),
    ("rate = \"100 Mbit/s\"", "rate = { csv = \"empty.csv\" }"),
    ("rate = \"100 Mbit/s\"", "rate = { mahimahi = \"bad.trace\" }"),
    ("rate = \"100 Mbit/s\"", "rate = { mahimahi = \"empty.trace\" }"),
    ("rate = \"100 Mbit/s\"", "rate = { mahimahi = \"zero.trace\" }"),
    ("rate = \"100 Mbit/s\"", "rate = { csv = \"huge.csv\" }"),
    ("rate = \"100 Mbit/s\"", "rate = { cvs = \"rate.csv\" }"),
    ("delay = \"300 ms\"", "delay = { mahimahi = \"good.trace\" }"),
    ("delay = \"300 ms\"", "delay = \"-300 ms\""),
    ("delay = \"300 ms\"", "delay = \"1e9 h\""),
    ("delay = \"300 ms\"", "dealy = \"300 ms\""),
    ("\"drop_tail\"", "\"droptail\""),
    ("limit = \"5000 packets\"", "limit = 0.5"),
    ("limit = \"5000 packets\"", "limit = 0"),
    ("limit = \"5000 packets\"", "limit = \"0.5 packets\""),
    ("limit = \"5000 packets\"", "limit = \"0 packets\""),
    ("limit = \"5000 packets\"", "limt = \"5000 packets\""),
    ("{ name = \"drop_tail\", limit = \"5000 packets\" }", "{ limit = \"5000 packets\" }"),
    ("{ name = \"drop_tail\", limit", "{ name = \"red\", min_threshold = 15, limit"),
    ("{ name = \"drop_tail\", limit", "{ name = \"red\", max_threshold = 4.0, limit"),
    ("{ name = \"drop_tail\", limit", "{ name = \"fq_codel\", flows = 0, limit"),
    ("{ name = \"drop_tail\", limit", "{ name = \"codel\", target = \"200 ms\", limit"),
    ("{ name = \"drop_tail\", limit", "{ name = \"shaper\", burst = \"0 B\", limit"),
    ("rate = 1e-7", "rate = 1.5"),
    ("rate = 1e-7", "rate = \"often\""),
    ("rate = 1e-7", "rate = -1e-7"),
    ("rate = 1e-7", "rate = nan"),
    ("error = { name = \"bit_error_rate\", rate = 1e-7 }", "error = 0.01"),
    ("error = { name = \"bit_error_rate\", rate = 1e-7 }", "loss = 0.01"),
    ("error = { name = \"bit_error_rate\", rate = 1e-7 }", "jitter = \"5 ms\""),
    ("error = { name = \"bit_error_rate\", rate = 1e-7 }", "jitter = { name = \"gamma\" }"),
    ("error = { name = \"bit_error_rate\", rate = 1e-7 }", "jitter = { name = \"uniform\", max = \"0 s\" }"),
    ("error = { name = \"bit_error_rate\", rate = 1e-7 }", "jitter = { name = \"pareto\", shape = 1 }"),
    ("error = { name = \"bit_error_rate\", rate = 1e-7 }", "jitter = { name = \"normal\", sd = \"1 ms\" }"),
    (
        "error = { name = \"bit_error_rate\", rate = 1e-7 }",
        "jitter = { name = \"exponential\", in_order = \"yes\" }",
    ),
    ("reverse = { error = \"none\" }", "reverse = { eror = \"none\" }"),
    ("reverse = { error = \"none\" }", "reverse = { rate = \"0 bit/s\" }"),
    ("[\"3 s..4 s\"]", "[\"4 s..3 s\"]"),
    ("[\"3 s..4 s\"]", "\"3 s..4 s\""),
    ("[\"3 s..4 s\"]", "[\"3 s..4 s\", \"5 s..6 s\", \"2 s..3500 ms\"]"),
    ("reverse = { error = \"none\" }", "reverse = { down = [\"1 s..3 s\", \"2 s..4 s\"] }"),
    ("[\"3 s..4 s\"]", "[\"3 s..4 s every 1 s\"]"),
    ("[\"3 s..4 s\"]", "[\"3 s..4 s every\"]"),
    ("[\"3 s..4 s\"]", "[\"3 s..4 s every 5 s\", \"1 s..2 s\", \"7 s..9 s\"]"),
    ("delay = \"300 ms\"", "delay = { steps = [] }"),
    ("delay = \"300 ms\"", "delay = { steps = [[\"0 s\", \"20 ms\"], [\"0 s\", \"30 ms\"]] }"),
    ("delay = \"300 ms\"", "delay = { steps = [[\"0 s\", \"20 ms\"], [\"9 s\"]] }"),
    (
        "delay = \"300 ms\"",
        "delay = { steps = [[\"0 s\", \"20 ms\"], [\"9 s\", \"1 ms\"]], every = \"9 s\" }",
    ),
    ("delay = \"300 ms\"", "delay = { every = \"9 s\" }"),
    ("delay = \"300 ms\"", "delay = { step = [[\"0 s\", \"20 ms\"]] }"),
    ("from = \"ground\"", "from = \"grond\""),
    ("from = \"ground\"", "from = \"remote\""),
    ("to = \"remote\"", "to = \"island\""),
    ("to = \"remote\"\n", ""),
    ("start = \"0 s..1 s\"", "start = \"20 s\""),
    ("start = \"0 s..1 s\"", "start = \"2 s\"\nstop = \"1 s\""),
    (
        "[record]",
        "[[flows]]\nfrom = \"remote\"\nto = \"ground\"\nstop = \"5 s\"\napplication = { name = \"relay\", flow = \"transfer\" }\n[record]",
    ),
    (
        "name = \"island\"",
        "name = \"island\"\nposition = [\"0 m\", \"0 m\"]\n[[channels]]\nnodes = [\"ground\", \"island\"]",
    ),
    (
        "name = \"remote\"\n[[nodes]]\nname = \"island\"",
        "name = \"remote\"\nposition = [\"1 km\", \"0 m\"]\n[topology]\nname = \"grid\"\n[radio]",
    ),
    (
        "name = \"remote\"\n[[nodes]]\nname = \"island\"",
        "name = \"remote\"\nposition = [\"1 km\", \"0 m\"]\n[[nodes]]\nname = \"island\"\nposition = [\"2 km\", \"0 m\"]\n\
         [[channels]]\n[radio.antenna]\nreception = \"interference\"",
    ),
    ("application = \"bulk\"", "application = \"bulkk\""),
    ("application = \"bulk\"", "application = { name = \"file\", size = \"100 Mb\" }"),
    ("application = \"bulk\"", "application = { name = \"file\", size = \"0 B\" }"),
    ("application = \"bulk\"", "application = \"constant_bit_rate\""),
    (
        "application = \"bulk\"",
        "application = { name = \"on_off\", transport = \"tcp\", packet_size = \"0 B\" }",
    ),
    ("application = \"bulk\"", "application = { name = \"on_off\", transport = \"tcp\", shape = 1 }"),
    ("application = \"bulk\"", "application = { name = \"on_off\", transport = \"tcp\", on = \"0 s\" }"),
    ("application = \"bulk\"", "application = { name = \"voice\", codec = \"g729\" }"),
    ("application = \"bulk\"", "application = { name = \"voice\", bpl = 0 }"),
    (
        "application = \"bulk\"\ntcp = { preset = \"rfc\", congestion_control = \"reno\", segment_size = \"1448 B\" }",
        "application = { name = \"voice\", codec = \"opus\", ie = 5 }",
    ),
    (
        "application = \"bulk\"\ntcp = { preset = \"rfc\", congestion_control = \"reno\", segment_size = \"1448 B\" }",
        "application = { name = \"voice\", codec = \"opus\", bpl = 20 }",
    ),
    ("application = \"bulk\"", "application = \"bulk\"\npayload = \"stored\""),
    ("application = \"bulk\"", "application = { name = \"file\", size = \"2 GB\" }\npayload = \"stored\""),
    ("[record]", "[[channels]]\nnodes = [\"island\"]\nmak = \"aloha\"\n[record]"),
    ("[record]", "[[channels]]\nnodes = [\"island\"]\nmac = \"alloha\"\n[record]"),
    ("[record]", "[radio]\npropagation = { name = \"disc\", range = \"250\" }\n[record]"),
    ("[record]", "[radio]\nmac = { name = \"aloha\", retries = -1 }\n[record]"),
    ("[record]", "[radio]\nphy = { name = \"modem\", rate = \"0 bit/s\" }\n[record]"),
    ("preset = \"rfc\"", "preset = \"bsd\""),
    ("\"reno\"", "\"renoo\""),
    ("\"reno\"", "\"RENO\""),
    ("\"reno\"", "{ name = \"vegas\", alpha = -2 }"),
    ("\"reno\"", "{ name = \"vegas\", aplha = 2 }"),
    ("\"reno\"", "{ name = \"vegas\", alpha = 5 }"),
    ("\"reno\"", "{ name = \"bic\", divisor = 0 }"),
    ("\"reno\"", "{ name = \"hybla\", rtt0 = \"0 ms\" }"),
    ("segment_size = \"1448 B\"", "segment_size = \"0 B\""),
    ("segment_size = \"1448 B\"", "segment_size = \"100 kB\""),
    ("segment_size = \"1448 B\"", "max_window = \"0 packets\""),
    ("segment_size = \"1448 B\"", "min_rto = \"120 s\""),
    ("segment_size = \"1448 B\"", "max_rto = \"1 ms\""),
    ("segment_size = \"1448 B\"", "initial_rto = \"0 s\""),
    ("segment_size = \"1448 B\"", "receive_buffer = \"1 kB\""),
    ("[[flows]]", "[[flow]]"),
    ("[record]", "[[flows]]\nfrom = \"ground\"\nto = \"remote\"\nlabel = \"transfer\"\n[record]"),
    ("interval = \"100 ms\"", "interval = \"0 ms\""),
    ("[record]", "[[channels]]\nnodes = [\"island\", \"iceland\"]\n[record]"),
    ("[record]", "[mobility]\nname = \"random_waypiont\"\n[record]"),
    ("[record]", "[mobility]\nname = \"random_waypoint\"\nmin_sped = \"1 m/s\"\n[record]"),
    ("[record]", "[mobility]\nname = \"random_waypoint\"\nmin_speed = \"9 m/s\"\n[record]"),
    ("[record]", "[mobility]\nname = \"random_waypoint\"\nmin_speed = \"0 m/s\"\n[record]"),
    ("[record]", "[mobility]\nname = \"random_waypoint\"\nmax_speed = \"101 km/s\"\n[record]"),
    ("[record]", "[mobility]\nname = \"random_waypoint\"\narea = [\"850 m\"]\n[record]"),
    ("[record]", "[mobility]\nname = \"random_waypoint\"\narea = [\"850 m\", \"0 m\"]\n[record]"),
    ("[record]", "[mobility]\nname = \"random_waypoint\"\nstart = \"somewhere\"\n[record]"),
    ("[record]", "[mobility]\nname = \"random_walk\"\nstep = \"0 s\"\n[record]"),
    ("[record]", "[mobility]\nname = \"gauss_markov\"\nmean_speed = \"0 m/s\"\n[record]"),
    ("[record]", "[mobility]\nname = \"gauss_markov\"\nalpha = 1.5\n[record]"),
    ("[record]", "[mobility]\nname = \"manhattan_grid\"\nblock = \"0 m\"\n[record]"),
    ("[record]", "[mobility]\nname = \"scripted\"\n[record]"),
    ("[record]", "[mobility]\nname = \"scripted\"\nmoves = \"moves.tcl\"\n[record]"),
    ("[record]", "[mobility]\nname = \"scripted\"\nmoves = { ns3 = \"moves.tcl\" }\n[record]"),
    ("[record]", "[mobility]\nname = \"scripted\"\nmoves = { ns2 = \"absent.tcl\" }\n[record]"),
    ("[record]", "[mobility]\nname = \"scripted\"\nmoves = { ns2 = \"bad.tcl\" }\n[record]"),
    ("[record]", "[mobility]\nname = \"scripted\"\nmoves = { ns2 = \"many.tcl\" }\n[record]"),
    (
        "[record]",
        "[mobility]\nname = \"scripted\"\nmoves = [{ at = \"1 s\", to = [\"5 m\", \"5 m\"] }]\n[record]",
    ),
    (
        "[record]",
        "[mobility]\nname = \"scripted\"\nmoves = [{ at = \"2 s\", to = [\"5 m\", \"5 m\"], speed = \"1 m/s\" }, { at = \"1 s\", to = [\"5 m\", \"5 m\"], speed = \"0 m/s\" }]\n[record]",
    ),
    ("name = \"island\"", "name = \"island\"\nmobility = \"scripted\""),
    ("name = \"island\"", "name = \"island\"\nmobility = { name = \"random_walk\", step = \"0 s\" }"),
    ("name = \"island\"", "name = \"island\"\nposition = [\"1 m\", \"2 m\"]\nmobility = \"random_walk\""),
    (
        "name = \"island\"",
        "name = \"island\"\nposition = [\"-1 m\", \"2 m\"]\n\
         mobility = { name = \"random_walk\", start = \"position\" }",
    ),
    ("[record]", "[radio]\n[record]"),
    ("[record]", "[[channels]]\nname = \"air\"\nnodes = [\"island\", \"remote\"]\n[record]"),
    (
        "[record]",
        "[topology]\nname = \"file\"\npath = \"places.graphml\"\n\
         [[channels]]\nnodes = [\"a\", \"b\", \"c\"]\n[record]",
    ),
    ("[record]", "[radio]\n[mobility]\nname = \"scripted\"\nmoves = { ns2 = \"one.tcl\" }\n[record]"),
    ("[record]", "[radio]\n[mobility]\nname = \"scripted\"\nmoves = { ns2 = \"unplaced.tcl\" }\n[record]"),
    (
        "[record]",
        "[radio]\n[mobility]\nname = \"scripted\"\nmoves = { bonnmotion = \"one.movements\" }\n[record]",
    ),
    ("[record]", "[radio]\n[mobility]\nname = \"scripted\"\nmoves = { fcd = \"one.xml\" }\n[record]"),
    (
        "name = \"remote\"",
        "name = \"remote\"\nmobility = { name = \"scripted\", moves = { ns2 = \"one.tcl\" } }\n\
         [[channels]]\nnodes = [\"ground\", \"remote\"]",
    ),
    (
        "[record]",
        "[radio]\n[topology]\nname = \"file\"\npath = \"places.graphml\"\n\
         [mobility]\nname = \"scripted\"\nmoves = { ns2 = \"one.tcl\" }\n[record]",
    ),
    (
        "name = \"ground\"",
        "name = \"ground\"\nposition = [\"7 m\", \"0 m\"]\n\
         mobility = { name = \"scripted\", moves = { ns2 = \"one.tcl\" } }",
    ),
    ("[record]", "[mobility]\nname = \"scripted\"\nmoves = { ns2 = \"empty.trace\" }\n[record]"),
    ("[record]", "[mobility]\nname = \"scripted\"\nmoves = { ns2 = \"far.tcl\" }\n[record]"),
    ("[record]", "[mobility]\nname = \"scripted\"\nmoves = { ns2 = \"fast.tcl\" }\n[record]"),
    ("[record]", "[topology]\nname = \"file\"\npath = \"far.graphml\"\n[record]"),
    ("[record]", "[topology]\nname = \"file\"\npath = \"far.csv\"\n[record]"),
    ("[record]", "[topology]\nname = \"chain\"\nspacing = \"1e12 m\"\n[record]"),
    ("[record]", "[topology]\nname = \"chain\"\nspacing = \"1e300 km\"\n[record]"),
    ("[record]", "[radio]\npropagation = { name = \"disc\", range = \"1e13 m\" }\n[record]"),
    ("[record]", "[radio]\npropagation_speed = \"1e9 m/s\"\n[record]"),
    (
        "name = \"island\"",
        "name = \"island\"\nposition = [\"0 m\", \"0 m\", \"-13 km\"]\n\
         [[channels]]\nnodes = [\"ground\", \"island\"]\npropagation_speed = \"medwin\"",
    ),
    ("name = \"island\"", "name = \"island\"\nposition = [\"0 m\", \"-1e13 m\"]"),
    ("[record]", "[topology]\nname = \"ring\"\n[record]"),
    ("[record]", "[topology]\nname = \"file\"\npath = \"nodes.csv\"\n[record]"),
    (
        "[record]",
        "[topology]\nname = \"file\"\npath = \"net.csv\"\nlinks = \"header_of_links.csv\"\nlink = { rate = \"1 Mbit/s\", delay = \"1 ms\" }\n[record]",
    ),
    (
        "[record]",
        "[radio]\n[mobility]\nname = \"scripted\"\nmoves = { bonnmotion = \"both.movements\" }\n[record]",
    ),
    (
        "[record]",
        "[radio]\n[mobility]\nname = \"scripted\"\nmoves = { bonnmotion = \"both.movements\", dimensions = 4 }\n[record]",
    ),
    (
        "[record]",
        "[radio]\n[mobility]\nname = \"scripted\"\nmoves = { fcd = \"one.xml\", dimensions = 2 }\n[record]",
    ),
    ("[record]", "[radio]\n[mobility]\nname = \"scripted\"\nmoves = { fcd = \"degrees.xml\" }\n[record]"),
    ("[record]", "[radio]\nphy = { name = \"ofdm\", standard = \"802.11n\" }\n[record]"),
    ("[record]", "[radio]\nphy = { name = \"dsss\", standard = \"802.11n\" }\n[record]"),
    ("[record]", "[radio]\nphy = \"802.11n\"\n[record]"),
    ("[record]", "[topology]\nname = \"file\"\n[record]"),
    ("[record]", "[topology]\nname = \"file\"\npath = \"absent.csv\"\n[record]"),
    ("[record]", "[topology]\nname = \"file\"\npath = \"good.trace\"\n[record]"),
    ("[record]", "[topology]\nname = \"file\"\npath = \"net.graphml\"\n[record]"),
    ("[record]", "[topology]\nname = \"file\"\npath = \"net.csv\"\nlinks = \"edges.csv\"\n[record]"),
    (
        "[record]",
        "[topology]\nname = \"file\"\npath = \"net.csv\"\nlinks = \"edges.csv\"\nlink = { rate = \"1 Mbit/s\", delay = \"1 ms\" }\n[record]",
    ),
    (
        "[record]",
        "[topology]\nname = \"file\"\npath = \"net.csv\"\nlinks = \"none.csv\"\nlink = { rate = \"1 Mbit/s\", delay = \"1 ms\" }\n[record]",
    ),
    ("[record]", "[topology]\nname = \"random\"\nconnected = true\nrange = \"20 m\"\n[record]"),
    ("[record]", "[topology]\nname = \"random\"\nrange = \"0 m\"\n[record]"),
    ("[record]", "[topology]\nname = \"mesh\"\nnodes = 256\n[record]"),
    ("[record]", "[topology]\nname = \"grid\"\nrows = 100\ncolumns = 100\n[record]"),
    ("[record]", "[topology]\nname = \"chain\"\nlink = { rate = \"1 Mbit/s\" }\n[record]"),
];

/// Values set over the good scenario.
const SETTINGS: &[(&str, &str)] = &[
    ("flow.0.tcp.sack", "true"),
    ("rotuing.0", "1"),
    ("flows.0.tcp.congestion_control", "renoo"),
    ("flows.0.tcp.congestoin_control", "reno"),
    ("links.0.reverse.queue.limit", "-1 packets"),
    ("flows.1.tcp", "{}"),
    ("flows.first.tcp", "{}"),
    ("flows..tcp", "{}"),
    ("duration", "10"),
    ("duration.length", "10 s"),
    ("links.0.queue", "{ name = \"red\", limit = }"),
    ("links.0.between.1", "nowhere"),
    ("record.interval", "fast"),
];

/// Values set over a chain, whose nodes and links come from a topology.
const CHAIN_SETTINGS: &[(&str, &str)] =
    &[("links.0.rate", "1 Mbit/s"), ("nodes.2.position", "[]"), ("channels.0.mac", "aloha")];

fn validate(text: &str, setting: Option<(&str, &str)>) -> Result<Scenario, Error> {
    let mut draft = Draft::parse(text, "test.toml")?;
    if let Some((path, value)) = setting {
        draft.set(path, value)?;
    }
    draft.validate(&TestFiles)
}

#[test]
fn the_scenario_without_mistakes_is_accepted() {
    let scenario = validate(GOOD, None).unwrap();
    assert_eq!((scenario.name.as_str(), &scenario.flow_labels[..]), ("test", &["transfer".to_owned()][..]));
}

#[test]
fn every_mistake_gives_one_error_at_its_place() {
    let mut page = String::new();
    for (old, new) in MISTAKES {
        let text = GOOD.replacen(old, new, 1);
        assert_ne!(text, GOOD, "{old} is not in the scenario");
        let Err(error) = validate(&text, None) else { panic!("accepted: {new}") };
        assert!(error.line > 0 && !error.message.is_empty());
        writeln!(page, "{error}\n").unwrap();
    }
    insta::assert_snapshot!(page);
}

#[test]
fn a_mistake_in_a_set_value_points_at_what_was_set() {
    let mut page = String::new();
    for setting in SETTINGS {
        let Err(error) = validate(GOOD, Some(*setting)) else { panic!("accepted: {setting:?}") };
        writeln!(page, "{error}\n").unwrap();
    }
    let chain = include_str!("../../built_in/chain_wired.toml");
    for setting in CHAIN_SETTINGS {
        let Err(error) = validate(chain, Some(*setting)) else { panic!("accepted: {setting:?}") };
        writeln!(page, "{error}\n").unwrap();
    }
    insta::assert_snapshot!(page);
}

/// Replacements that put the good scenario on a channel with at most one node without a position.
#[test]
fn on_a_channel_at_most_one_node_may_be_without_a_position() {
    for (old, new) in [
        ("[record]", "[[channels]]\nnodes = [\"ground\"]\n[record]"),
        (
            "name = \"island\"",
            "name = \"island\"\nposition = [\"5 m\", \"0 m\"]\n[[channels]]\nnodes = [\"ground\", \"island\"]",
        ),
        ("[record]", "[topology]\nname = \"grid\"\n[[channels]]\nnodes = [\"0.0\", \"1.0\"]\n[record]"),
        ("[record]", "[radio]\n[mobility]\nname = \"random_waypoint\"\n[record]"),
        ("[record]", "[radio]\n[mobility]\nname = \"scripted\"\nmoves = { ns2 = \"good.tcl\" }\n[record]"),
        ("[record]", "[radio]\n[mobility]\nname = \"scripted\"\nmoves = { ns2 = \"jumps.tcl\" }\n[record]"),
        ("[record]", "[mobility]\nname = \"scripted\"\nmoves = { ns2 = \"one.tcl\" }\n[record]"),
        (
            "name = \"ground\"",
            "name = \"ground\"\nposition = [\"10 m\", \"0 m\", \"-50 m\"]\n\
             mobility = { name = \"scripted\", moves = { ns2 = \"one.tcl\" } }",
        ),
    ] {
        let text = GOOD.replacen(old, new, 1);
        assert_ne!(text, GOOD, "{old} is not in the scenario");
        validate(&text, None).unwrap_or_else(|error| panic!("{new}: {error}"));
    }
}

#[test]
fn the_resolved_text_reads_back_as_itself() {
    let moved = "[topology]\nname = \"chain\"\n\
                 [mobility]\nname = \"scripted\"\nmoves = { ns2 = \"good.tcl\" }\n[record]";
    for text in [GOOD.to_owned(), GOOD.replacen("[record]", moved, 1)] {
        let resolved = validate(&text, None).unwrap().resolved;
        assert_eq!(validate(&resolved, None).unwrap().resolved, resolved);
    }
}

/// Any single character left out, doubled or replaced gives a scenario or one error inside the text.
#[test]
fn no_slip_of_a_finger_panics() {
    for (at, character) in GOOD.char_indices() {
        let (before, after) = (&GOOD[..at], &GOOD[at + character.len_utf8()..]);
        for slip in ["", "\"", "9", "ä", "\n", "}", "-"] {
            let text = format!("{before}{slip}{after}");
            if let Err(error) = validate(&text, None) {
                assert!(error.line <= text.lines().count() + 1, "{error}");
            }
        }
    }
}
