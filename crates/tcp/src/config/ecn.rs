//! [`EcnMode`]: which ECN a connection asks for and agrees to.

use farlink_kernel::config::{Diagnostic, Kind, Node, Read, unknown};

/// Explicit congestion notification that a connection asks for and agrees to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EcnMode {
    /// What the congestion control needs: none, marks for `dctcp`, accurate feedback for `prague`.
    Auto,
    /// None.
    Off,
    /// One echo per round trip (RFC 3168).
    Classic,
    /// A count of marks (AccECN, RFC 9768); RFC 3168 with a peer that has no more.
    Accurate,
}

impl EcnMode {
    const WORDS: &'static [&'static str] = &["auto", "classic", "accurate"];
}

impl Read for EcnMode {
    fn kind() -> Kind {
        Kind::AnyOf(vec![Kind::Bool, Kind::Choice(Self::WORDS)])
    }
    fn read(node: &Node) -> Result<Self, Diagnostic> {
        if let Ok(is_on) = bool::read(node) {
            return Ok(if is_on { Self::Classic } else { Self::Off });
        }
        match node.as_text("true, false, \"auto\", \"classic\" or \"accurate\"")? {
            "auto" => Ok(Self::Auto),
            "classic" => Ok(Self::Classic),
            "accurate" => Ok(Self::Accurate),
            word => Err(unknown(word, "choice", node, Self::WORDS)),
        }
    }
    fn show(&self) -> String {
        match self {
            Self::Auto => "\"auto\"",
            Self::Off => "false",
            Self::Classic => "true",
            Self::Accurate => "\"accurate\"",
        }
        .into()
    }
}

#[cfg(test)]
mod tests {
    use farlink_kernel::Value;

    use super::*;

    #[test]
    fn the_words_of_before_keep_their_meaning() {
        let read = |value| EcnMode::read(&Node::new(value));
        assert_eq!(read(Value::Bool(true)), Ok(EcnMode::Classic));
        assert_eq!(read(Value::Bool(false)), Ok(EcnMode::Off));
        for mode in [EcnMode::Auto, EcnMode::Accurate] {
            assert_eq!(read(Value::Text(mode.show().trim_matches('"').into())), Ok(mode));
        }
        assert_eq!(read(Value::Text("classic".into())), Ok(EcnMode::Classic));
        assert!(read(Value::Text("accurat".into())).is_err());
    }
}
