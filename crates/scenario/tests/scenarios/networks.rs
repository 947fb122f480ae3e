//! Small networks as users write them, with times computed by hand.

use farlink_kernel::Instant;
use farlink_scenario::{Draft, Files, Record, RunResults, Simulation};
use serde_json::Value;

struct TestFiles;

impl Files for TestFiles {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        let text = match path {
            // 8 Mbit/s, from 1 s on a tenth of it.
            "rate.csv" => "time_s,rate_bps\n0,8000000\n1,800000\n",
            "delay.csv" => "time_s,delay_s\n0,0.010\n2,0.030\n4,0.005\n",
            "net.graphml" => {
                "<graphml><graph><node id=\"a\"/><node id=\"b\"/><node id=\"c\"/>\
                 <edge source=\"a\" target=\"b\"/><edge source=\"b\" target=\"c\"/></graph></graphml>"
            }
            // A tenth of a degree of the equator.
            "zoo.graphml" => {
                "<graphml><key attr.name=\"LinkSpeedRaw\" for=\"edge\" id=\"r\"/>\
                 <key attr.name=\"Latitude\" for=\"node\" id=\"a\"/><key attr.name=\"Longitude\" for=\"node\" id=\"o\"/>\
                 <graph edgedefault=\"undirected\">\
                 <node id=\"a\"><data key=\"a\">0.0</data><data key=\"o\">9.9</data></node>\
                 <node id=\"b\"><data key=\"a\">0.0</data><data key=\"o\">10.0</data></node><node id=\"c\"/>\
                 <edge source=\"a\" target=\"b\"><data key=\"r\">4000000.0</data></edge>\
                 <edge source=\"b\" target=\"c\"/></graph></graphml>"
            }
            "net.csv" => "a,0,0\nb,200,0\nc,400,0\n",
            "edges.csv" => "from,to\na,b\nb,c\n",
            "sound.csv" => "depth_m,speed_mps\n0,1500\n1000,1600\n",
            "upwards.csv" => "0,1500\n1000,1600\n900,1590\n",
            "cell.trace" => "1\n1\n2\n5\n",
            _ => return Err("no such file".into()),
        };
        Ok(text.into())
    }
}

fn run(text: &str, settings: &[(&str, &str)]) -> RunResults {
    let mut draft = Draft::parse(text, "test.toml").unwrap_or_else(|error| panic!("{error}"));
    for (path, value) in settings {
        draft.set(path, value).unwrap_or_else(|error| panic!("{error}"));
    }
    let scenario = draft.validate(&TestFiles).unwrap_or_else(|error| panic!("{error}"));
    let mut simulation = Simulation::new(&scenario, 1, Record { series: true });
    simulation.advance(Instant::NEVER);
    simulation.finish()
}

/// Two nodes, a link between them with these keys, and flows.
fn pair(link: &str, flows: &[String]) -> RunResults {
    let text = format!(
        "name = \"pair\"\nduration = \"10 s\"\nnodes = [{{ name = \"a\" }}, {{ name = \"b\" }}]\n\
         [[links]]\nbetween = [\"a\", \"b\"]\n{link}\n{}",
        flows.concat()
    );
    run(&text, &[])
}

/// A flow of one datagram, `size` bytes with its 28 bytes of headers.
fn datagram(from: &str, to: &str, size: u32, start: &str) -> String {
    let payload = size - 28;
    format!(
        "[[flows]]\nfrom = \"{from}\"\nto = \"{to}\"\nstart = \"{start}\"\n\
         application = {{ name = \"constant_bit_rate\", rate = \"1 bit/s\", packet_size = \"{payload} B\" }}\n"
    )
}

/// The delay of each flow's datagram, in milliseconds.
fn delays_ms(results: &RunResults) -> Vec<Option<f64>> {
    let flows = results.to_json();
    let delay = |flow: &Value| flow["delay_mean_s"].as_f64().map(|seconds| seconds * 1e3);
    flows["flows"].as_array().unwrap().iter().map(delay).collect()
}

#[test]
fn a_link_has_a_reverse_direction_of_its_own() {
    let link =
        "rate = \"8 Mbit/s\"\ndelay = \"10 ms\"\nreverse = { rate = \"800 kbit/s\", delay = \"7 ms\" }";
    let results = pair(link, &[datagram("a", "b", 1000, "1 s"), datagram("b", "a", 1000, "1 s")]);
    assert_eq!(delays_ms(&results), [Some(11.0), Some(17.0)]);
}

