//! [`Reconverge`]: how long routing takes to follow a link that changes.

use farlink_kernel::Duration;
use farlink_kernel::config::{Diagnostic, Kind, Node, Read, Value, above, bounded, kind_within};

/// The time from a change of a link to new paths at all nodes, written `"1 s"`; `"never"`: paths stay.
///
/// It stands for what a link-state protocol needs to detect the change, to flood it and to compute paths (RFC 2328,
/// sections 10, 13 and 16); the messages are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reconverge {
    /// Links are as at the start, and none is ever down.
    Never,
    /// So long after a change.
    After(Duration),
}

impl Read for Reconverge {
    fn kind() -> Kind {
        let time = kind_within::<Duration, Duration, _>(&above(Duration::ZERO));
        Kind::AnyOf(vec![Kind::Choice(&["never"]), time])
    }
    fn read(node: &Node) -> Result<Self, Diagnostic> {
        match &node.value {
            Value::Text(word) if word == "never" => Ok(Self::Never),
            _ => bounded(Duration::read(node)?, &above(Duration::ZERO), node).map(Self::After),
        }
    }
    fn show(&self) -> String {
        match self {
            Self::Never => "\"never\"".into(),
            Self::After(time) => time.show(),
        }
    }
}
