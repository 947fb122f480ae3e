//! Tables as CSV: lines of few fields, after a header or without one.

use std::ops::Range;

/// The limit on fields of a line: the reader of CSV holds all fields of a line at once, eight bytes and more for each.
pub(crate) const MOST_FIELDS: usize = 64;

pub(crate) const TOO_MANY: &str = "a line of more than 64 columns";
pub(crate) const OTHER_HEADER: &str = "the header names other columns";

/// The place of the first line of more fields, if there is one.
pub(crate) fn too_wide(text: &str) -> Option<Range<usize>> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.bytes().filter(|&byte| byte == b',').nth(MOST_FIELDS - 1).is_some() {
            return Some(at..at + line.trim_end().len());
        }
        at += line.len();
    }
    None
}

/// True for fields that are names: none is empty or a number.
pub(crate) fn is_header<'a>(mut fields: impl Iterator<Item = &'a str>) -> bool {
    fields.all(|field| !field.trim().is_empty() && field.trim().parse::<f64>().is_err())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_commas_is_found() {
        assert_eq!(too_wide(&format!("0,1\n{}\n", ",".repeat(64))), Some(4..68));
        assert_eq!(too_wide(&",".repeat(63)), None);
    }

    #[test]
    fn names_are_a_header_and_numbers_are_not() {
        assert!(is_header(["time", " Mbit/s"].into_iter()));
        assert!(!is_header(["time", "1"].into_iter()) && !is_header(["1", ""].into_iter()));
    }
}
