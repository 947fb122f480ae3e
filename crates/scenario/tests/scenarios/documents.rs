//! The meaning of a document: topologies, shared channels, files, and the defaults of a link's reverse direction.

use farlink_kernel::{BitRate, Duration, Instant};
use farlink_network::Blueprint;
use farlink_network::blueprint::Arp;
use farlink_network::ids::NodeId;
use farlink_network::schedule::Schedule;
use farlink_scenario::{Draft, Files, Scenario, built_in};

struct TestFiles;

impl Files for TestFiles {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        match path {
            "rate.csv" => Ok(b"0,1000000\n2.5,2000000\n".to_vec()),
            _ => Err("no such file".into()),
        }
    }
}

fn scenario(body: &str) -> Scenario {
    let text = format!("name = \"test\"\nduration = \"10 s\"\n{body}");
    let draft = Draft::parse(&text, "test.toml").unwrap_or_else(|error| panic!("{error}"));
    draft.validate(&TestFiles).unwrap_or_else(|error| panic!("{error}"))
}

/// The ends of every link, by name.
fn links(blueprint: &Blueprint) -> Vec<String> {
    let name = |node: u32| blueprint.nodes[node as usize].name.as_str();
    blueprint
        .links
        .iter()
        .map(|link| format!("{}-{}", name(link.between[0].0), name(link.between[1].0)))
        .collect()
}

fn shape(topology: &str, from: &str, to: &str) -> Scenario {
    let link = "link = { rate = \"1 Mbit/s\", delay = \"1 ms\" }";
    scenario(&format!("[topology]\n{topology}\n{link}\n[[flows]]\nfrom = \"{from}\"\nto = \"{to}\""))
}

#[test]
fn a_chain_links_each_node_to_the_next() {
    let scenario = shape("name = \"chain\"\nnodes = 4", "n0", "n3");
    assert_eq!(links(&scenario.blueprint), ["n0-n1", "n1-n2", "n2-n3"]);
}

#[test]
fn a_grid_links_rows_and_columns() {
    let scenario = shape("name = \"grid\"\nrows = 2\ncolumns = 3", "0.0", "1.2");
    let expected = ["0.0-0.1", "0.0-1.0", "0.1-0.2", "0.1-1.1", "0.2-1.2", "1.0-1.1", "1.1-1.2"];
    assert_eq!(links(&scenario.blueprint), expected);
}

#[test]
fn a_cross_has_four_arms_around_its_centre() {
    let scenario = shape("name = \"cross\"\narm_length = 2", "east2", "west2");
    let expected = [
        "centre-east1",
        "east1-east2",
        "centre-north1",
        "north1-north2",
        "centre-west1",
        "west1-west2",
        "centre-south1",
        "south1-south2",
    ];
    assert_eq!(links(&scenario.blueprint), expected);
}

#[test]
fn nodes_of_ones_own_may_stand_beside_a_topology() {
    let scenario = scenario(
        "[topology]\nname = \"chain\"\nnodes = 2\nlink = { rate = \"1 Mbit/s\", delay = \"1 ms\" }\n\
         [[nodes]]\nname = \"server\"\n\
         [[links]]\nbetween = [\"server\", \"n0\"]\nrate = \"1 Mbit/s\"\ndelay = \"1 ms\"\n\
         [[flows]]\nfrom = \"server\"\nto = \"n1\"",
    );
    assert_eq!(links(&scenario.blueprint), ["server-n0", "n0-n1"]);
    assert_eq!(scenario.flow_labels, ["flow0"]);
}

#[test]
fn a_radio_is_a_channel_with_every_node_on_it() {
    let scenario = scenario(
        "[topology]\nname = \"chain\"\nnodes = 3\nspacing = \"200 m\"\n\
         [radio]\npropagation = { name = \"disc\", range = \"250 m\" }\n\
         [[flows]]\nfrom = \"n0\"\nto = \"n2\"",
    );
    let [channel] = &scenario.blueprint.channels[..] else { panic!("one channel") };
    assert_eq!((channel.name.as_str(), &channel.members[..]), ("radio", &[0, 1, 2].map(NodeId)[..]));
    assert!(scenario.resolved.contains("[[channels]]\nname = \"radio\"\nnodes = [\"n0\", \"n1\", \"n2\"]"));
}

#[test]
fn nodes_out_of_each_others_range_do_not_reach_each_other() {
    let text = "name = \"test\"\nduration = \"10 s\"\n[topology]\nname = \"chain\"\nnodes = 2\nspacing = \"300 m\"\n\
                [radio]\npropagation = { name = \"disc\", range = \"250 m\" }\n[[flows]]\nfrom = \"n0\"\nto = \"n1\"";
    let error = Draft::parse(text, "test.toml").unwrap().validate(&TestFiles).unwrap_err();
    assert_eq!((error.key.as_str(), error.line), ("flows.0.to", 11));
}

#[test]
fn reverse_takes_what_it_does_not_override_from_the_link() {
    let scenario = scenario(
        "nodes = [{ name = \"a\" }, { name = \"b\" }]\nflows = [{ from = \"a\", to = \"b\" }]\n\
         [[links]]\nbetween = [\"a\", \"b\"]\nrate = \"8 Mbit/s\"\ndelay = \"7 ms\"\n\
         error = { name = \"packet_error_rate\", rate = 0.1 }\nreverse = { rate = \"1 Mbit/s\", error = \"none\" }",
    );
    let link = &scenario.blueprint.links[0];
    assert_eq!(link.reverse.rate, Schedule::Constant(BitRate::from_bps(1_000_000)));
    assert_eq!(link.reverse.delay, Schedule::Constant(Duration::from_millis(7)));
    assert_eq!((link.forward.error.name(), link.reverse.error.name()), ("packet_error_rate", "none"));
}