#[test]
fn a_rate_from_a_csv_file_changes_while_a_packet_is_sent() {
    let link = "rate = { csv = \"rate.csv\" }\ndelay = \"10 ms\"";
    let flows = ["500 ms", "999.5 ms", "3 s"].map(|start| datagram("a", "b", 1000, start));
    // 8000 bits: 1 ms; 0.5 ms for the first half and 5 ms for the second; 10 ms.
    assert_eq!(delays_ms(&pair(link, &flows)), [Some(11.0), Some(15.5), Some(20.0)]);
}

#[test]
fn a_delay_from_a_csv_file_holds_for_what_is_sent_then_and_nothing_overtakes() {
    let link = "rate = \"8 Mbit/s\"\ndelay = { csv = \"delay.csv\" }";
    let flows = ["1 s", "3 s", "3990 ms", "4000 ms", "5 s"].map(|start| datagram("a", "b", 1000, start));
    // Sent at 3.991 s and 4.001 s: the first arrives at 4.021 s, the other would at 4.006 s but waits for it.
    let expected = [Some(11.0), Some(31.0), Some(31.0), Some(21.0), Some(6.0)];
    assert_eq!(delays_ms(&pair(link, &flows)), expected);
}

#[test]
fn sound_goes_through_a_profile_from_a_file() {
    let wet = |speed: &str| {
        format!(
            "name = \"wet\"\nduration = \"5 s\"\n\
             nodes = [{{ name = \"a\" }}, {{ name = \"b\", position = [\"0 m\", \"0 m\", \"-1000 m\"] }}]\n\
             [radio]\npropagation = {{ name = \"disc\", range = \"2 km\" }}\npropagation_speed = {speed}\n\
             mac = {{ name = \"aloha\", timeout = \"3 s\" }}\n{}",
            datagram("a", "b", 986, "1 s")
        )
    };
    // 986 and 14 bytes at 1 Mbit/s, and a kilometre in which c rises linearly from 1500 to 1600 m/s: 10 ln(16/15) s.
    let expected = 8.0 + 645.385_211;
    let found = delays_ms(&run(&wet("{ csv = \"sound.csv\" }"), &[]))[0].unwrap();
    assert!((found - expected).abs() < 2e-6, "{found} {expected}");
    let refused = |speed: &str| {
        Draft::parse(&wet(speed), "wet.toml").unwrap().validate(&TestFiles).unwrap_err().to_string()
    };
    for (speed, expected) in [
        ("{ csv = \"upwards.csv\" }", "upwards.csv:3:1: radio.propagation_speed.csv: depths must increase"),
        ("{ csv = \"none.csv\" }", "no such file"),
        ("{ name = \"medvin\" }", "did you mean `medwin`?"),
        ("{ name = \"medwin\", temperature = 4.0 }", "did you mean `temperature_c`?"),
        ("{ surface = \"0 m\" }", "a speed without a name or a file"),
    ] {
        let error = refused(speed);
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn networks_come_from_graphml_and_csv_and_as_a_mesh() {
    let wired = |topology: &str, from: &str, to: &str| {
        let text = format!(
            "name = \"net\"\nduration = \"2 s\"\n[topology]\n{topology}\n\
             link = {{ rate = \"8 Mbit/s\", delay = \"10 ms\" }}\n{}",
            datagram(from, to, 1000, "1 s")
        );
        delays_ms(&run(&text, &[]))
    };
    // 1 ms to send and 10 ms to arrive, twice on the path over b.
    assert_eq!(wired("name = \"file\"\npath = \"net.graphml\"", "a", "c"), [Some(22.0)]);
    assert_eq!(wired("name = \"file\"\npath = \"net.csv\"\nlinks = \"edges.csv\"", "c", "a"), [Some(22.0)]);
    assert_eq!(wired("name = \"mesh\"\nnodes = 9", "n0", "n5"), [Some(11.0)]);
    let random = "name = \"random\"\nnodes = 20\nconnected = true";
    let [Some(delay)] = wired(random, "n0", "n19")[..] else { panic!("it did not arrive") };
    assert_eq!(delay % 11.0, 0.0, "{delay}");
}

#[test]
fn a_file_of_the_topology_zoo_is_a_network_with_rates_and_delays_by_one_line() {
    let delay = |more: &str, to: &str| {
        let text = format!(
            "name = \"net\"\nduration = \"2 s\"\n[topology]\nname = \"file\"\npath = \"zoo.graphml\"\n{more}\n\
             link = {{ rate = \"8 Mbit/s\", delay = \"10 ms\" }}\n{}",
            datagram("a", to, 1000, "1 s")
        );
        delays_ms(&run(&text, &[]))[0].unwrap()
    };
    // A tenth of a degree of the Earth's mean radius, at 2/3 of the speed of light.
    let arc_ms = 0.1_f64.to_radians() * 6_371_008.771_4 / (299_792_458.0 * 2.0 / 3.0) * 1e3;
    // 8000 bits at 4 Mbit/s, and at 8 Mbit/s on the link that the file says nothing of.
    let (first, second) = (2.0 + arc_ms, 1.0 + 10.0);
    assert!((delay("attributes = true", "b") - first).abs() < 1e-5);
    assert!((delay("attributes = true", "c") - first - second).abs() < 1e-5);
    assert_eq!(delay("", "c"), 22.0);
    let of_csv = "name = \"net\"\nduration = \"2 s\"\nflows = [{ from = \"a\", to = \"b\" }]\n\
                  [topology]\nname = \"file\"\npath = \"net.csv\"\nattributes = true\n";
    let refused = Draft::parse(of_csv, "test.toml").unwrap().validate(&TestFiles).unwrap_err().to_string();
    assert!(refused.contains("topology.attributes: a .csv has no attributes"), "{refused}");
}

#[test]
fn a_mahimahi_trace_passes_1500_bytes_per_line_and_starts_again() {
    let link = "rate = { mahimahi = \"cell.trace\" }\ndelay = \"10 ms\"";
    let flows = [(); 6].map(|()| datagram("a", "b", 1500, "0 s"));
    // Two packets in the first millisecond, one in the second, one in the fifth; then from 5 ms on again.
    let expected = [10.5, 11.0, 12.0, 15.0, 15.5, 16.0].map(Some);
    assert_eq!(delays_ms(&pair(link, &flows)), expected);
}

#[test]
fn what_would_be_sent_in_an_outage_is_dropped() {
    let link = "rate = \"8 Mbit/s\"\ndelay = \"10 ms\"\ndown = [\"1 s..2 s\", \"3 s..3500 ms\"]";
    let flows = ["999 ms", "1 s", "1999 ms", "2 s", "3499 ms", "3500 ms"];
    let results = pair(link, &flows.map(|start| datagram("a", "b", 1000, start)));
    assert_eq!(delays_ms(&results), [Some(11.0), None, None, Some(11.0), None, Some(11.0)]);
    assert_eq!(results.to_json()["drops"], serde_json::json!({ "link_down": 3 }));
}

#[test]
fn a_queue_is_limited_in_packets_or_in_bytes() {
    let flows = [1000, 500, 500, 500, 500].map(|size| datagram("a", "b", size, "0 s"));
    let delays = |limit: &str| {
        let queue = format!("queue = {{ name = \"drop_tail\", limit = \"{limit}\" }}");
        delays_ms(&pair(&format!("rate = \"8 Mbit/s\"\ndelay = \"10 ms\"\n{queue}"), &flows))
    };
    // The first is being sent and does not wait.
    assert_eq!(delays("3 packets"), [Some(11.0), Some(11.5), Some(12.0), Some(12.5), None]);
    assert_eq!(delays("1000 B"), [Some(11.0), Some(11.5), Some(12.0), None, None]);
}

#[test]
fn the_applications_send_what_they_say() {
    let flow = |application: &str| {
        format!("[[flows]]\nfrom = \"a\"\nto = \"b\"\napplication = {application}\nstop = \"9 s\"\n")
    };
    let applications = [
        "{ name = \"file\", size = \"100 kB\" }",
        "{ name = \"on_off\", rate = \"1 Mbit/s\", transport = \"tcp\" }",
        "{ name = \"on_off\", rate = \"1 Mbit/s\" }",
        "{ name = \"constant_bit_rate\", rate = \"80 kbit/s\", packet_size = \"1000 B\" }",
        "\"bulk\"",
    ];
    let results = pair("rate = \"100 Mbit/s\"\ndelay = \"10 ms\"", &applications.map(flow));
    let flows = &results.measured.flows;
    assert_eq!(flows[0].bytes_received.0, 100_000);
    // Half of 9 s at 1 Mbit/s are 562 kB; bursts and pauses are exponential.
    for on_off in &flows[1..3] {
        assert!((200_000..900_000).contains(&on_off.bytes_received.0), "{on_off:?}");
    }
    // One packet at 0 s and one every 100 ms before the stop at 9 s.
    assert_eq!(flows[3].packets_sent, 90);
    assert!(flows[4].goodput_bps > 50e6, "{:?}", flows[4]);
}

#[test]
fn queues_that_mark_hold_a_capable_flow_without_a_loss() {
    for queue in ["codel", "fq_codel", "red", "pie", "fq_pie"] {
        let link = format!(
            "rate = \"10 Mbit/s\"\ndelay = \"20 ms\"\nqueue = {{ name = \"{queue}\", ecn = true, limit = \"500 packets\" }}"
        );
        let flow = |ecn: bool| {
            let tcp = format!("tcp = {{ ecn = {ecn}, initial_ssthresh = \"30 packets\" }}");
            format!("[[flows]]\nfrom = \"a\"\nto = \"b\"\napplication = \"bulk\"\n{tcp}\n")
        };
        let (marked, dropped) = (pair(&link, &[flow(true)]), pair(&link, &[flow(false)]));
        let early = |results: &RunResults| results.to_json()["drops"]["early_drop"].as_u64().unwrap_or(0);
        assert_eq!(early(&marked), 0, "{queue}");
        assert!(early(&dropped) > 0, "{queue}");
        let flow = &marked.measured.flows[0];
        assert_eq!((flow.packets_retransmitted, flow.timeouts), (0, 0), "{queue}");
        assert!(flow.goodput_bps > 7e6, "{queue}: {}", flow.goodput_bps);
        // The sender responds to marks: without them the window fills the 500 packets within the run.
        assert!(marked.measured.links[0].queue_max_packets < 200, "{queue}");
    }
}

const GATEWAY: &str = include_str!("../../built_in/gateway.toml");

#[test]
fn a_file_crosses_wire_gateway_and_radio_whole() {
    let json = run(GATEWAY, &[]).to_json();
    let flow = &json["flows"][0];
    assert!(flow["completion_s"].is_number(), "{flow}");
    let sent = flow["sent_sha256"].as_str().expect("the payload is stored");
    assert_eq!((sent.len(), &flow["received_sha256"]), (64, &flow["sent_sha256"]));
    assert!(flow["failed_attempts"]["receiver_transmitting"].as_u64() > Some(0), "{flow}");
    let links: Vec<_> =
        json["links"].as_array().unwrap().iter().map(|link| link["link"].as_str().unwrap()).collect();
    let expected = [
        "server->gateway",
        "gateway->server",
        "radio:gateway",
        "radio:near",
        "radio:far",
        "radio:laptop",
        "radio:remote",
    ];
    assert_eq!(links, expected);
}

#[test]
fn a_file_crosses_both_connections_of_a_gateway_that_splits_them() {
    let text = include_str!("../../built_in/gateway_split.toml");
    let json = run(text, &[]).to_json();
    let hashes: Vec<_> = (0..2).map(|flow| &json["flows"][flow]).collect();
    let [wire, air] = hashes[..] else { panic!("two flows") };
    assert_eq!(wire["sent_sha256"].as_str().map(str::len), Some(64));
    assert_eq!(wire["sent_sha256"], air["received_sha256"]);
    assert_eq!(
        (&wire["sent_sha256"], &air["sent_sha256"]),
        (&wire["received_sha256"], &air["received_sha256"])
    );
    assert!(wire["completion_s"].as_f64() < air["completion_s"].as_f64(), "{wire} {air}");
    assert!(wire["size_bytes"].is_u64() && wire["size_bytes"] == air["size_bytes"], "{wire} {air}");
    assert_eq!(air["received_bytes"], air["size_bytes"]);
    // The radio hops are slower: the server waits for the gateway.
    assert!(wire["limited_by"]["receive_window"].as_f64() > Some(0.5), "{wire}");
    let mistake = Draft::parse(&text.replace("flow = \"wire\"", "flow = \"wires\""), "test.toml").unwrap();
    let refused = mistake.validate(&TestFiles).unwrap_err().to_string();
    assert!(refused.contains("no flow is called `wires`"), "{refused}");
}

#[test]
fn nodes_of_a_chain_look_for_routes_and_move_files_over_them() {
    let text = "name = \"ad hoc\"\nduration = \"30 s\"\n\
        nodes = [{ name = \"a\" }, { name = \"b\", position = [\"200 m\", \"0 m\"] }, \
                 { name = \"c\", position = [\"400 m\", \"0 m\"] }]\n\
        [radio]\nmac = \"dcf\"\npropagation = { name = \"disc\", range = \"250 m\" }\n\
        [routing]\nname = \"aodv\"\n\
        [[flows]]\nfrom = \"a\"\nto = \"c\"\napplication = { name = \"file\", size = \"100 kB\" }\n";
    let ns2 = [("routing.preset", "ns2")];
    let tuned = [("routing.preset", "ns2"), ("routing.ttl_start", "1"), ("routing.hello", "true")];
    for settings in [&[][..], &ns2[..], &tuned[..]] {
        let results = run(text, settings);
        assert!(results.to_json()["flows"][0]["completion_s"].is_f64(), "{settings:?}");
    }
    // A node that route discovery does not reach receives nothing, and its packets have a drop cause.
    let results = run(text, &[("nodes.2.position", "[\"900 m\", \"0 m\"]"), ("flows.0.to", "c")]);
    let causes = &results.to_json()["drops"];
    assert!(causes["no_route"].as_u64() > Some(0) && causes["link_failure"].is_null(), "{causes}");
}
