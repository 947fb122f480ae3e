//! Networks as CSV: a file of nodes, and one of links.

use std::collections::{BTreeMap, BTreeSet};

use farlink_kernel::config::{Diagnostic, Span};
use farlink_network::space::{Metres, Position};

use super::super::{Fault, Text, unknown_node};
use crate::columns::Table;

/// The limit on lines of a file, which take a quarter of a gigabyte of memory.
const MOST_LINES: usize = 1_000_000;

/// Lines of `name,x_m,y_m` or `name,x_m,y_m,z_m`, after a header if there is one.
pub(super) fn nodes(file: &Text) -> Result<Vec<(String, Position)>, Fault> {
    let (remedy, columns) = ("write lines of name,x_m,y_m", &["name", "x_m", "y_m", "z_m"][..]);
    let table = Table { text: &file.text, start: file.start, columns, remedy };
    let (mut nodes, mut names) = (Vec::new(), BTreeSet::new());
    let read = table.each_with_numbers(|record, at| {
        check_length(nodes.len(), &at)?;
        let coordinate = |field: &str| {
            Metres::parse_coordinate(field).map_err(|what| table.refuse(&at, format!("a coordinate {what}")))
        };
        let fields: Vec<&str> = record.iter().collect();
        let position = match fields[1..] {
            [x, y] => Position { x: coordinate(x)?, y: coordinate(y)?, z: Metres(0.0) },
            [x, y, z] => Position { x: coordinate(x)?, y: coordinate(y)?, z: coordinate(z)? },
            _ => return Err(table.refuse(&at, "expected a name and two or three numbers")),
        };
        if fields[0].is_empty() {
            return Err(table.refuse(&at, "a node without a name"));
        }
        if !names.insert(fields[0].to_owned()) {
            let message = "an earlier line has a node of this name";
            return Err(Diagnostic::new(at, message, "give each node a name of its own"));
        }
        nodes.push((fields[0].to_owned(), position));
        Ok(())
    });
    read.map_err(Fault::Line)?;
    if nodes.is_empty() {
        return Err(Fault::Line(table.refuse(&(file.start..file.start), "there are no nodes")));
    }
    Ok(nodes)
}

/// Lines of `from,to`, after a header if there is one. A warning goes to `doubtful` where lines name the same nodes in both orders:
/// they are two links, each with two directions.
pub(super) fn links(
    file: &Text,
    nodes: &[(String, Position)],
    doubtful: &mut Vec<Diagnostic>,
) -> Result<Vec<[usize; 2]>, Fault> {
    let numbers: BTreeMap<&str, usize> =
        nodes.iter().enumerate().map(|(i, (name, _))| (name.as_str(), i)).collect();
    let remedy = "write lines of from,to";
    let table = Table { text: &file.text, start: file.start, columns: &["from", "to"], remedy };
    let (mut links, mut seen) = (Vec::new(), BTreeSet::new());
    let mut opposite: Vec<Span> = Vec::new();
    let read = table.each(|line, record, at| {
        check_length(links.len(), &at)?;
        let &[from, to] = &record.iter().collect::<Vec<_>>()[..] else {
            return Err(table.refuse(&at, "expected two names"));
        };
        if line == 0 && ![from, to].iter().any(|name| numbers.contains_key(name)) {
            return Err(table.refuse(&at, "neither node is known, or the header names other columns"));
        }
        let number = |name: &str| {
            numbers.get(name).copied().ok_or_else(|| {
                let known: Vec<&str> = numbers.keys().copied().collect();
                unknown_node(name, at.clone(), &known)
            })
        };
        let ends = [number(from)?, number(to)?];
        if ends[0] == ends[1] {
            return Err(Diagnostic::new(at.clone(), "a link from a node to itself", "name two nodes"));
        }
        seen.insert(ends);
        if seen.contains(&[ends[1], ends[0]]) {
            opposite.push(at);
        }
        links.push(ends);
        Ok(())
    });
    read.map_err(Fault::Line)?;
    if let Some(first) = opposite.first() {
        let message = format!("links whose nodes an earlier line has in the other order: {}", opposite.len());
        let remedy = "a link has two directions: write it in one line, or there are two links";
        doubtful.push(Diagnostic::new(first.clone(), message, remedy));
    }
    Ok(links)
}

