//! What mobility models require of the positions that the scenario gives their nodes.

use std::collections::BTreeSet;

use farlink_kernel::config::Diagnostic;
use farlink_network::blueprint;
use farlink_network::mobility::scripted::Format;
use farlink_network::mobility::{Config, Placement};
use farlink_network::space::Position;

use crate::document::{Document, Node};
use crate::located::Located;

/// Refuses a position outside the model's area, or one that is written although the model draws its own.
pub(super) fn position(node: &Located<Node>, config: &Config) -> Result<(), Diagnostic> {
    match config.parameters().placement() {
        Placement::Within(area) if !area.contains(node.position) => {
            let message = format!("`{}` is outside the area it moves in", node.name);
            let remedy = "the area has a corner at (0, 0)";
            Err(if node.is_written() {
                node.refuse_at("position", message, remedy)
            } else {
                node.refuse(message, remedy)
            })
        }
        Placement::Drawn if node.has("position") => {
            let message = format!("the mobility model of `{}` draws its initial position", node.name);
            let remedy = "remove position, or write start = \"position\" in its mobility";
            Err(node.refuse_at("position", message, remedy))
        }
        _ => Ok(()),
    }
}

/// Refuses a written position other than the first one in the movement file.
pub(super) fn begin(node: &Located<Node>, begin: Position, file: &str) -> Result<(), Diagnostic> {
    if begin == node.position || !node.has("position") {
        return Ok(());
    }
    let message = format!("\"{file}\" gives `{}` another initial position", node.name);
    Err(node.refuse_at("position", message, "remove position, or write the one in the file"))
}

pub(super) struct Unplaced<'a> {
    pub node: usize,
    /// The movement file that could give one, with its format and the mobility that names it.
    pub file: Option<(Format, &'a str, &'a Located<Config>)>,
}

/// Refuses a node without a position that shares a channel with another node at the origin, where it would be, too.
pub(super) fn positions(
    document: &Document,
    nodes: &[blueprint::Node],
    unplaced: &[Unplaced<'_>],
) -> Result<(), Diagnostic> {
    if unplaced.is_empty() {
        return Ok(());
    }
    let name = |one: &Unplaced<'_>| document.nodes[one.node].name.as_str();
    for channel in &document.channels {
        let members: BTreeSet<&str> = channel.membership.nodes.iter().map(String::as_str).collect();
        let mut found = unplaced.iter().filter(|one| members.contains(name(one)));
        let Some(first) = found.next() else { continue };
        // Nodes that move part again.
        let at_origin = |(i, node): &(usize, &blueprint::Node)| {
            *i != first.node
                && matches!(node.mobility, Config::Static(_))
                && node.position == Position::default()
                && members.contains(&*node.name)
        };
        let is_listed = channel.has("nodes");
        if let Some(second) = found.next() {
            let files: BTreeSet<&str> = [first, second]
                .iter()
                .filter_map(|one| one.file.as_ref().map(|(_, path, _)| *path))
                .collect();
            let in_files =
                files.iter().map(|path| format!(", nor one in \"{path}\"")).collect::<Vec<_>>().concat();
            let message = format!(
                "neither `{}` nor `{}` has a position{in_files}: both would be at the origin",
                name(first),
                name(second)
            );
            return Err(without_position(document, second, message, is_listed));
        }
        let is_still = matches!(nodes[first.node].mobility, Config::Static(_));
        if let (true, Some((_, other))) = (is_still, nodes.iter().enumerate().find(at_origin)) {
            let message = format!(
                "`{}` has no position: it would be at the origin of channel `{}`, where `{}` is",
                name(first),
                channel.membership.name,
                other.name
            );
            return Err(without_position(document, first, message, is_listed));
        }
    }
    Ok(())
}

/// The diagnostic of a node without a position, at the key that would give one. The channel has all nodes if its own
/// are not listed.
fn without_position(document: &Document, one: &Unplaced<'_>, message: String, is_listed: bool) -> Diagnostic {
    let node = &document.nodes[one.node];
    if let Some((format, _, mobility)) = &one.file {
        let nodes = document.nodes.len();
        let line = match format {
            Format::Ns2 => format!("write $node_({}) set X_ 100.0 into the file, and one for Y_", one.node),
            Format::BonnMotion => format!("give the file a line for each of the {nodes} nodes"),
            Format::Fcd => format!("give the file a vehicle or person for each of the {nodes} nodes"),
        };
        return mobility.refuse_at("moves", message, line + ", or write positions");
    }
    if node.is_written() {
        let list = if is_listed { "" } else { ", or list the nodes of the channel" };
        let remedy = format!("add position = [\"100 m\", \"0 m\"], or a mobility that draws positions{list}");
        return node.refuse(message, remedy);
    }
    let remedy = "add attributes x and y in metres to the file's nodes, or a mobility that draws positions";
    node.refuse_at("path", message, remedy)
}
