//! What limits a flow: small networks whose saturated link is known by hand, and flows of datagrams.

use farlink_kernel::Instant;
use farlink_scenario::{Column, Draft, Files, FlowExplanation, Record, RunResults, Simulation, explain};
use serde_json::Value;

struct TestFiles;

impl Files for TestFiles {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        assert_eq!(path, "delay.csv");
        Ok("time_s,delay_s\n0,0.010\n2,0.030\n4,0.005\n".into())
    }
}

/// A chain a, b, c, .. of links with these keys, and flows; 10 s.
fn run(links: &[&str], flows: &[&str]) -> RunResults {
    let node = |number: usize| char::from(b'a' + number as u8);
    let nodes = (0..=links.len()).map(|number| format!("[[nodes]]\nname = \"{}\"\n", node(number)));
    let links = links.iter().enumerate().map(|(i, keys)| {
        format!("[[links]]\nbetween = [\"{}\", \"{}\"]\n{}\n", node(i), node(i + 1), keys.replace("; ", "\n"))
    });
    let flows = flows.iter().map(|keys| format!("[[flows]]\n{}\n", keys.replace("; ", "\n")));
    let text: String = nodes.chain(links).chain(flows).collect();
    simulated(&format!("name = \"test\"\nduration = \"10 s\"\n{text}"))
}

fn simulated(text: &str) -> RunResults {
    let draft = Draft::parse(text, "test.toml").unwrap_or_else(|error| panic!("{error}"));
    let scenario = draft.validate(&TestFiles).unwrap_or_else(|error| panic!("{error}"));
    let mut simulation = Simulation::new(&scenario, 1, Record { series: true });
    simulation.advance(Instant::NEVER);
    simulation.finish()
}

fn explained(results: &RunResults, flow: usize) -> FlowExplanation {
    explain(results).flows[flow].clone()
}

fn flow(results: &RunResults, flow: usize) -> Value {
    results.to_json()["flows"][flow].clone()
}

const SLOW: &str = "rate = \"1 Mbit/s\"; delay = \"10 ms\"";
const FAST: &str = "rate = \"100 Mbit/s\"; delay = \"1 ms\"";
const BULK: &str = "from = \"a\"; to = \"b\"";

/// Datagrams of 1250 B with their headers, `rate` of payload.
fn steady(from: &str, to: &str, rate: &str) -> String {
    format!(
        "from = \"{from}\"; to = \"{to}\"; \
         application = {{ name = \"constant_bit_rate\", rate = \"{rate}\", packet_size = \"1222 B\" }}"
    )
}

#[test]
fn a_saturated_link_is_the_bottleneck_and_not_the_window_that_follows_it() {
    let results = run(&[SLOW], &[BULK]);
    let explained = explained(&results, 0);
    assert!(explained.text.starts_with("Bottleneck: link a->b, "), "{}", explained.text);
    assert!(explained.text.contains("; this link limits the congestion window."), "{}", explained.text);
    assert_eq!(flow(&results, 0)["bottleneck"], "a->b");
    assert!(flow(&results, 0)["bottleneck_utilisation"].as_f64().unwrap() > 0.95);
    assert_eq!(explained.change, None);
}

#[test]
fn flows_that_share_the_link_are_counted() {
    let results = run(&[SLOW, FAST], &[BULK, "from = \"a\"; to = \"c\"", "from = \"c\"; to = \"b\""]);
    // Two flows send over a->b; the third stays on b-c.
    assert!(explained(&results, 1).text.contains("link a->b, "), "{}", explained(&results, 1).text);
    assert!(explained(&results, 1).text.contains(" busy, shared by 2 flows"));
}

#[test]
fn the_slow_link_of_several_hops_is_named() {
    let results = run(&[FAST, SLOW, FAST], &["from = \"a\"; to = \"d\""]);
    assert_eq!(flow(&results, 0)["bottleneck"], "b->c");
}

#[test]
fn links_that_are_half_busy_in_both_directions_are_no_bottleneck() {
    // 50 datagrams per second, 10 ms each.
    let [there, back] = [steady("a", "b", "488800 bit/s"), steady("b", "a", "488800 bit/s")];
    let results = run(&[SLOW], &[&there, &back]);
    for direction in 0..2 {
        assert_eq!(flow(&results, direction)["bottleneck"], Value::Null);
        let path = &results.measured.flows[direction].path;
        let loads: Vec<f64> = path.iter().map(|load| load.utilisation).collect();
        assert_eq!(loads, [0.5, 0.5]);
    }
}

