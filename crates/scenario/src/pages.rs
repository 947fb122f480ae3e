//! Files made from the list of models: a Python stub and the models' page of the documentation.

use farlink_kernel::Field;
use farlink_kernel::config::Model;

use farlink_network::blueprint::Radio;
use farlink_network::phy::antenna;

use crate::catalogue::{describe, plug_points, ready};
use crate::document::Membership;
use crate::link::{Duplex, between};

/// A Python stub with the names of the registered models as `Literal` types.
pub fn python_names() -> String {
    let mut text = String::from(
        "# Made by `make docs`; do not edit.\n\
         from typing import Literal, TypeAlias\n",
    );
    for (kind, models) in plug_points() {
        let mut names: Vec<&str> = models.iter().map(|model| model.name).collect();
        if kind == "congestion_control" {
            names.push(crate::tcp::NEWRENO);
        }
        text += &literal(&camel_case(kind), &names);
    }
    text += &literal("Preset", farlink_tcp::config::Preset::WORDS);
    text + &literal("Ready", &ready().iter().map(|ready| ready.name).collect::<Vec<_>>())
}

/// A type alias in the layout of Python's formatters.
fn literal(name: &str, words: &[&str]) -> String {
    if let [word] = words {
        return format!("\n{name}: TypeAlias = Literal[\"{word}\"]\n");
    }
    let words: Vec<String> = words.iter().map(|word| format!("    \"{word}\",\n")).collect();
    format!("\n{name}: TypeAlias = Literal[\n{}]\n", words.concat())
}

fn camel_case(word: &str) -> String {
    let capital = |part: &str| part[..1].to_uppercase() + &part[1..];
    word.split('_').map(capital).collect()
}

/// The models' page of the documentation, in Markdown.
pub fn models_page() -> String {
    let mut page = String::from(
        "# Models\n\n\
         Made by `make docs` from the models' own declarations; do not edit. A model is named under its key in a\n\
         [scenario file](guide/scenario.md): by its bare name, or by a table with `name` and parameters.\n",
    );
    for (kind, models) in plug_points() {
        page.push_str("\n## ");
        page.push_str(kind);
        page.push('\n');
        page.extend(models.iter().map(section));
    }
    for (title, doc, fields) in tables() {
        page.extend(["\n## ", title, "\n\n", doc, "\n", &parameters(&fields)]);
    }
    page
}

/// The tables of a scenario that are no models: title, what they are, keys.
fn tables() -> [(&'static str, &'static str, Vec<Field>); 4] {
    let link = [vec![between()], Duplex::fields()].concat();
    let channel = [Membership::fields(), Radio::fields()].concat();
    [
        ("Links", "An item of `[[links]]`: a wire or a satellite hop.", link),
        (
            "Channels",
            "An item of `[[channels]]`; `[radio]` is one with all nodes and without their list.",
            channel,
        ),
        ("Antennas", "The `antenna` table of a channel: half duplex.", antenna::Config::fields()),
        (
            "Options of TCP",
            "The `tcp` table of a flow; the defaults are those of the preset `rfc`.",
            farlink_tcp::Config::fields(),
        ),
    ]
}

fn section(model: &Model) -> String {
    let Model { name, doc, source, fields } = model;
    format!("\n### `{name}`\n\n{doc} Source: {source}.\n{}", parameters(fields))
}

fn parameters(fields: &[Field]) -> String {
    if fields.is_empty() {
        return String::new();
    }
    let cell = |text: &str| text.replace('|', "\\|");
    let row = |field: &Field| {
        let default = field.default.as_deref().map_or_else(|| "required".into(), |text| format!("`{text}`"));
        format!(
            "| `{}` | {} | {} | {} |\n",
            field.name,
            cell(&default),
            cell(&describe(&field.kind)),
            cell(field.doc)
        )
    };
    let rows: Vec<String> = fields.iter().map(row).collect();
    format!("\n| parameter | default | what it may be | meaning |\n|---|---|---|---|\n{}", rows.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_names_in_python() {
        assert_eq!(camel_case("congestion_control"), "CongestionControl");
        assert!(python_names().contains("Queue: TypeAlias = Literal[\n    \"drop_tail\",\n"));
    }

    #[test]
    fn every_model_has_its_section() {
        let page = models_page();
        for (kind, models) in plug_points() {
            for model in models {
                assert!(page.contains(&format!("### `{}`", model.name)), "{kind} {}", model.name);
            }
        }
    }
}
