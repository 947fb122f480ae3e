//! The scenario file's tables, as written: what may stand where, and its defaults.
//!
//! Everything about one value alone is checked here; what concerns several (names, paths, files) is
//! checked by [`crate::compile`].

use farlink_kernel::config::{Kind, Node as Text, Read, Refusal, refuse_unknown, show_table};
use farlink_kernel::{Duration, Field, Instant};
use farlink_network::blueprint::Radio;
use farlink_network::course::{Course, Interval, Start};
use farlink_network::interface::link;
use farlink_network::payload::Payload;
use farlink_network::space::Position;
use farlink_network::{app, mobility, routing};

use crate::section::{missing, section};
use crate::tcp::Tcp;
use crate::topology::Topology;

section! {
    /// A scenario file.
    pub struct Document {
        /// What the scenario is called.
        pub name: String,
        /// How long it runs, in simulated time.
        pub duration: Duration,
        /// The seed it runs with unless another is asked for.
        pub seed: u64 = 1,
        /// The nodes, unless a topology makes them.
        pub nodes: Vec<Node> = Vec::new(),
        /// Nodes and links in a regular shape; nodes and links of their own may stand beside it.
        pub topology: Option<Topology> = None,
        /// Wires and satellite hops between two nodes.
        pub links: Vec<Link> = Vec::new(),
        /// Channels that many nodes share.
        pub channels: Vec<Channel> = Vec::new(),
        /// One channel that all nodes share.
        pub radio: Option<Radio> = None,
        /// The routing protocol of all nodes.
        pub routing: routing::Config =
            routing::Config::ShortestPath(routing::shortest_path::Config::default()),
        /// How nodes move, those that do not say it themselves.
        pub mobility: mobility::Config = mobility::Config::Static(mobility::r#static::Config::default()),
        /// The flows.
        pub flows: Vec<Flow>,
        /// What is recorded besides the results.
        pub record: Record = Record { interval: DEFAULT_INTERVAL },
    }
}

section! {
    /// A node.
    pub struct Node {
        /// Its name.
        pub name: String,
        /// Where it is, or begins if its mobility does not draw that; matters on shared channels only.
        pub position: Position = Position::default(),
        /// How it moves, if not as all do.
        pub mobility: Option<mobility::Config> = None,
    }
}

section! {
    /// Who is on a shared channel.
    pub struct Membership {
        /// The channel's name.
        pub name: String = "radio".into(),
        /// The names of the nodes on it; none given: all nodes.
        pub nodes: Vec<String> = Vec::new(),
    }
}

section! {
    /// A flow from one node to another.
    pub struct Flow {
        /// Its name in results; `flow0`, `flow1`, ... unless given.
        pub label: String = String::new(),
        /// The node its data come from.
        pub from: String,
        /// The node they go to.
        pub to: String,
        /// When it starts; a range is drawn from uniformly, anew for every seed.
        pub start: Start = Start::At(Instant::ZERO),
        /// When its application stops.
        pub stop: Option<Instant> = None,
        /// What is sent when.
        pub application: app::Config = app::Config::Bulk(app::bulk::Config::default()),
        /// What its bytes are.
        pub payload: Payload = Payload::Pattern,
        /// The options of its TCP, at both ends.
        pub tcp: Tcp = Tcp::default(),
    }
}

impl Flow {
    /// True when TCP carries the flow, not datagrams.
    pub fn is_tcp(&self) -> bool {
        app::carrier(&self.application) == app::Carrier::Tcp
    }
}

section! {
    /// What is recorded besides the results.
    pub struct Record {
        /// Distance of two samples of windows, timers, sequence numbers and queues in time series.
        pub interval: Duration = DEFAULT_INTERVAL,
    }
}

const DEFAULT_INTERVAL: Duration = Duration::from_millis(100);

/// The two directions of a wire: the first as written, the second with what `reverse` overrides.
#[derive(Clone, Debug, PartialEq)]
pub struct Wire {
    /// From the first end to the second.
    pub forward: link::Config,
    /// From the second end to the first.
    pub reverse: link::Config,
}

impl Wire {
    /// The keys, for the schema.
    pub fn fields() -> Vec<Field> {
        let mut fields = link::Config::fields();
        for field in fields.iter_mut().filter(|field| ["rate", "delay"].contains(&field.name)) {
            field.default = None;
        }
        fields.push(Field {
            name: "reverse",
            kind: Kind::Table(link::Config::fields()),
            default: Some("{}".into()),
            doc: "What is different from the second end to the first.",
        });
        fields
    }

    /// Reads the wire; keys in `also` are somebody else's.
    pub fn read_table(table: &Text, also: &[&str]) -> Result<Self, Refusal> {
        let forward = link::Config::read_table(table, &[also, &["reverse"]].concat())?;
        for key in ["rate", "delay"] {
            table.get(key).ok_or_else(|| missing(table, key))?;
        }
        check_direction(&forward, table)?;
        let reverse = match table.get("reverse") {
            None => forward.clone(),
            Some(text) => link::Config::read_over(forward.clone(), text, &[])
                .and_then(|reverse| check_direction(&reverse, text).map(|()| reverse))
                .map_err(|refusal| refusal.within("reverse"))?,
        };
        Ok(Self { forward, reverse })
    }

    /// The wire as `key = value` pairs, as a user would write them.
    pub fn show_fields(&self) -> Vec<(&'static str, String)> {
        let mut fields = self.forward.show_fields();
        fields.push(("reverse", self.reverse.show()));
        fields
    }
}

/// What only a link's own keys can tell.
fn check_direction(direction: &link::Config, text: &Text) -> Result<(), Refusal> {
    if let (Course::Constant(rate), Some(at)) = (&direction.rate, text.get("rate"))
        && rate.is_zero()
    {
        let remedy = "for an outage write down = [\"30 s..40 s\"]";
        let message = "a link with rate zero carries nothing";
        return Err(Refusal::new(at.span.clone(), message, remedy).within("rate"));
    }
    match text.get("down") {
        Some(outages) => check_outages(&direction.down, outages).map_err(|refusal| refusal.within("down")),
        None => Ok(()),
    }
}

/// An outage that begins within another is a slip.
fn check_outages(down: &[Interval], text: &Text) -> Result<(), Refusal> {
    for (later, outage) in down.iter().enumerate() {
        let overlaps = |other: &&Interval| other.start < outage.end && outage.start < other.end;
        if let Some(other) = down[..later].iter().find(overlaps) {
            let message = format!("the outages {} and {} overlap", other.show(), outage.show());
            let at = text.items().get(later).unwrap_or(text).span.clone();
            return Err(Refusal::new(at, message, "write them as one").within(format!("{later}")));
        }
    }
    Ok(())
}

/// A wire or a satellite hop between two nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The names of its ends.
    pub between: [String; 2],
    /// What lies between them.
    pub wire: Wire,
}