#[test]
fn a_saturated_path_of_acknowledgements_is_named_as_such() {
    let link = format!("{}; reverse = {{ rate = \"10 kbit/s\" }}", SLOW.replace("1 Mbit/s", "10 Mbit/s"));
    let results = run(&[&link], &[BULK]);
    let text = explained(&results, 0).text;
    assert!(text.starts_with("Bottleneck: link b->a, "), "{text}");
    assert!(text.contains(" busy, on the path of the acknowledgements; "), "{text}");
}

#[test]
fn a_link_that_loses_is_not_saturated() {
    let link = "rate = \"10 Mbit/s\"; delay = \"300 ms\"; error = { name = \"packet_error_rate\", rate = 0.02 }; \
                reverse = { error = \"none\" }";
    let results = run(&[link], &[BULK]);
    let explained = explained(&results, 0);
    assert_eq!(flow(&results, 0)["bottleneck"], Value::Null);
    assert!(explained.text.contains("packets were lost by link errors at a->b"), "{}", explained.text);
    assert_eq!(explained.change, None);
}

#[test]
fn a_small_receive_buffer_is_a_candidate_and_no_advice() {
    // 20 kB in an RTT of 200 ms are 800 kbit/s of 100 Mbit/s.
    let link = "rate = \"100 Mbit/s\"; delay = \"100 ms\"";
    let results = run(&[link], &[&format!("{BULK}; tcp = {{ receive_buffer = \"20 kB\" }}")]);
    let explained = explained(&results, 0);
    assert_eq!(explained.limited_by[0].0, "receive_window");
    assert!(!explained.text.contains("raise"), "{}", explained.text);
    let change = explained.change.unwrap();
    let [path, from, to] = [&change.path, &change.from, &change.to].map(String::as_str);
    assert_eq!([path, from, to], ["flows.0.tcp.receive_buffer", "20000 B", "40000 B"]);
}

#[test]
fn a_window_that_just_fills_the_link_is_no_candidate() {
    let results = run(&[SLOW], &[&format!("{BULK}; tcp = {{ max_window = \"8 packets\" }}")]);
    let explained = explained(&results, 0);
    assert_eq!(explained.limited_by[0].0, "max_window");
    assert!(explained.text.contains("; `max_window` suffices to fill it."), "{}", explained.text);
    assert_eq!(explained.change, None);
}

#[test]
fn a_flow_without_data_is_not_limited_by_a_link_that_others_fill() {
    let link = format!("{SLOW}; queue = \"fq_codel\"");
    let seldom = "from = \"a\"; to = \"b\"; application = { name = \"on_off\", transport = \"tcp\", rate = \"8 kbit/s\" }";
    let results = run(&[&link], &[seldom, &steady("a", "b", "2 Mbit/s")]);
    assert_eq!(flow(&results, 0)["bottleneck"], Value::Null);
    assert!(explained(&results, 0).text.ends_with(
        "nothing was left to send: its last data were in flight, or its application wrote nothing."
    ));
    assert_eq!(flow(&results, 1)["bottleneck"], "a->b");
}

#[test]
fn a_link_is_measured_over_the_time_of_the_flow() {
    // The link is busy from 8 s on: a fifth of the run, and all of the flow's time.
    let results = run(&[SLOW], &[&format!("{}; start = \"8 s\"", steady("a", "b", "2 Mbit/s"))]);
    assert!(results.measured.links[0].utilisation < 0.21);
    assert_eq!(flow(&results, 0)["bottleneck"], "a->b");
    // A transfer of a tenth of the run, after which the link is idle.
    let file = "application = { name = \"file\", size = \"200 kB\" }";
    let results = run(&[SLOW], &[&format!("{BULK}; {file}; tcp = {{ initial_window = \"20 packets\" }}")]);
    assert!(results.measured.links[0].utilisation < 0.2);
    assert_eq!(flow(&results, 0)["bottleneck"], "a->b");
}

