//! The `tcp` table: a preset first, the user's keys over it.

use farlink_kernel::Bytes;
use farlink_kernel::config::{Diagnostic, Entry, Kind, Node, Read, Value};
use farlink_tcp::config::{InitialWindow, Preset};
use farlink_tcp::preset::congestion_control;
use farlink_tcp::{Config, congestion};

/// The largest payload of an IPv4 packet (65 535 B) with a TCP header (20 B + 20 B) and timestamps (12 B).
const LARGEST_SEGMENT: Bytes = Bytes(65_483);

/// The name of Reno with NewReno's recovery (RFC 6582), as a congestion control of its own.
pub(crate) const NEWRENO: &str = "newreno";

/// The options of a flow's TCP.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tcp(pub Config);

impl Read for Tcp {
    fn kind() -> Kind {
        let mut fields = Config::fields();
        for field in fields.iter_mut().filter(|field| field.name == "congestion_control") {
            field.kind = Kind::AnyOf(vec![Kind::Choice(&[NEWRENO]), field.kind.clone()]);
        }
        Kind::Table(fields)
    }

    fn read(node: &Node) -> Result<Self, Diagnostic> {
        let preset = match node.get("preset") {
            Some(word) => Preset::read(word)?,
            None => Preset::Rfc,
        };
        let base = Config::preset(preset);
        let written = written_out(node, &base);
        let table = written.as_ref().unwrap_or(node);
        let mut config = Config::read_over(base, table, &[])?;
        // The preset also sets the parameters of the congestion control that is chosen by name.
        if let Some(chosen) = table.get("congestion_control")
            && let Some(base) = congestion_control(preset, config.congestion_control.name())
        {
            config.congestion_control = congestion::Config::read_over(base, chosen)?;
        }
        check(&config, node)?;
        Ok(Self(config))
    }

    fn show(&self) -> String {
        self.0.show()
    }
}

/// The table with `newreno` replaced, if it is chosen: by `reno`, and NewReno's recovery unless the table or the
/// preset gives a recovery.
fn written_out(node: &Node, preset: &Config) -> Option<Node> {
    let mut written = node.clone();
    let Value::Table(entries) = &mut written.value else { return None };
    let chosen = &mut entries.iter_mut().find(|entry| entry.key == "congestion_control")?.node;
    let name = match &mut chosen.value {
        Value::Table(model) => &mut model.iter_mut().find(|entry| entry.key == "name")?.node,
        _ => chosen,
    };
    if name.value != Value::Text(NEWRENO.into()) {
        return None;
    }
    name.value = Value::Text("reno".into());
    if node.get("recovery").is_none() && preset.recovery.name() != NEWRENO {
        let recovery = name.with(Value::Text(NEWRENO.into()));
        entries.push(Entry { key: "recovery".into(), span: recovery.span.clone(), node: recovery });
    }
    Some(written)
}

/// Refuses options that do not go together.
fn check(config: &Config, node: &Node) -> Result<(), Diagnostic> {
    let refuse = |key: &str, message: String, remedy: &str| Err(node.refuse_at(key, message, remedy));
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
    if config.receive_buffer < size {
        let message = format!("a buffer of {} does not hold a segment of {size}", config.receive_buffer);
        return refuse("receive_buffer", message, "write a larger buffer or smaller segments");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tcp(text: &str) -> Config {
        Tcp::read(&crate::text::read_value(text, 0, "".into()).unwrap()).unwrap().0
    }

    #[test]
    fn the_preset_comes_first_wherever_it_is_written() {
        let config = tcp("{ min_rto = \"300 ms\", preset = \"linux\" }");
        assert_eq!((config.min_rto.as_millis(), config.max_rto.as_millis()), (300, 120_000));
    }

    #[test]
    fn the_preset_sets_the_parameters_of_the_congestion_control_unless_they_are_given() {
        let parameters = |text| tcp(text).congestion_control.show();
        let module = parameters("{ preset = \"ns2_linux\", congestion_control = \"hybla\" }");
        assert!(module.contains("start = \"rho\""), "{module}");
        let given =
            "{ preset = \"ns2_linux\", congestion_control = { name = \"hybla\", start = \"scaled\" } }";
        let given = parameters(given);
        assert!(given.contains("start = \"scaled\"") && given.contains("after_timeout = \"one\""), "{given}");
    }

    #[test]
    fn newreno_is_reno_with_its_own_recovery() {
        for text in
            ["{ congestion_control = \"newreno\" }", "{ congestion_control = { name = \"newreno\" } }"]
        {
            let config = tcp(text);
            assert_eq!((config.congestion_control.name(), config.recovery.name()), ("reno", "newreno"));
        }
        let config = tcp("{ congestion_control = \"newreno\", recovery = \"sack\" }");
        assert_eq!(config.recovery.name(), "sack");
        let config = tcp("{ congestion_control = \"newreno\", preset = \"ns2\" }");
        assert_eq!(config.recovery, Config::preset(Preset::Ns2).recovery);
    }
}
