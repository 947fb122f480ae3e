//! [`Case`]: a random network as a scenario file, with the files it reads.

use std::collections::BTreeMap;

use farlink_kernel::random::Stream;
use farlink_scenario::{Draft, Error, Files, Scenario};

use crate::role::{MAC, ROUTING};
use crate::text::Text;

/// What the networks are.
pub const KINDS: [&str; 10] = [
    "links",
    "topology",
    "wlan",
    "wlan_topology",
    "packet_radio",
    "frn",
    "underwater",
    "gateway",
    "relay",
    "two_channels",
];

/// A network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// What it was drawn from.
    pub seed: u64,
    /// One of [`KINDS`].
    pub kind: &'static str,
    /// The scenario file.
    pub text: String,
    /// The files it reads, by name.
    pub files: BTreeMap<String, String>,
}

impl Files for Case {
    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        self.files
            .get(path)
            .map(|text| text.clone().into_bytes())
            .ok_or_else(|| format!("{path}: no such file"))
    }
}

/// So often a seed is drawn from until a network is accepted.
const MOST_ATTEMPTS: u64 = 200;

impl Case {
    /// The network of a seed. Draws that the scenario's validation refuses (no path, a slot too short for its frame)
    /// are replaced by others of the same kind.
    ///
    /// # Panics
    /// When too many draws in a row are refused: the generator does not fit the scenario's rules any more.
    pub fn new(seed: u64) -> Self {
        let mut refusals = Vec::new();
        for attempt in 0..MOST_ATTEMPTS {
            let case = Maker::new(seed, attempt).make(KINDS[(seed % KINDS.len() as u64) as usize]);
            match case.validate() {
                Ok(_) => return case,
                Err(error) => refusals.push(format!("{}: {} ({})", error.key, error.message, error.remedy)),
            }
        }
        panic!("seed {seed}: no network was accepted: {}", refusals.join("\n"))
    }

    /// The scenario.
    pub fn validate(&self) -> Result<Scenario, Error> {
        Draft::parse(&self.text, &format!("network{}.toml", self.seed))?.validate(self)
    }
}

/// A network under way.
#[derive(Debug)]
pub(crate) struct Maker {
    pub(crate) stream: Stream,
    pub(crate) seed: u64,
    pub(crate) text: Text,
    files: BTreeMap<String, String>,
    /// The names of the nodes.
    pub(crate) nodes: Vec<String>,
    pub(crate) routing: Option<String>,
    pub(crate) mobility: Option<String>,
    /// No packet is larger, without its headers.
    pub(crate) largest_packet: u32,
}

impl Maker {
    fn new(seed: u64, attempt: u64) -> Self {
        Self {
            stream: Stream::new(seed, "network", attempt),
            seed,
            text: Text::default(),
            files: BTreeMap::new(),
            nodes: Vec::new(),
            routing: None,
            mobility: None,
            largest_packet: 1448,
        }
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.stream.below(bound as u64) as usize
    }

    pub(crate) fn coin(&mut self) -> bool {
        self.below(2) == 0
    }

    /// A file that the scenario reads; its name.
    pub(crate) fn file(&mut self, stem: &str, extension: &str, text: String) -> String {
        let name = format!("{stem}{}.{extension}", self.files.len());
        self.files.insert(name.clone(), text);
        name
    }

    pub(crate) fn node(&mut self, name: &str, place: Option<[f64; 3]>) {
        self.text.section("[[nodes]]");
        self.text.word("name", name);
        if let Some([x, y, z]) = place {
            self.text.key("position", &format!("[\"{x:.1} m\", \"{y:.1} m\", \"{z:.1} m\"]"));
            if self.below(10) == 0 && z == 0.0 {
                let script = self.script();
                self.text.key("mobility", &script);
            }
        }
        self.nodes.push(name.into());
    }

