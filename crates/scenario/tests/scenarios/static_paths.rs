//! Warnings of paths that routing keeps to although a link on them is down, or longer than another path.

use farlink_scenario::{Draft, Files, Warning};

struct NoFiles;

impl Files for NoFiles {
    fn read(&self, _path: &str) -> Result<Vec<u8>, String> {
        Err("no file".into())
    }
}

const DEFAULT: &str = "\"shortest_path\"";
const HOPS: &str = "{ name = \"shortest_path\", metric = \"hops\" }";
/// The remedy, and the routing without a warning.
const FOLLOW: &str = "{ name = \"shortest_path\", reconverge = \"1 s\" }";
const FLOWS: &str = "[[flows]]\nfrom = \"a\"\nto = \"b\"\n";
const WORKLOADS: &str = "[[workloads]]\nfrom = \"a\"\nto = [\"c\", \"b\"]\n";

/// Key, message and remedy of each warning in a run of 60 s: from `a` to `b` are two paths, over `c` and over `d`, and a
/// direct link if there is something written `of_direct`. Each of the four links takes 20 ms unless it says otherwise.
fn warnings(
    [of_ac, of_ad, of_direct]: [&str; 3],
    routing: &str,
    flows: &str,
) -> Vec<(String, String, String)> {
    let link = |ends: [&str; 2], more: &str| {
        let delay = if more.starts_with("delay") { "" } else { "delay = \"20 ms\"" };
        format!("[[links]]\nbetween = {ends:?}\nrate = \"1 Mbit/s\"\n{delay}\n{more}\n")
    };
    let direct = if of_direct.is_empty() { String::new() } else { link(["a", "b"], of_direct) };
    let nodes = ["a", "b", "c", "d"].map(|name| format!("[[nodes]]\nname = \"{name}\"\n")).concat();
    let links =
        [link(["a", "c"], of_ac), link(["c", "b"], ""), link(["a", "d"], of_ad), link(["d", "b"], "")];
    let text = format!(
        "name = \"two\"\nduration = \"60 s\"\nrouting = {routing}\n{nodes}{}{direct}{flows}",
        links.concat()
    );
    let scenario = Draft::parse(&text, "two.toml").unwrap().validate(&NoFiles).unwrap();
    let parts = scenario.warnings.iter().map(Warning::parts);
    parts.map(|parts| (parts.key.clone(), parts.message.clone(), parts.remedy.clone())).collect()
}

fn keys(links: [&str; 3], routing: &str, flows: &str) -> Vec<String> {
    warnings(links, routing, flows).into_iter().map(|(key, ..)| key).collect()
}

/// A delay of 20 ms, another one from 9 s on.
fn steps(delay: &str) -> String {
    format!("delay = {{ steps = [[\"0 s\", \"20 ms\"], [\"9 s\", \"{delay}\"]] }}")
}

#[test]
fn a_link_that_is_down_is_named_with_the_settings_that_find_another_path() {
    let down = "down = [\"10 s..30 s\"]";
    let [(key, message, remedy)] = &warnings(["", "", down], DEFAULT, FLOWS)[..] else {
        panic!("one warning")
    };
    assert!(
        key == "links.4.down"
            && message.contains("10 s")
            && remedy.contains(FOLLOW)
            && remedy.contains("aodv"),
        "{message}; {remedy}"
    );
    // Of two flows over it once.
    let two = format!("{FLOWS}[[flows]]\nfrom = \"b\"\nto = \"a\"\n");
    assert_eq!(keys(["", "", down], DEFAULT, &two), ["links.4.down"]);
    for metric in [DEFAULT, HOPS] {
        assert_eq!(keys([down, "", ""], metric, FLOWS), ["links.0.down"]);
    }
    // After the run; off the path; seen by routing.
    assert_eq!(keys(["", "", "down = [\"3 s..4 s every 61 s\"]"], "\"aodv\"", FLOWS), [""; 0]);
    assert_eq!(keys(["", down, ""], DEFAULT, FLOWS), [""; 0]);
    assert_eq!(keys(["", "", down], "\"aodv\"", FLOWS), [""; 0]);
    assert_eq!(keys(["", "", down], FOLLOW, FLOWS), [""; 0]);
}

#[test]
fn a_change_of_delay_counts_where_it_changes_the_shortest_path_and_aodv_is_no_remedy() {
    // The detour over c takes 40 ms.
    let direct = steps("90 ms");
    let [(key, message, remedy)] = &warnings(["", "", &direct], DEFAULT, FLOWS)[..] else {
        panic!("one warning")
    };
    assert!(key == "links.4.delay" && message.contains("90 ms"), "{message}");
    assert!(!remedy.contains("aodv") && remedy.contains(FOLLOW), "{remedy}");
    assert_eq!(keys(["", "", &steps("30 ms")], DEFAULT, FLOWS), [""; 0]);
    assert_eq!(keys(["", "", &direct], FOLLOW, FLOWS), [""; 0]);
    // A direct link has fewer hops, whatever its delay is; of equal numbers of hops the delay decides.
    assert_eq!(keys(["", "", &direct], HOPS, FLOWS), [""; 0]);
    assert_eq!(keys([&steps("21 ms"), "", ""], HOPS, FLOWS), ["links.0.delay"]);
    // The other path becomes shorter.
    assert_eq!(keys(["", &steps("5 ms"), ""], DEFAULT, FLOWS), ["links.2.delay"]);
    // Both grow alike.
    assert_eq!(keys([&steps("50 ms"), &steps("50 ms"), ""], DEFAULT, FLOWS), [""; 0]);
}

