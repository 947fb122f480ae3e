//! The `tcp` table: a preset first, the user's keys over it.

use farlink_kernel::Bytes;
use farlink_kernel::config::{Kind, Node, Read, Refusal};
use farlink_tcp::Config;
use farlink_tcp::config::{InitialWindow, Preset};

/// The largest payload of an IPv4 packet (65 535 B) with a TCP header (20 B + 20 B) and timestamps (12 B).
const LARGEST_SEGMENT: Bytes = Bytes(65_483);

/// The options of a flow's TCP.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tcp(pub Config);

impl Read for Tcp {
    fn kind() -> Kind {
        Kind::Table(Config::fields())
    }

    fn read(node: &Node) -> Result<Self, Refusal> {
        let preset = match node.get("preset") {
            Some(word) => Preset::read(word).map_err(|refusal| refusal.within("preset"))?,
            None => Preset::Rfc,
        };
        let config = Config::read_over(Config::preset(preset), node, &[])?;
        check(&config, node)?;
        Ok(Self(config))
    }

    fn show(&self) -> String {
        self.0.show()
    }
}

/// What the options demand of one another.
fn check(config: &Config, node: &Node) -> Result<(), Refusal> {
    let refuse = |key: &str, message: String, remedy: &str| {
        let span = node.get(key).map_or_else(|| node.span.clone(), |at| at.span.clone());
        Err(Refusal::new(span, message, remedy).within(key))
    };
    let size = config.segment_size;
    if size.0 == 0 || size > LARGEST_SEGMENT {
        let message = format!("a segment of {size}");
        return refuse("segment_size", message, &format!("write 1 B to {} B", LARGEST_SEGMENT.0));
    }
    let windows = [
        ("max_window", config.max_window),
        (
            "initial_window",
            match config.initial_window {
                InitialWindow::Fixed(amount) => Some(amount),
                _ => None,
            },
        ),
    ];
    for (key, window) in windows {
        if window.is_some_and(|window| window.segments(size) < 1.0) {
            return refuse(
                key,
                "a window below one segment never opens".into(),
                "write at least \"1 packets\"",
            );
        }
    }
    if config.min_rto > config.max_rto {
        let message =
            format!("the smallest timeout, {}, is above the largest, {}", config.min_rto, config.max_rto);
        return refuse("min_rto", message, "lower min_rto or raise max_rto");
    }
    Ok(())
}
