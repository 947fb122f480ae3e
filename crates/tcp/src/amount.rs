//! [`Amount`]: a size a user gives in packets or in bytes: `"5000 packets"`, `"64 kB"`.

use farlink_kernel::config::{Diagnostic, Kind, Node, Read, Value};
use farlink_kernel::{Bytes, units};

/// A limit in packets or in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// So many packets (for windows: segments of the full size).
    Packets(u64),
    /// So many bytes.
    Bytes(Bytes),
}

impl Amount {
    /// The amount in bytes, given segments of `segment_size` bytes.
    pub fn bytes(self, segment_size: Bytes) -> u64 {
        match self {
            Self::Packets(count) => count.saturating_mul(segment_size.0),
            Self::Bytes(bytes) => bytes.0,
        }
    }

    fn is_zero(self) -> bool {
        matches!(self, Self::Packets(0) | Self::Bytes(Bytes(0)))
    }

    /// The amount in segments of `segment_size` bytes.
    pub fn segments(self, segment_size: Bytes) -> f64 {
        match self {
            Self::Packets(count) => count as f64,
            Self::Bytes(bytes) => bytes.0 as f64 / segment_size.0 as f64,
        }
    }
}

impl Read for Amount {
    fn kind() -> Kind {
        let units = ["packets"].iter().chain(units::SIZE.units.iter().map(|(name, _)| name));
        let quantity = Kind::Quantity {
            what: "a size in packets or bytes",
            units: units.copied().collect(),
            example: "50 packets",
        };
        Kind::AnyOf(vec![quantity, Kind::Integer { min: 1 }])
    }

    fn read(node: &Node) -> Result<Self, Diagnostic> {
        let amount = read(node)?;
        if amount.is_zero() {
            let remedy = "write at least \"1 packets\"";
            return Err(node.refuse("nothing fits into a size of zero", remedy));
        }
        Ok(amount)
    }

    fn show(&self) -> String {
        match self {
            Self::Packets(count) => format!("\"{count} packets\""),
            Self::Bytes(bytes) => format!("\"{bytes}\""),
        }
    }
}

/// A whole number counts packets, as `limit_` of ns-2's queues and `txqueuelen` of Linux do.
fn read(node: &Node) -> Result<Amount, Diagnostic> {
    if let Value::Integer(count) = node.value {
        let remedy = "write a whole number, such as \"50 packets\"";
        let refuse = |_| node.refuse(format!("{count} is no number of packets"), remedy);
        return count.try_into().map(Amount::Packets).map_err(refuse);
    }
    let text = node.as_text("a size such as \"50 packets\" or \"64 kB\"")?;
    if let Some(count) = text.trim().strip_suffix("packets") {
        let remedy = "write a whole number, such as \"50 packets\"";
        let refuse = |_| node.refuse(format!("\"{text}\" is no number of packets"), remedy);
        return count.trim().parse().map(Amount::Packets).map_err(refuse);
    }
    let refuse = |message: String| node.refuse(message, "or a number of packets: \"50 packets\"");
    let bytes = units::SIZE.parse(text).map_err(refuse)?;
    if bytes < 0.0 {
        return Err(refuse("a size must not be negative".into()));
    }
    Ok(Amount::Bytes(Bytes(bytes.round() as u64)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_packets_or_bytes() {
        assert_eq!(Amount::read(&Node::text("5000 packets")), Ok(Amount::Packets(5000)));
        assert_eq!(Amount::read(&Node::text("64 kB")), Ok(Amount::Bytes(Bytes(64_000))));
        assert!(Amount::read(&Node::text("5.5 packets")).is_err());
        assert!(Amount::read(&Node::text("0 packets")).is_err());
        assert!(Amount::read(&Node::text("0 kB")).is_err());
        assert!(Amount::read(&Node::text("5 packet")).is_err(), "the schema knows `packets` only");
        assert!(Amount::read(&Node::text("50")).unwrap_err().message.contains("no unit"));
    }
}
