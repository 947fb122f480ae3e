//! Tables as CSV: lines of few fields, after a header or without one.

use std::ops::Range;

use csv::{ReaderBuilder, StringRecord, Trim};
use farlink_kernel::config::Diagnostic;

/// The limit on fields of a line: the reader of CSV holds all fields of a line at once, eight bytes and more for each.
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
    /// Takes the lines one by one, without empty lines, comments and header: number, fields and place.
    pub(crate) fn each(
        &self,
        mut take: impl FnMut(usize, &StringRecord, Range<usize>) -> Result<(), Diagnostic>,
    ) -> Result<(), Diagnostic> {
        if let Some(at) = self.too_wide() {
            return Err(self.refuse(&at, format!("a line of more than {MOST_FIELDS} columns")));
        }
        let mut reader = ReaderBuilder::new()
            .has_headers(false)
            .trim(Trim::All)
            .comment(Some(b'#'))
            .flexible(true)
            .from_reader(self.text.as_bytes());
        for (number, record) in reader.records().enumerate() {
            let record = record
                .map_err(|error| self.refuse(&self.place(error.position()), "a line that is no CSV"))?;
            let header = self.columns.get(..record.len()).filter(|_| number == 0 && record.len() > 1);
            if !header.is_some_and(|header| record.iter().eq(header.iter().copied())) {
                take(number, &record, self.place(record.position()))?;
            }
        }
        Ok(())
    }

    /// The same for lines of which each has a number: a first line of names is a header of other columns.
    pub(crate) fn each_with_numbers(
        &self,
        mut take: impl FnMut(&StringRecord, Range<usize>) -> Result<(), Diagnostic>,
    ) -> Result<(), Diagnostic> {
        let is_name = |field: &str| !field.is_empty() && field.parse::<f64>().is_err();
        self.each(|number, record, at| {
            if number == 0 && record.len() > 1 && record.iter().all(is_name) {
                return Err(self.refuse(&at, "the header names other columns"));
            }
            take(record, at)
        })
    }

    pub(crate) fn refuse(&self, at: &Range<usize>, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(at.clone(), message, self.remedy)
    }

    /// The line at a position of the reader, which may be before empty lines.
    fn place(&self, position: Option<&csv::Position>) -> Range<usize> {
        let at = position.map_or(0, |position| position.byte() as usize).min(self.text.len());
        let rest = self.text[at..].trim_start();
        let at = self.start + self.text.len() - rest.len();
        at..at + rest.lines().next().map_or(0, str::len)
    }

    /// The place of the first line of too many fields, if there is one.
    fn too_wide(&self) -> Option<Range<usize>> {
        let mut at = self.start;
        for line in self.text.split_inclusive('\n') {
            if line.bytes().filter(|&byte| byte == b',').nth(MOST_FIELDS - 1).is_some() {
                return Some(at..at + line.trim_end().len());
            }
            at += line.len();
        }
        None
    }
}

/// The fields as numbers, if they are so many.
pub(crate) fn numbers<const COUNT: usize>(record: &StringRecord) -> Option<[f64; COUNT]> {
    let numbers: Vec<f64> = record.iter().filter_map(|field| field.parse().ok()).collect();
    numbers.try_into().ok().filter(|_| record.len() == COUNT)
}
