//! Directions of links, numbered as their interfaces: twice the link's number, and one more for its reverse.

use farlink_network::Blueprint;
use farlink_network::interface::link::Config;

/// The key of a property of a direction; one that both directions have in common is written once.
pub(super) fn key<T: PartialEq>(
    number: usize,
    name: &str,
    of: impl Fn(&Config) -> &T,
    blueprint: &Blueprint,
) -> String {
    let link = &blueprint.links[number / 2];
    let is_common = of(&link.forward) == of(&link.reverse);
    if is_common || number.is_multiple_of(2) { name.into() } else { format!("reverse.{name}") }
}
