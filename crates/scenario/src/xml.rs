//! XML files, and the places of their elements in the sources.

use std::ops::Range;

use farlink_kernel::config::Diagnostic;
use roxmltree::{Document, Node, ParsingOptions};

/// The limit on elements, texts and comments of a document, which take a gigabyte of memory.
const MOST_NODES: u32 = 10_000_000;

/// The limits on attributes of an element and on declarations of namespaces: the parser compares each with all others.
const MOST_ATTRIBUTES: usize = 1000;
const MOST_NAMESPACES: usize = 100;

pub(crate) fn parse(text: &str) -> Result<Document<'_>, roxmltree::Error> {
    // A `<` begins every element; within attributes it is not allowed.
    let attributes = |part: &str| part.bytes().filter(|&byte| byte == b'=').count();
    if text.matches("xmlns").nth(MOST_NAMESPACES).is_some() {
        return Err(roxmltree::Error::NamespacesLimitReached);
    }
    if text.split('<').any(|part| attributes(part) > MOST_ATTRIBUTES) {
        return Err(roxmltree::Error::AttributesLimitReached);
    }
    let options = ParsingOptions { nodes_limit: MOST_NODES, ..ParsingOptions::default() };
    Document::parse_with_options(text, options)
}

/// The first line of an element.
pub(crate) fn place(text: &str, start: usize, element: Node<'_, '_>) -> Range<usize> {
    let range = element.range();
    let length = text[range.clone()].lines().next().map_or(0, str::len);
    start + range.start..start + range.start + length
}

/// The diagnostic of a text that is not well-formed XML.
pub(crate) fn syntax(error: &roxmltree::Error, text: &str, start: usize) -> Diagnostic {
    let position = error.pos();
    let lines = text.split_inclusive('\n').take(position.row.saturating_sub(1) as usize);
    let at = start + lines.map(str::len).sum::<usize>() + position.col.saturating_sub(1) as usize;
    Diagnostic::new(at..at + 1, message(error), "")
}

/// The parser's message without the place, which our message begins with, and without names from the file.
fn message(error: &roxmltree::Error) -> String {
    use roxmltree::Error;
    match error {
        Error::NodesLimitReached => format!("more than {MOST_NODES} elements and texts"),
        Error::AttributesLimitReached => format!("an element of more than {MOST_ATTRIBUTES} attributes"),
        Error::NamespacesLimitReached => format!("more than {MOST_NAMESPACES} namespaces"),
        Error::UnexpectedCloseTag(..) => "an end tag does not match its start tag".into(),
        Error::DuplicatedAttribute(..) => "an attribute is given twice".into(),
        Error::DuplicatedNamespace(..) => "a namespace is declared twice".into(),
        Error::UnknownNamespace(..) => "an unknown namespace prefix".into(),
        Error::UnknownEntityReference(..) => "an unknown entity reference".into(),
        other => {
            let message = other.to_string();
            message.rsplit_once(" at ").map_or(message.as_str(), |(message, _)| message).into()
        }
    }
}