#[test]
fn files_become_time_series_and_leave_their_hashes() {
    let scenario = scenario(
        "nodes = [{ name = \"a\" }, { name = \"b\" }]\nflows = [{ from = \"a\", to = \"b\" }]\n\
         [[links]]\nbetween = [\"a\", \"b\"]\nrate = { csv = \"rate.csv\" }\ndelay = \"7 ms\"\n",
    );
    let Schedule::Steps(steps) = &scenario.blueprint.links[0].forward.rate else { panic!("not read") };
    let at = Instant::ZERO + Duration::from_millis(2500);
    assert_eq!(steps.at(at).0, BitRate::from_bps(2_000_000));
    // printf '0,1000000\n2.5,2000000\n' | sha256sum
    let hash = "4bdcff8de55213e631dfe179e93a66ea724dedaeab2466ea35288d819ce5eee7";
    assert_eq!(scenario.file_hashes.get("rate.csv").map(String::as_str), Some(hash));
    assert!(scenario.resolved.contains("rate = { csv = \"rate.csv\" }"));
}

#[test]
fn a_draft_reads_back_from_its_toml_as_the_same_scenario() {
    for one in built_in() {
        let mut draft = Draft::parse(one.text, one.name).unwrap();
        draft.set("name", "\"a \\\"quoted\\\" name\"").unwrap();
        draft.set("flows.0.tcp.congestion_control", "{ name = \"cubic\" }").unwrap();
        let text = draft.to_toml();
        let again = Draft::parse(&text, "again.toml").unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(again.to_toml(), text);
        let [written, read] = [draft, again].map(|draft| draft.validate(&TestFiles).unwrap());
        assert_eq!(read.resolved, written.resolved, "{}", one.name);
    }
}

#[test]
fn names_of_any_characters_read_back_from_the_resolved_text() {
    for name in ["\u{1}\u{1b}[31m\r\n\t\u{7f}\u{9b}", "\u{202e}e\u{301}\u{200d}", "\"'\\u", "\u{1f6f0}"] {
        let escaped: Vec<String> = name.chars().map(|c| format!("\\U{:08x}", c as u32)).collect();
        let flow = format!("[[flows]]\nlabel = \"{}\"\nfrom = \"n0\"\nto = \"n1\"", escaped.concat());
        let link = "link = { rate = \"1 Mbit/s\", delay = \"1 ms\" }";
        let first = scenario(&format!("[topology]\nname = \"chain\"\nnodes = 2\n{link}\n{flow}"));
        let again = Draft::parse(&first.resolved, "resolved.toml").unwrap().validate(&TestFiles).unwrap();
        assert_eq!(again.flow_labels, [name]);
        assert_eq!(again.resolved, first.resolved);
    }
}

/// The `arp` of a radio with these keys, and a flow with these TCP options over it.
fn arp(radio: &str, tcp: &str) -> Arp {
    let nodes = "[topology]\nname = \"chain\"\nnodes = 2\nspacing = \"100 m\"";
    let flow = format!("[[flows]]\nfrom = \"n0\"\nto = \"n1\"\ntcp = {{ {tcp} }}");
    scenario(&format!("{nodes}\n[radio]\n{radio}\n{flow}")).blueprint.channels[0].radio.arp
}

#[test]
fn flows_of_ns2_resolve_addresses_over_radio_unless_the_file_says_otherwise() {
    for (preset, expected) in
        [("ns2", Arp::OneSlot), ("ns2_linux", Arp::OneSlot), ("rfc", Arp::Ideal), ("linux", Arp::Ideal)]
    {
        let tcp = format!("preset = \"{preset}\"");
        assert_eq!(arp("", &tcp), expected, "{preset}");
        assert_eq!(arp("mac = \"dcf\"", &tcp), expected, "{preset}");
        assert_eq!(arp("arp = \"ideal\"", &tcp), Arp::Ideal, "{preset}");
        assert_eq!(arp("arp = \"one_slot\"", &tcp), Arp::OneSlot, "{preset}");
        assert_eq!(arp("mac = \"frn\"", &format!("{tcp}, segment_size = \"512 B\"")), Arp::Ideal, "{preset}");
    }
}

#[test]
fn address_resolution_is_written_in_the_resolved_text() {
    let text = "name = \"test\"\nduration = \"10 s\"\nnodes = [{ name = \"a\" }, { name = \"b\", position = [\"9 m\", \"0 m\"] }]\n\
        [[channels]]\nname = \"air\"\n[[flows]]\nfrom = \"a\"\nto = \"b\"\ntcp = { preset = \"ns2\" }";
    let scenario = Draft::parse(text, "test.toml").unwrap().validate(&TestFiles).unwrap();
    assert!(scenario.resolved.contains("arp = \"one_slot\""), "{}", scenario.resolved);
    let again = Draft::parse(&scenario.resolved, "again.toml").unwrap().validate(&TestFiles).unwrap();
    assert_eq!(again.resolved, scenario.resolved);
}
