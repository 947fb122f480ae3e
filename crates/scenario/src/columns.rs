//! Tables as CSV: lines of few fields, after a header or without one.

use std::ops::Range;

use csv::{ReaderBuilder, StringRecord, Trim};
use farlink_kernel::config::Diagnostic;

/// The limit on fields of a record: the reader of CSV holds all of them at once, eight bytes and more for each.
const MOST_FIELDS: usize = 64;

/// The text of a table, and where it begins in the sources.
#[derive(Clone, Copy)]
pub(crate) struct Table<'a> {
    pub(crate) text: &'a str,
    pub(crate) start: usize,
    /// The names of its columns, which the first line may hold; the last ones may be missing there.
    pub(crate) columns: &'a [&'a str],
    /// How its lines are to be written.
    pub(crate) remedy: &'a str,
}

impl Table<'_> {
    /// Takes the records one by one, without blank lines, comments and header: number, fields and place.
    pub(crate) fn each(
        &self,
        mut take: impl FnMut(usize, &StringRecord, Range<usize>) -> Result<(), Diagnostic>,
    ) -> Result<(), Diagnostic> {
        self.refuse_long_records()?;
        let mut reader = ReaderBuilder::new()
            .has_headers(false)
            .trim(Trim::All)
            .comment(Some(b'#'))
            .flexible(true)
            .from_reader(self.text.as_bytes());
        let records =
            reader.records().map(|record| record.expect("text in memory, of records of any length"));
        let is_blank = |record: &StringRecord| record.iter().eq([""]);
        for (number, record) in records.filter(|record| !is_blank(record)).enumerate() {
            let header = self.columns.get(..record.len()).filter(|_| number == 0 && record.len() > 1);
            if !header.is_some_and(|header| record.iter().eq(header.iter().copied())) {
                take(number, &record, self.place(record.position()))?;
            }
        }
        Ok(())
    }

    /// Takes the records of a table in which each has a number: a first line of names is a header of other columns.
    pub(crate) fn each_with_numbers(
        &self,
        mut take: impl FnMut(&StringRecord, Range<usize>) -> Result<(), Diagnostic>,
    ) -> Result<(), Diagnostic> {
        let is_name = |field: &str| !field.is_empty() && field.parse::<f64>().is_err();
        self.each(|number, record, at| {
            if number == 0 && record.iter().all(is_name) {
                return Err(self.refuse(&at, "the header names other columns"));
            }
            take(record, at)
        })
    }

    /// Takes the records of `COUNT` fields that are numbers; `None` for a record with another field.
    pub(crate) fn each_of_numbers<const COUNT: usize>(
        &self,
        mut take: impl FnMut(Option<[f64; COUNT]>, Range<usize>) -> Result<(), Diagnostic>,
    ) -> Result<(), Diagnostic> {
        self.each_with_numbers(|record, at| {
            if record.len() != COUNT {
                return Err(self.refuse(&at, "a line with another number of columns"));
            }
            let numbers: Vec<f64> = record.iter().filter_map(|field| field.parse().ok()).collect();
            take(numbers.try_into().ok(), at)
        })
    }

    pub(crate) fn refuse(&self, at: &Range<usize>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(at.clone(), message, self.remedy)
    }

    /// The line of the record at a position of the reader, which may be before blank lines and comments.
    fn place(&self, position: Option<&csv::Position>) -> Range<usize> {
        let mut at = position.map_or(0, |position| position.byte() as usize).min(self.text.len());
        for line in self.text[at..].split_inclusive('\n') {
            if !line.trim().is_empty() && !line.starts_with('#') {
                let start = self.start + at + line.len() - line.trim_start().len();
                return start..start + line.trim().len();
            }
            at += line.len();
        }
        self.start + at..self.start + at
    }

    /// Refuses lines of too many fields and quotes that do not end in their line, so that a record is never long.
    fn refuse_long_records(&self) -> Result<(), Diagnostic> {
        let mut at = self.start;
        for line in self.text.split_inclusive('\n') {
            let place = at..at + line.trim_end().len();
            at += line.len();
            if line.starts_with('#') {
                continue;
            }
            if line.bytes().filter(|&byte| byte == b',').nth(MOST_FIELDS - 1).is_some() {
                return Err(self.refuse(&place, format!("a line of more than {MOST_FIELDS} columns")));
            }
            if ends_in_quotes(line) {
                return Err(self.refuse(&place, "a quote that does not end in its line"));
            }
        }
        Ok(())
    }
}

/// True when a quoted field continues in the next line (RFC 4180 section 2, rules 5 to 7).
fn ends_in_quotes(line: &str) -> bool {
    #[derive(PartialEq)]
    enum At {
        Start,
        Plain,
        Quoted,
        Quote,
    }
    let end = line.bytes().fold(At::Start, |at, byte| match (at, byte) {
        (At::Quoted, b'"') => At::Quote,
        (At::Quoted, _) | (At::Start | At::Quote, b'"') => At::Quoted,
        // A carriage return alone ends a record, too.
        (_, b',' | b'\r') => At::Start,
        _ => At::Plain,
    });
    end == At::Quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The records of a text, or the refused part of the text and why.
    fn read(text: &str) -> Result<Vec<Vec<String>>, (&str, String)> {
        let table = Table { text, start: 0, columns: &["a", "b"], remedy: "" };
        let mut records = Vec::new();
        let end = table.each(|_, record, at| {
            if record.iter().any(|field| field == "bad") {
                return Err(table.refuse(&at, "bad"));
            }
            records.push(record.iter().map(str::to_owned).collect());
            Ok(())
        });
        end.map(|()| records).map_err(|error| (&text[error.span], error.message))
    }

    #[test]
    fn blank_lines_and_comments_are_no_records() {
        let one = Ok(vec![vec!["1".to_owned(), "x, y".to_owned()]]);
        assert_eq!(read("  \n\t\na,b\n# \"\n   \n1,\"x, y\"\n  "), one);
        assert_eq!(read(&format!("#{}\n1,\"x, y\"", ",".repeat(MOST_FIELDS))), one);
    }

    #[test]
    fn a_bad_line_after_comments_and_blank_lines_is_the_one_at_fault() {
        for before in ["", "# c\n# d\n", "\n  \n", "  \r\n#\r\n\r\n \t\n#,\n"] {
            for first in ["", "a,b\n", "1,2\r\n"] {
                let text = format!("{first}{before}bad,2\n3,4\n");
                assert_eq!(read(&text), Err(("bad,2", "bad".into())), "{text:?}");
            }
        }
    }

    #[test]
    fn a_record_is_one_line_of_limited_length() {
        let widest = ",".repeat(MOST_FIELDS - 1);
        assert_eq!(read(&widest).map(|records| records[0].len()), Ok(MOST_FIELDS));
        let wider = format!("1,2\n{widest},\n");
        let message = format!("a line of more than {MOST_FIELDS} columns");
        assert_eq!(read(&wider), Err((&wider[4..=4 + widest.len()], message)));
        for line in ["0,\"", "\"x\"y\",1,\"", "\"x\"\"", "1\r\"2"] {
            let text = format!("1,2\n{line}\n\",3\n");
            assert_eq!(read(&text), Err((line, "a quote that does not end in its line".into())), "{text:?}");
        }
        assert_eq!(read("1,2\"\n").map(|records| records[0][1].clone()), Ok("2\"".into()));
    }
}
