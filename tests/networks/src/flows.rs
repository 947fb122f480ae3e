//! Flows: any application, over any TCP or datagrams; and flows that arrive.

use farlink_kernel::config::Read;
use farlink_kernel::random::Stream;
use farlink_network::app;

use crate::case::Maker;
use crate::role::{self, APPLICATION, ARRIVALS, CONGESTION, Pairs, RECOVERY, ROUTE_FAILURE, SIZE};
use crate::value::pick;

const PRESETS: [&str; 4] = ["rfc", "linux", "ns2", "ns2_linux"];

impl Maker {
    /// One to five flows between different nodes.
    pub(crate) fn flows(&mut self) {
        for number in 0..=self.below(4) {
            let from = self.below(self.nodes.len());
            let to = (from + 1 + self.below(self.nodes.len() - 1)) % self.nodes.len();
            let names = APPLICATION.names(|name| name != "relay");
            let name = pick(&mut self.stream, &names);
            let size = self.size();
            // A call by Opus needs both of `ie` and `bpl` or none.
            let given = [("packet_size", size.as_str()), ("size", "\"60 kB\""), ("ie", "5"), ("bpl", "20")];
            let application = APPLICATION.named(&mut self.stream, name, &given);
            self.flow(&format!("flow{number}"), [from, to], &application, &size);
        }
    }

    /// A connection to a gateway, and one that relays its bytes from there.
    pub(crate) fn relayed(&mut self, [from, gateway, to]: [usize; 3]) {
        let size = self.size();
        let application = if self.coin() { "\"bulk\"" } else { "{ name = \"file\", size = \"80 kB\" }" };
        self.flow("first", [from, gateway], application, &size);
        let relay = APPLICATION.named(&mut self.stream, "relay", &[("flow", "\"first\"")]);
        self.flow("second", [gateway, to], &relay, &size);
    }

    /// Every third network has flows that arrive. They have a stream of their own: nothing else depends on them.
    pub(crate) fn arrivals(&mut self) {
        let stream = std::mem::replace(&mut self.stream, Stream::new(self.seed, "arrivals", 0));
        if self.below(3) == 0 {
            self.workload();
        }
        self.stream = stream;
    }

    fn workload(&mut self) {
        let sizes = self.file("sizes", "csv", "size_bytes,share\n500,0.5\n20000,0.9\n1000000,1\n".into());
        let rows = "[[\"100 ms\", \"3 kB\"], [\"1 s\", \"50 kB\"], [\"1 s\", \"1 B\"]]";
        let name = pick(&mut self.stream, &ARRIVALS.names(|_| true));
        let given =
            [("flows", rows), ("csv", "\"\""), ("rate", "20.0"), ("load", "\"none\""), ("users", "5")];
        let mut arrivals = ARRIVALS.named(&mut self.stream, name, &given);
        // A load determines the rate.
        if name == "poisson" && self.coin() {
            arrivals = "{ name = \"poisson\", load = \"1 Mbit/s\" }".into();
        }
        self.text.section("[[workloads]]");
        let nodes = self.nodes.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
        for key in ["from", "to"] {
            self.text.key(key, &format!("[{nodes}]"));
        }
        self.text.key("arrivals", &arrivals);
        if name != "schedule" {
            let name = pick(&mut self.stream, &SIZE.names(|_| true));
            let size = SIZE.named(&mut self.stream, name, &[("csv", &format!("{sizes:?}"))]);
            self.text.key("size", &size);
        }
        if self.coin() {
            self.text.word("flows", "rows");
        }
        let size = self.size();
        let tcp = self.tcp(&size);
        self.text.key("tcp", &tcp);
    }

    /// A size of segments and datagrams.
    fn size(&mut self) -> String {
        let largest = self.largest_packet;
        let sizes: Vec<u32> = [100, 512, 1000, 1448].into_iter().filter(|size| *size <= largest).collect();
        format!("\"{} B\"", pick(&mut self.stream, &sizes))
    }

    fn flow(&mut self, label: &str, [from, to]: [usize; 2], application: &str, size: &str) {
        let (from, to) = (self.nodes[from].clone(), self.nodes[to].clone());
        self.text.section("[[flows]]");
        self.text.word("label", label);
        self.text.word("from", &from);
        self.text.word("to", &to);
        let start = pick(&mut self.stream, &["0 s", "0 s..1 s", "500 ms", "1 s..3 s"]);
        self.text.word("start", start);
        // A relay ends with the flow that it passes on.
        if self.below(4) == 0 && !application.contains("\"relay\"") {
            self.text.word("stop", "4500 ms");
        }
        self.text.key("application", application);
        if application.contains("\"file\"") && self.coin() {
            self.text.word("payload", "stored");
        }
        let read = role::node(application).and_then(|node| app::Config::read(&node).ok());
        if read.is_some_and(|config| config.parameters().traffic().protocol == app::Protocol::Tcp) {
            let tcp = self.tcp(size);
            self.text.key("tcp", &tcp);
        }
    }

    fn tcp(&mut self, size: &str) -> String {
        let preset = pick(&mut self.stream, &PRESETS);
        let mut pairs: Pairs = vec![("preset".into(), format!("{preset:?}"))];
        pairs.push(("segment_size".into(), size.into()));
        if self.coin() {
            pairs.push(("congestion_control".into(), CONGESTION.any(&mut self.stream)));
        }
        if self.coin() {
            pairs.push(("recovery".into(), RECOVERY.any(&mut self.stream)));
        }
        if self.coin() {
            pairs.push(("route_failure".into(), ROUTE_FAILURE.any(&mut self.stream)));
        }
        if self.below(3) == 0 {
            pairs.push(("max_window".into(), format!("\"{} packets\"", 1 + self.below(64))));
        }
        role::tcp(&mut self.stream, pairs)
    }
}
