//! Topologies: nodes and links in a regular shape, at random, or from a file.

use std::sync::Arc;

use farlink_kernel::config::{Diagnostic, Kind, Model, Node, Read, Span, Value, unknown};
use farlink_kernel::{Field, registry};
use farlink_network::space::Position;

use crate::link::Duplex;
use crate::located::Located;
pub use given::Given;

pub mod chain;
pub mod cross;
pub mod file;
mod given;
pub mod grid;
pub mod hexagon;
pub mod mesh;
mod near;
pub mod random;

/// The role: a shape, without the properties of its links.
pub trait Shape: std::fmt::Debug {
    /// The positions of the nodes, and the pairs of neighbours.
    fn lay_out(&self, setup: &Setup) -> Result<Layout, Fault>;
}

/// A shape laid out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// The names and positions of the nodes.
    pub nodes: Vec<(String, Position)>,
    /// The pairs of neighbours, as indices of `nodes`.
    pub links: Vec<[usize; 2]>,
    /// What a file says of the two directions of each link; empty if it says nothing.
    pub given: Vec<[Given; 2]>,
    /// The nodes without a position, as ascending indices of `nodes`.
    pub unplaced: Vec<usize>,
    /// What was ignored in its files.
    pub ignored: Vec<Diagnostic>,
}

/// Why a shape cannot be laid out.
#[derive(Clone, Debug)]
pub enum Fault {
    /// At a key of the topology: message and remedy.
    Key(&'static str, String, String),
    /// At a place in a file.
    Line(Diagnostic),
}

/// The diagnostic of an unknown node without its name: errors do not quote files besides the scenario.
fn unknown_node(name: &str, span: Span, known: &[&str]) -> Diagnostic {
    Diagnostic { span, message: "an unknown node".into(), ..unknown(name, "node", &Node::text(""), known) }
}

/// A file that a shape names.
#[derive(Clone, Debug)]
pub struct Text {
    pub(crate) text: Arc<str>,
    /// Where the content begins in the sources.
    pub start: usize,
}

/// The context of a layout.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// The files that the shape names, read.
    pub files: Vec<Text>,
    /// True when neighbours are linked.
    pub is_linked: bool,
}

registry! {
    /// Topologies.
    Shape(()) {
        /// Nodes in a row, each linked to the next.
        chain::Chain = Config,
        /// Rows and columns, each node linked to the next in its row and column.
        grid::Grid = Config,
        /// A centre with four arms.
        cross::Cross = Config,
        /// A hexagon of triangles: each node has up to six neighbours.
        hexagon::Hexagon = Config,
        /// A full mesh: a link between every two nodes.
        mesh::Mesh = Config,
        /// Random positions in an area; nodes within a range are neighbours.
        random::Random = Config,
        /// A network from a file of GraphML or CSV.
        file::File = Config,
    }
}

/// A shape, and the links between its neighbours, if any.
#[derive(Clone, Debug)]
pub struct Topology {
    /// The shape.
    pub shape: Config,
    /// The properties of each link; without them the nodes are not linked.
    pub link: Option<Located<Duplex>>,
}

/// Every topology with its parameters, those of its links included.
pub fn models() -> Vec<Model> {
    let mut models = Config::models();
    for model in &mut models {
        model.fields.push(Field {
            name: "link",
            kind: Duplex::kind(),
            default: Some("\"none\"".into()),
            doc: "The properties of the links between neighbours; without it the nodes are not linked.",
        });
    }
    models
}

impl Read for Topology {
    fn kind() -> Kind {
        Kind::Model(models)
    }

    fn read(node: &Node) -> Result<Self, Diagnostic> {
        let Value::Table(entries) = &node.value else {
            return Ok(Self { shape: Config::read(node)?, link: None });
        };
        let link = node.get("link").map(Located::read).transpose()?;
        let rest = entries.iter().filter(|entry| entry.key != "link").cloned().collect();
        Ok(Self { shape: Config::read(&node.with(Value::Table(rest)))?, link })
    }

    fn show(&self) -> String {
        let shape = self.shape.show();
        match &self.link {
            None => shape,
            Some(link) => format!("{}, link = {} }}", shape.trim_end_matches(" }"), link.show()),
        }
    }
}
