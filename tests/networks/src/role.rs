//! [`Role`]: the members of a registry, and random ones of them with random parameters.

use farlink_kernel::Field;
use farlink_kernel::config::{Model, Node, Read};
use farlink_kernel::random::Stream;
use farlink_network::channel::{error, jitter, propagation};
use farlink_network::phy::antenna;
use farlink_network::workload::{arrivals, size};
use farlink_network::{app, mac, mobility, phy, queue, routing};
use farlink_scenario::tcp::Tcp;
use farlink_scenario::topology::{self, Topology};
use farlink_tcp::{congestion, recovery, route_failure};

use crate::value;

/// A registry.
pub struct Role {
    models: fn() -> Vec<Model>,
    reads: fn(&Node) -> bool,
}

macro_rules! role {
    ($($(#[doc = $doc:literal])* $NAME:ident = $models:path, $Config:ty;)*) => {
        $($(#[doc = $doc])* pub const $NAME: Role = Role {
            models: $models,
            reads: |node| <$Config as Read>::read(node).is_ok(),
        };)*
    };
}

role! {
    /// Queues.
    QUEUE = queue::Config::models, queue::Config;
    /// Error models of links.
    ERROR = error::Config::models, error::Config;
    /// Distributions of the jitter of links.
    JITTER = jitter::Config::models, jitter::Config;
    /// Routing protocols.
    ROUTING = routing::Config::models, routing::Config;
    /// Medium access.
    MAC = mac::Config::models, mac::Config;
    /// Radios and modems.
    PHY = phy::Config::models, phy::Config;
    /// Path losses.
    PROPAGATION = propagation::Config::models, propagation::Config;
    /// Mobility.
    MOBILITY = mobility::Config::models, mobility::Config;
    /// Applications.
    APPLICATION = app::Config::models, app::Config;
    /// Arrivals of flows.
    ARRIVALS = arrivals::Config::models, arrivals::Config;
    /// Their sizes.
    SIZE = size::Config::models, size::Config;
    /// Congestion controls.
    CONGESTION = congestion::Config::models, congestion::Config;
    /// Loss recoveries.
    RECOVERY = recovery::Config::models, recovery::Config;
    /// Route-failure policies.
    ROUTE_FAILURE = route_failure::Config::models, route_failure::Config;
    /// Topologies.
    TOPOLOGY = topology::models, Topology;
}

/// A table under way: `key = value` pairs, in order.
pub type Pairs = Vec<(String, String)>;

impl Role {
    /// The names of the members for which `is_wanted`.
    pub fn names(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<&'static str> {
        let names = (self.models)().into_iter().map(|model| model.name);
        names.filter(|name| is_wanted(name)).collect()
    }

    /// A random member with random parameters.
    pub fn any(&self, stream: &mut Stream) -> String {
        let names = self.names(|_| true);
        let name = value::pick(stream, &names);
        self.named(stream, name, &[])
    }

    /// This member with random parameters besides those that are `given`.
    pub fn named(&self, stream: &mut Stream, name: &str, given: &[(&str, &str)]) -> String {
        let model = (self.models)().into_iter().find(|model| model.name == name);
        let fields = model.unwrap_or_else(|| panic!("{name} is registered")).fields;
        let owned = |&(key, value): &(&str, &str)| (key.to_owned(), value.to_owned());
        let mut pairs: Pairs = vec![("name".into(), format!("{name:?}"))];
        pairs
            .extend(given.iter().filter(|(key, _)| fields.iter().any(|field| field.name == *key)).map(owned));
        add_parameters(stream, &mut pairs, &fields, 0.3, self.reads);
        table(&pairs)
    }
}

/// Random options of a TCP, besides those that are `given`.
pub fn tcp(stream: &mut Stream, given: Pairs) -> String {
    let mut pairs = given;
    let fields: Vec<Field> = farlink_tcp::Config::fields();
    add_parameters(stream, &mut pairs, &fields, 0.06, |node| Tcp::read(node).is_ok());
    table(&pairs)
}

/// Random options of an antenna.
pub fn antenna(stream: &mut Stream) -> String {
    let mut pairs = Pairs::new();
    add_parameters(stream, &mut pairs, &antenna::Config::fields(), 0.15, |node| {
        antenna::Config::read(node).is_ok()
    });
    table(&pairs)
}

/// Adds some of the parameters with random values. One that does not go with those before it is left out. Every third
/// table keeps all defaults.
fn add_parameters(
    stream: &mut Stream,
    pairs: &mut Pairs,
    fields: &[Field],
    share: f64,
    reads: impl Fn(&Node) -> bool,
) {
    if stream.below(3) == 0 {
        return;
    }
    for field in fields {
        let is_given = pairs.iter().any(|(key, _)| key == field.name);
        if is_given || stream.uniform() >= share {
            continue;
        }
        let Some(value) = value::draw(stream, field) else { continue };
        pairs.push((field.name.into(), value));
        if !node(&table(pairs)).is_some_and(|node| reads(&node)) {
            pairs.pop();
        }
    }
}

/// A table in one line.
pub fn table(pairs: &Pairs) -> String {
    let pairs: Vec<String> = pairs.iter().map(|(key, value)| format!("{key} = {value}")).collect();
    format!("{{ {} }}", pairs.join(", "))
}

/// A TOML value as the scenario's parser sees it.
pub fn node(value: &str) -> Option<Node> {
    let root = farlink_scenario::read_document(&format!("value = {value}"), 0).ok()?;
    root.get("value").cloned()
}