/// Two nodes on one channel of 100 kbit/s without carrier sense.
fn radio(rate: &str) -> RunResults {
    simulated(&format!(
        "name = \"radio\"\nduration = \"10 s\"\n[[nodes]]\nname = \"a\"\nposition = [\"0 m\", \"0 m\"]\n\
         [[nodes]]\nname = \"b\"\nposition = [\"100 m\", \"0 m\"]\n\
         [radio]\npropagation = \"disc\"\nphy = {{ name = \"modem\", rate = \"100 kbit/s\" }}\nmac = \"aloha\"\n\
         [[flows]]\n{}\n",
        steady("a", "b", rate).replace("; ", "\n")
    ))
}

#[test]
fn a_shared_medium_is_a_bottleneck_when_it_is_busy_or_packets_always_wait() {
    let full = radio("200 kbit/s");
    let text = explained(&full, 0).text;
    assert!(text.starts_with("Bottleneck: channel radio at a, medium busy "), "{text}");
    assert_eq!(flow(&full, 0)["bottleneck"], "radio:a");
    // 2 datagrams per second, each 100 ms and its ACK.
    let light = radio("19552 bit/s");
    assert_eq!(flow(&light, 0)["bottleneck"], Value::Null);
    let medium = light.measured.flows[0].path[0].medium.unwrap();
    assert!((0.2..0.25).contains(&medium), "{medium}");
}

#[test]
fn datagrams_beyond_the_rate_of_the_link_are_lost_at_its_queue() {
    // 200 datagrams per second where 100 fit: 1000 are sent, 50 wait at the end.
    let results = run(&[SLOW], &[&steady("a", "b", "1955200 bit/s")]);
    let flow = flow(&results, 0);
    let [sent, delivered, lost] =
        ["packets_sent", "packets_delivered", "packets_lost"].map(|key| flow[key].as_u64().unwrap());
    assert_eq!((sent, lost), (2001, flow["drops"]["queue_full"].as_u64().unwrap()));
    assert!((998..=1000).contains(&delivered) && sent - delivered - lost >= 50, "{flow}");
    assert_eq!(flow["loss_rate"].as_f64().unwrap(), lost as f64 / 2001.0);
    assert_eq!(flow["sent_bps"], 2001.0 * 1222.0 * 8.0 / 10.0);
    let text = explained(&results, 0).text;
    assert!(
        text.starts_with("Bottleneck: link a->b, ") && text.contains("lost by queue overflow at a->b"),
        "{text}"
    );
}

#[test]
fn what_only_tcp_has_is_null_for_datagrams_and_the_other_way_round() {
    let results = run(&[SLOW], &[&steady("a", "b", "100 kbit/s"), BULK]);
    let [datagrams, tcp] = [0, 1].map(|number| flow(&results, number));
    for key in ["packets_retransmitted", "timeouts", "fast_retransmits", "rtt_mean_s", "limited_by"] {
        assert!(datagrams[key].is_null() && !tcp[key].is_null(), "{key}");
    }
    for key in
        ["sent_bps", "packets_lost", "loss_rate", "delay_variation_mean_s", "jitter_mean_s", "jitter_max_s"]
    {
        assert!(!datagrams[key].is_null() && tcp[key].is_null(), "{key}");
    }
    assert!(!explained(&results, 0).text.contains("nothing was left to send"));
}

#[test]
fn delay_variation_is_the_mean_difference_of_consecutive_delays() {
    // One datagram a second: delays of 10, 10, 30, 30 and six times 5 ms differ by 20 and 25 ms once, in nine pairs.
    let link = "rate = \"1 Gbit/s\"; delay = { csv = \"delay.csv\" }";
    let results = run(&[link], &[&steady("a", "b", "9776 bit/s")]);
    let variation = flow(&results, 0)["delay_variation_mean_s"].as_f64().unwrap();
    assert!((variation - 0.005).abs() < 1e-9, "{variation}");
}

#[test]
fn datagrams_in_flight_at_the_end_are_not_lost() {
    let link = "rate = \"1 Gbit/s\"; delay = \"4500 ms\"";
    let results = run(&[link], &[&steady("a", "b", "9776 bit/s")]);
    // Sent at 0, 1, .. 10 s; those of 6 s and later do not arrive before the end.
    let flow = flow(&results, 0);
    assert_eq!([&flow["packets_sent"], &flow["packets_delivered"], &flow["packets_lost"]], [11, 6, 0]);
    assert!(explained(&results, 0).text.contains("None was lost; 5 datagrams were in flight at the end."));
}

