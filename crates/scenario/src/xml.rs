//! Where something stands in an XML file that begins at `start` of the sources.

use std::ops::Range;

use farlink_kernel::config::Refusal;
use roxmltree::Node;

/// The first line of an element.
pub(crate) fn place(text: &str, start: usize, element: Node<'_, '_>) -> Range<usize> {
    let range = element.range();
    let length = text[range.clone()].lines().next().map_or(0, str::len);
    start + range.start..start + range.start + length
}

/// The refusal of a text that is no XML.
pub(crate) fn syntax(error: &roxmltree::Error, text: &str, start: usize) -> Refusal {
    let position = error.pos();
    let lines = text.split_inclusive('\n').take(position.row.saturating_sub(1) as usize);
    let at = start + lines.map(str::len).sum::<usize>() + position.col.saturating_sub(1) as usize;
    // The parser's message ends in the place, which stands in front of ours.
    let message = error.to_string();
    let message = message.rsplit_once(" at ").map_or(message.as_str(), |(message, _)| message);
    Refusal::new(at..at + 1, message, "")
}