    fn make(mut self, kind: &'static str) -> Case {
        match kind {
            "links" => {
                let nodes = 2 + self.below(5);
                self.tree("n", nodes);
            }
            "topology" if self.below(4) == 0 => self.topology_file(),
            "topology" => self.topology(true),
            "wlan" => {
                let (nodes, field) = (2 + self.below(7), self.field());
                self.placed("w", nodes, field);
                let keys = self.wlan();
                self.channel(keys, None);
            }
            "wlan_topology" => {
                self.topology(false);
                let keys = self.wlan();
                self.channel(keys, None);
            }
            "packet_radio" => {
                let (nodes, field) = (2 + self.below(5), self.field());
                self.placed("r", nodes, field);
                let keys = self.packet_radio();
                self.channel(keys, None);
            }
            "frn" => self.packet_slots(),
            "underwater" => {
                let (nodes, field) = (2 + self.below(4), self.sea());
                self.placed("u", nodes, field);
                let keys = self.sound();
                self.channel(keys, None);
            }
            "gateway" => self.gateway(),
            "relay" => {
                self.gateway();
                let last = self.nodes.len() - 1;
                let gateway = self.nodes.iter().position(|name| name == "a0").unwrap_or(1);
                self.relayed([0, gateway, last]);
            }
            _ => self.two_channels(),
        }
        if self.routing.is_none() && self.below(3) > 0 {
            self.routing();
        }
        if self.nodes.len() > 1 && (kind != "relay" || self.coin()) {
            self.flows();
        }
        if self.nodes.len() > 1 {
            self.arrivals();
        }
        self.finish(kind)
    }

    /// A chain of packet radios with slots.
    fn packet_slots(&mut self) {
        self.largest_packet = 1000;
        let nodes = 2 + self.below(5);
        let field = crate::motion::Field { spacing: 180.0, height: 0.0 };
        self.placed("s", nodes, field);
        let keys = self.slots();
        self.channel(keys, None);
        if self.below(3) > 0 {
            let value = ROUTING.named(&mut self.stream, "frn", &[]);
            self.routing = Some(value);
        }
    }

    /// Links, and a channel behind the last of their nodes.
    fn gateway(&mut self) {
        let (wired, nodes, field) = (1 + self.below(3), 2 + self.below(4), self.field());
        self.tree("n", wired);
        let members = self.placed("a", nodes, field);
        let last = self.nodes[wired - 1].clone();
        self.link(&last, &members[0]);
        let keys = if self.coin() { self.wlan() } else { self.packet_radio() };
        self.channel(keys, Some(("air", &members)));
    }

    /// Two channels that share a node.
    fn two_channels(&mut self) {
        let field = self.field();
        let (first, second) = (2 + self.below(3), 2 + self.below(3));
        let members = self.placed("b", first + second - 1, field);
        for (name, members) in [("left", &members[..first]), ("right", &members[first - 1..])] {
            let keys = if self.coin() { self.wlan() } else { self.packet_radio() };
            self.channel(keys, Some((name, members)));
        }
    }

    /// The keys of the root come first.
    fn finish(self, kind: &'static str) -> Case {
        let mut root = Text::default();
        root.word("name", &format!("network{}", self.seed));
        root.word("duration", "5 s");
        root.key("seed", &(1 + self.seed).to_string());
        for (key, value) in [("routing", &self.routing), ("mobility", &self.mobility)] {
            if let Some(value) = value {
                root.key(key, value);
            }
        }
        let rest = self.text.finish();
        // The key `topology` is one of the root.
        let (keys, sections): (Vec<&str>, Vec<&str>) =
            rest.lines().partition(|line| line.starts_with("topology = "));
        let text = format!("{}{}\n{}\n", root.finish(), keys.join("\n"), sections.join("\n"));
        let files = self.files.into_iter().filter(|(name, _)| text.contains(&format!("{name:?}"))).collect();
        Case { seed: self.seed, kind, text, files }
    }
}

/// Every MAC and every routing protocol there is, for the report of a campaign.
pub fn members() -> Vec<&'static str> {
    [MAC.names(|_| true), ROUTING.names(|_| true)].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_one_network_and_its_text_reads_back() {
        for seed in 0..30 {
            let case = Case::new(seed);
            assert_eq!(case, Case::new(seed));
            assert_eq!(case.kind, KINDS[seed as usize % KINDS.len()]);
        }
    }
}
