//! Topologies: nodes and links in a regular shape.

use farlink_kernel::config::{Kind, Model, Node, Read, Refusal, Value};
use farlink_kernel::{Field, registry};
use farlink_network::space::Position;

use crate::document::Wire;

pub mod chain;
pub mod cross;
pub mod grid;

/// The role: a shape without what its links are made of.
pub trait Shape: std::fmt::Debug {
    /// The names and places of the nodes.
    fn nodes(&self) -> Vec<(String, Position)>;
    /// Which nodes are neighbours, by their places in `nodes`.
    fn links(&self) -> Vec<[usize; 2]>;
}

registry! {
    /// Topologies.
    Shape(()) {
        /// Nodes in a row, each linked to the next.
        chain::Chain,
        /// Rows and columns, each node linked to the next in its row and column.
        grid::Grid,
        /// A centre with four arms.
        cross::Cross,
    }
}

/// A shape, and the wire its neighbours are linked by, if any.
#[derive(Clone, Debug, PartialEq)]
pub struct Topology {
    /// The shape.
    pub shape: Config,
    /// The wire; without one the nodes are not linked.
    pub link: Option<Wire>,
}

/// Every topology with its parameters, the wire included.
pub fn models() -> Vec<Model> {
    let mut models = Config::models();
    for model in &mut models {
        model.fields.push(Field {
            name: "link",
            kind: Kind::Table(Wire::fields()),
            default: Some("\"none\"".into()),
            doc: "What neighbours are linked by; without it the nodes are not linked.",
        });
    }
    models
}

impl Read for Topology {
    fn kind() -> Kind {
        Kind::Model(models)
    }

    fn read(node: &Node) -> Result<Self, Refusal> {
        let Value::Table(entries) = &node.value else {
            return Ok(Self { shape: Config::read(node)?, link: None });
        };
        let link = match node.get("link") {
            Some(table) => Some(Wire::read_table(table, &[]).map_err(|refusal| refusal.within("link"))?),
            None => None,
        };
        let rest = entries.iter().filter(|entry| entry.key != "link").cloned().collect();
        let shape = Config::read(&Node { value: Value::Table(rest), span: node.span.clone() })?;
        Ok(Self { shape, link })
    }

    fn show(&self) -> String {
        let shape = self.shape.show();
        match &self.link {
            None => shape,
            Some(wire) => {
                let link = farlink_kernel::config::show_table(None, &wire.show_fields());
                format!("{}, link = {link} }}", shape.trim_end_matches(" }"))
            }
        }
    }
}
