//! Links: rates and delays, constant or from traces, any queue, any error model, any jitter, outages.

use std::fmt::Write;

use farlink_kernel::random::Stream;

use crate::case::Maker;
use crate::role::{self, ERROR, JITTER, Pairs, QUEUE, TOPOLOGY};
use crate::value::{logarithmic, pick};

impl Maker {
    /// Nodes `n0`, `n1`, ... in a random tree of links, perhaps with a further link.
    pub(crate) fn tree(&mut self, prefix: &str, nodes: usize) {
        let first = self.nodes.len();
        for number in 0..nodes {
            let name = format!("{prefix}{number}");
            self.node(&name, None);
            if number > 0 {
                let other = first + self.below(number);
                self.link(&self.nodes[other].clone(), &name);
            }
        }
        if nodes > 2 && self.coin() {
            self.link(&self.nodes[first].clone(), &format!("{prefix}{}", nodes - 1));
        }
    }

    /// A link between two nodes.
    pub(crate) fn link(&mut self, from: &str, to: &str) {
        let mut wire = self.wire();
        if self.below(3) == 0 {
            let reverse = role::table(&self.wire());
            wire.push(("reverse".into(), reverse));
        }
        self.text.section("[[links]]");
        self.text.key("between", &format!("[{from:?}, {to:?}]"));
        for (key, value) in wire {
            self.text.key(&key, &value);
        }
    }

    /// One direction of a link.
    fn wire(&mut self) -> Pairs {
        let mut pairs: Pairs = vec![("rate".into(), self.rate()), ("delay".into(), self.delay())];
        if self.coin() {
            pairs.push(("queue".into(), QUEUE.any(&mut self.stream)));
        }
        if self.coin() {
            pairs.push(("error".into(), ERROR.any(&mut self.stream)));
        }
        if self.below(4) == 0 {
            pairs.push(("jitter".into(), JITTER.any(&mut self.stream)));
        }
        if self.below(4) == 0 {
            let (start, length) = (self.below(4000), 1 + self.below(1500));
            let second = start + length + 1 + self.below(500);
            let outages =
                format!("[\"{start} ms..{} ms\", \"{second} ms..{} ms\"]", start + length, second + 200);
            pairs.push(("down".into(), outages));
        }
        pairs
    }

    fn rate(&mut self) -> String {
        match self.below(8) {
            0 => {
                let line = |stream: &mut Stream| format!("{:.0}", logarithmic(stream, 5e4, 1e7));
                self.series("rate", "rate_bps", line)
            }
            1 => self.opportunities(),
            _ => format!("\"{:.0} bit/s\"", logarithmic(&mut self.stream, 5e4, 1e7)),
        }
    }

    fn delay(&mut self) -> String {
        if self.below(8) == 0 {
            return self.series("delay", "delay_s", |stream| format!("{:.4}", 0.2 * stream.uniform()));
        }
        format!("\"{:.0} us\"", logarithmic(&mut self.stream, 1.0, 3e5))
    }

    /// A CSV file of a quantity over time.
    fn series(&mut self, stem: &str, column: &str, value: fn(&mut Stream) -> String) -> String {
        let mut text = format!("time_s,{column}\n");
        for step in 0..2 + self.below(6) {
            let value = value(&mut self.stream);
            writeln!(text, "{},{value}", step as f64 * 0.75).expect("a string takes all");
        }
        let name = self.file(stem, "csv", text);
        format!("{{ csv = {name:?} }}")
    }

    /// A file of delivery opportunities in milliseconds.
    fn opportunities(&mut self) -> String {
        let (mut text, mut at) = (String::new(), 1);
        for _ in 0..20 + self.below(80) {
            writeln!(text, "{at}").expect("a string takes all");
            at += pick(&mut self.stream, &[0, 1, 1, 2, 5, 20]);
        }
        let name = self.file("cell", "trace", text);
        format!("{{ mahimahi = {name:?} }}")
    }

    /// Any topology, its nodes linked or only placed.
    pub(crate) fn topology(&mut self, is_linked: bool) {
        let sizes = [("nodes", "6"), ("rows", "2"), ("columns", "3"), ("rings", "1"), ("arm_length", "1")];
        let small = [sizes.as_slice(), &[("area", "[\"500 m\", \"300 m\"]")]].concat();
        let names = TOPOLOGY.names(|name| name != "file");
        let name = pick(&mut self.stream, &names);
        let mut value = TOPOLOGY.named(&mut self.stream, name, &small);
        self.nodes = placed(&value);
        if is_linked {
            let wire = role::table(&self.wire());
            value = format!("{}, link = {wire} }}", value.trim_end_matches(" }"));
        }
        self.text.key("topology", &value);
    }

    /// A topology from files.
    pub(crate) fn topology_file(&mut self) {
        let count = 3 + self.below(4);
        let mut edges = String::from("from,to\n");
        let mut places = String::new();
        for number in 0..count {
            writeln!(places, "f{number},{},{}", number * 150, self.below(60)).expect("a string takes all");
            if number > 0 {
                writeln!(edges, "f{},f{number}", self.below(number)).expect("a string takes all");
            }
            self.nodes.push(format!("f{number}"));
        }
        let (path, links) = (self.file("places", "csv", places), self.file("edges", "csv", edges));
        let wire = role::table(&self.wire());
        self.text.key(
            "topology",
            &format!("{{ name = \"file\", path = {path:?}, links = {links:?}, link = {wire} }}"),
        );
    }
}

/// The names of the nodes of a topology.
fn placed(value: &str) -> Vec<String> {
    use farlink_kernel::config::Read;
    use farlink_scenario::topology::{Setup, Topology};
    let node = role::node(value).expect("made as TOML");
    let Ok(topology) = Topology::read(&node) else { return Vec::new() };
    let layout = topology.shape.build(&()).lay_out(&Setup { is_linked: true, ..Setup::default() });
    layout.map(|layout| layout.nodes.into_iter().map(|(name, _)| name).collect()).unwrap_or_default()
}
