//! Networks as CSV: a file of nodes, and one of links.

use std::collections::{BTreeMap, BTreeSet};

use farlink_kernel::config::{Diagnostic, Span};
use farlink_network::space::{Metres, Position};

use super::super::{Fault, Text, unknown_node};
use crate::columns;

/// Lines of `name,x_m,y_m` or `name,x_m,y_m,z_m`, after a header if there is one.
pub(super) fn nodes(file: &Text) -> Result<Vec<(String, Position)>, Fault> {
    let remedy = "write lines of name,x_m,y_m";
    let header = ["name", "x_m", "y_m", "z_m"];
    let records = records(file, |fields| fields.iter().eq(&header[..fields.len().min(4)]), remedy)?;
    if records.is_empty() {
        return Err(Fault::Line(Diagnostic::new(file.start..file.start, "there are no nodes", remedy)));
    }
    let mut names = BTreeSet::new();
    let node = |(number, (fields, at)): (usize, (Vec<String>, Span))| {
        let refuse = |message: &str| Fault::Line(Diagnostic::new(at.clone(), message, remedy));
        if number == 0 && fields.len() > 1 && columns::is_header(fields.iter().map(String::as_str)) {
            return Err(refuse(columns::OTHER_HEADER));
        }
        let coordinate = |field: &String| {
            Metres::parse_coordinate(field).map_err(|what| refuse(&format!("a coordinate {what}")))
        };
        let position = match &fields[1..] {
            [x, y] => Position { x: coordinate(x)?, y: coordinate(y)?, z: Metres(0.0) },
            [x, y, z] => Position { x: coordinate(x)?, y: coordinate(y)?, z: coordinate(z)? },
            _ => return Err(refuse("expected a name and two or three numbers")),
        };
        if fields[0].is_empty() {
            return Err(refuse("a node without a name"));
        }
        if !names.insert(fields[0].clone()) {
            let message = "an earlier line has a node of this name";
            return Err(Fault::Line(Diagnostic::new(at, message, "give each node a name of its own")));
        }
        Ok((fields[0].clone(), position))
    };
    records.into_iter().enumerate().map(node).collect()
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
    let records = records(file, |fields| fields == ["from", "to"], remedy)?;
    let mut seen = BTreeSet::new();
    let mut opposite: Vec<Span> = Vec::new();
    let link = |(line, (fields, at)): (usize, (Vec<String>, Span))| {
        let [from, to] = &fields[..] else {
            return Err(Fault::Line(Diagnostic::new(at, "expected two names", remedy)));
        };
        if line == 0 && ![from, to].iter().any(|name| numbers.contains_key(name.as_str())) {
            let message = "neither node is known, or the header names other columns";
            return Err(Fault::Line(Diagnostic::new(at, message, remedy)));
        }
        let number = |name: &str| {
            numbers.get(name).copied().ok_or_else(|| {
                let known: Vec<&str> = numbers.keys().copied().collect();
                unknown_node(name, at.clone(), &known)
            })
        };
        let ends = [number(from)?, number(to)?];
        if ends[0] == ends[1] {
            let message = "a link from a node to itself";
            return Err(Fault::Line(Diagnostic::new(at.clone(), message, "name two nodes")));
        }
        seen.insert(ends);
        if seen.contains(&[ends[1], ends[0]]) {
            opposite.push(at);
        }
        Ok(ends)
    };
    let links = records.into_iter().enumerate().map(link).collect();
    if let Some(first) = opposite.first() {
        let message = format!("links whose nodes an earlier line has in the other order: {}", opposite.len());
        let remedy = "a link has two directions: write it in one line, or there are two links";
        doubtful.push(Diagnostic::new(first.clone(), message, remedy));
    }
    links
}

/// The limit on lines of a file, which take a quarter of a gigabyte of memory.
const MOST_LINES: usize = 1_000_000;

/// The records with their places, without the header.
fn records(
    file: &Text,
    is_header: impl Fn(&[String]) -> bool,
    remedy: &str,
) -> Result<Vec<(Vec<String>, Span)>, Fault> {
    let Text { text, start } = file;
    if let Some(place) = columns::too_wide(text) {
        let place = start + place.start..start + place.end;
        return Err(Fault::Line(Diagnostic::new(place, columns::TOO_MANY, remedy)));
    }
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .trim(csv::Trim::All)
        .comment(Some(b'#'))
        .flexible(true)
        .from_reader(text.as_bytes());
    let mut records = Vec::new();
    for record in reader.records() {
        let place = |position: Option<&csv::Position>| {
            let at = position.map_or(0, |position| position.byte() as usize).min(text.len());
            let length = text[at..].lines().next().map_or(0, str::len);
            start + at..start + at + length
        };
        let record = record.map_err(|error| {
            Fault::Line(Diagnostic::new(place(error.position()), "a line that is no CSV", remedy))
        })?;
        let fields: Vec<String> = record.iter().map(ToOwned::to_owned).collect();
        if records.len() == MOST_LINES {
            let message = format!("more than {MOST_LINES} lines");
            return Err(Fault::Line(Diagnostic::new(
                place(record.position()),
                message,
                "write a smaller network",
            )));
        }
        if !(records.is_empty() && is_header(&fields)) {
            records.push((fields, place(record.position())));
        }
    }
    Ok(records)
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