#[test]
fn the_path_of_acknowledgements_counts_in_its_direction() {
    let down = |reverse: bool| {
        let outage = "down = [\"10 s..30 s\"]";
        if reverse {
            format!("reverse = {{ {outage} }}")
        } else {
            format!("{outage}\nreverse = {{ down = [] }}")
        }
    };
    let datagrams = format!("{FLOWS}application = \"constant_bit_rate\"\n");
    let found = warnings(["", "", &down(true)], DEFAULT, FLOWS);
    assert!(
        found.len() == 1 && found[0].0 == "links.4.reverse.down" && found[0].1.contains("ACKs"),
        "{found:?}"
    );
    assert_eq!(keys(["", "", &down(true)], DEFAULT, &datagrams), [""; 0]);
    assert_eq!(keys(["", "", &down(false)], DEFAULT, &datagrams), ["links.4.down"]);
    // Acknowledgements take another path than data: back over c, forth over d.
    let asymmetric = "delay = \"30 ms\"\nreverse = { delay = \"10 ms\", down = [\"10 s..30 s\"] }";
    assert_eq!(keys([asymmetric, "", ""], DEFAULT, FLOWS), ["links.0.reverse.down"]);
    assert_eq!(keys([asymmetric, "", ""], DEFAULT, &datagrams), [""; 0]);
}

#[test]
fn only_while_a_flow_is_active_and_the_other_path_is_up() {
    let down = "down = [\"10 s..30 s\"]";
    let flow = |more: &str| format!("{FLOWS}{more}\n");
    for (more, expected) in [
        ("stop = \"10 s\"", false),
        ("stop = \"11 s\"", true),
        ("start = \"30 s\"", false),
        ("start = \"29 s\"", true),
        ("start = \"20 s..40 s\"", true),
        ("start = \"30 s..40 s\"", false),
        ("application = { name = \"file\", size = \"10 kB\" }", false),
        ("application = { name = \"file\", size = \"1 MB\" }", true),
    ] {
        assert_eq!(!keys([down, "", ""], DEFAULT, &flow(more)).is_empty(), expected, "{more}");
    }
    for (other, expected) in [
        ("down = [\"10 s..30 s\"]", false),
        ("down = [\"5 s..31 s\"]", false),
        ("down = [\"10 s..29 s\"]", true),
        ("down = [\"10 s..20 s every 20 s\"]", true),
        ("down = [\"0 s..5 s\"]", true),
    ] {
        assert_eq!(!keys([down, other, ""], DEFAULT, FLOWS).is_empty(), expected, "{other}");
    }
    // A recurring outage of the only path: the other one is named, which is down for the whole run.
    assert_eq!(
        keys(["down = [\"3 s..4 s every 5 s\"]", "down = [\"0 s..60 s\"]", ""], DEFAULT, FLOWS),
        ["links.2.down"]
    );
}

#[test]
fn flows_that_arrive_keep_to_a_path_as_others_do() {
    let down = "down = [\"10 s..30 s\"]";
    let [(key, message, _)] = &warnings(["", "", down], DEFAULT, WORKLOADS)[..] else {
        panic!("one warning")
    };
    assert!(key == "links.4.down" && message.starts_with("`workload0` keeps to this link"), "{message}");
    assert_eq!(keys(["", "", &steps("90 ms")], DEFAULT, WORKLOADS), ["links.4.delay"]);
    assert_eq!(keys(["", down, ""], DEFAULT, WORKLOADS), [""; 0]);
    assert_eq!(keys(["", "", down], FOLLOW, WORKLOADS), [""; 0]);
    for (more, expected) in [
        ("stop = \"11 s\"", true),
        ("start = \"29 s\"", true),
        ("start = \"30 s\"", false),
        // Flows of 100 kB take 1.2 s alone; ten times that is after 10 s, of 10 kB before.
        ("stop = \"1 s\"", true),
        ("stop = \"1 s\"\nsize = { name = \"fixed\", size = \"10 kB\" }", false),
        ("arrivals = { name = \"schedule\", flows = [[\"1 s\", \"9 kB\"]] }", false),
        ("arrivals = { name = \"schedule\", flows = [[\"11 s\", \"9 kB\"]] }", true),
        ("arrivals = { name = \"schedule\", flows = [[\"31 s\", \"9 kB\"]] }", false),
        ("stop = \"9 s\"\narrivals = { name = \"schedule\", flows = [[\"9 s\", \"9 kB\"]] }", false),
    ] {
        let found = keys(["", "", down], DEFAULT, &format!("{WORKLOADS}{more}\n"));
        assert_eq!(found.contains(&"links.4.down".into()), expected, "{more}: {found:?}");
    }
    // Flows that arrive together share the path, in a scenario without `[[flows]]`, too: 9 kB take 0.2 s alone at least.
    for (number, expected) in [(1, false), (50, true)] {
        let rows = vec!["[\"1 s\", \"9 kB\"]"; number].join(", ");
        let more = format!("arrivals = {{ name = \"schedule\", flows = [{rows}] }}\n");
        let found = keys(["", "", down], DEFAULT, &format!("{WORKLOADS}{more}"));
        assert_eq!(found.contains(&"links.4.down".into()), expected, "{number}: {found:?}");
    }
}