fn integers(results: &RunResults, name: &str) -> Vec<u64> {
    match series_column(results, name) {
        Column::Integer(values) => values,
        other => panic!("{other:?}"),
    }
}

fn series_column(results: &RunResults, name: &str) -> Column {
    let columns = results.series().flows.columns;
    columns.into_iter().find(|(column, _)| *column == name).unwrap().1
}

#[test]
fn datagrams_have_a_series_of_what_was_sent_and_received() {
    let results = run(&[SLOW], &[&format!("{}; start = \"1 s\"", steady("a", "b", "97760 bit/s"))]);
    // A sample every 100 ms, a datagram as often from 1 s on, 20 ms long with its delay.
    let [sent, delivered, received] =
        ["packets_sent", "packets_delivered", "received_bytes"].map(|name| integers(&results, name));
    assert_eq!((sent.len(), sent[9], sent[10], sent[100]), (101, 0, 1, 91));
    assert_eq!((delivered[10], delivered[11], delivered[100]), (0, 1, 90));
    assert_eq!(received[100], 90 * 1222);
    assert!(integers(&results, "packets_lost").iter().all(|&lost| lost == 0));
    assert!(integers(&results, "snd_una_bytes").iter().all(|&value| value == u64::MAX));
}

#[test]
fn losses_stand_in_the_series_when_their_datagrams_were_sent() {
    // One datagram a second; the link is down when those of 4 and 5 s are sent. That of 10 s is in flight at the end.
    let link = "rate = \"1 Gbit/s\"; delay = \"10 ms\"; down = [\"3500 ms..5500 ms\"]";
    let results = run(&[link], &[&steady("a", "b", "9776 bit/s"), BULK]);
    let lost = integers(&results, "packets_lost");
    let [datagrams, tcp] = [0, 1].map(|flow| lost[flow..].iter().step_by(2).copied().collect::<Vec<_>>());
    let expected = |sample: usize| u64::from(sample >= 40) + u64::from(sample >= 50);
    assert_eq!(datagrams, (0..=100).map(expected).collect::<Vec<_>>());
    assert!(tcp.iter().all(|&value| value == u64::MAX));
    assert_eq!(flow(&results, 0)["packets_lost"], 2);
}

#[test]
fn the_series_of_jitter_is_that_of_rfc_3550() {
    // Delays of 10, 10, 30, 30 and six times 5 ms: |D| is 0, 20, 0, 25, then 0 ms.
    let link = "rate = \"1 Gbit/s\"; delay = { csv = \"delay.csv\" }";
    let results = run(&[link], &[&steady("a", "b", "9776 bit/s")]);
    let Column::Number(jitter_s) = series_column(&results, "jitter_s") else { panic!() };
    let halfway: Vec<f64> = jitter_s[5..].iter().step_by(10).map(|jitter_s| jitter_s * 1e3).collect();
    // J = 20/16 = 1.25; 1.25 * 15/16; 1.171875 + (25 - 1.171875)/16; then 15/16 of it each.
    let expected = [0.0, 1.25, 1.171_875, 2.661_132_812_5, 2.494_812_011_718_75];
    assert!(halfway[0].is_nan() && jitter_s.len() == 101);
    assert!(
        halfway[1..].iter().zip(expected).all(|(ms, expected)| (ms - expected).abs() < 1e-9),
        "{halfway:?}"
    );
    let [mean_s, max_s] =
        ["jitter_mean_s", "jitter_max_s"].map(|key| flow(&results, 0)[key].as_f64().unwrap());
    let decaying: f64 =
        std::iter::successors(Some(2.661_132_812_5), |ms| Some(ms * 15.0 / 16.0)).take(6).sum();
    assert!((max_s - 2.661_132_812_5e-3).abs() < 1e-12, "{max_s}");
    assert!((mean_s * 1e3 - (1.25 + 1.171_875 + decaying) / 9.0).abs() < 1e-9, "{mean_s}");
}