impl Link {
    /// The link as `key = value` pairs, as a user would write them.
    pub fn show_fields(&self) -> Vec<(&'static str, String)> {
        let mut fields = vec![("between", self.between.to_vec().show())];
        fields.extend(self.wire.show_fields());
        fields
    }
}

/// The key that names a link's ends.
pub(crate) fn between() -> Field {
    let doc = "The names of its two ends.";
    Field { name: "between", kind: Vec::<String>::kind(), default: None, doc }
}

impl Read for Link {
    fn kind() -> Kind {
        Kind::Table([vec![between()], Wire::fields()].concat())
    }
    fn read(text: &Text) -> Result<Self, Refusal> {
        let wire = Wire::read_table(text, &["between"])?;
        let between = text.get("between").ok_or_else(|| missing(text, "between"))?;
        let names = Vec::<String>::read(between).map_err(|refusal| refusal.within("between"))?;
        let count = names.len();
        let ends = names.try_into().map_err(|_| {
            let message = format!("a link is between two nodes, found {count}");
            Refusal::new(between.span.clone(), message, "write between = [\"a\", \"b\"]").within("between")
        })?;
        Ok(Self { between: ends, wire })
    }
    fn show(&self) -> String {
        show_table(None, &self.show_fields())
    }
}

/// A channel that many nodes share.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// Who is on it.
    pub membership: Membership,
    /// What an interface on it is made of.
    pub radio: Radio,
}

impl Channel {
    /// The channel as `key = value` pairs, as a user would write them.
    pub fn show_fields(&self) -> Vec<(&'static str, String)> {
        let mut fields = self.membership.show_fields();
        fields.extend(self.radio.show_fields());
        fields
    }
}

impl Read for Channel {
    fn kind() -> Kind {
        let mut fields = Membership::fields();
        fields.extend(Radio::fields());
        Kind::Table(fields)
    }
    fn read(text: &Text) -> Result<Self, Refusal> {
        let names = |fields: Vec<Field>| fields.iter().map(|field| field.name).collect::<Vec<_>>();
        let (membership, radio) = (names(Membership::fields()), names(Radio::fields()));
        // Both halves know all keys, so that a typo is compared with every one of them.
        refuse_unknown(text.entries()?, &[membership.as_slice(), radio.as_slice()].concat())?;
        Ok(Self {
            membership: Membership::read_table(text, &radio)?,
            radio: Radio::read_table(text, &membership)?,
        })
    }
    fn show(&self) -> String {
        show_table(None, &self.show_fields())
    }
}