fn check_length(lines: usize, at: &Span) -> Result<(), Diagnostic> {
    if lines < MOST_LINES {
        return Ok(());
    }
    let message = format!("more than {MOST_LINES} lines");
    Err(Diagnostic::new(at.clone(), message, "write a smaller network"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Text {
        Text { text: text.into(), start: 100 }
    }

    fn linked(file: &str, nodes: &[(String, Position)]) -> Result<Vec<[usize; 2]>, Fault> {
        links(&text(file), nodes, &mut Vec::new())
    }

    #[test]
    fn links_in_both_orders_are_two_and_one_warning() {
        let known = ["a", "b", "c"].map(|name| (name.to_owned(), Position::default()));
        let mut doubtful = Vec::new();
        let found = links(&text("a,b\na,b\nb,c\nb,a\nc,b\n"), &known, &mut doubtful).unwrap();
        assert_eq!(found, [[0, 1], [0, 1], [1, 2], [1, 0], [2, 1]]);
        let [warning] = &doubtful[..] else { panic!("{doubtful:?}") };
        assert_eq!((warning.span.clone(), warning.message.ends_with(": 2")), (112..115, true));
    }

    #[test]
    fn nodes_and_neighbours_come_from_two_tables() {
        let file = text("name,x_m,y_m\n# the gateway\nwest, -3, 4e1\neast,5,6,7\n");
        let nodes = nodes(&file).unwrap();
        let at = |x, y, z| Position { x: Metres(x), y: Metres(y), z: Metres(z) };
        assert_eq!(nodes, [("west".to_owned(), at(-3.0, 40.0, 0.0)), ("east".to_owned(), at(5.0, 6.0, 7.0))]);
        assert_eq!(linked("from,to\neast,west\n", &nodes).unwrap(), [[1, 0]]);
        assert_eq!(linked("west,east", &nodes).unwrap(), [[0, 1]]);
        assert_eq!(linked("  \nfrom,to\n\t\nwest,east\n  ", &nodes).unwrap(), [[0, 1]]);
    }

    #[test]
    fn a_bad_line_is_refused_at_its_place() {
        let refused = |fault: Fault| match fault {
            Fault::Line(diagnostic) => (diagnostic.span, diagnostic.message),
            Fault::Key(..) => panic!("no place"),
        };
        let place = |file: &str| refused(nodes(&text(file)).unwrap_err()).0;
        assert_eq!(place("a,1,2\nb,1\n"), 106..109);
        assert_eq!(place("a,1,2\nb,1,north\n"), 106..115);
        assert_eq!(place("name,x_m,y_m\n   \n# b\nb,1\nc,0,0\n"), 121..124);
        let message = |file: &str| refused(nodes(&text(file)).unwrap_err()).1;
        assert_eq!(
            (place("a,1,2\na,1,3\n"), message("a,1,2\na,1,3\n").as_str()),
            (106..111, "an earlier line has a node of this name")
        );
        assert_eq!(message(",1,2\n"), "a node without a name");
        assert_eq!((place("name,x_m,y_m\n"), message("").as_str()), (100..100, "there are no nodes"));
        let known = [("a".to_owned(), Position::default()), ("b".to_owned(), Position::default())];
        let (span, message) = refused(linked("a,b\na,c\n", &known).unwrap_err());
        assert_eq!((span, message.as_str()), (104..107, "an unknown node"));
        assert_eq!(refused(linked("a,a\n", &known).unwrap_err()).1, "a link from a node to itself");
        let many = "a,b\n".repeat(MOST_LINES);
        assert_eq!(linked(&many, &known).unwrap().len(), MOST_LINES);
        let (_, message) = refused(linked(&(many + "a,b\n"), &known).unwrap_err());
        assert_eq!(message, "more than 1000000 lines");
    }
}
