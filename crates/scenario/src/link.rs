//! A point-to-point link of the scenario file: its two ends, and the properties of its two directions.

use std::collections::BTreeMap;

use farlink_kernel::Field;
use farlink_kernel::config::{Diagnostic, Kind, Node, Read, show_table};
use farlink_network::interface::link::Config;
use farlink_network::schedule::{Outage, Schedule};

use crate::section::missing;

/// The two directions of a link: the first as written, the second with what `reverse` overrides.
#[derive(Clone, Debug, Default)]
pub struct Duplex {
    /// From the first end to the second.
    pub forward: Config,
    /// From the second end to the first.
    pub reverse: Config,
}

impl Duplex {
    pub fn fields() -> Vec<Field> {
        let mut fields = Config::fields();
        for field in fields.iter_mut().filter(|field| ["rate", "delay"].contains(&field.name)) {
            field.default = None;
        }
        fields.push(Field {
            name: "reverse",
            kind: Kind::Table(Config::fields()),
            default: Some("{}".into()),
            doc: "The parameters that differ from the second end to the first.",
        });
        fields
    }

    /// Reads both directions; keys in `also` are read elsewhere.
    pub fn read_table(table: &Node, also: &[&str]) -> Result<Self, Diagnostic> {
        let forward = Config::read_table(table, &[also, &["reverse"]].concat())?;
        for key in ["rate", "delay"] {
            table.get(key).ok_or_else(|| missing(table, key))?;
        }
        check_direction(&forward, table)?;
        let reverse = match table.get("reverse") {
            None => forward.clone(),
            Some(text) => {
                let reverse = Config::read_over(forward.clone(), text, &[])?;
                check_direction(&reverse, text)?;
                reverse
            }
        };
        Ok(Self { forward, reverse })
    }

    /// Both directions as `key = value` pairs, as a user would write them.
    pub fn show_fields(&self) -> Vec<(&'static str, String)> {
        let mut fields = self.forward.show_fields();
        fields.push(("reverse", self.reverse.show()));
        fields
    }
}

impl Read for Duplex {
    fn kind() -> Kind {
        Kind::Table(Self::fields())
    }
    fn read(text: &Node) -> Result<Self, Diagnostic> {
        Self::read_table(text, &[])
    }
    fn show(&self) -> String {
        show_table(None, &self.show_fields())
    }
}

/// Refuses a rate of zero and outages that overlap.
fn check_direction(direction: &Config, text: &Node) -> Result<(), Diagnostic> {
    let carries_nothing = match &direction.rate {
        Schedule::Constant(rate) => rate.is_zero(),
        Schedule::Steps(steps) => steps.points.iter().all(|(_, rate)| rate.is_zero()),
        Schedule::File(_) => false, // said when it is read
    };
    if let (true, Some(at)) = (carries_nothing, text.get("rate")) {
        let remedy = "for an outage write down = [\"30 s..40 s\"]";
        let message = "a link with rate zero carries nothing";
        return Err(at.refuse(message, remedy));
    }
    text.get("down").map_or(Ok(()), |outages| check_outages(&direction.down, outages))
}

/// The limit on outages that recur: each is compared with all others.
const MOST_RECURRING: usize = 1000;

/// An outage that begins within another is a slip.
fn check_outages(down: &[Outage], text: &Node) -> Result<(), Diagnostic> {
    let (mut once, mut recurring) = (BTreeMap::new(), Vec::new());
    for (later, outage) in down.iter().enumerate() {
        let start = outage.first.start;
        let other = if outage.period.is_some() {
            recurring.push(outage);
            down[..later].iter().find(|other| other.overlaps(outage))
        } else {
            // Of those that happen once, which do not overlap, the one before and the one after are enough.
            let near = [once.range(..=start).next_back(), once.range(start..).next()];
            let near = near.into_iter().flatten().map(|(_, other)| *other);
            let other = near.chain(recurring.iter().copied()).find(|other| other.overlaps(outage));
            once.insert(start, outage);
            other
        };
        let at = || later.to_string();
        if let Some(other) = other {
            let message = format!("the outages {} and {} overlap", other.show(), outage.show());
            return Err(text.refuse_at(&at(), message, "write them as one"));
        }
        if recurring.len() > MOST_RECURRING {
            let message = format!("more than {MOST_RECURRING} outages that recur");
            return Err(text.refuse_at(&at(), message, "write fewer, of other periods"));
        }
    }
    Ok(())
}

#[derive(Clone, Debug)]
pub struct Link {
    pub between: [String; 2],
    pub duplex: Duplex,
}

impl Link {
    /// The link as `key = value` pairs, as a user would write them.
    pub fn show_fields(&self) -> Vec<(&'static str, String)> {
        let mut fields = vec![("between", self.between.to_vec().show())];
        fields.extend(self.duplex.show_fields());
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
        Kind::Table([vec![between()], Duplex::fields()].concat())
    }
    fn read(text: &Node) -> Result<Self, Diagnostic> {
        let duplex = Duplex::read_table(text, &["between"])?;
        let between = text.get("between").ok_or_else(|| missing(text, "between"))?;
        let names = Vec::<String>::read(between)?;
        let count = names.len();
        let ends = names.try_into().map_err(|_| {
            let message = format!("a link is between two nodes, found {count}");
            between.refuse(message, "write between = [\"a\", \"b\"]")
        })?;
        Ok(Self { between: ends, duplex })
    }
    fn show(&self) -> String {
        show_table(None, &self.show_fields())
    }
}
