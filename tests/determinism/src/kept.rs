//! The file with the hashes: `scenario,table,column,hash,mean`, a line per column, sorted.
//!
//! A line stands for itself, so that a new column adds lines and changes none.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use csv::{ReaderBuilder, StringRecord};

use crate::column::Summary;
use crate::run::Columns;

const HEADER: [&str; 5] = ["scenario", "table", "column", "hash", "mean"];

/// Where the hashes are kept.
pub fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("hashes.csv")
}

/// Reads the hashes from `text`; a line that is none is named.
pub fn parse(text: &str) -> Result<Columns, String> {
    let mut reader = ReaderBuilder::new().from_reader(text.as_bytes());
    if reader.headers().map_err(|fault| fault.to_string())? != &StringRecord::from(&HEADER[..]) {
        return Err(format!("line 1 is not {}", HEADER.join(",")));
    }
    let mut columns = Columns::new();
    for (number, record) in (2..).zip(reader.records()) {
        let record = record.map_err(|fault| fault.to_string())?;
        let [scenario, table, column, hash, mean] = std::array::from_fn(|field| record[field].to_owned());
        let mean = match mean.as_str() {
            "" => None,
            mean => Some(mean.parse().map_err(|_| format!("line {number}: the mean {mean} is no number"))?),
        };
        columns.insert((scenario, table, column), Summary { hash, mean });
    }
    Ok(columns)
}

/// The text of the file.
pub fn text(columns: &Columns) -> String {
    let mut text = HEADER.join(",") + "\n";
    for ((scenario, table, column), Summary { hash, mean }) in columns {
        let mean = mean.map(|mean| format!("{mean:?}")).unwrap_or_default();
        let _ = writeln!(text, "{scenario},{table},{column},{hash},{mean}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns() -> Columns {
        let name = |column: &str| ("satellite".to_owned(), "flows".to_owned(), column.to_owned());
        [
            (name("flow"), Summary { hash: "0011".into(), mean: None }),
            (name("goodput_bps"), Summary { hash: "2233".into(), mean: Some(1e-7) }),
        ]
        .into()
    }

    #[test]
    fn what_is_written_is_read_again() {
        assert_eq!(parse(&text(&columns())), Ok(columns()));
    }

    #[test]
    fn a_line_that_is_no_hash_is_named() {
        let damaged = text(&columns()).replace("1e-7", "many");
        assert_eq!(parse(&damaged), Err("line 3: the mean many is no number".into()));
        assert!(parse("scenario,hash\n").unwrap_err().starts_with("line 1"));
    }
}
